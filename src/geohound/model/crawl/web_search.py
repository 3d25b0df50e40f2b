"""One page of results of a web-search provider: what is asked, what comes, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

MAX_RESULTS = 200  # of one page; further ones are left
# Sidsten 2012, appendix A: results that are younger are used again
REFRESH_PAGES_H = 150.0
KEPT_PAGES_H = 90 * 24.0  # older ones are of use to nobody


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One page of results, from 1; `address` is where the provider is asked, empty: at its usual one."""

    text: str
    page: int = 1
    address: str = ""


class WebResult(NamedTuple):
    """A page that a provider names; nothing of it is trusted."""

    url: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class SearchPage:
    """What one request to a provider brought."""

    results: tuple[WebResult, ...] = ()
    # of all results, as the provider says; often far too high
    estimate: int | None = None
    has_more: bool = False  # the provider has, or may have, another page


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """What a provider asks for its answers, as it publishes it; users with another contract pay another price."""

    page_size: int = 10  # results of one request
    max_results: int = 1000  # of one query: further pages are refused or repeat
    cost_usd: float = 0.0  # of one request beyond those that are free
    free_requests: int = 0  # within each period
    most_requests: int = 0  # the same, for money too; 0: no limit is published
    period: str = ""  # day or month; empty: there is no quota that is published
    note: str = ""
    url_operator: str = ""  # stands before a word that is to be found in addresses; empty: there is none

    @property
    def max_pages(self) -> int:
        """Of one query."""
        return max(1, self.max_results // self.page_size)


class KeptSearch(NamedTuple):
    """A page of results that was had before, and what was asked for it."""

    source: str
    query: str
    number: int  # from 1
    page: SearchPage


class CachedSearch(NamedTuple):
    """A page of results that was had before, and how old it is."""

    page: SearchPage
    age_s: float
