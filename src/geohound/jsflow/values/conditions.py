"""Whether a condition holds, and whether a statement is reached: yes, no, or perhaps."""

from __future__ import annotations

import operator
from collections.abc import Callable

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source, nth
from geohound.jsflow.syntax.tree import FUNCTIONS, child
from geohound.jsflow.values.resolver import Resolver

from .domain import HOLE, BoundScope, Mark, Value, is_truthy

_MAX_CLIMB = 60
_EQUAL = ("==", "===")
_UNEQUAL = ("!=", "!==")
_ORDER: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_COMPARES = frozenset((*_EQUAL, *_UNEQUAL, *_ORDER))
_UNCERTAIN = frozenset(
    (
        "switch_default",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "catch_clause",
    ),
)


def truth(ev: Resolver, node: Node, place: BoundScope) -> bool | None:
    """Whether a condition holds; None where it may or may not."""
    said = {is_truthy(v) for v in ev.values(node, place)}
    return said.pop() if len(said) == 1 else None


def compare(
    ev: Resolver, sign: str, left: Node, right: Node, place: BoundScope
) -> bool | None:
    """The answer of a comparison where both sides are known for sure."""
    if sign not in _COMPARES:
        return None
    ones, others = ev.values(left, place), ev.values(right, place)
    if len(ones) != 1 or len(others) != 1:
        return None
    one, other = ones[0], others[0]
    if not _is_plain(one) or not _is_plain(other):
        return None
    if sign in _EQUAL:
        return _is_same(one, other)
    if sign in _UNEQUAL:
        return not _is_same(one, other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return _ORDER[sign](one, other)
    return None


def _is_plain(value: Value) -> bool:
    """Known whole, and without parts."""
    if isinstance(value, str):
        return HOLE not in value
    return isinstance(value, int | float | Mark) and value is not Mark.UNKNOWN


def _is_same(one: Value, other: Value) -> bool:
    is_comparable = type(one) is type(other) or not isinstance(one, bool | Mark)
    return is_comparable and one == other


def happens(ev: Resolver, node: Node, place: BoundScope, top: Node) -> bool | None:
    """Whether a statement is reached: True for sure, False never, None perhaps."""
    sure: bool | None = True
    below, up = node, place.source.up(node)
    while up is not None and below.id != top.id:
        step = _enters(ev, up, below, place)
        if step is False:
            return False
        sure = None if step is None else sure
        below, up = up, place.source.up(up)
    return sure


def _enters(ev: Resolver, up: Node, below: Node, place: BoundScope) -> bool | None:
    """Whether the way leads from a statement or expression into this part of it."""
    if up.type in ("if_statement", "ternary_expression"):
        return _chosen(ev, up, below, place)
    if up.type == "switch_case":
        return _matches(ev, up, place)
    return None if up.type in _UNCERTAIN else True


def _chosen(ev: Resolver, fork: Node, below: Node, place: BoundScope) -> bool | None:
    test = fork.child_by_field_name("condition")
    if test is None or below.id == test.id:
        return True
    said = truth(ev, test, place)
    if said is None:
        return None
    return not said if is_alternative(fork, below) else said


def is_alternative(fork: Node, below: Node) -> bool:
    """Is this the part that is reached where the condition does not hold?"""
    otherwise = fork.child_by_field_name("alternative")
    return otherwise is not None and otherwise.id == below.id


def _matches(ev: Resolver, case: Node, place: BoundScope) -> bool | None:
    label = case.child_by_field_name("value")
    switch = case.parent.parent if case.parent is not None else None
    subject = child(switch, "value")
    if label is None or subject is None:
        return None
    if subject.type == "parenthesized_expression":
        subject = nth(subject, 0) or subject
    return compare(ev, "===", subject, label, place)


def branch_around(node: Node, source: Source) -> Node | None:
    """The outermost function around an expression in which it stands in a branch, or the whole script."""
    is_branched, up, found = False, source.up(node), None
    for _ in range(_MAX_CLIMB):
        if up is None:
            break
        if is_branched and (up.type in FUNCTIONS or up.type == "program"):
            found = up
        is_branched = is_branched or up.type in (
            "if_statement",
            "switch_case",
            "ternary_expression",
        )
        up = source.up(up)
    return found
