"""Which query's next page of results is worth a request: what its new results brought, and how many more are new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

TRUSTED_RESULTS = 5  # new ones, whose services weigh as much as what is usual
UNSEEN_SHARE = 0.2  # of a page that comes after one with nothing new
LATEST = 8  # new queries by which the next one is judged


class PagesHad(NamedTuple):
    """The pages of one query so far."""

    worth: float  # what their services count
    results: int
    new: float  # of the results; those of earlier rounds count less, as their services do
    last_new: float  # share of new results on the last page
    pages: int


def usual_worth(had: Sequence[PagesHad]) -> float:
    """What a new result has brought, on average over the latest queries: the best pages come first."""
    latest = had[-LATEST:]
    return sum(each.worth for each in latest) / max(1, sum(each.new for each in latest))


def next_page_worth(had: PagesHad, usual: float) -> float:
    """What the next page of a query is expected to bring.

    The best pages come first, so a later one brings less of what is sought, but also less of what other queries
    have named already: a first page on which nothing is new says little about the second.
    """
    by_result = (had.worth + usual * TRUSTED_RESULTS) / (had.new + TRUSTED_RESULTS)
    new_share = UNSEEN_SHARE + (1 - UNSEEN_SHARE) * had.last_new
    return by_result * new_share * had.results / max(1, had.pages)


def first_page_worth(had: Sequence[PagesHad], once: Sequence[PagesHad]) -> float:
    """What the first page of a new query is expected to bring, by the latest ones of which no more was asked."""
    of_all, of_once = had[-LATEST:], once[-LATEST:]
    pages = sum(each.pages for each in of_all)
    usual = sum(each.worth for each in of_all) / max(1, pages)
    return (sum(each.worth for each in of_once) + usual) / (len(of_once) + 1)
