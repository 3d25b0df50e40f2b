"""First in, first out: the order of a plain breadth-first crawl, and the yardstick for all others."""

from __future__ import annotations

from geohound.model.visit import Link, Outcome, Page


class Fifo:
    id = "fifo"
    title = "First in, first out"

    def score(self, link: Link, page: Page) -> float:  # noqa: ARG002
        return 0.0

    def learn(self, outcome: Outcome) -> None:
        """Nothing is learned."""

    def state(self) -> bytes:
        return b""

    def restore(self, state: bytes) -> None:
        """There is nothing to go on from."""


ORDERS = (Fifo(),)
