"""Where a crawl begins, and the seeds that never answered: without them it has not done what was asked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from geohound.contracts import FrontierLog, Order
from geohound.model.frontier import FrontierBatch, UrlEnd, UrlState, VisitRecord
from geohound.model.task import SEEDS_PER_SEGMENT, Claim, TaskId
from geohound.model.visit import Candidate, Purpose, Settlement, Via
from geohound.urls.address_book import AddressBook


def candidates(seeds: Sequence[str], order: Order, book: AddressBook, max_width: int) -> list[Candidate]:
    """The seeds that the order takes up, of the first segments only where `max_width` says so."""
    taken = seeds[: max_width * SEEDS_PER_SEGMENT] if max_width else seeds
    scored = ((url, order.seed(url, place)) for place, url in enumerate(taken))
    return [Candidate(url, Via.SEED, score=s, purpose=_purpose(url, book)) for url, s in scored if s > -math.inf]


def _purpose(url: str, book: AddressBook) -> Purpose:
    return Purpose.PROBE if book.looks_like_service(url) else Purpose.PAGE


def all_visits(log: FrontierLog, task: TaskId) -> Iterator[VisitRecord]:
    """What became of the URLs of a task, in the order in which they were admitted."""
    after = 0
    while page := log.visits(task, after):
        yield from page
        after = page[-1].number


def unreached(log: FrontierLog, task: TaskId, seeds: int) -> list[VisitRecord]:
    """The seeds that were given up without an answer; seeds are the first that a task admits."""
    return [
        visit
        for visit in log.visits(task, 0, seeds)
        if visit.via is Via.SEED and visit.settlement is Settlement.DROPPED and _is_unreached(visit)
    ]


def _is_unreached(seed: VisitRecord) -> bool:
    return seed.reason is not None and seed.reason.means.is_unreached


async def try_again(log: FrontierLog, claim: Claim, visits: Sequence[VisitRecord]) -> None:
    """Let these wait as if they had never been asked for; call it before the frontier is opened."""
    if not visits:
        return
    dropped = Counter(log.state(claim.task).drops)
    dropped.subtract(visit.reason for visit in visits if visit.reason is not None)
    ends = [UrlEnd(visit.number, UrlState.PENDING, 0, None, 0, 0, "", None, visit.at.timestamp()) for visit in visits]
    await log.append(claim, FrontierBatch(ends=ends, drops=dict(dropped)))
