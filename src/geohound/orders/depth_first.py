"""Depth first: the links of the latest page come first, in document order."""

from __future__ import annotations

from geohound.model.visit import Link, Page

from ._base import BaseOrder


class DepthFirst(BaseOrder):
    id = "depth_first"
    title = "Depth first"

    def __init__(self) -> None:
        self._page = ""
        self._pages = 0

    def score(self, link: Link, page: Page) -> float:  # noqa: ARG002
        if page.url != self._page:
            self._page = page.url
            self._pages += 1
        return float(self._pages)

    def state(self) -> bytes:
        return str(self._pages).encode()

    def restore(self, state: bytes) -> None:
        self._pages = int(state or 0)


ORDERS = (DepthFirst(),)
