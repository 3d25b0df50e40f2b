"""Beside who writes, a process keeps the index close behind; killed, it catches up, and nothing depends on it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest

from geohound.app import background_indexer as start_indexer
from geohound.model.catalogue import Observation
from geohound.model.search.query import Query
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.search import background_indexer
from geohound.search.background_indexer import unpublished
from geohound.settings import Settings

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def met(number: int) -> Observation:
    layers = tuple(Layer(f"l{n}", f"River {n}") for n in range(3))
    service = Service(
        "wms", f"http://s{number}.test/ows", title=f"Rivers {number}", layers=layers
    )
    return Observation(
        service, Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
    )


def wait_until(is_so, seconds=20.0):
    ends = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < ends, "it never came"
        time.sleep(0.05)


@pytest.fixture
def behind(store):
    return lambda: unpublished(store.catalogue, store.segments)


@pytest.mark.slow
def test_the_index_stays_close_behind_who_writes_and_a_killed_indexer_is_replaced(
    store, behind
):
    with start_indexer(store, Settings(catalogue=store.database.name)) as beside:
        store.catalogue.record_now(map(met, range(300)))
        wait_until(lambda: behind() == 0)
        os.kill(beside.pid, signal.SIGKILL)
        store.catalogue.record_now(map(met, range(300, 700)))
        wait_until(lambda: behind() == 0)
        store.catalogue.record_now(map(met, range(700, 705)))
    assert behind() == 0, "the rest is published at the end"
    assert store.search(Query("rivers", limit=0)).total == 705
    assert (
        sum(segment.services for segment in store.segments.manifest().segments) == 705
    )


@pytest.mark.slow
def test_it_ends_with_who_started_it_however_that_one_ended(store, behind, tmp_path):
    path = str(tmp_path / "catalogue.db")
    named = {**os.environ, "GEOHOUND_CATALOGUE": str(path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "geohound.indexer"], stdin=subprocess.PIPE, env=named
    )
    store.catalogue.record_now([met(1)])
    process.stdin.close()  # as when the writer is killed
    assert process.wait(20) == 0
    assert behind() == 0


def test_few_services_are_not_worth_a_process(store):
    with start_indexer(store, Settings(catalogue=store.database.name)) as beside:
        store.catalogue.record_now(map(met, range(20)))
    assert beside.pid is None
    assert store.search(Query("rivers", limit=0)).total == 20


def test_an_indexer_that_dies_again_and_again_is_left_alone(store, monkeypatch):
    monkeypatch.setattr(background_indexer, "EVERY_S", 0.01)
    with background_indexer.BackgroundIndexer(
        [sys.executable, "-c", "raise SystemExit(1)"], lambda: 1000
    ) as beside:
        wait_until(lambda: beside._starts == 3)
    assert beside._starts == 3


def test_a_crawl_does_without_numpy_and_without_the_index():
    code = (
        "import sys, geohound.app, geohound.tasks.building, geohound.crawler.examiner;"
        "import geohound.search.background_indexer;"
        "print(sorted({'numpy', 'geohound.search.index'} & set(sys.modules)))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert told.strip() == "[]"
