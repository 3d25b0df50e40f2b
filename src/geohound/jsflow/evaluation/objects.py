"""Members of objects, `this`, conditions: what can be said about them without running anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from tree_sitter import Node

from geohound.jsflow.model import words
from geohound.jsflow.modules import files
from geohound.jsflow.syntax import nodes
from geohound.jsflow.syntax.source import Source, arguments, nth
from geohound.jsflow.syntax.tree import above, child
from geohound.jsflow.values.domain import (
    HOLE,
    NOTHING,
    NULL,
    UNDEFINED,
    UNKNOWN,
    Arr,
    BoundScope,
    FetchedFile,
    Fn,
    Inst,
    Lazy,
    Mark,
    Namespace,
    Obj,
    Ref,
    UrlObject,
    Value,
    Values,
    ready,
)
from geohound.jsflow.values.resolver import Binding, Resolver

from . import classes, names

_SET = rb"\.(?P<at>NAME)\s*=(?![=>])"
_SET_BY_KEY = rb"\[[\"'](?P<at>NAME)[\"']\]\s*=(?![=>])"
_DEFINED = rb"(?:define|declare)\(\s*[\"'](?P<at>NAME)[\"']\s*,"
DEFINED_BY_CALL = rb"[\w$]\(\s*[\w$.]{1,30}\s*,\s*[\"'](?P<at>NAME)[\"']\s*,"
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
_COMPONENT = words("data computed methods")
_EMPTY = (NULL, UNDEFINED, UNKNOWN, "")
_MAX_HITS = 30
_FEW = 3
_SMALL = 400_000


def member_expression(ev: Resolver, node: Node, place: BoundScope) -> Values:
    inner = node.child_by_field_name("object")
    name = node.child_by_field_name("property")
    if inner is None or name is None:
        return NOTHING
    key = place.source.text(name)
    if inner.type == "this" and (above := _set_above(ev, node, key, place)):
        return above
    return ev.union(
        *(member(ev, value, key, place) for value in ev.values(inner, place))
    )


def _set_above(ev: Resolver, node: Node, key: str, place: BoundScope) -> Values:
    """What the function around gave to `this.key` before it comes here; nothing where that is not sure."""
    source = place.source
    function = source.scope_of(node)
    defs = [
        nodes.definition(assignment)
        for assignment in nodes.set_on_this(source, key, function)
        if assignment.end_byte <= node.start_byte
        and source.scope_of(assignment).id == function.id
    ]
    if not defs or names.may_not_happen(source, defs[0], node):
        return ()
    return names.in_order(ev, defs, node, place, ())


def subscript_expression(ev: Resolver, node: Node, place: BoundScope) -> Values:
    inner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
    if inner is None or index is None:
        return NOTHING
    possible = ev.values(index, place)
    keys = [str(k) for k in possible if isinstance(k, str | int) and HOLE not in str(k)]
    is_known = len(keys) == len(possible)
    found: list[Values] = []
    for value in ev.values(inner, place):
        if isinstance(value, Arr | Obj) and not is_known:
            found.append(_some_member(ev, value, index, place))
        else:
            found.extend(member(ev, value, key, place) for key in keys)
    return ev.union(*found)


def _some_member(
    ev: Resolver, table: Arr | Obj, index: Node, place: BoundScope
) -> Values:
    """What stands under a key that is not known, or not always."""
    if isinstance(table, Arr):
        return _some_item(ev, table, index, place)
    fields = list(table.fields.values())[: ev.meter.budget.values]
    return tuple(v for lazies in fields for v in ev.any_of(lazies))


def _some_item(ev: Resolver, array: Arr, index: Node, place: BoundScope) -> Values:
    """An element by an index that counts: one at a time, the same one wherever the index stands in the loop."""
    loop = place.source.loop_of(index)
    if loop is None:
        return ev.any_of(array.items[: ev.meter.budget.values])
    key = ("index", place.source.index, loop.id, place.source.text(index))

    def options() -> list[Binding]:
        return [
            {"": ready(i)}
            for i in range(min(len(array.items), ev.meter.budget.choices))
        ]

    binding = ev.choose(key, options)
    at = ev.lazy(binding[""])[0] if binding else None
    return (
        ev.lazy(array.items[at])
        if isinstance(at, int) and at < len(array.items)
        else NOTHING
    )


def member(ev: Resolver, value: Value, name: str, place: BoundScope) -> Values:
    """What a value holds under a name."""
    ev.meter.spend()
    match value:
        case Obj():
            return _of_object(ev, value, name)
        case Arr():
            return _of_array(ev, value, name)
        case str():
            return _of_string(value, name)
        case Ref(path):
            return _of_global(ev, path, name, place)
        case UrlObject(href):
            return _of_address(href, name)
        case FetchedFile(url):
            return _of_reply(ev, files.contents(ev, url), name, place)
    return _of_code(ev, value, name)


def _of_code(ev: Resolver, value: Value, name: str) -> Values:
    """A member of what the page's own code makes, or of something that is not known."""
    match value:
        case Inst():
            return classes.of_instance(ev, value, name)
        case Fn():
            return classes.of_function(ev, value, name)
        case Namespace():
            return ev.exported(value, name)
    return _by_name_alone(ev, name) if value is UNKNOWN else NOTHING


