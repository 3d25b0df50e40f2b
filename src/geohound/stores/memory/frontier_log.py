"""The log of frontiers in memory."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from geohound.contracts import FencedError, StoreError, TaskStore
from geohound.model.crawl.frontier import (
    MAX_MEMOS,
    FrontierBatch,
    FrontierState,
    LoggedUrl,
    Memo,
    NewUrl,
    UrlEnd,
    UrlState,
    VisitCounts,
    VisitRecord,
)
from geohound.model.crawl.task import Claim, TaskId
from geohound.model.failure import NOT_ASKED, FailureReason
from geohound.model.visit import Candidate, Purpose, Settlement, Via

from .completed import done
from .shards import MemoryShards

_NO_LINKS = (Via.SEED, Via.HARVEST, Via.SERVICE)
_UNVISITED = (UrlState.UNASKED, UrlState.REFUSED)


@dataclass(slots=True)
class _Url:
    new: NewUrl
    end: UrlEnd

    @property
    def is_page(self) -> bool:
        return self.new.candidate.is_page


@dataclass(slots=True)
class _Log:
    urls: dict[int, _Url] = field(default_factory=dict)
    pauses: dict[str, float] = field(default_factory=dict)
    drops: dict[FailureReason, int] = field(default_factory=dict)
    memos: dict[tuple[int, int], Memo] = field(default_factory=dict)  # the latest last


class MemoryFrontierLog:
    """The logs of all tasks of one process; not for several threads."""

    def __init__(self, tasks: TaskStore, shards: MemoryShards | None = None) -> None:
        self._tasks = tasks
        self._shards = shards
        self._logs: defaultdict[TaskId, _Log] = defaultdict(_Log)

    def replay(self, task: TaskId) -> Iterator[LoggedUrl]:
        for number, url in self._logs[task].urls.items():
            new, found = url.new, url.new.candidate
            yield LoggedUrl(
                number, new.key, new.shape, url.end.state, found.purpose.lane, found.score, found.url, found.depth
            )  # fmt: skip

    def load(self, task: TaskId, numbers: Sequence[int]) -> Sequence[Candidate]:
        known = self._logs[task].urls
        return [
            replace(known[number].new.candidate, attempts=known[number].end.attempts)
            for number in numbers
        ]

    def append(self, claim: Claim, batch: FrontierBatch) -> asyncio.Future[None]:
        task, log = self._tasks.get(claim.task), self._logs[claim.task]
        if task is None or task.claim != claim:
            raise FencedError(f"Task {claim.task} is run by another process by now.")
        if any(new.number in log.urls for new in batch.urls):
            raise StoreError("Another process crawls this task; end one of the two.")
        for new in batch.urls:
            log.urls[new.number] = _Url(
                new,
                UrlEnd(
                    new.number, new.state, 0, new.reason, 0, 0, "", None, new.at or 0.0
                ),
            )
        for end in batch.ends:
            log.urls[end.number].end = end
        log.pauses.update(batch.pauses)
        log.drops.update(batch.drops)
        for memo in batch.memos:
            log.memos.pop((memo.kind, memo.key), None)
            log.memos[memo.kind, memo.key] = memo
        while len(log.memos) > MAX_MEMOS:
            del log.memos[next(iter(log.memos))]
        if self._shards is not None:
            self._shards.send(claim, batch.sent)
        return done()

    def visits(
        self, task: TaskId, after: int = 0, limit: int = 1000
    ) -> Sequence[VisitRecord]:
        urls = self._logs[task].urls.items()
        found = [
            _visit(task, url)
            for number, url in urls
            if number > after and url.end.state != UrlState.PENDING
        ]
        return found[:limit]

    def marks(self, task: TaskId) -> Iterator[tuple[int, int]]:
        return (
            url.end.marks for url in self._logs[task].urls.values() if url.end.marks
        )

    def memos(self, task: TaskId) -> Iterator[Memo]:
        return iter(list(self._logs[task].memos.values()))

    def links(self, task: TaskId, limit: int) -> Iterator[str]:
        found = [url.new.candidate for url in self._logs[task].urls.values()]
        links = [
            candidate.url
            for candidate in reversed(found)
            if candidate.via not in _NO_LINKS
        ]
        return iter(links[:limit])

    def state(self, task: TaskId) -> FrontierState:
        log = self._logs[task]
        done = [
            url.new.candidate.url
            for url in log.urls.values()
            if url.end.state == UrlState.DONE
        ]
        return FrontierState(
            dict(log.drops), dict(log.pauses), done[-1] if done else ""
        )

    def counts(self, task: TaskId) -> VisitCounts:
        urls = list(self._logs[task].urls.values())
        return VisitCounts(
            pages=sum(url.is_page and _was_read(url.end) for url in urls),
            visits=sum(
                url.end.attempts
                for url in urls
                if url.is_page and url.end.reason not in NOT_ASKED
            ),
            tested=sum(
                url.end.attempts
                for url in urls
                if url.new.candidate.purpose is Purpose.PROBE
            ),
        )


def _was_read(end: UrlEnd) -> bool:
    is_outage = end.reason is not None and end.reason.means.is_outage
    return end.status > 0 and not 300 <= end.status < 400 and not is_outage


def _visit(task: TaskId, url: _Url) -> VisitRecord:
    found, end = url.new.candidate, url.end
    return VisitRecord(
        number=end.number,
        url=found.url,
        task=task,
        parent=found.found_on,
        via=found.via,
        clue=found.clue,
        depth=found.depth,
        purpose=found.purpose,
        score=found.score,
        settlement=Settlement.DONE
        if end.state in (UrlState.DONE, UrlState.REDIRECTED)
        else Settlement.DROPPED,
        was_asked=end.state not in _UNVISITED,
        reason=end.reason,
        status=end.status,
        services=end.services,
        attempts=end.attempts,
        address=end.address,
        at=datetime.fromtimestamp(end.at, UTC),
        host_role=end.role,
    )
