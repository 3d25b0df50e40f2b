"""What a sink gives is gathered here: the strings of arguments and objects, once for each place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tree_sitter import Node

from geohound.jsflow.evaluation import tables
from geohound.jsflow.syntax.source import Source
from geohound.jsflow.values import conditions
from geohound.jsflow.values.domain import HOLE, Arr, Fn, Lazy, Obj, Place, Value, Web, text_of
from geohound.jsflow.values.resolver import Resolver

from . import beside, calls
from .finds import Found, Hit


@dataclass(slots=True)
class Collector:
    """Keeps what was found in one source."""

    ev: Resolver
    source: Source
    found: list[Found] = field(default_factory=list)
    seen: set[tuple[str, int]] = field(default_factory=set)

    def once(self, what: str, node: Node) -> bool:
        key = (what, node.id)
        if key in self.seen:
            return False
        self.seen.add(key)
        return True

    def held(self, lazy: Lazy, keys: tuple[str, ...] | None, *, strings: bool) -> list[Hit]:
        """Strings of an argument: itself, the elements of an array, what stands under the keys of an object."""
        found: list[Hit] = []
        for value in self.ev.lazy(lazy):
            match value:
                case str() | Web():
                    found += [Hit(value)] if strings else []
                case Arr():
                    found += [
                        Hit(v) for item in value.items[:24] for v in self.ev.lazy(item) if isinstance(v, str | Web)
                    ]
                case Obj() if not keys and (apart := beside.below_host(self.ev, value)) is not None:
                    found += [Hit(address) for address in apart]
                case Obj():
                    wanted = keys or calls.URL_KEYS
                    present = [k for k in wanted if k in value.fields]
                    subdomain, mapfile = beside.subdomain(self.ev, value), beside.mapfile(self.ev, value)
                    for key in present if keys else present[:2]:
                        found += [Hit(beside.at(v, mapfile), None, subdomain) for v in self._field(value, key)]
                        found = [h for h in found if not _is_mere_name(key, h.value)]
                case Fn() if strings and not keys:
                    found += [Hit(v) for v in self.ev.invoke(value, [])]
        return found

    def _field(self, value: Obj, key: str) -> list[Value]:
        found: list[Value] = []
        for inner in self.ev.any_of(value.fields[key]):
            if isinstance(inner, Arr):
                found += [v for item in inner.items[:24] for v in self.ev.lazy(item)]
            elif isinstance(inner, Fn):
                found += self.ev.invoke(inner, [])
            elif isinstance(inner, Obj):
                keys = [k for k in ("url", "default", "uri") if k in inner.fields]
                found += [v for k in keys for v in self.ev.any_of(inner.fields[k])]
            else:
                found.append(inner)
        return found

    def take(
        self,
        compute: Callable[[], list[Hit]],
        hint: str | None,
        how: str,
        node: Node,
        call: str,
        *,
        must_be_sure: bool = False,
    ) -> None:
        branch = conditions.branch_around(node, self.source)

        def reached() -> list[Hit]:
            hits = compute()
            # What one call site or row decides must suit the branch: a WMS row never comes to the case of WFS.
            if not hits or not self.ev.choices:
                return hits
            if branch is not None and conditions.happens(self.ev, node, Place(self.source), branch) is False:
                return []
            if tables.is_passed_over(self.ev, node, self.source):
                return []
            return hits

        for value, kind, subdomain in self.ev.solve(reached):
            told = kind or hint
            if isinstance(value, str | Web):
                self.found.append(Found(text_of(value), told, how, node, self.source, call, subdomain, must_be_sure))
            elif how != "string" and told and not must_be_sure:
                self.found.append(Found(HOLE, told, how, node, self.source, call))


def _is_mere_name(key: str, value: Value) -> bool:
    """service: "wms" is a kind, no address."""
    return key == "service" and isinstance(value, str) and "/" not in value
