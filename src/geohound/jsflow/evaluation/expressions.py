"""What each kind of expression can be: one small function per node type of the syntax tree."""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from geohound.jsflow.modules import bundles, imports
from geohound.jsflow.syntax.source import CLASSES, arguments, nth, parameters
from geohound.jsflow.syntax.tree import FUNCTIONS, callee, operator
from geohound.jsflow.values import conditions
from geohound.jsflow.values.domain import (
    HOLE,
    NOTHING,
    NULL,
    UNDEFINED,
    UNKNOWN,
    Arr,
    BoundScope,
    Fn,
    Lazy,
    Obj,
    Pattern,
    Ref,
    Value,
    Values,
    is_truthy,
    ready,
)
from geohound.jsflow.values.resolver import Resolver

from . import builtins, classes, names, objects

_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))",
    re.DOTALL,
)


_PLAIN_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "0": "\0",
    "\n": "",
    "\r\n": "",
}

_EACH_MEMBER = re.compile(rb"for\s*\((?:var|let|const)?\s*[\w$]+\s+in\s")
_TAKES_APART = b"attempt to destructure"
_MAX_HELPER = 2_000
_HOOKS = frozenset(builtins.KEPT) - {"ref", "computed", "reactive", "memo"}


def unescape(raw: str) -> str:
    """The text that a literal stands for."""
    if "\\" not in raw:
        return raw

    def meant(m: re.Match[str]) -> str:
        code = m[1] or m[2] or m[3]
        if code:
            return chr(int(code, 16)) if int(code, 16) < 0x110000 else HOLE
        return _PLAIN_ESCAPES.get(m[4], m[4])

    return (
        _ESCAPE.sub(meant, raw)
        .encode("utf-16", "surrogatepass")
        .decode("utf-16", "replace")
    )


def _string(ev: Resolver, node: Node, place: BoundScope) -> Values:
    raw = place.source.data[node.start_byte + 1 : node.end_byte - 1]
    if len(raw) > ev.meter.budget.chars:
        return (raw[: ev.meter.budget.chars].decode("utf-8", "replace") + HOLE,)
    return (unescape(raw.decode("utf-8", "replace")),)


def _template(ev: Resolver, node: Node, place: BoundScope) -> Values:
    parts: list[Values] = []
    for child in node.named_children[:200]:
        if child.type == "template_substitution":
            inner = nth(child, 0)
            parts.append(ev.values(inner, place) if inner is not None else NOTHING)
        elif child.type in ("string_fragment", "escape_sequence"):
            parts.append((unescape(place.source.text(child)),))
    return ev.concat(*parts) if parts else ("",)


def _number(_: Resolver, node: Node, place: BoundScope) -> Values:
    raw = place.source.text(node).replace("_", "").lower()
    try:
        return (
            int(raw, 0)
            if raw[:2] in ("0x", "0b", "0o")
            else int(raw)
            if raw.isdigit()
            else float(raw),
        )
    except (ValueError, OverflowError):
        return NOTHING


def _regex(_: Resolver, node: Node, place: BoundScope) -> Values:
    pattern = node.child_by_field_name("pattern")
    flags = node.child_by_field_name("flags")
    if pattern is None:
        return NOTHING
    return (
        Pattern(
            place.source.text(pattern),
            place.source.text(flags) if flags is not None else "",
        ),
    )


def _first(ev: Resolver, node: Node, place: BoundScope) -> Values:
    inner = nth(node, 0)
    return ev.values(inner, place) if inner is not None else NOTHING


def _last(ev: Resolver, node: Node, place: BoundScope) -> Values:
    inner = node.named_children[-1] if node.named_child_count else None
    return ev.values(inner, place) if inner is not None else NOTHING


def _right(ev: Resolver, node: Node, place: BoundScope) -> Values:
    right = node.child_by_field_name("right")
    return ev.values(right, place) if right is not None else NOTHING


def _grown(ev: Resolver, node: Node, place: BoundScope) -> Values:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return NOTHING
    sign = operator(node).removesuffix("=")
    if sign in ("||", "??", "&&"):
        return _either(ev, sign, left, right, place)
    return ev.concat(ev.values(left, place), ev.values(right, place))


def _ternary(ev: Resolver, node: Node, place: BoundScope) -> Values:
    test, yes, no = (
        node.child_by_field_name(f) for f in ("condition", "consequence", "alternative")
    )
    if test is None or yes is None or no is None:
        return NOTHING
    truth = conditions.truth(ev, test, place)
    if truth is None:
        return ev.union(ev.values(yes, place), ev.values(no, place))
    return ev.values(yes if truth else no, place)


