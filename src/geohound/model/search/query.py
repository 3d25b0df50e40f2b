"""A search and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from geohound.model.bbox import BBox, Relation
from geohound.model.health import HealthState
from geohound.model.service import Layer, Service

# What can be counted and filtered by; values are text as the catalogue holds it. New ones go to the end.
FACETS = (
    "kind", "topic", "class", "country", "provider", "language", "crs", "format", "licence", "state", "quality",
    "https", "cors", "decade",
)  # fmt: skip


class Sort(StrEnum):
    """Which results come first."""

    RELEVANCE = "relevance"
    NEWEST = "newest"  # found last
    QUALITY = "quality"
    SEEN = "seen"  # met most often


@dataclass(frozen=True, slots=True)
class Query:
    """The query of a search. Text has words, "phrases", prefixes* and -excluded words, or is the address of a service.

    `where` filters by any of FACETS; the values of one facet are alternatives, the facets must all hold.
    """

    text: str = ""
    bbox: BBox | None = None
    relation: Relation = Relation.OVERLAPS
    kinds: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    states: tuple[HealthState, ...] = ()
    limit: int = 20
    offset: int = 0
    classes: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # the service covers some of these years, first and last
    years: tuple[int, int] | None = None
    expand: bool = True  # also find synonyms and translations
    after: str = ""  # `next` of the previous page; then the offset is ignored

    fold: bool = True  # near-duplicates are folded under the best of them
    facet_values: int = 20  # at most so many of each facet, the most frequent ones
    sort: Sort = Sort.RELEVANCE
    # also look for words that occur together with those of the text
    related: bool = False

    def filters(self) -> dict[str, tuple[str, ...]]:
        """Every filter by facet, those with a field of their own included."""
        named = {
            "kind": self.kinds,
            "topic": self.topics,
            "class": self.classes,
            "country": self.countries,
            "state": tuple(str(state) for state in self.states),
        }
        return {
            k: v
            for k, v in {**self.where, **{k: v for k, v in named.items() if v}}.items()
            if v
        }


@dataclass(frozen=True, slots=True)
class Hit:
    """A service, the best of its layers that match, and why it is here.

    There may be thousands: the service comes without its own list (the catalogue's `get` brings it), `layers`
    holds the best that match (fewer on a long page), `match_count` says how many match and `layer_count` how many
    there are. `also` are the ids of near-duplicates that match as well and are folded under this one.
    """

    service: Service
    layers: tuple[Layer, ...]
    score: float
    why: str
    state: HealthState
    layer_count: int = 0
    match_count: int = 0
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Results:
    hits: tuple[Hit, ...]
    total: int
    elapsed_ms: float
    # FACETS, most frequent values first
    facets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    suggestion: str = ""  # "did you mean": the text with misspelt words mended
    partial: bool = False  # nothing holds all words: these hold some
    next: str = ""  # names the next page of the catalogue as it was on the first one; empty on the last
    # words that occur together with those of the text, the closest first
    related: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LayerHit:
    """A layer that matches, and its service (without the list of its layers)."""

    layer: Layer
    service: Service
    state: HealthState


@dataclass(frozen=True, slots=True)
class LayerResults:
    """The layers that match, the best service's first, of each service the best first."""

    hits: tuple[LayerHit, ...]
    total: int
    elapsed_ms: float
    next: str = ""  # as in Results


@dataclass(frozen=True, slots=True)
class PlacedGroup:
    """Services whose boxes have their middle in one cell: where that is on the average, and how many."""

    lon: float
    lat: float
    count: int
    service: str = ""  # the id, where it is one


@dataclass(frozen=True, slots=True)
class PlacedServices:
    """Where the services that match are, the largest group first."""

    groups: tuple[PlacedGroup, ...]
    total: int
    worldwide: int  # of them, those whose box is the whole world
    unplaced: int  # and those without a box
