"""SystemJS: System.register([names], function (_export) { … return {setters: […], execute: function () {…}} })."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source, arguments, nth, parameters
from geohound.jsflow.syntax.tree import FUNCTIONS, above, child
from geohound.jsflow.values.domain import BoundScope, Namespace, Values
from geohound.jsflow.values.resolver import Resolver

_REGISTER = rb"(?<![\w$])System\.(?P<at>NAME)\s*\("
_NAMED = rb"(?<![\w$])System\.register\(\s*[\"'](?P<at>NAME)[\"']\s*,"
_EXPORTED = rb"(?<![\w$.])[\w$]{1,40}\(\s*[\"'](?P<at>NAME)[\"']\s*,"
_LISTED = rb"[{,]\s*[\"']?(?P<at>NAME)[\"']?\s*:"
_MAX_MODULES = 50


def dependency(setter: Node, setters: Node, source: Source) -> str:
    """The name of the module that a setter is for; empty where the function is no setter."""
    key = child(above(setters, "pair"), "key")
    if key is None or source.text(key).strip("\"'") != "setters":
        return ""
    function = source.scope_of(setters)
    call = above(above(function, "arguments"), "call_expression")
    listed = (
        next((a for a in arguments(call) if a.type == "array"), None)
        if call is not None
        else None
    )
    at = next(
        (i for i, node in enumerate(setters.named_children) if node.id == setter.id), -1
    )
    name = nth(listed, at) if listed is not None and at >= 0 else None
    return source.text(name).strip("\"'") if name is not None else ""


def registered(ev: Resolver, name: str) -> Values:
    """The module that a script of the page registers under its name."""
    for source in ev.sources:
        if source.is_library or not source.mentions("System.register"):
            continue
        for at in source.places(name, _NAMED)[:1]:
            call = source.nearest(source.node_at(at), "call_expression")
            function = (
                next((a for a in arguments(call) if a.type in FUNCTIONS), None)
                if call is not None
                else None
            )
            if function is not None:
                return (Namespace(source, function),)
    return ()


def exported(
    ev: Resolver, source: Source, name: str, function: Node | None = None
) -> Values:
    """What a module of SystemJS exports under a name: _export("name", value), _export({name: value})."""
    if not source.mentions("System.register"):
        return ()
    found: list[Values] = []
    for module in [function] if function is not None else list(_modules(source)):
        label = nth(module.child_by_field_name("parameters") or module, 0)
        own = source.text(label) if label is not None else ""
        found += _given(ev, source, module, own, name)
    return ev.union(*found) if found else ()


def _modules(source: Source) -> Iterator[Node]:
    for at in source.places("register", _REGISTER)[:_MAX_MODULES]:
        call = source.nearest(source.node_at(at), "call_expression")
        yield from (
            a
            for a in (arguments(call) if call is not None else ())
            if a.type in FUNCTIONS and parameters(a)
        )


def _given(
    ev: Resolver, source: Source, module: Node, own: str, name: str
) -> Iterator[Values]:
    places = [
        *source.places(name, _EXPORTED, module.start_byte, module.end_byte)[:10],
        *source.places(name, _LISTED, module.start_byte, module.end_byte)[:10],
    ]
    for at in places:
        call = source.nearest(source.node_at(at), "call_expression")
        called = child(call, "function")
        if call is None or called is None or source.text(called) != own:
            continue
        pair = source.nearest(source.node_at(at), "pair", "arguments")
        value = child(pair, "value") or next(iter(arguments(call)[1:]), None)
        if value is not None:
            yield ev.values(value, BoundScope(source))
