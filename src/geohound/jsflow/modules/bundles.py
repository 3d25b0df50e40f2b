"""Bundles: modules as functions in a table, with (module, exports, require) as parameters of any name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.syntax.source import FUNCTIONS, Source, nth, parameters
from geohound.jsflow.values.domain import NOTHING, Fn, Namespace, Obj, Place, Ref, Value, Values, ready
from geohound.jsflow.values.resolver import Resolver

_MODULE_KEY = rb"(?:^|[{,\s])[\"']?(?P<at>NAME)[\"']?\s*(?::\s*(?:function\b|\(|[\w$]+\s*=>|\{|\[\s*function)|\()"


_EXPORTS = ("default", "a")


def assigned_right(source: Source, at: int) -> Node | None:
    up = source.node_at(at)
    while up is not None and up.type not in ("assignment_expression", "program", "statement_block"):
        up = up.parent
    return up.child_by_field_name("right") if up is not None else None


def wired_parameter(name: str, function: Node, source: Source) -> Values | None:
    """What the parameter of a bundled module is; None for an ordinary function."""
    if not is_bundled(function):
        return None
    listed = parameters(function)
    at = next((i for i, p in enumerate(listed) if source.text(p) == name), -1)
    has_names = _with_names(function) is not None
    role = {0: "require", 1: "module", 2: "exports"} if has_names else {0: "module", 1: "exports", 2: "require"}
    own = Namespace(source, function)
    match role.get(at):
        case "require":
            return (Ref(f"bundle.named.{function.id}" if has_names else "bundle.require"),)
        case "module":
            return (Obj({"exports": [ready(own)]}),)
        case "exports":
            return (own,)
    return None


def _with_names(function: Node) -> Node | None:
    """Where each module has a table of its own from names to ids, that table: `1: [function, {"./a": 2}]`."""
    up = function.parent
    if up is None or up.type != "array" or up.named_child_count != 2 or up.parent is None or up.parent.type != "pair":
        return None
    table = nth(up, 1)
    return table if table is not None and table.type == "object" else None


def is_bundled(function: Node) -> bool:
    """A function of up to three plain parameters that stands in a table under an id."""
    up = function.parent
    listed = parameters(function)
    if up is None or not 1 <= len(listed) <= 3 or any(p.type != "identifier" for p in listed):
        return False
    if up.type == "pair":
        key = up.child_by_field_name("key")
        return key is not None and (key.type == "number" or (key.type == "string" and _looks_like_path(key)))
    if up.type == "method_definition" or function.type == "method_definition":
        key = function.child_by_field_name("name")
        return key is not None and key.type in ("number", "string")
    if _with_names(function) is not None:
        return True
    return up.type == "array" and len(listed) >= 2 and up.named_child_count > 1


def _looks_like_path(key: Node) -> bool:
    return key.end_byte - key.start_byte > 5


def named_module(ev: Resolver, path: str, name: Value, source: Source) -> Values:
    """What `require(name)` gives in a module with a table of names."""
    owner = int(path.rpartition(".")[2])
    for at in source.places(str(name), rb"[\"'](?P<at>NAME)[\"']\s*:\s*\d")[:20]:
        node = source.node_at(at)
        while node is not None and node.type != "pair":
            node = source.up(node)
        table = node.parent if node is not None else None
        array = table.parent if table is not None else None
        function = nth(array, 0) if array is not None and array.type == "array" else None
        value = node.child_by_field_name("value") if node is not None else None
        if function is not None and function.id == owner and value is not None:
            return ev.union(*(bundled_module(ev, v) for v in ev.values(value, Place(source))))
    return NOTHING


def bundled_module(ev: Resolver, key: Value) -> Values:
    """The module under an id of a bundle, in whichever of the page's files it is."""
    if not isinstance(key, str | int):
        return NOTHING
    known = ev.known.get(("module", key))
    if known is None:
        found = [n for s in ev.sources if not s.is_library for n in _modules_in(s, str(key))]
        known = tuple(found[:2]) or NOTHING
        ev.known["module", key] = known
    return known if isinstance(known, tuple) else NOTHING


def _modules_in(source: Source, key: str) -> Iterator[Namespace]:
    if not source.mentions(key):
        return
    for at in source.places(key, _MODULE_KEY)[:20]:
        node = source.node_at(at) if at >= 0 else None
        while node is not None and node.type not in ("pair", "method_definition", "object", "program"):
            node = source.up(node)
        value = node.child_by_field_name("value") if node is not None and node.type == "pair" else node
        if value is not None and value.type == "array":
            value = nth(value, 0)
        if value is not None and value.type in FUNCTIONS and is_bundled(value):
            yield Namespace(source, value)
    if key.isdecimal():
        yield from _by_position(source, int(key))


def _by_position(source: Source, index: int) -> Iterator[Namespace]:
    """Older bundles keep their modules in an array."""
    for node in source.walk(source.root, FUNCTIONS):
        if node.type == "array" and index < node.named_child_count:
            value = nth(node, index)
            if value is not None and value.type in FUNCTIONS and is_bundled(value):
                yield Namespace(source, value)


def export(ev: Resolver, module: Namespace, name: str) -> Values:
    source, node = module.source, module.node
    if node is None:
        return NOTHING
    place = Place(source)
    found: list[Values] = []
    listed = [source.text(p) for p in parameters(node)]
    if _with_names(node) is not None:
        listed = listed[1:]
    getters = rb"[{,(\s][\"']?(?P<at>NAME)[\"']?\s*[:,]\s*(?:function\s*\(\)\s*\{\s*return|\(\)\s*=>)"
    for at in source.places(name, getters, node.start_byte, node.end_byte)[:3]:
        function = _function_after(source, at)
        if function is not None:
            found.append(ev.invoke(Fn(function, place), []))
    for at in source.places(name, rb"[\"'](?P<at>NAME)[\"']\s*,\s*0\s*,", node.start_byte, node.end_byte)[:2]:
        label = source.node_at(at)
        while label is not None and label.type != "string":
            label = label.parent
        value = (
            label.next_named_sibling.next_named_sibling
            if label is not None and label.next_named_sibling is not None
            else None
        )
        if value is not None:
            found.append(ev.values(value, place))
    if len(listed) > 1:
        for at in source.places(
            name, re.escape(listed[1].encode()) + rb"\.(?P<at>NAME)\s*=(?![=>])", node.start_byte, node.end_byte
        )[:3]:
            right = assigned_right(source, at)
            if right is not None:
                found.append(ev.values(right, place))
    if not found and listed:
        found += _whole_bundle_export(ev, source, node, listed[0], name)
    return ev.union(*found)


def _whole_bundle_export(ev: Resolver, source: Source, node: Node, label: str, name: str) -> Iterator[Values]:
    for at in source.places(label, rb"(?<![\w$.])(?P<at>NAME)\.exports\s*=(?![=>])", node.start_byte, node.end_byte)[
        :3
    ]:
        right = assigned_right(source, at)
        for value in ev.values(right, Place(source)) if right is not None else ():
            yield ((value,) if name in _EXPORTS and isinstance(value, str) else ev.member(value, name, Place(source)))


def _function_after(source: Source, at: int) -> Node | None:
    node = source.node_at(at)
    while node is not None and node.type not in ("pair", "arguments", "program"):
        node = source.up(node)
    if node is None:
        return None
    last = node.named_children[-1] if node.named_child_count else None
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
