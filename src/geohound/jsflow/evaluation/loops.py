"""Loops that count: the values of their variable, where begin, end and step are known."""

from __future__ import annotations

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source, nth
from geohound.jsflow.syntax.tree import child, operator
from geohound.jsflow.values.domain import BoundScope, Values, ready
from geohound.jsflow.values.resolver import Resolver

_MOST = 50  # rounds: longer loops do not build addresses


def counted(ev: Resolver, name: str, node: Node, place: BoundScope) -> Values:
    """The number that a variable has in the round of its loop that is looked at; nothing if no loop counts it."""
    source = place.source
    loop = source.loop_of(node)
    while loop is not None and not _counts(loop, name, node, source):
        loop = source.loop_of(loop)
    numbers = _numbers(ev, loop, name, place) if loop is not None else range(0)
    if loop is None or not numbers:
        return ()
    chosen = ev.choose(
        ("count", source.index, loop.id, name),
        lambda: [{"": ready(n)} for n in numbers],
    )
    return ev.lazy(chosen[""]) if chosen else (numbers[0],)


def _counts(loop: Node, name: str, node: Node, source: Source) -> bool:
    """Does the loop count this name, and stand around the node?"""
    body = loop.child_by_field_name("body")
    is_inside = body is not None and body.start_byte <= node.start_byte < body.end_byte
    counter = child(loop.child_by_field_name("increment"), "argument", "left")
    return is_inside and counter is not None and source.text(counter) == name


def _numbers(ev: Resolver, loop: Node, name: str, place: BoundScope) -> range:
    """All numbers that the loop counts through; none if it is not known, or too long."""
    begin, step = _begin(ev, loop, name, place), _step(ev, loop, place)
    test = loop.child_by_field_name("condition")
    test = (
        nth(test, 0)
        if test is not None and test.type == "expression_statement"
        else test
    )
    left, right = child(test, "left"), child(test, "right")
    sign = operator(test) if test is not None else ""
    is_bound = (
        left is not None and place.source.text(left) == name and sign in ("<", "<=")
    )
    if (
        begin is None
        or not step
        or right is None
        or not is_bound
        or right.type == "member_expression"
    ):
        return range(0)
    end = _whole(ev.values(right, place))
    found = range(begin, end + (sign == "<="), step) if end is not None else range(0)
    return found if len(found) <= _MOST else range(0)


def _begin(ev: Resolver, loop: Node, name: str, place: BoundScope) -> int | None:
    first = loop.child_by_field_name("initializer")
    if first is None:
        return None
    for part in (first, *first.named_children):
        label = child(part, "name", "left")
        value = child(part, "value", "right")
        if label is not None and value is not None and place.source.text(label) == name:
            return _whole(ev.values(value, place))
    return None


def _step(ev: Resolver, loop: Node, place: BoundScope) -> int | None:
    step = loop.child_by_field_name("increment")
    if step is None:
        return None
    if step.type == "update_expression":
        return 1 if operator(step) == "++" else None
    right = step.child_by_field_name("right")
    is_sum = step.type == "augmented_assignment_expression" and operator(step) == "+="
    return _whole(ev.values(right, place)) if is_sum and right is not None else None


def _whole(values: Values) -> int | None:
    only = values[0] if len(values) == 1 else None
    return only if isinstance(only, int) and not isinstance(only, bool) else None
