"""What people keep in the portal: saved searches with their feeds, and judgements; and lists that are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect
from portal_people import PASSWORD, Person, tasks_in
from real_browser import chromium, served
from starlette.testclient import TestClient

from geohound import app as wiring
from geohound.accounts import Accounts
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.notes import MAX_SEARCHES, SavedSearch
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.portal.app import create_app
from geohound.search.index import CatalogueIndex
from geohound.settings import Settings
from geohound.stores.sqlite import Store, open_store
from geohound.topics import classify
from geohound.views.known import Past

pytestmark = pytest.mark.slow

RIVERS = Service(
    kind="wms",
    endpoint="https://maps.water.example/wms",
    title="Rivers and lakes",
    abstract="Water of Finland.",
)
LAND = Service(
    kind="wms",
    endpoint="https://land.example/wms",
    title="Land cover: forest",
    abstract="Forest of the land cover map.",
)


def observe(store: Store, *services: Service, at: datetime) -> None:
    page = "http://a.example/"
    for each in services:
        met = Sighting(each.id, each.endpoint, page, Via.LINK, "", at)
        seen = Observation(each, met, Check(each.id, at, True), tuple(classify(each)))
        store.catalogue.record_now([seen])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(tmp_path / "kept.db", SystemClock())) as store:
        observe(store, RIVERS, LAND, at=datetime.now(UTC) - timedelta(days=2))
        yield store


@pytest.fixture
def portal(store: Store, kinds) -> TestClient:
    """As one's own portal on loopback: nobody logs in."""
    index = CatalogueIndex(store.catalogue, store.segments)
    made = create_app(
        store.catalogue,
        index,
        kinds,
        tasks=tasks_in(store),
        notes=store.notes,
        past=Past(store.history, store.check_queue),
        classifier=wiring.classifier(Settings().topic_files, "words"),
    )
    return TestClient(made, follow_redirects=False)


def test_a_search_is_saved_opened_and_removed(portal, store) -> None:
    page = portal.get("/?q=rivers&kind=wms&mode=words").text
    sent = re.search(r'name="search" value="([^"]*)"', page)[1].replace("&amp;", "&")
    assert portal.post("/saved", data={"search": sent}).status_code == 303
    (kept,) = store.notes.searches("")
    assert kept.title == "rivers wms"
    saved = portal.get("/saved").text
    assert f'href="/saved/{kept.num}"' in saved
    assert 'href="/api/v1/feed.atom?q=rivers&amp;kind=wms"' in saved
    feed = portal.get("/api/v1/feed.atom?q=rivers&kind=wms")
    assert feed.status_code == 200
    assert "Rivers and lakes" in feed.text

    opened = portal.get(f"/saved/{kept.num}")
    assert opened.headers["location"] == "/?q=rivers&kind=wms&mode=words"
    assert portal.post(f"/saved/{kept.num}/remove").status_code == 303
    assert "Nothing saved yet" in portal.get("/saved").text
    assert portal.get(f"/saved/{kept.num}").status_code == 404


def test_what_is_new_since_one_looked_is_said_and_gone_once_one_has_looked(
    portal, store
) -> None:
    before = datetime.now(UTC) - timedelta(days=1)
    num = store.notes.keep_search(SavedSearch("", "Water", "q=water", before, before))
    assert "news of" not in portal.get("/saved").text
    lakes = Service(kind="wfs", endpoint="https://l.example/wfs", title="Water")
    observe(store, lakes, at=datetime.now(UTC))
    assert "news of 1 service" in portal.get("/saved").text
    portal.get(f"/saved/{num}")
    assert "news of" not in portal.get("/saved").text


@pytest.mark.parametrize(
    "sent", ["", "x=1", "q=", "javascript:alert(1)", "q=a&bbox=1,2,3", "kind=nonsense"]
)
def test_what_is_no_search_is_not_saved(portal, store, sent) -> None:
    answer = portal.post("/saved", data={"search": sent, "title": "<b>x</b>"})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert store.notes.searches("") == []


def test_a_title_stays_text_and_a_saved_search_leads_nowhere_else(portal, store):
    data = {"search": "q=a&next=//evil.example", "title": "<script>alert(1)</script>"}
    assert portal.post("/saved", data=data).status_code == 303
    assert "<script>alert" not in portal.get("/saved").text
    num = store.notes.searches("")[0].num
    assert portal.get(f"/saved/{num}").headers["location"] == "/?q=a"


def test_nobody_saves_without_end(portal, store) -> None:
    now = datetime.now(UTC)
    for number in range(MAX_SEARCHES):
        store.notes.keep_search(SavedSearch("", "x", f"q=w{number}", now, now))
    answer = portal.post("/saved", data={"search": "q=one+more"})
    assert answer.status_code == 400
    assert portal.post("/saved", data={"search": "q=w1"}).status_code == 303


