"""Where in a script the address of a service may stand: calls, objects of a telling shape, telling strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from tree_sitter import Node

from .model import words
from . import addresses, calls, modules
from .anchors import Anchor, anchor
from .evaluate import Evaluator
from .sites import attributes
from .source import FUNCTIONS, Source, arguments
from .values import HOLE, Arr, Fn, Lazy, Obj, Place, Ref, Value, Web, text_of

_WORDS = "wmts|wms|wfs|wcs|csw|wps|ows"


def _anchor(callee: str) -> str:
    last = callee.rpartition(".")[2]
    tail = callee.rsplit(".", 2)[-2:]
    return re.escape(last) if len(last) > 9 else r"\s*\.\s*".join(map(re.escape, tail))


def _rare_word(callee: str) -> str:
    """The part of a callee's name to look for first."""
    last, before = callee.rpartition(".")[2], callee.rpartition(".")[0].rpartition(".")[2]
    return (last if len(last) > 9 or not before or re.search(r"w[mf]t?s", last, re.IGNORECASE) else before).lower()


_TABLED = "|".join(sorted({_anchor(row[0]) for row in calls.ROWS}, key=len, reverse=True))
_CALL = anchor(
    " ".join(["wms wmts wfs wcs wps csw ows", *sorted({_rare_word(row[0]) for row in calls.ROWS})]),
    rf"(?:[Ww][Mm][Tt]?[Ss]|[Ww][FfCcPp][Ss]|[Cc][Ss][Ww]|OWS|Ows)[\w$]{{0,60}}(?=\s*\()|(?<![\w$])(?:{_TABLED})(?=\s*\()",
)
_KEY = anchor(
    "url uri endpoint tiles",
    rb"(?P<at>(?:url|URL|Url|uri|URI|endpoint|Endpoint)s?|(?<![\w$.])tiles)[\"']?\s*:(?!:)|"
    rb"[{,]\s*(?P<at2>url|urls|baseUrl|wmsUrl|endpoint|serviceUrl)\s*[,}]",
    before=3,
)
_LOOSE_KEY = anchor(
    "data server host service href src base address onlineresource source",
    rb"(?<![\w$.])(?P<at>data|server|host|service|href|src|base|address|onlineResource|source)[\"']?\s*:(?!:)|"
    rb"[{,]\s*(?P<at2>server|service|data)\s*[,}]",
    before=3,
)
_STRING = anchor(
    "wms wmts wfs wcs wps csw ows service= service%3d request= /rest/services/ mapserv capabilit map= ogc /collections/ /stac /v1. /search \"?\" '?'",
    rf"(?i:/(?:{_WORDS})(?![a-z])|(?:{_WORDS})(?:server)?(?=[\"'`?]|\.\w{{2,4}}[\"'`?])|(?<![a-z])(?:service|request)=|"
    rf"/rest/services/|mapserv|capabilit\w{{0,12}}\.xml|[?&]map=|/wmts/|ogc/?[\"'`?]|%2f(?:{_WORDS})(?![a-z])|service%3d|"
    rf"(?:{_WORDS})[-_][\w-]{{1,40}}[\"'`?]|/collections/|/stac\b|/v1\.[01]/[a-z]|/search[\"'`]|[\"'`]\?[\"'`])",
    before=3,
)
_SERVICE = re.compile(
    rb"service[\"']?\s*[:=,]\s*\\?[\"']?(wms|wfs|csw|wps|wcs|wmts|sos)\b|<(wfs|csw|wps|sos):?\w*[: ]*(?:GetFeature|"
    rb"Transaction|GetRecords|Execute|DescribeProcess|GetObservation)",
    re.IGNORECASE,
)
_REQUEST = anchor(
    "fetch ajax getjson get post axios open json request xhrget jsonp query",
    rb"(?<![\w$])(?:fetch|ajax|getJSON|get|post|axios|open|GET|POST|json|request|xhrGet|jsonp|query)(?=\s*\()",
)
_ROW = anchor("wms wmts wfs", rb"[\"'](?:\w{1,40}\.){1,6}(?:WMS|WMTS|WFS|WMSLayer|WMTSLayer)[\"'](?=\s*,)", before=40)
_FILE = anchor(".json .xml .yaml .yml", rb"\.(?:json|xml|json5|ya?ml)(?:\?[^\"'`\s]{0,100})?[\"'`]")
_XML = re.compile(
    r"<(wfs|csw|wps|sos):?\w*[: ]*(?:GetFeature|Transaction|GetRecords|Execute|DescribeProcess|GetObservation)",
    re.IGNORECASE,
)
_NESTED = (
    "params",
    "data",
    "query",
    "parameters",
    "body",
    "options",
    "requestParams",
    "baseParams",
    "wmsParameters",
    "wms",
    "defaultParameters",
    "searchParams",
)
_CHAIN = frozenset(["parenthesized_expression", "template_substitution", "template_string", "await_expression"])
_STRING_METHODS = words("concat replace replaceAll trim toString toLowerCase join slice substring")
_MAX_FUNCTION = 6_000
_MAX_GUESSED = 150_000  # in longer scripts only requests beside the name of a service are looked at
_NAMESPACES = re.compile(r"(?:^|[._])(?:ns|xmlns|name_?spaces?|prefix(?:es)?|schemas?)$", re.IGNORECASE)


