"""First in, first out: the order of a plain breadth-first crawl, and the yardstick for all others."""

from __future__ import annotations

from geohound.model.visit import Link, Page

from ._plain import Plain


class Fifo(Plain):
    id = "fifo"
    title = "First in, first out"

    def score(self, link: Link, page: Page) -> float:  # noqa: ARG002
        return 0.0


ORDERS = (Fifo(),)
