"""What can never happen (dead branches), and what nothing uses: functions nobody calls, layers that no map gets."""

from __future__ import annotations

import re
from typing import TypeGuard

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source, nth
from geohound.jsflow.syntax.tree import FUNCTIONS, above, callee, operator
from geohound.jsflow.values.resolver import Resolver

from . import conditions
from .domain import BoundScope, Obj, Value

_MAX_CLIMB = 60
_BUILDER = re.compile(
    r"layer|source|wmt?s|wfs|tile|image|vector|group|overlay|provider|protocol",
    re.IGNORECASE,
)
_DOER = re.compile(
    r"^(?:add|load|show|set|push|on|create\w*Map|init|start|fetch|get|request|open|append|attach)",
    re.IGNORECASE,
)
_SET = rb"[.\"'](?P<at>NAME)[\"']?\]?\s*=(?![=>])"
_MENTION = rb"(?<![\w$])(?P<at>NAME)(?![\w$])"
_BUILDS = frozenset(
    (
        "new_expression",
        "call_expression",
        "object",
        "array",
        "arguments",
        "pair",
        "parenthesized_expression",
    )
)


def is_unused(ev: Resolver, node: Node, source: Source, *, whole_page: bool) -> bool:
    """True if nothing that was read leads from this expression to a map."""
    return _is_never_used(ev, node, source, whole_page) or (
        whole_page and _in_uncalled_function(ev, node, source)
    )


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
    holder, name = (
        test.child_by_field_name("object"),
        test.child_by_field_name("property"),
    )
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


def _count(ev: Resolver, name: str, own: Node, source: Source, whole_page: bool) -> int:
    """How often a name stands in the scripts of the page, outside the place that defines it."""
    others = ev.sources if whole_page else (source,)
    found = sum(s.count(name) for s in others if s is not source and s.mentions(name))
    mentions = source.places(name, _MENTION)
    return found + sum(not own.start_byte <= at < own.end_byte for at in mentions)


def _is_never_used(ev: Resolver, node: Node, source: Source, whole_page: bool) -> bool:
    """Held by a variable or property that nothing else mentions."""
    held = _holder(ev, node, source)
    if held is None:
        return False
    holder, name_node = held
    if (not whole_page and _is_global(holder, source)) or _is_exported(holder):
        return False
    name = source.text(name_node)
    return _count(ev, name, holder, source, whole_page) == 0


def _holder(ev: Resolver, node: Node, source: Source) -> tuple[Node, Node] | None:
    """The declaration or assignment that keeps what is built here, and the name in it."""
    built = _built(node, source)
    holder = above(built, "variable_declarator", "assignment_expression")
    if holder is None:
        return None
    if holder.type == "variable_declarator":
        name = holder.child_by_field_name("name")
    else:
        name = _assigned_name(ev, holder, source)
    if name is None or name.type not in ("identifier", "property_identifier"):
        return None
    return holder, name


def _built(node: Node, source: Source) -> Node | None:
    """The whole of what is built with a node; None where something is done with it as well."""
    up = node
    while up.parent is not None and up.parent.type in _BUILDS:
        if up.parent.type == "call_expression" and up.type == "member_expression":
            return None  # a method of what was built: that is a use
        if up.parent.type in ("new_expression", "call_expression") and not _only_builds(
            up.parent, source
        ):
            return None
        up = up.parent
    return up


def _assigned_name(ev: Resolver, assignment: Node, source: Source) -> Node | None:
    left = assignment.child_by_field_name("left")
    if left is None or above(assignment, "expression_statement") is None:
        return None
    return left if left.type == "identifier" else _constant_of(ev, left, source)


def _only_builds(call: Node, source: Source) -> bool:
    """A call that makes a layer or a source and no more: maps, viewers and requests do the work themselves."""
    called = callee(call)
    is_short = called is not None and called.end_byte - called.start_byte < 200
    parts = source.text(called).split(".") if called is not None and is_short else []
    inner = ".".join(parts[1:] if len(parts) > 1 else parts)
    return bool(_BUILDER.search(inner)) and not _DOER.search(parts[-1])


def _constant_of(ev: Resolver, left: Node, source: Source) -> Node | None:
    """The key of an object that the scripts themselves made; setting a property of anything else may do something."""
    holder = left.child_by_field_name("object")
    if (
        holder is None
        or holder.type == "this"
        or not any(isinstance(v, Obj) for v in ev.values(holder, BoundScope(source)))
    ):
        return None
    return left.child_by_field_name("property")


def _is_global(holder: Node, source: Source) -> bool:
    return source.scope_of(holder).type not in FUNCTIONS and not source.script.is_module


def _is_exported(holder: Node) -> bool:
    up = holder.parent
    return above(up, "export_statement") is not None


def _in_uncalled_function(ev: Resolver, node: Node, source: Source) -> bool:
    up = source.scope_of(node)
    for _ in range(_MAX_CLIMB):
        if up.type not in FUNCTIONS:
            return False
        name = _own_name(up)
        if name is not None and _count(ev, source.text(name), up, source, True) == 0:
            return True
        up = source.scope_of(up)
    return False


def _own_name(function: Node) -> Node | None:
    """The name under which nothing but the page's own scripts can call a function."""
    if above(function, "export_statement") is not None:
        return None
    if function.type in ("function_declaration", "generator_function_declaration"):
        return function.child_by_field_name("name")
    declarator = above(function, "variable_declarator")
    if declarator is None or _is_exported(declarator):
        return None
    name = declarator.child_by_field_name("name")
    return name if name is not None and name.type == "identifier" else None
