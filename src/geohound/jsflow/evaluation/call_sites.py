"""From where a function is called, and with what: the alternatives for its parameters."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.model import words
from geohound.jsflow.modules import bundles, files, imports
from geohound.jsflow.syntax.source import CLASSES, Source, arguments, nth, parameters
from geohound.jsflow.syntax.tree import FUNCTIONS, above, call_by, callee, child
from geohound.jsflow.values.domain import (
    UNKNOWN,
    Arr,
    BoundScope,
    Fn,
    Lazy,
    Obj,
    Ref,
    Value,
    Values,
    ready,
)
from geohound.jsflow.values.resolver import Binding, Resolver

from . import classes, descriptors, handed_out, tables

_CALLED = rb"(?<![\w$])(?P<at>NAME)\s*+(?:\)\s*+)?\("
_CALLED_BRIEFLY = rb"[\w$)\]]\.(?P<at>NAME)\)?\("
_MADE = rb"(?<![\w$])new\s(?:[\w$]+\.)*(?P<at>NAME)(?![\w$(.])"
_HANDED_ON = rb"[(,]\s*(?P<at>NAME)\s*[,)]"
_EXTENDED = rb"(?<![\w$])extends\s+(?:[\w$]+\.)?(?P<at>NAME)(?![\w$.(])"
_RENAMED = rb"[\w$]\s?=\s?(?:[\w$.]{1,30}\()?(?P<at>NAME)(?:\)|[ \t]?)(?:[,;\n]|$)"
_MAX_OTHERS = 3
_BRIEF = 2  # letters: names that minifiers give
_TAG = rb"<(?P<at>NAME)[\s/>]"
_MAX_SITES = 120
_MANY = 4_000
_ITERATORS = words("map forEach filter flatMap some every find each findIndex sort")
_OUTSIDE = frozenset(
    (
        "$",
        "jQuery",
        "_",
        "Ext",
        "angular",
        "array",
        "arrayUtil",
        "goog.array",
        "OpenLayers",
        "dojo",
        "L",
    )
)
_KEY_FIRST = frozenset(("$", "jQuery"))
ELEMENTS = frozenset(
    ("createElement", "jsx", "jsxs", "_jsx", "_jsxs", "h", "createVNode")
)
_AFTERWARDS = words("then done success subscribe pipe")
_LOADERS = words("define require requirejs curl")
_REQUESTS = words("getJSON get post ajax json loadJson loadJSON xhrGet request load")


def bindings(ev: Resolver, function: Node, source: Source) -> list[Binding]:
    """A binding of the parameters for every call that is known."""
    fn = Fn(function, BoundScope(source))
    found: list[Binding] = []
    for args in argument_lists(ev, function, source):
        ev.meter.spend()
        found.append(ev.bind(fn, args))
        if len(found) >= ev.meter.budget.choices:
            break
    return found


def site(binding: Binding) -> Lazy | None:
    """An argument as it is written at the call that gives these values, if one is."""
    given = (
        binding["arguments"].values[0]
        if "arguments" in binding and binding["arguments"].values
        else None
    )
    written = (
        lazy
        for lazy in (given.items if isinstance(given, Arr) else ())
        if lazy.node is not None
    )
    return next(written, None)


def argument_lists(
    ev: Resolver, function: Node, source: Source
) -> Iterator[list[Lazy]]:
    """The arguments of every call that is known."""
    node, up = function, function.parent
    while up is not None and up.type == "parenthesized_expression":
        node, up = up, up.parent
    if up is None:
        return
    place = BoundScope(source)
    if up.type in ("call_expression", "new_expression"):
        yield ev.lazy_arguments(up, place)
    elif up.type == "arguments" and up.parent is not None:
        yield from called_back(ev, up.parent, node, place)
    elif up.type == "array" and (module := imports.set_module(ev, node, up, source)):
        yield [ready(*module)]
    elif (
        up.type == "member_expression"
        and (call := above(up, "call_expression")) is not None
    ):
        yield from _by_call(ev, up, call, place)
    else:
        yield from (
            ev.lazy_arguments(picked, place)
            for picked, _ in tables.calls(function, source)
        )
        yield from _by_name(ev, function, up, source)


def _by_call(
    ev: Resolver, member: Node, call: Node, place: BoundScope
) -> Iterator[list[Lazy]]:
    """(function (a) {…}).call(this, a)"""
    if place.source.text(member).endswith(".call"):
        yield ev.lazy_arguments(call, place)[1:]


def _by_name(
    ev: Resolver, function: Node, up: Node, source: Source
) -> Iterator[list[Lazy]]:
    label = _label(function, up, source)
    name = source.text(label).strip("\"'") if label is not None else ""
    if label is None or not name.replace("$", "_").isidentifier():
        return
    fn = Fn(function, BoundScope(source))
    if name == "exports":
        yield from _calls_of_whole(ev, source, fn, source.scope_of(label))
    elif label.type != "identifier":
        yield from _calls_in(ev, source, name, fn, None)
        yield from _calls_elsewhere(ev, source, name, fn, is_plain=False)
    if label.type != "identifier":
        return
    scope = source.declaring(name, up if up.parent is not None else function)
    for called in (name, *_other_names(source, name, scope)):
        yield from _calls_in(ev, source, called, fn, scope)
    if scope.type in FUNCTIONS:
        yield from _calls_of_exports(ev, source, name, fn, scope)
        return
    yield from _calls_elsewhere(ev, source, name, fn, is_plain=True)
    if source.mentions("export"):
        for other, alias in imports.importers(ev, source):
            yield from _calls_in(ev, other, alias, fn, other.root)


def _other_names(source: Source, name: str, scope: Node) -> list[str]:
    """The names that are declared to be this one: r = o."""
    found = []
    for at in source.places(name, _RENAMED, scope.start_byte, scope.end_byte)[
        :_MAX_OTHERS
    ]:
        holder = source.nearest(source.node_at(at), "variable_declarator", "program")
        label = child(holder, "name")
        if label is not None and label.type == "identifier":
            found.append(source.text(label))
    return found


def _calls_elsewhere(
    ev: Resolver, source: Source, name: str, fn: Fn, *, is_plain: bool
) -> Iterator[list[Lazy]]:
    """Calls in other scripts; names of one or two letters are not the same there, but in scripts of the page itself."""
    if len(name) <= 2 and not source.script.is_inline:
        return
    for other in ev.sources:
        if other is not source and not other.is_library and other.mentions(name):
            yield from _calls_in(ev, other, name, fn, other.root if is_plain else None)


def _calls_of_exports(
    ev: Resolver, source: Source, name: str, fn: Fn, scope: Node
) -> Iterator[list[Lazy]]:
    """Calls by other modules, and by whatever else gets hold of a function that its scope hands out."""
    outside = handed_out.returned_as(name, scope, source)
    if outside is not None:
        name, scope = outside
        yield from _calls_in(ev, source, name, fn, scope)
    for alias in handed_out.names(name, scope, source):
        if alias == "exports":
            yield from _calls_of_whole(ev, source, fn, scope)
        for other in ev.sources if alias != "exports" else ():
            if not other.is_library and other.mentions(alias):
                yield from _calls_in(ev, other, alias, fn, None)


def _calls_of_whole(
    ev: Resolver, source: Source, fn: Fn, module: Node
) -> Iterator[list[Lazy]]:
    """Calls of a function that is all a module of a bundle exports, under the names that others require it as."""
    for other, required in bundles.uses(ev, source, module):
        if (call := call_by(required)) is not None:
            yield ev.lazy_arguments(call, BoundScope(other))
        label = child(above(required, "variable_declarator"), "name")
        if label is not None and label.type == "identifier":
            scope = other.scope_of(label)
            yield from _calls_in(ev, other, other.text(label), fn, scope)


def _label(function: Node, up: Node, source: Source) -> Node | None:
    """The name under which others call the function; of a constructor, its class's."""
    name = function.child_by_field_name("name")
    if name is None or function.type == "function_expression":
        return _name_by_holder(function, up, source) or name
    if function.type != "method_definition":
        return name
    cls = above(up, *CLASSES) if up.type == "class_body" else None
    if cls is None or source.text(name) != "constructor":
        return name
    return _label(cls, cls.parent, source) if cls.parent is not None else None


