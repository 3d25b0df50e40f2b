"""Where the services that match are, counted by cells."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.search.query import Query, Sort
from geohound.model.service import Extent, Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store


def _service(
    number: int, box: BBox | None, title: str = "Map", layer_box: BBox | None = None
) -> Service:
    layers = (
        Layer("a", f"Layer {number}", extent=Extent(layer_box) if layer_box else None),
    )
    extent = Extent(box) if box else None
    return Service(
        "wms",
        f"https://h{number}.example/wms",
        title=f"{title} {number}",
        extent=extent,
        layers=layers,
    )


SERVICES = (
    _service(1, BBox(10, 50, 12, 52), "Rivers"),  # its middle is 11, 51
    _service(2, BBox(12, 52, 14, 54), "Rivers"),  # 13, 53
    _service(3, BBox(-180, -90, 180, 90)),
    _service(4, None),
    _service(5, None, layer_box=BBox(100, 0, 102, 2)),  # of its layer: 101, 1
    _service(6, BBox(176, -22, -178, -12)),  # across the antimeridian: 179, -17
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CatalogueIndex]:
    store = open_store(tmp_path_factory.mktemp("placing") / "c.db", SystemClock())
    for service in SERVICES:
        sighting = Sighting(
            service.id, service.endpoint, "", Via.SEED, "", SystemClock().now()
        )
        store.catalogue.record_now([Observation(service, sighting)])
    yield CatalogueIndex(store.catalogue, store.segments)
    store.close()


def test_services_are_counted_by_the_middle_of_their_box(index):
    placed = index.placed(Query(), 10.0)
    assert (placed.total, placed.worldwide, placed.unplaced) == (6, 1, 1)
    assert [(group.lon, group.lat, group.count) for group in placed.groups] == [
        (12.0, 52.0, 2),
        (179.0, -17.0, 1),
        (101.0, 1.0, 1),
    ]


def test_a_group_of_one_names_its_service(index):
    names = {group.service for group in index.placed(Query(), 10.0).groups}
    assert names == {"", SERVICES[4].id, SERVICES[5].id}


def test_smaller_cells_part_what_larger_ones_join(index):
    assert sorted(group.count for group in index.placed(Query(), 1.0).groups) == [
        1,
        1,
        1,
        1,
    ]


def test_only_what_matches_is_counted(index):
    placed = index.placed(Query(text="rivers"), 10.0)
    assert (
        placed.total,
        placed.worldwide,
        [group.count for group in placed.groups],
    ) == (2, 0, [2])
    assert index.placed(Query(text="unicorns"), 10.0).groups == ()


def test_results_can_be_sorted_by_when_they_were_found(index):
    newest = index.search(Query(sort=Sort.NEWEST, limit=3))
    assert [hit.service.id for hit in newest.hits] == [
        SERVICES[n].id for n in (5, 4, 3)
    ]
    following = index.search(Query(sort=Sort.NEWEST, limit=3, after=newest.next))
    assert [hit.service.id for hit in following.hits] == [
        SERVICES[n].id for n in (2, 1, 0)
    ]
