"""What can never happen: branches whose condition never holds."""

from __future__ import annotations

from typing import TypeGuard

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source, nth
from geohound.jsflow.syntax.tree import operator
from geohound.jsflow.values.resolver import Resolver

from . import conditions
from .domain import BoundScope, Obj, Value

_MAX_CLIMB = 60
_SET = rb"[.\"'](?P<at>NAME)[\"']?\]?\s*=(?![=>])"


def in_dead_branch(ev: Resolver, node: Node, source: Source) -> bool:
    """Stands in a branch that is never taken."""
    below, up = node, source.up(node)
    for _ in range(_MAX_CLIMB):
        if up is None:
            return False
        if _leads_past(ev, up, below, source):
            return True
        below, up = up, source.up(up)
    return False


def _leads_past(ev: Resolver, up: Node, below: Node, source: Source) -> bool:
    """Is this the part of a fork that its condition never leads to?"""
    if up.type in ("if_statement", "ternary_expression"):
        test = up.child_by_field_name("condition")
        if test is None or below.id == test.id:
            return False
        return _outcome(ev, test, source) is conditions.is_alternative(up, below)
    if up.type == "binary_expression" and operator(up) == "&&":
        left = up.child_by_field_name("left")
        return (
            left is not None
            and left.id != below.id
            and _outcome(ev, left, source) is False
        )
    return False


def _outcome(ev: Resolver, test: Node, source: Source) -> bool | None:
    """Whether a condition holds that is constant, depends on the address of the page alone, or is a switch."""
    inner = nth(test, 0) if test.type == "parenthesized_expression" else test
    if inner is None:
        return None
    if (
        _is_constant(inner)
        or b"location" in source.data[test.start_byte : test.end_byte]
    ):
        return conditions.truth(ev, test, BoundScope(source))
    return _switch(ev, inner, source) if inner.type == "member_expression" else None


def _is_constant(test: Node) -> bool:
    is_short_sign = (
        test.type == "unary_expression" and test.end_byte - test.start_byte <= 3
    )  # as in !0
    return is_short_sign or test.type in (
        "true",
        "false",
        "number",
        "null",
        "identifier",
    )


def _switch(ev: Resolver, test: Node, source: Source) -> bool | None:
    """A member of an object of the page that is written there as true or false, and set nowhere else."""
    holder = test.child_by_field_name("object")
    name = test.child_by_field_name("property")
    key = source.text(name) if name is not None else ""
    if holder is None or _is_set_later(ev, key):
        return None
    made = ev.solve(lambda: list(ev.values(holder, BoundScope(source))))
    said = {
        v
        for m in made
        for v in (ev.any_of(m.fields[key]) if _is_closed(m, key) else (None,))
    }
    only = said.pop() if len(said) == 1 else None
    return only if isinstance(only, bool) else None


def _is_set_later(ev: Resolver, key: str) -> bool:
    own = (s for s in ev.sources if not s.is_library and s.mentions(key))
    return any(s.places(key, _SET)[:1] for s in own)


def _is_closed(value: Value, key: str) -> TypeGuard[Obj]:
    return isinstance(value, Obj) and not value.is_open and key in value.fields
