"""Brave Search: an index of its own, by key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geohound import urls
from geohound.model.crawl.web_search import SearchPage, SearchRequest, SearchTerms
from geohound.model.secrets import Secrets

from ._asking import inside
from ._part import WebSearcher, results

_TERMS = SearchTerms(
    page_size=20, max_results=200, cost_usd=0.005, free_requests=1000, period="month",
    note="prices of September 2026: 5 USD for 1,000 requests, 5 USD of credit a month",
)  # fmt: skip


def _request(address: str, request: SearchRequest, terms: SearchTerms) -> str:
    """Its offset counts pages, from 0 to 9."""
    asked = {
        "q": request.text,
        "count": str(terms.page_size),
        "offset": str(request.page - 1),
    }
    return urls.with_params(address, asked)


def _read(value: Any, _: SearchRequest, __: SearchTerms) -> SearchPage | None:
    """A query without results has no `web` at all; it gives no number of results."""
    if inside(value, "type") != "search":
        return None
    found = results(inside(value, "web", "results"))
    return SearchPage(
        tuple(found),
        None,
        has_more=inside(value, "query", "more_results_available") is True,
    )


def _secrets(values: Sequence[str]) -> Secrets:
    return Secrets(headers=(("X-Subscription-Token", values[0]),))


SEARCHERS = (
    WebSearcher(
        "brave",
        "Brave Search",
        _request,
        _read,
        _TERMS,
        "https://api.search.brave.com/res/v1/web/search",
        ("GEOHOUND_BRAVE_KEY",),
        _secrets,
    ),
)
