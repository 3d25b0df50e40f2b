"""Mojeek: an index of its own, by key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geohound import urls
from geohound.model.crawl.web_search import SearchPage, SearchRequest, SearchTerms
from geohound.model.secrets import Secrets

from ._asking import inside
from ._part import WebSearcher, count, results

_TERMS = SearchTerms(page_size=10, max_results=1000, note="prices by contract")


def _request(address: str, request: SearchRequest, terms: SearchTerms) -> str:
    start = 1 + (request.page - 1) * terms.page_size
    return urls.with_params(
        address,
        {"q": request.text, "fmt": "json", "s": str(start), "t": str(terms.page_size)},
    )


def _read(value: Any, request: SearchRequest, terms: SearchTerms) -> SearchPage | None:
    if inside(value, "response", "status") != "OK":
        return None
    found = results(inside(value, "response", "results"), text="desc")
    estimate = count(inside(value, "response", "head", "results"))
    shown = request.page * terms.page_size
    has_more = len(found) > 0 and (estimate is None or shown < estimate)
    return SearchPage(tuple(found), estimate, has_more)


def _secrets(values: Sequence[str]) -> Secrets:
    return Secrets(params=(("api_key", values[0]),))


SEARCHERS = (
    WebSearcher(
        "mojeek",
        "Mojeek",
        _request,
        _read,
        _TERMS,
        "https://api.mojeek.com/search",
        ("GEOHOUND_MOJEEK_KEY",),
        _secrets,
    ),
)
