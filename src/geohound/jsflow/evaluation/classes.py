"""Classes and constructor functions: their fields, what their methods set on `this`, what `this` is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from geohound.jsflow.syntax import nodes
from geohound.jsflow.syntax.source import CLASSES, Source, arguments, nth
from geohound.jsflow.syntax.tree import FUNCTIONS, above, child
from geohound.jsflow.values.domain import (
    NOTHING,
    NULL,
    UNDEFINED,
    UNKNOWN,
    Arr,
    BoundScope,
    Env,
    Fn,
    Inst,
    Lazy,
    Obj,
    Ref,
    Values,
    ready,
)
from geohound.jsflow.values.resolver import Binding, Resolver

from . import descriptors, growth

_MAX_HITS = 30
_MAX_BASES = 4
_ENDS_OF_THIS = FUNCTIONS | {
    "assignment_expression",
    "class_body",
    "object",
    "statement_block",
    "program",
}

_INHERITS = rb"[\w$]\(\s*(?P<at>NAME)\s*,\s*[\w$.]{1,60}\s*\)"
_EXTENDS = rb"(?<![\w$])(?P<at>NAME)(?=[\s(])"
_MAX_CLASSES = 200
_PARTS = ("methods", "computed", "watch")  # of a component, whose `this` is the whole
_MANY = 4_000
_CALLS_SUPER = rb"(?<![\w$.])(?P<at>NAME)\s*\("
_DEFINED_ON_THIS = rb"[\w$]\(\s*this\s*,\s*[\"'](?P<at>NAME)[\"']\s*,"
_READ = rb"(?:this|self|that|_this|me|vm)\.(?P<at>NAME)(?![\w$])"


def construct(
    ev: Resolver, fn: Fn, args: Sequence[Lazy], whole: Inst | None = None
) -> Inst:
    """An instance that remembers what its constructor was given."""
    made = Inst(fn, args=args, whole=whole)
    builder = constructor(fn)
    if builder is not None:
        maker = Fn(builder, fn.place)
        made.env = Env(maker.key, ev.bind(maker, args), fn.place.env, whole or made)
    return made


def constructor(fn: Fn) -> Node | None:
    """The function that makes an instance; None where a class leaves that to its base."""
    if fn.node.type not in CLASSES:
        return fn.node
    for part in _members(fn):
        name = part.child_by_field_name("name")
        if (
            part.type == "method_definition"
            and name is not None
            and fn.place.source.text(name) == "constructor"
        ):
            return part
    return None


def _members(fn: Fn) -> list[Node]:
    body = fn.node.child_by_field_name("body")
    return body.named_children if body is not None else []


def of_instance(ev: Resolver, inst: Inst, name: str, depth: int = 0) -> Values:
    """A field, getter or method of an instance, or what any of its methods assigns to `this.name`."""
    found = [
        *_own_members(ev, inst, name),
        *_listed_methods(ev, inst, name),
        *_set_by_itself(ev, inst, name),
    ]
    known = [v for group in found for v in group if v not in (UNDEFINED, NULL, UNKNOWN)]
    if known:
        return ev.union(tuple(known))
    added = _of_prototype(ev, _class_name(inst.cls), name)
    if added:
        return tuple(
            Fn(v.node, v.place, inst) if isinstance(v, Fn) else v for v in added
        )
    return _inherited(ev, inst, name, depth)


def _place_in(inst: Inst) -> BoundScope:
    """Where the code of an instance stands, with what its constructor was given."""
    return BoundScope(inst.cls.place.source, inst.env or inst.cls.place.env)


def _own_members(ev: Resolver, inst: Inst, name: str) -> Iterator[Values]:
    if inst.cls.node.type not in CLASSES:
        return
    for part in _members(inst.cls):
        label = child(part, "name", "property")
        if label is not None and inst.cls.place.source.text(label) == name:
            yield _class_member(ev, part, _place_in(inst), inst.whole or inst)


def _listed_methods(ev: Resolver, inst: Inst, name: str) -> Iterator[Values]:
    cls = inst.cls
    for function, is_getter in descriptors.methods(cls.place.source, cls, name):
        method = Fn(function, cls.place, inst.whole or inst)
        yield ev.invoke(method, []) if is_getter else (method,)


def _set_by_itself(ev: Resolver, inst: Inst, name: str) -> list[Values]:
    source, cls = inst.cls.place.source, inst.cls.node
    key = ("this", source.index, cls.id, name)
    if key in ev.active:
        return []
    ev.active.add(key)
    try:
        return set_on_this(ev, source, cls, name, _place_in(inst))
    finally:
        ev.active.discard(key)


def _of_prototype(ev: Resolver, own: str, name: str) -> Values:
    """What scripts put on a prototype: one by one, or all at once as an object."""
    if not own:
        return ()
    added = ev.assigned(f"{own}.prototype", name)
    if added:
        return added
    wholes = [v for v in ev.assigned(own, "prototype") if isinstance(v, Obj)]
    found = [
        v for whole in wholes for v in ev.member(whole, name, BoundScope(ev.sources[0]))
    ]
    return tuple(v for v in found if v not in (UNDEFINED, NULL, UNKNOWN))


def set_on_this(
    ev: Resolver, source: Source, cls: Node, name: str, place: BoundScope
) -> list[Values]:
    found = [ev.values(node, place) for node in _last_on_this(source, cls, name)]
    for at in source.places(name, _DEFINED_ON_THIS, cls.start_byte, cls.end_byte)[
        :_MAX_HITS
    ]:
        call = source.nearest(source.node_at(at), "call_expression")
        given = arguments(call)[2:] if call is not None else []
        found += [ev.values(node, place) for node in given]
    return found


def _last_on_this(source: Source, cls: Node, name: str) -> list[Node]:
    """The assignments to `this.name`, without those on which a later one of the same function builds."""
    last: dict[int, list[Node]] = {}
    for assignment in nodes.set_on_this(source, name, cls):
        function, block = source.scope_of(assignment), source.block_of(assignment)
        named = source.places(name, _READ, assignment.start_byte, assignment.end_byte)
        builds = len(named) > (assignment.type == "assignment_expression")
        if builds and block == child(function, "body"):
            last[function.id] = []
        last.setdefault(function.id, []).append(assignment)
    return [assignment for group in last.values() for assignment in group]


def _class_name(cls: Fn) -> str:
    """What others call a class: an expression by what holds it, whatever it calls itself."""
    holder = above(cls.node, "variable_declarator", "assignment_expression")
    name = child(holder, "name", "left") or child(cls.node, "name")
    return cls.place.source.text(name) if name is not None else ""


def _class_member(ev: Resolver, part: Node, place: BoundScope, inst: Inst) -> Values:
    if part.type == "method_definition":
        method = Fn(part, place, inst)
        return (
            ev.invoke(method, [])
            if any(c.type == "get" for c in part.children)
            else (method,)
        )
    value = part.child_by_field_name("value")
    return ev.values(value, place) if value is not None else (UNDEFINED,)


def _inherited(ev: Resolver, inst: Inst, name: str, depth: int) -> Values:
    bases = _bases(inst.cls) if depth <= _MAX_BASES else []
    parents = [
        v for b in bases for v in ev.values(b, inst.cls.place) if isinstance(v, Fn)
    ]
    args = _arguments_of_super(ev, inst) if parents else ()
    parts = [construct(ev, parent, args, inst.whole or inst) for parent in parents]
    found = [of_instance(ev, part, name, depth + 1) for part in parts]
    return ev.union(*found) if found else NOTHING


def _bases(cls: Fn) -> list[Node]:
    """What a class extends; of a function what stands beside it in a call: inherits(Name, Base)."""
    source, node = cls.place.source, cls.node
    if node.type in CLASSES:
        extended = (c for c in node.children if c.type == "class_heritage")
        return [base for c in extended if (base := nth(c, 0)) is not None]
    scope, own = source.scope_of(node.parent or node), _class_name(cls)
    places = (
        source.places(own, _INHERITS, scope.start_byte, scope.end_byte) if own else []
    )
    bases = (source.node_at(at) for at in places[:1])
    return [base for b in bases if b and (base := b.next_named_sibling) is not None]


def _arguments_of_super(ev: Resolver, inst: Inst) -> Sequence[Lazy]:
    """What the constructor of the base class is given: by super(…), or all that this one was given."""
    if constructor(inst.cls) is None or inst.cls.node.type not in CLASSES:
        return inst.args or _made_with(ev, inst.cls)
    call = call_of_super(inst.cls)
    return ev.lazy_arguments(call, _place_in(inst)) if call is not None else ()


def _made_with(ev: Resolver, cls: Fn) -> Sequence[Lazy]:
    """What any instance of a class is made with: of several, one at a time."""
    key = ("made", cls.place.source.index, cls.node.id, "")
    chosen = ev.choose(
        key, lambda: [{"": ready(Arr(args))} for args in ev.argument_lists(cls)]
    )
    listed = ev.lazy(chosen[""])[0] if chosen else None
    return listed.items if isinstance(listed, Arr) else ()


def call_of_super(cls: Fn) -> Node | None:
    """The call super(…) in the constructor of a class."""
    builder, source = constructor(cls), cls.place.source
    if builder is None:
        return None
    places = source.places("super", _CALLS_SUPER, builder.start_byte, builder.end_byte)
    calls = (above(source.node_at(at), "call_expression") for at in places[:1])
    return next(calls, None)


def of_function(ev: Resolver, fn: Fn, name: str) -> Values:
    """A static member of a class, or a property that scripts put on a function."""
    if fn.node.type in CLASSES:
        for part in _members(fn):
            label = part.child_by_field_name("name") or part.child_by_field_name(
                "property"
            )
            if label is not None and fn.place.source.text(label) == name:
                return _class_member(ev, part, fn.place, Inst(fn))
    own = _class_name(fn)
    return (ev.assigned(own, name) if own else ()) or NOTHING


def this_of(ev: Resolver, node: Node, place: BoundScope) -> Values:
    """The object that `this` means here."""
    function = place.source.scope_of(node)
    while function.type == "arrow_function":
        function = place.source.scope_of(function)
    env = place.env.find((place.source.index, function.id)) if place.env else None
    if env is not None and env.this is not None:
        return (env.this,)
    if function.type not in FUNCTIONS:
        return _this_of_holder(ev, node, place) or (Ref("window"),)
    listed = descriptors.this_of(ev, function, place.source)
    return (
        listed
        or _this_of_holder(ev, function, place)
        or _this_of_constructor(function, place)
    )


def _this_of_constructor(function: Node, place: BoundScope) -> Values:
    if function.type in ("function_declaration", "function_expression"):
        return (Inst(Fn(function, BoundScope(place.source))),)
    return NOTHING


def _this_of_holder(ev: Resolver, node: Node, place: BoundScope) -> Values:
    """What `this` means by the class, the literal or the assignment around a function; nothing where it has none."""
    holder = node.parent
    while holder is not None and holder.type not in _ENDS_OF_THIS:
        holder = holder.parent
    if holder is None:
        return ()
    if holder.type == "assignment_expression":
        return _this_by_assignment(ev, holder, place)
    if holder.type == "object":
        return _this_of_literal(ev, holder, place)
    cls = holder.parent if holder.type == "class_body" else None
    return _this_of_class(ev, Fn(cls, BoundScope(place.source))) if cls else ()


def _this_of_class(ev: Resolver, cls: Fn) -> Values:
    """An instance of the class or of one that extends it, one at a time: each has methods of its own."""
    below = _extending(ev, cls)
    if not below:
        return (Inst(cls),)
    key = ("this of", cls.place.source.index, cls.node.id, "")
    chosen = ev.choose(key, lambda: _instances(ev, cls, below))
    return ev.lazy(chosen[""]) if chosen else (Inst(cls),)


def _instances(ev: Resolver, cls: Fn, below: list[Fn]) -> list[Binding]:
    """What the page makes of a class, with what it is given, and of those that extend it."""
    own = [construct(ev, cls, args) for args in ev.argument_lists(cls)]
    if not own and cls.place.source.count(_class_name(cls)) > 1 + len(below):
        own = [Inst(cls)]
    return [{"": ready(made)} for made in (*own, *map(Inst, below))]


def _extending(ev: Resolver, cls: Fn) -> list[Fn]:
    """The classes of the page that extend this one: looked for next to it first."""
    key = ("extending", *cls.key)
    if key not in ev.known:
        ev.known[key] = None  # while it is looked for
        ev.known[key] = [
            other
            for source in ev.sources
            if not source.is_library and source.mentions("extends")
            for other in _heirs(ev, source, cls)
        ]
    known = ev.known[key]
    return known if isinstance(known, list) else []


def _heirs(ev: Resolver, source: Source, cls: Fn) -> Iterator[Fn]:
    place, home = BoundScope(source), cls.node.start_byte
    places = source.places("extends", _EXTENDS, limit=_MANY)
    for at in sorted(places, key=lambda at: abs(at - home))[:_MAX_CLASSES]:
        heritage = above(source.node_at(at), "class_heritage")
        heir, base = above(heritage, *CLASSES), nth(heritage, 0) if heritage else None
        made = ev.values(base, place) if heir is not None and base is not None else ()
        if heir and any(isinstance(v, Fn) and v.key == cls.key for v in made):
            yield Fn(heir, place)


def _this_of_literal(ev: Resolver, literal: Node, place: BoundScope) -> Values:
    """Methods of a literal belong to it, or to the instances of the class whose prototype it is."""
    up: Node | None = literal
    while (
        outer := above(up, "arguments", "call_expression", "parenthesized_expression")
    ) is not None:
        up = outer
    left = child(above(up, "assignment_expression"), "left")
    if left is None and (given := above(literal, "arguments")) is not None:
        left = nth(given, 0)  # $.extend(Name.prototype, {…})
    instances: Values = ()
    row = above(literal, "pair")
    label = child(row, "key")
    if row is not None and label is not None and place.source.text(label) in _PARTS:
        literal = row.parent or literal
    if left is not None and place.source.text(left).endswith(".prototype"):
        instances = _instances_of(ev, left.child_by_field_name("object"), place)
    made = instances or ev.values(literal, BoundScope(place.source))
    name = left or child(above(up, "variable_declarator"), "name")
    if name is not None and name.type in ("identifier", "member_expression"):
        for value in made:
            growth.call_it(value, place.source.text(name))
    return made


def _instances_of(ev: Resolver, cls: Node | None, place: BoundScope) -> Values:
    made = ev.values(cls, BoundScope(place.source)) if cls is not None else ()
    return tuple(Inst(v) for v in made if isinstance(v, Fn))


def _this_by_assignment(ev: Resolver, assignment: Node, place: BoundScope) -> Values:
    """`Name.prototype.method = function`: an instance of Name; `thing.method = function`: the thing."""
    holder = child(assignment.child_by_field_name("left"), "object")
    if holder is None:
        return NOTHING
    if place.source.text(holder).endswith(".prototype"):
        return _instances_of(ev, holder.child_by_field_name("object"), place) or NOTHING
    return ev.values(holder, BoundScope(place.source))
