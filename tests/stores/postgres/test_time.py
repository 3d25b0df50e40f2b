"""Claims are dated by the clock of the database: what happens to the clocks of machines changes nothing."""

from __future__ import annotations

import time
from contextlib import closing
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from geohound.model.crawl.task import TaskSpec
from geohound.net.clock import SystemClock
from geohound.stores import postgres
from geohound.stores.postgres import database


class WrongClock(SystemClock):
    """Of a machine whose clock is wrong, and may be set while it runs."""

    def __init__(self, by: timedelta) -> None:
        self.by = by

    def now(self) -> datetime:
        return datetime.now(UTC) + self.by


def time_of(address: str) -> datetime:
    with psycopg.connect(address) as connection:
        (now,) = connection.execute("SELECT clock_timestamp()").fetchone()
        return now


def near(one: datetime, other: datetime) -> bool:
    return abs(one - other) < timedelta(seconds=5)


@pytest.mark.parametrize("hours", [-30, 0, 30])
def test_a_clock_that_is_set_while_a_crawl_runs_ends_no_claim_of_others(
    address, hours: int
) -> None:
    clock = WrongClock(timedelta(hours=1))
    with (
        closing(postgres.open_store(address, SystemClock())) as ours,
        closing(postgres.open_store(address, clock)) as theirs,
    ):
        task = ours.tasks.create(TaskSpec()).id
        claim = ours.tasks.claim(task, "we", 30.0)
        clock.by = timedelta(hours=hours)
        assert near(theirs.clock.now(), time_of(address))
        assert theirs.tasks.get(task).is_held(theirs.clock.now())
        assert theirs.tasks.claim(task, "they", 30.0) is None
        ours.tasks.expire(claim)
        taken = theirs.tasks.claim(task, "they", 30.0)
        assert taken.epoch == claim.epoch + 1
        expires_at = ours.tasks.get(task).expires_at
        assert near(expires_at, time_of(address) + timedelta(seconds=30))


def test_after_a_minute_the_database_is_asked_again_for_the_time(
    address, monkeypatch
) -> None:
    """A virtual machine that is stopped for an hour has lost it on all of its clocks."""
    with closing(postgres.open_store(address, SystemClock())) as store:
        lost_s = 3600.0
        monkeypatch.setattr(
            database, "ticks", lambda: time.clock_gettime(database._CLOCK) - lost_s
        )
        assert not near(store.clock.now(), time_of(address))
        lost_s -= 1.01 * database.TIME_VALID_S + 3600.0
        store.tasks.create(TaskSpec())
        assert near(store.clock.now(), time_of(address))
