"""What each kind of expression can be: one small function per node type of the syntax tree."""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from geohound.jsflow.modules import bundles, imports
from geohound.jsflow.syntax.source import CLASSES, FUNCTIONS, arguments, nth
from geohound.jsflow.values import conditions
from geohound.jsflow.values.domain import (
    HOLE,
    NOTHING,
    NULL,
    UNDEFINED,
    UNKNOWN,
    Arr,
    Fn,
    Lazy,
    Obj,
    Pattern,
    Place,
    Ref,
    Values,
    is_truthy,
    ready,
)
from geohound.jsflow.values.resolver import Resolver

from . import builtins, classes, names, objects

_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)


_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}


def unescape(raw: str) -> str:
    """The text that a literal stands for."""
    if "\\" not in raw:
        return raw

    def meant(m: re.Match[str]) -> str:
        code = m[1] or m[2] or m[3]
        if code:
            return chr(int(code, 16)) if int(code, 16) < 0x110000 else HOLE
        return _PLAIN_ESCAPES.get(m[4], m[4])

    return _ESCAPE.sub(meant, raw).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _string(ev: Resolver, node: Node, place: Place) -> Values:
    raw = place.source.data[node.start_byte + 1 : node.end_byte - 1]
    if len(raw) > ev.meter.budget.chars:
        return (raw[: ev.meter.budget.chars].decode("utf-8", "replace") + HOLE,)
    return (unescape(raw.decode("utf-8", "replace")),)


def _template(ev: Resolver, node: Node, place: Place) -> Values:
    parts: list[Values] = []
    for child in node.named_children[:200]:
        if child.type == "template_substitution":
            inner = nth(child, 0)
            parts.append(ev.values(inner, place) if inner is not None else NOTHING)
        elif child.type in ("string_fragment", "escape_sequence"):
            parts.append((unescape(place.source.text(child)),))
    return ev.concat(*parts) if parts else ("",)


def _number(_: Resolver, node: Node, place: Place) -> Values:
    raw = place.source.text(node).replace("_", "").lower()
    try:
        return (int(raw, 0) if raw[:2] in ("0x", "0b", "0o") else int(raw) if raw.isdigit() else float(raw),)
    except (ValueError, OverflowError):
        return NOTHING


def _regex(_: Resolver, node: Node, place: Place) -> Values:
    pattern, flags = node.child_by_field_name("pattern"), node.child_by_field_name("flags")
    if pattern is None:
        return NOTHING
    return (Pattern(place.source.text(pattern), place.source.text(flags) if flags is not None else ""),)


def _first(ev: Resolver, node: Node, place: Place) -> Values:
    inner = nth(node, 0)
    return ev.values(inner, place) if inner is not None else NOTHING


def _last(ev: Resolver, node: Node, place: Place) -> Values:
    inner = node.named_children[-1] if node.named_child_count else None
    return ev.values(inner, place) if inner is not None else NOTHING


def _right(ev: Resolver, node: Node, place: Place) -> Values:
    right = node.child_by_field_name("right")
    return ev.values(right, place) if right is not None else NOTHING


def _ternary(ev: Resolver, node: Node, place: Place) -> Values:
    test, yes, no = (node.child_by_field_name(f) for f in ("condition", "consequence", "alternative"))
    if test is None or yes is None or no is None:
        return NOTHING
    truth = conditions.truth(ev, test, place)
    if truth is None:
        return ev.union(ev.values(yes, place), ev.values(no, place))
    return ev.values(yes if truth else no, place)


def _binary(ev: Resolver, node: Node, place: Place) -> Values:
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if operator is None or left is None or right is None:
        return NOTHING
    if operator.type == "+":
        return _plus(ev, node, place)
    if operator.type in ("||", "??", "&&"):
        return _either(ev, operator.type, left, right, place)
    answer = conditions.compare(ev, operator.type, left, right, place)
    return NOTHING if answer is None else (answer,)


def _plus(ev: Resolver, node: Node, place: Place) -> Values:
    """A chain of + as a whole: it leans left, as deep as it is long."""
    terms: list[Node] = []
    at: Node | None = node
    while at is not None and at.type == "binary_expression" and len(terms) < 400:
        operator, right = at.child_by_field_name("operator"), at.child_by_field_name("right")
        if operator is None or operator.type != "+" or right is None:
            break
        terms.append(right)
        at = at.child_by_field_name("left")
    if at is not None:
        terms.append(at)
    groups = [ev.values(term, place) for term in reversed(terms)]
    if all(isinstance(v, int | float) and not isinstance(v, bool) for group in groups for v in group):
        firsts = [v for group in groups if isinstance(v := group[0], int | float)]
        return (sum(firsts),) if all(len(g) == 1 for g in groups) else NOTHING
    return ev.concat(*groups)


