"""Which values a name can have where it is used: scopes, parameters, loops, other scripts of the page."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.model import words
from geohound.jsflow.modules import bundles, imports
from geohound.jsflow.syntax.source import FUNCTIONS, Def, Source, parameters
from geohound.jsflow.values.domain import (
    NOTHING,
    UNDEFINED,
    UNKNOWN,
    Arr,
    Fn,
    Inst,
    Lazy,
    Obj,
    Place,
    Ref,
    Value,
    Values,
    ready,
)
from geohound.jsflow.values.resolver import Binding, Key, Resolver

from . import call_sites, patterns

_ASSIGNED = rb"(?<![\w$.])(?P<at>NAME)\s*(?:\+|\|\||\?\?)?=(?![=>])"
_PUSHED = rb"(?<![\w$.])(?P<at>NAME)\.push\("
_PUT = rb"(?<![\w$.])(?P<at>NAME)\[[\w.+ ]{1,40}\]\s*=(?![=>])"
_ON_WINDOW = rb"(?:window|self|globalThis|this|global)\.(?P<at>NAME)\s*=(?![=>])"
_PROVIDED = rb"\.(?:factory|service|value|constant)\(\s*[\"'](?P<at>NAME)[\"']\s*,"
_MAX_HITS = 40
_MAX_ALTERNATIVES = 8
_HUGE = 300_000
_DECLARES = frozenset(("var", "declared", "function", "class", "import", "each", "key"))
# Never looked for in the page's scripts: the browser's own, and what libraries are called.
_GLOBALS = words(
    "window document location console Math JSON Object Array String Number Promise URL URLSearchParams "
    "fetch $ jQuery L ol OpenLayers esri dojo Cesium google mapboxgl maplibregl require define module "
    "exports axios angular React Vue encodeURIComponent decodeURIComponent encodeURI decodeURI parseInt "
    "parseFloat Date RegExp Error Boolean self globalThis navigator localStorage sessionStorage "
    "setTimeout atob btoa Symbol Map Set itowns WorldWind proj4 Ext"
)


def look_up(ev: Resolver, name: str, node: Node, place: Place) -> Values:
    """The alternatives for a name at this place."""
    if name == "undefined":
        return (UNDEFINED,)
    source = place.source
    scope = source.scope_of(node)
    while True:
        if scope.type in FUNCTIONS:
            if name == "arguments" and scope.type != "arrow_function":
                return _parameter(ev, name, scope, node, place)
            for pattern in parameters(scope):
                if name in _names_in(source, pattern):
                    return _parameter(ev, name, scope, node, place)
        defs = source.names(scope).get(name, [])
        if any(d.how in _DECLARES for d in defs):
            return _declared(ev, name, scope, node, place)
        own = scope.child_by_field_name("name") if scope.type == "function_expression" else None
        if own is not None and source.text(own) == name:
            return (Fn(scope, place),)
        if scope.type not in FUNCTIONS:
            return global_name(ev, name, place)
        scope = source.scope_of(scope)


def _names_in(source: Source, pattern: Node) -> list[str]:
    if pattern.type == "identifier":
        return [source.text(pattern)]
    kinds = ("identifier", "shorthand_property_identifier_pattern")
    left = pattern.child_by_field_name("left") if pattern.type == "assignment_pattern" else pattern
    if left is None or left.type == "identifier":
        return [source.text(left)] if left is not None else []
    return [source.text(p) for p in source.walk(left, FUNCTIONS) if p.type in kinds]


def _parameter(ev: Resolver, name: str, function: Node, node: Node, place: Place) -> Values:
    """A parameter: as bound now, or else as given at the call sites; reassigned ones by what was assigned before."""
    source = place.source
    env = place.env.find((source.index, function.id)) if place.env else None
    if env is not None:
        base = ev.lazy(env.names[name]) if name in env.names else (UNDEFINED,)
    else:
        wired = bundles.wired_parameter(name, function, source)
        if wired is not None:
            return wired
        key = ("param", source.index, function.id, "")
        binding = ev.choose(key, lambda: call_sites.bindings(ev, function, source))
        base = ev.lazy(binding[name]) if binding and name in binding else NOTHING
        if base == NOTHING and binding is not None:
            unbound: Binding = {}
            for pattern in parameters(function):
                patterns.take_apart(ev, pattern, None, Place(source), unbound)
            base = ev.lazy(unbound[name]) if name in unbound else NOTHING
            base = injected(ev, name) if base in ((UNDEFINED,), NOTHING) else base
    defs = [d for d in source.names(function).get(name, []) if d.node.end_byte <= node.start_byte]
    return _in_order(ev, defs, node, place, base) if defs else base


def injected(ev: Resolver, name: str) -> Values:
    """What a framework hands to parameters of this name: the factories, services and values of AngularJS."""
    key = ("injected", name)
    if key not in ev.known:
        ev.known[key] = NOTHING
        found = [v for s in ev.sources if not s.is_library and s.mentions(".module(") for v in _provided(ev, s, name)]
        ev.known[key] = ev.union(tuple(found)) if found else NOTHING
    known = ev.known[key]
    return known if isinstance(known, tuple) else NOTHING


def _provided(ev: Resolver, source: Source, name: str) -> Iterator[Value]:
    for at in source.places(name, _PROVIDED)[:3]:
        node = source.node_at(at)
        while node is not None and node.type != "call_expression":
            node = source.up(node)
        given = ev.lazy_arguments(node, Place(source)) if node is not None else []
        callee = node.child_by_field_name("function") if node is not None else None
        is_factory = callee is not None and source.text(callee).endswith("factory")
        for value in ev.lazy(given[1]) if len(given) > 1 else ():
            # An array names what the function needs, the function stands last.
            made = ev.lazy(value.items[-1])[0] if isinstance(value, Arr) and value.items else value
            if isinstance(made, Fn) and is_factory:
                yield from ev.invoke(made, [])
            else:
                yield Inst(made) if isinstance(made, Fn) else made


def _declared(ev: Resolver, name: str, scope: Node, node: Node, place: Place) -> Values:
    source = place.source
    guard = ("name", source.index, scope.id, name, node.start_byte)
    if guard in ev.active:
        return (Ref(name),)
    ev.active.add(guard)
    touches = ev.touches
    try:
        found = _from_definitions(ev, name, scope, node, place)
    finally:
        ev.active.discard(guard)
    if 1 < len(found) <= _MAX_ALTERNATIVES and place.env is None and touches == ev.touches:
        found = _one_of(ev, found, ("name", source.index, scope.id, name))
    return tuple(_grown(ev, name, scope, value, place) for value in found)


def _one_of(ev: Resolver, found: Values, key: Key) -> Values:
    """One string at a time, so that a name which stands twice in an address is the same at both places."""
    if not all(isinstance(v, str) for v in found):
        return found
    binding = ev.choose(key, lambda: [{"": ready(v)} for v in found])
    return ev.lazy(binding[""]) if binding else found


def _from_definitions(ev: Resolver, name: str, scope: Node, node: Node, place: Place) -> Values:
    source = place.source
    defs = _in_nearest_block(ev, source, source.names(scope)[name], node)
    user = source.scope_of(node)
    elsewhere = _nested_assignments(source, name, scope, defs)
    if user.id == scope.id:
        before = [d for d in defs if d.at < node.start_byte and not _holds(d, node)] or defs
        hoisted = [d for d in defs if d.how in ("function", "class", "import") and d not in before]
        found = _in_order(ev, [*hoisted, *before], node, place, ())
        if found and not all(v in (UNDEFINED, UNKNOWN) or v == "" for v in found):
            return found
        return ev.union(found, *(_assigned(ev, source, d, place) for d in elsewhere[:_MAX_HITS]))
    own = [d for d in elsewhere if d.at < node.start_byte and source.scope_of(d.node).id == user.id]
    if own and not _may_not_happen(source, own[-1], node):
        return _in_order(ev, own, node, place, ())
    found = _in_order(ev, [d for d in defs if not _holds(d, node)] or defs, node, place, ())
    return ev.union(found, *(_assigned(ev, source, d, place) for d in elsewhere[:_MAX_HITS] if not _holds(d, node)))


def _holds(definition: Def, node: Node) -> bool:
    return (
        definition.how not in ("function", "class", "import")
        and definition.node.start_byte <= node.start_byte < definition.node.end_byte
    )


def _in_nearest_block(ev: Resolver, source: Source, defs: list[Def], node: Node) -> list[Def]:
    """Of names that several blocks declare for themselves, the one whose block is around the use."""
    ev.meter.spend(len(defs) // 2)  # of each the block around it is looked for
    if sum(d.how in _DECLARES for d in defs) < 2:
        return defs
    inside: list[tuple[int, Def]] = []
    for d in defs:
        block = source.block_of(d.node)
        if block is not None and block.start_byte <= node.start_byte < block.end_byte:
            inside.append((block.end_byte - block.start_byte, d))
    scoped = [(size, d) for size, d in inside if d.how in _DECLARES]
    if not scoped:
        return defs
    smallest = min(size for size, _ in scoped)
    return [d for size, d in inside if size <= smallest or d.how not in _DECLARES]


def _in_order(ev: Resolver, defs: list[Def], node: Node, place: Place, base: Values) -> Values:
    """What a name holds after these definitions: later ones replace, appends append, branches add alternatives."""
    current = base
    for d in sorted(defs, key=lambda d: d.at):
        if d.how == "declared":
            continue
        given = _assigned(ev, place.source, d, place)
        if d.how == "append":
            given = ev.concat(current or NOTHING, given)
        current = ev.union(current, given) if current and _may_not_happen(place.source, d, node) else given
    return current or (UNDEFINED,)


def _may_not_happen(source: Source, definition: Def, node: Node) -> bool:
    block = source.block_of(definition.node)
    return block is not None and not block.start_byte <= node.start_byte <= block.end_byte


def _assigned(ev: Resolver, source: Source, d: Def, place: Place) -> Values:
    where = Place(source, place.env)
    match d.how:
        case "function" | "class":
            return (Fn(d.node, where),)
        case "import":
            return imports.imported(ev, d.node, source)
        case "each" | "key":
            return _looped(ev, source, d, where)
    lazy = Lazy(d.node, where)
    if d.pattern is None:
        return ev.lazy(lazy)
    found: Binding = {}
    patterns.take_apart(ev, d.pattern, lazy, where, found)
    return ev.lazy(found[d.name]) if d.name in found else NOTHING


def _looped(ev: Resolver, source: Source, d: Def, where: Place) -> Values:
    """The variable of a for-of or for-in loop: one element at a time, so that its parts stay together."""
    key = ("loop", source.index, d.at, "")

    def options() -> list[Binding]:
        return [{"": lazy} for lazy in call_sites.elements(ev, ev.values(d.node, where), keys=d.how == "key")]

    binding = ev.choose(key, options)
    if not binding:
        return NOTHING
    if d.pattern is None:
        return ev.lazy(binding[""])
    found: Binding = {}
    patterns.take_apart(ev, d.pattern, binding[""], where, found)
    return ev.lazy(found[d.name]) if d.name in found else NOTHING


def _nested_assignments(source: Source, name: str, scope: Node, own: list[Def]) -> list[Def]:
    """Assignments to the name in functions inside its scope."""
    has_value = any(d.how != "declared" for d in own)
    if has_value and len(name) <= 2 and scope.end_byte - scope.start_byte > _HUGE:
        return []
    found = []
    known = {d.at for d in own}
    for at in source.places(name, _ASSIGNED, scope.start_byte, scope.end_byte)[:_MAX_HITS]:
        node = source.node_at(at)
        up = node.parent if node is not None else None
        if node is None or up is None or up.start_byte in known or "assignment" not in up.type:
            continue
        right = up.child_by_field_name("right")
        if right is None or up.start_byte != at or source.scope_of(up).id == scope.id:
            continue
        if not _is_shadowed(source, name, up, scope):
            how = "append" if up.type == "augmented_assignment_expression" else "assign"
            found.append(Def(how, right, at))
    return found


def _is_shadowed(source: Source, name: str, node: Node, scope: Node) -> bool:
    inner = source.scope_of(node)
    while inner.id != scope.id and inner.type in FUNCTIONS:
        if any(d.how in _DECLARES for d in source.names(inner).get(name, [])):
            return True
        if inner.type in FUNCTIONS and any(name in _names_in(source, p) for p in parameters(inner)):
            return True
        inner = source.scope_of(inner)
    return False


def _grown(ev: Resolver, name: str, scope: Node, value: Value, place: Place) -> Value:
    """An array with what is pushed to it elsewhere; an object with the name by which others add to it."""
    if isinstance(value, Obj) and not value.path:
        value.path = name
    if not isinstance(value, Arr):
        return value
    key = ("pushed", place.source.index, scope.id, name)
    if key not in ev.known:
        items = list(value.items)
        for at in place.source.places(name, _PUSHED, scope.start_byte, scope.end_byte)[:200]:
            node = place.source.node_at(at)
            call = node.parent.parent if node is not None and node.parent is not None else None
            if call is not None and call.type == "call_expression":
                items += ev.lazy_arguments(call, Place(place.source))
        for at in place.source.places(name, _PUT, scope.start_byte, scope.end_byte)[:200]:
            right = _right_of(place.source, at)
            items += [Lazy(right, Place(place.source))] if right is not None else []
        ev.known[key] = Arr(items, value.is_open) if len(items) > len(value.items) else None
    grown = ev.known[key]
    return grown if isinstance(grown, Arr) else value


def global_name(ev: Resolver, name: str, place: Place) -> Values:
    """A name declared by another script of the page, or by nobody."""
    key = ("global", name)
    if key not in ev.known:
        own = place.source.names(place.source.root).get(name)
        if (name in _GLOBALS and not own) or key in ev.active:
            return (Ref(name),)
        ev.active.add(key)
        touches = ev.touches
        try:
            found = [v for source in ev.sources for v in _global_in(ev, name, source)]
        finally:
            ev.active.discard(key)
        known = [v for v in found if v is not UNDEFINED]
        values = ev.union(tuple(known)) if known else (Ref(name),)
        if touches != ev.touches:  # what a call site decides is not known once and for all
            return values
        ev.known[key] = values
    found_values = ev.known[key]
    return found_values if isinstance(found_values, tuple) else (Ref(name),)


def _global_in(ev: Resolver, name: str, source: Source) -> Iterator[Value]:
    if source.is_library or not source.mentions(name):
        return
    if source.script.text.lstrip()[:1] in ("{", "<"):
        return
    place = Place(source)
    names = source.names(source.root)
    if name in names and not source.script.is_module:
        yield from (_grown(ev, name, source.root, v, place) for v in final(ev, name, source))
    elif name not in names:
        for pattern in (_ASSIGNED, _ON_WINDOW):
            for at in source.places(name, pattern)[:_MAX_HITS]:
                right = _right_of(source, at)
                if right is not None and not _is_shadowed(source, name, right, source.root):
                    for value in ev.values(right, place):
                        if isinstance(value, Obj) and not value.path:
                            value.path = name
                        yield value


def final(ev: Resolver, name: str, source: Source) -> Values:
    """The value of a global after its script has run."""
    place = Place(source)
    defs = source.names(source.root)[name]
    found = _in_order(ev, defs, source.root, place, ())
    elsewhere = _nested_assignments(source, name, source.root, defs)
    return ev.union(found, *(_assigned(ev, source, d, place) for d in elsewhere))


def _right_of(source: Source, at: int) -> Node | None:
    node = source.node_at(at)
    up = node.parent if node is not None else None
    if up is not None and up.type in ("member_expression", "subscript_expression"):
        up = up.parent
    return up.child_by_field_name("right") if up is not None and "assignment" in up.type else None
