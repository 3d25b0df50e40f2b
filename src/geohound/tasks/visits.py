"""What became of each URL of a task, and what spoke for visiting it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from geohound.contracts import FrontierLog, Order, TaskStore
from geohound.frontier.thrift import ActiveLimit
from geohound.model.crawl.frontier import HostRole, UrlState, VisitRecord
from geohound.model.crawl.task import Task, TaskId, TaskKind
from geohound.model.service import Service
from geohound.model.visit import READING, Candidate, Lane, Via

from .control import NoSuchTaskError

MAX_REASONS = 6  # for one link
_ITS_HOST = "its host: "
HOST_ROLES = {HostRole.ANY: "", HostRole.BEST: "best", HostRole.EXPLORED: "explored"}


class HostLeft(NamedTuple):
    """A host with pages that are still queued."""

    host: str
    pages: int
    read: int  # pages that were asked for
    why: str  # what its order knows of it; empty where it knows nothing
    is_next: bool  # is it one of those that a resumed crawl asks first?


def hosts_left(
    log: FrontierLog, task: TaskId, order: Order, limit: ActiveLimit | None
) -> list[HostLeft]:
    """The hosts whose pages wait, those that promise the most first; `limit` is None where all are asked."""
    best: dict[str, tuple[float, str]] = {}
    waiting: Counter[str] = Counter()
    read: Counter[str] = Counter()
    for logged in log.replay(task):
        host = logged.url.split("/", 3)[2]
        if logged.lane != Lane.PAGES:
            continue
        if logged.state == UrlState.PENDING:
            waiting[host] += 1
            best[host] = max(
                best.get(host, (-math.inf, "")), (logged.score, logged.url)
            )
        elif logged.state in (UrlState.DONE, UrlState.IN_VAIN):
            read[host] += 1
    worth = {host: score + order.host_bonus(host) for host, (score, _) in best.items()}
    ranked = sorted(best, key=lambda host: worth[host], reverse=True)
    places = len(ranked)
    if limit is not None:
        limit.resume(read.total())
        places = limit.limit(len(ranked), 0)
    return [
        HostLeft(
            host,
            waiting[host],
            read[host],
            _host_words(order, best[host][1]),
            place < places,
        )
        for place, host in enumerate(ranked)
    ]


def _host_words(order: Order, url: str) -> str:
    said = (what for what, _ in order.explain(Candidate(url)))
    return next(
        (what.removeprefix(_ITS_HOST) for what in said if what.startswith(_ITS_HOST)),
        "",
    )


def find_task(tasks: TaskStore, task: TaskId | None, catalogue: str) -> Task:
    """The task of this number, by default the last one that crawled; NoSuchTaskError where there is none."""
    if task is None:
        crawls = (
            each for each in tasks.list() if each.spec.kind is not TaskKind.MONITOR
        )
        latest = next(crawls, None)
        if latest is None:
            raise NoSuchTaskError(f"There has been no crawl in {catalogue}.")
        return latest
    found = tasks.get(task)
    if found is None:
        raise NoSuchTaskError(f"There is no task {task} in {catalogue}.")
    return found


# Of a record; `asdict` copies deeply, and a crawl may have a million visits.
_FIELDS = tuple(each.name for each in fields(VisitRecord) if each.name != "number")


def visit_records(
    visits: Iterable[VisitRecord],
    services_at: Callable[[str], Sequence[Service]],
    explain: Callable[[VisitRecord], list[dict[str, Any]]] | None = None,
) -> Iterator[dict[str, Any]]:
    """Every URL of a task that was visited or dropped (PH-5), with the services found there; `explain` says why."""
    for visit in visits:
        services = services_at(visit.url) if visit.services else ()
        record = {name: getattr(visit, name) for name in _FIELDS} | {
            "at": visit.at.isoformat(timespec="seconds"),
            "met": [_met(s) for s in services],
        }
        record["probe"] = visit.purpose not in READING
        record["host_role"] = HOST_ROLES[visit.host_role]
        if explain is not None:
            record["why"] = explain(visit)
        yield record


def _met(service: Service) -> dict[str, Any]:
    """A service that a visit proved: what it is, and the middle of its box where it has one."""
    box = service.extent.box if service.extent else None
    if box is None:
        return {
            "id": service.id,
            "kind": service.kind,
            "latitude": None,
            "longitude": None,
        }
    latitude, longitude = (box.south + box.north) / 2, box.west + box.width / 2
    around = longitude - 360 if longitude > 180 else longitude
    return {
        "id": service.id,
        "kind": service.kind,
        "latitude": round(latitude, 6),
        "longitude": round(around, 6),
    }


def explain_visit(order: Order, visit: VisitRecord) -> list[dict[str, Any]]:
    """What spoke for a URL and against it, weightiest first, by what its order has learned up to now."""
    if visit.via is Via.SEED:
        return [{"what": "seed", "weight": round(visit.score, 3)}]
    found = Candidate(
        visit.url,
        visit.via,
        visit.parent,
        visit.clue,
        visit.score,
        visit.depth,
        visit.purpose,
    )
    return [
        {"what": what, "weight": round(weight, 3)}
        for what, weight in order.explain(found)[:MAX_REASONS]
    ]
