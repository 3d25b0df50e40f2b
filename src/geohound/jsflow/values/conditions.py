"""Whether a condition holds, and whether a statement is reached: yes, no, or perhaps."""

from __future__ import annotations

from tree_sitter import Node

from geohound.jsflow.syntax.source import FUNCTIONS, Source, nth
from geohound.jsflow.values.resolver import Resolver

from .domain import HOLE, UNKNOWN, Arr, Fn, Inst, Mark, Obj, Pattern, Place, Ref, Values, is_truthy

_MAX_CLIMB = 60


def truth(ev: Resolver, node: Node, place: Place) -> bool | None:
    """Whether a condition holds; None where it may or may not."""
    said = {is_truthy(v) for v in ev.values(node, place)}
    return said.pop() if len(said) == 1 else None


def compare(ev: Resolver, operator: str, left: Node, right: Node, place: Place) -> bool | None:
    """The answer of a comparison where both sides are known for sure."""
    if operator not in ("==", "===", "!=", "!==", "<", ">", "<=", ">="):
        return None
    a, b = ev.values(left, place), ev.values(right, place)
    if len(a) != 1 or len(b) != 1:
        return None
    one, other = a[0], b[0]
    if any(v is UNKNOWN or isinstance(v, Ref) or (isinstance(v, str) and HOLE in v) for v in (one, other)):
        return None
    plain = (str, int, float, bool, Mark)
    if not isinstance(one, plain) or not isinstance(other, plain):
        return None
    if operator in ("==", "===", "!=", "!=="):
        same = (type(one) is type(other) or not isinstance(one, bool | Mark)) and one == other
        return same if operator in ("==", "===") else not same
    if isinstance(one, int | float) and isinstance(other, int | float):
        return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[operator]
    return None


def happens(ev: Resolver, node: Node, place: Place, top: Node) -> bool | None:
    """Whether a statement is reached: True for sure, False never, None perhaps."""
    sure: bool | None = True
    below, up = node, place.source.up(node)
    while up is not None and below.id != top.id:
        step: bool | None = True
        if up.type == "if_statement":
            test, otherwise = up.child_by_field_name("condition"), up.child_by_field_name("alternative")
            if test is not None and below.id != test.id:
                step = truth(ev, test, place)
                if step is not None and otherwise is not None and below.id == otherwise.id:
                    step = not step
        elif up.type == "ternary_expression":
            step = _chosen(ev, up, below, place)
        elif up.type == "switch_case":
            step = _matches(ev, up, place)
        elif up.type in ("switch_default", "for_statement", "for_in_statement", "while_statement", "catch_clause"):
            step = None
        if step is False:
            return False
        sure = None if step is None else sure
        below, up = up, place.source.up(up)
    return sure


def _chosen(ev: Resolver, ternary: Node, below: Node, place: Place) -> bool | None:
    test, otherwise = ternary.child_by_field_name("condition"), ternary.child_by_field_name("alternative")
    if test is None or below.id == test.id:
        return True
    said = truth(ev, test, place)
    return said if said is None or otherwise is None or below.id != otherwise.id else not said


def _matches(ev: Resolver, case: Node, place: Place) -> bool | None:
    label = case.child_by_field_name("value")
    switch = case.parent.parent if case.parent is not None else None
    subject = switch.child_by_field_name("value") if switch is not None else None
    if label is None or subject is None:
        return None
    return (
        compare(ev, "===", subject, label, place)
        if subject.type != "parenthesized_expression"
        else compare(ev, "===", nth(subject, 0) or subject, label, place)
    )


def type_names(values: Values) -> Values:
    kinds: list[tuple[type, str]] = [
        (bool, "boolean"), (str, "string"), (int, "number"), (float, "number"), (Fn, "function"), (Obj, "object"),
        (Arr, "object"), (Inst, "object"), (Pattern, "object"),
    ]  # fmt: skip
    return tuple(next((n for kind, n in kinds if isinstance(v, kind)), UNKNOWN) for v in values)


def branch_around(node: Node, source: Source) -> Node | None:
    """The outermost function around an expression in which it stands in a branch."""
    is_branched, up, found = False, source.up(node), None
    for _ in range(_MAX_CLIMB):
        if up is None:
            break
        if up.type in FUNCTIONS and is_branched:
            found = up
        is_branched = is_branched or up.type in ("if_statement", "switch_case", "ternary_expression")
        up = source.up(up)
    return found
