"""One script, parsed when it is first asked about; where names are declared in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, islice

from tree_sitter import Node, Tree

from geohound.jsflow.model import Script, words
from geohound.jsflow.step_budget import (
    BYTES,
    CLEANED,
    HITS,
    INDEXED,
    NODES,
    PARSED,
    Meter,
)

from . import library_parts
from .parsing import depth_of, parse
from .preprocess import Cleaned, clean
from .tree import FUNCTIONS

CLASSES = frozenset(("class_declaration", "class"))
_SCOPES = FUNCTIONS | {"program"}
_BLOCKS = words(
    "statement_block if_statement for_statement for_in_statement while_statement do_statement switch_case "
    "switch_default catch_clause else_clause ternary_expression"
)
_LOOPS = frozenset(
    ["for_statement", "for_in_statement", "while_statement", "do_statement"]
)
_PATTERN_NAMES = ("identifier", "shorthand_property_identifier_pattern")
_ASSIGNS = ("assign", "append")
_MAX_WALK = 400_000
_LONG = 150_000
_CLOSED = FUNCTIONS | frozenset(
    ("arguments", "object", "array", "string", "template_string", "member_expression")
)
_MAX_POSITIONS = 4_000
_MAX_CLIMB = 500
_LEVELS = 16  # of brackets that make the way up twice as long
_BEFORE = 40  # how much of what stands before a name is looked at
_SEARCHED = 60  # times the length of a script, after which an index of its words is cheaper than searching on
_SCANS = 8  # of a whole script for signs of libraries
_WORD = re.compile(rb"[\w$]+")
_LETTERS = frozenset(
    bytes((c,))
    for c in b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"
)
_WORDS = re.compile(rb"([\w$]+)")


@cache
def _surroundings(pattern: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    before, after = pattern.split(b"(?P<at>NAME)")
    return re.compile(b"(?:" + before + rb")\Z"), re.compile(after)


@dataclass(frozen=True, slots=True)
class Def:
    """One place that gives a name a value."""

    how: str  # var, function, class, import, assign, append, each, key or pattern
    node: Node  # the value's node, or the declaration itself
    at: int
    pattern: Node | None = None  # where the name is taken out of an object or array
    name: str = ""


class Source:
    """A script with its tree; `data` is the script without what cannot matter."""

    def __init__(
        self, index: int, script: Script, meter: Meter, is_library: bool = False
    ) -> None:
        self.index = index
        self.script = script
        self.is_library = is_library
        self.is_cut_short = False
        self._meter = meter
        self._scopes: dict[int, dict[str, list[Def]]] = {}
        self._known: dict[tuple[bytes, bytes, int, int], list[int]] = {}
        self._searched = 0
        self._mentioned: dict[str, bool] = {}
        self._parents: dict[int, Node | None] = {}
        self._parameters: dict[int, frozenset[str]] = {}
        self._scope_of: dict[int, Node] = {}  # asked for the same names again and again

    @cached_property
    def raw(self) -> bytes:
        return self.script.text.encode("utf-8", "replace")[
            : self._meter.budget.bytes_per_script
        ]

    @cached_property
    def cleaned(self) -> Cleaned:
        self._meter.note(len(self.raw) // CLEANED)
        return clean(self.raw)

    @property
    def data(self) -> bytes:
        return self.cleaned.data

    @cached_property
    def lowered(self) -> bytes:
        return self.data.lower()

    @cached_property
    def tree(self) -> Tree:
        return self._parse()

    @property
    def root(self) -> Node:
        return self.tree.root_node

    def _parse(self) -> Tree:
        budget, data = self._meter.budget, self.data
        left = max(0, budget.bytes_parsed - self._meter.parsed)
        room = min(budget.bytes_parsed_per_script, left)
        tree, reached, taken = parse(data, room)
        self._meter.parsed += taken
        self._meter.note(taken // PARSED)
        self.is_cut_short = reached < len(data)
        return tree

    @cached_property
    def _library_parts(self) -> list[library_parts.Span]:
        self._meter.note(_SCANS * len(self.raw) // BYTES)
        return library_parts.spans(self.raw, self.cleaned, self.root)

    def is_of_library(self, offset: int) -> bool:
        """Does code of a library stand here, in a script that holds an application as well?"""
        return library_parts.holds(self._library_parts, offset)

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    @cached_property
    def _line_ends(self) -> list[int]:
        return [m.start() for m in re.finditer(rb"\n", self.raw)]

    def line(self, node: Node) -> int:
        origin = self.cleaned.origin(node.start_byte)
        return self.script.line_offset + bisect_left(self._line_ends, origin) + 1

    @cached_property
    def _depth_cost(self) -> int:
        """What one way up costs: the tree looks for the parent of a node from its root on."""
        return 1 + depth_of(self.data) // _LEVELS

    def node_at(self, offset: int) -> Node | None:
        self._meter.spend(self._depth_cost)
        return self.root.descendant_for_byte_range(offset, offset + 1)

    def up(self, node: Node) -> Node | None:
        """The parent of a node, looked for once."""
        if node.id not in self._parents:
            self._meter.spend(self._depth_cost)
            self._parents[node.id] = node.parent
        return self._parents[node.id]

    def nearest(self, node: Node | None, *types: str) -> Node | None:
        """This node, or the first one above it, that is of one of these types."""
        while node is not None and node.type not in types:
            node = self.up(node)
        return node

    def mentions(self, word: str) -> bool:
        """Does the word stand anywhere in the script, comments and all?"""
        if word not in self._mentioned:
            self._meter.share(len(self.raw) // BYTES)
            self._mentioned[word] = word.encode() in self.raw
        return self._mentioned[word]

    def walk(self, top: Node, skip: frozenset[str]) -> Iterator[Node]:
        """The nodes below, in order, counted as steps."""
        for i, node in enumerate(walk(top, skip), 1):
            if i % NODES == 0:
                self._meter.spend()
            yield node

    @cached_property
    def _words(self) -> dict[bytes, list[int]]:
        """Where each word stands, in code and strings."""
        self._meter.share(len(self.data) // INDEXED)
        found: defaultdict[bytes, list[int]] = defaultdict(list)
        # by far quicker than a match for each of a million words
        pieces = _WORDS.split(self.data)
        for word, start in zip(
            pieces[1::2], islice(accumulate(map(len, pieces)), 0, None, 2), strict=False
        ):
            found[word].append(start)
        return found

    def _positions(self, name: bytes, begin: int, end: int) -> list[int]:
        is_word = bool(_WORD.fullmatch(name))
        self._searched += min(end, len(self.data)) - begin
        # so many questions pay for an index
        if is_word and self._searched > _SEARCHED * len(self.data) + _LONG:
            known = self._words.get(name, [])
            return known[bisect_left(known, begin) : bisect_left(known, end)][
                :_MAX_POSITIONS
            ]
        found: list[int] = []
        data, stop = self.data, min(end + len(name) - 1, len(self.data))
        self._meter.share(max(0, stop - begin) // BYTES)
        at = data.find(name, begin, stop)
        while at >= 0 and len(found) < _MAX_POSITIONS:
            after = at + len(name)
            if not is_word or (
                data[at - 1 : at] not in _LETTERS
                and data[after : after + 1] not in _LETTERS
            ):
                found.append(at)
            at = data.find(name, at + 1, stop)
        return found

    def places(
        self,
        name: str,
        pattern: bytes,
        begin: int = 0,
        end: int = 1 << 62,
        limit: int = 200,
    ) -> list[int]:
        """Where a name stands in these surroundings; `(?P<at>NAME)` in the pattern is the name.

        In the whole of a script, what its libraries say of a name is left out.
        """
        before, after = _surroundings(pattern)
        word, data = name.encode(), self.data
        key = (word, pattern, begin, end)
        if key not in self._known:
            positions = self._positions(word, begin, end)
            self._meter.share(len(positions) // HITS)
            found = (
                at
                for at in positions
                if after.match(data, at + len(word))
                and before.search(data, max(0, at - _BEFORE), at)
                and (begin > 0 or not self.is_of_library(at))
            )
            self._known[key] = list(islice(found, limit))
        return self._known[key]

    def count(self, name: str) -> int:
        """How often the name stands in the code and its strings."""
        return len(self.places(name, rb"(?<![\w$])(?P<at>NAME)(?![\w$])"))

    def scope_of(self, node: Node) -> Node:
        """The function around a node, or the program."""
        known = self._scope_of.get(node.id)
        if known is not None:
            return known
        up = self.up(node)
        while up is not None and up.type not in _SCOPES:
            self._meter.spend()
            up = self.up(up)
        found = self._scope_of[node.id] = up if up is not None else self.root
        return found

    def declaring(self, name: str, node: Node) -> Node:
        """The function around a node that declares this name, or the program."""
        scope = self.scope_of(node)
        while scope.type in FUNCTIONS and name not in self.parameter_names(scope):
            if any(d.how not in _ASSIGNS for d in self.names(scope).get(name, ())):
                break
            scope = self.scope_of(scope)
        return scope

    def block_of(self, node: Node) -> Node | None:
        """The nearest branch, loop or block: what stands in it may or may not happen to what stands outside."""
        up = self.up(node)
        for _ in range(_MAX_CLIMB):
            if up is None or up.type in _BLOCKS or up.type in _SCOPES:
                return up
            up = self.up(up)
        return None

    def loop_of(self, node: Node) -> Node | None:
        up = self.up(node)
        for _ in range(_MAX_CLIMB):
            if up is None or up.type in _LOOPS or up.type in _SCOPES:
                break
            up = self.up(up)
        return up if up is not None and up.type in _LOOPS else None

    def names(self, scope: Node) -> dict[str, list[Def]]:
        """What a function declares and assigns itself, without the functions in it."""
        if scope.id not in self._scopes:
            found: dict[str, list[Def]] = {}
            for i, node in enumerate(
                walk(scope, FUNCTIONS if len(self.data) < _LONG else _CLOSED), 1
            ):
                if i % NODES == 0:
                    self._meter.share(1)
                for name, definition in _definitions(self, node):
                    found.setdefault(name, []).append(definition)
            self._scopes[scope.id] = found
        return self._scopes[scope.id]

    def parameter_names(self, function: Node) -> frozenset[str]:
        """The names that a function's parameters give, those in patterns too."""
        if function.id not in self._parameters:
            found = (
                name
                for pattern in parameters(function)
                for name in self._names_in(pattern)
            )
            self._parameters[function.id] = frozenset(found)
        return self._parameters[function.id]

    def _names_in(self, pattern: Node) -> list[str]:
        return [self.text(name) for name in names_in(pattern)]


