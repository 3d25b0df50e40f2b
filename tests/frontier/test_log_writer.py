"""The writer of the frontier's log: whoever waits for it hears how it ended."""

from __future__ import annotations

import asyncio

import pytest

from geohound.contracts import StoreError
from geohound.frontier.log_writer import LogWriter
from geohound.model.work.task import Claim


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
