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
    called = child(call, "function", "constructor")
    return (_wrapped(called) or called) if called is not None else None


def _wrapped(called: Node) -> Node | None:
    """What compilers call with no object: (0, a.b)(…), Object(a.b)(…)."""
    if called.type == "parenthesized_expression":
        listed = called.named_child(0)
        is_list = listed is not None and listed.type == "sequence_expression"
        return listed.named_children[-1] if listed is not None and is_list else None
    maker, given = child(called, "function"), child(called, "arguments")
    is_name = maker is not None and maker.type == "identifier"
    is_plain = is_name and maker is not None and maker.text == b"Object"
    return (
        given.named_child(0)
        if is_plain and given and given.named_child_count == 1
        else None
    )


def call_by(called: Node | None) -> Node | None:
    """The call of an expression, as people write it or compilers."""
    outer = above(called, "sequence_expression", "arguments")
    wrapper = above(outer, "parenthesized_expression", "call_expression")
    if called is not None and wrapper is not None and _wrapped(wrapper) == called:
        called = wrapper
    return above(called, "call_expression", "new_expression")


def operator(node: Node) -> str:
    """The sign of an expression with two sides, or of an assignment."""
    found = node.child_by_field_name("operator")
    return found.type if found is not None else ""
