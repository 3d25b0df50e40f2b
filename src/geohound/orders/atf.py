"""Accumulated term frequency and conditional probability (Li, Yang & Yang 2010): the words of services' own URLs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from geohound.model.compact_sets import HashSet
from geohound.model.visit import Candidate, Link, Outcome, Page, Via
from geohound.text.keyword_groups import keyword_group

from ._base import BaseOrder, address, is_static

FIRST_SERVICES = 50
LOWEST, UNKNOWN = 3, 2
MAX_TERMS = 20_000  # the list is sorted anew with each service


def terms(url: str) -> list[str]:
    """The atomic substrings of a URL: path parts and key=value pairs, neither scheme nor host; case does not count."""
    parts = urlsplit(url.lower())
    return [t for t in (*parts.path.split("/"), *parts.query.split("&")) if t]


def priority_thirds(ranked: Sequence[str]) -> dict[str, int]:
    """Three equal parts of a ranked list get priority 0, 1, 2; the first parts take what is left over."""
    size, over = divmod(len(ranked), 3)
    first, second = size + (over > 0), 2 * size + (over > 0) + (over > 1)
    return {term: (at >= first) + (at >= second) for at, term in enumerate(ranked)}


def found_url(candidate: Candidate) -> str:
    """The URL as it was found: where we added a request to it, without that."""
    return candidate.found_on if candidate.via is Via.GUESS else candidate.url


class Atf(BaseOrder):
    """The URL's priority picks the section of the queue, the page's the place in it, first come among equals.

    The queue is live: with each service the list of terms changes, and waiting URLs change their section.
    """

    id = "atf"
    title = "Accumulated term frequency (Li 2010)"
    has_terms = True
    decides_tests = True

    def __init__(self) -> None:
        self._frequency: Counter[str] = Counter()
        self._services = 0
        self._counted = HashSet()  # URLs whose terms are in the list
        self._priority: dict[str, int] = {}
        self._stale = False
        self._risen: list[str] = []

    def url_priority(self, url: str) -> int:
        """UP, 0 is best: the best priority of the URL's terms, 3 for static pages."""
        if is_static(url):
            return LOWEST
        priority = self._ranks()
        return min((priority.get(t, UNKNOWN) for t in terms(url)), default=UNKNOWN)

    def confirm(self, url: str) -> None:
        """A service was confirmed at this URL: its terms count at once, and only once."""
        if not self._counted.add(hash(url)):
            return
        self._services += 1
        self._frequency.update(terms(url))
        self._stale = self._services >= FIRST_SERVICES
        if len(self._frequency) > MAX_TERMS:
            self._frequency = Counter(dict(self._frequency.most_common(MAX_TERMS // 2)))

    def _ranks(self) -> dict[str, int]:
        if self._stale:
            self._stale = False
            before = self._priority
            self._priority = priority_thirds(
                [term for term, _ in self._frequency.most_common()]
            )
            self._risen += [
                term
                for term, now in self._priority.items()
                if now < before.get(term, UNKNOWN)
            ]
        return self._priority

    def terms(self, url: str) -> Sequence[str]:
        return () if is_static(url) else terms(url)

    def risen(self) -> Iterable[str]:
        self._ranks()
        risen, self._risen = self._risen, []
        return risen

    def is_tested(self, url: str) -> bool:
        """Static pages are no services; of all others the section decides when they are tested."""
        return not is_static(url)

    def score(self, link: Link, page: Page) -> float:
        place = (
            keyword_group(f"{page.title} {page.text}")
            if page.keyword_group is None
            else page.keyword_group
        )
        return float(-(4 * self.url_priority(address(link, page)) + place))

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        return float(-4 * self.url_priority(url))

    def rescore(self, candidate: Candidate) -> float:
        return float(-4 * self.url_priority(found_url(candidate))) - (
            -candidate.score % 4
        )

    def recall(self, urls: Iterable[str]) -> None:
        for url in urls:
            self.confirm(url)

    def learn(self, outcome: Outcome) -> None:
        if outcome.services:
            self.confirm(found_url(outcome.candidate))

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [
            ("priority of the URL", float(self.url_priority(found_url(candidate)))),
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