def _name_by_holder(function: Node, up: Node, source: Source) -> Node | None:
    """The name that a function without one gets by where it stands."""
    match up.type:
        case "variable_declarator":
            return up.child_by_field_name("name")
        case "assignment_expression":
            left = up.child_by_field_name("left")
            return child(left, "property") or left
        case "pair":
            return descriptors.name_of(function, source) or child(up, "key", "property")
        case "field_definition":
            return child(up, "key", "property")
    return None


def _calls_in(
    ev: Resolver, source: Source, name: str, fn: Fn, scope: Node | None
) -> Iterator[list[Lazy]]:
    """Calls of a name, of a plain one within the scope that declares it."""
    place = BoundScope(source)
    begin, end = (
        (scope.start_byte, scope.end_byte)
        if scope is not None
        else (0, len(source.data))
    )
    is_brief = scope is None and len(name) <= _BRIEF
    calls = _CALLED_BRIEFLY if is_brief else _CALLED
    called = source.places(name, calls, begin, end, limit=_MANY)
    made = source.places(name, _MADE, begin, end) if _is_made(fn) else []
    home = fn.node.start_byte if source is fn.place.source else 0
    for at in _nearest([*called, *made], home):
        ev.meter.spend()
        call = _call_at(ev, source, at, fn, is_plain=scope is not None)
        if is_brief and not (call and _calls(ev, call, place, fn)):
            continue
        if call is not None:
            yield ev.lazy_arguments(call, place)
    for at in source.places(name, _HANDED_ON, begin, end)[:_MAX_SITES]:
        ev.meter.spend()
        yield from _handed_on(ev, source, at)
    if source.mentions(f"<{name}"):
        yield from _as_tags(source, name, place)
    if fn.node.type == "method_definition" and source.mentions("extends"):
        yield from _by_subclasses(ev, source, name, begin, end)


