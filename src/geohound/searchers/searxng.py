"""SearXNG: a metasearch engine that anybody can run; its JSON must be enabled in its settings."""

from __future__ import annotations

from typing import Any

from geohound import urls
from geohound.model.work.web_search import SearchPage, SearchRequest, SearchTerms

from ._part import WebSearcher, count, results

_TERMS = SearchTerms(
    page_size=10, max_results=500, note="your own instance, or one whose owner agrees"
)


def _request(address: str, request: SearchRequest, _: SearchTerms) -> str:
    base = address.partition("#")[0].partition("?")[0].rstrip("/")
    search = base if base.endswith("/search") else f"{base}/search"
    return urls.with_params(
        search, {"q": request.text, "format": "json", "pageno": str(request.page)}
    )


def _read(value: Any, _: SearchRequest, __: SearchTerms) -> SearchPage | None:
    if not isinstance(value, dict) or not isinstance(value.get("results"), list):
        return None
    found = results(value["results"], text="content")
    estimate = count(value.get("number_of_results"))
    return SearchPage(
        tuple(found), estimate or None, has_more=bool(found)
    )  # it sends 0 where it does not know


SEARCHERS = (
    WebSearcher(
        "searxng",
        "SearXNG",
        _request,
        _read,
        _TERMS,
        hint="Its owner allows JSON with `formats: [html, json]` under `search:` in settings.yml.",
    ),
)
