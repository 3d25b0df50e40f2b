"""The frame of every page: navigation, language, the documentation of the API."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

PAGES = ("/", "/map", "/health", "/statistics", "/api", "/about-the-crawler")


@pytest.mark.parametrize("address", PAGES)
def test_every_page_leads_to_every_section_and_says_where_one_is(client, address):
    tree = LexborHTMLParser(client.get(address, params={"lang": "en"}).text)
    links = tree.css("nav.sections a")
    # This catalogue has no tasks, so that the crawls are not offered.
    assert [a.text() for a in links] == ["Search", "Map", "Health", "Statistics", "API"]
    current = [
        a.attributes["href"]
        for a in links
        if a.attributes.get("aria-current") == "page"
    ]
    assert current == ([] if address == "/about-the-crawler" else [address])
    assert len(tree.css("h1")) == 1
    for link in links:
        assert client.get(link.attributes["href"]).status_code == 200


def test_the_former_address_of_a_service_leads_to_its_page(client, samples):
    answer = client.get(
        f"/service/{samples.rivers.id}?layer=hy:lakes", follow_redirects=False
    )
    assert (answer.status_code, answer.headers["location"]) == (
        301,
        f"/services/{samples.rivers.id}?layer=hy:lakes",
    )


def test_the_documentation_describes_every_operation_of_the_api(client):
    tree = LexborHTMLParser(client.get("/api").text)
    shown = {
        (d.css_first(".method").text(), d.css_first("summary code").text())
        for d in tree.css(".operation")
    }
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    described = {
        (method.upper(), f"/api/v1{path.removeprefix('/api/v1')}")
        for path, operations in paths.items()
        for method in operations
        if method in ("get", "post", "delete", "put", "patch")
    }
    assert shown == described


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de-CH,de;q=0.9,en;q=0.5", "de"),
        ("en;q=0.5, fr;q=0.8", "fr"),
        ("pt-BR, es;q=0.3", "es"),
        ("ja", "en"),
        ("de;q=0, en;q=0.1", "en"),
        ("de;q=much", "en"),
    ],
)
def test_the_browsers_language_is_used_where_there_is_a_catalogue_for_it(
    app, accepted, language
):

    page = TestClient(app).get("/", headers={"Accept-Language": accepted})
    assert LexborHTMLParser(page.text).css_first("html").attributes["lang"] == language
    assert "Accept-Language" in page.headers["vary"]


def test_a_language_that_was_chosen_is_remembered(app):

    visitor = TestClient(app)
    assert 'lang="es"' in visitor.get("/?lang=es").text
    assert (
        '<html lang="es">'
        in visitor.get("/health", headers={"Accept-Language": "fr"}).text
    )
    assert '<html lang="es">' in visitor.get("/health?lang=tlh").text
