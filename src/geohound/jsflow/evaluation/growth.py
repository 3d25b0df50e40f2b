"""What is added to an array, a map or an address after it was made, by the name that it has."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source
from geohound.jsflow.syntax.tree import above, child
from geohound.jsflow.values.domain import (
    NULL,
    UNDEFINED,
    UNKNOWN,
    Arr,
    BoundScope,
    Lazy,
    Obj,
    SearchParameters,
    UrlObject,
    Value,
    text_of,
)
from geohound.jsflow.values.resolver import Resolver

_PUSHED = rb"(?<![\w$.])(?P<at>NAME)\.push\("
_PUT = rb"(?<![\w$.])(?P<at>NAME)\[[\w.+ ]{1,40}\]\s*=(?![=>])"
_PARAMETER = rb"(?<![\w$.])(?P<at>NAME)\.searchParams\.(?:set|append)\("
_SEARCH = rb"(?<![\w$.])(?P<at>NAME)\.search\s*=(?![=>])"
_ENTRY = rb"(?<![\w$.])(?P<at>NAME)\.(?:set|append)\("
_MAX_HITS = 40


def grown(
    ev: Resolver, name: str, scope: Node, value: Value, place: BoundScope
) -> Value:
    """An array with what is pushed to it elsewhere; an object with the name by which others add to it."""
    call_it(value, name)
    if isinstance(value, UrlObject):
        href = _with_search(ev, name, scope, value, place)
        return UrlObject(_with_parameters(ev, name, _PARAMETER, scope, href, place))
    if isinstance(value, SearchParameters):
        whole = _with_parameters(ev, name, _ENTRY, scope, f"?{value}", place)
        return SearchParameters(whole[1:])
    if isinstance(value, Obj) and value.is_map:
        _put_entries(ev, name, scope, value, place)
    if not isinstance(value, Arr):
        return value
    key = ("pushed", place.source.index, scope.id, name)
    if key not in ev.known:
        more = [
            *_pushed(ev, name, scope, place.source),
            *_put(name, scope, place.source),
        ]
        ev.known[key] = Arr([*value.items, *more], value.is_open) if more else None
    grown = ev.known[key]
    return grown if isinstance(grown, Arr) else value


def _arguments_of(
    ev: Resolver, name: str, pattern: bytes, scope: Node, place: BoundScope
) -> Iterator[list[Lazy]]:
    """What the calls get whose callee begins with this name, in its scope."""
    for at in place.source.places(name, pattern, scope.start_byte, scope.end_byte)[
        :_MAX_HITS
    ]:
        call = place.source.nearest(place.source.node_at(at), "call_expression")
        if call is not None:
            yield ev.lazy_arguments(call, place)


def _with_search(
    ev: Resolver, name: str, scope: Node, address: UrlObject, place: BoundScope
) -> str:
    """An address whose search is set as a whole: url.search = parameters."""
    for at in place.source.places(name, _SEARCH, scope.start_byte, scope.end_byte)[:1]:
        right = right_of(place.source, at)
        said = ev.values(right, place)[0] if right is not None else UNKNOWN
        if isinstance(said, str):
            return f"{address.href.partition('?')[0]}?{said.lstrip('?')}"
    return address.href


def _with_parameters(
    ev: Resolver, name: str, calls: bytes, scope: Node, href: str, place: BoundScope
) -> str:
    """An address with the search parameters that are set on it, as far as they are known."""
    for given in _arguments_of(ev, name, calls, scope, place):
        key, value = (
            (ev.lazy(lazy)[0] for lazy in given[:2])
            if len(given) > 1
            else (UNKNOWN, UNKNOWN)
        )
        if (
            isinstance(key, str)
            and value not in (UNDEFINED, NULL)
            and f"{key}=" not in href
        ):
            mark = "" if href.endswith("?") else "&" if "?" in href else "?"
            href += f"{mark}{key}={text_of(value)}"
    return href


def _put_entries(
    ev: Resolver, name: str, scope: Node, value: Obj, place: BoundScope
) -> None:
    for given in _arguments_of(ev, name, _ENTRY, scope, place):
        if len(given) > 1:
            value.fields.update({text_of(key): [given[1]] for key in ev.lazy(given[0])})


def call_it(value: Value, name: str) -> None:
    """Give an object the name by which others add to it, if it has none."""
    if isinstance(value, Obj) and not value.path:
        value.path = name


def _pushed(ev: Resolver, name: str, scope: Node, source: Source) -> Iterator[Lazy]:
    for at in source.places(name, _PUSHED, scope.start_byte, scope.end_byte)[:200]:
        call = above(above(source.node_at(at), "member_expression"), "call_expression")
        if call is not None:
            yield from ev.lazy_arguments(call, BoundScope(source))


def _put(name: str, scope: Node, source: Source) -> Iterator[Lazy]:
    for at in source.places(name, _PUT, scope.start_byte, scope.end_byte)[:200]:
        right = right_of(source, at)
        if right is not None:
            yield Lazy(right, BoundScope(source))


def right_of(source: Source, at: int) -> Node | None:
    node = source.node_at(at)
    left = above(node, "member_expression", "subscript_expression") or node
    assignment = above(left, "assignment_expression", "augmented_assignment_expression")
    return child(assignment, "right")
