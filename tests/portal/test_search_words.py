"""What the search page calls things: titles as they stand, topics apart, downloads by use; what it offers to test."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from portal_people import tasks_in
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from geohound import app as wiring
from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.service import Extent, Layer, Operation, Provider, Service, Sighting
from geohound.model.topic import Topic, TopicClass
from geohound.model.visit import Via
from geohound.plugins import discover
from geohound.portal.app import create_app
from geohound.portal.maps.drawn_layers import drawn_layer
from geohound.portal.maps.gazetteer import near
from geohound.portal.pages.search import base_address
from geohound.search.index import CatalogueIndex

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
MARKED = Service(
    "wms",
    "https://maps.example/wms",
    title="Eastmoor Elevation <INSPIRE>",
    layers=(Layer("dem", "Terrain <5 m> & slopes"),),
    provider=Provider("Eastmoor", site="https://maps.example/"),
    fingerprint="a",
)
UNTITLED = Service(
    "wfs",
    "https://wfs.example/ows",
    layers=(Layer("eastmoor", "Eastmoor"),),
    fingerprint="b",
)


class _Topics:
    """Two lists that both have a class Elevation."""

    topics = (
        Topic(
            "iso19115",
            "ISO topic category",
            (TopicClass("elevation", "Elevation", {}),),
        ),
        Topic(
            "inspire",
            "INSPIRE theme",
            (TopicClass("el", "Elevation", {}), TopicClass("hy", "Hydrography", {})),
        ),
    )

    def classify(self, service: Service) -> list[tuple[str, str]]:
        return []


async def _nothing(_url: str):
    yield {"event": "result"}


@pytest.fixture
def visitor(store) -> Iterator[TestClient]:
    for service in (MARKED, UNTITLED):
        sighting = Sighting(service.id, service.endpoint, "", Via.SEED, "", NOON)
        topics = (
            (("iso19115", "elevation"), ("inspire", "el"))
            if service is MARKED
            else (("inspire", "hy"),)
        )
        store.catalogue.record_now([Observation(service, sighting, topics=topics)])
    app = create_app(
        store.catalogue,
        CatalogueIndex(store.catalogue, store.segments),
        wiring.kinds(),
        tasks=tasks_in(store),
        classifier=_Topics(),
        exporters=discover("exporters"),
        examine=_nothing,
    )
    with TestClient(app) as client:
        yield client


def test_titles_stand_whole_and_escaped(visitor) -> None:
    page = visitor.get("/?q=eastmoor").text
    tree = LexborHTMLParser(page)
    titles = [" ".join(each.text().split()) for each in tree.css(".hit h3")]
    assert "Eastmoor Elevation <INSPIRE>" in titles
    assert "<INSPIRE>" not in page
    heading = LexborHTMLParser(visitor.get(f"/services/{MARKED.id}").text).css_first(
        "h1"
    )
    assert heading.text() == "Eastmoor Elevation <INSPIRE>"
    option = LexborHTMLParser(visitor.get(f"/services/{MARKED.id}").text).css_first(
        ".layer-title"
    )
    assert option.text() == "Terrain <5 m> & slopes"


def test_classes_of_the_same_name_are_told_apart(visitor) -> None:
    tree = LexborHTMLParser(visitor.get("/?all=1").text)
    groups = {g.css_first("legend").text(): g for g in tree.css(".groups fieldset")}
    words = sorted(
        " ".join(chip.text().split()) for chip in groups["Topic"].css(".chip")
    )
    assert words == ["Elevation (INSPIRE) 1", "Elevation (ISO) 1", "Hydrography 1"]


def test_a_suggested_service_without_a_title_has_kind_and_host(visitor) -> None:
    found = visitor.get("/api/v1/complete?q=eastmoor").json()["services"]
    (untitled,) = [each for each in found if each["id"] == UNTITLED.id]
    assert (untitled["title"], untitled["kind_title"], untitled["host"]) == (
        "",
        "WFS",
        "wfs.example",
    )


def test_downloads_stand_by_what_they_are_for(visitor) -> None:
    menu = LexborHTMLParser(visitor.get("/?q=eastmoor").text).css_first(".menu")
    groups = [each.text() for each in menu.css("h3")]
    assert groups == ["Data", "QGIS", "Other programs", "Follow"]
    qgis = [
        link.attributes["href"].rpartition("f=")[2]
        for link in menu.css("ul")[1].css("a")
    ]
    assert {"qgis", "qgis-wms", "qlr"} <= set(qgis)
    assert all(each.startswith(("qgis", "qlr")) for each in qgis)


def test_an_address_is_offered_for_a_test_also_where_its_host_has_services(
    visitor,
) -> None:
    other = LexborHTMLParser(visitor.get("/?q=https://maps.example/").text)
    assert (
        other.css_first("[data-test]").attributes["data-test"]
        == "https://maps.example/"
    )
    assert other.css(".hit")
    known = LexborHTMLParser(visitor.get(f"/?q={MARKED.endpoint}").text)
    assert known.css(".hit")
    assert known.css_first("[data-test]") is None


@pytest.mark.parametrize(
    ("typed", "taken"),
    [
        ("https://tiles.example/{z}/{x}/{y}.png", True),
        ("https://tiles.example/{z}/{x}/{-y}.png", True),
        ("https://wms.example/ows?LAYERS=base", True),
        ("https://wms.example/ows", False),
        ("https://tiles.example/{z}.png", False),
        ("javascript:alert(1)//{z}{x}{y}", False),
        ("data:image/png,{z}{x}{y}", False),
        ("https://a.example; script-src *;/{z}/{x}/{y}", False),
        ("https://tiles.example/" + "a" * 2000 + "/{z}/{x}/{y}", False),
    ],
)
def test_a_base_layer_is_tiles_or_a_wms_and_its_site_alone_joins_the_policy(
    visitor, typed: str, taken: bool
) -> None:
    assert bool(base_address(typed)) is taken
    page = visitor.get("/", params={"q": "eastmoor", "base": typed})
    policy = page.headers["content-security-policy"]
    assert "script-src" not in policy
    sites = policy.partition("img-src 'self' ")[2].partition(";")[0].split()
    host = "https://wms.example" if "wms.example" in typed else "https://tiles.example"
    assert (host in sites) is taken
    shown = LexborHTMLParser(page.text).css_first("[data-map]").attributes["data-base"]
    assert shown == (typed if taken else "")


def test_state_of_the_map_goes_along_with_further_pages(visitor) -> None:
    base = "https://tiles.example/{z}/{x}/{y}.png"
    page = visitor.get(
        "/", params={"q": "eastmoor", "base": base, "swipe": "base", "limit": 1}
    )
    after = (
        LexborHTMLParser(page.text).css_first(".pager a[rel=next]").attributes["href"]
    )
    assert "base=https%3A%2F%2Ftiles.example" in after
    assert "swipe=base" in after


def test_a_small_box_has_the_name_of_a_town_nearby() -> None:
    assert near(BBox(24.7, 60.1, 25.3, 60.3)) == "Helsinki, Finland"
    assert near(BBox(-40, 10, 60, 70)) == ""
    assert near(BBox(-140, -30, -139, -29)) == ""
    assert near(BBox(179, -18, -179, -17)) == ""
    assert near(None) == ""


def test_footprints_of_a_stac_api_can_be_drawn(visitor) -> None:
    service = Service(
        "stac-api",
        "https://stac.example/",
        title="Scenes",
        extent=Extent(BBox(0, 0, 10, 10)),
        layers=(Layer("scenes", "Scenes"),),
        operations=(Operation("search", "https://stac.example/search"),),
    )
    portal = visitor.app.state.portal
    opening = portal.open(service, service.layers[0], None)
    drawn = drawn_layer(service, service.layers[0], opening)
    assert drawn is not None
    assert drawn.drawing.type == "geojson"
    assert drawn.drawing.url.startswith("https://stac.example/collections/scenes/items")


def test_what_is_not_found_is_said_once_with_a_way_on(visitor) -> None:
    answer = visitor.get("/nowhere")
    main = LexborHTMLParser(answer.text).css_first("main")
    assert answer.status_code == 404
    assert main.text().count("Page not found") == 1
    assert main.css_first("form[role=search]") is not None
    assert "Seite nicht gefunden" in visitor.get("/nowhere?lang=de").text


def test_the_only_user_is_told_that_no_log_in_is_needed(visitor) -> None:
    page = LexborHTMLParser(visitor.get("/log-in").text).css_first("main").text()
    assert "You need no log-in" in page
    assert "nothing changed" not in page
