"""Bundles: modules as functions in a table, with (module, exports, require) as parameters of any name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source, nth, parameters
from geohound.jsflow.syntax.tree import FUNCTIONS, above, child
from geohound.jsflow.values.domain import (
    NOTHING,
    BoundScope,
    Fn,
    Namespace,
    Obj,
    Ref,
    Value,
    Values,
    ready,
)
from geohound.jsflow.values.resolver import Resolver

from . import system

_MODULE_KEY = rb"(?:^|[{,\s])[\"']?(?P<at>NAME)[\"']?\s*(?::\s*(?:function\b|\(|[\w$]+\s*=>|\{|\[\s*function)|\()"
_GETTER = rb"[{,(\s][\"']?(?P<at>NAME)[\"']?\s*[:,]\s*(?:function\s*\(\)\s*\{\s*return|\(\)\s*=>)"
_EXPORTS = ("default", "a")


def assigned_right(source: Source, at: int) -> Node | None:
    up = source.node_at(at)
    while up is not None and up.type not in (
        "assignment_expression",
        "program",
        "statement_block",
    ):
        up = up.parent
    return up.child_by_field_name("right") if up is not None else None


def wired_parameter(name: str, function: Node, source: Source) -> Values | None:
    """What the parameter of a bundled module is; None for an ordinary function."""
    if not is_bundled(function):
        return _common_parameter(name, function, source)
    listed = parameters(function)
    at = next((i for i, p in enumerate(listed) if source.text(p) == name), -1)
    has_names = _with_names(function) is not None
    role = (
        {0: "require", 1: "module", 2: "exports"}
        if has_names
        else {0: "module", 1: "exports", 2: "require"}
    )
    own = Namespace(source, function)
    match role.get(at):
        case "require":
            return (
                Ref(f"bundle.named.{function.id}" if has_names else "bundle.require"),
            )
        case "module":
            return (Obj({"exports": [ready(own)]}),)
        case "exports":
            return (own,)
    return None


def _common_parameter(name: str, function: Node, source: Source) -> Values | None:
    """What CommonJS gives to a module by its own names, where an AMD loader wraps it so."""
    called = child(above(above(function, "arguments"), "call_expression"), "function")
    if (
        name not in ("exports", "module")
        or called is None
        or source.text(called).rpartition(".")[2] != "define"
    ):
        return None
    own = Namespace(source, function)
    return (own,) if name == "exports" else (Obj({"exports": [ready(own)]}),)


def _with_names(function: Node) -> Node | None:
    """Where each module has a table of its own from names to ids, that table: `1: [function, {"./a": 2}]`."""
    entry = above(function, "array")
    if entry is None or entry.named_child_count != 2 or above(entry, "pair") is None:
        return None
    table = nth(entry, 1)
    return table if table is not None and table.type == "object" else None


def is_bundled(function: Node) -> bool:
    """A function of up to three plain parameters that stands in a table under an id."""
    up = function.parent
    listed = parameters(function)
    is_plain = all(p.type == "identifier" for p in listed)
    if up is None or not is_plain or not 1 <= len(listed) <= 3:
        return False
    if up.type == "pair":
        return _is_id(up.child_by_field_name("key"))
    if "method_definition" in (up.type, function.type):
        return _is_of_type(function.child_by_field_name("name"), "number", "string")
    is_numbered = up.type == "array" and len(listed) >= 2 and up.named_child_count > 1
    return is_numbered or _with_names(function) is not None


def _is_of_type(node: Node | None, *types: str) -> bool:
    return node is not None and node.type in types


def _is_id(key: Node | None) -> bool:
    """A number, or a string as long as a path."""
    if _is_of_type(key, "number"):
        return True
    return (
        key is not None and key.type == "string" and key.end_byte - key.start_byte > 5
    )


def named_module(ev: Resolver, path: str, name: Value, source: Source) -> Values:
    """What `require(name)` gives in a module with a table of names."""
    owner = int(path.rpartition(".")[2])
    for at in source.places(str(name), rb"[\"'](?P<at>NAME)[\"']\s*:\s*\d")[:20]:
        row = source.nearest(source.node_at(at), "pair")
        entry = above(above(row, "object"), "array")
        function = nth(entry, 0) if entry is not None else None
        value = child(row, "value")
        if function is not None and function.id == owner and value is not None:
            return ev.union(
                *(bundled_module(ev, v) for v in ev.values(value, BoundScope(source)))
            )
    return NOTHING


def bundled_module(ev: Resolver, key: Value) -> Values:
    """The module under an id of a bundle, in whichever of the page's files it is."""
    if not isinstance(key, str | int):
        return NOTHING
    known = ev.known.get(("module", key))
    if known is None:
        found = [
            n for s in ev.sources if not s.is_library for n in _modules_in(s, str(key))
        ]
        known = tuple(found[:2]) or NOTHING
        ev.known["module", key] = known
    return known if isinstance(known, tuple) else NOTHING


