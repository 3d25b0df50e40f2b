"""A catalogue with a handful of services, some of them hostile, and the portal over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest
from argon2 import PasswordHasher
from portal_people import PASSWORD
from starlette.testclient import TestClient

from geohound.accounts import Accounts
from geohound.accounts.passwords import Passwords
from geohound.model.addresses import Addresses
from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.layer_request import LayerRequest
from geohound.model.service import (
    Access,
    BoxFault,
    Extent,
    Layer,
    Operation,
    Provider,
    Service,
    Sighting,
)
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.plugins import discover
from geohound.portal.app import About, PortalTasks, TaskEvents, create_app
from geohound.search.index import CatalogueIndex
from geohound.stores.memory.data_files import MemoryDataFiles
from geohound.stores.sql.catalogue import SqlCatalogue
from geohound.stores.sql.segments import SqlSegments
from geohound.stores.sqlite import Store, open_store
from geohound.tasks.control import TaskControl
from geohound.urls import with_params

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@dataclass(frozen=True)
class PlainKind:
    """A kind as the registry holds it, reduced to what pages need."""

    id: str
    title: str
    protocol: str
    addresses: ClassVar[Addresses] = Addresses()

    def suspects(self, url: str) -> bool:
        return False

    def probe_urls(self, url: str) -> Sequence[str]:
        if self.id.startswith("ogcapi"):
            return (url,)
        return (
            with_params(
                url, {"SERVICE": self.protocol[4:], "REQUEST": "GetCapabilities"}
            ),
        )

    def read(self, document: object) -> None:
        return None

    def requests(
        self, service: Service, layer: Layer, box: BBox | None
    ) -> Sequence[LayerRequest]:
        found: Sequence[LayerRequest] = discover("kinds")[self.id].requests(
            service, layer, box
        )
        return found


def make_service(
    kind: str, endpoint: str, title: str, box: BBox | None = None, **more: object
) -> Service:
    extent = Extent(box, box.as_tuple()) if box else None
    return Service(kind=kind, endpoint=endpoint, title=title, extent=extent, **more)  # type: ignore[arg-type]


RIVERS = make_service(
    "wms",
    "https://maps.water.example/wms",
    "Rivers and lakes of Finland",
    BBox(19.1, 59.3, 31.6, 70.1),
    version="1.3.0",
    versions=("1.1.1", "1.3.0"),
    abstract="<p>Rivers, lakes &amp; catchments at 1:10 000, updated every spring.</p>",
    keywords=("hydrography", "rivers"),
    provider=Provider(
        "Water Institute",
        "Aino Virtanen",
        "maps@water.example",
        "https://water.example/",
    ),
    access=Access(
        "none", "Attribution required", "CC-BY-4.0", "Creative Commons Attribution 4.0"
    ),
    layers=(
        Layer(
            "hy:rivers",
            "Rivers",
            "Centre lines",
            extent=Extent(BBox(20, 60, 31, 70)),
            crs=("EPSG:3067", "CRS:84"),
        ),
        Layer(
            "hy:lakes",
            "Lakes",
            extent=Extent(
                None, (59.3, 19.1, 700.0, 31.6), "EPSG:4326", (BoxFault.OUT_OF_RANGE,)
            ),
        ),
    ),
    operations=(
        Operation("GetMap", "https://maps.water.example/wms?", formats=("image/png",)),
    ),
    software="GeoServer 2.25",
    aliases=("http://maps.water.example/wms",),
    repairs=("XML errors skipped",),
)
MANY = make_service(
    "wfs",
    "https://geo.city.example/wfs?map=/srv/all.map",
    "City registers",
    BBox(24.7, 60.1, 25.3, 60.3),
    layers=tuple(
        Layer(f"reg:layer_{n}", f"Register number {n}") for n in range(1, 1201)
    ),
)
FIJI = make_service(
    "ogcapi-features",
    "https://api.fiji.example/",
    "Reefs of Fiji",
    BBox(176.5, -21, -178, -12),
    abstract="Coral reefs.",
)
SILENT = make_service("wms", "https://old.example/cgi-bin/mapserv", "")
HOSTILE_TEXT = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>"
HOSTILE = Service(
    kind="wms",
    endpoint="javascript:alert(document.domain)//http://x.example",
    title=HOSTILE_TEXT,
    abstract=f"Danger {HOSTILE_TEXT} &lt;script&gt;alert(2)&lt;/script&gt;",
    keywords=(HOSTILE_TEXT, "javascript:alert(1)"),
    provider=Provider(HOSTILE_TEXT, HOSTILE_TEXT, HOSTILE_TEXT, "javascript:alert(1)"),
    access=Access(HOSTILE_TEXT, HOSTILE_TEXT, HOSTILE_TEXT, HOSTILE_TEXT),
    version=HOSTILE_TEXT,
    software=HOSTILE_TEXT,
    online_resource="data:text/html,<script>alert(1)</script>",
    aliases=("java\tscript:alert(1)",),
    operations=(
        Operation(HOSTILE_TEXT, "javascript:alert(1)", formats=(HOSTILE_TEXT,)),
    ),
    layers=(
        Layer(
            HOSTILE_TEXT,
            HOSTILE_TEXT,
            HOSTILE_TEXT,
            times=(HOSTILE_TEXT,),
            crs=(HOSTILE_TEXT,),
        ),
    ),
    repairs=(HOSTILE_TEXT,),
)
SERVICES = (RIVERS, MANY, FIJI, SILENT, HOSTILE)


@pytest.fixture(scope="session")
def samples() -> SimpleNamespace:
    return SimpleNamespace(
        rivers=RIVERS, many=MANY, fiji=FIJI, silent=SILENT, hostile=HOSTILE
    )


def fill(catalogue: SqlCatalogue) -> None:
    for number, service in enumerate(SERVICES):
        page = (
            "javascript:alert(1)"
            if service is HOSTILE
            else "https://portal.example/maps.html"
        )
        evidence = (
            HOSTILE_TEXT if service is HOSTILE else "link text “Our map services”"
        )
        # an alias is one only once it was read
        for address in (service.endpoint, *service.aliases):
            read = replace(service, endpoint=address, fingerprint=f"f{number}")
            catalogue.record_now(
                [
                    Observation(
                        read,
                        Sighting(
                            service.id, service.endpoint, page, Via.LINK, evidence, NOON
                        ),
                    )
                ]
            )
        if number < 3:
            catalogue.record_now([Check(service.id, NOON, True, elapsed_s=0.25)])
            days = [1] if number != 1 else [1, 2, 3]
            reason = "" if number != 1 else "not found: HTTP 404"
            later = [
                Check(
                    service.id,
                    NOON + timedelta(days=n),
                    not reason,
                    reason,
                    elapsed_s=0.35,
                )
                for n in days
            ]
            catalogue.record_now(later)


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlCatalogue]:
    """Read only: the portal never writes, so one file serves all tests of a module."""
    store = open_store(tmp_path_factory.mktemp("web") / "catalogue.db", SystemClock())
    fill(store.catalogue)
    yield store.catalogue
    store.close()


@pytest.fixture(scope="module")
def index(catalogue: SqlCatalogue) -> CatalogueIndex:
    return CatalogueIndex(catalogue, SqlSegments(catalogue._database))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty catalogue with its tasks, for tests that write."""
    with closing(open_store(tmp_path / "tasks.db", SystemClock())) as store:
        yield store


