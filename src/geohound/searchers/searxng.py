"""SearXNG: a metasearch engine that anybody can run; its JSON must be enabled in its settings."""

from __future__ import annotations

from typing import Any

from geohound import urls
from geohound.model.crawl.web_search import SearchPage, SearchRequest, SearchTerms

from ._part import Answer, WebSearcher, count, results

_MAX_NAMED = 10  # engines that fail

_TERMS = SearchTerms(
    page_size=10, max_results=500, note="your own instance, or one whose owner agrees"
)


def _request(address: str, request: SearchRequest, _: SearchTerms) -> str:
    base = address.partition("#")[0].partition("?")[0].rstrip("/")
    search = base if base.endswith("/search") else f"{base}/search"
    return urls.with_params(
        search, {"q": request.text, "format": "json", "pageno": str(request.page)}
    )


def _read(value: Any, _: SearchRequest, __: SearchTerms) -> Answer:
    if not isinstance(value, dict) or not isinstance(value.get("results"), list):
        return None
    found = results(value["results"], text="content")
    silent = _failing(value.get("unresponsive_engines"))
    if silent and not found:
        return f"has no results, for its engines fail: {silent}"
    estimate = count(value.get("number_of_results"))
    # it sends 0 where it does not know
    return SearchPage(tuple(found), estimate or None, has_more=bool(found))


def _failing(engines: object) -> str:
    """Which engines have not answered it, and why: rows of a name and a reason."""
    rows = engines if isinstance(engines, list) else []
    named = [
        " ".join(str(each) for each in row[:2] if each)
        for row in rows[:_MAX_NAMED]
        if isinstance(row, list)
    ]
    return ", ".join(named)


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
