"""What every order does unless it says otherwise: no second thoughts, no host before another, nothing learned."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Self

from geohound import urls
from geohound.model.visit import Candidate, Link, Outcome, Page

NEVER = -math.inf  # a score: leave this URL out


class Plain:
    """The quiet answers to all that an order may be asked; orders override what they care about."""

    counts_links = False
    has_stages = False

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

    def stage(self, score: float) -> int:  # noqa: ARG002
        return 0

    def host_bonus(self, host: str) -> float:  # noqa: ARG002
        return 0.0

    def learn(self, outcome: Outcome) -> None:
        """Nothing is learned."""

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [("score when found", candidate.score)]

    def state(self) -> bytes:
        return b""

    def restore(self, state: bytes) -> None:
        """There is nothing to go on from."""


def address(link: Link, page: Page) -> str:
    """Where a link leads; the crawl hands links over in canonical form, others are made absolute here."""
    if link.url.startswith(("http://", "https://")):
        return link.url
    return urls.canonical(link.url, page.url) or link.url