def _modules_in(source: Source, key: str) -> Iterator[Namespace]:
    if not source.mentions(key):
        return
    for at in source.places(key, _MODULE_KEY)[:20]:
        function = _function_under(source, at)
        if function is not None and function.type in FUNCTIONS and is_bundled(function):
            yield Namespace(source, function)
    if key.isdecimal():
        yield from _by_position(source, int(key))


def _function_under(source: Source, at: int) -> Node | None:
    """What stands under the key at this place, alone or first in an array."""
    row = source.nearest(
        source.node_at(at), "pair", "method_definition", "object", "program"
    )
    value = child(row, "value") if row is not None and row.type == "pair" else row
    return nth(value, 0) if value is not None and value.type == "array" else value


def _by_position(source: Source, index: int) -> Iterator[Namespace]:
    """Older bundles keep their modules in an array."""
    for node in source.walk(source.root, FUNCTIONS):
        if node.type == "array" and index < node.named_child_count:
            value = nth(node, index)
            if value is not None and value.type in FUNCTIONS and is_bundled(value):
                yield Namespace(source, value)


def export(ev: Resolver, module: Namespace, name: str) -> Values:
    """What a module of a bundle exports under a name."""
    node = module.node
    if node is None:
        return NOTHING
    named = [module.source.text(p) for p in parameters(node)]
    if _with_names(node) is not None:
        named = named[1:]
    elif "exports" in named:
        named = ["module", "exports"]
    elif by_system := system.exported(ev, module.source, name, node):
        return by_system
    found = [
        *_by_getter(ev, module.source, node, name),
        *_by_list(ev, module.source, node, name),
    ]
    if len(named) > 1:
        pattern = re.escape(named[1].encode()) + rb"\.(?P<at>NAME)\s*=(?![=>])"
        found += _given(
            ev,
            module.source,
            module.source.places(name, pattern, node.start_byte, node.end_byte),
        )
    if not found and named:
        found += _whole_bundle_export(ev, module.source, node, named[0], name)
    return ev.union(*found)


def _by_getter(ev: Resolver, source: Source, node: Node, name: str) -> Iterator[Values]:
    """`{name: () => value}`"""
    for at in source.places(name, _GETTER, node.start_byte, node.end_byte)[:3]:
        function = _function_after(source, at)
        if function is not None:
            yield ev.invoke(Fn(function, BoundScope(source)), [])


def _by_list(ev: Resolver, source: Source, node: Node, name: str) -> Iterator[Values]:
    """`["name", 0, value]`"""
    for at in source.places(
        name, rb"[\"'](?P<at>NAME)[\"']\s*,\s*0\s*,", node.start_byte, node.end_byte
    )[:2]:
        label = source.nearest(source.node_at(at), "string")
        zero = label.next_named_sibling if label is not None else None
        value = zero.next_named_sibling if zero is not None else None
        if value is not None:
            yield ev.values(value, BoundScope(source))


def _given(ev: Resolver, source: Source, places: list[int]) -> Iterator[Values]:
    """What is assigned at these places, the first few."""
    for at in places[:3]:
        right = assigned_right(source, at)
        if right is not None:
            yield ev.values(right, BoundScope(source))


def _whole_bundle_export(
    ev: Resolver, source: Source, node: Node, label: str, name: str
) -> Iterator[Values]:
    pattern = rb"(?<![\w$.])(?P<at>NAME)\.exports\s*=(?![=>])"
    assigned = _given(
        ev, source, source.places(label, pattern, node.start_byte, node.end_byte)
    )
    for value in (v for values in assigned for v in values):
        is_whole = name in _EXPORTS and isinstance(value, str)
        yield (value,) if is_whole else ev.member(value, name, BoundScope(source))


def _function_after(source: Source, at: int) -> Node | None:
    node = source.nearest(source.node_at(at), "pair", "arguments", "program")
    last = (
        node.named_children[-1] if node is not None and node.named_child_count else None
    )
    return last if last is not None and last.type in FUNCTIONS else None


def call_getter(ev: Resolver, value: Value) -> Values:
    """`n.n(module)` gives a function that gives the module's default."""
    return ev.exported(value, "default") if isinstance(value, Namespace) else NOTHING


def required_by(ev: Resolver, fn: Fn, key: Value) -> Values:
    """A bundle's own require function, known by its shape: it takes an id and gives back `.exports`."""
    source = fn.place.source
    body = source.data[fn.node.start_byte : fn.node.end_byte]
    if not isinstance(key, str | int) or len(body) > 1200 or b".exports" not in body:
        return NOTHING
    return bundled_module(ev, key)
