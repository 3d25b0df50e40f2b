"""Classes as compilers write them for old browsers: a function, and a list of {key: "name", value: function}."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source, arguments
from geohound.jsflow.syntax.tree import FUNCTIONS, above, child
from geohound.jsflow.values.domain import BoundScope, Fn, Inst, Values
from geohound.jsflow.values.resolver import Resolver

_LISTED = rb"key:\s*[\"'](?P<at>NAME)[\"']\s*,\s*(?:value|get):"
_GIVEN = rb"[\w$],\s*(?P<at>NAME)\s*\)"
_MAX_HITS = 10


def name_of(function: Node, source: Source) -> Node | None:
    """The string that names a method in such a list."""
    row = _row_of(function, source)
    return (
        _of_key(row, "key", source)
        if row is not None and _owner(row, source) is not None
        else None
    )


def this_of(ev: Resolver, function: Node, source: Source) -> Values:
    """What `this` means in a method of such a list: an instance of the function that the list is for."""
    owner = _owner(_row_of(function, source), source)
    made = ev.values(owner, BoundScope(source)) if owner is not None else ()
    return tuple(Inst(v) for v in made if isinstance(v, Fn))


def methods(source: Source, cls: Fn, name: str) -> Iterator[tuple[Node, bool]]:
    """The functions that lists name so for this class, and whether they are getters."""
    if not source.mentions("key:"):
        return
    scope = source.scope_of(cls.node.parent or cls.node)
    for at in source.places(name, _LISTED, scope.start_byte, scope.end_byte)[
        :_MAX_HITS
    ]:
        row = source.nearest(source.node_at(at), "object", "program")
        owner = _owner(row, source)
        if row is not None and owner is not None and _is_for(owner, cls, source):
            yield from _functions(row, source)


def _is_for(owner: Node, cls: Fn, source: Source) -> bool:
    """Is this the class, or its name?"""
    own = cls.node.child_by_field_name("name")
    is_named = own is not None and source.text(owner) == source.text(own)
    return is_named or owner.id == cls.node.id


def _functions(row: Node, source: Source) -> Iterator[tuple[Node, bool]]:
    for key in ("value", "get"):
        function = _of_key(row, key, source)
        if function is not None and function.type in FUNCTIONS:
            yield function, key == "get"


def _row_of(function: Node, source: Source) -> Node | None:
    pair = above(function, "pair")
    key = child(pair, "key")
    is_row = key is not None and source.text(key) in ("value", "get")
    return above(pair, "object") if is_row else None


def _owner(row: Node | None, source: Source) -> Node | None:
    """The class, or its prototype, that the call gets which gets the list, or its name."""
    listed = above(row, "array")
    name = child(above(listed, "assignment_expression"), "left")
    if name is not None:
        scope = source.scope_of(name)
        places = source.places(
            source.text(name), _GIVEN, scope.start_byte, scope.end_byte
        )
        given = (source.node_at(at) for at in places[:_MAX_HITS])
        listed = next((node for node in given if above(node, "arguments")), None)
    call = above(above(listed, "arguments"), "call_expression")
    first = arguments(call)[0] if call is not None else None
    while first is not None and first.type == "parenthesized_expression":
        first = first.named_child(0)
    if first is not None and source.text(first).endswith(".prototype"):
        first = child(first, "object")
    is_class = first is not None and first.type in ("identifier", *FUNCTIONS)
    return first if is_class else None


def _of_key(row: Node, name: str, source: Source) -> Node | None:
    for pair in row.named_children[:8]:
        key = pair.child_by_field_name("key")
        if key is not None and source.text(key) == name:
            return pair.child_by_field_name("value")
    return None
