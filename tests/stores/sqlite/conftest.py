"""A clock that stands still until told, and stores in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from searched import Searched

from geohound.stores.sqlite.database import SqliteDatabase

START = datetime(2026, 1, 1, tzinfo=UTC)


class StillClock:
    def __init__(self) -> None:
        self.passed_s = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self.passed_s)

    def monotonic(self) -> float:
        return 1000.0 + self.passed_s

    async def sleep(self, seconds: float) -> None:
        self.passed_s += seconds


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def open_searched(clock: StillClock) -> Callable[[Path], Searched]:
    return lambda path: Searched(SqliteDatabase(path), clock)


@pytest.fixture
def reopen(
    tmp_path: Path, open_searched: Callable[[Path], Searched]
) -> Iterator[Callable[[], Searched]]:
    """Open the store of this test, as another process would after a crash: nothing is closed before."""
    opened: list[Searched] = []

    def open_again() -> Searched:
        opened.append(open_searched(tmp_path / "catalogue.db"))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(reopen: Callable[[], Searched]) -> Searched:
    return reopen()