Visit = Callable[[int, int], None]
Guard = Callable[[Callable[[], None]], None]


class Hit(NamedTuple):
    """A value, the kind that its surroundings name, and the subdomain to put in."""

    value: Value
    kind: str | None = None
    subdomain: str = ""


@dataclass(slots=True)
class Found:
    """A string that reached a place where the address of a service stands."""

    text: str
    hint: str | None
    how: str
    node: Node
    source: Source
    call: str
    subdomains: str = ""
    must_be_sure: bool = False


@dataclass(slots=True)
class Collector:
    """Looks through one source; keeps what it found and what cannot be known."""

    ev: Evaluator
    source: Source
    found: list[Found] = field(default_factory=list)
    seen: set[tuple[str, int]] = field(default_factory=set)
    left: int = 0

    def collect(self, guard: Guard, *, with_strings: bool = True) -> None:
        """Visit every anchor; `guard` runs each visit within its budget."""
        self.left = self.ev.meter.budget.sinks
        data = self.source.data
        is_short = len(data) <= _MAX_GUESSED
        steps: list[tuple[Anchor, Visit]] = [(_CALL, self._call), (_KEY, self._key)]
        steps += [(_LOOSE_KEY, self._key)] if is_short else []
        steps += [(_STRING, self._string)] if with_strings else []
        self._visit([*steps, (_ROW, self._row)], guard)
        services = [m.start() for m in _SERVICE.finditer(data)][:200]
        if services and is_short:
            self._visit([(_REQUEST, self._request)], guard)
        for at in services if not is_short else ():
            window = range(max(0, at - _MAX_FUNCTION), at + _MAX_FUNCTION)
            self._visit_all(_REQUEST.pattern.finditer(data, window.start, window.stop), self._request, guard)
        self.collect_files(guard)
        guard(self.collect_tags)

    def collect_files(self, guard: Guard) -> None:
        """Only the files that the script asks for."""
        self.left = self.left or 400
        self._visit([(_FILE, self._file)], guard)

    def _visit(self, steps: list[tuple[Anchor, Visit]], guard: Guard) -> None:
        for words, visit in steps:
            self._visit_all(words.find(self.source.data, self.source.lowered), visit, guard)

    def _visit_all(self, matches: Iterable[re.Match[bytes]], visit: Visit, guard: Guard) -> None:
        for match in matches:
            at, end = match.start(match.lastgroup or 0), match.end()
            if self.left <= 0 or self.ev.meter.is_over:
                return
            self.left -= 1
            guard(partial(visit, at, end))

    def _once(self, what: str, node: Node) -> bool:
        key = (what, node.id)
        if key in self.seen:
            return False
        self.seen.add(key)
        return True

    # Calls.

    def _call(self, _: int, end: int) -> None:
        node = self.source.node_at(end - 1)
        call = _call_of(node)
        if node is None or call is None or not self._once("call", call):
            return
        callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
        if callee is None:
            return
        name = re.sub(r"\s+", "", self.source.text(callee))[-80:]
        place = Place(self.source)
        values = self.ev.values(callee, place) if callee.type in ("identifier", "member_expression") else ()
        paths = [name, *(v.path for v in values if isinstance(v, Ref))]
        is_own = any(isinstance(v, Fn) for v in values)
        for wheres, kind in _rows(paths):
            for where in wheres:
                self._argument(call, where, kind, name)
            return
        kind = addresses.kind_of_name(name.rpartition(".")[2]) or addresses.kind_of_name(name)
        if kind and not re.search(r"geocod|capabilit|format|parse|read|is[A-Z]|supports", name.rpartition(".")[2]):
            self._argument(call, "*", kind, name, must_be_sure=is_own)

    def _argument(self, call: Node, where: str, kind: str, name: str, must_be_sure: bool = False) -> None:
        place = Place(self.source)
        number, _, key = where.partition(".")

        def compute() -> list[Hit]:
            args = self.ev.lazy_arguments(call, place)
            chosen = args[:5] if number == "*" else args[int(number) : int(number) + 1]
            found: list[Hit] = []
            for lazy in chosen:
                found += self._held(lazy, (key,) if key else None, strings=not key)
            for value in (v for lazy in args[1:3] for v in self.ev.lazy(lazy)):
                if isinstance(value, Obj) and (subdomain := self._subdomain(value)):
                    found = [hit._replace(subdomain=subdomain) for hit in found]
            return found

        self._take(
            compute, kind or None, "call", call, name, must_be_sure=must_be_sure or (number == "*" and kind == "")
        )

    def _held(self, lazy: Lazy, keys: tuple[str, ...] | None, *, strings: bool) -> list[Hit]:
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
                case Obj():
                    wanted = keys or calls.URL_KEYS
                    present = [k for k in wanted if k in value.fields]
                    subdomain = self._subdomain(value)
                    for key in present if keys else present[:2]:
                        found += [Hit(v, None, subdomain) for v in self._field(value, key)]
                case Fn() if strings and not keys:
                    found += [Hit(v) for v in self.ev.invoke(value, [])]
        return found

    def _subdomain(self, holder: Obj) -> str:
        """The first of the subdomains that stand beside an address."""
        lazies = holder.fields.get("subdomains") or holder.fields.get("subDomains")
        given = self.ev.any_of(lazies)[0] if lazies else None
        if isinstance(given, Arr):
            given = self.ev.lazy(given.items[0])[0] if given.items else None
        elif isinstance(given, str):  # each letter is one
            given = given[:1]
        return given if isinstance(given, str) else ""

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

    # Objects.

    def _key(self, at: int, _: int) -> None:
        node = self.source.node_at(at)
        while node is not None and node.type not in ("object", "program", "statement_block", "template_string"):
            node = node.parent
        if node is None or node.type != "object" or not self._once("object", node):
            return
        fields, parameters = self._shape(node)
        kind = calls.kind_of_shape(fields, parameters)
        self._named_fields(node, kind)
        if kind is None or (addresses.kind_of_name(self._constructor(node)) or kind) != kind:
            return
        place = Place(self.source)
        self._take(
            lambda: [v for made in self.ev.values(node, place) for v in self._held(Lazy(values=(made,)), None, strings=False)],
            kind, "shape", node, self._context(node),
        )  # fmt: skip

    def _constructor(self, node: Node) -> str:
        up = node.parent.parent if node.parent is not None and node.parent.type == "arguments" else None
        callee = (
            (up.child_by_field_name("constructor") or up.child_by_field_name("function")) if up is not None else None
        )
        return self.source.text(callee).rpartition(".")[2] if callee is not None else ""

    def _shape(self, node: Node) -> tuple[dict[str, str | None], dict[str, str | None]]:
        fields: dict[str, str | None] = {}
        parameters: dict[str, str | None] = {}
        for child in node.named_children[:80]:
            key = child.child_by_field_name("key") or (child if "shorthand" in child.type else None)
            value = child.child_by_field_name("value")
            if key is None:
                continue
            name = self.source.text(key).strip("\"'")
            fields[name.lower()] = self._literal(value)
            if name in _NESTED and value is not None:
                parameters.update(self._nested(value))
        return fields, parameters

    def _literal(self, value: Node | None) -> str | None:
        """A string as it is written; a name stands for something that is not known yet."""
        if value is None:
            return None
        if value.type in ("string", "template_string"):
            return self.source.text(value)[1:200].rstrip("\"'`")
        return HOLE if value.type in ("identifier", "member_expression") else None

    def _nested(self, value: Node) -> dict[str, str | None]:
        """The keys of an object inside the object; one that has a name is looked up where that costs little."""
        if value.type == "object":
            pairs = ((c.child_by_field_name("key"), c.child_by_field_name("value")) for c in value.named_children[:60])
            return {self.source.text(k).strip("\"'").lower(): self._literal(v) for k, v in pairs if k is not None}
        if len(self.source.data) > _MAX_GUESSED or value.type in ("string", "number", "function_expression"):
            return {}
        found: dict[str, str | None] = {}
        for made in self.ev.values(value, Place(self.source)):
            for name, lazies in made.fields.items() if isinstance(made, Obj) else ():
                first = self.ev.any_of(lazies)[0] if name.lower() in ("service", "request") else None
                found[name.lower()] = first if isinstance(first, str) else None
        return found

    def _named_fields(self, node: Node, kind: str | None) -> None:
        """Keys that say their kind themselves: wmsUrl, WFS_URL."""
        if _NAMESPACES.search(self._holder(node)):
            return
        for child in node.named_children[:200]:
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if (
                key is None
                or value is None
                or value.type in ("object", "number", "true", "false", "function_expression")
            ):
                continue
            name = self.source.text(key).strip("\"'")
            own = addresses.kind_of_name(name)
            if own and re.search(r"ur[li]|endpoint|server|host|href|base|address|^\w{3,4}$", name, re.IGNORECASE):
                place = Place(self.source)
                self._take(
                    lambda value=value: [Hit(v) for v in self.ev.values(value, place)],  # type: ignore[misc]
                    kind or own, "shape", value, name, must_be_sure=False,
                )  # fmt: skip

    # Strings.

    def _string(self, at: int, _: int) -> None:
        node = self.source.node_at(at)
        while node is not None and node.type not in ("string", "template_string", "jsx_attribute"):
            if node.type in ("program", "statement_block", "call_expression", "object", "comment", "regex"):
                return
            node = node.parent
        if node is None or node.type == "jsx_attribute":
            return
        top = _whole(node, self.source)
        if not self._once("string", top):
            return
        if top.type == "string" and self.source.data[top.start_byte + 1 : top.start_byte + 2] in (b"{", b"["):
            self._json(top)
            return
        context = self._context(top)
        if _NAMESPACES.search(self._holder(top)):
            return
        if calls.IGNORED_KEYS.match(context) or calls.IGNORED_CALLEES.search(context) or _is_statement(top):
            return
        place = Place(self.source)
        target = _appended_to(top)
        if target is not None:
            top = target
        self._take(lambda: [Hit(v) for v in self._at_end(top, place)], None, "string", top, context, must_be_sure=True)

    def _at_end(self, node: Node, place: Place) -> tuple[Value, ...]:
        """The value of an expression; of a variable that strings are appended to, what it holds in the end."""
        if node.type == "augmented_assignment_expression":
            left = node.child_by_field_name("left")
            scope = self.source.scope_of(node)
            last = None
            for at in (
                self.source.places(
                    self.source.text(left), rb"(?<![\w$.])(?P<at>NAME)(?![\w$])", node.end_byte, scope.end_byte
                )
                if left is not None
                else ()
            ):
                last = self.source.node_at(at)
            return self.ev.values(last, place) if last is not None and last.type == "identifier" else ()
        return self.ev.values(node, place)

    def _holder(self, node: Node) -> str:
        """The name of the table that an expression stands in."""
        up = node.parent
        while up is not None and up.type in ("pair", "object", "array"):
            up = up.parent
        left = (up.child_by_field_name("name") or up.child_by_field_name("left")) if up is not None else None
        return self.source.text(left)[-40:] if left is not None and up is not None and "func" not in up.type else ""

    def _json(self, node: Node) -> None:
        from .config import addresses_in_json  # noqa: PLC0415 - configuration speaks of strings, too

        for value in self.ev.values(node, Place(self.source)):
            if isinstance(value, str):
                for text, hint, key in addresses_in_json(value):
                    self.found.append(Found(text, hint, "string", node, self.source, key, must_be_sure=hint is None))

    # Requests and files.

    def _request(self, _: int, end: int) -> None:
        call = _call_of(self.source.node_at(end - 1))
        if call is None or not self._once("request", call):
            return
        callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
        name = self.source.text(callee)[-60:] if callee is not None else ""
        place = Place(self.source)
        at = 1 if name.endswith(".open") else 0
        nearby = self._nearby_kind(call)
        if nearby is None and len(self.source.data) > _MAX_GUESSED:
            return

        def compute() -> list[Hit]:
            args = self.ev.lazy_arguments(call, place)
            kinds = [k for lazy in args[:4] for v in self.ev.lazy(lazy) if (k := self._kind_in(v, 0))]
            kind = kinds[0] if kinds else nearby
            if kind is None:
                return []
            hits = [h for lazy in args[at : at + 1] for h in self._held(lazy, ("url", "uri", "baseURL"), strings=True)]
            return [hit._replace(kind=kind) for hit in hits]

        self._take(compute, None, "request", call, name)

    def _nearby_kind(self, call: Node) -> str | None:
        """The service that the function around a request speaks of."""
        scope = self.source.scope_of(call)
        if scope.type not in FUNCTIONS or scope.end_byte - scope.start_byte > _MAX_FUNCTION:
            near = self.source.data[max(0, call.start_byte - 600) : call.end_byte + 600]
        else:
            near = self.source.data[scope.start_byte : scope.end_byte]
        found = _SERVICE.search(near)
        return (found[1] or found[2]).decode().lower() if found else None

    def _kind_in(self, value: Value, depth: int) -> str | None:
        if isinstance(value, str):
            found = _XML.search(value)
            return addresses.kind_in_query(value) or (found[1].lower() if found else None)
        if isinstance(value, Obj) and depth < 3:
            for name, lazies in list(value.fields.items())[:40]:
                inner = self.ev.any_of(lazies)[0] if name.lower() in ("service", *_NESTED) else None
                if name.lower() == "service" and isinstance(inner, str):
                    return addresses.kind_of_name(inner)
                if inner is not None and (kind := self._kind_in(inner, depth + 1)):
                    return kind
        return None

    def _file(self, at: int, _: int) -> None:
        node = self.source.node_at(at)
        while node is not None and node.type not in ("string", "template_string"):
            if node.type in ("program", "statement_block"):
                return
            node = node.parent
        if node is None:
            return
        top = _whole(node, self.source)
        up = top.parent
        if up is not None and up.type in (
            "arguments",
            "pair",
            "variable_declarator",
            "assignment_expression",
            "ternary_expression",
        ):
            for value in self.ev.solve(lambda: list(self.ev.values(top, Place(self.source)))):
                modules.request(self.ev, value)

    def _row(self, at: int, _: int) -> None:
        """The constructor as data: its name first, its arguments behind it."""
        node = self.source.node_at(at)
        array = node.parent if node is not None else None
        while array is not None and array.type in ("string", "string_fragment"):
            array = array.parent
        if array is None or array.type != "array" or not self._once("row", array):
            return
        place = Place(self.source)
        kind = addresses.kind_of_name(self.source.text(array.named_children[0]).strip("\"'").rpartition(".")[2])

        def compute() -> list[Hit]:
            lazies = [Lazy(child, place) for child in array.named_children[1:4]]
            return [v for lazy in lazies for v in self._held(lazy, None, strings=True)]

        self._take(compute, kind, "shape", array, self.source.text(array.named_children[0]).strip("\"'"))

    def _context(self, node: Node) -> str:
        """The call, key or variable that an expression belongs to."""
        up: Node | None = node
        while up is not None:
            match up.type:
                case "arguments":
                    call = up.parent
                    callee = (
                        (call.child_by_field_name("function") or call.child_by_field_name("constructor"))
                        if call is not None
                        else None
                    )
                    return re.sub(r"\s+", "", self.source.text(callee))[-80:] if callee is not None else ""
                case "pair" if up.id != node.id:
                    key = up.child_by_field_name("key")
                    return self.source.text(key).strip("\"'") if key is not None else ""
                case "variable_declarator" | "assignment_expression":
                    left = up.child_by_field_name("name") or up.child_by_field_name("left")
                    return self.source.text(left)[-60:] if left is not None else ""
                case "statement_block" | "program":
                    return ""
            up = up.parent
        return ""

    def _take(
        self,
        compute: Callable[[], list[Hit]],
        hint: str | None,
        how: str,
        node: Node,
        call: str,
        *,
        must_be_sure: bool = False,
    ) -> None:
        for value, kind, subdomain in self.ev.solve(compute):
            told = kind or hint
            if isinstance(value, str | Web):
                self.found.append(Found(text_of(value), told, how, node, self.source, call, subdomain, must_be_sure))
            elif how != "string" and told and not must_be_sure:
                self.found.append(Found(HOLE, told, how, node, self.source, call))

    def tags(self) -> Iterator[tuple[Obj, Node, str]]:
        """JSX tags that speak of a service."""
        for match in re.finditer(rb"<(?:[\w.]*(?:WMS|Wms|wms|WMTS|Wmts|WFS|Wfs)[\w.]*)(?=[\s/>])", self.source.data):
            node = self.source.node_at(match.end() - 1)
            while node is not None and node.type not in ("jsx_opening_element", "jsx_self_closing_element", "program"):
                node = node.parent
            if node is not None and node.type != "program":
                yield attributes(self.source, node, Place(self.source)), node, match[0][1:].decode()

    def collect_tags(self) -> None:
        for made, node, name in self.tags():
            self._take(
                lambda made=made: self._held(Lazy(values=(made,)), None, strings=False),
                addresses.kind_of_name(name),
                "call",
                node,
                name,
            )  # type: ignore[misc]


