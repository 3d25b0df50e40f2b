"""Crawl groups with dynamic depth (Sidsten 2012): seeds of like rank together, deeper only where lists were found."""

from __future__ import annotations

import json
from collections import Counter

from geohound.model.visit import Candidate, Link, Outcome, Page

from ._plain import NEVER, Plain

SEEDS_PER_GROUP = 100
MAX_GROUPS = 20
LEAST_DEPTH, USUAL_DEPTH, GREATEST_DEPTH = 2, 3, 4
ENOUGH_LISTS = 1  # pages with service links at a level: under it the group ends there
MANY_LISTS = 3  # so many at the usual depth let the group go one deeper


class OssGroups(Plain):
    """All groups go on level by level side by side; the fraction of a score tells the group, its whole the level."""

    id = "oss"
    title = "Crawl groups with dynamic depth (OGCSearchSystem)"

    def __init__(self) -> None:
        self._lists: Counter[str] = Counter()  # "group depth" → new listing pages
        self._counted: set[str] = set()

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        return _score(min(position // SEEDS_PER_GROUP, MAX_GROUPS - 1), 0)

    def score(self, link: Link, page: Page) -> float:  # noqa: ARG002
        depth = page.depth + 1
        return NEVER if depth > GREATEST_DEPTH else _score(group_of(page.score), depth)

    def rescore(self, candidate: Candidate) -> float:
        """A level is begun when the one above is done: now its number of lists is known."""
        return candidate.score if self.goes_to(group_of(candidate.score), candidate.depth) else NEVER

    def goes_to(self, group: int, depth: int) -> bool:
        """May this group go so deep?"""
        if depth <= LEAST_DEPTH:
            return True
        found = self._lists[f"{group} {depth - 1}"]
        return found >= (ENOUGH_LISTS if depth <= USUAL_DEPTH else MANY_LISTS)

    def learn(self, outcome: Outcome) -> None:
        """A page with links to services is a list; it is counted once, where it stands."""
        candidate = outcome.candidate
        page = candidate.found_on if candidate.probe else candidate.url
        if not outcome.new_services or page in self._counted:
            return
        if len(self._counted) > 100_000:
            self._counted.clear()
        self._counted.add(page)
        self._lists[f"{group_of(candidate.score)} {candidate.depth - candidate.probe}"] += 1

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [("group", float(group_of(candidate.score))), ("level", float(candidate.depth))]

    def state(self) -> bytes:
        return json.dumps(self._lists).encode()

    def restore(self, state: bytes) -> None:
        if state:
            self._lists = Counter(json.loads(state))


def _score(group: int, depth: int) -> float:
    return -(depth + group / 32)


def group_of(score: float) -> int:
    """The group that a score stands for."""
    return round(-score % 1 * 32)


ORDERS = (OssGroups(),)
