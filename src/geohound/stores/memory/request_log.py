"""The requests that were made, in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from geohound.model.crawl.frontier import RequestCounts
from geohound.model.crawl.task import TaskId
from geohound.model.visit import RequestRecord

from .completed import done


class MemoryRequestLog:
    def __init__(self) -> None:
        self._made: list[tuple[TaskId, RequestRecord]] = []

    def record(
        self, task: TaskId, requests: Sequence[RequestRecord]
    ) -> asyncio.Future[None]:
        self._made += [(task, request) for request in requests]
        return done()

    def to_host(self, host: str, limit: int = 0) -> Sequence[RequestRecord]:
        found = [request for _, request in self._made if request.host == host]
        latest_first = sorted(found, key=lambda request: request.at, reverse=True)
        return latest_first[: limit or None]

    def hosts(self, task: TaskId) -> set[str]:
        return {
            request.host
            for made_for, request in self._made
            if made_for == task and request.status
        }

    def counts(self, task: TaskId) -> RequestCounts:
        sizes = [request.bytes for made_for, request in self._made if made_for == task]
        return RequestCounts(len(sizes), sum(sizes))
