"""The second family of webs for judging orders: what it promises, on small ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter, deque
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bench.webs.wild import WildWeb, prose, truth
from bench.webs.wild.traps import peel
from books import BOOK

from geohound.document import Document
from geohound.mining import mine
from geohound.model.visit import Response
from geohound.urls import canonical

ROOT = Path(__file__).parents[2]
WEB = WildWeb(seed=5, hosts=60, pages=1500)


def links(web: WildWeb, url: str) -> list[str]:
    found = re.findall(r'href="([^"#]+)"', (web.page(url) or b"").decode())
    return [link for href in found if (link := canonical(unescape(href), url))]


def walk(web: WildWeb) -> dict[str, int]:
    """Depth of every address within reach, calendars left out."""
    depth, queue = dict.fromkeys(web.seeds(), 0), deque(web.seeds())
    while queue:
        url = queue.popleft()
        for link in links(web, url):
            if (
                link not in depth
                and "/agenda/" not in link
                and not (link.count("f_") > 1)
            ):
                depth[link] = depth[url] + 1
                queue.append(link)
    return depth


REACHED = walk(WEB)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_every_page_and_every_service_is_within_reach_of_the_seeds() -> None:
    plain = {peel(url)[0] for url in REACHED if WEB.page(url) is not None}
    assert len(plain) == WEB.pages
    assert set().union(*(WEB.services(url) for url in REACHED)) == WEB.all_services()


def test_what_a_page_reveals_is_written_on_it() -> None:
    revealing = [url for url in REACHED if WEB.services(url)]
    assert revealing
    for url in revealing:
        text = unquote(unescape((WEB.page(url) or b"").decode()))
        assert all(service in text for service in WEB.services(url)), url


def test_a_dead_service_is_written_on_pages_and_revealed_by_none() -> None:
    dead = {
        s.endpoint for services in WEB._on.values() for s in services if not s.alive
    }
    assert len(dead) > 5
    assert not dead & WEB.all_services()


def test_addresses_are_kept_as_they_are_by_the_crawl() -> None:
    assert all(canonical(url) == url for url in REACHED if WEB.page(url) is not None)


def test_the_same_seed_makes_the_same_web_in_another_process() -> None:
    code = (
        "import hashlib; from bench.webs.wild import WildWeb; w = WildWeb(5, 60, 1500); "
        "told = b''.join(w.page(u) for u in w.seeds()) + str(sorted(w.all_services())).encode(); "
        "print(hashlib.sha256(told).hexdigest())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert len(runs[0].strip()) == 64


def test_another_seed_makes_another_web() -> None:
    assert WildWeb(seed=6, hosts=60, pages=1500).all_services() != WEB.all_services()


@pytest.mark.slow
def test_services_stand_in_clumps_and_many_stand_alone() -> None:
    clumps: Counter[int] = Counter()
    for seed in range(4):
        web = WildWeb(seed, hosts=420, pages=6000)
        clumps.update(Counter(urlsplit(s).netloc for s in web.all_services()).values())
    hosts, services = sum(clumps.values()), sum(size * n for size, n in clumps.items())
    assert 4 < services / hosts < 9, "the published mean is 6.38 a server"
    assert clumps[1] > hosts / 5
    assert max(clumps) >= 15


def test_silent_hosts_have_services_and_never_a_word_about_maps() -> None:
    silent = [site for site in WEB.sites if not site.role.loud]
    assert silent
    for site in silent:
        own = [url for url in REACHED if urlsplit(url).netloc == site.host]
        assert any(WEB.services(url) for url in own)
        geo = {word.lower() for word in prose.vocabulary(site.language)["geo"]}
        for url in own:
            assert WEB.page(url) is not None
            number, _ = WEB._find(url)
            assert number is None or WEB._pages[number].theme != prose.GEO
            title = WEB._pages[number or site.first].title.lower()
            assert not any(word in title.split() for word in geo)


def test_some_hosts_talk_of_nothing_but_maps_and_have_no_service() -> None:
    talking = [
        site for site in WEB.sites if site.role.id in {"manual", "map shop", "ruin"}
    ]
    for site in talking:
        own = [url for url in REACHED if urlsplit(url).netloc == site.host]
        assert not set().union(*(WEB.services(url) for url in own))
        themes = Counter(WEB._pages[site.first + k].theme for k in range(site.count))
        assert themes[prose.GEO] > site.count * 0.4


def test_a_calendar_has_no_end() -> None:
    site = next(s for s in WildWeb(3, 200, 4000).sites if "calendar" in s.traps)
    web = WildWeb(3, 200, 4000)
    url = f"{site.origin}/agenda/2024/12"
    for _ in range(30):
        after = [
            link
            for link in links(web, url)
            if re.fullmatch(r".*/agenda/\d{4}/\d\d", link)
        ]
        assert after
        url = after[-1]
    assert url.endswith("/agenda/2027/06")


@pytest.mark.parametrize("extra", ["print=1", "tok=3fa", "action=history"])
def test_an_address_with_an_extra_is_the_same_page(extra: str) -> None:
    url = next(u for u in REACHED if WEB.services(u) and "=" not in u)
    assert WEB.services(f"{url}?{extra}") == WEB.services(url)
    assert WEB.page(f"{url}?{extra}") is not None


def test_a_stranger_finds_nothing() -> None:
    for url in (
        "https://nobody.example/",
        "nonsense",
        "https://maps.example.org/ows?service=WMS",
    ):
        assert WEB.page(url) is None
        assert WEB.services(url) == set()


def test_the_miner_reads_titles_words_and_links_of_every_look() -> None:
    seen = set()
    for site in WEB.sites:
        url = f"{site.origin}/"
        body = WEB.page(url) or b""
        page = mine(
            Document(Response(url, url, 200, {"content-type": "text/html"}, body, NOW)),
            BOOK,
        )
        assert page.title
        assert len(page.text) > 80
        assert page.links
        seen.add(body[:40])
    assert len(seen) > 4


def test_every_way_of_writing_an_address_is_found_by_the_miner() -> None:
    for way in sorted({*truth.WAYS, *truth.QUIET_WAYS}):
        service = truth.Service("https://gis.town.example/srv/x12/ows", "WMS", way)
        body = f"<html><body>{truth.write(service)}</body></html>".encode()
        url = "https://town.example/a"
        page = mine(
            Document(Response(url, url, 200, {"content-type": "text/html"}, body, NOW)),
            BOOK,
        )
        assert any(service.endpoint in unquote(link.url) for link in page.links), way


@pytest.mark.slow
def test_a_large_web_is_made_and_rendered_fast() -> None:
    web = WildWeb(seed=9)
    assert web.pages > 40_000
    urls = list(web._numbers)[:: len(web._numbers) // 3000]
    started = time.process_time()
    for url in urls:
        web.page(url)
    assert len(urls) / (time.process_time() - started) > 3000
