"""Bundles: modules as functions in a table, with (module, exports, require) as parameters of any name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from geohound.jsflow.syntax.source import CLASSES, Source, nth, parameters
from geohound.jsflow.syntax.tree import FUNCTIONS, above, callee, child
from geohound.jsflow.values.domain import (
    NOTHING,
    UNDEFINED,
    BoundScope,
    Fn,
    Lazy,
    Namespace,
    Obj,
    Ref,
    Value,
    Values,
    ready,
)
from geohound.jsflow.values.resolver import Resolver

from . import system

_MODULE_KEY = rb"(?:^|[({,\s])[\"']?(?P<at>NAME)[\"']?\s*(?:[:,]\s*(?:function\b|\(|[\w$]+\s*=>|\{|\[\s*function)|\()"
_WHOLE = rb"(?<![\w$.])(?P<at>NAME)\.exports\s*=(?![=>])"
_REQUIRED = rb"[\w$]\(\s*[\"']?(?P<at>NAME)[\"']?\s*\)"
_MAKES_EXPORTS = re.compile(rb"\{\s?exports:\s?\{\}")
_HELPER = 400
_MAX_USES = 60
_GETTER = rb"[{,(\s][\"']?(?P<at>NAME)[\"']?\s*[:,]\s*(?:function\s*\(\)\s*\{\s*return|\(\)\s*=>)"
_EXPORTS = ("default", "a")
_SHORTEST_PATH = 4
_REGISTERS = rb"(?<![\w$.])(?P<at>NAME)=[\w$]{1,30}\.register(?![\w$(])"
# e = (f, m) => () => (m || f((m = {exports: {}}).exports, m), m.exports)
_LAZILY = rb"(?<![\w$.])(?P<at>NAME)\s?=\s?\([\w$]+,\s?[\w$]+\)\s?=>[^;]{0,160}?\{\s?exports:\s?\{\}"


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
    own = Namespace(source, function)
    match roles(function, source).get(name):
        case "require":
            has_names = _with_names(function) is not None
            return (
                Ref(f"bundle.named.{function.id}" if has_names else "bundle.require"),
            )
        case "module":
            return (Obj({"exports": [ready(own)]}),)
        case "exports":
            return (own,)
    return None


def roles(function: Node, source: Source) -> dict[str, str]:
    """What the parameters of a module are for, whatever minifiers call them."""
    listed = [source.text(p) for p in parameters(function)]
    if not is_bundled(function, source):
        asked = zip(listed, _asked_for(function, source), strict=False)
        return {n: role for n, role in asked if role in ("exports", "module")}
    if _with_names(function) is not None:
        return dict(zip(listed, ("require", "module", "exports"), strict=False))
    if (
        above(_bare(function), "arguments") is not None
        and _key(function, source) is None
    ):
        return dict(zip(listed, ("exports", "module"), strict=False))
    if "exports" in listed[:1]:
        return dict(zip(listed, ("exports", "module", "require"), strict=False))
    return dict(zip(listed, ("module", "exports", "require"), strict=False))


def _asked_for(function: Node, source: Source) -> Sequence[str]:
    """What define(["a", "b"], function) hands over, by the names in its list; without one the parts of a module."""
    wrapped = callee(above(above(function, "arguments"), "call_expression"))
    if wrapped is None or not source.text(wrapped).endswith("define"):
        return ()
    listed = function.prev_named_sibling
    if listed is None or listed.type != "array":
        return ("require", "exports", "module")
    return [source.text(name).strip("\"'") for name in listed.named_children]


def _with_names(function: Node) -> Node | None:
    """Where each module has a table of its own from names to ids, that table: `1: [function, {"./a": 2}]`."""
    entry = above(function, "array")
    if entry is None or entry.named_child_count != 2 or above(entry, "pair") is None:
        return None
    table = nth(entry, 1)
    return table if table is not None and table.type == "object" else None


def is_bundled(function: Node, source: Source) -> bool:
    """A function of up to three plain parameters that stands in a table under an id, or is registered as a module."""
    listed = parameters(function)
    is_plain = all(p.type == "identifier" for p in listed)
    if not is_plain or not 1 <= len(listed) <= 3:
        return False
    if _with_names(function) is not None:
        return True
    holder = _bare(function).parent
    if holder is None or holder.type == "arguments":
        return holder is not None and _is_registered(holder, function, source)
    if holder.type == "array":
        return len(listed) >= 2 and holder.named_child_count > 1
    key = _key(function, source)
    is_number = key is not None and key.isdecimal()
    least = 1 if function.type == "method_definition" else _SHORTEST_PATH
    return is_number or (key is not None and len(key) >= least)


def _bare(function: Node) -> Node:
    """The function with the parentheses around it."""
    while (up := above(function, "parenthesized_expression")) is not None:
        function = up
    return function


def _key(function: Node, source: Source) -> str | None:
    """The number or the string under which a module stands in its bundle."""
    if function.type == "method_definition":
        key = function.child_by_field_name("name")
    elif (given := above(_bare(function), "arguments")) is not None:
        key = given.named_child(0)
    else:
        key = child(above(_bare(function), "pair"), "key")
    if key is None or key.type not in ("number", "string"):
        return None
    return source.text(key).strip("\"'")


def _is_registered(given: Node, function: Node, source: Source) -> bool:
    """register("id", function (module, exports) {…}), or the helper for modules that begin when they are asked for."""
    called = callee(given.parent)
    name = (
        source.text(called) if called is not None and called.type != "function" else ""
    )
    if _key(function, source) is not None:
        is_register = name.lower().endswith("register") and "System" not in name
        return is_register or bool(name and source.places(name, _REGISTERS))
    return bool(name) and _is_lazy(name, given, source)


def _is_lazy(helper: str, given: Node, source: Source) -> bool:
    is_held = (
        above(given.parent, "variable_declarator", "assignment_expression") is not None
    )
    return is_held and bool(source.places(helper, _LAZILY))


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
        known = ev.union(*(_opened(ev, n) for n in found[:2]))
        ev.known["module", key] = known
    return known if isinstance(known, tuple) else NOTHING


def _opened(ev: Resolver, module: Namespace) -> Values:
    """The function or class that is all that a module exports; else the module."""
    source, node = module.source, module.node
    held = _wholes(source, node) if node is not None else []
    values = (
        ev.values(right, BoundScope(source))
        for right in held
        if right.type in (*FUNCTIONS, *CLASSES, "identifier")
    )
    functions = tuple(v for found in values for v in found if isinstance(v, Fn))
    return functions or (module,)


def _wholes(source: Source, node: Node) -> list[Node]:
    """What is assigned to `module.exports` in a module."""
    own = roles(node, source).items()
    label = next((name for name, role in own if role == "module"), "")
    places = (
        source.places(label, _WHOLE, node.start_byte, node.end_byte) if label else []
    )
    rights = (assigned_right(source, at) for at in places[:3])
    return [right for right in rights if right is not None]


def uses(ev: Resolver, source: Source, module: Node) -> Iterator[tuple[Source, Node]]:
    """The calls that require a module of a bundle."""
    key = _key(module, source)
    entry = _with_names(module) and module.parent
    if entry is not None:
        key = source.text(child(entry.parent, "key") or entry)
        names = _names_for(source, key)
    elif (
        key is None and (up := _bare(module).parent) is not None and up.type == "array"
    ):
        names = [str([n.id for n in up.named_children].index(_bare(module).id))]
    else:
        names = [key] if key is not None else []
    if (
        not names
        and (held := child(_holder(module, source), "name", "left")) is not None
    ):
        places = source.places(source.text(held), rb"(?P<at>NAME)\(\)")
        yield from _calls_at(source, places)
    for other in ev.sources if names else ():
        for name in names:
            if not other.is_library and other.mentions(name):
                yield from _calls_at(other, other.places(name, _REQUIRED))


def _holder(module: Node, source: Source) -> Node | None:
    return source.nearest(
        module.parent, "variable_declarator", "assignment_expression", "program"
    )


def _names_for(source: Source, key: str) -> list[str]:
    """The names that tables of modules have for an id."""
    rows = (
        above(source.node_at(at), "pair")
        for at in source.places(key, rb"[\"']\s*:\s*(?P<at>NAME)(?![\w.])")[:_MAX_USES]
    )
    keys = (child(row, "key") for row in rows)
    return list(
        dict.fromkeys(source.text(k).strip("\"'") for k in keys if k is not None)
    )


def _calls_at(source: Source, places: list[int]) -> Iterator[tuple[Source, Node]]:
    for at in places[:_MAX_USES]:
        call = source.nearest(source.node_at(at), "call_expression", "program")
        if call is not None and call.type == "call_expression":
            yield source, call


def _modules_in(source: Source, key: str) -> Iterator[Namespace]:
    if not source.mentions(key):
        return
    for at in source.places(key, _MODULE_KEY)[:20]:
        function = _function_under(source, at)
        if (
            function is not None
            and function.type in FUNCTIONS
            and is_bundled(function, source)
        ):
            yield Namespace(source, function)
    if key.isdecimal():
        yield from _by_position(source, int(key))


def _function_under(source: Source, at: int) -> Node | None:
    """What stands under the key at this place, alone or first in an array."""
    row = source.nearest(
        source.node_at(at), "pair", "method_definition", "object", "program"
    )
    if row is not None and row.type in ("object", "program"):
        given = source.nearest(source.node_at(at), "arguments", "program")
        value = nth(given, 1) if given is not None else None
    else:
        value = child(row, "value") if row is not None and row.type == "pair" else row
    while value is not None and value.type == "parenthesized_expression":
        value = nth(value, 0)
    return nth(value, 0) if value is not None and value.type == "array" else value


def _by_position(source: Source, index: int) -> Iterator[Namespace]:
    """Older bundles keep their modules in an array."""
    for node in source.walk(source.root, FUNCTIONS):
        if node.type == "array" and index < node.named_child_count:
            value = nth(node, index)
            if (
                value is not None
                and value.type in FUNCTIONS
                and is_bundled(value, source)
            ):
                yield Namespace(source, value)


def export(ev: Resolver, module: Namespace, name: str) -> Values:
    """What a module of a bundle exports under a name."""
    node = module.node
    if node is None:
        return NOTHING
    source, own = module.source, roles(node, module.source)
    label = next((n for n, role in own.items() if role == "exports"), "")
    if not own and (by_system := system.exported(ev, source, name, node)):
        return by_system
    found = [*_by_getter(ev, source, node, name), *_by_list(ev, source, node, name)]
    if label:
        pattern = re.escape(label.encode()) + rb"\.(?P<at>NAME)\s*=(?![=>])"
        places = source.places(name, pattern, node.start_byte, node.end_byte)
        found += _given(ev, source, places)
    for right in _wholes(source, node) if not found else ():
        for value in ev.values(right, BoundScope(source)):
            held = ev.member(value, name, BoundScope(source))
            is_whole = name in _EXPORTS and held in (NOTHING, (UNDEFINED,))
            found.append((value,) if is_whole else held)
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


def _function_after(source: Source, at: int) -> Node | None:
    node = source.nearest(source.node_at(at), "pair", "arguments", "program")
    last = (
        node.named_children[-1] if node is not None and node.named_child_count else None
    )
    return last if last is not None and last.type in FUNCTIONS else None


def call_getter(ev: Resolver, value: Value) -> Values:
    """`n.n(module)` gives a function that gives the module's default; other modules begin when they are called."""
    if not isinstance(value, Namespace):
        return NOTHING
    node = value.node
    if node is not None and above(_bare(node), "arguments", "object") is not None:
        return _opened(ev, value)
    return ev.exported(value, "default")


def begun_later(fn: Fn, args: Sequence[Lazy]) -> Values:
    """The module that a bundle's helper wraps, so that it begins when it is asked for; nothing for other functions."""
    source, node = fn.place.source, fn.node
    body = source.data[node.start_byte : node.end_byte]
    if len(args) != 1 or len(body) > _HELPER or not _MAKES_EXPORTS.search(body):
        return ()
    given = args[0].node
    given = nth(given, 0) if given is not None and given.type == "object" else given
    while given is not None and given.type == "parenthesized_expression":
        given = nth(given, 0)
    home = args[0].place
    is_module = given is not None and given.type in FUNCTIONS and home is not None
    return (Namespace(home.source, given),) if is_module and home else ()


def required_by(ev: Resolver, fn: Fn, key: Value) -> Values:
    """A bundle's own require function, known by its shape: it takes an id and gives back `.exports`."""
    source = fn.place.source
    body = source.data[fn.node.start_byte : fn.node.end_byte]
    if not isinstance(key, str | int) or len(body) > 1200 or b".exports" not in body:
        return NOTHING
    return bundled_module(ev, key)
