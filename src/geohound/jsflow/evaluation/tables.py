"""Tables of functions of which a key picks one: makers[row.type](row)."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source
from geohound.jsflow.syntax.tree import FUNCTIONS, above, call_by, child
from geohound.jsflow.values.domain import HOLE, BoundScope
from geohound.jsflow.values.resolver import Resolver

_PICKED = rb"(?<![\w$.])(?P<at>NAME)\[[^\[\]\n]{1,80}\]"
_CALLED = rb"(?<![\w$.])(?P<at>NAME)\s*\("
_MAX_CALLS = 20
_MAX_CLIMB = 60


def calls(function: Node, source: Source) -> Iterator[tuple[Node, Node]]:
    """The calls that may pick this function by its key, and where they pick it: here, or for a name."""
    declarator = above(_table_of(function), "variable_declarator")
    name = child(declarator, "name")
    if declarator is None or name is None or name.type != "identifier":
        return
    scope = source.scope_of(declarator)
    for at in source.places(
        source.text(name), _PICKED, scope.start_byte, scope.end_byte
    )[:_MAX_CALLS]:
        picked = above(source.node_at(at), "subscript_expression")
        call = above(picked, "call_expression", "new_expression")
        if call is None and picked is not None:
            call = _call_of_name(
                child(above(picked, "variable_declarator"), "name"), source
            )
        if call is not None and picked is not None:
            yield call, picked


def _call_of_name(name: Node | None, source: Source) -> Node | None:
    if name is None or name.type != "identifier":
        return None
    scope = source.scope_of(name)
    for at in source.places(source.text(name), _CALLED, name.end_byte, scope.end_byte)[
        :1
    ]:
        return call_by(source.node_at(at))
    return None


def _table_of(function: Node) -> Node | None:
    """The object in which a function stands under a key."""
    row = function if function.type == "method_definition" else above(function, "pair")
    return above(row, "object")


def is_passed_over(ev: Resolver, node: Node, source: Source) -> bool:
    """Under what is assumed now, every call picks another function of the table than the one around this node."""
    up = source.up(node)
    for _ in range(_MAX_CLIMB):
        if up is None:
            return False
        if up.type in FUNCTIONS and (found := list(calls(up, source))):
            return all(
                _picks_other(ev, picked, _key(up, source), source)
                for _, picked in found
            )
        up = source.up(up)
    return False


def _key(function: Node, source: Source) -> str:
    holder = function if function.type == "method_definition" else function.parent
    key = child(holder, "key", "name")
    return source.text(key).strip("\"'") if key is not None else ""


def _picks_other(ev: Resolver, picked: Node, key: str, source: Source) -> bool:
    index = picked.child_by_field_name("index")
    said = ev.values(index, BoundScope(source)) if index is not None else ()
    only = said[0] if len(said) == 1 else None
    return isinstance(only, str) and HOLE not in only and only != key
