"""Marginalia: an index of small sites, by a key that is free for non-commercial use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geohound import urls
from geohound.model.crawl.web_search import SearchPage, SearchRequest, SearchTerms
from geohound.model.secrets import Secrets

from ._part import WebSearcher, results

_TERMS = SearchTerms(
    page_size=20, max_results=200,
    note="results under CC BY-NC-SA 4.0; the key `public` works for everybody, and is often over its limit",
)  # fmt: skip


def _request(address: str, request: SearchRequest, terms: SearchTerms) -> str:
    asked = {
        "query": request.text,
        "count": str(terms.page_size),
        "page": str(request.page),
    }
    return urls.with_params(address, asked)


def _read(value: Any, _: SearchRequest, terms: SearchTerms) -> SearchPage | None:
    """It says neither how many there are nor whether there is another page: a full one has a next one."""
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("results"), list)
        or "query" not in value
    ):
        return None
    found = results(value["results"])
    return SearchPage(tuple(found), None, has_more=len(found) >= terms.page_size)


def _secrets(values: Sequence[str]) -> Secrets:
    return Secrets(headers=(("API-Key", values[0]),))


SEARCHERS = (
    WebSearcher(
        "marginalia",
        "Marginalia",
        _request,
        _read,
        _TERMS,
        "https://api2.marginalia-search.com/search",
        ("GEOHOUND_MARGINALIA_KEY",),
        _secrets,
    ),
)
