"""Classes as compilers write them for old browsers: a function, and a list of {key: "name", value: function}."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.syntax.source import FUNCTIONS, Source, arguments
from geohound.jsflow.values.domain import Fn, Inst, Place, Values
from geohound.jsflow.values.resolver import Resolver

_LISTED = rb"key:\s*[\"'](?P<at>NAME)[\"']\s*,\s*(?:value|get):"
_MAX_HITS = 10


def name_of(function: Node) -> Node | None:
    """The string that names a method in such a list."""
    row = _row_of(function)
    return _of_key(row, "key") if row is not None and _owner(row) is not None else None


def this_of(ev: Resolver, function: Node, source: Source) -> Values:
    """What `this` means in a method of such a list: an instance of the function that the list is for."""
    row = _row_of(function)
    owner = _owner(row) if row is not None else None
    made = ev.values(owner, Place(source)) if owner is not None else ()
    return tuple(Inst(v) for v in made if isinstance(v, Fn))


def methods(source: Source, cls: Fn, name: str) -> Iterator[tuple[Node, bool]]:
    """The functions that lists name so for this class, and whether they are getters."""
    own = cls.node.child_by_field_name("name")
    scope = source.scope_of(cls.node.parent or cls.node)
    if own is None or not source.mentions("key:"):
        return
    for at in source.places(name, _LISTED, scope.start_byte, scope.end_byte)[:_MAX_HITS]:
        node = source.node_at(at)
        while node is not None and node.type not in ("object", "program"):
            node = source.up(node)
        owner = _owner(node) if node is not None else None
        if node is None or owner is None or source.text(owner) != source.text(own):
            continue
        for key in ("value", "get"):
            function = _of_key(node, key)
            if function is not None and function.type in FUNCTIONS:
                yield function, key == "get"


def _row_of(function: Node) -> Node | None:
    pair = function.parent
    key = pair.child_by_field_name("key") if pair is not None and pair.type == "pair" else None
    row = pair.parent if key is not None and key.text in (b"value", b"get") and pair is not None else None
    return row if row is not None and row.type == "object" else None


def _owner(row: Node) -> Node | None:
    """The first argument of the call that gets the list."""
    listed = row.parent
    given = listed.parent if listed is not None and listed.type == "array" else None
    call = given.parent if given is not None and given.type == "arguments" else None
    first = arguments(call)[0] if call is not None and call.type == "call_expression" else None
    return first if first is not None and first.type == "identifier" else None


def _of_key(row: Node, name: str) -> Node | None:
    for pair in row.named_children[:8]:
        key = pair.child_by_field_name("key")
        if key is not None and key.text == name.encode():
            return pair.child_by_field_name("value")
    return None
