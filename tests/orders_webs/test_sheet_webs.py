"""The families of public administration, of science, and of industry and society, as webs for judging orders."""

from __future__ import annotations

import random
import re
from collections import deque
from datetime import UTC, datetime
from html import unescape

import pytest
from bench.webs.bazaar import BazaarWeb
from bench.webs.civic import CivicWeb
from bench.webs.scholarly import ScholarlyWeb
from bench.webs.sheets import SheetWeb

from geohound import app
from geohound.document import Document
from geohound.mining import mine
from geohound.model.visit import Page, Response
from geohound.urls import canonical

HOSTS, PAGES = 40, 2000
FAMILIES = (CivicWeb, ScholarlyWeb, BazaarWeb)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module", params=FAMILIES, ids=lambda family: family.__name__)
def web(request: pytest.FixtureRequest) -> SheetWeb:
    return request.param(3, hosts=HOSTS, pages=PAGES)


@pytest.fixture(scope="module", params=FAMILIES, ids=lambda family: family.__name__)
def many(request: pytest.FixtureRequest) -> list[SheetWeb]:
    return [request.param(seed, hosts=HOSTS, pages=PAGES) for seed in range(10, 18)]


@pytest.fixture(scope="module")
def depths(web: SheetWeb) -> dict[str, int]:
    """Every address that links of the HTML lead to, and how many links away from the seeds."""
    depths = dict.fromkeys(web.seeds(), 0)
    queue = deque(depths)
    while queue:
        url = queue.popleft()
        for href in re.findall(rb"href=[\"']([^\"'#]+)[\"']", web.page(url) or b""):
            link = canonical(unescape(href.decode()), url)
            if link and link not in depths:
                depths[link] = depths[url] + 1
                queue.append(link)
    return depths


def read(web: SheetWeb, url: str) -> Page:
    headers = {"content-type": "text/html; charset=utf-8"}
    return mine(
        Document(Response(url, url, 200, headers, web.page(url) or b"", NOW)),
        app.address_book(),
    )


def addresses(page: Page) -> set[str]:
    """What the miner takes for services on a page."""
    return {
        link.url
        for link in page.links
        if app.address_book().looks_like_service(link.url)
    }


def test_a_seed_always_gives_the_same_web(web: SheetWeb) -> None:
    again = type(web)(3, hosts=HOSTS, pages=PAGES)
    assert again.seeds() == web.seeds()
    assert list(again.sheets) == list(web.sheets)
    assert all(again.page(url) == web.page(url) for url in web.sheets)
    assert again.all_services() == web.all_services()


def test_another_seed_gives_another_web(web: SheetWeb) -> None:
    other = type(web)(4, hosts=HOSTS, pages=PAGES)
    assert not other.all_services() & web.all_services()
    assert len(other.sheets.keys() & web.sheets.keys()) < PAGES / 10


def test_links_lead_to_every_page_and_every_service_within_twenty_steps(
    web: SheetWeb, depths: dict[str, int]
) -> None:
    assert web.sheets.keys() <= depths.keys()
    assert set().union(*(web.services(url) for url in depths)) == web.all_services()
    assert max(depth for url, depth in depths.items() if web.services(url)) <= 20


def test_what_links_lead_to_is_a_page_or_a_service(
    web: SheetWeb, depths: dict[str, int]
) -> None:
    book = app.address_book()
    assert all(url in web.sheets or book.looks_like_service(url) for url in depths)


def test_no_page_has_the_address_of_a_service(many: list[SheetWeb]) -> None:
    book = app.address_book()
    assert not [
        url for web in many for url in web.sheets if book.looks_like_service(url)
    ]


def test_addresses_are_canonical(many: list[SheetWeb]) -> None:
    assert not [url for web in many for url in web.sheets if canonical(url) != url]
    services = set().union(*(web.all_services() for web in many))
    assert not [url for url in services if canonical(url) != url]


def test_hosts_are_as_many_as_asked_for_and_lie_below_test(
    many: list[SheetWeb],
) -> None:
    for web in many:
        hosts = {url.split("/")[2] for url in web.sheets}
        assert len(hosts) == HOSTS
        assert all(host.endswith(".test") for host in hosts)


def test_pages_are_about_as_many_as_asked_for(many: list[SheetWeb]) -> None:
    assert all(0.8 * PAGES <= web.pages <= 1.2 * PAGES for web in many)


def test_few_pages_and_few_hosts_have_services(many: list[SheetWeb]) -> None:
    for web in many:
        revealing = [url for url in web.sheets if web.services(url)]
        assert 0.002 * web.pages <= len(revealing) <= 0.02 * web.pages
        assert 1 <= sum(site.budget > 0 for site in web.sites) <= 0.3 * HOSTS


def test_seeds_are_pages_some_of_which_reveal_services_and_some_are_decoys(
    many: list[SheetWeb],
) -> None:
    for web in many:
        seeds = web.seeds()
        assert 8 <= len(set(seeds)) == len(seeds) <= 15
        assert 1 <= sum(bool(web.services(url)) for url in seeds) < len(seeds) / 2 + 1
    assert any(
        web.sheets[url].site.role == "decoy" for web in many for url in web.seeds()
    )


def test_no_page_is_large(web: SheetWeb) -> None:
    assert max(len(web.page(url) or b"") for url in web.sheets) < 100_000


def test_pages_parse_and_say_their_title_and_language(web: SheetWeb) -> None:
    for url in random.Random(1).sample(sorted(web.sheets), 100):
        page = read(web, url)
        assert page.title.startswith(web.sheets[url].title)
        assert page.language == web.sheets[url].tongue
        assert len(page.text) > 40


def test_the_miner_finds_every_live_service_where_the_web_says_that_it_is(
    web: SheetWeb,
) -> None:
    for url in (url for url in web.sheets if web.services(url)):
        assert web.services(url) <= addresses(read(web, url))


def test_the_miner_finds_no_service_elsewhere(web: SheetWeb) -> None:
    plain = [url for url, sheet in web.sheets.items() if not sheet.offers]
    assert not [
        url for url in random.Random(2).sample(plain, 150) if addresses(read(web, url))
    ]


def test_some_services_are_dead(many: list[SheetWeb]) -> None:
    named = {
        offer.address
        for web in many
        for sheet in web.sheets.values()
        for offer in sheet.offers
    }
    alive = set().union(*(web.all_services() for web in many))
    assert 0.4 * len(named) < len(alive) < len(named)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("hosts", [1, 2, 3, 8])
def test_a_web_of_few_hosts_has_seeds_and_services_within_reach(
    family: type[SheetWeb], hosts: int
) -> None:
    web = family(5, hosts=hosts, pages=900)
    assert len({url.split("/")[2] for url in web.sheets}) == hosts
    assert 720 <= web.pages == len(web.depths()) <= 1080
    assert 8 <= len(set(web.seeds())) <= 15
    assert web.all_services() == set().union(*(web.services(url) for url in web.sheets))
    assert web.all_services()


def test_an_unknown_address_has_no_page(web: SheetWeb) -> None:
    assert web.page("https://nowhere.test/") is None
    assert web.services("https://nowhere.test/") == set()
