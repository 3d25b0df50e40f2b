"""A web-search engine over the geoweb, at search.test: the JSON of SearXNG, with the faults of real engines.

It has seen a part of the web only; its estimates are far too high; the same question asked again brings a little less
or more; it has an end, and a limit of questions a second.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from html import escape, unescape
from typing import Any
from urllib.parse import parse_qs

from geoweb.addresses import url_of
from geoweb.chance import Salt, mix, text_number, unit
from geoweb.protocol import Reply, Request
from geoweb.render import render, title_of
from geoweb.world import World

HOST = "search.test"
PER_PAGE = 10
MAX_PAGES = 10
_PER_SECOND = 20
_SEEN_SHARE = 0.6  # of the pages that mention services
_LEAVES = 12  # other pages of a host that it has seen
_FORGOTTEN_SHARE = 0.08  # of the results, each time others
_OVERESTIMATE = (20, 110)  # on average 65 times too many (Sidsten 2012, section 3.1.3)
_MAX_WORDS = 12
_MAX_CHARS = 300
_WORD = re.compile(r"[^\W_]{2,40}")
_TAG = re.compile(r"<[^<>]{0,2000}>")


class SearchEngine:
    """The index of one world, made when it is first asked, and what it remembers of those who ask."""

    def __init__(
        self, world: World, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._world = world
        self._clock = clock
        # address, title, start of the text
        self._pages: list[tuple[str, str, str]] = []
        # word to pages, with how much it counts there
        self._postings: dict[str, dict[int, int]] = {}
        self._asked = 0
        self._second = (0, 0)

    def answer(self, request: Request) -> Reply:
        """The reply to any request for this host."""
        if request.path == "/robots.txt":
            return Reply(200, "text/plain", b"User-agent: *\nDisallow: /*?*q=*\n")
        asked = {name: values[0] for name, values in parse_qs(request.query).items()}
        text = asked.get("q", "").strip()[:_MAX_CHARS]
        if request.path.rstrip("/") not in ("", "/search") or (
            request.path != "/" and not text
        ):
            return Reply(400, "text/plain", b"no query\n")
        if self._is_too_much():
            return Reply(
                429, "text/plain", b"Too many requests", (("Retry-After", "1"),)
            )
        page = asked.get("pageno", "1")
        number = int(page) if page.isdecimal() and len(page) < 6 else 1
        found = self._answer(text, max(1, number))
        if asked.get("format") == "json":
            return Reply(200, "application/json", json.dumps(found).encode())
        return Reply(200, "text/html; charset=utf-8", _page(found).encode())

    def _is_too_much(self) -> bool:
        now = int(self._clock())
        at, count = self._second
        self._second = now, count + 1 if at == now else 1
        return self._second[1] > _PER_SECOND

    def _answer(self, text: str, number: int) -> dict[str, Any]:
        matching = self._matching(text) if text else []
        self._asked += 1
        shown = [
            page
            for page in matching
            if unit(page, self._asked, Salt.SEARCH) >= _FORGOTTEN_SHARE
        ]
        first = (number - 1) * PER_PAGE
        rows = shown[first : first + PER_PAGE] if number <= MAX_PAGES else []
        least, most = _OVERESTIMATE
        factor = least + mix(text_number(text), len(matching), Salt.SEARCH) % (
            most - least
        )
        return {
            "query": text,
            "number_of_results": factor * len(matching),
            "results": [self._row(page, first + n + 1) for n, page in enumerate(rows)],
            "answers": [], "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": [],
        }  # fmt: skip

    def _row(self, page: int, place: int) -> dict[str, Any]:
        url, title, text = self._pages[page]
        about = {
            "engine": "geoweb",
            "engines": ["geoweb"],
            "category": "general",
            "template": "default.html",
        }
        return {
            "url": url,
            "title": title,
            "content": text,
            "positions": [place],
            "score": 1 / place,
            **about,
        }

    def _matching(self, text: str) -> list[int]:
        """Pages that hold all the words, the best first."""
        if not self._pages:
            self._read()
        words = list(dict.fromkeys(_words(text)))[:_MAX_WORDS]
        lists = [self._postings.get(word, {}) for word in words]
        if not lists:
            return []
        shared = set(lists[0]).intersection(*lists[1:])
        scores = {page: sum(each[page] for each in lists) for page in shared}
        return sorted(
            shared, key=lambda page: (-scores[page], mix(page, 0, Salt.SEARCH))
        )

    def _read(self) -> None:
        for host, page in self._seen():
            _, body = render(self._world, self._world.host(host), page)
            encoding = self._world.host(host).encoding
            text = unescape(_TAG.sub(" ", body.decode(encoding, "replace")))
            title = unescape(title_of(self._world, self._world.host(host), page))
            number = len(self._pages)
            url = url_of(self._world.host(host), page)
            self._pages.append((url, title, " ".join(text.split())[:200]))
            for word in _words(text):
                at = self._postings.setdefault(word, {})
                at[number] = at.get(number, 0) + 1
            for word in _words(title):
                at = self._postings.setdefault(word, {})
                at[number] = at.get(number, 0) + 10

    def _seen(self) -> Iterator[tuple[int, int]]:
        """The pages that its crawler has met: start pages, sections, some others, most of those with services."""
        world = self._world
        for index in range(world.hosts):
            host = world.host(index)
            if host.is_walled:
                continue
            total = host.layout.total
            pages = set(range(min(total, host.layout.sections + 1)))
            pages |= {mix(host.seed, n, Salt.SEARCH) % total for n in range(_LEAVES)}
            pages |= {
                p
                for p in world.mentions_on(index)
                if unit(host.seed, p, Salt.SEARCH) < _SEEN_SHARE
            }
            yield from ((index, page) for page in sorted(pages) if page < total)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _page(found: dict[str, Any]) -> str:
    """The same for people."""
    rows = "".join(
        f'<article class="result"><h3><a href="{escape(row["url"])}">{escape(row["title"])}</a></h3>'
        f"<p>{escape(row['content'])}</p></article>"
        for row in found["results"]
    )
    form = f'<form action="/search"><input name="q" value="{escape(found["query"])}"><button>Search</button></form>'
    return f'<html><head><meta charset="utf-8"><title>Search</title></head><body>{form}{rows}</body></html>'
