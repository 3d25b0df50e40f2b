"""The page of one service, the page about the crawler, and pages that say what went wrong."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.location import HostLocation
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.portal.app import create_app
from geohound.portal.assets import Assets, load_assets
from geohound.portal.pages.service import latency_line
from geohound.search.index import CatalogueIndex

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def test_a_service_page_tells_all_that_is_known(client, samples):
    page = client.get(f"/services/{samples.rivers.id}")
    text = " ".join(
        LexborHTMLParser(page.text).css_first("main").text(separator=" ").split()
    )
    for known in (
        "Rivers and lakes of Finland",
        "Rivers, lakes & catchments at 1:10 000, updated every spring.",
        "Water Institute",
        "Aino Virtanen",
        "CC-BY-4.0",
        "Attribution required",
        "1.1.1, 1.3.0",
        "GeoServer 2.25",
        "alive since 2026-05-04",
        "100 % (34.2 % – 100 %; 2 checks)",
        "300 ms",
        "http://maps.water.example/wms",
        "XML errors skipped",
        "1 layer has a box that could not be taken as declared",
        "19.1° E – 31.6° E, 59.3° N – 70.1° N",
        "out of range",
        "2026-05-04, in a link on https://portal.example/maps.html",
        "link text “Our map services”",
        "GetMap",
        "EPSG:3067, CRS:84",
    ):
        assert known in text, known


@pytest.mark.parametrize(
    ("location", "on_card", "on_page"),
    [
        (HostLocation("PE", -12.05, -77.04, "own list"), "PE", "PE 12.05° S, 77.04° W (own list)"),
        (HostLocation("PE", source="own list"), "PE", "PE (own list)"),
        (None, "FI?", "FI?"),
    ],
)  # fmt: skip
def test_the_country_of_the_host_is_known_or_said_to_be_a_guess(
    store, kinds, location, on_card, on_page
):
    service = Service("wms", "http://a.fi/ows", title="Lakes", location=location)
    sighting = Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
    store.catalogue.record_now([Observation(service, sighting)])
    index = CatalogueIndex(store.catalogue, store.segments)
    with TestClient(create_app(store.catalogue, index, kinds)) as client:
        card = LexborHTMLParser(client.get("/?q=lakes").text).css_first(".hit-facts")
        page = LexborHTMLParser(client.get(f"/services/{service.id}").text)
    assert on_card in card.text(separator=" ").split()
    facts = {
        each.css_first("dt").text(): " ".join(each.css_first("dd").text().split())
        for each in page.css(".facts > div")
    }
    assert facts["Place of the host"] == on_page


def test_thousands_of_layers_come_in_pages(client, samples):
    address = f"/services/{samples.many.id}"
    first = LexborHTMLParser(client.get(address).text)
    assert len(first.css("tbody tr")) == 50
    assert "1 to 50 of 1,200" in first.css_first(".pager").text()
    following = first.css_first("a[rel=next]").attributes["href"]
    second = LexborHTMLParser(client.get(following).text)
    assert second.css_first("tbody .layer-title").text() == "Register number 51"
    last = LexborHTMLParser(client.get(f"{address}?offset=1150").text)
    assert last.css_first("a[rel=next]") is None
    assert "No more layers" in client.get(f"{address}?offset=5000").text


def test_layers_can_be_filtered_by_words(client, samples):
    tree = LexborHTMLParser(
        client.get(f"/services/{samples.many.id}?find=NUMBER 119").text
    )
    names = [node.text() for node in tree.css(".layer-name code")]
    assert names == [f"reg:layer_{n}" for n in range(1, 1201) if "119" in str(n)]


def test_a_filter_that_matches_no_layer_leads_back_to_all(client, samples):
    page = client.get(f"/services/{samples.many.id}?find=unicorn").text
    assert "No layer matches “unicorn”" in page
    assert "Show all 1,200 layers" in page


def test_an_unknown_service_is_a_page_with_a_sentence(client):
    page = client.get("/services/0123456789abcdef")
    assert page.status_code == 404
    assert "not in the catalogue" in page.text


def test_the_crawler_page_tells_owners_how_to_keep_it_out(client):
    text = (
        LexborHTMLParser(client.get("/about-the-crawler").text).css_first("main").text()
    )
    assert "User-agent: Geohound\nDisallow: /" in text
    assert "Geohound/9 (+https://hound.example)" in text
    assert "at least 2 seconds" in text
    assert "ops@hound.example" in text


def test_health_is_plain_text(client):
    answer = client.get("/healthz")
    assert answer.text == "ok: 5 services, 1203 layers\n"
    assert answer.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    "address",
    ["/nothing/here", "/services/", "/static/none.js", "/static/../app.py", "/%00"],
)
def test_an_unknown_address_is_a_page_with_a_sentence(client, address):
    page = client.get(address)
    assert page.status_code == 404
    assert "Back to the search" in page.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE"])
def test_what_only_reads_refuses_other_methods(client, method):
    for address in ("/", "/healthz", "/api/v1/search"):
        answer = client.request(method, address)
        assert answer.status_code == 405
        assert "GET" in answer.headers["allow"]
        assert "Traceback" not in answer.text


def test_head_answers_like_get_without_a_body(client, samples):
    for address in (
        "/",
        f"/services/{samples.rivers.id}",
        "/api/v1/search",
        "/opensearch.xml",
        "/healthz",
    ):
        answer = client.head(address)
        assert answer.status_code == 200
        assert answer.content == b""


def test_a_bug_is_answered_with_a_sentence_and_no_traceback(catalogue, kinds):
    class Broken:
        def __getattr__(self, name: str) -> object:
            raise RuntimeError("secret detail")

    with TestClient(
        create_app(Broken(), Broken(), kinds), raise_server_exceptions=False
    ) as client:
        for address in ("/", "/api/v1/search", "/healthz"):
            answer = client.get(address)
            assert answer.status_code == 500
            assert "Internal error" in answer.text
            assert "secret detail" not in answer.text
            assert "Content-Security-Policy" in answer.headers


def test_without_a_build_pages_work_and_the_log_says_what_to_run(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        assert load_assets(tmp_path) == Assets()
    assert "run make frontend" in caplog.text


def test_a_build_is_found_through_its_manifest(tmp_path):
    (tmp_path / ".vite").mkdir()
    manifest = '{"src/portal.ts": {"file": "assets/p-1.js", "css": ["assets/p-2.css"]}}'
    (tmp_path / ".vite" / "manifest.json").write_text(manifest)
    assert load_assets(tmp_path) == Assets(
        ("/static/assets/p-1.js",), ("/static/assets/p-2.css",)
    )


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"src/portal.ts": 1}', "{"])
def test_a_broken_manifest_is_no_build(tmp_path, manifest):
    (tmp_path / ".vite").mkdir()
    (tmp_path / ".vite" / "manifest.json").write_text(manifest)
    assert load_assets(tmp_path) == Assets()


def test_a_line_of_response_times_stands_on_zero() -> None:
    """Between 100 and 101 ms there is nothing to see; it was drawn from the bottom to the top."""
    drawn = latency_line(
        [Check("a", NOON, True, elapsed_s=seconds) for seconds in (0.100, 0.101)]
    )
    assert drawn is not None
    heights = [float(point.partition(",")[2]) for point in drawn.line.split()]
    assert abs(heights[0] - heights[1]) < 1
    assert (drawn.low, drawn.high) == (0.100, 0.101)


def test_a_table_of_layers_has_no_column_without_a_word(client, samples) -> None:
    def heads(service) -> list[str]:
        tree = LexborHTMLParser(client.get(f"/services/{service.id}").text)
        return [each.text() for each in tree.css(".layer-table thead th")]

    assert heads(samples.rivers) == ["Layer", "Box", "Reference systems", "Show"]
    assert heads(samples.many) == ["Layer", "Box", "Show"]


def test_a_service_page_is_in_the_visitors_language_throughout(client, samples):
    page = client.get(f"/services/{samples.rivers.id}?lang=de").text
    client.cookies.clear()
    assert "a good score" not in page
    assert "an excellent score" not in page
    systems = client.get(f"/services/{samples.rivers.id}?lang=fr").text
    client.cookies.clear()
    assert "Service document" not in systems