def _nearest(places: list[int], home: int) -> list[int]:
    """Of too many places, those next to where the function stands, in order."""
    if len(places) <= _MAX_SITES:
        return places
    return sorted(sorted(places, key=lambda at: abs(at - home))[:_MAX_SITES])


def _is_made(fn: Fn) -> bool:
    """A constructor, or a function that may be one."""
    name = fn.node.child_by_field_name("name")
    return fn.node.type != "method_definition" or (
        name is not None and fn.place.source.text(name) == "constructor"
    )


def _by_subclasses(
    ev: Resolver, source: Source, name: str, begin: int, end: int
) -> Iterator[list[Lazy]]:
    """What classes that extend this one give to its constructor: by super(…), or all that they are made with."""
    for at in source.places(name, _EXTENDED, begin, end)[:_MAX_SITES]:
        ev.meter.spend()
        heritage = above(source.node_at(at), "class_heritage")
        cls = above(heritage, *CLASSES)
        if cls is None:
            continue
        call = classes.call_of_super(Fn(cls, BoundScope(source)))
        if call is not None:
            yield ev.lazy_arguments(call, BoundScope(source))
        elif (
            cls.parent is not None
            and classes.constructor(Fn(cls, BoundScope(source))) is None
        ):
            yield from _by_name(ev, cls, cls.parent, source)


def _call_at(
    ev: Resolver, source: Source, at: int, fn: Fn, *, is_plain: bool
) -> Node | None:
    """The call of a name that stands here, if it can be this function that is meant."""
    node = source.node_at(at)
    is_itself = source is fn.place.source and fn.node.start_byte == at
    if node is None or is_itself:
        return None
    call = _call_above(node)
    if (
        call is not None
        and is_plain
        and node.type == "identifier"
        and not _may_be(ev, node, BoundScope(source), fn)
    ):
        return None
    return call


def _handed_on(ev: Resolver, source: Source, at: int) -> Iterator[list[Lazy]]:
    """What the function that stands here as an argument is called with by the function that gets it."""
    node = source.node_at(at)
    node = above(node, "member_expression") or node
    given = above(node, "arguments")
    call = given.parent if given is not None else None
    if node is not None and call is not None:
        yield from called_back(ev, call, node, BoundScope(source))


def _call_above(node: Node | None) -> Node | None:
    return call_by(above(node, "member_expression") or node)


def _calls(ev: Resolver, call: Node, place: BoundScope, fn: Fn) -> bool:
    """Is it surely this function that is called, by a name as short as many others have?"""
    called = callee(call)
    made = ev.values(called, place) if called is not None else ()
    return any(isinstance(v, Fn) and _is(fn, v) for v in made)


def _may_be(ev: Resolver, node: Node, place: BoundScope, fn: Fn) -> bool:
    found = ev.values(node, place)
    same = [v for v in found if isinstance(v, Fn)]
    if not same:
        return all(v is UNKNOWN or isinstance(v, Ref) for v in found)
    return any(_is(fn, v) for v in same)


def _is(fn: Fn, cls: Fn) -> bool:
    """The function itself, or the class whose constructor it is."""
    return cls.key == fn.key or (
        fn.place.source is cls.place.source
        and cls.node.type in CLASSES
        and cls.node.start_byte <= fn.node.start_byte < cls.node.end_byte
    )


def _as_tags(source: Source, name: str, place: BoundScope) -> Iterator[list[Lazy]]:
    for at in source.places(name, _TAG)[:_MAX_SITES]:
        node = source.node_at(at)
        tag = node.parent if node is not None else None
        if tag is not None and tag.type in (
            "jsx_opening_element",
            "jsx_self_closing_element",
        ):
            yield [ready(attributes(source, tag, place))]


