"""Stores that can be searched, in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from searched import Searched

from geohound.net.clock import SystemClock
from geohound.stores.sqlite.database import SqliteDatabase


@pytest.fixture
def open_searched() -> Callable[[Path], Searched]:
    return lambda path: Searched(SqliteDatabase(path), SystemClock())


@pytest.fixture
def store(
    tmp_path: Path, open_searched: Callable[[Path], Searched]
) -> Iterator[Searched]:
    store = open_searched(tmp_path / "catalogue.db")
    yield store
    store.close()