def names_in(pattern: Node) -> Iterator[Node]:
    """The names that a pattern gives values to, not those in its defaults and keys."""
    waiting = [pattern]
    while waiting:
        part = waiting.pop()
        if part.type in _PATTERN_NAMES:
            yield part
        elif part.type in (
            "assignment_pattern",
            "object_assignment_pattern",
            "pair_pattern",
        ):
            waiting += filter(
                None,
                [part.child_by_field_name("left") or part.child_by_field_name("value")],
            )
        elif part.type.endswith("_pattern"):
            waiting += reversed(part.named_children)


def walk(top: Node, skip: frozenset[str]) -> Iterator[Node]:
    """The nodes below, in order; those of the types to skip are named but not entered."""
    cursor = top.walk()
    depth = seen = 0
    if not cursor.goto_first_child():
        return
    depth = 1
    while depth and seen < _MAX_WALK:
        node = cursor.node
        seen += 1
        if node is not None:
            yield node
            if node.type not in skip and cursor.goto_first_child():
                depth += 1
                continue
        while not cursor.goto_next_sibling():
            cursor.goto_parent()
            depth -= 1
            if not depth:
                return


def _definitions(source: Source, node: Node) -> Iterator[tuple[str, Def]]:
    """The names that a node declares or assigns to."""
    define = _DEFINING.get(node.type)
    return define(source, node) if define is not None else iter(())


