"""CDX servers, such as Common Crawl's index and the Wayback Machine's: which addresses of a site were archived."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure, Response

from . import _asking
from ._part import Part, from_date
from ._records import is_address, mapping
from ._service_words import SERVICE_WORDS

MAX_LINES = 200_000
_MANY = 1_000_000  # pages, where nobody knows how many there are
_OWN = ("page", "shownumpages", "output")
_WAYBACK = re.compile(r"/cdx/search/?", re.IGNORECASE)


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """One page of the index; after the first one it is asked how many there are."""
    said = _asking.unpack(cursor)
    at, pages = _asking.number(said.get("page")), _asking.number(said.get("pages"))
    since = str(said.get("since", ""))
    visit = await fetcher.fetch(
        _request(source, {"page": str(at)}, since), max_bytes=_asking.MAX_BYTES
    )
    if isinstance(visit, Response) and _is_empty(visit):
        return HarvestPage()
    answer = _asking.judged(visit)
    if isinstance(answer, Failure):
        return answer
    found = _addresses(answer)
    if found is None:
        return _asking.not_understood(answer, "an answer of a CDX index")
    if found and not pages:
        pages = await _count_pages(source, since, fetcher)
    following = _asking.pack(page=at + 1, pages=pages, since=since)
    onward = following if at + 1 < pages else b""
    mark = fingerprint(f"{source} {at}", found) if found else 0
    listed = tuple(map(Listed, dict.fromkeys(found)))
    return HarvestPage(listed, (), onward, mark, len(found), names_files=True)


async def _count_pages(source: str, since: str, fetcher: Fetcher) -> int:
    """An object from pywb, a bare number from the Wayback Machine; a server that knows neither has one page.

    No number of pages is a lie where one was had: then they are read until one is empty.
    """
    url = _request(source, {"showNumPages": "true"}, since)
    answer = await _asking.ask(fetcher, url)
    if isinstance(answer, Failure):
        return 1
    value = answer.json
    text = answer.text[:100].strip()
    said = value.get("pages") if isinstance(value, dict) else text
    is_number = isinstance(said, float) or str(said).removeprefix("-").isdecimal()
    return _asking.number(said) or (_MANY if is_number else 1)


def _request(source: str, asked: dict[str, str], since: str) -> str:
    """The user's question, with a sieve for services where it has none."""
    given = [
        (name, value) for name, value in urls.params(source) if name.lower() not in _OWN
    ]
    names = {name.lower() for name, _ in given}
    is_wayback = bool(_WAYBACK.search(source))
    more = [("output", "json")]
    if "filter" not in names:
        more.append(
            (
                "filter",
                f"{'original:' if is_wayback else '~url:'}(?i).*({SERVICE_WORDS}).*",
            )
        )
    if "fl" not in names:
        more.append(("fl", "original" if is_wayback else "url"))
    if since and "from" not in names:
        more.append(("from", since.replace("-", "")))
    if is_wayback and "collapse" not in names:
        more.append(("collapse", "urlkey"))
    return f"{source.partition('?')[0]}?{urls.encode_params([*given, *more, *asked.items()])}"


def _is_empty(answer: Response) -> bool:
    """pywb answers 404 where nothing was captured."""
    return answer.status == 404 and b"no captures found" in answer.body[:1_000].lower()


def _addresses(document: Document) -> list[str] | None:
    """Of JSON lines, or of a list of rows under a row of names; None where it is neither."""
    text = document.text.strip()
    if not text or text == "[]":
        return []
    if text.startswith("["):
        return _of_rows(document.json)
    lines = text.splitlines()[:MAX_LINES]
    entries = [_entry(line) for line in lines]
    if "url" not in entries[0]:
        return None
    return [
        at
        for entry in entries
        if isinstance(at := entry.get("url"), str) and is_address(at)
    ]


def _entry(line: str) -> Mapping[str, Any]:
    try:
        return mapping(orjson.loads(line))
    except orjson.JSONDecodeError:
        return {}


def _of_rows(value: object) -> list[str] | None:
    rows = value if isinstance(value, list) else []
    names = rows[0] if rows and isinstance(rows[0], list) else []
    if "original" not in names:
        return None
    return list(_column(rows[1:MAX_LINES], names.index("original")))


def _column(rows: list[object], place: int) -> Iterator[str]:
    for row in rows:
        at = row[place] if isinstance(row, list) and len(row) > place else None
        if isinstance(at, str) and is_address(at):
            yield at


HARVESTERS = (Part("cdx", "CDX index of a web archive", page, from_date),)
