"""Providers that answer as Bing Web Search version 7 did, which Microsoft ended in August 2025: address and key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geohound import urls
from geohound.model.crawl.web_search import SearchPage, SearchRequest, SearchTerms
from geohound.model.secrets import Secrets

from ._asking import inside
from ._part import WebSearcher, count, results

_TERMS = SearchTerms(page_size=50, max_results=1000, note="prices by provider")


def _request(address: str, request: SearchRequest, terms: SearchTerms) -> str:
    offset = (request.page - 1) * terms.page_size
    return urls.with_params(
        address,
        {"q": request.text, "count": str(terms.page_size), "offset": str(offset)},
    )


def _read(value: Any, request: SearchRequest, terms: SearchTerms) -> SearchPage | None:
    """A query without results has no `webPages`."""
    if inside(value, "_type") != "SearchResponse":
        return None
    found = results(inside(value, "webPages", "value"), title="name", text="snippet")
    estimate = count(inside(value, "webPages", "totalEstimatedMatches"))
    shown = request.page * terms.page_size
    return SearchPage(
        tuple(found), estimate, has_more=bool(found) and shown < (estimate or 0)
    )


def _secrets(values: Sequence[str]) -> Secrets:
    return Secrets(headers=(("Ocp-Apim-Subscription-Key", values[0]),))


SEARCHERS = (
    WebSearcher(
        "bing",
        "Bing-compatible search",
        _request,
        _read,
        _TERMS,
        keys=("GEOHOUND_BING_KEY",),
        secrets=_secrets,
    ),
)
