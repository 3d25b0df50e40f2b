"""Crawl groups with dynamic depth (Sidsten 2012): groups of seeds of similar rank, deeper where lists were found."""

from __future__ import annotations

import json
from collections import Counter

from geohound.model.crawl.order_options import GroupRules, OrderOptions
from geohound.model.visit import Candidate, Lane, Link, Outcome, Page, Via

from ._base import NEVER, BaseOrder

MAX_COUNTED = 100_000  # pages that are remembered as counted
_SEEDS = 1 << 17  # positions that a score can distinguish


class OssGroups(BaseOrder):
    """Each group advances level by level, and none waits for another: a score is the level, its fraction the seed."""

    id = "oss"
    title = "Crawl groups with dynamic depth (OGCSearchSystem)"
    has_stages = True
    counts_links = True  # a page is a list also where all its services are known

    def __init__(self, rules: GroupRules = GroupRules()) -> None:  # noqa: B008 - frozen
        self.rules = rules
        self._lists: Counter[str] = Counter()  # "group depth" → list pages
        self._seeds = 0
        self._counted: set[str] = set()

    def configured(self, options: OrderOptions) -> OssGroups:
        return OssGroups(options.groups)

    def fresh(self) -> OssGroups:
        return OssGroups(self.rules)

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        self._seeds = max(self._seeds, position + 1)
        return _score(min(position, _SEEDS - 1), 0)

    def score(self, link: Link, page: Page) -> float:  # noqa: ARG002
        return _score(seed_of(page.score), page.depth + 1)

    def stage(self, score: float, lane: Lane) -> tuple[int, int]:
        """Tests belong to the level of the page that names them: a level is not over before them."""
        return self.group(score), int(-score) - (lane is Lane.PROBES)

    def rescore(self, candidate: Candidate) -> float:
        """A level begins when the one above is done: then its number of lists is known."""
        return (
            candidate.score
            if self.goes_to(self.group(candidate.score), candidate.depth)
            else NEVER
        )

    def group(self, score: float) -> int:
        """Groups of seeds of similar rank, of equal size."""
        groups = max(
            1,
            min(self.rules.most_groups, self._seeds // max(1, self.rules.least_seeds)),
        )
        return min(groups - 1, seed_of(score) * groups // max(1, self._seeds))

    def goes_to(self, group: int, depth: int) -> bool:
        """May this group go so deep?"""
        rules = self.rules
        if depth <= rules.least_depth or depth > rules.greatest_depth:
            return depth <= rules.least_depth
        found = self._lists[f"{group} {depth - 1}"]
        return found >= (
            rules.lists_to_go_on
            if depth <= rules.usual_depth
            else rules.lists_to_go_deeper
        )

    def learn(self, outcome: Outcome) -> None:
        """A page that holds OGC links, or on which a service was found, is a list page (section 4.1.3).

        It counts once, at its depth, whether its services are new or not.
        """
        candidate = outcome.candidate
        if candidate.is_page:
            if outcome.ogc_links or outcome.services:
                self._count(candidate.url, candidate.score, candidate.depth)
        elif outcome.services and candidate.via is not Via.SERVICE:
            self._count(candidate.found_on, candidate.score, candidate.depth - 1)

    def _count(self, page: str, score: float, depth: int) -> None:
        if page in self._counted or depth < 0:
            return
        if len(self._counted) > MAX_COUNTED:
            self._counted.clear()
        self._counted.add(page)
        self._lists[f"{self.group(score)} {depth}"] += 1

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [
            ("group", float(self.group(candidate.score))),
            ("level", float(candidate.depth)),
        ]

    def state(self) -> bytes:
        return json.dumps(self._lists | {"seeds": self._seeds}).encode()

    def restore(self, state: bytes) -> None:
        if state:
            lists = Counter(json.loads(state))
            self._seeds = max(self._seeds, lists.pop("seeds", 0))
            self._lists = lists


def _score(seed: int, depth: int) -> float:
    return -(depth + seed / _SEEDS)


def seed_of(score: float) -> int:
    """The position of the seed in a score."""
    return round(-score % 1 * _SEEDS)


ORDERS = (OssGroups(),)
