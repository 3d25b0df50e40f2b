"""A catalogue of a few services, and its exports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from export_examples import SERVICES

from geohound.model.catalogue import Observation
from geohound.model.export import ExportedService
from geohound.model.search.query import Query
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.plugins import discover
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import Store, open_store
from geohound.views.exporting import Exporting


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = open_store(tmp_path_factory.mktemp("export") / "c.db", SystemClock())
    for service in SERVICES:
        sighting = Sighting(
            service.id, service.endpoint, "", Via.SEED, "", SystemClock().now()
        )
        opened.catalogue.record_now([Observation(service, sighting)])
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def exporting(store: Store) -> Exporting:
    return Exporting(
        store.catalogue,
        CatalogueIndex(store.catalogue, store.segments),
        discover("kinds"),
    )


@pytest.fixture
def export(exporting: Exporting):
    def write(format_id: str, **query: object) -> bytes:
        found = exporting.write(
            discover("exporters")[format_id], Query(fold=False, **query)
        )  # type: ignore[arg-type]
        return b"".join(found)

    return write


@pytest.fixture
def many() -> Iterator[ExportedService]:
    """So many that a format which keeps them all would be noticed."""
    record = {
        "id": "0" * 16, "kind": "wms", "endpoint": "https://a.example/wms", "title": "A map", "abstract": "x" * 60_000,
        "keywords": [], "provider": {"name": "", "site": ""}, "version": "1.3.0", "software": None, "state": "alive",
        "access": {"licence": "", "licence_text": "", "fees": "", "constraints": ""}, "layer_count": 1,
        "bbox": [1.0, 2.0, 3.0, 4.0],
    }  # fmt: skip
    service = Service(
        "wms",
        "https://a.example/wms",
        title="A map",
        abstract="x" * 60_000,
        layers=(Layer("a"),),
    )
    requests = discover("kinds")["wms"].requests
    return (
        ExportedService(service, record, lambda la: requests(service, la, None))
        for _ in range(600)
    )
