"""Which values a name can have where it is used: scopes, parameters, loops, other scripts of the page."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.model import words
from geohound.jsflow.modules import bundles, imports
from geohound.jsflow.syntax.source import Def, Source, parameters
from geohound.jsflow.syntax.tree import FUNCTIONS, above, child
from geohound.jsflow.values import conditions
from geohound.jsflow.values.domain import (
    NOTHING,
    UNDEFINED,
    UNKNOWN,
    BoundScope,
    Fn,
    Lazy,
    Ref,
    Value,
    Values,
    ready,
)
from geohound.jsflow.values.resolver import Binding, Key, Resolver

from . import call_sites, growth, loops, patterns

_ASSIGNED = rb"(?<![\w$.])(?P<at>NAME)\s*(?:\+|\|\||\?\?)?=(?![=>])"
_CLASS = rb"(?<![\w$.])class\s(?P<at>NAME)(?![\w$])"
_DECLARED = rb"(?<![\w$.])(?:var|let|const|function|class)\s+(?P<at>NAME)(?![\w$])"
_ON_WINDOW = rb"(?:window|self|globalThis|this|global)\.(?P<at>NAME)\s*=(?![=>])"
_MAX_HITS = 40
_MAX_ALTERNATIVES = 8
_COUNT = "update_expression"  # reaches what stands before it in its loop, too
_HUGE = 300_000
_EMPTY = (UNDEFINED, UNKNOWN, "")
_HOISTED = ("function", "class", "import")
_DECLARES = frozenset(("var", "declared", "function", "class", "import", "each", "key"))
# Never looked for in the page's scripts: the browser's own, and what libraries are called.
_GLOBALS = words(
    "window document location console Math JSON Object Array String Number Promise URL URLSearchParams "
    "fetch $ jQuery L ol OpenLayers esri dojo Cesium google mapboxgl maplibregl require define module "
    "exports axios angular React Vue encodeURIComponent decodeURIComponent encodeURI decodeURI parseInt "
    "parseFloat Date RegExp Error Boolean self globalThis navigator localStorage sessionStorage "
    "setTimeout atob btoa Symbol Map Set itowns WorldWind proj4 Ext"
)


def look_up(ev: Resolver, name: str, node: Node, place: BoundScope) -> Values:
    """The alternatives for a name at this place."""
    if name == "undefined":
        return (UNDEFINED,)
    source, inner = place.source, node
    scope = source.scope_of(node)
    while True:
        if (own := _named_class(source, name, inner, scope)) is not None:
            return (Fn(own, place),)
        if _is_parameter(name, scope, source) and not _is_declared_anew(
            source, scope, name, node
        ):
            return _parameter(ev, name, scope, node, place)
        if _declares(source, scope, name):
            return _declared(ev, name, scope, node, place)
        own = (
            scope.child_by_field_name("name")
            if scope.type == "function_expression"
            else None
        )
        if own is not None and source.text(own) == name:
            return (Fn(scope, place),)
        if scope.type not in FUNCTIONS:
            return global_name(ev, name)
        inner, scope = scope, source.scope_of(scope)


def _named_class(source: Source, name: str, node: Node, scope: Node) -> Node | None:
    """The class expression around a node that calls itself by this name, which nobody outside knows."""
    if not any(
        scope.start_byte <= at < node.start_byte for at in source.places(name, _CLASS)
    ):
        return None
    up = source.up(node)
    while up is not None and up.id != scope.id:
        own = up.child_by_field_name("name") if up.type == "class" else None
        if own is not None and source.text(own) == name:
            return up
        up = source.up(up)
    return None


def _is_parameter(name: str, scope: Node, source: Source) -> bool:
    if scope.type not in FUNCTIONS:
        return False
    if name == "arguments" and scope.type != "arrow_function":
        return True
    return name in source.parameter_names(scope)


def _declares(source: Source, scope: Node, name: str) -> bool:
    return any(d.how in _DECLARES for d in source.names(scope).get(name, []))


def _is_declared_anew(source: Source, scope: Node, name: str, node: Node) -> bool:
    """Does a block around the node declare the name of a parameter for itself?"""
    defs = source.names(scope).get(name, [])
    return any(
        d.how in _DECLARES and _size_of_block(source, d, node)
        for d in defs
        if d.at != scope.start_byte
    )


def _parameter(
    ev: Resolver, name: str, function: Node, node: Node, place: BoundScope
) -> Values:
    """A parameter: as bound now, or else as given at the call sites; reassigned ones by what was assigned before."""
    source = place.source
    env = place.env.find((source.index, function.id)) if place.env else None
    if env is not None:
        base = _bound_to(ev, env.names, name, (UNDEFINED,))
    else:
        wired = bundles.wired_parameter(name, function, source)
        if wired is not None:
            return wired
        base = _given(ev, name, function, source)
    defs = [
        d
        for d in source.names(function).get(name, [])
        if d.node.end_byte <= node.start_byte
    ]
    return in_order(ev, defs, node, place, base) if defs else base


def _bound_to(
    ev: Resolver, binding: Binding, name: str, default: Values = NOTHING
) -> Values:
    return ev.lazy(binding[name]) if name in binding else default


def _given(ev: Resolver, name: str, function: Node, source: Source) -> Values:
    """What the calls of a function give to a parameter, or else its default."""
    key = ("param", source.index, function.id, "")
    binding = ev.choose(key, lambda: call_sites.bindings(ev, function, source))
    if binding is None:
        return NOTHING
    given = _bound_to(ev, binding, name)
    if given != NOTHING:
        return given
    unbound: Binding = {}
    for pattern in parameters(function):
        patterns.take_apart(ev, pattern, None, BoundScope(source), unbound)
    default = _bound_to(ev, unbound, name)
    return NOTHING if default == (UNDEFINED,) else default


def _declared(
    ev: Resolver, name: str, scope: Node, node: Node, place: BoundScope
) -> Values:
    source = place.source
    guard = ("name", source.index, scope.id, name, node.start_byte)
    if guard in ev.active:
        return (Ref(name),)
    counted = loops.counted(ev, name, node, place)
    if counted:
        return counted
    ev.active.add(guard)
    unsettled = ev.unsettled
    try:
        found = _from_definitions(ev, name, scope, node, place)
    finally:
        ev.active.discard(guard)
    if (
        1 < len(found) <= _MAX_ALTERNATIVES
        and place.env is None
        and unsettled == ev.unsettled
    ):
        found = _one_of(ev, found, ("name", source.index, scope.id, name))
    return tuple(growth.grown(ev, name, scope, value, place) for value in found)


def _one_of(ev: Resolver, found: Values, key: Key) -> Values:
    """One string at a time, so that a name which stands twice in an address is the same at both places."""
    if not all(isinstance(v, str) for v in found):
        return found
    binding = ev.choose(key, lambda: [{"": ready(v)} for v in found])
    return ev.lazy(binding[""]) if binding else found


def _from_definitions(
    ev: Resolver, name: str, scope: Node, node: Node, place: BoundScope
) -> Values:
    source = place.source
    defs = _in_nearest_block(ev, source, source.names(scope)[name], node)
    elsewhere = _nested_assignments(source, name, scope, defs)
    user = source.scope_of(node)
    if user.id == scope.id:
        return _in_own_scope(ev, defs, elsewhere, node, place)
    own = [
        d
        for d in elsewhere
        if d.at < node.start_byte and source.scope_of(d.node).id == user.id
    ]
    if own and not may_not_happen(source, own[-1], node):
        return in_order(ev, own, node, place, ())
    found = in_order(ev, _without_own(defs, node) or defs, node, place, ())
    return ev.union(
        found, *_any_assigned(ev, _without_own(elsewhere[:_MAX_HITS], node), place)
    )


def _in_own_scope(
    ev: Resolver, defs: list[Def], elsewhere: list[Def], node: Node, place: BoundScope
) -> Values:
    """A name where it is declared: what was given to it above, or else by functions inside."""
    loop = place.source.loop_of(node)
    end = loop.end_byte if loop is not None else 0
    before = [
        d
        for d in _without_own(defs, node)
        if d.at < node.start_byte or (d.node.type == _COUNT and d.at < end)
    ] or defs
    hoisted = [d for d in defs if d.how in _HOISTED and d not in before]
    found = in_order(ev, [*hoisted, *before], node, place, ())
    if any(v not in _EMPTY for v in found):
        return found
    return ev.union(found, *_any_assigned(ev, elsewhere[:_MAX_HITS], place))


def _any_assigned(ev: Resolver, defs: list[Def], place: BoundScope) -> Iterator[Values]:
    return (_assigned(ev, place.source, d, place) for d in defs)


def _without_own(defs: list[Def], node: Node) -> list[Def]:
    """Definitions but for the one that the node itself is a part of."""
    return [d for d in defs if not _holds(d, node)]


def _holds(definition: Def, node: Node) -> bool:
    if definition.how in _HOISTED:
        return False
    return definition.node.start_byte <= node.start_byte < definition.node.end_byte


def _in_nearest_block(
    ev: Resolver, source: Source, defs: list[Def], node: Node
) -> list[Def]:
    """Of names that several blocks declare for themselves, the one whose block is around the use."""
    ev.meter.spend(len(defs) // 2)  # of each the block around it is looked for
    if sum(d.how in _DECLARES for d in defs) < 2:
        return defs
    inside = [(size, d) for d in defs if (size := _size_of_block(source, d, node))]
    return _of_smallest_block(inside) or defs


def _of_smallest_block(sized: list[tuple[int, Def]]) -> list[Def]:
    """The declaration in the smallest block, and all assignments; none where nothing is declared."""
    smallest = min((size for size, d in sized if d.how in _DECLARES), default=0)
    return (
        [d for size, d in sized if size <= smallest or d.how not in _DECLARES]
        if smallest
        else []
    )


def _size_of_block(source: Source, definition: Def, node: Node) -> int:
    """How large the block of a definition is; nothing where the node does not stand in it."""
    block = source.block_of(definition.node)
    if block is None or not block.start_byte <= node.start_byte < block.end_byte:
        return 0
    return block.end_byte - block.start_byte


def in_order(
    ev: Resolver, defs: list[Def], node: Node, place: BoundScope, base: Values
) -> Values:
    """What a name holds after these definitions: later ones replace, appends append, branches add alternatives."""
    current, source = base, place.source
    given_one = (d for d in defs if d.how != "declared")
    ordered = sorted(given_one, key=lambda d: d.at)
    replacing = [
        i
        for i, d in enumerate(ordered)
        if d.how != "append" and not may_not_happen(source, d, node)
    ]
    for d in ordered[replacing[-1] if replacing else 0 :]:
        is_sure: bool | None = True
        if current and may_not_happen(place.source, d, node):
            is_sure = conditions.happens(ev, d.node, place, source.scope_of(d.node))
        if is_sure is False:
            continue
        given = _assigned(ev, source, d, place)
        if d.how == "append":
            given = ev.concat(current or NOTHING, given)
        current = given if is_sure else ev.union(current, given)
    return current or (UNDEFINED,)


def may_not_happen(source: Source, definition: Def, node: Node) -> bool:
    block = source.block_of(definition.node)
    return (
        block is not None and not block.start_byte <= node.start_byte <= block.end_byte
    )


def _assigned(ev: Resolver, source: Source, d: Def, place: BoundScope) -> Values:
    where = BoundScope(source, place.env)
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


def _looped(ev: Resolver, source: Source, d: Def, where: BoundScope) -> Values:
    """The variable of a for-of or for-in loop: one element at a time, so that its parts stay together."""
    key = ("loop", source.index, d.at, "")

    def options() -> list[Binding]:
        return [
            {"": lazy}
            for lazy in call_sites.elements(
                ev, ev.values(d.node, where), keys=d.how == "key"
            )
        ]

    binding = ev.choose(key, options)
    if not binding:
        return NOTHING
    if d.pattern is None:
        return ev.lazy(binding[""])
    found: Binding = {}
    patterns.take_apart(ev, d.pattern, binding[""], where, found)
    return ev.lazy(found[d.name]) if d.name in found else NOTHING


def _nested_assignments(
    source: Source, name: str, scope: Node, own: list[Def]
) -> list[Def]:
    """Assignments to the name in functions inside its scope."""
    has_value = any(d.how != "declared" for d in own)
    if has_value and len(name) <= 2 and scope.end_byte - scope.start_byte > _HUGE:
        return []
    known = {d.at for d in own}
    hits = source.places(name, _ASSIGNED, scope.start_byte, scope.end_byte)[:_MAX_HITS]
    found = (
        _nested_assignment(source, name, scope, at) for at in hits if at not in known
    )
    return [d for d in found if d is not None]


def _nested_assignment(source: Source, name: str, scope: Node, at: int) -> Def | None:
    assignment = above(
        source.node_at(at), "assignment_expression", "augmented_assignment_expression"
    )
    right = child(assignment, "right")
    if assignment is None or right is None or assignment.start_byte != at:
        return None
    if source.scope_of(assignment).id == scope.id or _is_shadowed(
        source, name, assignment, scope
    ):
        return None
    how = "append" if assignment.type == "augmented_assignment_expression" else "assign"
    return Def(how, right, at)


def _is_shadowed(source: Source, name: str, node: Node, scope: Node) -> bool:
    inner = source.scope_of(node)
    while inner.id != scope.id and inner.type in FUNCTIONS:
        if _declares(source, inner, name) or name in source.parameter_names(inner):
            return True
        inner = source.scope_of(inner)
    return False


def global_name(ev: Resolver, name: str) -> Values:
    """A name declared by another script of the page, or by nobody."""
    key = ("global", name)
    known = ev.known.get(key)
    if isinstance(known, tuple):
        return known
    if key in ev.active or (name in _GLOBALS and not _is_own(ev, name)):
        return (Ref(name),)
    touches = ev.touches
    values = _global_anywhere(ev, name) or (Ref(name),)
    if touches == ev.touches:  # what a call site decides is not known once and for all
        ev.known[key] = values
    return values


def _is_own(ev: Resolver, name: str) -> bool:
    """Does a script of the page declare a name that is otherwise the browser's or a library's?"""
    return any(
        not s.is_library and s.places(name, _DECLARED) and name in s.names(s.root)
        for s in ev.sources
    )


def _global_anywhere(ev: Resolver, name: str) -> Values:
    key = ("global", name)
    ev.active.add(key)
    try:
        found = [v for source in ev.sources for v in _global_in(ev, name, source)]
    finally:
        ev.active.discard(key)
    known = tuple(v for v in found if v is not UNDEFINED)
    return ev.union(known) if known else ()


def _global_in(ev: Resolver, name: str, source: Source) -> Iterator[Value]:
    if source.is_library or not source.mentions(name):
        return
    if source.script.text.lstrip()[:1] in ("{", "<"):
        return
    if name not in source.names(source.root):
        yield from _set_from_inside(ev, name, source)
    elif not source.script.is_module:
        place = BoundScope(source)
        yield from (
            growth.grown(ev, name, source.root, v, place)
            for v in final(ev, name, source)
        )


def _set_from_inside(ev: Resolver, name: str, source: Source) -> Iterator[Value]:
    """A global that functions of a script set, as a bare name or on the window."""
    hits = [
        at
        for pattern in (_ASSIGNED, _ON_WINDOW)
        for at in source.places(name, pattern)[:_MAX_HITS]
    ]
    for at in hits:
        right = growth.right_of(source, at)
        if right is None or _is_shadowed(source, name, right, source.root):
            continue
        for value in ev.values(right, BoundScope(source)):
            growth.call_it(value, name)
            yield value


def final(ev: Resolver, name: str, source: Source) -> Values:
    """The value of a global after its script has run."""
    place = BoundScope(source)
    defs = source.names(source.root)[name]
    found = in_order(ev, defs, source.root, place, ())
    elsewhere = _nested_assignments(source, name, source.root, defs)
    return ev.union(found, *(_assigned(ev, source, d, place) for d in elsewhere))
