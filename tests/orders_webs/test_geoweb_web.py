"""The geoweb as a web for judging orders."""

from __future__ import annotations

import re
from collections import deque
from html import unescape

import pytest
from bench.webs.geoweb_web import GeowebWeb

from geohound.urls import canonical

WEB = GeowebWeb(seed=3, hosts=25, pages=600)


def reached(web: GeowebWeb) -> set[str]:
    queue, seen, found = deque(web.seeds()), set(web.seeds()), set()
    while queue:
        url = queue.popleft()
        found |= web.services(url)
        for href in re.findall(
            rb'href="([^"#]+)"', web.page(url) or b"", re.IGNORECASE
        ):
            link = canonical(unescape(href.decode("utf-8", "replace")), url)
            if link and link not in seen:
                seen.add(link)
                queue.append(link)
    return found


def test_following_every_link_reveals_exactly_all_services() -> None:
    web = GeowebWeb(seed=3, hosts=25, pages=600, trouble=False)
    assert web.all_services()
    assert reached(web) == web.all_services()


def test_a_dead_service_is_never_revealed() -> None:
    dead = {p.spec.endpoint for p in WEB.world.services if not p.alive}
    assert dead
    assert not dead & WEB.all_services()


def test_a_service_behind_a_catalogue_is_revealed_where_the_catalogue_is() -> None:
    web = GeowebWeb(seed=5, hosts=60, pages=1500)
    behind = [p for p in web.world.services if p.catalogue is not None and p.alive]
    catalogue = web.world.services[behind[0].catalogue or 0]
    host, page = catalogue.mentions[0].host, catalogue.mentions[0].page
    url = list(web.world.page_urls(host))[page]
    assert {behind[0].spec.endpoint, catalogue.spec.endpoint} <= web.services(url)


@pytest.mark.parametrize(
    "url", ["http://no-such-host.test/", "http://velra.test/nothing-here"]
)
def test_where_there_is_no_page_there_is_none(url: str) -> None:
    assert WEB.page(url) is None
    assert WEB.services(url) == set()


def test_pages_in_other_encodings_come_as_unicode() -> None:
    others = [
        h
        for h in map(WEB.world.host, range(WEB.world.hosts))
        if h.encoding != "utf-8" and h.is_readable
    ]
    body = WEB.page(f"http://{others[0].name}/")
    assert body is not None
    assert "�" not in body.decode("utf-8-sig")
