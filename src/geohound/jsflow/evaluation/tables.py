"""Tables of functions of which a key picks one: makers[row.type](row)."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.syntax.source import FUNCTIONS, Source, nth
from geohound.jsflow.values.domain import HOLE, Place
from geohound.jsflow.values.resolver import Resolver

_PICKED = rb"(?<![\w$.])(?P<at>NAME)\[[^\[\]\n]{1,80}\]\s*\("
_MAX_CALLS = 10
_MAX_CLIMB = 60


def calls(function: Node, source: Source) -> Iterator[Node]:
    """The calls that may pick this function by its key."""
    pair = function.parent
    table = pair.parent if pair is not None and pair.type in ("pair", "object") else None
    if function.type == "method_definition":
        table = pair
    held = table.parent if table is not None and table.type == "object" else None
    name = held.child_by_field_name("name") if held is not None and held.type == "variable_declarator" else None
    if held is None or name is None or name.type != "identifier":
        return
    scope = source.scope_of(held)
    for at in source.places(source.text(name), _PICKED, scope.start_byte, scope.end_byte)[:_MAX_CALLS]:
        node = source.node_at(at)
        picked = node.parent if node is not None else None
        call = picked.parent if picked is not None and picked.type == "subscript_expression" else None
        if call is not None and call.type in ("call_expression", "new_expression"):
            yield call


def is_passed_over(ev: Resolver, node: Node, source: Source) -> bool:
    """Under what is assumed now, every call picks another function of the table than the one around this node."""
    up = source.up(node)
    for _ in range(_MAX_CLIMB):
        if up is None:
            return False
        if up.type in FUNCTIONS and (found := list(calls(up, source))):
            return all(_picks_other(ev, call, _key(up, source), source) for call in found)
        up = source.up(up)
    return False


def _key(function: Node, source: Source) -> str:
    holder = function if function.type == "method_definition" else function.parent
    key = (holder.child_by_field_name("key") or holder.child_by_field_name("name")) if holder is not None else None
    return source.text(key).strip("\"'") if key is not None else ""


def _picks_other(ev: Resolver, call: Node, key: str, source: Source) -> bool:
    callee = call.child_by_field_name("function") or call.child_by_field_name("constructor") or nth(call, 0)
    index = callee.child_by_field_name("index") if callee is not None else None
    said = ev.values(index, Place(source)) if index is not None else ()
    return len(said) == 1 and isinstance(said[0], str) and HOLE not in said[0] and said[0] != key
