"""However services are sealed, merged, renewed and read again, search sees what the catalogue holds."""

from __future__ import annotations

import random
import threading
from datetime import UTC, datetime

import pytest

from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.search.query import Query
from geohound.model.service import Extent, Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.search import index

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORDS = ("glacier", "river", "forest", "desert", "volcano", "island")


@pytest.fixture
def small_segments(monkeypatch):
    monkeypatch.setattr(index, "FLUSH_ENTRIES", 12)
    monkeypatch.setattr(index, "TIERS", (20, 40))
    monkeypatch.setattr(index, "MERGE_SEGMENTS", 3)


def write(store, number, rng):
    word = rng.choice(WORDS)
    west = rng.randint(-180, 170)
    layers = tuple(
        Layer(
            f"n{number}x{k}",
            f"{rng.choice(WORDS)} {k}",
            extent=Extent(BBox(west, 0, west + 10, 10)),
        )
        for k in range(rng.randint(0, 4))
    )
    service = Service(
        "wms",
        f"http://s{number}.example.org/ows",
        title=f"{word} {number}",
        layers=layers,
    )
    store.catalogue.record_now(
        [
            Observation(
                service, Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
            )
        ]
    )
    if rng.random() < 0.3:
        store.catalogue.record_now([Check(service.id, NOON, rng.random() < 0.5)])
    store.index.refresh()
    return service


QUERIES = [
    *(Query(word, expand=False, limit=500) for word in WORDS), Query(limit=500), Query("gla*", limit=500),
    Query("river", BBox(-20, 0, 30, 5), expand=False, limit=500), Query(bbox=BBox(170, 0, -150, 5), limit=500),
    Query("r* g*", limit=500), Query(bbox=BBox(-180, -90, 180, 90), limit=500),
    Query("l*", kinds=("wms",), where={"https": ("no",)}, limit=500),
]  # fmt: skip


def answers(store):
    found = [store.search(query) for query in QUERIES]
    return [
        (
            r.total,
            [(h.service.id, [la.name for la in h.layers], h.state) for h in r.hits],
            r.facets,
        )
        for r in found
    ]


def said(service, word):
    return any(
        word in text
        for text in (service.title, *(layer.title for layer in service.layers))
    )


@pytest.mark.slow
def test_a_long_running_search_sees_what_a_new_one_sees(
    tmp_path, open_searched, small_segments
):
    rng = random.Random(3)
    path = tmp_path / "c.db"
    writer, reader = open_searched(path), open_searched(path)
    held = {}
    for step in range(160):
        service = write(writer, rng.randrange(60), rng)
        held[service.endpoint] = service
        if step % 10 == 9:
            newcomer = open_searched(path)
            told = answers(newcomer)
            assert answers(reader) == told
            newcomer.close()
            assert told[6][0] == len(held)
            for word, answer in zip(WORDS, told, strict=False):
                expected = {s.id for s in held.values() if said(s, word)}
                assert {id_ for id_, _, _ in answer[1]} == expected
    manifest = writer.segments.manifest()
    assert len(manifest.segments) < manifest.version / 2, "segments were merged"
    writer.close()
    reader.close()


@pytest.mark.slow
def test_large_transactions_among_small_ones_leave_every_entry_in_its_place(
    tmp_path, open_searched, small_segments, monkeypatch
):
    monkeypatch.setattr(index, "LARGE_ENTRIES", 40)
    path = tmp_path / "c.db"
    writer, reader = open_searched(path), open_searched(path)
    rng = random.Random(8)
    generations = set()
    for step in range(16):
        for number in range(5):
            write(writer, 100 * step + number, rng)
        if step % 5 == 1:
            many = [
                Service(
                    "wms", f"http://m{step}x{n}.example.org/ows", title=f"river {n}"
                )
                for n in range(45)
            ]
            writer.catalogue.record_now(
                Observation(s, Sighting(s.id, s.endpoint, "", Via.LINK, "", NOON))
                for s in many
            )
        newcomer = open_searched(path)
        assert answers(reader) == answers(newcomer)
        newcomer.close()
        generations.add(reader.index._in_memory._generation)
    sizes = [segment.entries for segment in writer.segments.manifest().segments]
    large = [size >= 40 for size in sizes]
    assert large == sorted(large, reverse=True), "small segments come last"
    assert max(sizes) >= 45
    assert len(generations) == 1, "the reader never had to begin again"
    writer.close()
    reader.close()


@pytest.mark.slow
def test_segments_that_are_mostly_overwritten_are_renewed(
    tmp_path, open_searched, small_segments
):
    store = open_searched(tmp_path / "c.db")
    rng = random.Random(4)
    for _ in range(30):
        for number in range(8):
            write(store, number, rng)
    entries = sum(segment.entries for segment in store.segments.manifest().segments)
    assert entries < 8 * 5 * 6  # not 30 times what is there
    assert store.search(Query()).total == 8
    store.close()


@pytest.mark.slow
def test_searches_go_on_while_services_are_written(
    tmp_path, open_searched, small_segments
):
    store = open_searched(tmp_path / "c.db")
    rng = random.Random(5)
    for number in range(20):
        write(store, number, rng)
    troubles, done = [], threading.Event()

    def keep_searching():
        try:
            while not done.is_set():
                for query in QUERIES:
                    results = store.search(query)
                    assert len(results.hits) == results.total
        except Exception as trouble:
            troubles.append(trouble)

    threads = [threading.Thread(target=keep_searching) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(60):
        write(store, number, rng)
    done.set()
    for thread in threads:
        thread.join()
    assert not troubles
    assert store.search(Query()).total == 60
    store.close()


@pytest.mark.slow
def test_a_service_with_more_layers_than_a_segment_usually_has_is_found_by_each(
    tmp_path, open_searched, monkeypatch
):
    monkeypatch.setattr(index, "FLUSH_ENTRIES", 100)
    store = open_searched(tmp_path / "c.db")
    layers = tuple(Layer(f"l{n}", f"sheet{n}") for n in range(70_000))
    big = Service("wms", "http://big.example.org/ows", title="Sheets", layers=layers)
    store.catalogue.record_now(
        [Observation(big, Sighting(big.id, big.endpoint, "", Via.LINK, "", NOON))]
    )
    (hit,) = store.search(Query("sheet69999", expand=False)).hits
    assert [layer.name for layer in hit.layers] == ["l69999"]
    assert (hit.layer_count, hit.match_count) == (70_000, 1)
    store.close()
