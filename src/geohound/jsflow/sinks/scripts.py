"""Where in a script the address of a service may stand: calls, objects of a telling shape, telling strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from tree_sitter import Node

from geohound.jsflow import addresses
from geohound.jsflow.syntax import nodes
from geohound.jsflow.syntax.anchors import Anchor
from geohound.jsflow.syntax.source import FUNCTIONS, arguments, parameters
from geohound.jsflow.values.domain import HOLE, Fn, Lazy, Obj, Place, Ref, Value

from . import beside, calls, places, requests
from .collector import Collector
from .finds import MAX_FUNCTION, MAX_GUESSED, NESTED, Hit

_READS = re.compile(r"geocod|capabilit|format|parse|read|is[A-Z]|supports")
_NAMESPACES = re.compile(r"(?:^|[._])(?:ns|xmlns|name_?spaces?|prefix(?:es)?|schemas?)$", re.IGNORECASE)

Visit = Callable[[int, int], None]
Guard = Callable[[Callable[[], None]], None]


@dataclass(slots=True)
class ScriptSinks(Collector):
    """Looks through one source."""

    left: int = 0

    def collect(self, guard: Guard, *, with_strings: bool = True) -> None:
        """Visit every anchor; `guard` runs each visit within its budget."""
        self.left = self.ev.meter.budget.sinks
        data = self.source.data
        is_short = len(data) <= MAX_GUESSED
        steps: list[tuple[Anchor, Visit]] = [(places.CALL, self._call), (places.KEY, self._key)]
        steps += [(places.LOOSE_KEY, self._key)] if is_short else []
        steps += [(places.STRING, self._string)] if with_strings else []
        guard(self._aliases)
        self._visit([*steps, (places.ROW, partial(requests.row, self))], guard)
        services = [m.start() for m in places.SERVICE.finditer(data)][:200]
        if services and is_short:
            self._visit([(places.REQUEST, partial(requests.request, self))], guard)
        for at in services if not is_short else ():
            window = range(max(0, at - MAX_FUNCTION), at + MAX_FUNCTION)
            matches = places.REQUEST.pattern.finditer(data, window.start, window.stop)
            self._visit_all(matches, partial(requests.request, self), guard)
        self.collect_files(guard)
        guard(partial(requests.collect_tags, self))

    def collect_files(self, guard: Guard) -> None:
        """Only the files that the script asks for."""
        self.left = self.left or 400
        self._visit([(places.FILE, partial(requests.file, self))], guard)

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

    # Calls.

    def _call(self, _: int, end: int) -> None:
        node = self.source.node_at(end - 1)
        call = nodes.call_of(node)
        if node is None or call is None or not self.once("call", call):
            return
        callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
        if callee is None:
            return
        name = re.sub(r"\s+", "", self.source.text(callee))[-80:]
        place = Place(self.source)
        named = callee.type in ("identifier", "member_expression")
        values = self.ev.solve(lambda: list(self.ev.values(callee, place))) if named else []
        paths = [name, *(v.path for v in values if isinstance(v, Ref))]
        is_own = any(isinstance(v, Fn) for v in values)
        if name.endswith((".setUrl", ".setUrls")):
            self._argument(call, "0", self._maker_kind(callee) or "", name)
            return
        for wheres, kind in calls.rows(paths):
            for where in wheres:
                self._argument(call, where, kind, name)
            return
        kinds = [addresses.kind_of_name(path.rpartition(".")[2]) or addresses.kind_of_name(path) for path in paths]
        told = next(filter(None, kinds), None)
        if told and not _READS.search(paths[-1].rpartition(".")[2]):
            self._argument(call, "*", told, name, must_be_sure=is_own)

    def _maker_kind(self, callee: Node) -> str | None:
        """The kind that the class of an object's maker names, as far as it stands beside its name."""
        holder = callee.child_by_field_name("object")
        name = self.source.text(holder).rpartition(".")[2] if holder is not None else ""
        if not name.replace("$", "_").isidentifier():
            return None
        for at in self.source.places(name, rb"(?<![\w$])(?P<at>NAME)\s*[=:]\s*(?:new\s+)?[\w$.]{1,60}\(")[:3]:
            made = self.source.data[at + len(name) : at + len(name) + 80].partition(b"(")[0]
            if kind := addresses.kind_of_name(made.decode("utf-8", "replace").rpartition(".")[2]):
                return kind
        return None

    def _aliases(self) -> None:
        """Calls under another name than the library's: imported as, or handed to the function of define and require."""
        for name, defs in self.source.names(self.source.root).items():
            if any(d.how == "import" for d in defs):
                self._calls_of(name, 0, len(self.source.data))
        for match in places.ALIASED.find(self.source.data, self.source.lowered):
            call = nodes.call_of(self.source.node_at(match.start()))
            given = arguments(call) if call is not None else []
            function = next((a for a in given if a.type in FUNCTIONS), None)
            for pattern in parameters(function)[:60] if function is not None else ():
                self._calls_of(self.source.text(pattern), pattern.end_byte, function.end_byte if function else 0)

    def _calls_of(self, name: str, begin: int, end: int) -> None:
        for at in self.source.places(name, rb"(?<![\w$.])(?P<at>NAME)\s*\(", begin, end)[:50]:
            self._call(at, at + len(name))

    def _argument(self, call: Node, where: str, kind: str, name: str, must_be_sure: bool = False) -> None:
        place = Place(self.source)
        number, _, key = where.partition(".")

        def compute() -> list[Hit]:
            args = self.ev.lazy_arguments(call, place)
            chosen = args[:5] if number == "*" else args[int(number) : int(number) + 1]
            found: list[Hit] = []
            for lazy in chosen:
                found += self.held(lazy, (key,) if key else None, strings=not key)
            for value in (v for lazy in args[1:3] for v in self.ev.lazy(lazy)):
                if isinstance(value, Obj):
                    subdomain, mapfile = beside.subdomain(self.ev, value), beside.mapfile(self.ev, value)
                    found = [
                        h._replace(value=beside.at(h.value, mapfile), subdomain=subdomain or h.subdomain) for h in found
                    ]
            return found

        self.take(
            compute, kind or None, "call", call, name, must_be_sure=must_be_sure or (number == "*" and kind == "")
        )

    # Objects.

    def _key(self, at: int, _: int) -> None:
        node = self.source.node_at(at)
        while node is not None and node.type not in ("object", "program", "statement_block", "template_string"):
            node = self.source.up(node)
        if node is None or node.type != "object" or not self.once("object", node):
            return
        fields, parameters = self._shape(node)
        kind = calls.kind_of_shape(fields, parameters)
        self._named_fields(node, kind)
        if kind is None or (addresses.kind_of_name(self._constructor(node)) or kind) != kind:
            return
        place = Place(self.source)
        self.take(
            lambda: self.held(Lazy(values=self.ev.values(node, place)), None, strings=False),
            kind,
            "shape",
            node,
            nodes.context(node, self.source),
        )

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
            if name in NESTED and value is not None:
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
        if len(self.source.data) > MAX_GUESSED or value.type in ("string", "number", "function_expression"):
            return {}
        found: dict[str, str | None] = {}
        for made in self.ev.values(value, Place(self.source)):
            for name, lazies in made.fields.items() if isinstance(made, Obj) else ():
                first = self.ev.any_of(lazies)[0] if name.lower() in ("service", "request") else None
                found[name.lower()] = first if isinstance(first, str) else None
        return found

    def _named_fields(self, node: Node, kind: str | None) -> None:
        """Keys that say their kind themselves: wmsUrl, WFS_URL."""
        if _NAMESPACES.search(nodes.holder(node, self.source)):
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
            own = addresses.kind_of_name(name) if not calls.IGNORED_KEYS.match(name) else None
            if own and re.search(r"ur[li]|endpoint|server|host|href|base|address|^\w{3,4}$", name, re.IGNORECASE):
                self.take(
                    partial(self._hits, value),
                    kind or own,
                    "shape",
                    value,
                    name,
                )

    def _hits(self, node: Node) -> list[Hit]:
        return [Hit(value) for value in self.ev.values(node, Place(self.source))]

    # Strings.

    def _string(self, at: int, _: int) -> None:
        node = self.source.node_at(at)
        while node is not None and node.type not in ("string", "template_string", "jsx_attribute"):
            if node.type in ("program", "statement_block", "call_expression", "object", "comment", "regex"):
                return
            node = self.source.up(node)
        if node is None or node.type == "jsx_attribute":
            return
        top = nodes.whole(node, self.source)
        if not self.once("string", top):
            return
        if top.type == "string" and self.source.data[top.start_byte + 1 : top.start_byte + 2] in (b"{", b"["):
            requests.json(self, top)
            return
        context = nodes.context(top, self.source)
        if _NAMESPACES.search(nodes.holder(top, self.source)):
            return
        if calls.IGNORED_KEYS.match(context) or calls.IGNORED_CALLEES.search(context) or nodes.is_statement(top):
            return
        place = Place(self.source)
        target = nodes.appended_to(top)
        if target is not None:
            top = target
        options = beside.options(top)

        def compute() -> list[Hit]:
            found = [Hit(v) for v in self._at_end(top, place)]
            return beside.filled(self.ev, found, options, place) if options else found

        self.take(compute, None, "string", top, context, must_be_sure=True)

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
