"""The names of a pattern with their values: destructuring, defaults."""

from __future__ import annotations

from tree_sitter import Node

from geohound.jsflow.values.domain import (
    UNDEFINED,
    UNKNOWN,
    Arr,
    BoundScope,
    Lazy,
    Obj,
    ready,
)
from geohound.jsflow.values.resolver import Binding, Resolver


def take_apart(
    ev: Resolver, pattern: Node, given: Lazy | None, place: BoundScope, found: Binding
) -> None:
    """Give the names of a pattern their values: destructuring and defaults."""
    match pattern.type:
        case "identifier" | "shorthand_property_identifier_pattern":
            found[place.source.text(pattern)] = given or ready(UNDEFINED)
        case "assignment_pattern" | "object_assignment_pattern":
            _take_with_default(ev, pattern, given, place, found)
        case "object_pattern":
            _take_object_apart(ev, pattern, given, place, found)
        case "array_pattern":
            _take_array_apart(ev, pattern, given, place, found)


def _take_with_default(
    ev: Resolver, pattern: Node, given: Lazy | None, place: BoundScope, found: Binding
) -> None:
    left = pattern.child_by_field_name("left")
    right = pattern.child_by_field_name("right")
    if left is None or right is None:
        return
    is_missing = given is None or _is_missing(ev, given)
    take_apart(ev, left, Lazy(right, place) if is_missing else given, place, found)


def _take_array_apart(
    ev: Resolver, pattern: Node, given: Lazy | None, place: BoundScope, found: Binding
) -> None:
    values = ev.lazy(given) if given is not None else ()
    arrays = [v for v in values if isinstance(v, Arr)]
    for i, part in enumerate(pattern.named_children):
        items = [a.items[i] for a in arrays if i < len(a.items)]
        held = ready(*ev.any_of(items)) if items else ready(UNKNOWN)
        take_apart(ev, part, held, place, found)


def _is_missing(ev: Resolver, given: Lazy) -> bool:
    return all(v in (UNDEFINED, UNKNOWN) for v in ev.lazy(given))


def _take_object_apart(
    ev: Resolver, pattern: Node, given: Lazy | None, place: BoundScope, found: Binding
) -> None:
    values = ev.lazy(given) if given is not None else (Obj(),)
    for part in pattern.named_children:
        name, target = _key_and_target(part, place)
        held = ev.union(*(ev.member(v, name, place) for v in values))
        take_apart(ev, target, ready(*held), place, found)


def _key_and_target(part: Node, place: BoundScope) -> tuple[str, Node]:
    """The key that a part of an object pattern takes, and the pattern that gets what is there."""
    key, target = part.child_by_field_name("key"), part.child_by_field_name("value")
    if part.type == "pair_pattern" and key is not None and target is not None:
        return place.source.text(key).strip("\"'"), target
    if part.type == "object_assignment_pattern":
        left = part.child_by_field_name("left")
        return (place.source.text(left) if left is not None else ""), part
    return place.source.text(part), part
