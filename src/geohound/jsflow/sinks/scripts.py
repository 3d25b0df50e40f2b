"""Where in a script the address of a service may stand: calls, objects of a known shape, strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from tree_sitter import Node

from geohound.jsflow.evaluation import call_sites
from geohound.jsflow.model import words
from geohound.jsflow.syntax import nodes
from geohound.jsflow.syntax.anchors import Anchor
from geohound.jsflow.syntax.preprocess import WRITTEN
from geohound.jsflow.syntax.source import arguments, parameters
from geohound.jsflow.syntax.tree import FUNCTIONS, above, callee, child
from geohound.jsflow.values.domain import (
    HOLE,
    BoundScope,
    Fn,
    Lazy,
    Obj,
    Ref,
    UrlObject,
    Value,
    text_of,
)

from . import calls, requests, sibling_properties, source_positions
from .collector import Collector
from .finds import MAX_FUNCTION, MAX_GUESSED, SinkValue

_READS = re.compile(r"geocod|capabilit|format|parse|read|is[A-Z]|supports")
_NAMESPACES = re.compile(
    r"(?:^|[._])(?:ns|xmlns|name_?spaces?|prefix(?:es)?|schemas?)$", re.IGNORECASE
)
_LOADERS = re.compile(
    r"(?:^|\.)(?:require(?:js)?(?:\.config)?|define|System\.(?:config|import|register))$"
)
_ADDRESS_KEY = re.compile(
    r"ur[li]|endpoint|server|host|href|base|address|^\w{3,4}$", re.IGNORECASE
)
_NO_ADDRESS = frozenset(
    ("object", "array", "number", "true", "false", "unary_expression", *FUNCTIONS)
)
_AROUND_KEYS = ("object", "program", "statement_block", "template_string")
_ASKED = ("tiles", "url", "URL", "uri", "src", "endpoint")
_STRINGS = ("string", "template_string")
_AROUND_STRINGS = words(
    "jsx_attribute program statement_block call_expression object comment regex"
)
_BUNDLE = 60_000  # in longer scripts, what classes are defined with are the examples and defaults of libraries
_MORE_THAN_A_PATH = re.compile(r"(?:https?:)?//\S{8}")
_MAX_NAMED = 200  # places
_MAX_DEFAULTS = 50  # of one place
_USE = rb"(?<![\w$.])(?P<at>NAME)(?![\w$])"

Visit = Callable[[int, int], None]
Guard = Callable[[Callable[[], None]], None]


@dataclass(slots=True)
class ScriptSinks(Collector):
    """Looks through one source."""

    left: int = 0
    is_cut_short: bool = False  # more places than the budget allows to look at
    # with which the classes of a bundle are defined
    defaults: set[str] = field(default_factory=set)

    def collect(self, guard: Guard) -> None:
        """Visit every anchor; `guard` runs each visit within its budget."""
        self.left = self.ev.meter.budget.sinks
        data = self.source.data
        is_short = len(data) <= MAX_GUESSED
        steps: list[tuple[Anchor, Visit]] = [
            (self.idioms.call, self._call),
            (source_positions.KEY, self._key),
        ]
        if is_short:
            steps.append((source_positions.LOOSE_KEY, self._key))
        steps += [(self.idioms.typed, self._key), (self.idioms.string, self._string)]
        guard(self._aliases)
        steps.append((self.idioms.row, partial(requests.row, self)))
        self._visit([*steps, (source_positions.LAYERS, self._address_before)], guard)
        for begin, end in [(0, len(data))] if is_short else self._asking():
            for anchor, visit in (
                (source_positions.REQUEST, partial(requests.request, self)),
                (source_positions.ELEMENT, self._element_shown),
            ):
                self._visit_all(anchor.pattern.finditer(data, begin, end), visit, guard)
        self.collect_files(guard)
        guard(partial(requests.collect_tags, self))
        guard(self._built_in)
        self.found = [
            f
            for f in self.found
            if f.how != "string" or not any(d in f.text for d in self.defaults)
        ]

    def _asking(self) -> Iterator[tuple[int, int]]:
        """Where a long script speaks of services or writes addresses: what it requests is looked at there."""
        data, end = self.source.data, 0
        named = islice(self.idioms.service.finditer(data), _MAX_NAMED)
        written = islice(WRITTEN.finditer(data), _MAX_NAMED)
        for at in sorted(found.start() for found in (*named, *written)):
            begin, end = max(end, at - MAX_FUNCTION), at + MAX_FUNCTION
            yield begin, end

    def collect_files(self, guard: Guard) -> None:
        """Only the files that the script asks for."""
        self.left = self.left or 400
        self._visit([(source_positions.FILE, partial(requests.file, self))], guard)

    def _visit(self, steps: list[tuple[Anchor, Visit]], guard: Guard) -> None:
        for anchor, visit in steps:
            self._visit_all(
                anchor.find(self.source.data, self.source.lowered), visit, guard
            )

    def _visit_all(
        self, matches: Iterable[re.Match[bytes]], visit: Visit, guard: Guard
    ) -> None:
        for match in matches:
            at, end = match.start(match.lastgroup or 0), match.end()
            if self.left <= 0 or self.ev.meter.is_over:
                self.is_cut_short = True
                return
            if self.source.is_of_library(at):
                continue
            self.left -= 1
            guard(partial(visit, at, end))

    def _built_in(self) -> None:
        """Layers of libraries that ask a service of their own."""
        for name, (kind, url) in self.idioms.built_in.items():
            holder, _, last = name.rpartition(".")
            if self.source.mentions(last) and self.source.mentions(holder):
                for at in self.source.places(
                    last, rb"(?<![\w$])new\s+[\w$.]{0,30}(?P<at>NAME)(?![\w$.])"
                )[:1]:
                    call = nodes.call_of(self.source.node_at(at))
                    if call is not None:
                        self.take(
                            partial(list, [SinkValue(url)]), kind, "call", call, name
                        )

    def _element_shown(self, at: int, _: int) -> None:
        """What a picture, a link or a script is for: its address must say what it is."""
        assigned = nodes.target(self.source, at)
        if assigned is not None and self.once("element", assigned[1]):
            self.ev.meter.is_guess = True
            shown = partial(self._hits, assigned[1])
            context = self.source.text(assigned[0])[-40:]
            self.take(shown, None, "request", assigned[1], context, must_be_sure=True)

    # Calls.

    def _call(self, _: int, end: int) -> None:
        call = nodes.call_of(self.source.node_at(end - 1))
        called = callee(call)
        if call is None or called is None or not self.once("call", call):
            return
        name = re.sub(r"\s+", "", self.source.text(called))[-80:]
        if name.endswith((".setUrl", ".setUrls")):
            self._argument(call, "0", self._maker_kind(called) or "", name)
            return
        values = self._called(called)
        paths = [name, *(v.path for v in values if isinstance(v, Ref))]
        if any(path.rpartition(".")[2] in call_sites.ELEMENTS for path in paths):
            self._element(call)
            return
        wheres, kind = next(self.idioms.rows(paths), ((), ""))
        for where in wheres:
            self._argument(call, where, kind, name)
        callee_kind = self._kind_of_callee(paths) if not wheres else None
        if callee_kind:
            is_own = any(isinstance(v, Fn) for v in values)
            self._argument(call, "*", callee_kind, name, must_be_sure=is_own)

    def _element(self, call: Node) -> None:
        """The call that an element of JSX was compiled to: its component says the kind, its properties the address."""
        component = next(iter(arguments(call)), None)
        paths = [
            v.path
            for v in (self._called(component) if component is not None else ())
            if isinstance(v, Ref)
        ]
        kind = self._kind_of_callee(paths) if paths else None
        if kind:
            self._argument(call, "1", kind, paths[0])

    def _called(self, called: Node) -> list[Value]:
        """The functions that a call may mean."""
        if called.type not in ("identifier", "member_expression"):
            return []
        return self.ev.solve(
            lambda: list(self.ev.values(called, BoundScope(self.source)))
        )

    def _kind_of_callee(self, paths: list[str]) -> str | None:
        """The kind that the name of a function speaks of, unless it only reads such answers."""
        if _READS.search(paths[-1].rpartition(".")[2]):
            return None
        kind_of = self.idioms.kind_of_name
        kinds = (kind_of(path.rpartition(".")[2]) or kind_of(path) for path in paths)
        return next(filter(None, kinds), None)

    def _maker_kind(self, called: Node) -> str | None:
        """The kind that the class of an object's maker names, as far as it stands beside its name."""
        holder = called.child_by_field_name("object")
        name = self.source.text(holder).rpartition(".")[2] if holder is not None else ""
        if not name.replace("$", "_").isidentifier():
            return None
        for at in self.source.places(
            name, rb"(?<![\w$])(?P<at>NAME)\s*[=:]\s*(?:new\s+)?[\w$.]{1,60}\("
        )[:3]:
            made = self.source.data[at + len(name) : at + len(name) + 80].partition(
                b"("
            )[0]
            if kind := self.idioms.kind_of_name(
                made.decode("utf-8", "replace").rpartition(".")[2]
            ):
                return kind
        return None

    def _aliases(self) -> None:
        """Calls under another name than the library's: imported as, or handed to the function of define and require."""
        for name, defs in self.source.names(self.source.root).items():
            if any(d.how == "import" for d in defs):
                self._calls_of(name, 0, len(self.source.data))
        for match in source_positions.ALIASED.find(
            self.source.data, self.source.lowered
        ):
            call = nodes.call_of(self.source.node_at(match.start()))
            given = arguments(call) if call is not None else []
            function = next((a for a in given if a.type in FUNCTIONS), None)
            if function is not None:
                self._calls_of_parameters(function)

    def _calls_of_parameters(self, function: Node) -> None:
        for pattern in parameters(function)[:60]:
            self._calls_of(
                self.source.text(pattern), pattern.end_byte, function.end_byte
            )

    def _calls_of(self, name: str, begin: int, end: int) -> None:
        for at in self.source.places(
            name, rb"(?<![\w$.])(?P<at>NAME)\s*\(", begin, end
        )[:50]:
            self._call(at, at + len(name))

    def _argument(
        self, call: Node, where: str, kind: str, name: str, must_be_sure: bool = False
    ) -> None:
        number, _, key = where.partition(".")

        def compute() -> list[SinkValue]:
            args = self.ev.lazy_arguments(call, BoundScope(self.source))
            chosen = args[:5] if number == "*" else args[int(number) : int(number) + 1]
            found = [
                hit
                for lazy in chosen
                for hit in self.held(lazy, (key,) if key else None, strings=not key)
            ]
            options = [
                v
                for lazy in args[1:3]
                for v in self.ev.lazy(lazy)
                if isinstance(v, Obj)
            ]
            return sibling_properties.with_options(self.ev, found, options)

        is_guess = must_be_sure or (number == "*" and kind == "")
        self.take(compute, kind or None, "call", call, name, must_be_sure=is_guess)

    # Objects.

    def _key(self, at: int, _: int) -> None:
        node = self.source.nearest(self.source.node_at(at), *_AROUND_KEYS)
        if node is None or node.type != "object" or not self.once("object", node):
            return
        kind = self.idioms.kind_of_shape(*self._shape(node))
        self._named_fields(node, kind)
        if kind is None:
            self._addresses_of(node)
        if (
            kind is None
            or (self.idioms.kind_of_name(self._constructor(node)) or kind) != kind
        ):
            return
        place = BoundScope(self.source)

        def compute() -> list[SinkValue]:
            return self.held(
                Lazy(values=self.ev.values(node, place)), None, strings=False
            )

        self.take(compute, kind, "shape", node, nodes.context(node, self.source))

    def _address_before(self, at: int, _: int) -> None:
        """What is called with an address and then with how to ask it: overlay(address, {layers: …, format: …})."""
        node = self.source.nearest(self.source.node_at(at), *_AROUND_KEYS)
        given = node.parent if node is not None and node.type == "object" else None
        call = given.parent if given is not None and given.type == "arguments" else None
        called = callee(call)
        if node is None or call is None or called is None:
            return
        kind = self.idioms.kind_of_shape(*self._shape(node))
        if kind is None or not self.once("options", node):
            return
        name = re.sub(r"\s+", "", self.source.text(called))[-80:]
        number = [argument.id for argument in arguments(call)].index(node.id)
        if number == 0 or any(self.idioms.rows([name])):
            return

        def compute() -> list[SinkValue]:
            args = self.ev.lazy_arguments(call, BoundScope(self.source))
            before = self.held(args[number - 1], None, strings=True)
            return [hit for hit in before if _is_whole_address(hit.value)]

        self.take(compute, kind, "shape", node, name)

    def _constructor(self, node: Node) -> str:
        given = above(node, "arguments")
        called = child(
            given.parent if given is not None else None, "constructor", "function"
        )
        return self.source.text(called).rpartition(".")[2] if called is not None else ""

    def _shape(self, node: Node) -> tuple[dict[str, str | None], dict[str, str | None]]:
        fields: dict[str, str | None] = {}
        parameters: dict[str, str | None] = {}
        for part in node.named_children[:80]:
            key = part.child_by_field_name("key") or (
                part if "shorthand" in part.type else None
            )
            value = part.child_by_field_name("value")
            if key is None:
                continue
            name = self.source.text(key).strip("\"'")
            fields[name.lower()] = self._literal(value)
            if name in self.idioms.nested and value is not None:
                parameters.update(self._nested(value))
        return fields, parameters

    def _literal(self, value: Node | None) -> str | None:
        """A string as it is written; other expressions stand for something that is not known yet."""
        if value is None:
            return None
        if value.type in ("string", "template_string"):
            return self.source.text(value)[1:200].rstrip("\"'`")
        return None if value.type in _NO_ADDRESS else HOLE

    def _nested(self, value: Node) -> dict[str, str | None]:
        """The keys of an object inside the object; one that has a name is looked up where that costs little."""
        if value.type == "object":
            pairs = (
                (c.child_by_field_name("key"), c.child_by_field_name("value"))
                for c in value.named_children[:60]
            )
            return {
                self.source.text(k).strip("\"'").lower(): self._literal(v)
                for k, v in pairs
                if k is not None
            }
        if len(self.source.data) > MAX_GUESSED or value.type in (
            "string",
            "number",
            "function_expression",
        ):
            return {}
        found: dict[str, str | None] = {}
        for made in self.ev.values(value, BoundScope(self.source)):
            if isinstance(made, Obj):
                found.update(
                    {
                        name.lower(): self._service_value(made, name)
                        for name in made.fields
                    }
                )
        return found

    def _service_value(self, made: Obj, name: str) -> str | None:
        """The value of a key that names the service; of others none is asked for."""
        if name.lower() not in ("service", "request"):
            return None
        first = self.ev.any_of(made.fields[name])[0]
        return first if isinstance(first, str) else None

    def _named_fields(self, node: Node, kind: str | None) -> None:
        """Keys that say their kind themselves: wmsUrl, WFS_URL."""
        if _NAMESPACES.search(nodes.holder(node, self.source)):
            return
        for part in node.named_children[:200]:
            key = part.child_by_field_name("key")
            value = part.child_by_field_name("value")
            if key is None or value is None or value.type in _NO_ADDRESS:
                continue
            name = self.source.text(key).strip("\"'")
            own = (
                self.idioms.kind_of_name(name)
                if not calls.IGNORED_KEYS.match(name)
                else None
            )
            if own and _ADDRESS_KEY.search(name):
                self.take(partial(self._hits, value), kind or own, "shape", value, name)

    def _addresses_of(self, node: Node) -> None:
        """Options that do not say what their addresses are of: that is for the addresses to say."""
        place = BoundScope(self.source)
        pairs = (
            (part.child_by_field_name("key"), part.child_by_field_name("value"))
            for part in node.named_children[:20]
        )
        named = {
            self.source.text(key).strip("\"'")
            for key, value in pairs
            if key is not None and value is not None and value.type != "string"
        }
        keys = tuple(name for name in _ASKED if name in named)
        if not keys:
            return

        def compute() -> list[SinkValue]:
            return self.held(
                Lazy(values=self.ev.values(node, place)), keys, strings=False
            )

        if "tiles" not in keys:
            self.ev.meter.restrain()
        context = nodes.context(node, self.source)
        self.take(compute, None, "shape", node, context, must_be_sure=True)

    def _hits(self, node: Node) -> list[SinkValue]:
        return [
            SinkValue(value) for value in self.ev.values(node, BoundScope(self.source))
        ]

    # Strings.

    def _string(self, at: int, _: int) -> None:
        node = self.source.nearest(self.source.node_at(at), *_STRINGS, *_AROUND_STRINGS)
        if node is None or node.type not in _STRINGS:
            return
        top = nodes.whole(node, self.source)
        if not self.once("string", top):
            return
        if top.type == "string" and self.source.data[
            top.start_byte + 1 : top.start_byte + 2
        ] in (b"{", b"["):
            requests.json(self, top)
            return
        context = nodes.context(top, self.source)
        if self._is_for_people(top, context):
            return
        place = BoundScope(self.source)
        top = nodes.appended_to(top) or top
        options = sibling_properties.options(top)

        def compute() -> list[SinkValue]:
            own = self._at_end(top, place)
            found = [SinkValue(v) for v in self._made_of(top, own, place) or own]
            return (
                sibling_properties.filled(self.ev, found, options, place)
                if options
                else found
            )

        if len(self.source.raw) > _BUNDLE and nodes.is_class_constant(top, self.source):
            texts = (text_of(v.value).partition("?")[0] for v in self.ev.solve(compute))
            self.defaults.update(
                list(filter(_MORE_THAN_A_PATH.match, texts))[:_MAX_DEFAULTS]
            )
            return
        self.take(compute, None, "string", top, context, must_be_sure=True)

    def _made_of(
        self, piece: Node, own: tuple[Value, ...], place: BoundScope
    ) -> list[Value]:
        """The addresses that functions of the page make of a piece they are given."""
        call = above(above(piece, "arguments"), "call_expression")
        called = callee(call)
        if call is None or called is None:
            return []
        if not any(isinstance(v, Fn) for v in self.ev.values(called, place)):
            return []
        texts = [v for v in own if isinstance(v, str)]
        return [
            made
            for made in self.ev.values(call, place)
            if isinstance(made, str)
            and _MORE_THAN_A_PATH.match(made)
            and any(text != made and text in made for text in texts)
        ]

    def _is_for_people(self, top: Node, context: str) -> bool:
        """A string that is read, compared or a name of something, not asked for."""
        return bool(
            _NAMESPACES.search(nodes.holder(top, self.source))
            or calls.is_ignored(context, self.source.text(top))
            or calls.IGNORED_CALLEES.search(context)
            or _LOADERS.search(nodes.called_with(top, self.source))
            or nodes.is_statement(top)
        )

    def _at_end(self, node: Node, place: BoundScope) -> tuple[Value, ...]:
        """The value of an expression; of a variable that strings are appended to, what it holds in the end."""
        if node.type != "augmented_assignment_expression":
            return self.ev.values(node, place)
        left = node.child_by_field_name("left")
        name = self.source.text(left) if left is not None else ""
        scope = self.source.scope_of(node)
        uses = (
            self.source.places(name, _USE, node.end_byte, scope.end_byte)
            if name
            else []
        )
        last = self.source.node_at(uses[-1]) if uses else None
        return (
            self.ev.values(last, place)
            if last is not None and last.type == "identifier"
            else ()
        )


def _is_whole_address(value: Value) -> bool:
    if not isinstance(value, str | UrlObject):
        return False
    return bool(_MORE_THAN_A_PATH.match(text_of(value)))
