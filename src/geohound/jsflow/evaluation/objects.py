"""Members of objects, `this`, conditions: what can be said about them without running anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from tree_sitter import Node

from geohound.jsflow.model import words
from geohound.jsflow.modules import imports
from geohound.jsflow.syntax import nodes
from geohound.jsflow.syntax.source import Source, nth
from geohound.jsflow.values.domain import (
    HOLE,
    NOTHING,
    NULL,
    UNDEFINED,
    UNKNOWN,
    Arr,
    Fn,
    Inst,
    Lazy,
    Mark,
    Namespace,
    Obj,
    Place,
    Query,
    Ref,
    Reply,
    Value,
    Values,
    Web,
    ready,
)
from geohound.jsflow.values.resolver import Binding, Resolver

from . import classes

_SET = rb"\.(?P<at>NAME)\s*=(?![=>])"
_SET_BY_KEY = rb"\[[\"'](?P<at>NAME)[\"']\]\s*=(?![=>])"
_DEFINED = rb"(?:define|declare)\(\s*[\"'](?P<at>NAME)[\"']\s*,"
_EXTENDED = rb"(?:assign|extend|apply)\(\s*(?P<at>NAME)\s*,"
_WINDOWS = re.compile(r"^(?:(?:window|self|globalThis|top|parent)\.)+")
_LOCATIONS = frozenset(("location", "document.location", "window.location"))
_IN_LITERAL = rb"(?<![\w$.])[\"']?(?P<at>NAME)[\"']?\s*:(?!:)"
_METHOD = rb"(?<![\w$.])(?P<at>NAME)\s*\([^()]{0,200}\)\s*\{"
# Methods of strings, arrays, promises, elements and clients: theirs are meant more often than those of the page.
_COMMON = words(
    "map filter forEach find reduce join concat replace split slice push then catch toString trim get set has add on "
    "keys values entries includes indexOf test match call apply bind send open text json append init render update "
    "remove clear close start stop load show hide create destroy sort some every each extend attr val html data post"
)
_MAX_HITS = 30
_FEW = 3
_SMALL = 400_000


def member_expression(ev: Resolver, node: Node, place: Place) -> Values:
    inner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if inner is None or name is None:
        return NOTHING
    key = place.source.text(name)
    return ev.union(*(member(ev, value, key, place) for value in ev.values(inner, place)))


def subscript_expression(ev: Resolver, node: Node, place: Place) -> Values:
    inner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
    if inner is None or index is None:
        return NOTHING
    keys = ev.values(index, place)
    known = [k for k in keys if isinstance(k, str | int) and HOLE not in str(k)]
    found: list[Values] = []
    for value in ev.values(inner, place):
        if known:
            found += [member(ev, value, str(key), place) for key in known]
        elif isinstance(value, Arr):
            found.append(_some_item(ev, value, index, place))
        elif isinstance(value, Obj):
            found += [ev.any_of(lazies) for lazies in list(value.fields.values())[: ev.meter.budget.values]]
    return ev.union(*found)


def _some_item(ev: Resolver, array: Arr, index: Node, place: Place) -> Values:
    """An element by an index that counts: one at a time, the same one wherever the index stands in the loop."""
    loop = place.source.loop_of(index)
    if loop is None:
        return ev.any_of(array.items[: ev.meter.budget.values])
    key = ("index", place.source.index, loop.id, place.source.text(index))

    def options() -> list[Binding]:
        return [{"": ready(i)} for i in range(min(len(array.items), ev.meter.budget.choices))]

    binding = ev.choose(key, options)
    at = ev.lazy(binding[""])[0] if binding else None
    return ev.lazy(array.items[at]) if isinstance(at, int) and at < len(array.items) else NOTHING


def member(ev: Resolver, value: Value, name: str, place: Place) -> Values:
    """What a value holds under a name."""
    ev.meter.spend()
    match value:
        case Obj():
            return _of_object(ev, value, name)
        case Arr():
            if name == "length":
                return NOTHING if value.is_open else (len(value.items),)
            return ev.lazy(value.items[int(name)]) if name.isdecimal() and int(name) < len(value.items) else NOTHING
        case str():
            if name == "length":
                return (len(value),) if HOLE not in value else NOTHING
            return (value[int(name)],) if name.isdecimal() and int(name) < len(value) else NOTHING
        case Ref(path):
            return _of_global(ev, path, name, place)
        case Inst():
            return classes.of_instance(ev, value, name)
        case Fn():
            return classes.of_function(ev, value, name)
        case Web(href):
            return _of_address(href, name)
        case Namespace():
            return ev.exported(value, name)
        case Reply(url):
            return _of_reply(ev, imports.contents(ev, url), name, place)
    return _by_name_alone(ev, name) if value is UNKNOWN else NOTHING


def method_by_name_alone(ev: Resolver, name: str) -> list[Fn]:
    """The methods that a call on something unknown may mean."""
    if name in _COMMON:
        return []
    return [v for v in _by_name_alone(ev, name) if isinstance(v, Fn)]


def _by_name_alone(ev: Resolver, name: str) -> Values:
    """A property of an object that nothing is known of: where few places set such a property, it is one of them."""
    key = ("alone", name)
    if key in ev.active or len(name) < 3 or not name.isidentifier():
        return NOTHING
    if key not in ev.known:
        ev.active.add(key)
        try:
            ev.known[key] = _set_anywhere(ev, name)
        finally:
            ev.active.discard(key)
    known = ev.known[key]
    return known if isinstance(known, tuple) else NOTHING


def _set_anywhere(ev: Resolver, name: str) -> Values:
    found: list[Node] = []
    values: list[Values] = []
    for source in ev.sources:
        if source.is_library or not source.mentions(name) or len(source.raw) > _SMALL:
            continue
        for at in [*source.places(name, _SET), *source.places(name, _IN_LITERAL)][:_MAX_HITS]:
            place_set = nodes.target(source, at)
            right = place_set[1] if place_set is not None else _pair_value(source, at)
            if right is not None:
                found.append(right)
                if len(found) > _FEW:
                    return NOTHING
                values.append(ev.values(right, Place(source)))
        for at in source.places(name, _METHOD)[:_MAX_HITS]:
            node = source.node_at(at)
            method = node.parent if node is not None else None
            if method is not None and method.type == "method_definition":
                found.append(method)
                if len(found) > _FEW:
                    return NOTHING
                values.append((Fn(method, Place(source)),))
    return ev.union(*values)


def _pair_value(source: Source, at: int) -> Node | None:
    node = source.node_at(at)
    while node is not None and node.type not in ("pair", "object", "program"):
        node = source.up(node)
    return node.child_by_field_name("value") if node is not None and node.type == "pair" else None


def _of_reply(ev: Resolver, contents: Values, name: str, place: Place) -> Values:
    """Some libraries hand on the contents, others an answer that holds them."""
    held = ev.union(*(member(ev, v, name, place) for v in contents if isinstance(v, Obj | Arr)))
    if name in ("data", "body", "responseJSON") and held in (NOTHING, (UNDEFINED,)):
        return contents
    return held


def _of_object(ev: Resolver, value: Obj, name: str) -> Values:
    held = ev.any_of(value.fields[name]) if name in value.fields else ()
    if held and not all(v in (NULL, UNDEFINED, UNKNOWN) or v == "" for v in held):
        return _named(held, value.path, name)
    added = assigned(ev, value.path, name) if value.path else ()
    added = added or _set_by_methods(ev, value, name)
    if not added and not held and not value.fields and name[:1].isupper():  # an enumeration, filled under another name
        added = tuple(v for v in _by_name_alone(ev, name) if v is not UNKNOWN)
    return _named(ev.union(held, added), value.path, name) if held or added else (UNDEFINED,)


def _set_by_methods(ev: Resolver, value: Obj, name: str) -> Values:
    """What the methods of a literal assign to `this.name`: in classes that are written as objects."""
    key = ("this", id(value), 0, name)
    if value.origin is None or key in ev.active:
        return ()
    node, place = value.origin
    ev.active.add(key)
    try:
        found = classes.set_on_this(ev, place.source, node, name, place)
    finally:
        ev.active.discard(key)
    return tuple(v for group in found for v in group if v not in (UNDEFINED, NULL, UNKNOWN))


def _named(values: Values, path: str, name: str) -> Values:
    for value in values:
        if isinstance(value, Obj) and not value.path and path:
            value.path = f"{path}.{name}"
    return values


def _of_global(ev: Resolver, path: str, name: str, place: Place) -> Values:
    bare = _WINDOWS.sub("", path)
    if bare in ("window", "self", "globalThis", "top", "parent"):
        return ev.global_name(name, place)
    if bare in _LOCATIONS:
        return _of_address(ev.page_url, name)
    if bare == "document" and name in ("URL", "baseURI", "documentURI"):
        return (ev.page_url,)
    if (bare, name) in (("import.meta", "url"), ("document.currentScript", "src")):
        return (place.source.script.url,)
    found = assigned(ev, f"{bare}", name)
    return _named(found, bare, name) if found else (Ref(f"{bare}.{name}"),)


def _of_address(href: str, name: str) -> Values:
    try:
        parts = urlsplit(href)
        known: dict[str, Value] = {
            "href": href,
            "protocol": f"{parts.scheme}:",
            "host": parts.netloc.rpartition("@")[2],
            "hostname": parts.hostname or "",
            "port": str(parts.port or ""),
            "origin": f"{parts.scheme}://{parts.netloc}",
            "pathname": parts.path or "/",
            "search": f"?{parts.query}" if parts.query else "",
            "hash": f"#{parts.fragment}" if parts.fragment else "",
        }
    except ValueError:
        return NOTHING
    if name == "searchParams":
        return (Query([]),)
    return (known.get(name, UNKNOWN),)


def assigned(ev: Resolver, path: str, name: str) -> Values:
    """What the scripts assign to `path.name` anywhere."""
    key = ("assigned", path, name)
    if key in ev.active or not name.isidentifier():
        return ()
    if key in ev.known:
        known = ev.known[key]
        return known if isinstance(known, tuple) else ()
    ev.active.add(key)
    touches = ev.touches
    try:
        found = [v for s in ev.sources if not s.is_library and s.mentions(name) for v in _set_in(ev, s, path, name)]
    finally:
        ev.active.discard(key)
    found = found or [v for s in ev.sources if not s.is_library for v in _defined_in(ev, s, path, name)]
    result = ev.union(tuple(found)) if found else ()
    if touches == ev.touches:
        ev.known[key] = result
    return result


def _defined_in(ev: Resolver, source: Source, path: str, name: str) -> Iterator[Value]:
    """Ext.define("path", {…}), dojo.declare("path", …, {…}): members of the object, getters of its configuration."""
    if (not source.mentions("define(") and not source.mentions("declare(")) or not source.mentions(path):
        return
    for at in source.places(path, _DEFINED)[:_FEW]:
        node = source.node_at(at)
        while node is not None and node.type != "call_expression":
            node = source.up(node)
        for lazy in ev.lazy_arguments(node, Place(source))[1:] if node is not None else ():
            for made in ev.lazy(lazy):
                if not isinstance(made, Obj):
                    continue
                yield from ev.any_of(made.fields[name]) if name in made.fields else _getter(ev, made, name)


def _getter(ev: Resolver, made: Obj, name: str) -> Iterator[Value]:
    key = name[3:4].lower() + name[4:]
    for config in ev.any_of(made.fields["config"]) if name.startswith("get") and "config" in made.fields else ():
        if isinstance(config, Obj) and key in config.fields:
            yield from ev.any_of(config.fields[key])


def _set_in(ev: Resolver, source: Source, path: str, name: str) -> Iterator[Value]:
    for pattern in (_SET, _SET_BY_KEY):
        for at in source.places(name, pattern)[:_MAX_HITS]:
            place_set = nodes.target(source, at)
            if place_set is None:
                continue
            holder, right = place_set
            text = _WINDOWS.sub("", source.text(holder)) if holder.end_byte - holder.start_byte < 120 else ""
            if text == path or text.rpartition(".")[2] == path:
                yield from ev.values(right, Place(source))
    last = path.rpartition(".")[2]
    if source.mentions(f"{last},") or source.mentions(f"{last} ,"):
        for at in source.places(path, _EXTENDED)[:_MAX_HITS]:
            yield from _extended(ev, source, at, name)


def _extended(ev: Resolver, source: Source, at: int, name: str) -> Iterator[Value]:
    node = source.node_at(at)
    while node is not None and node.type != "call_expression":
        node = source.up(node)
    for lazy in ev.lazy_arguments(node, Place(source))[1:] if node is not None else ():
        for value in ev.lazy(lazy):
            if isinstance(value, Obj) and name in value.fields:
                yield from ev.any_of(value.fields[name])


def key_names(ev: Resolver, key: Node, place: Place) -> list[str]:
    text = place.source.text(key)
    if key.type == "computed_property_name":
        inner = nth(key, 0)
        return [v for v in (ev.values(inner, place) if inner is not None else ()) if isinstance(v, str)]
    return [text.strip("\"'")]


def merge_into(ev: Resolver, made: Obj, others: Sequence[Lazy]) -> None:
    """Object.assign and spread: later fields replace."""
    for lazy in others:
        for value in ev.lazy(lazy):
            if isinstance(value, Obj):
                made.fields.update(value.fields)
                made.is_open = made.is_open or value.is_open
            elif not isinstance(value, Mark) or value is UNKNOWN:
                made.is_open = True
