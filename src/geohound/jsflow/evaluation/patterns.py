"""The names of a pattern with their values: destructuring, defaults."""

from __future__ import annotations

from tree_sitter import Node

from geohound.jsflow.values.domain import NOTHING, UNDEFINED, UNKNOWN, Arr, Lazy, Obj, Place, ready
from geohound.jsflow.values.resolver import Binding, Resolver


def take_apart(ev: Resolver, pattern: Node, given: Lazy | None, place: Place, found: Binding) -> None:
    """Give the names of a pattern their values: destructuring and defaults."""
    source = place.source
    if pattern.type == "identifier":
        found[source.text(pattern)] = given or ready(UNDEFINED)
    elif pattern.type in ("assignment_pattern", "object_assignment_pattern"):
        left, right = pattern.child_by_field_name("left"), pattern.child_by_field_name("right")
        if left is not None and right is not None:
            fallback = given is None or _is_missing(ev, given)
            take_apart(ev, left, Lazy(right, place) if fallback else given, place, found)
    elif pattern.type == "shorthand_property_identifier_pattern":
        found[source.text(pattern)] = given or ready(UNDEFINED)
    elif pattern.type == "object_pattern":
        _take_object_apart(ev, pattern, given, place, found)
    elif pattern.type == "array_pattern":
        values = ev.lazy(given) if given is not None else NOTHING
        arrays = [v for v in values if isinstance(v, Arr)]
        for i, part in enumerate(pattern.named_children):
            items = [a.items[i] for a in arrays if i < len(a.items)]
            take_apart(ev, part, ready(*ev.any_of(items)) if items else ready(UNKNOWN), place, found)


def _is_missing(ev: Resolver, given: Lazy) -> bool:
    return all(v in (UNDEFINED, UNKNOWN) for v in ev.lazy(given))


def _take_object_apart(ev: Resolver, pattern: Node, given: Lazy | None, place: Place, found: Binding) -> None:
    values = ev.lazy(given) if given is not None else (Obj(),)
    for part in pattern.named_children:
        key, target = part.child_by_field_name("key"), part.child_by_field_name("value")
        if part.type == "pair_pattern" and key is not None and target is not None:
            name = place.source.text(key).strip("\"'")
        elif part.type == "object_assignment_pattern":
            left = part.child_by_field_name("left")
            name, target = (place.source.text(left) if left is not None else ""), part
        else:
            name, target = place.source.text(part), part
        held = ev.union(*(ev.member(v, name, place) for v in values))
        take_apart(ev, target, ready(*held), place, found)
