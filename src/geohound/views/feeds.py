"""The lives of services as others read them: Atom, JSON Feed, a calendar of outages, a badge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple
from xml.etree.ElementTree import (
    Element,
    SubElement,
    tostring,
)  # writes only; nothing is parsed here

from geohound.model.biography import LifeChange, LifeEvent
from geohound.model.health import HealthState
from geohound.model.monitoring.maintenance import Maintenance

ATOM: Final = "application/atom+xml"
JSON_FEED: Final = "application/feed+json"
CALENDAR: Final = "text/calendar"
SVG: Final = "image/svg+xml"
MAX_ENTRIES: Final = 200
FEED_DAYS: Final = 30
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COLOURS: Final = {
    HealthState.ALIVE: "#2e7d32", HealthState.DEAD: "#b71c1c", HealthState.UNSURE: "#b26a00",
    HealthState.UNKNOWN: "#616161",
}  # fmt: skip


class FeedEntry(NamedTuple):
    """One event, with the words that people read."""

    event: LifeEvent
    title: str  # of the service
    link: str  # its page in the portal


class Feed(NamedTuple):
    title: str
    link: str  # of the feed itself
    home: str
    entries: Sequence[FeedEntry]

    @property
    def updated(self) -> datetime:
        return max(
            (entry.event.at for entry in self.entries),
            default=datetime(1970, 1, 1, tzinfo=UTC),
        )


def atom(feed: Feed) -> bytes:
    """RFC 4287."""
    root = _feed_root(feed.title, feed.link, feed.home, feed.updated)
    for entry in feed.entries:
        each = SubElement(root, "entry")
        _text(each, "title", _heading(entry))
        _text(each, "id", _entry_id(entry))
        _text(each, "updated", entry.event.at.isoformat())
        SubElement(each, "link", href=_clean(entry.link))
        _text(each, "summary", entry.event.detail)
        SubElement(each, "category", term=str(entry.event.change))
    return bytes(tostring(root, "utf-8", xml_declaration=True))


def _feed_root(title: str, link: str, home: str, updated: datetime) -> Element:
    root = Element("feed", xmlns="http://www.w3.org/2005/Atom")
    _text(root, "title", title)
    _text(root, "id", link)
    _text(root, "updated", updated.isoformat())
    SubElement(root, "link", rel="self", href=_clean(link))
    SubElement(root, "link", href=_clean(home))
    _text(SubElement(root, "author"), "name", "Geohound")
    return root


def json_feed(feed: Feed) -> dict[str, Any]:
    """JSON Feed 1.1."""
    items = [
        {
            "id": _entry_id(entry), "url": entry.link, "title": _heading(entry), "content_text": entry.event.detail,
            "date_published": entry.event.at.isoformat(), "tags": [str(entry.event.change)],
        }
        for entry in feed.entries
    ]  # fmt: skip
    return {
        "version": "https://jsonfeed.org/version/1.1", "title": feed.title, "home_page_url": feed.home,
        "feed_url": feed.link, "items": items,
    }  # fmt: skip


def _heading(entry: FeedEntry) -> str:
    return f"{entry.title or entry.event.service_id}: {entry.event.change}"


def _entry_id(entry: FeedEntry) -> str:
    """The same for the same event, whoever asks and whenever."""
    event = entry.event
    stamp = f"{event.at:%Y-%m-%d}:{event.service_id}/{event.at.timestamp():.3f}/{str(event.change).replace(' ', '-')}"
    return f"tag:geohound,{stamp}"


class Outage(NamedTuple):
    """For how long a service did not answer as it should; without an end while it lasts."""

    begin: datetime
    end: datetime | None
    reason: str


def outages(events: Iterable[LifeEvent]) -> Iterator[Outage]:
    """Out of the changes of state of one service, oldest first."""
    begin: datetime | None = None
    reason = ""
    for event in events:
        if event.change is not LifeChange.STATE:
            continue
        states, _, why = event.detail.partition(": ")
        is_alive = states.endswith("to alive")
        if begin is None and not is_alive:
            begin, reason = event.at, why or states
        elif begin is not None and is_alive:
            yield Outage(begin, event.at, reason)
            begin = None
    if begin is not None:
        yield Outage(begin, None, reason)


class CalendarEvent(NamedTuple):
    uid: str
    begin: datetime
    end: datetime
    summary: str
    description: str


def calendar(
    service_id: str, title: str, found: Iterable[Outage], now: datetime
) -> bytes:
    """RFC 5545: an event for each outage; one that lasts ends an hour from now."""
    said = f"{title or service_id} does not answer"
    return _calendar(
        (
            CalendarEvent(
                f"{service_id}-{outage.begin.timestamp():.0f}",
                outage.begin,
                outage.end or now + timedelta(hours=1),
                said,
                outage.reason,
            )
            for outage in found
        ),
        now,
    )


def maintenance_calendar(windows: Iterable[Maintenance], now: datetime) -> bytes:
    """An event for each window that was announced."""
    return _calendar(
        (
            CalendarEvent(
                _window_id(window), window.begins, window.ends, f"Maintenance of {window.host}", window.about
            )
            for window in windows
        ),
        now,
    )  # fmt: skip


def maintenance_atom(
    windows: Sequence[Maintenance], link: str, home: str, now: datetime
) -> bytes:
    root = _feed_root("Geohound: announced maintenance", link, home, now)
    for window in windows:
        each = SubElement(root, "entry")
        _text(each, "title", f"Maintenance of {window.host}")
        _text(each, "id", f"tag:geohound,2026:maintenance/{_window_id(window)}")
        _text(each, "updated", window.begins.isoformat())
        SubElement(each, "link", href=_clean(home))
        said = f"{window.begins.isoformat()} to {window.ends.isoformat()}"
        _text(each, "summary", f"{said}: {window.about}" if window.about else said)
    return bytes(tostring(root, "utf-8", xml_declaration=True))


def _window_id(window: Maintenance) -> str:
    return f"{window.host}-{window.begins.timestamp():.0f}"


def _calendar(events: Iterable[CalendarEvent], now: datetime) -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Geohound//monitor//EN"]
    for event in events:
        lines += [
            "BEGIN:VEVENT",
            f"UID:{event.uid}@geohound",
            f"DTSTAMP:{_stamp(now)}",
            f"DTSTART:{_stamp(event.begin)}",
            f"DTEND:{_stamp(event.end)}",
            f"SUMMARY:{_calendar_text(event.summary)}",
            f"DESCRIPTION:{_calendar_text(event.description)}",
            "END:VEVENT",
        ]
    folded = [part for line in [*lines, "END:VCALENDAR"] for part in _folded(line)]
    return "".join(f"{line}\r\n" for line in folded).encode()


def _stamp(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _calendar_text(text: str) -> str:
    line = " ".join(_clean(text).split())
    for sign in ("\\", ";", ","):
        line = line.replace(sign, f"\\{sign}")
    return line


def _folded(line: str) -> Iterator[str]:
    """No line over 75 bytes; what goes on begins with a space."""
    kept = ""
    for char in line:
        if len((kept + char).encode()) > 74:
            yield kept
            kept = " "
        kept += char
    yield kept


def badge(label: str, message: str, state: HealthState) -> bytes:
    """Two boxes with a word each; what comes from services is text, never markup."""
    label, message = _short(label), _short(message)
    left, right = 7 * len(label) + 12, 7 * len(message) + 12
    root = Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=str(left + right),
        height="20",
        role="img",
    )
    root.set("aria-label", f"{label}: {message}")
    _text(root, "title", f"{label}: {message}")
    SubElement(root, "rect", width=str(left), height="20", fill="#424242")
    SubElement(
        root, "rect", x=str(left), width=str(right), height="20", fill=_COLOURS[state]
    )
    for x, text in ((left / 2, label), (left + right / 2, message)):
        written = SubElement(root, "text", x=f"{x:g}", y="14", fill="#fff")
        written.set("font-family", "Verdana,DejaVu Sans,sans-serif")
        written.set("font-size", "11")
        written.set("text-anchor", "middle")
        written.text = text
    return bytes(tostring(root, "utf-8"))


def _short(text: str) -> str:
    line = " ".join(_clean(text).split())
    return line if len(line) <= 40 else f"{line[:39]}…"


def _text(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = _clean(text)


def _clean(text: str) -> str:
    """Without what XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)
