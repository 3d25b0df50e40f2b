"""What can never happen: dead branches, functions nobody calls, sources that no map ever gets."""

from __future__ import annotations

import re
from typing import TypeGuard

from tree_sitter import Node

from geohound.jsflow.syntax.source import FUNCTIONS, Source, nth
from geohound.jsflow.values.resolver import Resolver

from . import conditions
from .domain import Obj, Place, Value

_MAX_CLIMB = 60
_FEW = 6
_BUILDER = re.compile(r"layer|source|wmt?s|wfs|tile|image|vector|group|overlay|provider|protocol", re.IGNORECASE)
_DOER = re.compile(
    r"^(?:add|load|show|set|push|on|create\w*Map|init|start|fetch|get|request|open|append|attach)", re.IGNORECASE
)
_SET = rb"[.\"'](?P<at>NAME)[\"']?\]?\s*=(?![=>])"
_MENTION = rb"(?<![\w$])(?P<at>NAME)(?![\w$])"
_BUILDS = frozenset(
    ("new_expression", "call_expression", "object", "array", "arguments", "pair", "parenthesized_expression")
)


def is_dead(ev: Resolver, node: Node, source: Source, *, whole_page: bool) -> bool:
    """True if nothing leads from this expression to a map."""
    return (
        in_dead_branch(ev, node, source)
        or _is_never_used(ev, node, source, whole_page)
        or (whole_page and _in_uncalled_function(ev, node, source))
    )


def in_dead_branch(ev: Resolver, node: Node, source: Source) -> bool:
    below, up = node, source.up(node)
    for _ in range(_MAX_CLIMB):
        if up is None:
            return False
        if up.type in ("if_statement", "ternary_expression"):
            test, otherwise = up.child_by_field_name("condition"), up.child_by_field_name("alternative")
            if test is not None and below.id != test.id:
                truth = _told(ev, test, source)
                is_other = otherwise is not None and below.id == otherwise.id
                if truth is not None and truth is is_other:
                    return True
        elif up.type == "binary_expression" and (operator := up.child_by_field_name("operator")) is not None:
            left = up.child_by_field_name("left")
            if operator.type == "&&" and left is not None and left.id != below.id and _told(ev, left, source) is False:
                return True
        below, up = up, source.up(up)
    return False


def _told(ev: Resolver, test: Node, source: Source) -> bool | None:
    """Whether a condition holds that is constant, depends on the address of the page alone, or is a switch."""
    inner = nth(test, 0) if test.type == "parenthesized_expression" else test
    if inner is None:
        return None
    is_plain = (
        inner.type in ("true", "false", "number", "null", "identifier")
        or (inner.type == "unary_expression" and inner.end_byte - inner.start_byte <= 3)
        or b"location" in source.data[test.start_byte : test.end_byte]
    )
    if is_plain:
        return conditions.truth(ev, test, Place(source))
    return _switch(ev, inner, source) if inner.type == "member_expression" else None


def _switch(ev: Resolver, test: Node, source: Source) -> bool | None:
    """A member of an object of the page that is written there as true or false, and set nowhere else."""
    holder, name = test.child_by_field_name("object"), test.child_by_field_name("property")
    key = source.text(name) if name is not None else ""
    if holder is None or any(s.places(key, _SET)[:1] for s in ev.sources if not s.is_library and s.mentions(key)):
        return None
    made = ev.solve(lambda: list(ev.values(holder, Place(source))))
    said = {v for m in made for v in (ev.any_of(m.fields[key]) if _is_closed(m, key) else (None,))}
    only = said.pop() if len(said) == 1 else None
    return only if isinstance(only, bool) else None


def _is_closed(value: Value, key: str) -> TypeGuard[Obj]:
    return isinstance(value, Obj) and not value.is_open and key in value.fields


def _count(ev: Resolver, name: str, own: Node, source: Source, whole_page: bool) -> int:
    """How often a name stands in the scripts of the page, outside the place that defines it."""
    others = ev.sources if whole_page else (source,)
    found = sum(s.count(name) for s in others if s is not source and s.mentions(name))
    mentions = source.places(name, _MENTION)
    return found + sum(not own.start_byte <= at < own.end_byte for at in mentions)


def _is_never_used(ev: Resolver, node: Node, source: Source, whole_page: bool, depth: int = 0) -> bool:
    """Held by a variable or property that nothing else mentions."""
    held = _holder(ev, node, source)
    if held is None:
        return False
    holder, name_node = held
    if (not whole_page and _is_global(holder, source)) or _is_exported(holder):
        return False
    name = source.text(name_node)
    count = _count(ev, name, holder, source, whole_page)
    if count == 1 and depth < 4:
        return _only_use_is_dead(ev, name, holder, source, whole_page, depth)
    return count == 0


