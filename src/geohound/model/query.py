"""A search and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .bbox import BBox, Relation
from .health import State
from .service import Layer, Service


@dataclass(frozen=True, slots=True)
class Query:
    text: str = ""
    bbox: BBox | None = None
    relation: Relation = Relation.OVERLAPS
    kinds: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    states: tuple[State, ...] = ()
    limit: int = 20
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A service, the best of its layers that match, and why it is here.

    There may be thousands: the service comes without its own list (the catalogue's `get` brings it), `layers`
    holds the best that match, `match_count` says how many match and `layer_count` how many there are.
    """

    service: Service
    layers: tuple[Layer, ...]
    score: float
    why: str
    state: State
    layer_count: int = 0
    match_count: int = 0


@dataclass(frozen=True, slots=True)
class Results:
    hits: tuple[Hit, ...]
    total: int
    elapsed_ms: float
    facets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
