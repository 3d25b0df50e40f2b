"""Pages follow each other, whatever is written between them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.search.query import Query
from geohound.model.service import Extent, Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.search import index

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RIVERS = Query("river network", limit=7, expand=False)


def met(number, title, words="", fingerprint=""):
    layers = tuple(
        Layer(f"l{n}", f"River {n}", extent=Extent(BBox(n, 0, n + 5, 9)))
        for n in range(number % 4)
    )
    service = Service(
        "wms",
        f"http://s{number}.example.org/ows",
        title=title,
        abstract=words,
        layers=layers,
        fingerprint=fingerprint,
    )
    return Observation(
        service, Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
    )


@pytest.fixture
def store(tmp_path, open_searched):
    store = open_searched(tmp_path / "c.db")
    store.catalogue.record_now(
        met(n, f"River network {n}", "of lakes and rivers " * (n % 7))
        for n in range(40)
    )
    yield store
    store.close()


def pages(store, query, between):
    seen, totals = [], []
    while True:
        results = store.search(query)
        seen += [hit.service.id for hit in results.hits]
        totals.append(results.total)
        if not results.next:
            return seen, totals
        query = replace(query, after=results.next)
        between(len(totals))


@pytest.mark.parametrize(
    "query", [RIVERS, Query(limit=7), Query(bbox=BBox(0, 0, 3, 3), limit=3)]
)
def test_pages_are_the_whole_list_also_while_services_are_written(store, query):
    whole = [hit.service.id for hit in store.search(replace(query, limit=100)).hits]
    assert len(whole) > 2 * query.limit
    seen, totals = pages(store, query, lambda _: None)
    assert seen == whole
    assert set(totals) == {len(whole)}
    assert (
        pages(
            store,
            query,
            lambda n: store.catalogue.record_now([met(100 + n, "River network")]),
        )[0]
        == whole
    )


@pytest.mark.parametrize(
    "query", [RIVERS, Query(limit=7), Query(bbox=BBox(0, 0, 3, 3), limit=3)]
)
def test_pages_of_layers_are_the_whole_list_while_services_are_written(store, query):
    def told(results):
        return [(hit.service.id, hit.layer.name) for hit in results.hits]

    whole = told(store.layers(replace(query, limit=1000)))
    assert len(set(whole)) == len(whole) > 2 * query.limit
    seen, number = [], 100
    while True:
        results = store.layers(query)
        assert results.total == len(whole)
        seen += told(results)
        if not results.next:
            break
        query, number = replace(query, after=results.next), number + 1
        store.catalogue.record_now([met(number, f"River network {number}")])
    assert seen == whole


def test_what_a_crawl_adds_between_two_pages_moves_nothing(store, monkeypatch):
    monkeypatch.setattr(index, "FLUSH_ENTRIES", 30)
    monkeypatch.setattr(index, "MERGE_SEGMENTS", 3)
    whole = [hit.service.id for hit in store.search(replace(RIVERS, limit=100)).hits]

    def write(page):
        # Shorter, hence better than all others.
        store.catalogue.record_now(
            met(1000 * page + number, "River network") for number in range(10)
        )
        store.catalogue.record_now(
            [met(page, f"River network {page}, mended", fingerprint=str(page))]
        )

    seen, totals = pages(store, RIVERS, write)
    assert seen == whole
    assert set(totals) == {len(whole)}
    assert store.search(RIVERS).total > len(whole)


def test_pages_go_on_where_segments_were_renewed(store, monkeypatch):
    monkeypatch.setattr(index, "FLUSH_ENTRIES", 30)
    # of one word the rank does not hang on the rest of the catalogue
    river = replace(RIVERS, text="river")

    def overwrite_the_others(page):
        store.catalogue.record_now(
            met(4 * n, f"Lake {n}", fingerprint=f"{page}-{n}") for n in range(100, 300)
        )

    overwrite_the_others(0)
    whole = [hit.service.id for hit in store.search(replace(river, limit=100)).hits]
    first = store.segments.manifest().segments[0]
    seen, _ = pages(store, river, overwrite_the_others)
    assert first not in store.segments.manifest().segments, (
        "the first segment was given up"
    )
    assert seen == whole


def test_a_cursor_of_another_catalogue_is_answered_and_one_that_is_none_is_the_first_page(
    store,
):
    first = store.search(RIVERS)
    assert store.search(replace(RIVERS, after="nonsense")).hits == first.hits
    assert (
        store.search(replace(RIVERS, after="kffffffff.00000000.7fc00000.0")).hits == ()
    )
    beyond = store.search(replace(RIVERS, after="k1.00000000.7f000000.0"))
    assert [hit.service.id for hit in beyond.hits] == [
        hit.service.id for hit in first.hits
    ]
