"""A hunt as a task: the agent asks while the crawl reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from geohound.agent.measures import discovery_velocity
from geohound.frontier.holding import HoldingFrontier
from geohound.model.crawl.event import Progressed
from geohound.model.crawl.task import Checkpoint, Ending
from geohound.model.visit import Candidate
from geohound.tasks.crawling import CrawlWork

from .hunt import Hunt

IDLE_S = 3.0  # a crawl that has nothing to do for so long waits for a slow host alone


class HuntWork:
    """A crawl that an agent feeds."""

    def __init__(
        self, crawl: CrawlWork, hunt: Hunt, admit: Callable[[Sequence[Candidate]], None]
    ) -> None:
        self._of_crawl = crawl
        self._hunt = hunt
        self._admit = admit
        self._is_over = False

    async def run(self) -> Ending:
        parts = self._of_crawl.parts
        is_spent = self._of_crawl.visits >= self._of_crawl.allowance
        if self._hunt.is_done or is_spent:  # what a query finds could not be read
            self.release()
            ending = await self._of_crawl.run()
            is_over = self._hunt.is_done or ending is not Ending.FINISHED
            return ending if is_over else Ending.PAGE_BUDGET
        self._of_crawl.feed(is_fed=True)
        asking = asyncio.create_task(self._ask())
        crawling = asyncio.create_task(self._of_crawl.run())
        try:
            await asyncio.wait({asking, crawling}, return_when=asyncio.FIRST_COMPLETED)
            self._is_over = crawling.done()
            if self._is_over:
                self._hunt.stop()
            await asking
            ending = await crawling
        finally:
            for each in (asking, crawling):
                each.cancel()
            await asyncio.gather(asking, crawling, return_exceptions=True)
        await parts.frontier.flush()
        return (
            ending
            if self._hunt.is_done or ending is not Ending.FINISHED
            else self._cut_short
        )

    @property
    def _cut_short(self) -> Ending:
        return Ending.SOURCE_FAILED if self._hunt.has_failed else Ending.STOPPED

    async def _ask(self) -> None:
        parts = self._of_crawl.parts
        try:
            await self._hunt.run(self, parts.order, parts.book)
        finally:
            self._of_crawl.feed(is_fed=False)

    def admit(self, found: Sequence[Candidate]) -> set[str]:
        knows = self._of_crawl.parts.frontier.knows
        new = {each.url for each in found if not knows(each.url)}
        self._admit(found)
        return {url for url in new if knows(url)}

    async def flush(self) -> None:
        await self._of_crawl.parts.frontier.flush()

    @property
    def is_over(self) -> bool:
        return self._is_over

    @property
    def is_idle(self) -> bool:
        due_in = self._of_crawl.parts.frontier.due_in()
        return not self._of_crawl.in_flight and (due_in is None or due_in > IDLE_S)

    def release(self) -> None:
        frontier = self._of_crawl.parts.frontier
        if isinstance(frontier, HoldingFrontier):
            frontier.release()

    def stop(self) -> None:
        self._hunt.stop()
        self._of_crawl.stop()

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self.summary(), self._of_crawl.parts.order.state())

    def summary(self) -> dict[str, Any]:
        """That of the crawl, with what each source cost and brought, and the steps of the agent."""
        numbers = self._of_crawl.summary()
        is_done = self._hunt.is_done
        return numbers | {
            "sources": self._hunt.providers.yields.rows(),
            "velocity": round(
                discovery_velocity(numbers["services"], numbers["elapsed_s"]), 4
            ),
            **self._hunt.record(),
            "finished": is_done and numbers["finished"],
            "ended": numbers["ended"] if is_done else self._cut_short,
            "failed_sources": [
                {"source": name, "reason": why}
                for name, why in self._hunt.providers.failures.items()
            ],
        }

    def progress(self) -> Progressed:
        now = self._of_crawl.progress()
        is_asking = not self._hunt.is_done and not self._of_crawl.in_flight
        # Where the crawl waits for hosts of its own, it says so itself; before its first page nobody cares.
        is_first = now.waiting in ("hosts", "active hosts") and not now.pages
        if is_asking and (is_first or not now.waiting):
            return replace(now, waiting="search", waiting_hosts=())
        return now

    def metrics(self) -> bytes:
        return self._of_crawl.metrics()
