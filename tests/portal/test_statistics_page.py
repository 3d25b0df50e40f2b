"""Figures of the catalogue on one page, each with chart, table and files; the same by the API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from portal_people import tasks_in
from starlette.testclient import TestClient

from geohound.model.catalogue import Observation
from geohound.model.crawl.task import CrawlGoal, TaskSpec
from geohound.model.health import Check
from geohound.model.location import HostLocation
from geohound.model.service import Service, Sighting
from geohound.model.topic import Topic, TopicClass
from geohound.model.visit import Via
from geohound.portal import recent as recent_figures
from geohound.portal.app import create_app
from geohound.portal.pages import statistics
from geohound.reports import EndedVisit
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import Store
from geohound.views.known import Past

VISIT = EndedVisit(
    "http://a.example/wms", "", 0, True, True, "", ("1" * 16,), 1_777_896_000.0
)


def record(
    store: Store, service: Service, topics: tuple[tuple[str, str], ...] = ()
) -> None:
    sighting = Sighting(
        service.id, service.endpoint, "", Via.SEED, "", datetime(2026, 5, 4, tzinfo=UTC)
    )
    store.catalogue.record_now([Observation(service, sighting, topics=topics)])


@pytest.fixture
def placed(store: Store, kinds) -> Iterator[TestClient]:
    """Two services in Lima."""
    for number in range(2):
        lima = HostLocation("PE", -12.05, -77.04, "x")
        record(
            store,
            Service(
                "wms", f"http://a.example/{number}", title=f"S{number}", location=lima
            ),
        )
    app = create_app(
        store.catalogue, CatalogueIndex(store.catalogue, store.segments), kinds
    )
    with TestClient(app) as client:
        yield client


def test_figures_are_kept_until_the_catalogue_changes(
    placed: TestClient, store: Store, monkeypatch
) -> None:
    """Counting takes a while in a large catalogue, so what was counted holds for the same revision."""
    monkeypatch.setattr(recent_figures, "FRESH_S", 0.0)
    monkeypatch.setattr(statistics, "FRESH_S", 0.0)
    counted = []
    count = statistics.report_table

    def counting(portal, name, scope, **more):
        counted.append(name)
        return count(portal, name, scope, **more)

    monkeypatch.setattr(statistics, "report_table", counting)
    address = "/statistics?part=contents"
    assert ">2<" in placed.get(address).text
    first = len(counted)
    assert first > 5
    placed.get(address)
    assert len(counted) == first
    record(store, Service("wfs", "http://b.example/wfs", title="New"))
    assert ">3<" in placed.get(address).text
    assert len(counted) > first


def test_a_page_of_figures_comes_in_pieces(placed: TestClient) -> None:
    """The head of the page is there before the last figure is counted."""
    with placed.stream("GET", "/statistics?part=contents") as answer:
        assert "content-length" not in answer.headers
        assert answer.headers["vary"].startswith("Accept-Language")


class OneTopic:
    """A classifier with a topic of one class."""

    topics = (
        Topic(
            "cover",
            "Land cover",
            (TopicClass("fo", "Forest and woodland", {"en": ("forest",)}),),
        ),
    )

    def classify(self, service: Service) -> list[tuple[str, str]]:
        return [("cover", "fo")]


@pytest.fixture
def topical(store: Store, kinds) -> Iterator[TestClient]:
    record(
        store, Service("wms", "http://a.example/", title="Forests"), (("cover", "fo"),)
    )
    index = CatalogueIndex(store.catalogue, store.segments)
    with TestClient(
        create_app(store.catalogue, index, kinds, classifier=OneTopic())
    ) as client:
        yield client


def test_each_figure_has_its_chart_its_table_and_its_files(client: TestClient) -> None:
    page = client.get("/statistics?part=contents").text
    for name in ("clumping", "software"):
        section = page.partition(f'id="{name}"')[2].partition("</section>")[0]
        assert '<svg xmlns="http://www.w3.org/2000/svg" class="chart"' in section
        assert "<table" in section
        for form in ("svg", "png", "csv", "json"):
            assert f'href="/api/v1/reports/{name}?f={form}"' in section
    assert "<script>alert" not in page


def test_charts_have_colours_that_a_style_sheet_can_change(client: TestClient) -> None:
    """Classes beside attributes: the page is dark where the visitor wants it, a file has its colours with it."""
    page = client.get("/statistics?part=contents").text
    file = client.get("/api/v1/reports/software?f=svg").text
    for drawn in (page.partition('id="software"')[2], file):
        assert 'fill="#0b5a4c" class="f-c0"' in drawn
    assert "style=" not in page


def test_the_radius_and_the_dates_are_settable_and_nonsense_is_refused(
    placed: TestClient,
) -> None:
    assert 'value="75"' in placed.get("/statistics?radius=75").text
    assert (
        'id="since" name="since" type="date" value="2026-01-31"'
        in placed.get("/statistics?since=2026-01-31").text
    )
    for nonsense in (
        "radius=nonsense",
        "radius=0",
        "since=yesterday",
        "until=2026-13-01",
        "bbox=1,2,3",
    ):
        assert placed.get(f"/statistics?{nonsense}").status_code == 400, nonsense
    assert placed.get("/statistics?task=").status_code == 200
    assert placed.get("/statistics?task=99").status_code == 200, (
        "without tasks there is none to choose"
    )


def test_the_map_of_countries_counts_by_two_dates(placed: TestClient) -> None:
    """Two services in Peru, seen first in 2026."""
    rows = placed.get(
        "/api/v1/reports/country-growth?since=2025-01-01&until=2025-06-01"
    ).json()["rows"]
    assert rows == []
    rows = placed.get("/api/v1/reports/country-growth?since=2025-01-01").json()["rows"]
    assert [row[:4] for row in rows] == [["PE", 0, 2, 2]]


def test_figures_are_those_of_a_search_where_there_is_one(client: TestClient) -> None:
    def counted(query: str) -> dict[str, int]:
        return {
            row[0]: row[2]
            for row in client.get(f"/api/v1/reports/kinds?{query}").json()["rows"]
        }

    assert counted("q=rivers") == {"wms": 1}
    assert counted("kind=wfs") == {"wfs": 1}
    hosts = client.get("/api/v1/reports/clumping?q=rivers").json()["rows"]
    assert hosts == [["1", 1, 1, 1.0]]
    page = client.get("/statistics?part=contents&q=rivers").text
    assert "Of the services that “rivers” finds." in page
    assert 'href="/api/v1/reports/kinds?q=rivers&amp;f=csv"' in page
    assert 'href="/statistics?q=rivers&amp;part=places"' in page
    assert (
        "<script>alert"
        not in client.get("/statistics", params={"q": "<script>alert(1)"}).text
    )
    nothing = client.get("/statistics?part=contents&q=zzzz").text
    assert "No service of the catalogue is in this selection." in nothing


def test_a_class_has_its_name_on_the_page_and_its_id_in_the_files(
    topical: TestClient,
) -> None:
    page = topical.get("/statistics?part=contents").text
    assert ">Forest and woodland</text>" in page
    assert ">Forest and woodland</td>" in page
    assert topical.get("/api/v1/reports/classes").json()["rows"] == [["cover", "fo", 1]]


def test_a_report_is_had_as_csv_svg_and_png(client: TestClient) -> None:
    types = {
        "csv": "text/csv; charset=utf-8",
        "svg": "image/svg+xml",
        "png": "image/png",
        "json": "application/json",
    }
    for form, media in types.items():
        answer = client.get(f"/api/v1/reports/kinds?f={form}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, media)
    assert client.get("/api/v1/reports/kinds?f=svg").text.startswith("<svg ")
    assert client.get("/api/v1/reports/kinds?f=pdf").status_code == 400
    assert client.get("/api/v1/reports/totals?f=svg").status_code == 404


def test_the_health_page_names_what_fails_and_why_and_since_when(
    client: TestClient, samples
) -> None:
    """The register of the city answered once, then three times 404, the first of them on 5 May."""
    page = client.get("/health").text
    failing = page.partition("Failing now, by site")[2].partition("Lately changed")[0]
    assert "city.example" in failing
    assert (
        f'href="/services/{samples.many.id}" dir="auto">City registers</a>' in failing
    )
    assert "not found: HTTP 404" in failing
    assert 'title="2026-05-05 12:00 UTC">for ' in failing
    assert samples.rivers.id not in failing
    assert "<script>alert" not in page


@pytest.fixture
def lived(store: Store, kinds) -> Iterator[TestClient]:
    """Thirty services that are new today, one of which vanished."""
    now = datetime.now(UTC)
    for number in range(30):
        service = Service(
            "wms", f"http://a.example/{number}", title=f"Nr{number}. <b>bold</b>"
        )
        found = now - timedelta(hours=40 - number)
        sighting = Sighting(
            service.id, service.endpoint, "http://p.example/x", Via.LINK, "", found
        )
        store.catalogue.record_now(
            [Observation(service, sighting, Check(service.id, found, True))]
        )
    for minutes in (30, 20, 10):
        look = Check(
            service.id, now - timedelta(minutes=minutes), False, "not found: HTTP 404"
        )
        store.catalogue.record_now([look])
    index = CatalogueIndex(store.catalogue, store.segments)
    past = Past(store.history, store.check_queue)
    with TestClient(create_app(store.catalogue, index, kinds, past=past)) as client:
        yield client


def test_changes_are_said_in_words_and_paged(lived: TestClient) -> None:
    page = lived.get("/health").text
    changes = page.partition("Lately changed")[2].partition("By site")[0]
    assert changes.index("Does not answer any more") < changes.index(
        "Found on a page of"
    ), "the latest first"
    assert "not found: HTTP 404" in changes
    assert "p.example" in changes
    assert changes.count("<li>") == 12
    assert 'href="/health?from=12#changes-title"' in changes
    assert "Nr0. &lt;b&gt;bold&lt;/b&gt;</a>" in lived.get("/health?from=24").text
    assert "<b>" not in page
    assert (
        lived.get("/health?from=999999").status_code
        == lived.get("/health?from=x").status_code
        == 200
    )


def test_uptime_is_a_chart_and_its_share_a_sentence(lived: TestClient) -> None:
    """Thirty good checks and three that failed: 30 of 33."""
    page = lived.get("/health").text
    assert "90.9 % of the checks of the last 30 days were good" in page
    assert 'class="f-good"' in page
    assert 'class="f-bad"' in page
    assert lived.get("/api/v1/reports/uptime?f=svg").status_code == 200


def test_an_empty_catalogue_has_a_page_about_health(
    empty_catalogue, kinds, store: Store
) -> None:
    index = CatalogueIndex(empty_catalogue, store.segments)
    with TestClient(create_app(empty_catalogue, index, kinds)) as client:
        assert "No services yet" in client.get("/health").text
        assert "Nothing to count yet" in client.get("/statistics").text


def test_the_visits_of_a_crawl_are_read_once_for_all_of_its_figures(
    store: Store, kinds
) -> None:
    """A crawl may have a million."""
    read: list[int] = []
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.example/",)))).id
    tasks = replace(tasks_in(store), visits=lambda n: read.append(n) or (VISIT,))
    app = create_app(
        store.catalogue,
        CatalogueIndex(store.catalogue, store.segments),
        kinds,
        tasks=tasks,
    )
    page = TestClient(app).get("/statistics?part=crawls").text
    shown = [
        name
        for name in ("quickness", "depth-width", "failures")
        if f'id="{name}"' in page
    ]
    assert shown == ["quickness", "depth-width", "failures"]
    assert read == [task]