def _binary(ev: Resolver, node: Node, place: BoundScope) -> Values:
    sign = operator(node)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if not sign or left is None or right is None:
        return NOTHING
    if sign == "+":
        return _plus(ev, node, place)
    if sign in ("||", "??", "&&"):
        return _either(ev, sign, left, right, place)
    answer = conditions.compare(ev, sign, left, right, place)
    return NOTHING if answer is None else (answer,)


def _plus(ev: Resolver, node: Node, place: BoundScope) -> Values:
    """A chain of + as a whole: it leans left, as deep as it is long."""
    groups = [ev.values(term, place) for term in reversed(_terms(node))]
    numbers = [
        v
        for group in groups
        for v in group
        if isinstance(v, int | float) and not isinstance(v, bool)
    ]
    if len(numbers) < sum(map(len, groups)):
        return ev.concat(*groups)
    return (sum(numbers),) if len(numbers) == len(groups) else NOTHING


def _terms(node: Node) -> list[Node]:
    """What a chain of + adds up, the last term first."""
    terms: list[Node] = []
    at: Node | None = node
    while at is not None and at.type == "binary_expression" and len(terms) < 400:
        right = at.child_by_field_name("right")
        if operator(at) != "+" or right is None:
            break
        terms.append(right)
        at = at.child_by_field_name("left")
    return [*terms, at] if at is not None else terms


def _either(
    ev: Resolver, sign: str, left: Node, right: Node, place: BoundScope
) -> Values:
    found: list[Values] = []
    needs_right = False
    for value in ev.values(left, place):
        stays = _stays(sign, value)
        needs_right = needs_right or not stays
        may_stay = stays is None and value is not UNKNOWN and sign != "&&"
        if stays or may_stay:
            found.append((value,))
    if needs_right:
        found.append(ev.values(right, place))
    return ev.union(*found)


def _stays(sign: str, value: Value) -> bool | None:
    """Whether the left side is the result; None where it cannot be said."""
    if value is UNKNOWN:
        return None
    if sign == "??":
        return (
            None
            if isinstance(value, Ref)
            else value is not NULL and value is not UNDEFINED
        )
    known = is_truthy(value)
    if sign == "||" or known is None:
        return known
    return not known


def _unary(ev: Resolver, node: Node, place: BoundScope) -> Values:
    sign, inner = operator(node), node.child_by_field_name("argument")
    if inner is None:
        return NOTHING
    if sign == "!":
        truth = conditions.truth(ev, inner, place)
        return NOTHING if truth is None else (not truth,)
    if sign == "void":
        return (UNDEFINED,)
    if sign == "-":
        return tuple(
            -v if isinstance(v, int | float) else UNKNOWN
            for v in ev.values(inner, place)
        )
    return NOTHING


def _object(ev: Resolver, node: Node, place: BoundScope) -> Values:
    made = Obj(origin=(node, place))
    for part in node.named_children:
        ev.meter.spend()
        put = _PARTS.get(part.type)
        if put is not None:
            put(ev, made, part, place)
    return (made,)


def _put_pair(ev: Resolver, made: Obj, pair: Node, place: BoundScope) -> None:
    key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
    if key is None or value is None:
        return
    for name in objects.key_names(ev, key, place):
        made.fields[name] = [Lazy(value, place)]


def _put_name(_: Resolver, made: Obj, name: Node, place: BoundScope) -> None:
    made.fields[place.source.text(name)] = [Lazy(name, place)]


def _put_method(_: Resolver, made: Obj, method: Node, place: BoundScope) -> None:
    label = method.child_by_field_name("name")
    if label is not None:
        made.fields[place.source.text(label)] = [ready(Fn(method, place, made))]


def _put_all(ev: Resolver, made: Obj, spread: Node, place: BoundScope) -> None:
    inner = nth(spread, 0)
    if inner is not None:
        objects.merge_into(ev, made, [Lazy(inner, place)])


_PARTS: dict[str, Callable[[Resolver, Obj, Node, BoundScope], None]] = {
    "pair": _put_pair,
    "shorthand_property_identifier": _put_name,
    "method_definition": _put_method,
    "spread_element": _put_all,
}


