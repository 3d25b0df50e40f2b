"""Members of objects, `this`, conditions: what can be said about them without running anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tree_sitter import Node

from . import modules
from .source import CLASSES, FUNCTIONS, Source, loop_of
from .values import (
    HOLE,
    NOTHING,
    NULL,
    UNDEFINED,
    UNKNOWN,
    Arr,
    Env,
    Fn,
    Inst,
    Lazy,
    Mark,
    Namespace,
    Obj,
    Pattern,
    Place,
    Query,
    Ref,
    Reply,
    Value,
    Values,
    Web,
    is_truthy,
    ready,
)

if TYPE_CHECKING:
    from .evaluate import Binding, Evaluator

_SET = rb"\.(?P<at>NAME)\s*=(?![=>])"
_SET_BY_KEY = rb"\[[\"'](?P<at>NAME)[\"']\]\s*=(?![=>])"
_SET_ON_THIS = rb"this\.(?P<at>NAME)\s*=(?![=>])"
_EXTENDED = rb"(?:assign|extend|apply)\(\s*(?P<at>NAME)\s*,"
_WINDOWS = re.compile(r"^(?:(?:window|self|globalThis|top|parent)\.)+")
_LOCATIONS = frozenset(("location", "document.location", "window.location"))
_IN_LITERAL = rb"(?<![\w$.])[\"']?(?P<at>NAME)[\"']?\s*:(?!:)"
_MAX_HITS = 30
_FEW = 3
_SMALL = 400_000


def member_expression(ev: Evaluator, node: Node, place: Place) -> Values:
    inner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if inner is None or name is None:
        return NOTHING
    key = place.source.text(name)
    return ev.union(*(member(ev, value, key, place) for value in ev.values(inner, place)))


def subscript_expression(ev: Evaluator, node: Node, place: Place) -> Values:
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


def _some_item(ev: Evaluator, array: Arr, index: Node, place: Place) -> Values:
    """An element by an index that counts: one at a time, the same one wherever the index stands in the loop."""
    loop = loop_of(index)
    if loop is None:
        return ev.any_of(array.items[: ev.meter.budget.values])
    key = ("index", place.source.index, loop.id, place.source.text(index))

    def options() -> list[Binding]:
        return [{"": ready(i)} for i in range(min(len(array.items), ev.meter.budget.choices))]

    binding = ev.choose(key, options)
    at = ev.lazy(binding[""])[0] if binding else None
    return ev.lazy(array.items[at]) if isinstance(at, int) and at < len(array.items) else NOTHING


def member(ev: Evaluator, value: Value, name: str, place: Place) -> Values:
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
            return of_instance(ev, value, name)
        case Fn():
            return _of_function(ev, value, name)
        case Web(href):
            return _of_address(href, name)
        case Namespace():
            return modules.exported(ev, value, name)
        case Reply(url):
            return _of_reply(ev, modules.contents(ev, url), name, place)
    return _by_name_alone(ev, name) if value is UNKNOWN else NOTHING


def _by_name_alone(ev: Evaluator, name: str) -> Values:
    """A property of an object that nothing is known of: if few places of the page set such a property, it is one of them."""
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


def _set_anywhere(ev: Evaluator, name: str) -> Values:
    found: list[Node] = []
    values: list[Values] = []
    for source in ev.sources:
        if source.is_library or name.encode() not in source.raw or len(source.raw) > _SMALL:
            continue
        for at in [*source.places(name, _SET), *source.places(name, _IN_LITERAL)][:_MAX_HITS]:
            target = _target(source, at)
            right = target[1] if target is not None else _pair_value(source, at)
            if right is not None:
                found.append(right)
                if len(found) > _FEW:
                    return NOTHING
                values.append(ev.values(right, Place(source)))
    return ev.union(*values)


def _pair_value(source: Source, at: int) -> Node | None:
    node = source.node_at(at)
    while node is not None and node.type not in ("pair", "object", "program"):
        node = node.parent
    return node.child_by_field_name("value") if node is not None and node.type == "pair" else None


def _of_reply(ev: Evaluator, contents: Values, name: str, place: Place) -> Values:
    """Some libraries hand on the contents, others an answer that holds them."""
    held = ev.union(*(member(ev, v, name, place) for v in contents if isinstance(v, Obj | Arr)))
    if name in ("data", "body", "responseJSON") and held in (NOTHING, (UNDEFINED,)):
        return contents
    return held


def _of_object(ev: Evaluator, value: Obj, name: str) -> Values:
    held = ev.any_of(value.fields[name]) if name in value.fields else ()
    if held and not all(v in (NULL, UNDEFINED, UNKNOWN) or v == "" for v in held):
        return _named(held, value.path, name)
    added = assigned(ev, value.path, name) if value.path else ()
    return _named(ev.union(held, added), value.path, name) if held or added else (UNDEFINED,)


def _named(values: Values, path: str, name: str) -> Values:
    for value in values:
        if isinstance(value, Obj) and not value.path and path:
            value.path = f"{path}.{name}"
    return values


def _of_global(ev: Evaluator, path: str, name: str, place: Place) -> Values:
    bare = _WINDOWS.sub("", path)
    if bare in ("window", "self", "globalThis", "top", "parent"):
        from . import names  # noqa: PLC0415 - names look at objects

        return names.global_name(ev, name, place)
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


def assigned(ev: Evaluator, path: str, name: str) -> Values:
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
        found = [
            v for s in ev.sources if not s.is_library and name.encode() in s.raw for v in _set_in(ev, s, path, name)
        ]
    finally:
        ev.active.discard(key)
    result = ev.union(tuple(found)) if found else ()
    if touches == ev.touches:
        ev.known[key] = result
    return result


def _set_in(ev: Evaluator, source: Source, path: str, name: str) -> Iterator[Value]:
    for pattern in (_SET, _SET_BY_KEY):
        for at in source.places(name, pattern)[:_MAX_HITS]:
            target = _target(source, at)
            if target is None:
                continue
            holder, right = target
            text = _WINDOWS.sub("", source.text(holder)) if holder.end_byte - holder.start_byte < 120 else ""
            if text == path or text.rpartition(".")[2] == path:
                yield from ev.values(right, Place(source))
    last = path.rpartition(".")[2]
    if last.encode() + b"," in source.raw or last.encode() + b" ," in source.raw:
        for at in source.places(path, _EXTENDED)[:_MAX_HITS]:
            yield from _extended(ev, source, at, name)


def _target(source: Source, at: int) -> tuple[Node, Node] | None:
    """The object assigned to and the value, for a property name that stands at this place."""
    node = source.node_at(at)
    while node is not None and node.type not in ("member_expression", "subscript_expression"):
        node = node.parent
    up = node.parent if node is not None else None
    if node is None or up is None or up.type != "assignment_expression":
        return None
    left, right, holder = (
        up.child_by_field_name("left"),
        up.child_by_field_name("right"),
        node.child_by_field_name("object"),
    )
    if left is None or left.id != node.id or right is None or holder is None:
        return None
    return holder, right


def _extended(ev: Evaluator, source: Source, at: int, name: str) -> Iterator[Value]:
    node = source.node_at(at)
    while node is not None and node.type != "call_expression":
        node = node.parent
    for lazy in ev.lazy_arguments(node, Place(source))[1:] if node is not None else ():
        for value in ev.lazy(lazy):
            if isinstance(value, Obj) and name in value.fields:
                yield from ev.any_of(value.fields[name])


def construct(ev: Evaluator, fn: Fn, args: Sequence[Lazy]) -> Inst:
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


def of_instance(ev: Evaluator, inst: Inst, name: str, depth: int = 0) -> Values:
    """A field, getter or method of an instance, or what any of its methods assigns to `this.name`."""
    source, cls = inst.cls.place.source, inst.cls
    place = Place(source, inst.env or cls.place.env)
    found: list[Values] = []
    if cls.node.type in CLASSES:
        for part in _members(cls):
            label = part.child_by_field_name("name") or part.child_by_field_name("property")
            if label is not None and source.text(label) == name:
                found.append(_class_member(ev, part, place, inst))
    key = ("this", source.index, cls.node.id, name)
    if key not in ev.active:
        ev.active.add(key)
        try:
            found += _set_on_this(ev, source, cls.node, name, place)
        finally:
            ev.active.discard(key)
    known = [v for group in found for v in group if v not in (UNDEFINED, NULL, UNKNOWN)]
    if known:
        return ev.union(tuple(known))
    own = _class_name(cls)
    added = assigned(ev, f"{own}.prototype", name) if own else ()
    if added:
        return tuple(Fn(v.node, v.place, inst) if isinstance(v, Fn) else v for v in added)
    return _inherited(ev, inst, name, depth)


def _set_on_this(ev: Evaluator, source: Source, cls: Node, name: str, place: Place) -> list[Values]:
    found = []
    for at in source.places(name, _SET_ON_THIS, cls.start_byte, cls.end_byte)[:_MAX_HITS]:
        target = _target(source, at)
        if target is not None:
            found.append(ev.values(target[1], place))
    return found


def _class_name(cls: Fn) -> str:
    name = cls.node.child_by_field_name("name")
    if name is None and cls.node.parent is not None and cls.node.parent.type == "variable_declarator":
        name = cls.node.parent.child_by_field_name("name")
    return cls.place.source.text(name) if name is not None else ""


def _class_member(ev: Evaluator, part: Node, place: Place, inst: Inst) -> Values:
    if part.type == "method_definition":
        method = Fn(part, place, inst)
        return ev.invoke(method, []) if any(c.type == "get" for c in part.children) else (method,)
    value = part.child_by_field_name("value")
    return ev.values(value, place) if value is not None else (UNDEFINED,)


def _inherited(ev: Evaluator, inst: Inst, name: str, depth: int) -> Values:
    heritage = next((c for c in inst.cls.node.children if c.type == "class_heritage"), None)
    base = heritage.named_child(0) if heritage is not None else None
    if base is None or depth > 4:
        return NOTHING
    parents = [v for v in ev.values(base, inst.cls.place) if isinstance(v, Fn)]
    return ev.union(*(of_instance(ev, Inst(p), name, depth + 1) for p in parents))


def _of_function(ev: Evaluator, fn: Fn, name: str) -> Values:
    """A static member of a class, or a property that scripts put on a function."""
    if fn.node.type in CLASSES:
        for part in _members(fn):
            label = part.child_by_field_name("name") or part.child_by_field_name("property")
            if label is not None and fn.place.source.text(label) == name:
                return _class_member(ev, part, fn.place, Inst(fn))
    own = _class_name(fn)
    return (assigned(ev, own, name) if own else ()) or NOTHING


def this_of(ev: Evaluator, node: Node, place: Place) -> Values:
    """The object that `this` means here."""
    function = place.source.scope_of(node)
    while function.type == "arrow_function":
        function = place.source.scope_of(function)
    env = place.env.find((place.source.index, function.id)) if place.env else None
    if env is not None and env.this is not None:
        return (env.this,)
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
        return ev.values(holder, Place(place.source))
    if function.type in ("function_declaration", "function_expression"):
        return (Inst(Fn(function, Place(place.source))),)
    return (Ref("window"),) if function.type not in FUNCTIONS else NOTHING


def _this_by_assignment(ev: Evaluator, assignment: Node, place: Place) -> Values:
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


def truth(ev: Evaluator, node: Node, place: Place) -> bool | None:
    """Whether a condition holds; None where it may or may not."""
    said = {is_truthy(v) for v in ev.values(node, place)}
    return said.pop() if len(said) == 1 else None


def compare(ev: Evaluator, operator: str, left: Node, right: Node, place: Place) -> bool | None:
    """The answer of a comparison where both sides are known for sure."""
    if operator not in ("==", "===", "!=", "!==", "<", ">", "<=", ">="):
        return None
    a, b = ev.values(left, place), ev.values(right, place)
    if len(a) != 1 or len(b) != 1:
        return None
    one, other = a[0], b[0]
    if any(v is UNKNOWN or isinstance(v, Ref) or (isinstance(v, str) and HOLE in v) for v in (one, other)):
        return None
    plain = (str, int, float, bool, Mark)
    if not isinstance(one, plain) or not isinstance(other, plain):
        return None
    if operator in ("==", "===", "!=", "!=="):
        same = (type(one) is type(other) or not isinstance(one, bool | Mark)) and one == other
        return same if operator in ("==", "===") else not same
    if isinstance(one, int | float) and isinstance(other, int | float):
        return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[operator]
    return None


def happens(ev: Evaluator, node: Node, place: Place, top: Node) -> bool | None:
    """Whether a statement is reached: True for sure, False never, None perhaps."""
    sure: bool | None = True
    below, up = node, node.parent
    while up is not None and below.id != top.id:
        step: bool | None = True
        if up.type == "if_statement":
            test, otherwise = up.child_by_field_name("condition"), up.child_by_field_name("alternative")
            if test is not None and below.id != test.id:
                step = truth(ev, test, place)
                if step is not None and otherwise is not None and below.id == otherwise.id:
                    step = not step
        elif up.type == "switch_case":
            step = _matches(ev, up, place)
        elif up.type in ("switch_default", "for_statement", "for_in_statement", "while_statement", "catch_clause"):
            step = None
        if step is False:
            return False
        sure = None if step is None else sure
        below, up = up, up.parent
    return sure


def _matches(ev: Evaluator, case: Node, place: Place) -> bool | None:
    label = case.child_by_field_name("value")
    switch = case.parent.parent if case.parent is not None else None
    subject = switch.child_by_field_name("value") if switch is not None else None
    if label is None or subject is None:
        return None
    return (
        compare(ev, "===", subject, label, place)
        if subject.type != "parenthesized_expression"
        else compare(ev, "===", subject.named_child(0) or subject, label, place)
    )


def key_names(ev: Evaluator, key: Node, place: Place) -> list[str]:
    text = place.source.text(key)
    if key.type == "computed_property_name":
        inner = key.named_child(0)
        return [v for v in (ev.values(inner, place) if inner is not None else ()) if isinstance(v, str)]
    return [text.strip("\"'")]


def merge_into(ev: Evaluator, made: Obj, others: Sequence[Lazy]) -> None:
    """Object.assign and spread: later fields replace."""
    for lazy in others:
        for value in ev.lazy(lazy):
            if isinstance(value, Obj):
                made.fields.update(value.fields)
                made.is_open = made.is_open or value.is_open
            elif not isinstance(value, Mark) or value is UNKNOWN:
                made.is_open = True


def type_names(values: Values) -> Values:
    kinds: list[tuple[type, str]] = [
        (bool, "boolean"), (str, "string"), (int, "number"), (float, "number"), (Fn, "function"), (Obj, "object"),
        (Arr, "object"), (Inst, "object"), (Pattern, "object"),
    ]  # fmt: skip
    return tuple(next((n for kind, n in kinds if isinstance(v, kind)), UNKNOWN) for v in values)