def _by_declarator(source: Source, node: Node) -> Iterator[tuple[str, Def]]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is not None and value is not None:
        yield from _bound(source, name, value, "var", node.start_byte)
    elif name is not None and name.type == "identifier":
        yield source.text(name), Def("declared", node, node.start_byte)


def _by_declaration(source: Source, node: Node) -> Iterator[tuple[str, Def]]:
    name = node.child_by_field_name("name")
    how = "class" if node.type in CLASSES else "function"
    if name is not None:
        yield source.text(name), Def(how, node, node.start_byte)


def _by_assignment(source: Source, node: Node) -> Iterator[tuple[str, Def]]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and right is not None:
        yield from _bound(source, left, right, _assigning(node), node.start_byte)


def _by_update(source: Source, node: Node) -> Iterator[tuple[str, Def]]:
    name = nth(node, 0)
    if name is not None and name.type == "identifier":
        yield source.text(name), Def("assign", node, node.start_byte)


def _by_loop(source: Source, node: Node) -> Iterator[tuple[str, Def]]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    how = "each" if any(c.type == "of" for c in node.children) else "key"
    if left is not None and right is not None:
        yield from _bound(source, left, right, how, node.start_byte)


def _imports(source: Source, statement: Node) -> Iterator[tuple[str, Def]]:
    for part in walk(statement, skip=frozenset()):
        if part.type in ("import_specifier", "namespace_import") or (
            part.type == "identifier"
            and part.parent is not None
            and part.parent.type == "import_clause"
        ):
            local = (
                part.child_by_field_name("alias")
                or part.child_by_field_name("name")
                or part
            )
            named = local if local.type == "identifier" else nth(local, 0)
            yield source.text(named or local), Def("import", part, statement.start_byte)


