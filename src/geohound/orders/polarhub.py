"""PolarHub's segments (Li, Wang & Bhatia 2016): seeds ten by ten, one segment to its end, by depth inside it."""

from __future__ import annotations

import json
from collections import Counter

from geohound.model.crawl.order_options import OrderOptions
from geohound.model.crawl.task import SEEDS_PER_SEGMENT
from geohound.model.visit import Candidate, Lane, Link, Outcome, Page, order_score

from ._base import NEVER, BaseOrder

MAX_DEPTH = 1000


class PolarHub(BaseOrder):
    """The score is minus (width × 1000 + depth): the score of a page contains its segment.

    A segment is "cut-off if we are searching for the wrong part of the Web" (section 4.2): after `cut_after` pages
    without a service. The paper gives no number. At its discovery rate of 1 % (depth 2, section 6.1), 300 pages
    without a service come by chance five times in a hundred.
    """

    id = "polarhub"
    title = "Segments of width and depth (PolarHub)"
    has_stages = True
    seeds_by_rank = True

    def __init__(
        self,
        max_width: int = 0,
        max_depth: int = 0,
        cut_after: int = OrderOptions().cut_after,
    ) -> None:
        self._max_width = max_width
        self._max_depth = max_depth
        self._cut_after = cut_after
        self._pages: Counter[int] = Counter()  # read, by width
        self._paid: set[int] = set()  # widths with a service, new or known

    def configured(self, options: OrderOptions) -> PolarHub:
        return PolarHub(self._max_width, self._max_depth, options.cut_after)

    def fresh(self) -> PolarHub:
        return PolarHub(self._max_width, self._max_depth, self._cut_after)

    def learn(self, outcome: Outcome) -> None:
        width, _ = place(order_score(outcome.candidate.score))
        self._pages[width] += outcome.candidate.is_page and outcome.reason is None
        if outcome.services:
            self._paid.add(width)

    def _is_cut(self, width: int) -> bool:
        return 0 < self._cut_after <= self._pages[width] and width not in self._paid

    def rescore(self, candidate: Candidate) -> float:
        return NEVER if self._is_cut(place(candidate.score)[0]) else candidate.score

    def state(self) -> bytes:
        return json.dumps([list(self._pages.items()), sorted(self._paid)]).encode()

    def restore(self, state: bytes) -> None:
        if state:
            pages, paid = json.loads(state)
            self._pages, self._paid = Counter(dict(pages)), set(paid)

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        width = position // SEEDS_PER_SEGMENT + 1
        return NEVER if 0 < self._max_width < width else float(-width * MAX_DEPTH)

    def score(self, link: Link, page: Page) -> float:  # noqa: ARG002
        width, _ = place(page.score)
        depth = page.depth + 1
        if 0 < self._max_depth < depth or depth >= MAX_DEPTH or self._is_cut(width):
            return NEVER
        return float(-(width * MAX_DEPTH + depth))

    def stage(self, score: float, lane: Lane) -> tuple[int, int]:  # noqa: ARG002 - tests belong to their page's width
        return 0, place(score)[0]

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        width, depth = place(candidate.score)
        return [("width", float(width)), ("depth", float(depth))]


def place(score: float) -> tuple[int, int]:
    """Width and depth that a score stands for."""
    return divmod(int(-score), MAX_DEPTH)


ORDERS = (PolarHub(),)
