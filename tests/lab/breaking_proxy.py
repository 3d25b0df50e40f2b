"""A proxy that stands before a real server and breaks what it answers in one way at a time."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Final

PAGE: Final = b"<!doctype html><html><head><title>Our maps</title></head><body><p>We have a new site.</p></body></html>"
_CONTENT = re.compile(
    r"request=get(map|feature|tile|coverage)\b|/items\b|/\d+/\d+/\d+\.png|/wmts/(?!1\.0\.0)",
    re.IGNORECASE,
)
_BBOX = re.compile(r"(?<=[?&])bbox=([^&]*)", re.IGNORECASE)
_NOWHERE: Final = "BBOX=-60,-60,-59,-59"  # the sea of the lab is elsewhere


class BreakingProxy(BaseHTTPRequestHandler):
    """Passes on what the real server says, with its own address in it, unless `mode` says otherwise."""

    real = ""  # origin of the server behind it
    own = ""
    mode = ""

    def do_GET(self) -> None:
        is_content = _CONTENT.search(self.path) is not None
        if self.path == "/robots.txt":
            self._send(404, "text/plain", b"")
        elif self.mode == "moved":
            self._send(301, "text/plain", b"", Location=self.real + self.path)
        elif self.mode == "log-in" and is_content:
            self._send(
                401,
                "text/plain",
                b"who are you",
                **{"WWW-Authenticate": 'Basic realm="maps"'},
            )
        elif self.mode == "html" and is_content:
            self._send(200, "text/html", PAGE)
        else:
            self._pass_on(is_content=is_content)

    def _pass_on(self, *, is_content: bool) -> None:
        if self.mode == "slow" and is_content:
            time.sleep(3.0)
        status, kind, body = self._ask(self._path() if is_content else self.path)
        if self.mode == "truncated" and is_content:
            body = body[: len(body) // 2]
        self._send(status, kind, body.replace(self.real.encode(), self.own.encode()))

    def _path(self) -> str:
        """An empty map is one of nowhere; in a wrong projection the world is drawn, but not where it should be."""
        found = _BBOX.search(self.path)
        if found is None or self.mode not in ("empty", "wrong projection"):
            return self.path
        sides = [
            float(side) for side in re.split(",|%2C", found[1], flags=re.IGNORECASE)
        ]
        is_world = max(sides) - min(sides) >= 300
        if is_world and self.mode == "wrong projection":
            return self.path
        return _BBOX.sub(_NOWHERE, self.path)

    def _ask(self, path: str) -> tuple[int, str, bytes]:
        try:
            with urllib.request.urlopen(self.real + path, timeout=30) as answer:
                return answer.status, answer.headers["Content-Type"], answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers["Content-Type"], error.read()

    def _send(self, status: int, kind: str, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):  # who asks may be gone
            self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...