def test_saved_searches_are_seen_by_their_owner_alone(store, kinds) -> None:
    accounts = Accounts(store.users, SystemClock())
    for name in ("ada", "carla", "dan"):
        accounts.add(name, PASSWORD)
    index = CatalogueIndex(store.catalogue, store.segments)
    made = create_app(
        store.catalogue,
        index,
        kinds,
        tasks=tasks_in(store),
        accounts=accounts,
        notes=store.notes,
    )
    carla, dan, guest = Person(made, "carla"), Person(made, "dan"), Person(made)
    carla.ask("POST", "/saved", data={"search": "q=secret+plans"})
    num = store.notes.searches("carla")[0].num
    assert "secret plans" in carla.ask("GET", "/saved").text
    for other in (dan, Person(made, "ada")):
        assert "secret plans" not in other.ask("GET", "/saved").text
        assert other.ask("GET", f"/saved/{num}").status_code == 404
        other.ask("POST", f"/saved/{num}/remove")
    assert guest.ask("GET", "/saved").headers["location"].startswith("/log-in")
    assert "Save this search" not in guest.ask("GET", "/?q=secret").text
    assert len(store.notes.searches("carla")) == 1
    no_word = carla.client.post("/saved", data={"search": "q=x"})
    assert no_word.status_code == 403, "without the word of our own pages"


def sampled(page: str) -> list[str]:
    return sorted(set(re.findall(r'name="real-([0-9a-f]{16})"', page)))


def test_a_sample_is_judged_and_the_ratio_comes_with_its_interval(portal, store):
    """One of one is real: 1, and by Wilson's formula with z = 1.96 at least 0.207."""
    assert "judge" in portal.get("/statistics?part=contents").text
    address = "/judge?topic=land_cover&class=land_cover"
    page = portal.get(address).text
    assert sampled(page) == [LAND.id]
    form = {"topic": "land_cover", "class": "land_cover", "round": "1"}
    answer = portal.post("/judge", data={**form, f"real-{LAND.id}": "yes"})
    assert answer.headers["location"] == address
    page = portal.get(address).text
    assert "1 of 1 are real: 100" in page
    assert "20.7 %" in page
    rows = portal.get("/api/v1/reports/classes-exclusive").json()["rows"]
    forest = next(row for row in rows if row[:2] == ["land_cover", "land_cover"])
    assert forest[2:] == [1, 1, 1, 1.0, 0.207, 1.0]
    portal.post("/judge", data={**form, f"real-{LAND.id}": "open"})
    assert store.notes.judgements() == []


def test_only_what_was_drawn_is_judged(portal, store) -> None:
    form = {"topic": "land_cover", "class": "land_cover", "round": "1"}
    portal.post("/judge", data={**form, f"real-{RIVERS.id}": "yes", "real-x": "no"})
    assert store.notes.judgements() == []
    assert portal.post("/judge", data={"topic": "land_cover"}).status_code == 400
    assert portal.get("/judge?topic=nonsense").status_code == 404
    assert portal.get("/judge?topic=land_cover&class=x&round=-1").status_code == 200


def test_a_list_is_compared_and_the_difference_is_a_file(portal) -> None:
    """PH-17: PolarHub beside "other major SDI portals" (Li, Wang & Bhatia 2016, section 7)."""
    listed = "name,url\nRivers,http://www.maps.water.example/wms/\n=1,https://other.example/wfs\n"
    page = portal.post("/compare", data={"list": listed}).text
    assert "Only in the list" in page
    assert ">https://other.example/wfs</a>" in page
    assert ">https://land.example/wms</a>" in page
    assert ">https://maps.water.example/wms</a>" not in page, "both have it"
    file = portal.post("/compare", data={"list": listed, "f": "csv"})
    assert file.headers["content-type"].startswith("text/csv")
    assert file.text.splitlines() == [
        "only_in,endpoint",
        "list,https://other.example/wfs",
        "catalogue,https://land.example/wms",
    ]
    assert portal.post("/compare", data={"list": "nothing"}).status_code == 400


@pytest.mark.parametrize(
    "hostile",
    ["x" * 200_000, '"' * 5_000, '"open, ', "a\rb\r\r\nc", "\x00", "\ud800"],
    ids=["long", "quotes", "open quote", "carriage returns", "null", "surrogate"],
)
def test_a_list_that_is_no_csv_is_compared_as_far_as_it_goes(portal, hostile) -> None:
    listed = f"{hostile}\nhttps://other.example/wfs\n"
    data = {"list": listed.encode("utf-8", "replace").decode()}
    answer = portal.post("/compare", data=data)
    assert answer.status_code == 200
    assert ">https://other.example/wfs</a>" in answer.text


def test_a_list_and_a_sample_are_used_with_the_keyboard_alone(
    portal, store, tmp_path
) -> None:
    listed = tmp_path / "theirs.csv"
    listed.write_text("https://land.example/wms\nhttps://other.example/wfs\n")
    with served(portal.app) as origin, chromium() as browser:
        page = browser.new_page()
        page.goto(f"{origin}/?q=land")
        page.get_by_role("button", name="Save this search").press("Enter")
        page.wait_for_url("**/saved")
        expect(page.get_by_role("heading", name="land", exact=True)).to_be_visible()

        page.goto(f"{origin}/judge?topic=land_cover&class=land_cover")
        chosen = page.get_by_role("group", name="Is it really about")
        chosen.get_by_label("open").focus()
        page.keyboard.press("ArrowLeft")
        expect(chosen.get_by_label("no")).to_be_checked()
        page.keyboard.press("ArrowLeft")
        page.get_by_role("button", name="Keep").press("Enter")
        expect(page.get_by_text("1 of 1 are real")).to_be_visible()

        page.goto(f"{origin}/compare")
        page.get_by_label("Or choose a file:").set_input_files(listed)
        expect(page.locator("#list")).to_have_value(listed.read_text())
        page.get_by_role("button", name="Compare").press("Enter")
        expect(
            page.get_by_role("link", name="https://other.example/wfs")
        ).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download the differences").press("Enter")
        assert "list,https://other.example/wfs" in download.value.path().read_text()