def portal_tasks(store: Store, *, may_write: bool = True) -> PortalTasks:
    control = TaskControl(store.tasks)
    return PortalTasks(control, TaskEvents(control), ("adaptive", "fifo"), may_write)


@pytest.fixture
def empty_catalogue(tmp_path: Path) -> Iterator[SqlCatalogue]:
    store = open_store(tmp_path / "empty.db", SystemClock())
    yield store.catalogue
    store.close()


@pytest.fixture(scope="module")
def kinds() -> dict[str, PlainKind]:
    named = [
        ("wms", "Web Map Service", "OGC:WMS"),
        ("wfs", "Web Feature Service", "OGC:WFS"),
    ]
    named.append(("ogcapi-features", "OGC API – Features", "OGCFeat"))
    return {row[0]: PlainKind(*row) for row in named}


@pytest.fixture(scope="module")
def app(catalogue: SqlCatalogue, index: CatalogueIndex, kinds: dict[str, PlainKind]):
    return create_app(
        catalogue,
        index,
        kinds,
        about=About("Geohound/9 (+https://hound.example)", "ops@hound.example", 2.0),
        snippets=discover("snippets"),
        files=MemoryDataFiles(),
        exporters=discover("exporters"),
    )


@pytest.fixture(scope="module")
def client(app) -> Iterator[TestClient]:
    with TestClient(app) as client:
        yield client


@pytest.fixture
def people(store: Store) -> Accounts:
    """Accounts of an administrator and a user."""
    made = Accounts(
        store.users,
        SystemClock(),
        Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)),
    )
    made.add("ada", PASSWORD)
    made.add("carla", PASSWORD)
    return made
