"""The writer of the frontier's log: whoever waits for it hears how it ended."""

from __future__ import annotations

import asyncio

import pytest

from geohound.contracts import StoreError
from geohound.frontier.log_writer import LogWriter
from geohound.model.crawl.task import Claim


class Written:
    """A log that takes everything."""

    def append(self, claim, batch):
        future = asyncio.get_running_loop().create_future()
        future.set_result(None)
        return future


def test_a_bug_in_queueing_ends_the_wait_instead_of_holding_it_for_ever():
    def queue(entries):
        raise ZeroDivisionError("a bug")

    async def story():
        writer = LogWriter(Written(), Claim(1, "test", 1), queue)
        writer.batch()
        with pytest.raises(StoreError, match="a bug"):
            await asyncio.wait_for(writer.flush(), 5)
        with pytest.raises(StoreError):
            writer.batch()

    asyncio.run(story())


class Slow:
    """A log that writes a batch when the test says so."""

    def __init__(self):
        self.batches = []
        self.ends = []

    def append(self, claim, batch):
        self.batches.append(dict(batch.pauses))
        self.ends.append(asyncio.get_running_loop().create_future())
        return self.ends[-1]


def test_what_comes_after_a_flush_is_in_a_batch_of_its_own():
    """Or the batch would grow for as long as the one before it takes, and whoever flushes would wait for all of it."""

    async def story():
        log, queued = Slow(), []
        writer = LogWriter(log, Claim(1, "test", 1), queued.extend)
        writer.batch().pauses["before.org"] = 1.0
        flushing = [asyncio.create_task(writer.flush())]
        await asyncio.sleep(0)
        writer.batch().pauses["meanwhile.org"] = 2.0
        flushing.append(asyncio.create_task(writer.flush()))
        await asyncio.sleep(0)
        writer.batch().pauses["after.org"] = 3.0
        assert log.batches == [{"before.org": 1.0}]
        log.ends[0].set_result(None)
        await flushing[0]
        assert log.batches[1:] == [{"meanwhile.org": 2.0}]
        log.ends[1].set_result(None)
        await asyncio.wait_for(flushing[1], 5)
        assert log.batches[2:] == [{"after.org": 3.0}]

    asyncio.run(story())
