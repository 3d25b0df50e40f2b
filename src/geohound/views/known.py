"""The full record of a service: its description, topics, health, sightings and history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from geohound import urls
from geohound.contracts import CatalogueStore, CheckQueue, HistoryStore
from geohound.model.addresses import DOWNLOAD_LIMIT_S
from geohound.model.availability import Uptime, availability
from geohound.model.biography import CheckTotals, LifeChange, LifeEvent, found_change
from geohound.model.health import Check, HealthState, assess
from geohound.model.inspire import Conformity, conformity, percentile
from geohound.model.monitoring.layer_check import LayerCheck
from geohound.model.score import (
    Score,
    described,
    score,
)
from geohound.model.service import Layer, Service, Sighting

from .looks import LayerLook, layer_looks
from .records import Count, ServiceRecord, service_fields

Share = Annotated[float, Meta(ge=0, le=1)]
Interval = tuple[float, float] | None
Timestamp = Annotated[datetime, Meta(tz=True)]
TopicsOf = Callable[[Service], Sequence[tuple[str, str]]]


class TopicRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename={"class_": "class"}
):
    """A topic of a service; the class is empty where the topic has none."""

    topic: str
    class_: str


class Availability(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename={"days_7": "7d", "days_30": "30d", "days_365": "365d"},
):
    """The share of so many days in which the service worked, by conclusive checks; null without them."""

    days_7: float | None
    days_30: float | None
    days_365: float | None


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Percentiles of the response time in milliseconds."""

    p50: float | None
    p95: float | None


class AvailabilityInterval(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename={"days_7": "7d", "days_30": "30d", "days_365": "365d"},
):
    """Between which shares the availability lies with 95 % confidence (Wilson); null without checks."""

    days_7: Interval
    days_30: Interval
    days_365: Interval


class InspireRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Availability and response time as INSPIRE asks for them (regulation 976/2009, annex I); capacity is not tested.

    A normal situation is 90 % of the time: the response time within which 90 % of the checks were answered counts.
    """

    availability: (
        Annotated[float, Meta(ge=0, le=1, description="Of the last 365 days.")] | None
    )
    availability_met: (
        Annotated[
            bool,
            Meta(
                description="At least 99 %; null while there are too few checks to know."
            ),
        ]
        | None
    )
    response_s: Annotated[float, Meta(ge=0, description="90th percentile.")] | None
    limit_s: float
    response_met: bool | None


class ScorePartsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What a score is made of, at most cap.

    100 · correct · (0.45 · availability + 0.27 · speed + 0.18 · stability + 0.1 · description)
    """

    correct: Share
    availability: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Lower end of the Wilson interval of the share of the time in which it worked.",
        ),
    ]
    speed: Share
    stability: Share
    cap: Annotated[
        float, Meta(ge=0, le=100, description="The most that the last answer allows.")
    ]
    description: Share | None = None


class HealthRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The health of a service; null where unknown."""

    state: HealthState
    reason: str | None
    since: Timestamp | None
    availability: Availability
    latency_ms: Latency
    checks: Count
    next_check: Timestamp | None = None
    availability_interval: AvailabilityInterval
    inspire: InspireRecord
    layers_checked: Count = 0
    layers_failing: Sequence[LayerLook] = ()
    score: Annotated[float, Meta(ge=0, le=100)] | None = None
    score_band: str | None = None
    score_parts: ScorePartsRecord | None = None
    provisional: (
        Annotated[bool, Meta(description="Fewer than five conclusive checks.")] | None
    ) = None


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """Where the host stands: degrees, country (ISO 3166) and who says so.

    Without degrees the country is a guess by the top-level domain.
    """

    lat: float | None
    lon: float | None
    country: str
    source: str

    @property
    def is_guess(self) -> bool:
        return self.source == GUESS


GUESS = "top-level domain (a guess)"


def location_record(service: Service) -> Location | None:
    """What is known of the host's place; null where nothing is."""
    found = service.location
    if found is not None:
        return Location(
            lat=found.lat, lon=found.lon, country=found.country, source=found.source
        )
    guessed = urls.country(service.endpoint)
    return (
        Location(lat=None, lon=None, country=guessed, source=GUESS) if guessed else None
    )


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A change: found, state, moved, successor, layers added, removed, renamed or moved, licence, title, version …"""

    at: Timestamp
    change: str
    detail: str


class KnownService(ServiceRecord, frozen=True, kw_only=True):
    """A service, and everything known about it."""

    topics: list[TopicRecord]
    health: HealthRecord
    location: Location | None
    sightings: Sequence[Sighting]
    history: list[HistoryEntry]


class Criteria(NamedTuple):
    """How services are classified and judged."""

    topics_of: TopicsOf
    response_limit_s: Callable[[str], float]  # of a kind: how soon it should answer


def known_service(
    catalogue: CatalogueStore,
    service: Service,
    criteria: Criteria,
    now: datetime,
    shown: Sequence[Layer] | None = None,
    watched: Watched | None = None,
) -> KnownService:
    """The record, with all layers of the service or only those in `shown`."""
    checks, sightings = catalogue.checks(service.id), catalogue.sightings(service.id)
    seen = watched or Watched()
    limit_s = criteria.response_limit_s(service.kind)
    failing = layer_looks(each for each in seen.layers if each.ok is False)
    health = msgspec.structs.replace(
        health_record(checks, now, limit_s, seen.totals, described(service)),
        next_check=seen.next_check, layers_checked=len(seen.layers), layers_failing=failing,
    )  # fmt: skip
    return KnownService(
        **service_fields(service, health.state, shown),
        topics=[
            TopicRecord(topic=topic, class_=each)
            for topic, each in criteria.topics_of(service)
        ],
        health=health,
        location=location_record(service),
        sightings=sightings,
        history=list(history(seen.events, sightings)),
    )


def health_record(
    checks: Sequence[Check],
    now: datetime,
    limit_s: float = DOWNLOAD_LIMIT_S,
    totals: Sequence[CheckTotals] = (),
    description: float | None = None,
) -> HealthRecord:
    """The health of a service by these checks, oldest first, and those of long ago by week.

    `limit_s` is the response time that its kind allows.
    """
    found = assess(checks)
    worked = {days: availability(checks, totals, now, days) for days in (7, 30, 365)}
    scored = score(checks, limit_s, description)
    latencies = sorted(c.elapsed_s * 1000 for c in checks if c.ok)
    return HealthRecord(
        state=found.state,
        reason=found.reason or None,
        since=found.since,
        availability=Availability(
            **{f"days_{days}": each.share for days, each in worked.items()}
        ),
        availability_interval=AvailabilityInterval(
            **{f"days_{days}": _interval(each) for days, each in worked.items()}
        ),
        inspire=_inspire(conformity(checks, totals, now, limit_s), limit_s),
        latency_ms=Latency(
            p50=_percentile(latencies, 0.5), p95=_percentile(latencies, 0.95)
        ),
        checks=found.checks
        + sum(each.good + each.failed + each.unclear for each in totals),
        score=round(scored.value, 1) if scored else None,
        score_band=scored.band if scored else None,
        score_parts=_score_parts(scored) if scored else None,
        provisional=scored.provisional if scored else None,
    )


def _score_parts(scored: Score) -> ScorePartsRecord:
    parts = scored.parts
    said = parts.description
    return ScorePartsRecord(
        correct=round(parts.correct, 3),
        availability=round(parts.availability, 3),
        speed=round(parts.speed, 3),
        stability=round(parts.stability, 3),
        cap=round(parts.cap, 3),
        description=None if said is None else round(said, 3),
    )


def _interval(found: Uptime) -> tuple[float, float] | None:
    if found.interval is None:
        return None
    low, high = found.interval
    return round(low, 4), round(high, 4)


def _inspire(found: Conformity, limit_s: float) -> InspireRecord:
    return InspireRecord(
        availability=found.availability,
        availability_met=found.availability_met,
        response_s=found.response_s,
        limit_s=limit_s,
        response_met=found.response_met,
    )


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    found = percentile(ordered, share)
    return None if found is None else round(found, 1)


def history(
    events: Sequence[LifeEvent], sightings: Sequence[Sighting]
) -> Iterator[HistoryEntry]:
    """The life of a service, oldest first."""
    if sightings and all(event.change is not LifeChange.FOUND for event in events):
        change, detail = found_change(sightings[0])
        yield HistoryEntry(at=sightings[0].at, change=str(change), detail=detail)
    for event in events:
        yield HistoryEntry(at=event.at, change=str(event.change), detail=event.detail)


class Watched(NamedTuple):
    """What the monitor knows of a service beside its checks."""

    next_check: datetime | None = None
    events: Sequence[LifeEvent] = ()
    totals: Sequence[CheckTotals] = ()
    layers: Sequence[LayerCheck] = ()


class Past(NamedTuple):
    """Where the monitor keeps what it knows."""

    history: HistoryStore
    queue: CheckQueue

    def of(self, service_id: str) -> Watched:
        history = self.history
        return Watched(
            self.queue.when(service_id),
            history.events(service_id),
            history.totals(service_id),
            history.layers(service_id),
        )
