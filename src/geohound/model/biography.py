"""The life of a service: what changed, when, and how two readings of its description differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from .bbox import BBox
from .health import HealthState
from .service import Layer, Service, Sighting

# by so much an edge of a box may differ before the layer has moved
MOVED_DEG: Final = 0.01
MAX_NAMED: Final = 5  # layers that one event names; it says how many there are
# for so long every check is kept; older ones are summed up by week
KEPT_DAYS: Final = 35


class LifeChange(StrEnum):
    """What happened to a service."""

    FOUND = "found"
    STATE = "state"  # of its health
    MOVED = "moved"  # it answers at another address
    SUCCESSOR = "successor"  # another service says what this one said
    TITLE = "title"
    VERSION = "version"
    LICENCE = "licence"
    LAYERS_ADDED = "layers added"
    LAYERS_REMOVED = "layers removed"
    LAYERS_RENAMED = "layers renamed"
    LAYERS_MOVED = "layers moved"  # in space: their boxes differ
    LAYER = "layer"  # one fails, or works again
    CONTENT = "content"  # it describes itself otherwise, in no way named above


class LifeEvent(NamedTuple):
    """One event in the life of a service."""

    service_id: str
    at: datetime
    change: LifeChange
    detail: str


@dataclass(frozen=True, slots=True)
class CheckTotals:
    """The checks of a service in one week, added up; the week is that of 1970-01-01 plus so many times seven days."""

    week: int
    good: int
    failed: int
    unclear: int
    elapsed_s: float  # of the good ones, in sum


Difference = tuple[LifeChange, str]


def found_change(sighting: Sighting) -> Difference:
    where = f" on {sighting.found_on}" if sighting.found_on else ""
    return LifeChange.FOUND, f"{sighting.via}{where}"


def state_change(was: HealthState, state: HealthState, reason: str) -> Difference:
    return LifeChange.STATE, f"{was} to {state}{f': {reason}' if reason else ''}"


def differences(old: Service, new: Service) -> list[Difference]:
    """How two readings of one service differ, as events say it."""
    found = [*_layer_differences(old.layers, new.layers)]
    if old.title != new.title:
        found.append((LifeChange.TITLE, f"{_short(old.title)} → {_short(new.title)}"))
    if old.version != new.version:
        found.append(
            (LifeChange.VERSION, f"{old.version or '?'} → {new.version or '?'}")
        )
    if _terms(old) != _terms(new):
        found.append(
            (
                LifeChange.LICENCE,
                f"{_short(_terms(old)) or '–'} → {_short(_terms(new)) or '–'}",
            )
        )
    if not found and old.fingerprint != new.fingerprint:
        found.append((LifeChange.CONTENT, "the service describes itself otherwise"))
    return found


def _terms(service: Service) -> str:
    access = service.access
    return " · ".join(
        filter(
            None,
            (access.licence or access.licence_text, access.fees, access.constraints),
        )
    )


def _layer_differences(
    old: Sequence[Layer], new: Sequence[Layer]
) -> Iterator[Difference]:
    before = {layer.name: layer for layer in old}
    after = {layer.name: layer for layer in new}
    gone = [layer for name, layer in before.items() if name not in after]
    come = [layer for name, layer in after.items() if name not in before]
    renamed = _renamed(gone, come)
    old_names, new_names = {pair[0] for pair in renamed}, {pair[1] for pair in renamed}
    added = [layer.name or layer.title for layer in come if layer.name not in new_names]
    removed = [
        layer.name or layer.title for layer in gone if layer.name not in old_names
    ]
    both = [(before[name], after[name]) for name in before if name in after]
    renamed += [
        (one.title, other.title) for one, other in both if one.title != other.title
    ]
    moved = [one.name for one, other in both if _has_moved(one, other)]
    yield from _said(LifeChange.LAYERS_ADDED, added)
    yield from _said(LifeChange.LAYERS_REMOVED, removed)
    yield from _said(
        LifeChange.LAYERS_RENAMED, [f"{_short(a)} → {_short(b)}" for a, b in renamed]
    )
    yield from _said(LifeChange.LAYERS_MOVED, moved)


def _renamed(gone: Sequence[Layer], come: Sequence[Layer]) -> list[tuple[str, str]]:
    """Layers of another name with the same title and box."""
    places = {(layer.title, _box(layer)): layer.name for layer in gone if layer.title}
    pairs = ((places.pop((layer.title, _box(layer)), ""), layer.name) for layer in come)
    return [(old, new) for old, new in pairs if old]


def _has_moved(one: Layer, other: Layer) -> bool:
    first, second = _box(one), _box(other)
    if first is None or second is None:
        return (first is None) != (second is None)
    edges = zip(first.as_tuple(), second.as_tuple(), strict=True)
    return any(abs(a - b) > MOVED_DEG for a, b in edges)


def _box(layer: Layer) -> BBox | None:
    return layer.extent.box if layer.extent else None


def _said(change: LifeChange, names: Sequence[str]) -> Iterator[Difference]:
    if names:
        more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        yield change, f"{len(names)}: {', '.join(map(_short, names[:MAX_NAMED]))}{more}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"
