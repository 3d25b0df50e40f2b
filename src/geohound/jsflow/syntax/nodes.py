"""Finding the call, or the whole string, that a place in the syntax tree belongs to."""

from __future__ import annotations

import re

from tree_sitter import Node

from geohound.jsflow.model import words

from .source import Def, Source
from .tree import above, call_by, callee, child, operator

_CHAIN = frozenset(
    [
        "parenthesized_expression",
        "template_substitution",
        "template_string",
        "await_expression",
    ]
)


_LITERALS = words(
    "pair object array binary_expression ternary_expression template_string parenthesized_expression"
)
_SET_ON_THIS = rb"(?:this|self|that|_this|me|vm)\.(?P<at>NAME)\s*\+?=(?![=>])"
_MAX_HITS = 30
_TO_STRING = words("encodeURIComponent encodeURI String decodeURIComponent")
_STRING_METHODS = words(
    "concat replace replaceAll trim toString toLowerCase join slice substring"
)


def call_of(node: Node | None) -> Node | None:
    """The call whose callee ends in this name."""
    below = node
    while (up := above(below, "member_expression")) is not None and below is not None:
        name = up.child_by_field_name("property")
        if name is None or name.end_byte != below.end_byte:
            return None
        below = up
    call = call_by(below)
    listed = child(call, "arguments")
    is_inside = (
        listed is not None and below is not None and below.end_byte > listed.start_byte
    )
    return None if is_inside else call


def whole(node: Node, source: Source) -> Node:
    """The expression that a string is a part of: concatenations, templates, string methods."""
    while (larger := _larger(node, source)) is not None:
        node = larger
    return node


def _larger(node: Node, source: Source) -> Node | None:
    """The next larger expression that is a string as well."""
    up = node.parent
    if up is None:
        return None
    match up.type:
        case "binary_expression":
            return up if operator(up) == "+" else None
        case "member_expression":
            return _string_method(up, source)
        case "arguments":
            return _string_call(up, source)
        case "array":
            return up if above(up, "member_expression") is not None else None
    return up if up.type in _CHAIN else None


def _string_method(member: Node, source: Source) -> Node | None:
    """The call of a method that makes a string of a string."""
    name = member.child_by_field_name("property")
    is_known = name is not None and source.text(name) in _STRING_METHODS
    return above(member, "call_expression") if is_known else None


def _string_call(given: Node, source: Source) -> Node | None:
    """The call of a function that makes a string or an address of its arguments."""
    call = given.parent
    if call is None:
        return None
    return call if _is_string_call(call, source) or _is_new_url(call, source) else None


def _is_string_call(call: Node, source: Source) -> bool:
    called = call.child_by_field_name("function")
    name = child(called, "property")
    if name is not None and source.text(name) in (
        "concat",
        "replace",
        "format",
        "template",
    ):
        return True
    return called is not None and source.text(called) in _TO_STRING


def _is_new_url(call: Node, source: Source) -> bool:
    maker = call.child_by_field_name("constructor")
    return maker is not None and source.text(maker) in ("URL", "window.URL", "Request")


def appended_to(node: Node) -> Node | None:
    up = above(node, "augmented_assignment_expression")
    return up if up is not None and operator(up) == "+=" else None


def is_statement(node: Node) -> bool:
    up = node.parent
    return up is not None and (
        up.type
        in (
            "expression_statement",
            "import_statement",
            "export_statement",
            "switch_case",
        )
    )


def is_class_constant(node: Node, source: Source) -> bool:
    """A default in the definition of a class, outside its methods."""
    up = node.parent
    while up is not None and up.type in _LITERALS:
        up = up.parent
    if up is None or up.type != "arguments":
        return up is not None and up.type == "field_definition"
    called = callee(up.parent)
    return called is not None and source.text(called).endswith(
        (".extend", ".declare", "createClass")
    )


def holder(node: Node, source: Source) -> str:
    """The name of the table that an expression stands in."""
    up = node.parent
    while up is not None and up.type in ("pair", "object", "array"):
        up = up.parent
    left = child(up, "name", "left")
    if up is None or left is None or "func" in up.type:
        return ""
    return source.text(left)[-40:]


def called_with(node: Node, source: Source) -> str:
    """What is called with an expression, as an argument or anywhere in a table that is one."""
    up = node.parent
    while up is not None and up.type in ("pair", "object", "array", "arguments"):
        up = up.parent
    called = callee(up) if up is not None and up.type == "call_expression" else None
    return source.text(called)[-40:] if called is not None else ""


def context(node: Node, source: Source) -> str:
    """The call, key or variable that an expression belongs to."""
    up: Node | None = node
    while up is not None and up.type not in ("statement_block", "program"):
        if up.type == "arguments":
            called = callee(up.parent)
            return (
                re.sub(r"\s+", "", source.text(called))[-80:]
                if called is not None
                else ""
            )
        if up.type == "pair" and up.id != node.id:
            key = up.child_by_field_name("key")
            return source.text(key).strip("\"'") if key is not None else ""
        if up.type in ("variable_declarator", "assignment_expression"):
            left = child(up, "name", "left")
            return source.text(left)[-60:] if left is not None else ""
        up = up.parent
    return ""


def target(source: Source, at: int) -> tuple[Node, Node] | None:
    """The object assigned to and the value, for a property name that stands at this place."""
    node = source.nearest(
        source.node_at(at), "member_expression", "subscript_expression"
    )
    assignment = above(node, "assignment_expression")
    left, right = child(assignment, "left"), child(assignment, "right")
    holder = child(node, "object")
    if node is None or left is None or right is None or holder is None:
        return None
    return (holder, right) if left.id == node.id else None


def set_on_this(source: Source, name: str, around: Node) -> list[Node]:
    """The assignments to `this.name` inside a node, in their order."""
    places = source.places(name, _SET_ON_THIS, around.start_byte, around.end_byte)
    found = []
    for at in places[:_MAX_HITS]:
        left = source.nearest(source.node_at(at), "member_expression")
        assignment = above(
            left, "assignment_expression", "augmented_assignment_expression"
        )
        given = child(assignment, "left")
        if assignment and left and given is not None and given.id == left.id:
            found.append(assignment)
    return found


def definition(assignment: Node) -> Def:
    """What an assignment gives to what stands left of it."""
    is_more = assignment.type == "augmented_assignment_expression"
    right = child(assignment, "right") or assignment
    return Def("append" if is_more else "assign", right, assignment.start_byte)