def _rows(paths: list[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    for path in paths:
        for callee, where, kind in calls.BY_LAST.get(path.rpartition(".")[2], ()):
            if path == callee or path.endswith(f".{callee}") or callee.endswith(f".{path}"):
                yield where, kind


def _call_of(node: Node | None) -> Node | None:
    """The call whose callee ends in this name."""
    below = node
    up = node.parent if node is not None else None
    while up is not None and below is not None and up.type == "member_expression":
        name = up.child_by_field_name("property")
        if name is None or name.end_byte != below.end_byte:
            return None
        below, up = up, up.parent
    if up is None or below is None or up.type not in ("call_expression", "new_expression"):
        return None
    listed = up.child_by_field_name("arguments")
    return up if listed is None or below.end_byte <= listed.start_byte else None


def _whole(node: Node, source: Source) -> Node:
    """The expression that a string is a part of: concatenations, templates, string methods."""
    up = node.parent
    while up is not None:
        if up.type in _CHAIN or (up.type == "binary_expression" and _operator(up) == "+"):
            node = up
        elif up.type == "member_expression" and up.parent is not None and up.parent.type == "call_expression":
            name = up.child_by_field_name("property")
            if name is None or source.text(name) not in _STRING_METHODS:
                return node
            node = up = up.parent
        elif up.type == "arguments" and up.parent is not None and _is_string_call(up.parent, source):
            node = up = up.parent
        elif up.type == "array" and up.parent is not None and up.parent.type == "member_expression":
            node = up
        else:
            return node
        up = node.parent
    return node


def _is_string_call(call: Node, source: Source) -> bool:
    callee = call.child_by_field_name("function")
    name = callee.child_by_field_name("property") if callee is not None else None
    if name is not None and source.text(name) in ("concat", "replace"):
        return True
    return callee is not None and source.text(callee) in (
        "encodeURIComponent",
        "encodeURI",
        "String",
        "decodeURIComponent",
    )


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _appended_to(node: Node) -> Node | None:
    up = node.parent
    return up if up is not None and up.type == "augmented_assignment_expression" and _operator(up) == "+=" else None


def _is_statement(node: Node) -> bool:
    up = node.parent
    return up is not None and (
        up.type in ("expression_statement", "import_statement", "export_statement", "switch_case")
    )


__all__ = ["Collector", "Found", "arguments"]
