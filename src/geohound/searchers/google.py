"""Google Programmable Search, by its Custom Search JSON API: closed to new customers, and ends on 1 January 2027."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geohound import urls
from geohound.model.crawl.web_search import SearchPage, SearchRequest, SearchTerms
from geohound.model.secrets import Secrets

from ._asking import inside
from ._part import WebSearcher, count, results

_TERMS = SearchTerms(
    page_size=10, max_results=100, cost_usd=0.005, free_requests=100, period="day", most_requests=10_000,
    note="for customers of before only, until 1 January 2027",
    url_operator="inurl:",
)  # fmt: skip


def _request(address: str, request: SearchRequest, terms: SearchTerms) -> str:
    start = 1 + (request.page - 1) * terms.page_size
    return urls.with_params(
        address, {"q": request.text, "num": str(terms.page_size), "start": str(start)}
    )


def _read(value: Any, _: SearchRequest, __: SearchTerms) -> SearchPage | None:
    """A query without results has no `items`; the number of results is a text."""
    if inside(value, "kind") != "customsearch#search":
        return None
    found = results(inside(value, "items"), url="link", text="snippet")
    estimate = count(inside(value, "searchInformation", "totalResults"))
    return SearchPage(
        tuple(found), estimate, has_more=bool(inside(value, "queries", "nextPage"))
    )


def _secrets(values: Sequence[str]) -> Secrets:
    key, engine = values
    return Secrets(params=(("key", key), ("cx", engine)))


SEARCHERS = (
    WebSearcher(
        "google",
        "Google Programmable Search",
        _request,
        _read,
        _TERMS,
        "https://www.googleapis.com/customsearch/v1",
        ("GEOHOUND_GOOGLE_KEY", "GEOHOUND_GOOGLE_ENGINE"),
        _secrets,
    ),
)
