"""Where a crawl begins, and what it was asked to read and could not: seeds that never answered, broken harvests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from geohound.contracts import FrontierLog, Harvester, Order
from geohound.model.crawl.frontier import FrontierBatch, UrlEnd, UrlState, VisitRecord
from geohound.model.crawl.task import (
    SEEDS_PER_SEGMENT,
    Claim,
    TaskId,
    TaskKind,
    TaskSpec,
)
from geohound.model.failure import REPEATED
from geohound.model.visit import Candidate, Purpose, Settlement, Via
from geohound.urls.address_book import AddressBook


class Missed(NamedTuple):
    """What a task was asked to read, and has not read."""

    seeds: Sequence[VisitRecord] = ()
    # the pages at which their harvests broke off
    catalogues: Sequence[VisitRecord] = ()

    def __bool__(self) -> bool:
        return bool(self.seeds or self.catalogues)


def candidates(
    seeds: Sequence[str], order: Order, book: AddressBook, max_width: int
) -> list[Candidate]:
    """The seeds that the order takes up, of the first segments only where `max_width` says so."""
    taken = seeds[: max_width * SEEDS_PER_SEGMENT] if max_width else seeds
    scored = ((url, order.seed(url, place)) for place, url in enumerate(taken))
    return [
        Candidate(url, Via.SEED, score=s, purpose=_purpose(url, book))
        for url, s in scored
        if s > -math.inf
    ]


def _purpose(url: str, book: AddressBook) -> Purpose:
    return Purpose.PROBE if book.looks_like_service(url) else Purpose.PAGE


def all_visits(log: FrontierLog, task: TaskId) -> Iterator[VisitRecord]:
    """What became of the URLs of a task, in the order in which they were admitted."""
    for page in _pages(log, task):
        yield from page


def _pages(log: FrontierLog, task: TaskId) -> Iterator[Sequence[VisitRecord]]:
    after = 0
    while page := log.visits(task, after):
        yield page
        after = page[-1].number


def missed(
    log: FrontierLog, task: TaskId, spec: TaskSpec, harvesters: Mapping[str, Harvester]
) -> Missed:
    """What a finished run could not read. Only harvests must read a catalogue to its end; crawls find them by chance."""
    since = date.fromisoformat(spec.goal.since) if spec.goal.since else None
    starts = {harvester.id: harvester.start(since) for harvester in harvesters.values()}
    catalogues = broken_off(log, task, starts) if spec.kind is TaskKind.HARVEST else ()
    return Missed(unreached(log, task, len(spec.goal.seeds)), catalogues)


def broken_off(
    log: FrontierLog, task: TaskId, starts: Mapping[str, bytes]
) -> list[VisitRecord]:
    """The pages of catalogues that were dropped before the last one: what comes after them nobody knows.

    A first page that is refused says that there is no such catalogue; one that fails for a while says nothing.
    `starts` are the cursors of first pages.
    """
    found = []
    for page in _pages(log, task):
        failed = [visit for visit in page if _is_failed_harvest(visit)]
        asked = log.load(task, [visit.number for visit in failed]) if failed else ()
        found += [
            visit
            for visit, candidate in zip(failed, asked, strict=True)
            if candidate.cursor != starts.get(candidate.harvester)
            or (visit.via is Via.HARVEST and _is_passing(visit))
        ]
    return found


def _is_failed_harvest(visit: VisitRecord) -> bool:
    is_dropped = (
        visit.settlement is Settlement.DROPPED
        and visit.was_asked
        and visit.reason not in REPEATED
    )
    return visit.purpose is Purpose.HARVEST and is_dropped


def _is_passing(visit: VisitRecord) -> bool:
    return visit.reason is not None and visit.reason.means.is_passing


def unreached(log: FrontierLog, task: TaskId, seeds: int) -> list[VisitRecord]:
    """The seeds that were given up without an answer; seeds are the first that a task admits."""
    return [
        visit
        for visit in log.visits(task, 0, seeds)
        if visit.via is Via.SEED
        and visit.settlement is Settlement.DROPPED
        and _is_unreached(visit)
    ]


def _is_unreached(seed: VisitRecord) -> bool:
    return seed.reason is not None and seed.reason.means.is_unreached


async def try_again(
    log: FrontierLog, claim: Claim, visits: Sequence[VisitRecord]
) -> None:
    """Queue these URLs again as if they had never been requested; call it before the frontier is opened."""
    if not visits:
        return
    dropped = Counter(log.state(claim.task).drops)
    dropped.subtract(visit.reason for visit in visits if visit.reason is not None)
    ends = [
        UrlEnd(
            visit.number,
            UrlState.PENDING,
            0,
            None,
            0,
            0,
            "",
            None,
            visit.at.timestamp(),
        )
        for visit in visits
    ]
    await log.append(claim, FrontierBatch(ends=ends, drops=dict(dropped)))
