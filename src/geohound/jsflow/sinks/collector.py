"""What a sink gives is gathered here: the strings of arguments and objects, once for each place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tree_sitter import Node

from geohound.jsflow.evaluation import call_sites, tables
from geohound.jsflow.syntax.source import Source
from geohound.jsflow.values import conditions
from geohound.jsflow.values.domain import (
    HOLE,
    Arr,
    BoundScope,
    Fn,
    Lazy,
    Obj,
    UrlObject,
    Value,
    text_of,
)
from geohound.jsflow.values.resolver import Resolver

from . import calls, sibling_properties
from .finds import SinkMatch, SinkValue
from .idioms import Idioms, idioms_of


@dataclass(slots=True)
class Collector:
    """Keeps what was found in one source."""

    ev: Resolver
    source: Source
    found: list[SinkMatch] = field(default_factory=list)
    seen: set[tuple[str, int]] = field(default_factory=set)

    @property
    def idioms(self) -> Idioms:
        return idioms_of(self.ev.book)

    def once(self, what: str, node: Node) -> bool:
        key = (what, node.id)
        if key in self.seen:
            return False
        self.seen.add(key)
        return True

    def held(
        self, lazy: Lazy, keys: tuple[str, ...] | None, *, strings: bool
    ) -> list[SinkValue]:
        """Strings of an argument: itself, the elements of an array, what stands under the keys of an object."""
        found: list[SinkValue] = []
        for value in self.ev.lazy(lazy):
            match value:
                case str() | UrlObject():
                    found += [SinkValue(value)] if strings else []
                case Arr():
                    found += [
                        SinkValue(v)
                        for v in self._items(value)
                        if isinstance(v, str | UrlObject)
                    ]
                case Obj():
                    found += self._in_object(value, keys)
                case Fn() if strings and not keys:
                    found += [SinkValue(v) for v in self.ev.invoke(value, [])]
        return found

    def _items(self, array: Arr) -> list[Value]:
        return [v for item in array.items[:24] for v in self.ev.lazy(item)]

    def _in_object(self, value: Obj, keys: tuple[str, ...] | None) -> list[SinkValue]:
        """What stands under these keys, or under the first two of those that usually hold addresses."""
        apart = sibling_properties.below_host(self.ev, value) if not keys else None
        if apart is not None:
            return [SinkValue(address) for address in apart]
        present = [key for key in keys or calls.URL_KEYS if key in value.fields]
        subdomain = sibling_properties.subdomain(self.ev, value)
        mapfile = sibling_properties.mapfile(self.ev, value)
        found = [
            v for key in present[: None if keys else 2] for v in self._field(value, key)
        ]
        return [
            SinkValue(sibling_properties.at(v, mapfile), None, subdomain) for v in found
        ]

    def _field(self, value: Obj, key: str) -> list[Value]:
        found: list[Value] = []
        for inner in self.ev.any_of(value.fields[key]):
            match inner:
                case Arr():
                    found += self._items(inner)
                case Fn():
                    found += self.ev.invoke(inner, [])
                case Obj():
                    found += self._address_in(inner)
                case _:
                    found.append(inner)
        return [v for v in found if not _is_mere_name(key, v)]

    def _address_in(self, value: Obj) -> list[Value]:
        named = [
            value.fields[k] for k in ("url", "default", "uri") if k in value.fields
        ]
        return [v for lazies in named for v in self.ev.any_of(lazies)]

    def _is_ruled_out(self) -> bool:
        """Does a call that is assumed now stand in a branch that the row at hand never takes?"""
        bindings = [
            binding for key, binding in self.ev.choices.items() if key[0] == "param"
        ]
        return any(
            self._is_never_called(call_sites.site(binding)) for binding in bindings
        )

    def _is_never_called(self, site: Lazy | None) -> bool:
        if site is None or site.node is None or site.place is None:
            return False
        branch = conditions.branch_around(site.node, site.place.source)
        return (
            branch is not None
            and conditions.happens(self.ev, site.node, site.place, branch) is False
        )

    def take(
        self,
        compute: Callable[[], list[SinkValue]],
        hint: str | None,
        how: str,
        node: Node,
        call: str,
        *,
        must_be_sure: bool = False,
    ) -> None:
        branch = conditions.branch_around(node, self.source)

        def reached() -> list[SinkValue]:
            hits = compute()
            # What one call site or row decides must suit the branch: a WMS row never comes to the case of WFS.
            if not hits or not self.ev.choices:
                return hits
            if (
                branch is not None
                and conditions.happens(self.ev, node, BoundScope(self.source), branch)
                is False
            ):
                return []
            if (
                tables.is_passed_over(self.ev, node, self.source)
                or self._is_ruled_out()
            ):
                return []
            return hits

        for value, kind, subdomain in self.ev.solve(reached):
            kind_or_hint = kind or hint
            if isinstance(value, str | UrlObject):
                self.found.append(
                    SinkMatch(
                        text_of(value),
                        kind_or_hint,
                        how,
                        node,
                        self.source,
                        call,
                        subdomain,
                        must_be_sure,
                    )
                )
            elif how != "string" and kind_or_hint and not must_be_sure:
                self.found.append(
                    SinkMatch(HOLE, kind_or_hint, how, node, self.source, call)
                )


def _is_mere_name(key: str, value: Value) -> bool:
    """service: "wms" is a kind, no address."""
    return key == "service" and isinstance(value, str) and "/" not in value