def _holder(ev: Resolver, node: Node, source: Source) -> tuple[Node, Node] | None:
    """The declaration or assignment that keeps what is built here, and the name in it."""
    up = node
    while up.parent is not None and up.parent.type in _BUILDS:
        if up.parent.type == "call_expression" and up.type == "member_expression":
            return None  # a method of what was built: that is a use
        if up.parent.type in ("new_expression", "call_expression") and not _only_builds(up.parent, source):
            return None
        up = up.parent
    holder = up.parent
    name: Node | None = None
    if holder is not None and holder.type == "variable_declarator":
        name = holder.child_by_field_name("name")
    elif holder is not None and holder.type == "assignment_expression":
        left, statement = holder.child_by_field_name("left"), holder.parent
        if left is not None and statement is not None and statement.type == "expression_statement":
            name = left if left.type == "identifier" else _constant_of(ev, left, source)
    if holder is None or name is None or name.type not in ("identifier", "property_identifier"):
        return None
    return holder, name


def _only_builds(call: Node, source: Source) -> bool:
    """A call that makes a layer or a source and no more: maps, viewers and requests do the work themselves."""
    callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
    parts = source.text(callee).split(".") if callee is not None and callee.end_byte - callee.start_byte < 200 else []
    inner = ".".join(parts[1:] if len(parts) > 1 else parts)
    return bool(_BUILDER.search(inner)) and not _DOER.search(parts[-1])


def _constant_of(ev: Resolver, left: Node, source: Source) -> Node | None:
    """The key of an object that the scripts themselves made; setting a property of anything else may do something."""
    holder = left.child_by_field_name("object")
    if holder is None or holder.type == "this" or not any(isinstance(v, Obj) for v in ev.values(holder, Place(source))):
        return None
    return left.child_by_field_name("property")


def _only_use_is_dead(ev: Resolver, name: str, own: Node, source: Source, whole_page: bool, depth: int) -> bool:
    for at in source.places(name, _MENTION):
        if own.start_byte <= at < own.end_byte:
            continue
        node = source.node_at(at)
        if node is None or node.type not in ("identifier", "property_identifier", "shorthand_property_identifier"):
            return False
        if node.parent is not None and node.parent.type == "member_expression" and node.type == "identifier":
            return False
        if in_dead_branch(ev, node, source) or (whole_page and _in_uncalled_function(ev, node, source)):
            return True
        return _is_never_used(ev, node, source, whole_page, depth + 1)
    return False


def _is_global(holder: Node, source: Source) -> bool:
    return source.scope_of(holder).type not in FUNCTIONS and not source.script.is_module


def _is_exported(holder: Node) -> bool:
    up = holder.parent
    return up is not None and up.parent is not None and up.parent.type == "export_statement"


def _in_uncalled_function(ev: Resolver, node: Node, source: Source) -> bool:
    up = source.scope_of(node)
    for _ in range(_MAX_CLIMB):
        if up.type not in FUNCTIONS:
            return False
        name = _own_name(up)
        exported = up.parent is not None and up.parent.type == "export_statement"
        if name is not None and not exported:
            count = _count(ev, source.text(name), up, source, True)
            if count == 0 or (count <= _FEW and _only_called_in_vain(ev, source.text(name), up, source)):
                return True
        up = source.scope_of(up)
    return False


def _only_called_in_vain(ev: Resolver, name: str, own: Node, home: Source) -> bool:
    """Handed out under its own name, and called in branches alone that are never taken."""
    calls = 0
    for source in ev.sources:
        for at in source.places(name, _MENTION) if source.mentions(name) and not source.is_library else ():
            node = source.node_at(at)
            if node is None or (source is home and own.start_byte <= at < own.end_byte):
                continue
            pair = node.parent
            if node.type == "shorthand_property_identifier" or (pair is not None and pair.type == "pair"):
                continue
            if not in_dead_branch(ev, node, source):
                return False
            calls += 1
    return calls > 0


def _own_name(function: Node) -> Node | None:
    if function.type in ("function_declaration", "generator_function_declaration"):
        return function.child_by_field_name("name")
    up = function.parent
    if function.type in FUNCTIONS and up is not None and up.type == "variable_declarator":
        name = up.child_by_field_name("name")
        declared = up.parent
        if declared is not None and declared.parent is not None and declared.parent.type == "export_statement":
            return None
        return name if name is not None and name.type == "identifier" else None
    return None
