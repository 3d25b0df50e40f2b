"""From where a function is called, and with what: the alternatives for its parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from tree_sitter import Node

from geohound.jsflow.model import words
from geohound.jsflow.modules import imports
from geohound.jsflow.syntax.source import CLASSES, FUNCTIONS, Source, arguments, nth, parameters
from geohound.jsflow.values.domain import UNKNOWN, Arr, Fn, Lazy, Obj, Place, Ref, Values, ready
from geohound.jsflow.values.resolver import Binding, Resolver

from . import descriptors, tables

_CALLED = rb"(?<![\w$])(?P<at>NAME)\s*\("
_HANDED_ON = rb"[(,]\s*(?P<at>NAME)\s*[,)]"
_TAG = rb"<(?P<at>NAME)[\s/>]"
_MAX_SITES = 120
_ITERATORS = words("map forEach filter flatMap some every find each findIndex sort")
_OUTSIDE = frozenset(
    ("$", "jQuery", "_", "Ext", "angular", "array", "arrayUtil", "goog.array", "OpenLayers", "dojo", "L")
)
_KEY_FIRST = frozenset(("$", "jQuery"))
_ELEMENTS = frozenset(("createElement", "jsx", "jsxs", "_jsx", "_jsxs", "h", "createVNode"))
_REQUESTS = words("getJSON get post ajax json loadJson loadJSON xhrGet request load")


def bindings(ev: Resolver, function: Node, source: Source) -> list[Binding]:
    """A binding of the parameters for every call that is known."""
    fn = Fn(function, Place(source))
    found: list[Binding] = []
    for args in _argument_lists(ev, function, source):
        ev.meter.spend()
        found.append(ev.bind(fn, args))
        if len(found) >= ev.meter.budget.choices:
            break
    return found


def _argument_lists(ev: Resolver, function: Node, source: Source) -> Iterator[list[Lazy]]:
    node, up = function, function.parent
    while up is not None and up.type == "parenthesized_expression":
        node, up = up, up.parent
    if up is None:
        return
    place = Place(source)
    if up.type == "call_expression":
        yield ev.lazy_arguments(up, place)
    elif up.type == "member_expression" and up.parent is not None and up.parent.type == "call_expression":
        if source.text(up).endswith(".call"):
            yield ev.lazy_arguments(up.parent, place)[1:]
    elif up.type == "arguments" and up.parent is not None:
        yield from called_back(ev, up.parent, node, place)
    else:
        for call in tables.calls(function, source):
            yield ev.lazy_arguments(call, place)
        yield from _by_name(ev, function, up, source)


def _by_name(ev: Resolver, function: Node, up: Node, source: Source) -> Iterator[list[Lazy]]:
    label = _label(function, up, source)
    if label is None:
        return
    name = source.text(label).strip("\"'")
    if not name.isidentifier() and not name.replace("$", "_").isidentifier():
        return
    is_plain = label.type == "identifier"
    scope = source.scope_of(up if up.parent is not None else function) if is_plain else source.root
    fn = Fn(function, Place(source))
    yield from _calls_in(ev, source, name, fn, scope if is_plain else None)
    if (len(name) > 2 or source.script.is_inline) and scope.type not in FUNCTIONS:
        for other in ev.sources:
            if other is not source and not other.is_library and other.mentions(name):
                yield from _calls_in(ev, other, name, fn, other.root if is_plain else None)
    aliases = _exports(name, scope, source) if is_plain and scope.type in FUNCTIONS else []
    for alias, other in product(aliases, ev.sources):
        if not other.is_library and other.mentions(alias):
            yield from _calls_in(ev, other, alias, fn, None)
    if is_plain and scope.type not in FUNCTIONS and source.mentions("export"):
        for other, alias in imports.importers(ev, source):
            yield from _calls_in(ev, other, alias, fn, other.root)


def _exports(name: str, scope: Node, source: Source) -> list[str]:
    """The names under which a module hands out a class that a function returns: o = (() => {…return e})(), t.A = o."""
    call = scope.parent
    while call is not None and call.type in ("parenthesized_expression", "call_expression"):
        call = call.parent
    held = call.child_by_field_name("name") if call is not None and call.type == "variable_declarator" else None
    if held is None or not re.search(rf"[\s,]{re.escape(name)}\s*;?\s*\}}$", source.text(scope)[-80:]):
        return []
    outer = source.scope_of(call) if call is not None else scope
    pattern = re.compile(rb"[\w$]\.([\w$]{3,60})\s*=\s*" + re.escape(source.text(held)).encode() + rb"(?![\w$.(\[])")
    found = pattern.findall(source.data, outer.start_byte, outer.end_byte)
    return [alias.decode() for alias in dict.fromkeys(found)][:3]


def _label(function: Node, up: Node, source: Source) -> Node | None:
    """The name under which others call the function; of a constructor, its class's."""
    name = function.child_by_field_name("name")
    if function.type == "method_definition" and name is not None:
        cls = up.parent if up.type == "class_body" else None
        if cls is not None and cls.type in CLASSES and source.text(name) == "constructor":
            return _label(cls, cls.parent, source) if cls.parent is not None else None
        return name
    if name is not None:
        return name
    if up.type == "variable_declarator":
        return up.child_by_field_name("name")
    if up.type == "assignment_expression":
        left = up.child_by_field_name("left")
        return left.child_by_field_name("property") or left if left is not None else None
    if up.type == "pair" and (listed := descriptors.name_of(function)) is not None:
        return listed
    if up.type in ("pair", "field_definition"):
        return up.child_by_field_name("key") or up.child_by_field_name("property")
    return None


