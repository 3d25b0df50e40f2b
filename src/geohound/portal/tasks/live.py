"""What the live page of a task begins with, before events take over: numbers, curves, places, services, visits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from geohound.contracts import CatalogueStore
from geohound.model.catalogue import Filter
from geohound.model.crawl.event import (
    Numbered,
    Progressed,
    ServiceFound,
    VisitEnded,
    Warned,
    waiting_text,
)
from geohound.model.crawl.task import TaskId, TaskState

MAX_POINTS = 200  # of each curve
MAX_PLACES = 2_000
SHOWN_SERVICES = 10  # on a page
SHOWN_VISITS = 12
SHOWN_WARNINGS = 3
SHOWN_DROPS = 8
_NUMBERS = (
    "pages", "services", "known", "layers", "hosts", "requests", "queue", "pages_per_s", "elapsed_s",
)  # fmt: skip


def live_context(
    record: Mapping[str, Any], events: Sequence[Numbered], catalogue: CatalogueStore
) -> dict[str, Any]:
    """For the template, out of the events that are kept, the latest last."""
    latest = [numbered.event for numbered in reversed(events)]
    progress = next((event for event in latest if isinstance(event, Progressed)), None)
    is_running = record["state"] == TaskState.RUNNING
    places = _places(catalogue, record["id"])
    return {
        "last": events[-1].n if events else 0,
        "numbers": _latest_numbers(record["counters"], progress),
        "waiting": waiting_text(progress.waiting, progress.waiting_hosts)
        if progress and is_running
        else "",
        "found": [event for event in latest if isinstance(event, ServiceFound)],
        "visits": _first(latest, VisitEnded, SHOWN_VISITS),
        "warnings": _first(latest, Warned, SHOWN_WARNINGS),
        "fetching": progress.fetching if progress and is_running else (),
        "drops": _drops(record["counters"], progress),
        "history": _history(
            event for event in reversed(latest) if isinstance(event, Progressed)
        ),
        "places": places,
        "placed": sum(place[2] for place in places),
        "shown_services": SHOWN_SERVICES,
        "shown_visits": SHOWN_VISITS,
    }


def _latest_numbers(
    counters: Mapping[str, Any], progress: Progressed | None
) -> dict[str, float]:
    """How far it is: the counters are those of every few seconds, and after a kill those of what is on disk."""
    numbers = {name: counters.get(name, 0) for name in _NUMBERS}
    if progress is not None and numbers["pages"] <= progress.pages:
        # Progress of version 0.1 does not say how many were known.
        known = max(numbers["known"], progress.known)
        numbers |= {name: getattr(progress, name) for name in _NUMBERS} | {
            "known": known
        }
    return numbers | {"met": numbers["services"] + numbers["known"]}


def _drops(
    counters: Mapping[str, Any], progress: Progressed | None
) -> list[tuple[str, int]]:
    found = progress.drops if progress else counters.get("drops", {})
    return Counter(dict(found)).most_common(SHOWN_DROPS)


def _history(progress: Iterable[Progressed]) -> list[list[float]]:
    """Some points of each curve, evenly spread, and the last one."""
    rows = [_point(each) for each in progress]
    step = -(-len(rows) // MAX_POINTS) or 1
    return rows[::-1][::step][::-1]


def _point(now: Progressed) -> list[float]:
    met = now.services + now.known
    return [
        now.elapsed_s,
        now.pages,
        met,
        now.run_pages_per_s,
        now.queue,
        now.machine_load,
    ]


def _places(catalogue: CatalogueStore, task: TaskId) -> list[tuple[float, float, int]]:
    """Longitude, latitude, and how many services of the task are hosted there."""
    counts: Counter[tuple[float, float]] = Counter()
    for service in catalogue.summaries(Filter(task=task)):
        place = service.location
        if place is not None and place.lat is not None and place.lon is not None:
            counts[place.lon, place.lat] += 1
    return [(lon, lat, n) for (lon, lat), n in counts.most_common(MAX_PLACES)]


def _first(events: Sequence[Any], kind: type, most: int) -> list[Any]:
    return [event for event in events if isinstance(event, kind)][:most]
