"""One page of results of each provider, written after its documentation."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Example(NamedTuple):
    """An answer, and what is to be read from it."""

    answer: Any
    estimate: int | None
    has_more: bool
    # of the first page for `land cover`, in the order in which it is written
    first_query: str
    third_query: str
    secret: str = ""  # where the key belongs: a header's name, or a parameter's
    path: str = "/search"


MAPS = "https://maps.example.org/geoserver/wms?service=WMS&request=GetCapabilities"
PAGE = "https://www.example.org/land-cover"
TITLES = ("Land cover of Fiji", "Maps & data")


def _rows(url: str, title: str, text: str) -> list[dict[str, Any]]:
    return [
        {
            url: PAGE,
            title: "<strong>Land cover</strong> of Fiji",
            text: "All about <b>land cover</b>.",
        },
        {url: MAPS, title: "Maps & data", text: "A service."},
    ]


EXAMPLES: dict[str, Example] = {
    "searxng": Example(
        {
            "query": "land cover",
            "number_of_results": 4200,
            "results": [
                {**row, "engine": "one", "engines": ["one"], "positions": [1], "score": 1.0, "category": "general"}
                for row in _rows("url", "title", "content")
            ],
            "answers": [], "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": [],
        },
        4200, True,
        "q=land%20cover&format=json&pageno=1", "q=land%20cover&format=json&pageno=3",
    ),
    "brave": Example(
        {
            "type": "search",
            "query": {"original": "land cover", "more_results_available": True},
            "web": {"type": "search", "results": _rows("url", "title", "description")},
        },
        None, True,
        "q=land%20cover&count=20&offset=0", "q=land%20cover&count=20&offset=2", "x-subscription-token",
    ),
    "google": Example(
        {
            "kind": "customsearch#search",
            "queries": {"request": [{"count": 2, "startIndex": 1}], "nextPage": [{"startIndex": 11}]},
            "searchInformation": {"searchTime": 0.2, "totalResults": "12300"},
            "items": _rows("link", "title", "snippet"),
        },
        12300, True,
        "q=land%20cover&num=10&start=1", "q=land%20cover&num=10&start=21", "key",
    ),
    "mojeek": Example(
        {
            "response": {
                "status": "OK",
                "head": {"query": "land cover", "timer": 0.1, "results": 812, "start": 1, "return": 2},
                "results": _rows("url", "title", "desc"),
            }
        },
        812, True,
        "q=land%20cover&fmt=json&s=1&t=10", "q=land%20cover&fmt=json&s=21&t=10", "api_key",
    ),
    "marginalia": Example(
        {"license": "CC-BY-NC-SA 4.0", "query": "land cover", "results": _rows("url", "title", "description")},
        None, False,
        "query=land%20cover&count=20&page=1", "query=land%20cover&count=20&page=3", "api-key",
    ),
    "bing": Example(
        {
            "_type": "SearchResponse",
            "queryContext": {"originalQuery": "land cover"},
            "webPages": {"totalEstimatedMatches": 262000, "value": _rows("url", "name", "snippet")},
        },
        262000, True,
        "q=land%20cover&count=50&offset=0", "q=land%20cover&count=50&offset=100", "ocp-apim-subscription-key",
    ),
}  # fmt: skip


def body(searcher: str) -> bytes:
    return json.dumps(EXAMPLES[searcher].answer).encode()
