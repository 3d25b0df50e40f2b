"""Shark-search (Hersovici et al. 1998): links inherit part of their page's relevance and add their own."""

from __future__ import annotations

from collections import OrderedDict

from geohound.model.visit import Candidate, Link, Page

from ._base import BaseOrder, address
from ._vector_space import VectorSpace

DECAY = 0.5  # δ: what a child inherits
ANCHOR_SHARE = 0.8  # β: anchor against context
INHERITED_SHARE = 0.5  # γ: inherited against neighbourhood
MAX_INHERITED = 100_000


class Shark(BaseOrder):
    id = "shark"
    title = "Shark-search"

    def __init__(self) -> None:
        self._space = VectorSpace()
        self._inherited: OrderedDict[str, float] = OrderedDict()

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        return 1.0

    def score(self, link: Link, page: Page) -> float:
        own = self._space.page_similarity(page)
        inherited = DECAY * (own if own > 0 else self._inherited.get(page.url, 0.0))
        self._remember(address(link, page), inherited)
        anchor = self._space.similarity(link.text)
        context = 1.0 if anchor > 0 else self._space.similarity(link.context)
        neighbourhood = ANCHOR_SHARE * anchor + (1 - ANCHOR_SHARE) * context
        return INHERITED_SHARE * inherited + (1 - INHERITED_SHARE) * neighbourhood

    def _remember(self, url: str, inherited: float) -> None:
        """The score that is passed on if the page itself turns out to be off the topic; zero is not stored."""
        if inherited > 0:
            self._inherited[url] = inherited
            if len(self._inherited) > MAX_INHERITED:
                self._inherited.popitem(last=False)

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        inherited = self._inherited.get(candidate.url, 0.0)
        return [
            ("inherited", INHERITED_SHARE * inherited),
            ("neighbourhood", candidate.score - INHERITED_SHARE * inherited),
        ]


ORDERS = (Shark(),)