def _array(ev: Resolver, node: Node, place: BoundScope) -> Values:
    made = Arr()
    for child in node.named_children[:2000]:
        if child.type == "spread_element" and (inner := nth(child, 0)) is not None:
            for value in ev.values(inner, place):
                if isinstance(value, Arr):
                    made.items += value.items
                else:
                    made.is_open = True
        else:
            made.items.append(Lazy(child, place))
    return (made,)


def _function(_: Resolver, node: Node, place: BoundScope) -> Values:
    return (Fn(node, place),)


def _identifier(ev: Resolver, node: Node, place: BoundScope) -> Values:
    return names.look_up(ev, place.source.text(node), node, place)


def _new(ev: Resolver, node: Node, place: BoundScope) -> Values:
    made = callee(node)
    if made is None:
        return NOTHING
    args = ev.lazy_arguments(node, place)
    found: list[Values] = []
    for value in ev.values(made, place):
        if isinstance(value, Fn):
            found.append((classes.construct(ev, value, args),))
        elif isinstance(value, Ref):
            found.append(builtins.construct(ev, value.path, args))
    return ev.union(*found)


def _call(ev: Resolver, node: Node, place: BoundScope) -> Values:
    called = callee(node)
    if called is None:
        return NOTHING
    if called.type == "import":
        return imports.load_from(ev, arguments(node), place)
    args = ev.lazy_arguments(node, place)
    inner = called.child_by_field_name("object")
    name = called.child_by_field_name("property")
    if called.type == "member_expression" and inner is not None and name is not None:
        if args and place.source.text(name) in _HOOKS:
            return builtins.KEPT[place.source.text(name)](ev, args)
        return builtins.call_method(ev, inner, place.source.text(name), args, place)
    return ev.union(
        *(_result(ev, value, args, place) for value in ev.values(called, place))
    )


def _result(
    ev: Resolver, function: Value, args: list[Lazy], place: BoundScope
) -> Values:
    """What the call of a function gives."""
    if isinstance(function, Ref):
        return builtins.call(ev, function.path, args, place)
    if not isinstance(function, Fn):
        return bundles.call_getter(ev, function)
    module = (
        bundles.required_by(ev, function, ev.lazy(args[0])[0])
        if len(args) == 1
        else NOTHING
    )
    if module != NOTHING:
        return module
    if later := bundles.begun_later(function, args):
        return later
    if args and _takes_apart(function):
        return ev.lazy(args[0])
    if args and _merges(function):
        return builtins.call(ev, "Object.assign", args, place)
    return ev.invoke(function, args)


def _merges(fn: Fn) -> bool:
    """The helper of compilers that puts the members of objects into the first one, which it gives back."""
    begin, end = fn.node.start_byte, fn.node.end_byte
    text = fn.place.source.data[begin:end] if end - begin < _MAX_HELPER else b""
    given = parameters(fn.node) if _EACH_MEMBER.search(text) else []
    first = fn.place.source.text(given[0]).encode() if given else b""
    return bool(first) and text.rstrip(b"}; \n\t").endswith(b"return " + first)


def _takes_apart(fn: Fn) -> bool:
    """The helper of compilers that gives the first elements of an array."""
    begin, end = fn.node.start_byte, fn.node.end_byte
    return end - begin < _MAX_HELPER and _TAKES_APART in fn.place.source.data[begin:end]


def _this(ev: Resolver, node: Node, place: BoundScope) -> Values:
    return classes.this_of(ev, node, place)


def _meta(_: Resolver, __: Node, ___: BoundScope) -> Values:
    return (Ref("import.meta"),)


Handler = Callable[["Resolver", Node, BoundScope], Values]


HANDLERS: dict[str, Handler] = {
    "string": _string,
    "template_string": _template,
    "number": _number,
    "regex": _regex,
    "true": lambda *_: (True,),
    "false": lambda *_: (False,),
    "null": lambda *_: (NULL,),
    "undefined": lambda *_: (UNDEFINED,),
    "identifier": _identifier,
    "shorthand_property_identifier": _identifier,
    "parenthesized_expression": _first,
    "await_expression": _first,
    "yield_expression": _first,
    "expression_statement": _first,
    "jsx_expression": _first,
    "sequence_expression": _last,
    "assignment_expression": _right,
    "augmented_assignment_expression": _grown,
    "ternary_expression": _ternary,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "object": _object,
    "array": _array,
    "new_expression": _new,
    "call_expression": _call,
    "this": _this,
    "meta_property": _meta,
    "member_expression": objects.member_expression,
    "subscript_expression": objects.subscript_expression,
    **dict.fromkeys(FUNCTIONS | CLASSES, _function),
}
