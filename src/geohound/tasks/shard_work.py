"""A shard as a task: a crawl that gets links from the other shards of its task, and shares a budget with them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from geohound.contracts import Clock, ShardStore, TaskStore
from geohound.model.crawl.event import Progressed
from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import Checkpoint, Claim, Ending
from geohound.model.visit import Candidate, Lane

from .crawling import CrawlWork

log = logging.getLogger(__name__)

LOOK_S = 0.5  # for links of others
AVERAGE_EVERY_S = 60.0  # what the orders of all shards have learned
PARCELS = 50  # parcels received at a time
LEAST_GRANT = 5  # pages
SOON_S = 3.0  # if all pages are due later than this, their part of the budget goes to other shards


@dataclass(frozen=True, slots=True)
class ShardParts:
    """What a shard needs beside its crawl."""

    shard: Shard
    claim: Claim
    shards: ShardStore
    tasks: TaskStore
    clock: Clock
    max_pages: int  # of all shards together
    admit: Callable[[Sequence[Candidate]], object]


class ShardWork:
    """A crawl that ends when all shards have nothing left to do and no link is under way."""

    def __init__(self, crawl: CrawlWork, parts: ShardParts) -> None:
        self._of_crawl = crawl
        self._parts = parts
        # what was noted last: is it idle, and does it have more pages?
        self._noted: tuple[bool, bool] | None = None
        self._average_at = parts.clock.monotonic() + AVERAGE_EVERY_S
        self._is_stopped = False

    async def run(self) -> Ending:
        self._of_crawl.feed(is_fed=True)
        self._of_crawl.wait_for_grants(is_waiting=True)
        await self._ask_for_pages()
        await self._note_idle(is_idle=False)
        exchanging = asyncio.create_task(self._exchange())
        crawling = asyncio.create_task(self._of_crawl.run())
        try:
            await asyncio.wait(
                {exchanging, crawling}, return_when=asyncio.FIRST_COMPLETED
            )
            if exchanging.done():
                exchanging.result()
            return await crawling
        finally:
            for each in (exchanging, crawling):
                each.cancel()
            await asyncio.gather(exchanging, crawling, return_exceptions=True)

    async def _exchange(self) -> None:
        """Receive links from other shards, and end the crawl when all shards are done."""
        while not self._is_stopped:
            await self._ask_for_pages()
            if not await self._receive() and await self._is_over():
                break
            await self._average()
            await self._parts.clock.sleep(LOOK_S)
        self._of_crawl.wait_for_grants(is_waiting=False)
        self._of_crawl.feed(is_fed=False)

    async def _receive(self) -> bool:
        """Read parcels and acknowledge them once their links are in our log; after a kill they are read again."""
        parts = self._parts
        parcels = await asyncio.to_thread(parts.shards.receive, parts.shard, PARCELS)
        if not parcels:
            return False
        await self._note_idle(is_idle=False)
        for parcel in parcels:
            parts.admit(parcel.links)
        self._of_crawl.renew_tests()
        await self._of_crawl.parts.frontier.flush()
        numbers = [parcel.number for parcel in parcels]
        await asyncio.to_thread(parts.shards.acknowledge, parts.claim, numbers)
        return True

    async def _is_over(self) -> bool:
        """Is nothing left in any shard? An idle one has all that it sent on disk."""
        crawl, parts = self._of_crawl, self._parts
        if crawl.is_idle:
            await crawl.parts.frontier.flush()
        is_idle = crawl.is_idle
        await self._note_idle(is_idle=is_idle)
        if not is_idle:
            return False
        now = await asyncio.to_thread(parts.shards.numbers, parts.shard.parent)
        has_pages = now.short and now.granted < parts.max_pages
        return now.idle == now.shards and not now.parcels and not has_pages

    async def _note_idle(self, *, is_idle: bool) -> None:
        parts, crawl = self._parts, self._of_crawl
        state = is_idle, is_idle and crawl.has_more
        if state == self._noted:
            return
        self._noted, used = state, crawl.visits
        if is_idle:
            crawl.allow(min(used, crawl.allowance))
        note = parts.shards.note_idle
        await asyncio.to_thread(
            note, parts.claim, is_idle=is_idle, has_more=state[1], used=used
        )

    async def _ask_for_pages(self) -> None:
        """Ask for more pages of the budget before ours are spent; idle shards have returned theirs."""
        parts, crawl = self._parts, self._of_crawl
        if self._is_nothing_due_soon():
            crawl.allow(min(crawl.visits, crawl.allowance))
            return
        share = max(LEAST_GRANT, parts.max_pages // (8 * parts.shard.count))
        is_waiting = self._noted is not None and self._noted[0] and not crawl.has_more
        if is_waiting or crawl.allowance - crawl.visits > share // 2:
            return
        granted = await asyncio.to_thread(
            parts.shards.grant, parts.claim, parts.max_pages, share
        )
        if granted > crawl.allowance:
            self._noted = None
        crawl.allow(granted)

    def _is_nothing_due_soon(self) -> bool:
        """Do all pages that are left wait, perhaps for minutes, to be tried again?"""
        due_s = self._of_crawl.parts.frontier.due_in(Lane.PAGES)
        return due_s is not None and due_s > SOON_S

    async def _average(self) -> None:
        """Learn from what the orders of the other shards have learned."""
        parts = self._parts
        if parts.clock.monotonic() < self._average_at:
            return
        self._average_at = parts.clock.monotonic() + AVERAGE_EVERY_S
        others = [
            task
            for task in parts.shards.shards(parts.shard.parent)
            if task != parts.claim.task
        ]
        states = [parts.tasks.checkpoint(task).order_state for task in others]
        self._of_crawl.parts.order.average([state for state in states if state])

    def stop(self) -> None:
        self._is_stopped = True
        self._of_crawl.stop()

    def checkpoint(self) -> Checkpoint:
        return self._of_crawl.checkpoint()

    def summary(self) -> dict[str, Any]:
        return self._of_crawl.summary()

    def progress(self) -> Progressed:
        return self._of_crawl.progress()

    def metrics(self) -> bytes:
        return self._of_crawl.metrics()
