"""Crawl groups with dynamic depth (Sidsten 2012): seeds of like rank together, deeper only where lists were found."""

from __future__ import annotations

import json
from collections import Counter

from geohound.model.visit import Candidate, Link, Outcome, Page

from ._plain import NEVER, Plain

LEAST_SEEDS = 100  # of a group
MAX_GROUPS = 20
_SEEDS = 1 << 17  # places in the list that a score can tell apart
LEAST_DEPTH, USUAL_DEPTH, GREATEST_DEPTH = 2, 3, 4
ENOUGH_LISTS = 1  # pages with service links at a level: under it the group ends there
MANY_LISTS = 3  # so many at the usual depth let the group go one deeper


class OssGroups(Plain):
    """All groups go on level by level side by side: a score tells the level, its fraction the seed it began with."""

    id = "oss"
    title = "Crawl groups with dynamic depth (OGCSearchSystem)"
    has_stages = True

    def __init__(self) -> None:
        self._lists: Counter[str] = Counter()  # "group depth" → new listing pages
        self._seeds = 0
        self._counted: set[str] = set()

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        self._seeds = max(self._seeds, position + 1)
        return _score(min(position, _SEEDS - 1), 0)

    def score(self, link: Link, page: Page) -> float:  # noqa: ARG002
        depth = page.depth + 1
        return NEVER if depth > GREATEST_DEPTH else _score(seed_of(page.score), depth)

    def stage(self, score: float) -> int:
        return int(-score)

    def rescore(self, candidate: Candidate) -> float:
        """A level is begun when the one above is done: now its number of lists is known."""
        return candidate.score if self.goes_to(self.group(candidate.score), candidate.depth) else NEVER

    def group(self, score: float) -> int:
        """Seeds of like rank, as many in each group as in any other."""
        groups = max(1, min(MAX_GROUPS, self._seeds // LEAST_SEEDS))
        return min(groups - 1, seed_of(score) * groups // max(1, self._seeds))

    def goes_to(self, group: int, depth: int) -> bool:
        """May this group go so deep?"""
        if depth <= LEAST_DEPTH:
            return True
        found = self._lists[f"{group} {depth - 1}"]
        return found >= (ENOUGH_LISTS if depth <= USUAL_DEPTH else MANY_LISTS)

    def learn(self, outcome: Outcome) -> None:
        """A page with links to services is a list; it is counted once, where it stands."""
        candidate = outcome.candidate
        page = candidate.url if candidate.is_page else candidate.found_on
        if not outcome.new_services or page in self._counted:
            return
        if len(self._counted) > 100_000:
            self._counted.clear()
        self._counted.add(page)
        self._lists[f"{self.group(candidate.score)} {candidate.depth - (not candidate.is_page)}"] += 1

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [("group", float(self.group(candidate.score))), ("level", float(candidate.depth))]

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
    """The place of the seed that a score goes back to."""
    return round(-score % 1 * _SEEDS)


ORDERS = (OssGroups(),)
