"""Accumulated term frequency and conditional probability (Li, Yang & Yang 2010): the words of services' own URLs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from geohound.model.visit import Candidate, Link, Outcome, Page

from ._plain import Plain, address

FIRST_SERVICES = 50
LOWEST, UNKNOWN = 3, 2
MAX_TERMS = 100_000
_STATIC = re.compile(r"(?:/|\.(?:s?html?|xhtml|txt|xml|rss))?$", re.IGNORECASE)


def terms(url: str) -> list[str]:
    """The atomic substrings of a URL: path parts and key=value pairs, neither scheme nor host; case does not count."""
    parts = urlsplit(url.lower())
    return [t for t in (*parts.path.split("/"), *parts.query.split("&")) if t]


def page_priority(text: str) -> int:
    """WP, 0 is best: [Web Map Service], [WMS, Service], [WMS, Server], none of them."""
    text = text.lower()
    if "web map service" in text:
        return 0
    if "wms" not in text:
        return 3
    if "service" in text:
        return 1
    return 2 if "server" in text else 3


def is_static(url: str) -> bool:
    """A file that a server hands out as it is: it may speak of a service but is none."""
    parts = urlsplit(url)
    found = _STATIC.search(parts.path)
    return not parts.query and found is not None and (found[0] != "" or parts.path == "")


def cut(ranked: Sequence[str]) -> dict[str, int]:
    """Three equal parts of a ranked list get priority 0, 1, 2; the first parts take what is left over."""
    size, over = divmod(len(ranked), 3)
    first, second = size + (over > 0), 2 * size + (over > 0) + (over > 1)
    return {term: (at >= first) + (at >= second) for at, term in enumerate(ranked)}


@lru_cache(maxsize=64)
def _priority_of(title: str, text: str) -> int:
    return page_priority(f"{title} {text}")


class Atf(Plain):
    """The URL's priority picks the section of the queue, the page's the place in it, first come among equals."""

    id = "atf"
    title = "Accumulated term frequency (Li 2010)"

    def __init__(self) -> None:
        self._frequency: Counter[str] = Counter()
        self._services = 0
        self._priority: dict[str, int] = {}
        self._stale = False

    def url_priority(self, url: str) -> int:
        """UP, 0 is best: the best priority of the URL's terms, 3 for static pages."""
        if is_static(url):
            return LOWEST
        priority = self._ranks()
        return min((priority.get(t, UNKNOWN) for t in terms(url)), default=UNKNOWN)

    def confirm(self, url: str) -> None:
        """A service was confirmed at this URL: its terms count at once."""
        self._services += 1
        self._frequency.update(terms(url))
        self._stale = self._services >= FIRST_SERVICES
        if len(self._frequency) > MAX_TERMS:
            self._frequency = Counter(dict(self._frequency.most_common(MAX_TERMS // 2)))

    def _ranks(self) -> dict[str, int]:
        if self._stale:
            self._priority = cut([term for term, _ in self._frequency.most_common()])
            self._stale = False
        return self._priority

    def score(self, link: Link, page: Page) -> float:
        place = _priority_of(page.title, page.text)
        return float(-(4 * self.url_priority(address(link, page)) + place))

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        return float(-4 * self.url_priority(url))

    def rescore(self, candidate: Candidate) -> float:
        return float(-4 * self.url_priority(candidate.url)) - (-candidate.score % 4)

    def learn(self, outcome: Outcome) -> None:
        if outcome.new_services:
            self.confirm(outcome.candidate.url)

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [
            ("priority of the URL", float(self.url_priority(candidate.url))),
            ("priority of the page", float(-candidate.score % 4)),
        ]

    def state(self) -> bytes:
        return json.dumps([self._services, self._frequency]).encode()

    def restore(self, state: bytes) -> None:
        if state:
            services, frequency = json.loads(state)
            self._services, self._frequency = int(services), Counter(frequency)
            self._stale = self._services >= FIRST_SERVICES


ORDERS = (Atf(),)
