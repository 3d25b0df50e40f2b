"""On-line page importance: a page shares its cash among its links, the richest URL comes first (Abiteboul 2003)."""

from __future__ import annotations

from geohound.model.visit import Candidate, Link, Page

from ._base import BaseOrder, address
from ._url_counters import UrlCounters


class Opic(BaseOrder):
    id = "opic"
    title = "On-line page importance (OPIC)"
    counts_links = True

    def __init__(self) -> None:
        self._cash = UrlCounters()
        self._page = ""
        self._share = 0.0
        self._is_resumed = False

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        return self._cash.get(url) if self._is_resumed else self._cash.add(url, 1.0)

    def score(self, link: Link, page: Page) -> float:
        if page.url != self._page:
            self._page = page.url
            cash = self._cash.get(page.url)
            self._cash.add(page.url, -cash)
            self._share = cash / max(len(page.links), 1)
        return self._cash.add(address(link, page), self._share)

    def seen_again(self, link: Link, page: Page) -> float | None:
        return self.score(link, page)

    def rescore(self, candidate: Candidate) -> float:
        return self._cash.get(candidate.url)

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [("cash", self._cash.get(candidate.url))]

    def state(self) -> bytes:
        return self._cash.state()

    def restore(self, state: bytes) -> None:
        self._cash.restore(state)
        self._is_resumed = True  # seeds have had their cash


ORDERS = (Opic(),)
