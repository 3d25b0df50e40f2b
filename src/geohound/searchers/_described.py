"""A provider that a user describes in a TOML file: where it is asked, and where its answers hold what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from geohound.model.crawl.web_search import SearchPage, SearchRequest, SearchTerms
from geohound.model.secrets import Secrets, holds_key
from geohound.model.toml_file import other_places, read_toml, unknown_entries
from geohound.model.user_error import UserError

from ._asking import inside
from ._part import WebSearcher, count, no_secrets, results

_TEXTS = (
    "id",
    "title",
    "url",
    "results",
    "address",
    "name",
    "text",
    "estimate",
    "key",
    "key_header",
    "key_param",
)
_COUNTS = ("page_size", "max_results")
_AMOUNTS = ("cost_usd", "free_requests", "most_requests")
_NUMBERS = (*_COUNTS, *_AMOUNTS)
_WORDS = ("period", "note", "url_operator")
_KNOWN = frozenset({*_TEXTS, *_NUMBERS, *_WORDS})
_NEEDED = ("id", "url", "results")
_PLACES = frozenset({"text", "page", "offset", "start", "size"})


class SearcherFileError(UserError):
    """A description that cannot be used; the message says why."""


def read_searcher(path: Path) -> WebSearcher:
    """The provider that a file describes."""
    said = read_toml(path, "searcher file", SearcherFileError)
    trouble = _trouble(said)
    if trouble:
        raise SearcherFileError(f"The searcher file {path} {trouble}.")
    return _part(said)


def _trouble(said: dict[str, Any]) -> str:
    unknown = unknown_entries(said, _KNOWN)
    if unknown:
        return unknown
    missing = [name for name in _NEEDED if not said.get(name)]
    if missing:
        return f"lacks {', '.join(missing)}"
    wrong = [name for name in _TEXTS if not isinstance(said.get(name, ""), str)]
    wrong += [
        name
        for name in _COUNTS
        if not isinstance(said.get(name, 1), int) or said.get(name, 1) < 1
    ]
    wrong += [name for name in _AMOUNTS if not _is_amount(said.get(name, 1))]
    if wrong:
        return f"has a value of the wrong type: {', '.join(wrong)}"
    if "key" in said and not (said.get("key_header") or said.get("key_param")):
        return "names a key, but neither key_header nor key_param"
    return _trouble_in_url(said["url"])


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _trouble_in_url(url: str) -> str:
    trouble = other_places(url, _PLACES)
    if trouble:
        return trouble
    if not url.startswith(("http://", "https://")) or "{text" not in url:
        return "needs a url that begins with https:// and holds {text}"
    if holds_key(url):
        return "holds a key, which would be logged; set `key` to an environment variable, and key_param or key_header"
    return ""


def _part(said: Mapping[str, Any]) -> WebSearcher:
    texts = {name: str(said.get(name, "")) for name in _TEXTS}
    numbers = {name: said[name] for name in _NUMBERS if name in said}
    words: dict[str, Any] = {name: str(said.get(name, "")) for name in _WORDS}
    terms = SearchTerms(**numbers, **words)

    def read(
        value: Any, request: SearchRequest, terms: SearchTerms
    ) -> SearchPage | None:
        rows = _at(value, texts["results"])
        if not isinstance(rows, list):
            return None
        found = results(
            rows,
            texts["address"] or "url",
            texts["name"] or "title",
            texts["text"] or "description",
        )
        estimate = count(_at(value, texts["estimate"])) if texts["estimate"] else None
        goes_on = (
            len(found) >= terms.page_size
            if estimate is None
            else request.page * terms.page_size < estimate
        )
        return SearchPage(tuple(found), estimate, has_more=bool(found) and goes_on)

    def secrets(values: Sequence[str]) -> Secrets | None:
        if texts["key_header"]:
            return Secrets(headers=((texts["key_header"], values[0]),))
        return Secrets(params=((texts["key_param"], values[0]),))

    keys = (texts["key"],) if texts["key"] else ()
    title = texts["title"] or texts["id"]
    return WebSearcher(
        texts["id"], title, _request, read, terms, texts["url"], keys, secrets if keys else no_secrets
    )  # fmt: skip


def _request(address: str, request: SearchRequest, terms: SearchTerms) -> str:
    offset = (request.page - 1) * terms.page_size
    places = {
        "page": request.page,
        "offset": offset,
        "start": offset + 1,
        "size": terms.page_size,
    }
    return address.format(text=quote(request.text, safe="", errors="replace"), **places)


def _at(value: object, path: str) -> Any:
    return value if path == "." else inside(value, *path.split("."))
