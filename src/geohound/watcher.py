"""Watches the folders of web sites and keeps in each a report of its new and changed pages, for crawlers to read.

One file of standard-library Python, 3.8 or later, that also runs alone beside a site:
    python3 watcher.py /var/www/site --site https://example.org/
The report follows the watcher of Alqaraleh, Ramadan & Salamah (2015, section 2.1): pages with frequency, level and
rank, their events, and a flag that one crawler at a time may take. Crawlers only read: that one has taken the site is
seen in the access log, or by a small endpoint of the watcher's own.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import hmac
import json
import math
import os
import re
import sqlite3
import struct
import sys
import tempfile
import threading
import time
import zlib
from contextlib import suppress
from datetime import datetime, timezone
from html.parser import HTMLParser
from itertools import islice
from typing import Any, Callable, Iterator, NamedTuple, Sequence, TextIO
from urllib.parse import parse_qs, quote, unquote, urljoin, urlsplit

REPORT = ".well-known/geohound-watcher.json"
SITEMAP = "geohound-sitemap"
LOOK = "look"  # at all folders
VERSION = 1
PAGES = (
    "html",
    "htm",
    "xhtml",
    "shtml",
    "php",
    "asp",
    "aspx",
    "jsp",
    "xml",
    "json",
    "kml",
    "txt",
)
TEXTS = ("xml", "json", "kml", "txt")  # neither links nor events are read from them
MAIN = (
    "index.html",
    "index.htm",
    "index.xhtml",
    "index.shtml",
    "index.php",
    "default.asp",
    "default.aspx",
    "index.jsp",
)
MAX_READ = 2_000_000  # bytes of a page
# pages of a report and URLs of a sitemap, the limit of the sitemap protocol
MAX_LISTED = 50_000
MAX_EVENTS = 200  # of a page
MAX_PERIOD_S = 30 * 86_400.0  # for which a crawler may keep a site
SLICE_S = 0.25  # of CPU, after which others have their turn
# beside inotify, which may miss what a network file system does
FULL_LOOK_S = 6 * 3600.0
CHUNK = 400
SCHEMA = """
CREATE TABLE IF NOT EXISTS folder (
  id INTEGER PRIMARY KEY, parent INTEGER, depth INTEGER NOT NULL, path TEXT NOT NULL UNIQUE
);
CREATE INDEX IF NOT EXISTS folder_by_parent ON folder (parent);
CREATE TABLE IF NOT EXISTS page (
  folder INTEGER NOT NULL, name TEXT NOT NULL, mtime INTEGER NOT NULL, size INTEGER NOT NULL,
  unread INTEGER NOT NULL DEFAULT 1,  -- 1 new or touched, 2 closer to the main page than when its links were read
  crc INTEGER, lastmod REAL, updates INTEGER NOT NULL DEFAULT 0,
  distance INTEGER,       -- links from the main page; NULL where no link is known
  left_out INTEGER NOT NULL DEFAULT 0,  -- needs a log-in, or is of another topic
  changed REAL,           -- since when it waits for a crawler; NULL: taken
  listed REAL,            -- since when it is in the report
  frequency REAL NOT NULL DEFAULT 0, level REAL NOT NULL DEFAULT 0.1, events TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (folder, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS waiting ON page (changed) WHERE changed IS NOT NULL;
CREATE INDEX IF NOT EXISTS to_read ON page (distance) WHERE unread > 0;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class WatcherError(Exception):
    """What stands in the way; the message is for people and says what to do."""


class WatcherRules(NamedTuple):
    """What the owner of the sites decides."""

    suffixes: tuple[str, ...] = PAGES
    exclude: tuple[str, ...] = ()  # patterns of paths that are nobody's business
    # words, one of which a page must hold; none: every page is reported
    topic: tuple[str, ...] = ()
    # minutes of the day, local time, in which ranking rests
    rush: tuple[tuple[int, int], ...] = ()
    reset: str = "event"  # of the flag, unless the crawler chooses: event or time
    period_s: float = 86_400.0  # of a reset by time
    key: bytes = b""  # shared with crawlers: the report is signed with it
    sitemap: bool = True
    share: float = 0.02  # of a core
    polling: bool = False


# --- what a page holds -------------------------------------------------------------------------------------------

# section 2.1.1, after Duda et al. 2009
EVENTS = "onload", "onclick", "ondblclick", "onmouseover"
_HAS_EVENT = re.compile(
    r"\bon(?:load|click|dblclick|mouseover)\b|addEventListener", re.IGNORECASE
)
_TAG = re.compile(r"<(/?[A-Za-z][A-Za-z0-9]{0,20})([^<>]{0,4000})>")
_LINKS = ("a", "area", "frame", "iframe")
_REFERENCE = re.compile(
    r"\b(?:href|src)\s{0,9}=\s{0,9}[\"']?([^\"'\s>]{1,2000})", re.IGNORECASE
)
_TYPE = re.compile(r"\btype\s{0,9}=\s{0,9}[\"']?(\w{1,20})", re.IGNORECASE)
_POST = re.compile(r"\bmethod\s{0,9}=\s{0,9}[\"']?post", re.IGNORECASE)
_NO_FIELDS = ("hidden", "submit", "button", "image", "reset")
_LITTLE = 200  # characters beside a form that has to be filled in
_PROPERTY = r"\.(?:innerHTML|outerHTML|textContent|innerText|value|src|href)"
_TARGET = re.compile(
    r"[A-Za-z_$][\w$.]{0,80}(?:\([^()]{0,80}\)[\w$.]{0,60}){0,2}"
    + _PROPERTY
    + r"(?=\s{0,9}\+?=(?!=))"
)
_CALLED = re.compile(
    r"\s{0,9}(?:javascript:\s{0,9})?(?:return\s{1,9})?([A-Za-z_$][\w$]{0,80})\s{0,9}\("
)
_BY_ID = re.compile(
    r"document\.(?:getElementById|querySelector)\(\s{0,9}[\"']#?([\w-]{1,60})[\"']\s{0,9}\)"
)
_ASSIGNED = re.compile(
    r"[^=;{}]{1,150}" + _PROPERTY + r"\s{0,9}=(?!=)\s{0,9}([^;=]{1,300});?\s{0,9}"
)
_SET_IN_SCRIPT = re.compile(
    r"(?:getElementById|querySelector)\(\s{0,9}[\"']#?([\w-]{1,60})[\"']\s{0,9}\)\s{0,9}\.(?:"
    r"(on(?:load|click|dblclick|mouseover))\s{0,9}=(?!=)|addEventListener\(\s{0,9}[\"'](load|click|dblclick|mouseover)[\"']"
    r"\s{0,9},)\s{0,9}([A-Za-z_$][\w$.]{0,100}|\()"
)
# code that means another thing on another element
_OWN = re.compile(r"\b(?:this|event|arguments)\b")


class _Handlers(HTMLParser):
    """Collects event, source and code of the handlers in the markup, and the text of scripts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, str, str]] = []
        self.script = ""
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_script = tag == "script"
        named = {name: value or "" for name, value in attrs}
        source = tag + ("#" + named["id"] if named.get("id") else "")
        source += "".join("." + part for part in named.get("class", "").split()[:3])
        self.found += [
            (name, source[:300], named[name].strip()[:300])
            for name in EVENTS
            if named.get(name, "").strip()
        ]

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - as its base calls it
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script and len(self.script) < MAX_READ:
            self.script += data


def events_of(text: str) -> list[dict[str, Any]]:
    """The rows {events}, {sources}, target, value of a page; events with the same target and value are one row."""
    if not _HAS_EVENT.search(text):
        return []
    page = _Handlers()
    page.feed(text)
    page.close()
    for element, handler, listened, code in _SET_IN_SCRIPT.findall(page.script):
        page.found.append(
            (
                handler or "on" + listened,
                "#" + element,
                code if code != "(" else "function",
            )
        )
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for name, source, code in page.found:
        target, value = _target(code, page.script), _value(code)
        key = (target, value, source) if _OWN.search(value) else (target, value)
        row = rows.setdefault(
            key, {"events": [], "sources": [], "target": target, "value": value}
        )
        for field, entry in (("events", name), ("sources", source)):
            if entry not in row[field]:
                row[field].append(entry)
    return list(rows.values())[:MAX_EVENTS]


def _value(code: str) -> str:
    """What code assigns, if it does nothing else; otherwise the code."""
    whole = _ASSIGNED.fullmatch(code)
    return whole.group(1).strip() if whole else code.rstrip("; \t\r\n")


def _target(code: str, script: str) -> str:
    """What code changes: named in the code itself, or in the function of the page that it calls."""
    found = _TARGET.search(code)
    called = None if found else _CALLED.match(code)
    if called:
        at = script.find("function " + called.group(1) + "(")
        found = _TARGET.search(script[at : at + 2000]) if at >= 0 else None
    return _BY_ID.sub(r"\1", found.group(0))[:100] if found else ""


class PageMarkup(NamedTuple):
    """What is read of a page beside its events."""

    links: set[str]
    needs_form: bool  # nothing can be read before a form is filled in: a log-in, or a form with little beside it


def markup_of(text: str) -> PageMarkup:
    links: set[str] = set()
    form = "no"  # then "post" inside of a form that is sent, "form" inside of any other
    is_login = is_asked = False
    beside = at = 0
    hidden = ""  # inside of what is no text
    for tag in _TAG.finditer(text):
        name, attributes = tag.group(1).lower(), tag.group(2)
        if form == "no" and not hidden:
            beside += len(text[at : tag.start()].strip())
        at = tag.end()
        if name in ("script", "style"):
            hidden = name
        elif name == "/" + hidden:
            hidden = ""
        elif name in _LINKS:
            links.update(
                match.group(1) for match in [_REFERENCE.search(attributes)] if match
            )
        elif name in ("form", "/form"):
            form = (
                "no"
                if name == "/form"
                else "post"
                if _POST.search(attributes)
                else "form"
            )
        elif name in ("input", "textarea"):
            kind = _TYPE.search(attributes)
            type_ = kind.group(1).lower() if kind and name == "input" else ""
            is_login = is_login or type_ == "password"
            is_asked = is_asked or (form == "post" and type_ not in _NO_FIELDS)
    beside += len(text[at:].strip())
    return PageMarkup(links, is_login or (is_asked and beside < _LITTLE))


# --- rank (section 2.1.1, equation 1) ----------------------------------------------------------------------------


def frequency(updates: int, fewest: int, most: int) -> float:
    """Normalised update frequency, 0 to 0.5."""
    return 0.5 * (updates - fewest) / (most - fewest) if most > fewest else 0.0


def categories(length: int) -> int:
    """Into how many groups pages beyond those that the main page links to are divided: sqrt((length - 1) / 2)."""
    return min(4, max(1, round(math.sqrt((length - 1) / 2))))


def level(distance: int, length: int) -> float:
    """Closeness to the main page in a site tree of so many levels: 0.5 for it and what it links to, then 0.4 to 0.1."""
    if distance <= 1:
        return 0.5
    group = (min(distance, length - 1) - 2) * categories(length) // max(1, length - 2)
    return round(0.4 - 0.1 * group, 1)


# --- one site ----------------------------------------------------------------------------------------------------

_LOCKED = re.compile(
    r"^\s*(?:AuthType\b|Require\s+(?:valid-user|user|group)\b)",
    re.IGNORECASE | re.MULTILINE,
)


class Site:
    """One site: its pages in a small database, its report, its flag."""

    def __init__(
        self,
        root: str,
        url: str,
        rules: WatcherRules,
        state: str,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.root = os.path.realpath(root)
        self.url = url if url.endswith("/") else url + "/"
        self.rules = rules
        self.now = now
        self.lock = threading.RLock()
        self.report = os.path.join(self.root, *REPORT.split("/"))
        self.inotify: Inotify | None = None
        self.is_dirty = True  # the report
        # when doing it again is within our share of the machine
        self._pays_at = {REPORT: 0.0, SITEMAP: 0.0, LOOK: 0.0}
        name = (
            hashlib.sha256((self.root + "\n" + self.url).encode()).hexdigest()[:24]
            + ".db"
        )
        os.makedirs(os.path.dirname(self.report), exist_ok=True)
        os.makedirs(state, mode=0o700, exist_ok=True)
        # never written, or removed by the owner: begin anew
        if not os.path.exists(self.report):
            for suffix in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    os.remove(os.path.join(state, name + suffix))
        self.db = sqlite3.connect(
            os.path.join(state, name), check_same_thread=False, isolation_level=None
        )
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.executescript(SCHEMA)
        self.db.create_function("frequency_of", 3, frequency)
        self.db.create_function("level_of", 2, level)
        self._top = self._folder("")

    def close(self) -> None:
        if self.inotify is not None:
            self.inotify.close()
        self.db.close()

    def meta(self, name: str, default: str = "") -> str:
        row = self.db.execute(
            "SELECT value FROM meta WHERE name = ?", (name,)
        ).fetchone()
        return str(row[0]) if row else default

    def note(self, **values: object) -> None:
        self.db.executemany(
            "REPLACE INTO meta VALUES (?, ?)",
            [(name, str(value)) for name, value in values.items()],
        )

    # the monitoring function

    def look_through(self, top: str = "") -> None:
        """Compare all folders from here on with what is known."""
        began = time.process_time()
        waiting = [top]
        while waiting:
            waiting += self.look(waiting.pop())
        if not top:
            self._spent(LOOK, time.process_time() - began)

    def look(self, folder: str) -> list[str]:
        """Compare one folder with what is known of it; the folders inside."""
        inside: list[str] = []
        path = os.path.join(self.root, folder)
        if self.inotify is not None and not self.inotify.add(path, folder):
            self.inotify = None  # more folders than the kernel may watch: from now on all are looked through
        with self.lock:
            number, count = self._folder(folder), 0
            self.db.execute("BEGIN")
            # gone, or closed to us
            with suppress(OSError), os.scandir(path) as entries:
                pages = (
                    iter(())
                    if _is_locked(path)
                    else self._pages_among(entries, folder, inside)
                )
                for some in iter(lambda: list(islice(pages, CHUNK)), []):
                    self._compare(number, some)
                    count += len(some)
            if (
                self.db.execute(
                    "SELECT count(*) FROM page WHERE folder = ?", (number,)
                ).fetchone()[0]
                != count
            ):
                self._forget_pages(number, path, folder)
            gone = [
                row[0]
                for row in self.db.execute(
                    "SELECT path FROM folder WHERE parent = ?", (number,)
                )
            ]
            for each in set(gone) - set(inside):
                self._forget_folder(each)
            self.db.execute("COMMIT")
        return inside

    def _folder(self, path: str) -> int:
        """The number of a folder, which is known from now on."""
        row = self.db.execute(
            "SELECT id FROM folder WHERE path = ?", (path,)
        ).fetchone()
        if row is not None:
            return int(row[0])
        above = self._folder(path[: path.rstrip("/").rfind("/") + 1]) if path else None
        sql = "INSERT INTO folder (parent, depth, path) VALUES (?, ?, ?)"
        return int(self.db.execute(sql, (above, path.count("/"), path)).lastrowid or 0)

    def _pages_among(
        self, entries: Iterator[Any], folder: str, inside: list[str]
    ) -> Iterator[tuple[str, int, int]]:
        for entry in entries:
            name, path = entry.name, folder + entry.name
            if name.startswith(".") or any(
                fnmatch.fnmatch(path, pattern) for pattern in self.rules.exclude
            ):
                continue
            if entry.is_dir(follow_symlinks=False):
                inside.append(path + "/")
            elif name.rpartition(".")[
                2
            ].lower() in self.rules.suffixes and not _is_for_crawlers(path):
                with suppress(OSError):  # gone meanwhile
                    found = entry.stat()
                    yield name, found.st_mtime_ns, found.st_size

    def _compare(self, number: int, some: list[tuple[str, int, int]]) -> None:
        sql = (
            "SELECT name, mtime, size FROM page WHERE folder = ? AND name IN (%s)"
            % ",".join("?" * len(some))
        )
        rows = self.db.execute(sql, [number, *(name for name, _, _ in some)])
        known = {name: (mtime, size) for name, mtime, size in rows}
        for name, mtime, size in some:
            if name not in known:
                distance = 0 if number == self._top and name in MAIN else None
                sql = "INSERT INTO page (folder, name, mtime, size, distance) VALUES (?, ?, ?, ?, ?)"
                self.db.execute(sql, (number, name, mtime, size, distance))
            elif known[name] != (mtime, size):
                sql = "UPDATE page SET mtime = ?, size = ?, unread = 1 WHERE folder = ? AND name = ?"
                self.db.execute(sql, (mtime, size, number, name))

    def _forget_pages(self, number: int, path: str, folder: str) -> None:
        rows = self.db.execute(
            "SELECT name FROM page WHERE folder = ?", (number,)
        ).fetchall()
        is_closed = _is_locked(path) or not os.path.isdir(path)
        gone = [
            (number, name)
            for (name,) in rows
            if is_closed or not os.path.isfile(os.path.join(path, name))
        ]
        excluded = [
            (number, name)
            for (name,) in rows
            for each in self.rules.exclude
            if fnmatch.fnmatch(folder + name, each)
        ]
        self.db.executemany(
            "DELETE FROM page WHERE folder = ? AND name = ?", gone + excluded
        )
        self.is_dirty = True

    def _forget_folder(self, folder: str) -> None:
        bounds = (folder, folder[:-1] + "0")  # "0" follows "/"
        self.db.execute(
            "DELETE FROM page WHERE folder IN (SELECT id FROM folder WHERE path >= ? AND path < ?)",
            bounds,
        )
        self.db.execute("DELETE FROM folder WHERE path >= ? AND path < ?", bounds)
        self.is_dirty = True

    def read(self, seconds: float = math.inf, *, with_ranks: bool = True) -> bool:
        """Read pages that are new, touched, or closer to the main page than before; are some left?"""
        end = time.process_time() + seconds
        most = 2 if with_ranks else 1
        ask = (
            "SELECT p.folder, path, name, mtime, size, crc, distance, unread FROM page p JOIN folder ON id = p.folder "
            "WHERE unread > 0 AND unread <= ? AND distance IS %s NULL ORDER BY distance LIMIT 50"
        )
        while True:
            with self.lock:
                rows = (
                    self.db.execute(ask % "NOT", (most,)).fetchall()
                    or self.db.execute(ask % "", (most,)).fetchall()
                )
                self.db.execute("BEGIN")
                for row in rows:
                    self._read_page(row)
                self.db.execute("COMMIT")
            if not rows or time.process_time() >= end:
                return bool(rows)

    def _read_page(self, row: tuple[Any, ...]) -> None:
        number, folder, name, mtime, size, crc, distance, unread = row
        place = (number, name)
        self.db.execute(
            "UPDATE page SET unread = 0 WHERE folder = ? AND name = ?", place
        )
        try:
            with open(os.path.join(self.root, folder, name), "rb") as file:
                body = file.read(MAX_READ)
        except OSError:
            return
        text = body.decode("utf-8", "replace")
        is_markup = name.rpartition(".")[2].lower() not in TEXTS
        markup = markup_of(text) if is_markup else PageMarkup(set(), False)
        if distance is not None:
            self._measure(self.address(folder, name), markup.links, distance + 1)
        mark = zlib.crc32(body, size & 0xFFFFFFFF)
        if unread == 1 and mark != crc:  # a file that was only touched has not changed
            is_for_us = not self.rules.topic or any(
                word.lower() in text.lower() for word in self.rules.topic
            )
            is_left_out = not is_for_us or markup.needs_form
            events = json.dumps(
                events_of(text) if is_markup and not is_left_out else []
            )
            self.db.execute(
                "UPDATE page SET crc = ?, lastmod = ?, updates = updates + (crc IS NOT NULL), left_out = ?, "
                "events = ?, changed = ?, listed = NULL WHERE folder = ? AND name = ?",
                (
                    mark,
                    mtime / 1e9,
                    is_left_out,
                    events,
                    None if is_left_out else self.now(),
                    *place,
                ),
            )
            self.is_dirty = True
            if (
                self.meta("flag") == "1"
                and self.meta("reset") == "event"
                and not is_left_out
            ):
                self._reset()

    def _measure(self, address: str, links: set[str], distance: int) -> None:
        """What a page links to is at most one link farther from the main page than the page itself."""
        for link in links:
            try:
                target = urljoin(address, link).partition("#")[0].partition("?")[0]
            except ValueError:
                continue
            if not target.startswith(self.url):
                continue
            folder, _, name = unquote(target[len(self.url) :]).rpartition("/")
            row = self.db.execute(
                "SELECT id FROM folder WHERE path = ?",
                (folder + "/" if folder else "",),
            ).fetchone()
            if row is None:
                continue
            names = (
                MAIN
                if not name
                else (name,)
                if "." in name
                else (name + ".html", name + ".php")
            )
            self.db.executemany(
                "UPDATE page SET distance = ?, unread = max(unread, 2 * (unread = 0)) "
                "WHERE folder = ? AND name = ? AND (distance IS NULL OR distance > ?)",
                [(distance, row[0], each, distance) for each in names],
            )

    def address(self, folder: str, name: str) -> str:
        return self.url + quote(folder + ("" if name in MAIN else name))

    # the ranking function

    def is_rush_hour(self) -> bool:
        clock = time.localtime(self.now())
        minute = clock.tm_hour * 60 + clock.tm_min
        return any(
            a <= minute < b if a <= b else minute >= a or minute < b
            for a, b in self.rules.rush
        )

    def rank(self) -> None:
        """Frequency and level of every page that waits, by equation 1 and the length of the site tree."""
        far = "coalesce(distance, (SELECT max(2, depth + 1) FROM folder WHERE id = page.folder))"
        fewest, most, deepest = self.db.execute(
            "SELECT min(updates), max(updates), max(coalesce(distance, max(2, depth + 1))) "
            "FROM page JOIN folder ON id = page.folder WHERE crc IS NOT NULL"
        ).fetchone()
        sql = "UPDATE page SET frequency = frequency_of(updates, ?, ?), level = level_of(%s, ?) WHERE changed IS NOT NULL"
        self.db.execute(sql % far, (fewest, most, (deepest or 0) + 1))

    # the flag (section 2.1.2)

    def asked(self, query: dict[str, str], at: float) -> None:
        """A crawler has read the report: the first one takes the site; what it says it has read leaves the report."""
        holder = query.get("crawler", "")[:64] or "unnamed"
        with self.lock:
            if self.meta("flag", "0") == "0":
                reset = query.get("reset", "")
                chosen = reset if reset in ("event", "time") else self.rules.reset
                period = min(
                    max(_number(query.get("period", ""), self.rules.period_s), 1.0),
                    MAX_PERIOD_S,
                )
                self.note(
                    flag=1,
                    holder=holder,
                    taken=at,
                    reset=chosen,
                    period_s=period,
                    has_read="",
                )
                self.is_dirty = True
            if self.meta("holder") != holder:
                return
            seen = (
                _timestamp(query.get("read", ""))
                if "read" in query
                else at - 1.0
                if holder == "unnamed"
                else 0.0
            )
            versions = [
                w for w in map(float, self.meta("versions").split()) if w <= seen + 1e-4
            ]
            if versions:
                self.db.execute(
                    "UPDATE page SET changed = NULL, listed = NULL WHERE listed <= ?",
                    (versions[-1] + 1e-4,),
                )
                self.note(since=versions[-1], has_read=1)
                self.is_dirty = True

    def expire(self) -> None:
        """Reset the flag where its time is over, or where whoever took the site never read the report."""
        if self.meta("flag") != "1":
            return
        held_s = self.now() - float(self.meta("taken"))
        period_s = (
            float(self.meta("period_s"))
            if self.meta("reset") == "time"
            else MAX_PERIOD_S
        )
        if held_s >= period_s or (held_s >= 3600 and not self.meta("has_read")):
            self._reset()

    def _reset(self) -> None:
        self.note(flag=0, holder="")
        self.is_dirty = True

    def hear(self, log: str) -> None:
        """Read on in the access log: who has read the report since?"""
        try:
            inode = os.stat(log).st_ino
        except OSError:
            return
        known = int(self.meta("log_inode", "0"))
        offset = int(self.meta("log_offset", "-1"))
        if (
            known
            and known != inode
            and os.path.exists(log + ".1")
            and os.stat(log + ".1").st_ino == known
        ):
            self._hear_from(log + ".1", offset)
        start = (
            offset
            if known == inode and os.path.getsize(log) >= offset
            else 0
            if known
            else os.path.getsize(log)
        )
        self.note(log_inode=inode, log_offset=self._hear_from(log, start))

    def _hear_from(self, log: str, start: int) -> int:
        wanted = urlsplit(self.url).path + REPORT
        with open(log, "rb") as file:
            file.seek(start)
            for raw in iter(lambda: file.readline(16_384), b""):
                if not raw.endswith(b"\n") and len(raw) < 16_384:
                    break  # being written
                start += len(raw)
                match = (
                    _LOG_LINE.match(raw.decode("utf-8", "replace"))
                    if REPORT.encode() in raw
                    else None
                )
                if (
                    match is None
                    or match.group(4) not in ("200", "304")
                    or match.group(2) != "GET"
                ):
                    continue
                path, _, query = match.group(3).partition("?")
                agent = match.group(5)
                is_crawler = (
                    "crawler=" in query or agent is None or _AGENT.search(agent)
                )
                if path == wanted and is_crawler:
                    self.asked(_flat(query), _log_time(match.group(1)))
        return start

    # what is written

    def is_due(self, what: str) -> bool:
        return self.now() >= self._pays_at[what]

    def _spent(self, what: str, cpu_s: float) -> None:
        self._pays_at[what] = self.now() + cpu_s / self.rules.share

    def write(self) -> None:
        """Write the report, whole or not at all; a page that was listed stays until a crawler takes the site."""
        began = time.process_time()
        with self.lock:
            version = round(
                max(self.now(), float(self.meta("versions", "0").split()[-1]) + 0.001),
                3,
            )
            room = (
                MAX_LISTED
                - self.db.execute(
                    "SELECT count(*) FROM page WHERE listed IS NOT NULL"
                ).fetchone()[0]
            )
            new = "changed IS NOT NULL AND listed IS NULL ORDER BY frequency + level DESC LIMIT ?"
            sql = (
                "UPDATE page SET listed = ? WHERE (folder, name) IN (SELECT folder, name FROM page WHERE %s)"
                % new
            )
            self.db.execute(sql, (version, max(room, 0)))
            versions = [*self.meta("versions").split()[-19:], str(version)]
            self.note(versions=" ".join(versions), since=self.meta("since", "0"))
            with _replacing(self.report) as file:
                signed = _Signed(file, self.rules.key)
                for piece in self._pieces(version):
                    signed.write(piece)
                file.write(signed.ending())
            self.is_dirty = False
        self._spent(REPORT, time.process_time() - began)

    def _pieces(self, version: float) -> Iterator[str]:
        waiting = self.db.execute(
            "SELECT count(*) FROM page WHERE changed IS NOT NULL"
        ).fetchone()[0]
        flag = int(self.meta("flag", "0"))
        since = float(self.meta("since", "0"))
        head = {
            "version": VERSION,
            "site": self.url,
            "flag": flag,
            "written": _iso(version),
            "holder": self.meta("holder"),
            "since": _iso(since) if since else "",
            "reset": self.meta("reset") or self.rules.reset,
            "waiting": waiting,
        }
        yield json.dumps(head)[:-1] + ', "pages": ['
        rows = self.db.execute(
            "SELECT path, name, frequency, level, changed, events FROM page JOIN folder ON id = page.folder "
            "WHERE listed IS NOT NULL ORDER BY round(frequency + level, 4) DESC, path, name"
        )
        comma = ""
        for path, name, often, close, changed, events in rows:
            page = {
                "url": self.address(path, name),
                "rank": round(often + close, 4),
                "frequency": round(often, 4),
                "level": close,
                "changed": _iso(changed),
            }
            yield '%s\n%s, "events": %s}' % (comma, json.dumps(page)[:-1], events)
            comma = ","
        yield "]"

    def write_sitemap(self) -> None:
        """All pages with the time of their last true change, for other crawlers; many as an index of parts."""
        began = time.process_time()
        with self.lock:
            count = self.db.execute(
                "SELECT count(*) FROM page WHERE crc IS NOT NULL AND NOT left_out"
            ).fetchone()[0]
            rows = self.db.execute(
                "SELECT path, name, lastmod FROM page JOIN folder ON id = page.folder "
                "WHERE crc IS NOT NULL AND NOT left_out"
            )
            parts = math.ceil(count / MAX_LISTED) if count > MAX_LISTED else 0
            names = ["%s-%d.xml" % (SITEMAP, n + 1) for n in range(parts)] or [
                SITEMAP + ".xml"
            ]
            for name in names:
                entries = (
                    ("url", self.address(p, n), at)
                    for p, n, at in islice(rows, MAX_LISTED)
                )
                self._write_xml(name, "urlset", entries)
            if parts:
                self._write_xml(
                    SITEMAP + ".xml",
                    "sitemapindex",
                    (("sitemap", self.url + n, self.now()) for n in names),
                )
        self._spent(SITEMAP, time.process_time() - began)

    def _write_xml(
        self, name: str, root: str, entries: Iterator[tuple[str, str, float]]
    ) -> None:
        with _replacing(os.path.join(self.root, name)) as file:
            file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
            file.write(
                '<%s xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n' % root
            )
            for tag, address, at in entries:
                # the only such character that an encoded address has
                place = address.replace("&", "&amp;")
                file.write(
                    "<%s><loc>%s</loc><lastmod>%s</lastmod></%s>\n"
                    % (tag, place, _iso(at), tag)
                )
            file.write("</%s>\n" % root)

    # turns

    def finish(self, log: str = "") -> None:
        """All there is to do, at once."""
        self.look_through()
        self.turn(log, math.inf)

    def turn(self, log: str = "", seconds: float = SLICE_S) -> None:
        """Read some of what changed, hear who took the site, rank unless it is rush hour, write what is due."""
        is_whole = seconds == math.inf
        rests = self.is_rush_hour() and not is_whole
        has_more = self.read(seconds, with_ranks=not rests)
        with self.lock:
            if log:
                self.hear(log)
            self.expire()
            if (
                not self.is_dirty
                or (has_more and not is_whole)
                or not (is_whole or self.is_due(REPORT))
            ):
                return
            if not rests:
                self.rank()
            self.write()
        if self.rules.sitemap and (is_whole or (not rests and self.is_due(SITEMAP))):
            self.write_sitemap()

    def follow(self) -> None:
        """Look where the kernel says that something happened; everywhere, where it does not say."""
        found = self.inotify.take() if self.inotify is not None else None
        if found is None:
            if self.inotify is not None or self.is_due(LOOK):
                self.look_through()
            return
        for folder, is_tree in found.items():
            if is_tree:
                self.look_through(folder)
            else:
                self.look(folder)


def _is_locked(path: str) -> bool:
    """Does the folder ask for a log-in, as Apache's .htaccess says it?"""
    try:
        with open(
            os.path.join(path, ".htaccess"), encoding="utf-8", errors="replace"
        ) as file:
            return _LOCKED.search(file.read(100_000)) is not None
    except OSError:
        return False


def _is_for_crawlers(path: str) -> bool:
    return path.startswith(SITEMAP) or path in ("robots.txt", "sitemap.xml")


class _replacing:  # noqa: N801 - used as a function
    """A text file that takes the place of another once it is whole."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> TextIO:
        number, self._new = tempfile.mkstemp(
            prefix=".geohound-", dir=os.path.dirname(self._path)
        )
        self._file = os.fdopen(number, "w", encoding="utf-8", newline="\n")
        return self._file

    def __exit__(self, kind: object, *_: object) -> None:
        self._file.close()
        if kind is None:
            os.chmod(self._new, 0o644)
            os.replace(self._new, self._path)
        else:
            os.remove(self._new)


class _Signed:
    """Text that ends with an HMAC-SHA256 of itself, where there is a key."""

    def __init__(self, file: TextIO, key: bytes) -> None:
        self._file = file
        self._mac = hmac.new(key, b"", hashlib.sha256) if key else None

    def write(self, piece: str) -> None:
        self._file.write(piece)
        if self._mac is not None:
            self._mac.update(piece.encode())

    def ending(self) -> str:
        return (
            ', "signature": "%s"}\n' % self._mac.hexdigest()
            if self._mac is not None
            else "}\n"
        )


# --- clocks and logs ---------------------------------------------------------------------------------------------

# Common and combined log format, with or without the name of the virtual host in front.
_LOG_LINE = re.compile(
    r"(?:\S{1,300} )?\S{1,300} \S{1,300} \S{1,300} \[([^\]]{10,40})\] "
    r'"([A-Z]{1,10}) (\S{1,4000}) [^"]{0,20}" (\d{3}) \S{1,20}'
    r'(?: "(?:[^"\\]|\\.){0,4000}" "((?:[^"\\]|\\.){0,4000})")?'
)
# whose reading of the report counts
_AGENT = re.compile(r"geohound|bot\b|crawl|spider", re.IGNORECASE)
_MONTHS = (
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
)


def _log_time(text: str) -> float:
    """When, from 18/Nov/2026:10:15:00 +0100; months are English whatever the machine speaks."""
    match = re.match(
        r"(\d{2})/([A-Z][a-z]{2})/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})",
        text,
    )
    if match is None or match.group(2) not in _MONTHS:
        return 0.0
    day, year, hour, minute, second = (int(match.group(n)) for n in (1, 3, 4, 5, 6))
    away_s = (int(match.group(8)) * 60 + int(match.group(9))) * (
        60 if match.group(7) == "+" else -60
    )
    try:
        month = _MONTHS.index(match.group(2)) + 1
        at = datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc)
    except ValueError:
        return 0.0
    return at.timestamp() - away_s


def _iso(at: float) -> str:
    return (
        datetime.fromtimestamp(at, timezone.utc)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )


def _timestamp(text: str) -> float:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0


def _number(text: str, default: float) -> float:
    try:
        number = float(text)
    except ValueError:
        return default
    return number if math.isfinite(number) else default


def _flat(query: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(query[:1000]).items()}


class Inotify:
    """What the Linux kernel reports of folders; OSError where there is no such thing."""

    # closed after writing, moved from, moved to, created, deleted
    _MASK = 0x8 | 0x40 | 0x80 | 0x100 | 0x200
    _NEW, _FOLDER, _OVERFLOW = 0x80 | 0x100, 0x40000000, 0x4000

    def __init__(self) -> None:
        import ctypes  # noqa: PLC0415 - not needed where folders are looked through

        self._library = ctypes.CDLL(None, use_errno=True)
        if not hasattr(self._library, "inotify_init1"):
            raise OSError("no inotify")
        self._number = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._number < 0:
            raise OSError("no inotify")
        self._folders: dict[int, str] = {}

    def add(self, path: str, folder: str) -> bool:
        watch = self._library.inotify_add_watch(
            self._number, os.fsencode(path), self._MASK | 0x01000000
        )  # folders only
        if watch >= 0:
            self._folders[watch] = folder
        return watch >= 0 or not os.path.isdir(path)

    def take(self) -> dict[str, bool] | None:
        """Folders in which something happened, and whether all below them is new; None if too much happened."""
        found: dict[str, bool] = {}
        while True:
            try:
                raw = os.read(self._number, 65_536)
            except BlockingIOError:
                return found
            at = 0
            while at < len(raw):
                watch, mask, _, length = struct.unpack_from("iIII", raw, at)
                name = os.fsdecode(raw[at + 16 : at + 16 + length].rstrip(b"\0"))
                at += 16 + length
                if mask & self._OVERFLOW:
                    return None
                folder = self._folders.get(watch)
                if folder is None or name.startswith((".", SITEMAP)):
                    continue
                found.setdefault(folder, False)
                if mask & self._FOLDER and mask & self._NEW:
                    found[folder + name + "/"] = True

    def close(self) -> None:
        os.close(self._number)


# --- the program -------------------------------------------------------------------------------------------------


def open_sites(
    roots: Sequence[str], urls: Sequence[str], rules: WatcherRules, state: str = ""
) -> list[Site]:
    """The sites of these folders; one address holds for all folders, or each has its own."""
    if len(urls) not in (1, len(roots)):
        raise WatcherError(
            "Give --site once, or once for each folder: %d folders, %d sites."
            % (len(roots), len(urls))
        )
    for url in urls:
        parts = urlsplit(url)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.query
            or parts.fragment
        ):
            raise WatcherError(
                "--site must be the address of the main page, such as https://example.org/, not %r."
                % url
            )
    home = os.environ.get("XDG_STATE_HOME") or os.path.join(
        os.path.expanduser("~"), ".local", "state"
    )
    folder = state or os.path.join(home, "geohound-watcher")
    found: list[Site] = []
    for root, url in zip(roots, list(urls) * (len(roots) if len(urls) == 1 else 1)):
        if not os.path.isdir(root):
            raise WatcherError(
                "%s is no folder. Name the folder that the web server serves." % root
            )
        try:
            found.append(Site(root, url, rules, folder))
        except (OSError, sqlite3.Error) as error:
            message = "%s or %s cannot be written: %s. Run the watcher as their owner, or choose another --state folder."
            raise WatcherError(
                message % (root, folder, getattr(error, "strerror", None) or error)
            ) from None
    return found


def run(
    sites: Sequence[Site],
    logs: Sequence[str] = (),
    once: bool = False,
    interval_s: float = 2.0,
    port: int = 0,
) -> Iterator[dict[str, Any]]:
    """Watch until stopped, or do everything once; events for whoever runs it."""
    paths = list(logs) * (len(sites) if len(logs) == 1 else 1) or [""] * len(sites)
    if len(paths) != len(sites):
        raise WatcherError("Give --access-log once, or once for each folder.")
    for path in logs:
        if not os.path.isfile(path):
            raise WatcherError(
                "%s is no access log that can be read. Check its name." % path
            )
    if once:
        for site, log in zip(sites, paths):
            site.finish(log)
            yield summary(site)
        return
    if port:
        listen(sites, port)
    for site in sites:
        with suppress(OSError):
            site.inotify = None if site.rules.polling else Inotify()
        site.look_through()
        how = "inotify" if site.inotify else "polling"
        yield {"event": "watching", "site": site.url, "report": site.report, "how": how}
    looked_at = time.monotonic()
    while True:
        began = time.process_time()
        if time.monotonic() - looked_at > FULL_LOOK_S:
            looked_at = time.monotonic()
            for site in sites:
                site.look_through()
        for site, log in zip(sites, paths):
            site.follow()
            site.turn(log)
        used_s = time.process_time() - began
        time.sleep(max(interval_s, used_s / sites[0].rules.share - used_s))


def summary(site: Site) -> dict[str, Any]:
    pages, left_out, listed = site.db.execute(
        "SELECT count(*), coalesce(sum(left_out), 0), coalesce(sum(listed IS NOT NULL), 0) FROM page"
    ).fetchone()
    numbers = {
        "pages": pages,
        "left_out": left_out,
        "listed": listed,
        "flag": int(site.meta("flag", "0")),
    }
    return {"event": "written", "site": site.url, "report": site.report, **numbers}


def listen(sites: Sequence[Site], port: int) -> Any:
    """Answer for the report on a loopback port, where the owner's server passes requests for it on to us."""
    from http.server import BaseHTTPRequestHandler, HTTPServer  # noqa: PLC0415 - few need it

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            name = self.headers.get("Host", "").lower()
            named = [
                site for site in sites if urlsplit(site.url).netloc.lower() == name
            ]
            site = (named or list(sites))[0] if named or len(sites) == 1 else None
            if site is None or not path.endswith("/" + REPORT):
                self.send_error(404)
                return
            with site.lock:
                if "crawler=" in query:
                    site.asked(_flat(query), site.now())
                    site.write()
                with open(site.report, "rb") as file:
                    body = file.read()
            self.send_response(200)
            for header in (
                ("Content-Type", "application/json"),
                ("Cache-Control", "no-store"),
            ):
                self.send_header(*header)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Crawlers come and go."""

    try:
        server = HTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise WatcherError(
            "Port %d cannot be used: %s. Choose another --listen."
            % (port, error.strerror)
        ) from None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def rush_hours(texts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Minutes of the day from 08:00-18:00."""
    found = []
    for text in texts:
        match = re.match(
            r"([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-4]):([0-5]\d)\Z", text
        )
        if match is None:
            raise WatcherError("Rush hours are written as 08:00-18:00, not %r." % text)
        hours = [int(group) for group in match.groups()]
        found.append((hours[0] * 60 + hours[1], hours[2] * 60 + hours[3]))
    return tuple(found)


def read_key(path: str) -> bytes:
    """The key that owner and crawler share, from a file."""
    if not path:
        return b""
    try:
        with open(path, "rb") as file:
            key = file.read(10_000).strip()
    except OSError as error:
        raise WatcherError(
            "The key file %s cannot be read: %s." % (path, error.strerror)
        ) from None
    if len(key) < 16:
        raise WatcherError(
            "The key in %s is too short; at least 16 characters are needed." % path
        )
    return key


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Keep a report of new and changed pages in web sites, for crawlers."
    )
    add = parser.add_argument
    add("root", nargs="+", metavar="ROOT", help="folder that the web server serves")
    add(
        "--site",
        action="append",
        required=True,
        metavar="URL",
        help="address of its main page; once for each ROOT",
    )
    add("--once", action="store_true", help="write the report and end")
    add(
        "--access-log",
        action="append",
        default=[],
        metavar="FILE",
        help="access log of the site, common or combined",
    )
    add(
        "--listen",
        type=int,
        default=0,
        metavar="PORT",
        help="answer for the report on this loopback port",
    )
    add(
        "--topic",
        action="append",
        default=[],
        metavar="WORD",
        help="report only pages with one of these words",
    )
    add(
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="leave out these paths, such as drafts/*",
    )
    _add_limits(parser)
    return parser.parse_args(words)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """How much the watcher may do, when, and where it keeps what it knows."""
    add = parser.add_argument
    add(
        "--rush",
        action="append",
        default=[],
        metavar="FROM-TO",
        help="hours in which ranking rests, as 08:00-18:00",
    )
    add(
        "--reset",
        choices=("event", "time"),
        default="event",
        help="of the flag, unless the crawler chooses",
    )
    add(
        "--period",
        type=float,
        default=86_400.0,
        metavar="SECONDS",
        help="of a reset by time",
    )
    add(
        "--key",
        default="",
        metavar="FILE",
        help="file with a key that crawlers share: the report is signed",
    )
    add("--no-sitemap", action="store_true", help="write no geohound-sitemap.xml")
    add(
        "--polling",
        action="store_true",
        help="look through all folders instead of asking the kernel",
    )
    add(
        "--share",
        type=float,
        default=2.0,
        metavar="PERCENT",
        help="of one core that may be used",
    )
    add(
        "--interval",
        type=float,
        default=2.0,
        metavar="SECONDS",
        help="between two looks",
    )
    add(
        "--state",
        default="",
        metavar="FOLDER",
        help="for the watcher's own database, outside of the site",
    )


def main(words: Sequence[str] | None = None) -> int:
    """The program without Geohound around it."""
    given = _options(words)
    try:
        rules = WatcherRules(
            exclude=tuple(given.exclude),
            topic=tuple(given.topic),
            rush=rush_hours(given.rush),
            reset=given.reset,
            period_s=given.period,
            key=read_key(given.key),
            sitemap=not given.no_sitemap,
            share=min(max(given.share, 0.1), 100.0) / 100,
            polling=given.polling,
        )
        sites = open_sites(given.root, given.site, rules, given.state)
        for event in run(
            sites, given.access_log, given.once, given.interval, given.listen
        ):
            sys.stdout.write(json.dumps(event) + "\n")
            sys.stdout.flush()
    except WatcherError as error:
        sys.stderr.write(str(error) + "\n")
        return 2
    except OSError as error:
        sys.stderr.write("The report cannot be written: %s.\n" % error.strerror)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