def attributes(source: Source, tag: Node, place: BoundScope) -> Obj:
    """The attributes of a JSX tag as an object."""
    made = Obj()
    for part in tag.named_children:
        if part.type == "jsx_attribute" and part.named_child_count > 1:
            key, value = nth(part, 0), nth(part, 1)
            if key is not None and value is not None:
                made.fields[source.text(key)] = [Lazy(value, place)]
    return made


def called_back(
    ev: Resolver, call: Node, node: Node, place: BoundScope
) -> Iterator[list[Lazy]]:
    """The arguments that a function gets which is handed to another call."""
    called = callee(call)
    if called is None:
        return
    given = arguments(call)
    name = place.source.text(called.child_by_field_name("property") or called)
    position = _position(given, node)
    holder = called.child_by_field_name("object")
    if name in _ITERATORS:
        yield from _iterated(ev, holder, given, position, place)
    elif name in _LOADERS or name.endswith("amdRequire"):
        yield imports.dependencies(ev, given, position, place.source)
    elif (awaited := _awaited(name, holder, given, position)) is not None:
        yield [ready(*files.settled(ev, ev.values(awaited, place)))]
    elif name == "reduce" and holder is not None:
        yield from (
            [ready(UNKNOWN), item] for item in elements(ev, ev.values(holder, place))
        )
    elif position == 0 and len(given) > 1 and _makes_elements(ev, called, name, place):
        yield [Lazy(given[1], place)]
    else:
        yield from _passed_through(ev, called, position, place)


def _position(given: list[Node], node: Node) -> int:
    """The number of the argument that a node is, or stands in."""
    return next(
        (
            i
            for i, a in enumerate(given)
            if a.start_byte <= node.start_byte < a.end_byte
        ),
        0,
    )


def _awaited(
    name: str, holder: Node | None, given: list[Node], position: int
) -> Node | None:
    """The promise or the address whose answer a function is handed."""
    if name in _AFTERWARDS and holder is not None:
        return holder
    return given[0] if name in _REQUESTS and position > 0 else None


def _makes_elements(ev: Resolver, callee: Node, name: str, place: BoundScope) -> bool:
    if name in ELEMENTS:
        return True
    return any(
        isinstance(v, Ref) and v.path.rpartition(".")[2] in ELEMENTS
        for v in ev.values(callee, place)
    )


def _iterated(
    ev: Resolver,
    holder: Node | None,
    given: list[Node],
    position: int,
    place: BoundScope,
) -> Iterator[list[Lazy]]:
    library = place.source.text(holder) if holder is not None else ""
    over = given[0] if library in _OUTSIDE and position > 0 else holder
    if over is None:
        return
    for value in files.opened(ev, ev.values(over, place)):
        for key, item in _pairs(value):
            yield [key, item] if library in _KEY_FIRST else [item, key]


def _pairs(value: Value) -> list[tuple[Lazy, Lazy]]:
    """The elements of an array with their numbers, the fields of an object with their names."""
    if isinstance(value, Arr):
        return [(ready(i), item) for i, item in enumerate(value.items)]
    if isinstance(value, Obj):
        return [(ready(k), lazies[-1]) for k, lazies in value.fields.items()]
    return []


def _passed_through(
    ev: Resolver, callee: Node, position: int, place: BoundScope
) -> Iterator[list[Lazy]]:
    """A function of the page that calls what it is handed: the arguments of that call."""
    for value in ev.values(callee, place):
        if not isinstance(value, Fn) or value.node.type not in FUNCTIONS:
            continue
        listed = parameters(value.node)
        if position >= len(listed) or listed[position].type != "identifier":
            continue
        source = value.place.source
        name = source.text(listed[position])
        for at in source.places(
            name, _CALLED, value.node.start_byte, value.node.end_byte
        )[:10]:
            call = _call_above(source.node_at(at))
            if call is not None:
                yield ev.lazy_arguments(call, BoundScope(source))


def elements(ev: Resolver, values: Values, keys: bool = False) -> list[Lazy]:
    """What a loop runs over."""
    found: list[Lazy] = []
    for value in files.opened(ev, values):
        if isinstance(value, Arr):
            found += (
                [ready(str(i)) for i in range(len(value.items))]
                if keys
                else value.items
            )
        elif isinstance(value, Obj) and keys:
            found += [ready(k) for k in value.fields]
        elif isinstance(value, Obj) and value.is_map:
            found += [
                ready(Arr([ready(k), lazies[-1]])) for k, lazies in value.fields.items()
            ]
    return found[: ev.meter.budget.choices]
