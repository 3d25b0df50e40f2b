"""Reads the report of a site's watcher; what is too large, broken, of another site or contradictory is refused."""

from __future__ import annotations

import hmac
import math
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from geohound import urls
from geohound.model.crawl.browsed import EventRow
from geohound.model.crawl.watched import WatchedPage, WatcherReport
from geohound.model.visit import Response

MAX_BYTES = 25_000_000
MAX_PAGES = 50_000
MAX_ROWS = 200  # of events of a page
MAX_TEXT = 1_000
EVENTS = frozenset({"onload", "onclick", "ondblclick", "onmouseover"})
_SIGNATURE = b', "signature": "'
_CLOCK_ERROR = timedelta(hours=1)  # by which the clock of a site may be ahead of ours
_TOLERANCE = 0.002  # numbers in reports are rounded


class BadReportError(ValueError):
    """Why a report is not used."""


def read(response: Response, key: bytes = b"") -> WatcherReport:
    """The report in an answer; BadReportError where it is none, or one that nobody should believe."""
    if response.truncated or len(response.body) > MAX_BYTES:
        raise BadReportError("it is too large")
    if urls.origin(response.url) != urls.origin(response.final_url):
        raise BadReportError("it is kept at another site")
    if key and not _is_signed(response.body, key):
        raise BadReportError("it is not signed with our key")
    try:
        said = orjson.loads(response.body)
    except orjson.JSONDecodeError:
        raise BadReportError("it is no whole JSON document") from None
    if not isinstance(said, dict) or said.get("version") != 1:
        raise BadReportError("it is no report of a known version")
    return _report(said, urls.origin(response.url), response.at)


def _is_signed(body: bytes, key: bytes) -> bool:
    """Is the signature right, and does nothing follow it? Of two equal names in an object the last one counts."""
    signed, mark, rest = body.rpartition(_SIGNATURE)
    right = hmac.new(key, signed, "sha256").hexdigest().encode()
    return bool(mark) and hmac.compare_digest(rest.strip(), right + b'"}')


def _report(said: dict[str, Any], origin: str, now: datetime) -> WatcherReport:
    site = urls.canonical(str(said.get("site", ""))[:MAX_TEXT]) or ""
    if urls.origin(site) != origin:
        raise BadReportError("it speaks of another site")
    holder = _holder(said)
    written, since = _period(said, now)
    pages = _pages(said.get("pages"), site, written)
    waiting = said.get("waiting", len(pages))
    is_whole = isinstance(waiting, int) and waiting <= len(pages)
    is_taken = bool(said["flag"])
    return WatcherReport(site, is_taken, holder, written, since, pages, is_whole)


def _holder(said: dict[str, Any]) -> str:
    """Who has taken the site; empty while nobody has, or where it is not said who."""
    flag, holder = said.get("flag"), said.get("holder", "")
    is_flag = flag in (0, 1) and not isinstance(flag, float)
    is_name = isinstance(holder, str) and len(holder) <= 64
    if not (is_flag and is_name):
        raise BadReportError("its flag is neither 0 nor 1, or its holder no name")
    if flag == 0 and holder:
        raise BadReportError("it says that the site is free and that somebody has it")
    return str(holder)


def _period(said: dict[str, Any], now: datetime) -> tuple[datetime, datetime | None]:
    """When it was written, and since when it lists changes."""
    written = _time(said.get("written"), "written")
    since = _time(said["since"], "since") if said.get("since") else None
    if written > now + _CLOCK_ERROR:
        raise BadReportError("it was written in the future")
    if since is not None and since > written:
        raise BadReportError("it begins after it was written")
    return written, since


def _pages(listed: Any, site: str, written: datetime) -> tuple[WatchedPage, ...]:
    if not isinstance(listed, list) or len(listed) > MAX_PAGES:
        raise BadReportError("it has no list of pages, or too many")
    pages = tuple(_page(row, site, written) for row in listed)
    if len({page.url for page in pages}) != len(pages):
        raise BadReportError("it lists a page twice")
    return pages


def _page(row: Any, site: str, written: datetime) -> WatchedPage:
    if not isinstance(row, dict):
        raise BadReportError("a page of it is no object")
    url = _address(row.get("url"))
    if url is None or not url.startswith(site):
        raise BadReportError("a page of it is of another site")
    rank = _rank(row)
    if _time(row.get("changed"), "changed") > written + timedelta(seconds=1):
        raise BadReportError("a page changed after it was written")
    rows = row.get("events", [])
    if not isinstance(rows, list) or len(rows) > MAX_ROWS:
        raise BadReportError("a page has too many events")
    return WatchedPage(url, rank, tuple(map(_events, rows)))


def _address(value: Any) -> str | None:
    is_text = isinstance(value, str) and len(value) <= 2_000
    return urls.canonical(value) if is_text else None


def _rank(row: dict[str, Any]) -> float:
    """Half of it is how often a page changes, half how near it is to the start page."""
    rank, often, close = (
        _number(row.get(name)) for name in ("rank", "frequency", "level")
    )
    is_in_bounds = 0 <= often <= 0.5 and 0.1 <= close <= 0.5
    is_sum = abs(rank - often - close) <= _TOLERANCE  # never true of what is no number
    if not (is_in_bounds and is_sum):
        raise BadReportError("a rank in it is not the sum of frequency and level")
    return rank


def _events(row: Any) -> EventRow:
    try:
        names, sources = (
            tuple(map(_text, row[name])) for name in ("events", "sources")
        )
        target, value = _text(row["target"]), _text(row["value"])
    except (TypeError, KeyError):
        raise BadReportError("an event of it is malformed") from None
    if not names or not set(names) <= EVENTS or len(sources) > MAX_ROWS:
        raise BadReportError("an event of it is none that watchers report")
    return EventRow(names, sources, target, value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise TypeError
    return value


def _number(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else math.nan


def _time(value: Any, name: str) -> datetime:
    try:
        at = datetime.fromisoformat(value)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise BadReportError(f"its time {name!r} is none") from None
