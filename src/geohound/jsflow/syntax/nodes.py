"""Finding the call, or the whole string, that a place in the syntax tree belongs to."""

from __future__ import annotations

import re

from tree_sitter import Node

from geohound.jsflow.model import words

from .source import Source

_CHAIN = frozenset(["parenthesized_expression", "template_substitution", "template_string", "await_expression"])


_STRING_METHODS = words("concat replace replaceAll trim toString toLowerCase join slice substring")


def call_of(node: Node | None) -> Node | None:
    """The call whose callee ends in this name."""
    below = node
    up = node.parent if node is not None else None
    while up is not None and below is not None and up.type == "member_expression":
        name = up.child_by_field_name("property")
        if name is None or name.end_byte != below.end_byte:
            return None
        below, up = up, up.parent
    if up is None or below is None or up.type not in ("call_expression", "new_expression"):
        return None
    listed = up.child_by_field_name("arguments")
    return up if listed is None or below.end_byte <= listed.start_byte else None


def whole(node: Node, source: Source) -> Node:
    """The expression that a string is a part of: concatenations, templates, string methods."""
    up = node.parent
    while up is not None:
        if up.type in _CHAIN or (up.type == "binary_expression" and _operator(up) == "+"):
            node = up
        elif up.type == "member_expression" and up.parent is not None and up.parent.type == "call_expression":
            name = up.child_by_field_name("property")
            if name is None or source.text(name) not in _STRING_METHODS:
                return node
            node = up = up.parent
        elif (up.type == "arguments" and up.parent is not None and _is_string_call(up.parent, source)) or (
            up.type == "arguments" and up.parent is not None and _is_new_url(up.parent, source)
        ):
            node = up = up.parent
        elif up.type == "array" and up.parent is not None and up.parent.type == "member_expression":
            node = up
        else:
            return node
        up = node.parent
    return node


def _is_string_call(call: Node, source: Source) -> bool:
    callee = call.child_by_field_name("function")
    name = callee.child_by_field_name("property") if callee is not None else None
    if name is not None and source.text(name) in ("concat", "replace", "format", "template"):
        return True
    return callee is not None and source.text(callee) in (
        "encodeURIComponent",
        "encodeURI",
        "String",
        "decodeURIComponent",
    )


def _is_new_url(call: Node, source: Source) -> bool:
    maker = call.child_by_field_name("constructor")
    return maker is not None and source.text(maker) in ("URL", "window.URL", "Request")


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def appended_to(node: Node) -> Node | None:
    up = node.parent
    return up if up is not None and up.type == "augmented_assignment_expression" and _operator(up) == "+=" else None


def is_statement(node: Node) -> bool:
    up = node.parent
    return up is not None and (
        up.type in ("expression_statement", "import_statement", "export_statement", "switch_case")
    )


def holder(node: Node, source: Source) -> str:
    """The name of the table that an expression stands in."""
    up = node.parent
    while up is not None and up.type in ("pair", "object", "array"):
        up = up.parent
    left = (up.child_by_field_name("name") or up.child_by_field_name("left")) if up is not None else None
    return source.text(left)[-40:] if left is not None and up is not None and "func" not in up.type else ""


def context(node: Node, source: Source) -> str:
    """The call, key or variable that an expression belongs to."""
    up: Node | None = node
    while up is not None:
        match up.type:
            case "arguments":
                call = up.parent
                callee = (
                    (call.child_by_field_name("function") or call.child_by_field_name("constructor"))
                    if call is not None
                    else None
                )
                return re.sub(r"\s+", "", source.text(callee))[-80:] if callee is not None else ""
            case "pair" if up.id != node.id:
                key = up.child_by_field_name("key")
                return source.text(key).strip("\"'") if key is not None else ""
            case "variable_declarator" | "assignment_expression":
                left = up.child_by_field_name("name") or up.child_by_field_name("left")
                return source.text(left)[-60:] if left is not None else ""
            case "statement_block" | "program":
                return ""
        up = up.parent
    return ""


def target(source: Source, at: int) -> tuple[Node, Node] | None:
    """The object assigned to and the value, for a property name that stands at this place."""
    node = source.node_at(at)
    while node is not None and node.type not in ("member_expression", "subscript_expression"):
        node = source.up(node)
    up = node.parent if node is not None else None
    if node is None or up is None or up.type != "assignment_expression":
        return None
    left, right, holder = (
        up.child_by_field_name("left"),
        up.child_by_field_name("right"),
        node.child_by_field_name("object"),
    )
    if left is None or left.id != node.id or right is None or holder is None:
        return None
    return holder, right
