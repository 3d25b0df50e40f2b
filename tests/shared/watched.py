"""A site in a folder, its watcher, and a clock that only moves when it is moved."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any

from loopback import running

from geohound.watcher import Site, WatcherRules

NOON = 1_784_102_400.0  # 15 July 2026, 08:00 UTC
URL = "http://site.test/"


class WatchedSite:
    """What a site owner does, and what a crawler reads."""

    def __init__(self, folder: Path, rules: WatcherRules, url: str = URL) -> None:
        self.url = url
        self.at = NOON
        self.root = folder / "site"
        self.root.mkdir(exist_ok=True)
        self.log = folder / "access.log"
        self.state = folder / "state"
        self.rules = rules
        self.site = self.open()
        self._stamp = 1_700_000_000

    def open(self) -> Site:
        return Site(
            str(self.root), self.url, self.rules, str(self.state), lambda: self.at
        )

    def write(self, name: str, text: str) -> None:
        """A page, whose time stamp is new even if the test is quick."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self._stamp += 1
        os.utime(path, (self._stamp, self._stamp))

    def after(self, seconds: float) -> None:
        self.at += seconds

    def run(self) -> dict[str, Any]:
        """What `--once` does, in a process of its own; the report as a crawler reads it."""
        self.site.close()
        self.site = self.open()
        self.site.finish(str(self.log) if self.log.exists() else "")
        return self.report()

    def report(self) -> dict[str, Any]:
        return dict(
            json.loads(
                (self.root / ".well-known" / "geohound-watcher.json").read_text()
            )
        )

    def pages(self) -> dict[str, dict[str, Any]]:
        return {page["url"].removeprefix(URL): page for page in self.report()["pages"]}

    def visit(
        self, query: str = "", agent: str | None = None, status: int = 200
    ) -> None:
        """A line of the access log: somebody reads the report now."""
        when = datetime.fromtimestamp(self.at, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
        address = f"/.well-known/geohound-watcher.json{'?' + query if query else ''}"
        more = "" if agent is None else f' "-" "{agent}"'
        with self.log.open("a") as log:
            log.write(
                f'192.0.2.7 - - [{when}] "GET {address} HTTP/1.1" {status} 512{more}\n'
            )


class SiteServer(ThreadingHTTPServer):
    """Serves the folder of a site, writes the access log, and has the watcher read it at once."""

    def __init__(self, watched: WatchedSite) -> None:
        self.watched = watched
        self.paths: list[str] = []
        self.turn = Lock()
        super().__init__(
            ("127.0.0.1", 0), partial(_SiteHandler, directory=str(watched.root))
        )

    @property
    def pages(self) -> list[str]:
        """What was asked for, without robots.txt and the report."""
        return [
            path
            for path in self.paths
            if path != "/robots.txt" and "/.well-known/" not in path
        ]

    @property
    def questions(self) -> list[str]:
        return [path for path in self.paths if "/.well-known/" in path]


class _SiteHandler(SimpleHTTPRequestHandler):
    server: SiteServer

    def do_GET(self) -> None:
        super().do_GET()
        with self.server.turn:
            self.server.paths.append(self.path)
            if "/.well-known/" in self.path:
                self.server.watched.visit(
                    self.path.partition("?")[2], self.headers["User-Agent"]
                )
                self.server.watched.site.turn(str(self.server.watched.log), inf)

    def log_message(self, *_: object) -> None: ...


@contextmanager
def serving(watched: WatchedSite) -> Iterator[SiteServer]:
    server = SiteServer(watched)
    with running(server):
        yield server


@contextmanager
def watched_site(
    folder: Path, rules: WatcherRules | None = None
) -> Iterator[WatchedSite]:
    site = WatchedSite(folder, rules or WatcherRules())
    site.log.touch()
    try:
        yield site
    finally:
        site.site.close()
