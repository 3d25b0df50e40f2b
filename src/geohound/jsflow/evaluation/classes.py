"""Classes and constructor functions: their fields, what their methods set on `this`, what `this` is."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from geohound.jsflow.syntax import nodes
from geohound.jsflow.syntax.source import CLASSES, FUNCTIONS, Source, nth
from geohound.jsflow.values.domain import (
    NOTHING,
    NULL,
    UNDEFINED,
    UNKNOWN,
    Env,
    Fn,
    Inst,
    Lazy,
    Obj,
    Place,
    Ref,
    Values,
)
from geohound.jsflow.values.resolver import Resolver

from . import descriptors

_MAX_HITS = 30


_SET_ON_THIS = rb"(?:this|self|that|_this|me|vm)\.(?P<at>NAME)\s*=(?![=>])"


def construct(ev: Resolver, fn: Fn, args: Sequence[Lazy]) -> Inst:
    """An instance that remembers what its constructor was given."""
    builder = _constructor(fn)
    if builder is None:
        return Inst(fn)
    made = Inst(fn)
    maker = Fn(builder, fn.place)
    made.env = Env(maker.key, ev.bind(maker, args), fn.place.env, made)
    return made


def _constructor(fn: Fn) -> Node | None:
    if fn.node.type not in CLASSES:
        return fn.node
    for part in _members(fn):
        name = part.child_by_field_name("name")
        if part.type == "method_definition" and name is not None and fn.place.source.text(name) == "constructor":
            return part
    return None


def _members(fn: Fn) -> list[Node]:
    body = fn.node.child_by_field_name("body")
    return body.named_children if body is not None else []


def of_instance(ev: Resolver, inst: Inst, name: str, depth: int = 0) -> Values:
    """A field, getter or method of an instance, or what any of its methods assigns to `this.name`."""
    source, cls = inst.cls.place.source, inst.cls
    place = Place(source, inst.env or cls.place.env)
    found: list[Values] = []
    if cls.node.type in CLASSES:
        for part in _members(cls):
            label = part.child_by_field_name("name") or part.child_by_field_name("property")
            if label is not None and source.text(label) == name:
                found.append(_class_member(ev, part, place, inst))
    for function, is_getter in descriptors.methods(source, cls, name):
        method = Fn(function, Place(source, cls.place.env), inst)
        found.append(ev.invoke(method, []) if is_getter else (method,))
    key = ("this", source.index, cls.node.id, name)
    if key not in ev.active:
        ev.active.add(key)
        try:
            found += set_on_this(ev, source, cls.node, name, place)
        finally:
            ev.active.discard(key)
    known = [v for group in found for v in group if v not in (UNDEFINED, NULL, UNKNOWN)]
    if known:
        return ev.union(tuple(known))
    added = _of_prototype(ev, _class_name(cls), name)
    if added:
        return tuple(Fn(v.node, v.place, inst) if isinstance(v, Fn) else v for v in added)
    return _inherited(ev, inst, name, depth)


def _of_prototype(ev: Resolver, own: str, name: str) -> Values:
    """What scripts put on a prototype: one by one, or all at once as an object."""
    if not own:
        return ()
    added = ev.assigned(f"{own}.prototype", name)
    if added:
        return added
    wholes = [v for v in ev.assigned(own, "prototype") if isinstance(v, Obj)]
    found = [v for whole in wholes for v in ev.member(whole, name, Place(ev.sources[0]))]
    return tuple(v for v in found if v not in (UNDEFINED, NULL, UNKNOWN))


def set_on_this(ev: Resolver, source: Source, cls: Node, name: str, place: Place) -> list[Values]:
    found = []
    for at in source.places(name, _SET_ON_THIS, cls.start_byte, cls.end_byte)[:_MAX_HITS]:
        target = nodes.target(source, at)
        if target is not None:
            found.append(ev.values(target[1], place))
    return found


def _class_name(cls: Fn) -> str:
    name = cls.node.child_by_field_name("name")
    if name is None and cls.node.parent is not None and cls.node.parent.type == "variable_declarator":
        name = cls.node.parent.child_by_field_name("name")
    return cls.place.source.text(name) if name is not None else ""


def _class_member(ev: Resolver, part: Node, place: Place, inst: Inst) -> Values:
    if part.type == "method_definition":
        method = Fn(part, place, inst)
        return ev.invoke(method, []) if any(c.type == "get" for c in part.children) else (method,)
    value = part.child_by_field_name("value")
    return ev.values(value, place) if value is not None else (UNDEFINED,)


def _inherited(ev: Resolver, inst: Inst, name: str, depth: int) -> Values:
    heritage = next((c for c in inst.cls.node.children if c.type == "class_heritage"), None)
    base = nth(heritage, 0) if heritage is not None else None
    if base is None or depth > 4:
        return NOTHING
    parents = [v for v in ev.values(base, inst.cls.place) if isinstance(v, Fn)]
    return ev.union(*(of_instance(ev, Inst(p), name, depth + 1) for p in parents))


def of_function(ev: Resolver, fn: Fn, name: str) -> Values:
    """A static member of a class, or a property that scripts put on a function."""
    if fn.node.type in CLASSES:
        for part in _members(fn):
            label = part.child_by_field_name("name") or part.child_by_field_name("property")
            if label is not None and fn.place.source.text(label) == name:
                return _class_member(ev, part, fn.place, Inst(fn))
    own = _class_name(fn)
    return (ev.assigned(own, name) if own else ()) or NOTHING


def this_of(ev: Resolver, node: Node, place: Place) -> Values:
    """The object that `this` means here."""
    function = place.source.scope_of(node)
    while function.type == "arrow_function":
        function = place.source.scope_of(function)
    env = place.env.find((place.source.index, function.id)) if place.env else None
    if env is not None and env.this is not None:
        return (env.this,)
    if function.type in FUNCTIONS and (listed := descriptors.this_of(ev, function, place.source)):
        return listed
    up = node if function.type not in FUNCTIONS else function
    holder = up.parent
    while holder is not None and holder.type not in ("class_body", "object") and holder.type not in FUNCTIONS:
        if holder.type == "assignment_expression":
            return _this_by_assignment(ev, holder, place)
        if holder.type in ("statement_block", "program"):
            break
        holder = holder.parent
    if holder is not None and holder.type == "class_body" and holder.parent is not None:
        return (Inst(Fn(holder.parent, Place(place.source))),)
    if holder is not None and holder.type == "object":
        return _this_of_literal(ev, holder, place)
    if function.type in ("function_declaration", "function_expression"):
        return (Inst(Fn(function, Place(place.source))),)
    return (Ref("window"),) if function.type not in FUNCTIONS else NOTHING


def _this_of_literal(ev: Resolver, literal: Node, place: Place) -> Values:
    """Methods of a literal belong to it, or to the instances of the class whose prototype it is."""
    up = literal.parent
    while up is not None and up.type in ("arguments", "call_expression", "parenthesized_expression"):
        up = up.parent
    if up is not None and up.type == "assignment_expression":
        left = up.child_by_field_name("left")
        if left is not None and place.source.text(left).endswith(".prototype"):
            holder = left.child_by_field_name("object")
            made = ev.values(holder, Place(place.source)) if holder is not None else ()
            instances = tuple(Inst(v) for v in made if isinstance(v, Fn))
            if instances:
                return instances
    return ev.values(literal, Place(place.source))


def _this_by_assignment(ev: Resolver, assignment: Node, place: Place) -> Values:
    """`Name.prototype.method = function`: an instance of Name; `thing.method = function`: the thing."""
    left = assignment.child_by_field_name("left")
    holder = left.child_by_field_name("object") if left is not None else None
    if holder is None:
        return NOTHING
    if place.source.text(holder).endswith(".prototype"):
        holder = holder.child_by_field_name("object")
        classes = ev.values(holder, Place(place.source)) if holder is not None else NOTHING
        return tuple(Inst(v) for v in classes if isinstance(v, Fn)) or NOTHING
    return ev.values(holder, Place(place.source))
