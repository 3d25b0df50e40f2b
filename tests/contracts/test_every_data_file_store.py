"""What every list of data files must do, whatever database is behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sql_stores import STORES, open_sql

from geohound.contracts import DataFileStore
from geohound.model.crawl.data_file import DataFile, Evidence, FileFilter, FileHead
from geohound.net.clock import SystemClock
from geohound.stores.memory.data_files import MemoryDataFiles

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SST = DataFile(
    "http://a.test/sst.nc",
    "netcdf",
    "http://a.test/ocean",
    NOON,
    1,
    "Sea surface temperature",
)
DEM = DataFile(
    "http://b.test/dem.tif", "geotiff", "http://a.test/relief", NOON, 2, "Heights"
)
RAIN = DataFile("http://a.test/rain.nc", "netcdf", "http://a.test/ocean", NOON, 2)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DataFileStore]:
    if request.param == "memory":
        yield MemoryDataFiles()
        return
    opened = open_sql(request.param, tmp_path, SystemClock())
    yield opened.files
    opened.close()


def record(store: DataFileStore, *found: DataFile) -> None:
    async def write() -> None:
        await store.record(found)

    asyncio.run(write())


def answered(store: DataFileStore, url: str, head: FileHead, status: int = 206) -> None:
    async def write() -> None:
        await store.answered(url, head, status, NOON)

    asyncio.run(write())


def urls(store: DataFileStore, **which: object) -> list[str]:
    return [each.file.url for each in store.files(FileFilter(**which))]  # type: ignore[arg-type]


def test_a_file_is_kept_once_as_it_was_found_first(store: DataFileStore) -> None:
    record(store, SST, DEM)
    record(store, replace(SST, found_on="http://c.test/", task=9), RAIN)
    assert [each.file for each in store.files()] == [SST, DEM, RAIN]


def test_what_was_answered_is_added_to_what_was_found(store: DataFileStore) -> None:
    record(store, SST)
    answered(store, SST.url, FileHead("netcdf", Evidence.CONTENT, 1 << 40, NOON))
    (found,) = store.files()
    known = {
        "evidence": Evidence.CONTENT,
        "size": 1 << 40,
        "modified": NOON,
        "status": 206,
        "asked_at": NOON,
    }
    assert found.file == replace(SST, **known)
    record(store, SST)  # met again
    assert store.files() == [found]


def test_what_is_no_data_file_is_forgotten_and_what_is_unknown_stays_so(
    store: DataFileStore,
) -> None:
    record(store, SST)
    answered(store, SST.url, FileHead())
    answered(store, DEM.url, FileHead("geotiff"))
    assert store.files() == []


def test_files_are_listed_by_format_and_words_and_page_by_page(
    store: DataFileStore,
) -> None:
    record(store, SST, DEM, RAIN)
    assert urls(store, formats=("netcdf",)) == [SST.url, RAIN.url]
    assert urls(store, words=("SURFACE", "a.test")) == [SST.url]
    assert urls(store, words=("relief",)) == [DEM.url]
    assert urls(store, words=("%",)) == []
    first = store.files(FileFilter(limit=2))
    assert urls(store, after=first[-1].number) == [RAIN.url]


def test_files_are_counted_by_format_and_by_who_found_them(
    store: DataFileStore,
) -> None:
    record(store, SST, DEM, RAIN)
    assert store.count() == (3, {"netcdf": 2, "geotiff": 1})
    assert store.count(FileFilter(formats=("geotiff",), limit=0)) == (1, {"geotiff": 1})
    assert (store.found_by(1), store.found_by(2), store.found_by(3)) == (1, 2, 0)


def test_who_asked_about_a_file_is_known_to_its_task(store: DataFileStore) -> None:
    record(store, SST, DEM, RAIN)
    answered(store, RAIN.url, FileHead("netcdf"), 403)
    assert (store.asked(1), store.asked(2)) == ([], [RAIN.url])


def test_what_anybody_asked_about_lately_is_known(store: DataFileStore) -> None:
    record(store, SST, DEM)
    answered(store, SST.url, FileHead("netcdf", Evidence.CONTENT))
    some = [SST.url, DEM.url, "http://a.test/unknown.nc"]
    assert store.asked_since(some, NOON) == {SST.url}
    assert not store.asked_since(some, NOON + timedelta(seconds=1))
    assert not store.asked_since([], NOON)
