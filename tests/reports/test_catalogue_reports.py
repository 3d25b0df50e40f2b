"""Reports on a whole catalogue, each worked out by hand from six services."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from geohound.model.catalogue import Observation
from geohound.model.service import Service, Sighting
from geohound.model.topic import Topic, TopicClass
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.reports import CATALOGUE_REPORTS, CatalogueFacts, Table
from geohound.reports.url_parts import parts_of
from geohound.stores.sqlite import open_store

SERVICES = (
    ("wms", "http://maps.amt.de/cgi-bin/mapserv?map=/srv/a.map"),
    ("wms", "http://maps.amt.de/geoserver/wms"),
    ("wfs", "http://maps.amt.de/geoserver/wfs"),
    ("wms", "https://gis.example.org/geoserver/wms"),
    ("wms", "http://10.0.0.1:8080/wms"),
    ("wms", "https://www.data.gov.uk/geoserver/ows/wms"),
)
WATER = Topic(
    "water",
    "Water",
    (TopicClass("river", "Rivers", {}), TopicClass("lake", "Lakes", {})),
)
HUNTS = (
    {"sources": [{"source": "searxng=http://a.test/", "requests": 3, "seeds": 20, "services": 4}]},
    {"sources": [{"source": "searxng=http://b.test/", "requests": 1, "seeds": 5, "services": 1},
                 {"source": "list.txt", "requests": 0, "seeds": 7, "services": 6}]},
    {"pages": 3},
)  # fmt: skip


@pytest.fixture
def facts(tmp_path: Path) -> Iterator[CatalogueFacts]:
    store = open_store(tmp_path / "c.db", SystemClock())
    for number, (kind, url) in enumerate(SERVICES):
        service = Service(kind, url, title=f"Service {number}")
        sighting = Sighting(service.id, url, "", Via.SEED, "", datetime.now(UTC))
        topics = (("water", "river"),) if kind == "wfs" else ()
        store.catalogue.record_now([Observation(service, sighting, topics=topics)])
    yield CatalogueFacts(store.catalogue, (WATER,), lambda: HUNTS)
    store.close()


def test_countries_are_those_of_the_hosts_with_their_kinds(
    facts: CatalogueFacts,
) -> None:
    """Li, Yang & Yang 2010, section 6.3: services by country. PolarHub, section 6.2: top countries, by type."""
    assert CATALOGUE_REPORTS["countries"].table(facts) == Table(
        ("country", "services", "hosts", "guessed", "wms", "wfs"),
        [("DE", 3, 1, 3, 2, 1), ("unknown", 2, 2, 0, 2, 0), ("GB", 1, 1, 1, 1, 0)],
    )


def test_kinds_are_counted_by_top_level_domain_and_by_site(
    facts: CatalogueFacts,
) -> None:
    """Sidsten 2012, section 3.5.1: "One by top level domain (TLD) and one grouped by site-address."."""
    assert CATALOGUE_REPORTS["domains"].table(facts) == Table(
        ("domain", "services", "hosts", "wms", "wfs"),
        [
            (".de", 3, 1, 2, 1),
            (".org", 1, 1, 1, 0),
            (".uk", 1, 1, 1, 0),
            ("no domain", 1, 1, 1, 0),
        ],
    )
    rows = CATALOGUE_REPORTS["sites"].table(facts).rows
    assert [row[:2] for row in rows] == [
        ("amt.de", 3),
        ("10.0.0.1", 1),
        ("data.gov.uk", 1),
        ("example.org", 1),
    ]


def test_url_parts_come_by_frequency_with_their_top_level_domains(
    facts: CatalogueFacts,
) -> None:
    """Sidsten 2012, section 3.5.2: parts between slashes, "sorted by frequency", "how many […] for each TLD"."""
    assert CATALOGUE_REPORTS["urls"].table(facts) == Table(
        ("part", "services", "hosts", ".de", ".uk", ".org", "no domain"),
        [
            ("geoserver", 4, 3, 2, 1, 1, 0),
            ("wms", 4, 4, 1, 1, 1, 1),
            ("cgi-bin", 1, 1, 1, 0, 0, 0),
            ("mapserv?map=/srv/a.map", 1, 1, 1, 0, 0, 0),
            ("ows", 1, 1, 0, 1, 0, 0),
            ("wfs", 1, 1, 1, 0, 0, 0),
        ],
    )


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("http://a.test/", []),
        ("http://a.test", []),
        ("http://a.test/?map=/x/y.map", ["?map=/x/y.map"]),
        ("http://a.test/a//a/b.asp?x=1", ["a", "b.asp?x=1"]),
    ],
)
def test_the_file_has_its_parameters_and_nothing_counts_twice(
    url: str, parts: list[str]
) -> None:
    """Sidsten 2012, section 3.5.2: "a directory or the name of the requested file, including parameters"."""
    assert parts_of(url) == parts


def test_rare_columns_are_counted_together(
    facts: CatalogueFacts, tmp_path: Path
) -> None:
    store = open_store(tmp_path / "many.db", SystemClock())
    for number in range(9):
        service = Service(f"kind{number}", "http://maps.amt.de/x")
        sighting = Sighting(
            service.id, service.endpoint, "", Via.SEED, "", datetime.now(UTC)
        )
        store.catalogue.record_now([Observation(service, sighting)])
    table = CATALOGUE_REPORTS["countries"].table(CatalogueFacts(store.catalogue))
    store.close()
    assert table.columns[-2:] == ("kind5", "other")
    assert table.rows == [("DE", 9, 1, 9, 1, 1, 1, 1, 1, 1, 3)]


def test_every_class_of_a_topic_has_its_row(facts: CatalogueFacts) -> None:
    """Hou, Chen & Wu 2016, table 8: number of services about each class."""
    assert CATALOGUE_REPORTS["classes"].table(facts).rows == [
        ("water", "river", 1),
        ("water", "lake", 0),
    ]


def test_sources_are_added_up_over_all_hunts_best_first(facts: CatalogueFacts) -> None:
    assert CATALOGUE_REPORTS["sources"].table(facts) == Table(
        ("source", "requests", "seeds", "services", "services_per_1000_requests"),
        [("list.txt", 0, 7, 6, 0.0), ("searxng", 4, 25, 5, 1250.0)],
    )


def test_methods_have_their_services_and_the_share_that_is_alive(
    facts: CatalogueFacts,
) -> None:
    assert CATALOGUE_REPORTS["methods"].table(facts) == Table(
        ("method", "services", "live", "live_share"), [("seed", 6, 0, 0.0)]
    ), "nobody has looked at them yet"
