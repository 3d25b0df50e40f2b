"""The order of pages inside one host: home, sections, listings that page through leaves."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

from geoweb.chance import Dice, Salt


class Sort(IntEnum):
    HOME = 0
    SECTION = 1  # also the first listing of its leaves
    LISTING = 2  # the second listing and on
    LEAF = 3
    ORPHAN = 4  # no page links to it: only the sitemap knows it


class Spot(NamedTuple):
    """Where a page stands: `number` is the listing's number, or the leaf's place in its section."""

    sort: Sort
    section: int
    number: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Page numbers run: home, sections, leaves by section, further listings by section, orphans."""

    sections: int
    per_listing: int
    leaves: tuple[int, ...]  # first leaf of each section, then the end
    listings: tuple[int, ...]  # first further listing of each section, then the end

    @property
    def total(self) -> int:
        """Pages that links lead to."""
        return self.listings[-1]

    def spot(self, page: int) -> Spot:
        if page == 0:
            return Spot(Sort.HOME, 0, 0)
        if page <= self.sections:
            return Spot(Sort.SECTION, page - 1, 1)
        if page < self.leaves[-1]:
            section = bisect_right(self.leaves, page) - 1
            return Spot(Sort.LEAF, section, page - self.leaves[section])
        if page < self.total:
            section = bisect_right(self.listings, page) - 1
            return Spot(Sort.LISTING, section, page - self.listings[section] + 2)
        return Spot(Sort.ORPHAN, 0, page - self.total)

    def listing_count(self, section: int) -> int:
        return self.listings[section + 1] - self.listings[section] + 1

    def listing(self, section: int, number: int) -> int:
        """The page that is listing `number` (from 1) of a section."""
        return section + 1 if number == 1 else self.listings[section] + number - 2

    def listed(self, section: int, number: int) -> range:
        """The leaves that a listing shows."""
        first = self.leaves[section] + (number - 1) * self.per_listing
        return range(first, min(first + self.per_listing, self.leaves[section + 1]))

    def leaf_range(self, section: int) -> range:
        return range(self.leaves[section], self.leaves[section + 1])


def make_layout(pages: int, seed: int) -> Layout:
    """A host of about so many pages; one page alone is a host that shows nothing but a wall."""
    if pages <= 1:
        return Layout(0, 10, (1,), (1,))
    dice = Dice(seed, pages, Salt.LAYOUT)
    sections = min(9, max(2, int(pages**0.35)))
    per_listing = 10 + dice.below(21)
    leaf_count = max(
        sections, int((pages - 1 - sections) * per_listing / (per_listing + 1))
    )
    weights = [0.3 + dice.unit() for _ in range(sections)]
    scale, done, leaves = leaf_count / sum(weights), 0.0, [sections + 1]
    for weight in weights:
        done += weight * scale
        leaves.append(max(leaves[-1] + 1, sections + 1 + round(done)))
    listings = [leaves[-1]]
    for first, end in pairwise(leaves):
        listings.append(listings[-1] + -(-(end - first) // per_listing) - 1)
    return Layout(sections, per_listing, tuple(leaves), tuple(listings))