def _of_array(ev: Resolver, array: Arr, name: str) -> Values:
    if name == "length":
        return NOTHING if array.is_open else (len(array.items),)
    is_there = name.isdecimal() and int(name) < len(array.items)
    return ev.lazy(array.items[int(name)]) if is_there else NOTHING


def _of_string(text: str, name: str) -> Values:
    if name == "length":
        return NOTHING if HOLE in text else (len(text),)
    is_there = name.isdecimal() and int(name) < len(text)
    return (text[int(name)],) if is_there else NOTHING


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
    values: list[Values] = []
    for source in ev.sources:
        if source.is_library or not source.mentions(name) or len(source.raw) > _SMALL:
            continue
        for node in _givers(source, name):
            if len(values) == _FEW:
                return NOTHING
            place = BoundScope(source)
            is_method = node.type == "method_definition"
            values.append((Fn(node, place),) if is_method else ev.values(node, place))
    return ev.union(*values)


def _givers(source: Source, name: str) -> Iterator[Node]:
    """The expressions that are given to properties of this name, and the methods that are called so."""
    for at in [*source.places(name, _SET), *source.places(name, _IN_LITERAL)][
        :_MAX_HITS
    ]:
        place_set = nodes.target(source, at)
        right = place_set[1] if place_set is not None else _pair_value(source, at)
        if right is not None:
            yield right
    for at in source.places(name, _METHOD)[:_MAX_HITS]:
        method = above(source.node_at(at), "method_definition")
        if method is not None:
            yield method


def _pair_value(source: Source, at: int) -> Node | None:
    node = source.nearest(source.node_at(at), "pair", "object", "program")
    return child(node, "value") if node is not None and node.type == "pair" else None


def _of_reply(ev: Resolver, contents: Values, name: str, place: BoundScope) -> Values:
    """Some libraries hand on the contents, others an answer that holds them."""
    held = ev.union(
        *(member(ev, v, name, place) for v in contents if isinstance(v, Obj | Arr))
    )
    if name in ("data", "body", "responseJSON") and held in (NOTHING, (UNDEFINED,)):
        return contents
    return held


def _of_object(ev: Resolver, value: Obj, name: str) -> Values:
    held = ev.any_of(value.fields[name]) if name in value.fields else ()
    if any(v not in _EMPTY for v in held):
        return _named(held, value.path, name)
    added = _added(ev, value, name)
    # an enumeration, filled under another name
    if not added and not value.fields and name[:1].isupper():
        added = tuple(v for v in _by_name_alone(ev, name) if v is not UNKNOWN)
    found = added or held  # an empty field waits for what is put there
    return _named(ev.union(found), value.path, name) if found else (UNDEFINED,)


def _added(ev: Resolver, value: Obj, name: str) -> Values:
    """What is put on an object later: by its name, or by its own methods."""
    by_name = assigned(ev, value.path, name) if value.path else ()
    return by_name or _of_component(ev, value, name) or _set_by_methods(ev, value, name)


def _of_component(ev: Resolver, value: Obj, name: str) -> Values:
    """What the options of a component say that it has: its data, what it computes, its methods."""
    for part in _COMPONENT & value.fields.keys():
        for held in ev.any_of(value.fields[part]):
            made = ev.invoke(held, [], value) if isinstance(held, Fn) else (held,)
            for table in made:
                if isinstance(table, Obj) and name in table.fields:
                    found = ev.any_of(table.fields[name])
                    return found if part != "computed" else _computed(ev, found, value)
    return ()


def _computed(ev: Resolver, found: Values, component: Obj) -> Values:
    return ev.union(*(ev.invoke(f, [], component) for f in found if isinstance(f, Fn)))


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
    return tuple(
        v for group in found for v in group if v not in (UNDEFINED, NULL, UNKNOWN)
    )


def _named(values: Values, path: str, name: str) -> Values:
    for value in values:
        if isinstance(value, Obj) and not value.path and path:
            value.path = f"{path}.{name}"
    return values