def _calls_in(ev: Resolver, source: Source, name: str, fn: Fn, scope: Node | None) -> Iterator[list[Lazy]]:
    """Calls of a name, of a plain one within the scope that declares it."""
    place = Place(source)
    begin, end = (scope.start_byte, scope.end_byte) if scope is not None else (0, len(source.data))
    for at in source.places(name, _CALLED, begin, end)[:_MAX_SITES]:
        ev.meter.spend()
        node = source.node_at(at)
        call = _call_above(node)
        if node is None or call is None or (source is fn.place.source and fn.node.start_byte == at):
            continue
        if scope is not None and node.type == "identifier" and not _may_be(ev, node, place, fn):
            continue
        yield ev.lazy_arguments(call, place)
    for at in source.places(name, _HANDED_ON, begin, end)[:_MAX_SITES]:
        ev.meter.spend()
        node = source.node_at(at)
        up = node.parent if node is not None else None
        if up is not None and up.type == "member_expression":
            node, up = up, up.parent
        if node is not None and up is not None and up.type == "arguments" and up.parent is not None:
            yield from called_back(ev, up.parent, node, place)
    if b"<" + name.encode() in source.data:
        yield from _as_tags(source, name, place)


def _call_above(node: Node | None) -> Node | None:
    up = node.parent if node is not None else None
    if up is not None and up.type == "member_expression":
        up = up.parent
    return up if up is not None and up.type in ("call_expression", "new_expression") else None


def _may_be(ev: Resolver, node: Node, place: Place, fn: Fn) -> bool:
    found = ev.values(node, place)
    same = [v for v in found if isinstance(v, Fn)]
    if not same:
        return all(v is UNKNOWN or isinstance(v, Ref) for v in found)
    return any(v.key == fn.key or _is_constructor_of(fn, v) for v in same)


def _is_constructor_of(fn: Fn, cls: Fn) -> bool:
    return (
        fn.place.source is cls.place.source
        and cls.node.type in CLASSES
        and cls.node.start_byte <= fn.node.start_byte < cls.node.end_byte
    )


def _as_tags(source: Source, name: str, place: Place) -> Iterator[list[Lazy]]:
    for at in source.places(name, _TAG)[:_MAX_SITES]:
        node = source.node_at(at)
        tag = node.parent if node is not None else None
        if tag is not None and tag.type in ("jsx_opening_element", "jsx_self_closing_element"):
            yield [ready(attributes(source, tag, place))]


