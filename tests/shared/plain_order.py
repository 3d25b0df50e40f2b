"""An order without opinions, for tests of everything else: all scores are equal, addresses decide what is tested."""

from __future__ import annotations

from geohound.orders._base import BaseOrder


class PlainOrder(BaseOrder):
    id = "plain"
    title = "Plain"

    def score(self, link, page) -> float:
        return 0.0
