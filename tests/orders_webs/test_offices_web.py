"""The family of offices, campuses, catalogues, blogs and shops, as a web for judging orders."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime

import pytest
from bench.webs.offices import OfficesWeb

from geohound import app
from geohound.document import Document
from geohound.mining import mine
from geohound.model.visit import Page, Response
from geohound.urls import canonical

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HEADERS = {"content-type": "text/html; charset=utf-8"}


def read(web: OfficesWeb, url: str) -> Page:
    body = web.page(url)
    assert body is not None
    return mine(
        Document(Response(url, url, 200, HEADERS, body, NOW)), app.address_book()
    )


@pytest.fixture(scope="module", params=[1, 2, 3])
def web(request: pytest.FixtureRequest) -> OfficesWeb:
    return OfficesWeb(request.param, hosts=12, pages=400)


@pytest.fixture(scope="module")
def pages(web: OfficesWeb) -> dict[str, Page]:
    """Every page that links lead to, as the miner reads it."""
    found: dict[str, Page] = {}
    queue = deque(web.seeds())
    while queue:
        url = queue.popleft()
        if url in found or web.page(url) is None:
            continue
        found[url] = page = read(web, url)
        targets = [canonical(link.url, url) for link in page.links]
        queue.extend(target for target in targets if target)
    return found


def test_a_seed_always_gives_the_same_web(web: OfficesWeb) -> None:
    one, other = OfficesWeb(4, 12, 400), OfficesWeb(4, 12, 400)
    assert one.seeds() == other.seeds() != web.seeds()
    assert one.all_services() == other.all_services()
    assert all(one.page(url) == other.page(url) for url in one.seeds())


def test_the_miner_sees_on_each_page_the_services_that_the_web_names_there(
    web: OfficesWeb, pages: dict[str, Page]
) -> None:
    book = app.address_book()
    for url, page in pages.items():
        named = {canonical(service) for service in web.services(url)}
        shown = {link.url for link in page.links if book.looks_like_service(link.url)}
        assert {canonical(address) for address in shown} == named, url


def test_all_its_services_are_within_reach_of_its_seeds(
    web: OfficesWeb, pages: dict[str, Page]
) -> None:
    reached = set().union(*(web.services(url) for url in pages))
    assert reached == web.all_services()
    assert reached
