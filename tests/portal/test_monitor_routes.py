"""What the monitor knows, for programs: feeds, calendar, badges and numbers over HTTP."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from lxml import etree
from starlette.testclient import TestClient

from geohound import app
from geohound.model.catalogue import Observation
from geohound.model.crawl.task import TaskSpec
from geohound.model.health import Check
from geohound.model.monitoring.layer_check import LayerCheck
from geohound.model.monitoring.maintenance import Maintenance
from geohound.model.monitoring.revisit import EndedLook
from geohound.model.score import WEIGHTS
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Purpose, Via
from geohound.net.clock import SystemClock
from geohound.portal.app import About, create_app
from geohound.settings import Settings
from geohound.stores.sqlite import open_store

NOW = datetime.now(UTC)
ROADS = Service(
    "wms",
    "http://a.test/wms",
    title="Roads",
    layers=(Layer("roads", "Roads"),),
    fingerprint="a",
)
SPACE = {"a": "http://www.w3.org/2005/Atom"}


OVER = Maintenance("a.test", NOW - timedelta(days=2), NOW - timedelta(days=1))
COMING = Maintenance("b.test", NOW, NOW + timedelta(hours=2), "disks; new ones")


@pytest.fixture(scope="module")
def client(tmp_path_factory) -> Iterator[TestClient]:
    path: Path = tmp_path_factory.mktemp("portal") / "c.db"
    store = open_store(path, SystemClock())
    met = Sighting(
        ROADS.id,
        ROADS.endpoint,
        "http://p.test/",
        Via.LINK,
        "",
        NOW - timedelta(days=3),
    )
    good = Check(ROADS.id, NOW - timedelta(days=3), True)
    gone = [
        Check(ROADS.id, NOW - timedelta(hours=n), False, "not found: HTTP 404")
        for n in (5, 4, 3)
    ]
    store.catalogue.record_now([Observation(ROADS, met, good), *gone])
    store.check_queue.enrol({Purpose.CHECK: 0.0})
    claim = store.tasks.claim(store.tasks.create(TaskSpec()).id, "me", 60.0)
    assert claim is not None
    check = LayerCheck("roads", NOW, False, "blank image", 0.1, "GetMap")
    drawn = LayerCheck("lakes", NOW, True, "", 0.1, "GetMap")

    async def settle() -> None:
        await store.check_queue.settle(
            claim, [EndedLook(Purpose.CHECK, ROADS.id, NOW, NOW, layers=(check, drawn))]
        )

    asyncio.run(settle())
    store.close()
    with app.open_catalogue(Settings(catalogue=str(path))) as opened:
        portal = create_app(
            opened.catalogue,
            opened.index,
            app.kinds(),
            past=opened.past,
            about=About(maintenance=(OVER, COMING)),
        )
        with TestClient(portal) as client:
            yield client


def test_a_feed_follows_the_services_that_match_a_search(client: TestClient) -> None:
    answer = client.get("/api/v1/feed.atom", params={"q": "roads"})
    assert answer.headers["content-type"].startswith("application/atom+xml")
    terms = [
        each.get("term")
        for each in etree.fromstring(answer.content).iterfind(
            "a:entry/a:category", SPACE
        )
    ]
    assert terms[:3] == ["layer", "state", "state"], "the latest first"
    assert sorted(terms[3:]) == ["found", "state"]
    assert client.get("/api/v1/feed.json", params={"q": "rivers"}).json()["items"] == []
    assert (
        client.get("/api/v1/feed.json", params={"kind": "wms"})
        .json()["version"]
        .startswith("https://jsonfeed")
    )
    again = client.get(
        "/api/v1/feed.atom",
        params={"q": "roads"},
        headers={"If-None-Match": answer.headers["etag"]},
    )
    assert again.status_code == 304


def test_a_service_has_a_feed_a_calendar_and_a_badge(client: TestClient) -> None:
    root = f"/api/v1/services/{ROADS.id}"
    assert b"alive to unsure: not found" in client.get(f"{root}/feed.atom").content
    calendar = client.get(f"{root}/outages.ics")
    assert calendar.headers["content-type"].startswith("text/calendar")
    assert calendar.text.count("BEGIN:VEVENT") == 1
    badge = client.get(f"{root}/badge.svg")
    assert badge.headers["content-type"] == "image/svg+xml"
    assert "WMS: dead" in badge.text
    assert (
        "roads: fails"
        in client.get(f"{root}/badge.svg", params={"layer": "roads"}).text
    )
    assert (
        "lakes: dead" in client.get(f"{root}/badge.svg", params={"layer": "lakes"}).text
    ), "it was drawn before the service died"
    assert (
        "rivers: not tested"
        in client.get(f"{root}/badge.svg", params={"layer": "rivers"}).text
    )
    for name in ("feed.atom", "outages.ics", "badge.svg"):
        assert client.get(f"/api/v1/services/{'0' * 16}/{name}").status_code == 404


def test_the_record_of_a_service_has_its_life(client: TestClient) -> None:
    record = client.get(f"/api/v1/services/{ROADS.id}").json()
    assert [entry["change"] for entry in record["history"]] == [
        "found",
        "state",
        "state",
        "state",
        "layer",
    ]
    assert [layer["name"] for layer in record["health"]["layers_failing"]] == ["roads"]
    assert record["health"]["next_check"] is not None


def test_prometheus_reads_states_and_events(client: TestClient) -> None:
    text = client.get("/api/v1/metrics").text
    assert 'geohound_services_by_state{state="dead"} 1.0' in text
    assert 'geohound_events_last_day{change="state"} 2.0' in text
    assert "geohound_checks_overdue 0.0" in text


def test_alerts_are_about_numbers_that_there_are(client: TestClient) -> None:
    """Prometheus says nothing where a rule names a number that nobody gives."""
    rules = (Path(__file__).parents[2] / "docs" / "alerts.yml").read_text("utf-8")
    asked = set(re.findall(r'geohound_\w+(?:{\w+="\w+"})?', rules))
    text = client.get("/api/v1/metrics").text
    assert len(asked) > 3
    assert [each for each in asked if f"\n{each}" not in text] == []


def test_changes_are_a_report_of_the_api(client: TestClient) -> None:
    rows = client.get("/api/v1/reports/changes", params={"since": "2020-01-01"}).json()[
        "rows"
    ]
    assert [row[0] for row in rows] == ["new", "gone", "changed"]
    assert (
        client.get("/api/v1/reports/changes", params={"since": "soon"}).status_code
        == 400
    )


def test_announced_maintenance_is_a_feed_and_a_calendar(client: TestClient) -> None:
    feed = etree.fromstring(client.get("/api/v1/maintenance.atom").content)
    titles = [each.text for each in feed.iterfind("a:entry/a:title", SPACE)]
    assert titles == ["Maintenance of b.test"], "what is over is not announced"
    calendar = client.get("/api/v1/maintenance.ics")
    assert calendar.headers["content-type"].startswith("text/calendar")
    assert calendar.text.count("BEGIN:VEVENT") == 1
    assert f"DTSTART:{NOW.astimezone(UTC):%Y%m%dT%H%M%SZ}" in calendar.text
    assert "DESCRIPTION:disks\\; new ones" in calendar.text


def test_the_page_of_a_service_has_the_formula_by_which_it_is_scored(
    client: TestClient,
) -> None:
    page = client.get(f"/services/{ROADS.id}").text
    weighted = " + ".join(f"{weight:g} × {name}" for name, weight in WEIGHTS.items())
    assert f"({weighted})" in page