def _either(ev: Resolver, operator: str, left: Node, right: Node, place: Place) -> Values:
    found: list[Values] = []
    needs_right = False
    for value in ev.values(left, place):
        known = (value is not NULL and value is not UNDEFINED) if operator == "??" else is_truthy(value)
        if value is UNKNOWN or (operator == "??" and isinstance(value, Ref)):
            known = None
        stays = known if operator != "&&" else (None if known is None else not known)
        needs_right = needs_right or not stays
        if stays or (stays is None and value is not UNKNOWN and operator != "&&"):
            found.append((value,))
    if needs_right:
        found.append(ev.values(right, place))
    return ev.union(*found)


def _unary(ev: Resolver, node: Node, place: Place) -> Values:
    operator, inner = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    if operator is None or inner is None:
        return NOTHING
    if operator.type == "!":
        truth = conditions.truth(ev, inner, place)
        return NOTHING if truth is None else (not truth,)
    if operator.type == "void":
        return (UNDEFINED,)
    if operator.type == "typeof":
        return conditions.type_names(ev.values(inner, place))
    if operator.type == "-":
        return tuple(-v if isinstance(v, int | float) else UNKNOWN for v in ev.values(inner, place))
    return NOTHING


def _object(ev: Resolver, node: Node, place: Place) -> Values:
    made = Obj(origin=(node, place))
    for child in node.named_children:
        ev.meter.spend()
        match child.type:
            case "pair":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is None or value is None:
                    continue
                for name in objects.key_names(ev, key, place):
                    made.fields[name] = [Lazy(value, place)]
            case "shorthand_property_identifier":
                made.fields[place.source.text(child)] = [Lazy(child, place)]
            case "method_definition":
                label = child.child_by_field_name("name")
                if label is not None:
                    made.fields[place.source.text(label)] = [ready(Fn(child, place, made))]
            case "spread_element":
                inner = nth(child, 0)
                objects.merge_into(ev, made, [Lazy(inner, place)] if inner is not None else [])
    return (made,)


def _array(ev: Resolver, node: Node, place: Place) -> Values:
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


def _function(_: Resolver, node: Node, place: Place) -> Values:
    return (Fn(node, place),)


def _identifier(ev: Resolver, node: Node, place: Place) -> Values:
    return names.look_up(ev, place.source.text(node), node, place)


def _new(ev: Resolver, node: Node, place: Place) -> Values:
    callee = node.child_by_field_name("constructor")
    if callee is None:
        return NOTHING
    args = ev.lazy_arguments(node, place)
    found: list[Values] = []
    for value in ev.values(callee, place):
        if isinstance(value, Fn):
            found.append((classes.construct(ev, value, args),))
        elif isinstance(value, Ref):
            found.append(builtins.construct(ev, value.path, args))
    return ev.union(*found)


def _call(ev: Resolver, node: Node, place: Place) -> Values:
    callee = node.child_by_field_name("function")
    if callee is None:
        return NOTHING
    if callee.type == "import":
        return imports.load_from(ev, arguments(node), place)
    args = ev.lazy_arguments(node, place)
    if callee.type == "member_expression":
        inner, name = callee.child_by_field_name("object"), callee.child_by_field_name("property")
        if inner is not None and name is not None:
            return builtins.call_method(ev, inner, place.source.text(name), args, Place(place.source, place.env))
    found: list[Values] = []
    for value in ev.values(callee, place):
        if isinstance(value, Fn):
            module = bundles.required_by(ev, value, ev.lazy(args[0])[0]) if len(args) == 1 else NOTHING
            found.append(module if module != NOTHING else ev.invoke(value, args))
        elif isinstance(value, Ref):
            found.append(builtins.call(ev, value.path, args, place))
        else:
            found.append(bundles.call_getter(ev, value))
    return ev.union(*found)


def _this(ev: Resolver, node: Node, place: Place) -> Values:
    return classes.this_of(ev, node, place)


def _meta(_: Resolver, __: Node, ___: Place) -> Values:
    return (Ref("import.meta"),)


Handler = Callable[["Resolver", Node, Place], Values]


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
    "expression_statement": _first,
    "jsx_expression": _first,
    "sequence_expression": _last,
    "assignment_expression": _right,
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