def _assigning(node: Node) -> str:
    if node.type == "assignment_expression":
        return "assign"
    operator = node.child_by_field_name("operator")
    return "append" if operator is not None and operator.type == "+=" else "assign"


def _bound(
    source: Source, left: Node, value: Node, how: str, at: int
) -> Iterator[tuple[str, Def]]:
    if left.type == "identifier":
        yield source.text(left), Def(how, value, at)
    elif left.type in ("object_pattern", "array_pattern"):
        for name in map(source.text, names_in(left)):
            yield name, Def(how, value, at, left, name)


_DEFINING: dict[str, Callable[[Source, Node], Iterator[tuple[str, Def]]]] = {
    "variable_declarator": _by_declarator,
    "function_declaration": _by_declaration,
    "generator_function_declaration": _by_declaration,
    "class_declaration": _by_declaration,
    "assignment_expression": _by_assignment,
    "augmented_assignment_expression": _by_assignment,
    "update_expression": _by_update,
    "for_in_statement": _by_loop,
    "import_statement": _imports,
}


def nth(node: Node, index: int) -> Node | None:
    """A child that has a name, if there are so many; the tree itself raises where there are not."""
    return node.named_child(index) if index < node.named_child_count else None


def parameters(function: Node) -> list[Node]:
    """The patterns of a function's parameters."""
    single = function.child_by_field_name("parameter")
    if single is not None:
        return [single]
    listed = function.child_by_field_name("parameters")
    return (
        [p for p in listed.named_children if p.type != "comment"]
        if listed is not None
        else []
    )


def arguments(call: Node) -> list[Node]:
    listed = call.child_by_field_name("arguments")
    if listed is None or listed.type != "arguments":
        return [] if listed is None else [listed]
    return [a for a in listed.named_children if a.type != "comment"]
