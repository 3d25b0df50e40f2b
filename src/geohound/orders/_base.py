"""The base class of orders: scores stay, hosts are equal, nothing is learned."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Self
from urllib.parse import urlsplit

from geohound import urls
from geohound.model.crawl.order_options import OrderOptions
from geohound.model.visit import Candidate, Lane, Link, Outcome, Page

NEVER = -math.inf  # a score: leave this URL out
_STATIC = re.compile(r"(?:/|\.(?:s?html?|xhtml|txt|xml|rss))?$", re.IGNORECASE)


class BaseOrder:
    """Defaults for all methods of an order; orders override what they need."""

    counts_links = False
    has_stages = False
    seeds_by_rank = False
    ranks_hosts = False
    has_terms = False
    decides_tests = False

    def configured(self, options: OrderOptions) -> Self:  # noqa: ARG002
        return self

    def fresh(self) -> Self:
        return type(self)()

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        return 0.0

    def seen_again(self, link: Link, page: Page) -> float | None:  # noqa: ARG002
        return None

    def revised(self) -> Iterable[tuple[str, float]]:
        return ()

    def rescore(self, candidate: Candidate) -> float:
        return candidate.score

    def terms(self, url: str) -> Sequence[str]:  # noqa: ARG002
        return ()

    def risen(self) -> Iterable[str]:
        return ()

    def is_tested(self, url: str) -> bool:  # noqa: ARG002
        return False

    def recall(self, urls: Iterable[str]) -> None:
        """Nothing is learned."""

    def stage(self, score: float, lane: Lane) -> tuple[int, int]:  # noqa: ARG002
        return 0, 0

    def host_bonus(self, host: str) -> float:  # noqa: ARG002
        return 0.0

    def learn(self, outcome: Outcome) -> None:
        """Nothing is learned."""

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [("score when found", candidate.score)]

    def state(self) -> bytes:
        return b""

    def restore(self, state: bytes) -> None:
        """There is no state."""

    def average(self, states: Sequence[bytes]) -> None:
        """What others have learned is left to them."""


def address(link: Link, page: Page) -> str:
    """The URL of a link; links of a crawl are canonical, others are made absolute here."""
    if link.url.startswith(("http://", "https://")):
        return link.url
    return urls.canonical(link.url, page.url) or link.url


def is_static(url: str) -> bool:
    """A static file: it may mention a service but is none (Li, Yang & Yang 2010, section 4.1)."""
    parts = urlsplit(url)
    found = _STATIC.search(parts.path)
    return (
        not parts.query and found is not None and (found[0] != "" or parts.path == "")
    )
