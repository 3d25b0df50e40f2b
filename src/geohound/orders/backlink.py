"""Back-link count: the URL that most pages link to comes first (Alqaraleh, Ramadan & Salamah 2015, link sorter)."""

from __future__ import annotations

from geohound.model.visit import Candidate, Link, Page

from ._base import BaseOrder, address
from ._url_counters import UrlCounters


class Backlink(BaseOrder):
    """Counts every link, including repeated ones; ranked frontiers are ranges of the count."""

    id = "backlink"
    title = "Most linked first"
    counts_links = True

    def __init__(self) -> None:
        self._count = UrlCounters()

    def score(self, link: Link, page: Page) -> float:
        return self._count.add(address(link, page), 1.0)

    def seen_again(self, link: Link, page: Page) -> float | None:
        return self._count.add(address(link, page), 1.0)

    def rescore(self, candidate: Candidate) -> float:
        return max(candidate.score, self._count.get(candidate.url))

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [("links to it", self._count.get(candidate.url))]

    def state(self) -> bytes:
        return self._count.state()

    def restore(self, state: bytes) -> None:
        self._count.restore(state)


ORDERS = (Backlink(),)