def _of_global(ev: Resolver, path: str, name: str, place: BoundScope) -> Values:
    bare = _WINDOWS.sub("", path)
    if bare in ("window", "self", "globalThis", "top", "parent"):
        return ev.global_name(name)
    if bare in _LOCATIONS:
        ev.reads_address = True
        return _of_address(ev.page_url, name)
    if bare == "document" and name in ("URL", "baseURI", "documentURI"):
        ev.reads_address = True
        return (ev.page_url,)
    if (bare, name) in (("import.meta", "url"), ("document.currentScript", "src")):
        ev.reads_address = True
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
    return (known.get(name, UNKNOWN),)


def assigned(ev: Resolver, path: str, name: str) -> Values:
    """What the scripts assign to `path.name` anywhere."""
    key = ("assigned", path, name)
    if key in ev.active or not name.isidentifier():
        return ()
    known = ev.known.get(key)
    if isinstance(known, tuple):
        return known
    touches = ev.touches
    found = _set_in_any(ev, path, name) or [
        v for s in ev.sources for v in _defined_in(ev, s, path, name)
    ]
    result = ev.union(tuple(found)) if found else ()
    if touches == ev.touches:
        ev.known[key] = result
    return result


def _set_in_any(ev: Resolver, path: str, name: str) -> list[Value]:
    key = ("assigned", path, name)
    ev.active.add(key)
    try:
        own = [s for s in ev.sources if not s.is_library and s.mentions(name)]
        return [v for s in own for v in _set_in(ev, s, path, name)]
    finally:
        ev.active.discard(key)


def _defined_in(ev: Resolver, source: Source, path: str, name: str) -> Iterator[Value]:
    """Ext.define("path", {…}), dojo.declare("path", …, {…}): members of the object, getters of its configuration."""
    if source.is_library or not source.mentions(path):
        return
    if not source.mentions("define(") and not source.mentions("declare("):
        return
    for at in source.places(path, _DEFINED)[:_FEW]:
        for made in _further_arguments(ev, source, at):
            if isinstance(made, Obj):
                yield from (
                    ev.any_of(made.fields[name])
                    if name in made.fields
                    else _getter(ev, made, name)
                )


def _further_arguments(ev: Resolver, source: Source, at: int) -> Iterator[Value]:
    """The values of all arguments but the first, of the call around a place."""
    call = source.nearest(source.node_at(at), "call_expression")
    given = ev.lazy_arguments(call, BoundScope(source))[1:] if call is not None else []
    for lazy in given:
        yield from ev.lazy(lazy)


def _getter(ev: Resolver, made: Obj, name: str) -> Iterator[Value]:
    key = name[3:4].lower() + name[4:]
    for config in (
        ev.any_of(made.fields["config"])
        if name.startswith("get") and "config" in made.fields
        else ()
    ):
        if isinstance(config, Obj) and key in config.fields:
            yield from ev.any_of(config.fields[key])


def _set_in(ev: Resolver, source: Source, path: str, name: str) -> Iterator[Value]:
    for pattern in (_SET, _SET_BY_KEY):
        for at in source.places(name, pattern)[:_MAX_HITS]:
            place_set = nodes.target(source, at)
            if place_set is None:
                continue
            holder, right = place_set
            text = (
                _WINDOWS.sub("", source.text(holder))
                if holder.end_byte - holder.start_byte < 120
                else ""
            )
            if text == path or text.rpartition(".")[2] == path:
                yield from ev.values(right, BoundScope(source))
    yield from _set_by_call(ev, source, path, name)
    last = path.rpartition(".")[2]
    if source.mentions(f"{last},") or source.mentions(f"{last} ,"):
        for at in source.places(path, _EXTENDED)[:_MAX_HITS]:
            yield from _extended(ev, source, at, name)


def _set_by_call(ev: Resolver, source: Source, path: str, name: str) -> Iterator[Value]:
    """Helpers of compilers that define a property: set(path, "name", value)."""
    for at in source.places(name, DEFINED_BY_CALL)[:_MAX_HITS]:
        call = source.nearest(source.node_at(at), "call_expression")
        given = arguments(call) if call is not None else []
        if len(given) == 3 and source.text(given[0])[:120] == path:
            yield from ev.values(given[2], BoundScope(source))


def _extended(ev: Resolver, source: Source, at: int, name: str) -> Iterator[Value]:
    for value in _further_arguments(ev, source, at):
        if isinstance(value, Obj) and name in value.fields:
            yield from ev.any_of(value.fields[name])


def key_names(ev: Resolver, key: Node, place: BoundScope) -> list[str]:
    text = place.source.text(key)
    if key.type == "computed_property_name":
        inner = nth(key, 0)
        return [
            v
            for v in (ev.values(inner, place) if inner is not None else ())
            if isinstance(v, str)
        ]
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
