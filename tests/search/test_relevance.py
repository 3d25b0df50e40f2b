"""Search finds what people judged it should, best first."""

from __future__ import annotations

import statistics
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from geohound.model.bbox import BBox
from geohound.model.search.query import Query
from geohound.net.clock import SystemClock
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store

sys.path.insert(0, str(Path(__file__).parent))
import judged


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    services, states, queries = judged.load()
    store = open_store(tmp_path_factory.mktemp("judged") / "c.db", SystemClock())
    judged.fill(store.catalogue, services, states)
    index = CatalogueIndex(store.catalogue, store.segments)
    names = {service.id: name for name, service in services.items()}

    def search(query):
        return [names[hit.service.id] for hit in index.search(query).hits]

    yield search, queries, [search(asked.query) for asked in queries]
    store.close()


def test_at_least_60_queries_are_judged(world):
    assert len(world[1]) >= 60


def mean_ndcg(queries, found):
    return statistics.mean(
        judged.ndcg(names, asked.grades)
        for asked, names in zip(queries, found, strict=True)
    )


def test_the_judged_queries_reach_an_ndcg_of_at_least_090(world):
    _, queries, found = world
    assert mean_ndcg(queries, found) >= 0.9


@pytest.mark.slow
def test_synonyms_and_translations_are_worth_their_place(world):
    search, queries, found = world
    without = [search(replace(asked.query, expand=False)) for asked in queries]
    assert mean_ndcg(queries, found) > mean_ndcg(queries, without) + 0.2


def test_the_case_study_of_the_paper_finds_land_cover_2010_in_brazil(world):
    """Hou, Chen & Wu 2016, section 5.3: "land cover 2010" with a box around Brazil."""
    found = world[0](Query("land cover 2010", BBox(-74, -34, -34, 6), limit=10))
    assert set(found[:3]) == {"mapbr", "amazon", "lcdead"}
    assert found.index("glc") == 3


def test_stuffed_keywords_never_come_first(world):
    _, queries, found = world
    for asked, names in zip(queries, found, strict=True):
        assert names[:1] != ["stuffed"], asked.query
