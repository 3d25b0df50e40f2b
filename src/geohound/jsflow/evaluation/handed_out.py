"""The names under which a function leaves the scope that declares it: exports, members of what is returned, getters."""

from __future__ import annotations

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source, parameters
from geohound.jsflow.syntax.tree import FUNCTIONS, above, child

_MENTION = rb"(?<![\w$.])(?P<at>NAME)(?![\w$.(])"
# By itself, or by the helper of compilers that gives a class its methods.
_RETURNED = rb"(?:return[\s(]{1,9}|,)(?:[\w$]{1,30}\()?(?P<at>NAME)(?:\s{0,9}\){0,9};?\s{0,9}\}|,\s?\[)"
_MAX_MENTIONS = 60
_MAX_NAMES = 3


def names(name: str, scope: Node, source: Source) -> list[str]:
    """What others call something that is declared as this name here; `exports` for all that a module is."""
    places = source.places(name, _MENTION, scope.start_byte, scope.end_byte)
    mentions = map(source.node_at, places[:_MAX_MENTIONS])
    found = (_given(node, source) for node in mentions if node is not None)
    return list(dict.fromkeys(filter(None, found)))[:_MAX_NAMES]


def _given(node: Node, source: Source) -> str:
    """The name that an expression is given where it stands; empty where it is given none."""
    if node.type == "shorthand_property_identifier":
        return source.text(node)
    while (up := above(node, "parenthesized_expression")) is not None:
        node = up
    label = child(above(node, "pair"), "key")
    if label is None:
        left = child(above(node, "assignment_expression"), "left")
        label = child(left, "property") if left != node else None
    if label is None and above(node, "arguments") is not None:
        before = node.prev_named_sibling
        label = before if before is not None and before.type == "string" else None
    if label is not None:
        return source.text(label).strip("\"'")
    getter = _getter(node, source)
    return _given(getter, source) if getter is not None else ""


def _getter(node: Node, source: Source) -> Node | None:
    """The function without parameters that only gives this back."""
    if (
        node.type in FUNCTIONS
        or above(node, "return_statement", "arrow_function") is None
    ):
        return None
    function = source.scope_of(node)
    return function if function.type in FUNCTIONS and not parameters(function) else None


def returned_as(name: str, scope: Node, source: Source) -> tuple[str, Node] | None:
    """The variable outside that holds what a function called at once returns, and its scope: o = (() => {… return e})()."""
    places = source.places(name, _RETURNED, scope.start_byte, scope.end_byte)
    if not places:
        return None
    call = scope.parent
    while call is not None and call.type in (
        "parenthesized_expression",
        "call_expression",
    ):
        call = call.parent
    held = (
        child(call, "name")
        if call is not None and call.type == "variable_declarator"
        else None
    )
    return (source.text(held), source.scope_of(held)) if held is not None else None
