"""First in, first out: a breadth-first crawl, the baseline of all other orders (Li, Yang & Yang 2010, section 6.3)."""

from __future__ import annotations

from geohound.model.visit import Link, Page

from ._base import BaseOrder, is_static


class Fifo(BaseOrder):
    """Every URL that may be a service is tested when its turn comes: the baseline knows nothing of addresses."""

    id = "fifo"
    title = "First in, first out"
    decides_tests = True

    def score(self, link: Link, page: Page) -> float:  # noqa: ARG002
        return 0.0

    def is_tested(self, url: str) -> bool:
        return not is_static(url)


ORDERS = (Fifo(),)
