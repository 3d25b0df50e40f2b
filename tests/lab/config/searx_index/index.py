"""The local index behind searx: full-text search over the pages of a small web, and these pages themselves."""

from __future__ import annotations

import html
import json
import sqlite3
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PER_PAGE = 10
PORT = int(sys.argv[1])
WMS = "$mapserver_url/cgi-bin/mapserv?map=BALTIC&service=WMS&request=GetCapabilities"
WPS = "$pywps_url/wps?service=WPS&request=GetCapabilities"
PAGES = {
    "/maps": (
        "Harbours of the Baltic: web map service",
        "Harbours and basins as WMS.",
        WMS,
    ),
    "/tides": (
        "Tides & currents",
        "Processes for harbours beside a WMS: größte Fläche, <em>depth</em>.",
        WPS,
    ),
    **{
        f"/notes/{number}": (
            f"Harbour notes, part {number}",
            "Notes of a harbour master, no map.",
            "/maps",
        )
        for number in range(1, 24)
    },
}

lock = threading.Lock()
database = sqlite3.connect(":memory:", check_same_thread=False)
database.execute(
    "CREATE VIRTUAL TABLE page USING fts5(path UNINDEXED, title, body, tokenize='porter unicode61')"
)
database.executemany(
    "INSERT INTO page VALUES (?, ?, ?)",
    [(path, title, body) for path, (title, body, _) in PAGES.items()],
)


def found(text: str, number: int) -> list[dict[str, str]]:
    """The pages that hold all words, a page of ten."""
    words = " ".join(f'"{word}"' for word in text.replace('"', " ").split())
    with lock:
        rows = database.execute(
            "SELECT path, title, body FROM page WHERE page MATCH ? ORDER BY rank, rowid LIMIT ? OFFSET ?",
            (words, PER_PAGE, (number - 1) * PER_PAGE),
        ).fetchall()
    return [
        {"url": f"http://127.0.0.1:{PORT}{path}", "title": title, "content": body}
        for path, title, body in rows
    ]


class Handler(BaseHTTPRequestHandler):
    """The search engine and its web."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = parse_qs(parts.query)
        if parts.path == "/search":
            rows = found(asked.get("q", [""])[0], int(asked.get("page", ["1"])[0]))
            self._send(200, "application/json", json.dumps({"results": rows}))
        elif parts.path == "/broken":
            self._send(500, "text/plain", "out of order")
        elif parts.path in PAGES:
            title, body, link = PAGES[parts.path]
            text = f"<title>{html.escape(title)}</title><p>{html.escape(body)}<p><a href='{html.escape(link)}'>more</a>"
            self._send(200, "text/html; charset=utf-8", text)
        else:
            self._send(200 if parts.path == "/" else 404, "text/plain", "a small web")

    def _send(self, status: int, content_type: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