def attributes(source: Source, tag: Node, place: Place) -> Obj:
    """The attributes of a JSX tag as an object."""
    made = Obj()
    for part in tag.named_children:
        if part.type == "jsx_attribute" and part.named_child_count > 1:
            key, value = nth(part, 0), nth(part, 1)
            if key is not None and value is not None:
                made.fields[source.text(key)] = [Lazy(value, place)]
    return made


def called_back(ev: Resolver, call: Node, node: Node, place: Place) -> Iterator[list[Lazy]]:
    """The arguments that a function gets which is handed to another call."""
    callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
    given = arguments(call)
    if callee is None:
        return
    source = place.source
    name = source.text(callee.child_by_field_name("property") or callee)
    holder = callee.child_by_field_name("object")
    position = next((i for i, a in enumerate(given) if a.start_byte <= node.start_byte < a.end_byte), 0)
    if name in _ITERATORS:
        yield from _iterated(ev, holder, given, position, place)
    elif name in ("then", "done", "success", "subscribe", "pipe") and holder is not None:
        yield [ready(*imports.settled(ev, ev.values(holder, place)))]
    elif name in ("define", "require", "requirejs", "curl") or name.endswith("amdRequire"):
        yield imports.dependencies(ev, given, position, source)
    elif position == 0 and len(given) > 1 and _makes_elements(ev, callee, name, place):
        yield [Lazy(given[1], place)]
    elif name in _REQUESTS and position > 0:
        yield [ready(*imports.settled(ev, ev.values(given[0], place)))]
    elif name == "reduce" and holder is not None:
        yield from ([ready(UNKNOWN), item] for item in elements(ev, ev.values(holder, place)))
    else:
        yield from _passed_through(ev, callee, position, place)


def _makes_elements(ev: Resolver, callee: Node, name: str, place: Place) -> bool:
    if name in _ELEMENTS:
        return True
    return any(isinstance(v, Ref) and v.path.rpartition(".")[2] in _ELEMENTS for v in ev.values(callee, place))


def _iterated(
    ev: Resolver, holder: Node | None, given: list[Node], position: int, place: Place
) -> Iterator[list[Lazy]]:
    outside = holder is not None and place.source.text(holder) in _OUTSIDE
    over = given[0] if outside and position > 0 else holder
    if over is None:
        return
    key_first = outside and holder is not None and place.source.text(holder) in _KEY_FIRST
    for value in imports.opened(ev, ev.values(over, place)):
        if isinstance(value, Arr):
            pairs = [(ready(i), item) for i, item in enumerate(value.items)]
        elif isinstance(value, Obj):
            pairs = [(ready(k), lazies[-1]) for k, lazies in value.fields.items()]
        else:
            continue
        for key, item in pairs:
            yield [key, item] if key_first else [item, key]


def _passed_through(ev: Resolver, callee: Node, position: int, place: Place) -> Iterator[list[Lazy]]:
    """A function of the page that calls what it is handed: the arguments of that call."""
    for value in ev.values(callee, place):
        if not isinstance(value, Fn) or value.node.type not in FUNCTIONS:
            continue
        listed = parameters(value.node)
        if position >= len(listed) or listed[position].type != "identifier":
            continue
        source = value.place.source
        name = source.text(listed[position])
        for at in source.places(name, _CALLED, value.node.start_byte, value.node.end_byte)[:10]:
            call = _call_above(source.node_at(at))
            if call is not None:
                yield ev.lazy_arguments(call, Place(source))


def elements(ev: Resolver, values: Values, keys: bool = False) -> list[Lazy]:
    """What a loop runs over."""
    found: list[Lazy] = []
    for value in imports.opened(ev, values):
        if isinstance(value, Arr):
            found += [ready(str(i)) for i in range(len(value.items))] if keys else value.items
        elif isinstance(value, Obj) and keys:
            found += [ready(k) for k in value.fields]
    return found[: ev.meter.budget.choices]
