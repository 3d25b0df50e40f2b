"""Steps in a syntax tree that may lead nowhere: from nothing they lead to nothing."""

from __future__ import annotations

from tree_sitter import Node

FUNCTIONS = frozenset(
    [
        "function_declaration",
        "function_expression",
        "arrow_function",
        "method_definition",
        "generator_function",
        "generator_function_declaration",
    ]
)


def child(node: Node | None, *fields: str) -> Node | None:
    """The child in the first of these fields that is there."""
    if node is None:
        return None
    for field in fields:
        found = node.child_by_field_name(field)
        if found is not None:
            return found
    return None


def above(node: Node | None, *types: str) -> Node | None:
    """The parent, where it is of one of these types."""
    up = node.parent if node is not None else None
    return up if up is not None and up.type in types else None


def callee(call: Node | None) -> Node | None:
    """What a call calls, or `new` makes an instance of."""
    return child(call, "function", "constructor")


def operator(node: Node) -> str:
    """The sign of an expression with two sides, or of an assignment."""
    found = node.child_by_field_name("operator")
    return found.type if found is not None else ""
