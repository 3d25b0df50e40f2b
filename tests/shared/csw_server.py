"""A CSW on loopback with as many records as wanted, which remembers the positions that it was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from harvest_examples import PER_PAGE, asked_for, csw_page
from loopback import running

from geoweb import Request, ServiceSpec, services

CSW = ServiceSpec("csw", "2.0.2", 9, "http://cat.test/csw", topic="rivers")


class Catalogue(ThreadingHTTPServer):
    """The CSW is http://cat.test/csw; of the hosts that it names, the first `alive` are there."""

    def __init__(self, total: int, alive: int = 0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.total = total
        self.alive = alive
        self.positions: list[int] = []
        self.asked: list[str] = []
        self.has_sisters = False  # do these hosts have a WFS that nobody names?
        # of cat.test, by path and query: type and bytes
        self.files: dict[str, tuple[str, bytes]] = {}
        # parts of files: path and how many bytes were sent
        self.ranges: list[tuple[str, int]] = []
        # 0: there is none; records after it are answered with `breakage`
        self.last_position = 0
        self.breakage: tuple[int, bytes] = (500, b"")


class _Handler(BaseHTTPRequestHandler):
    server: Catalogue

    def do_GET(self) -> None:
        is_ours = self.headers["Host"].partition(":")[0] == "cat.test"
        if is_ours and self.path in self.server.files:
            self._send_file(*self.server.files[self.path])
            return
        status, body = self._answer()
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send_file(self, content_type: str, body: bytes) -> None:
        self.server.asked.append(self.path)
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        total = len(body)
        first = 0
        if wanted:
            first = int(wanted[1]) if wanted[1] else max(0, total - int(wanted[2]))
            last = int(wanted[2]) if wanted[1] and wanted[2] else total - 1
            body = body[first : last + 1]
            self.server.ranges.append((self.path, len(body)))
        is_past = bool(wanted) and first >= total
        self.send_response(416 if is_past else 206 if wanted else 200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if wanted and not is_past:
            self.send_header(
                "Content-Range", f"bytes {first}-{first + len(body) - 1}/{total}"
            )
        self.end_headers()
        self.wfile.write(body)

    def _answer(self) -> tuple[int, bytes]:
        host = self.headers["Host"].partition(":")[0]
        if host != "cat.test" or not self.path.startswith("/csw"):
            return self._answer_as(host)
        self.server.asked.append(self.path)
        asked = asked_for(self.path)
        if asked.get("request") != "GetRecords":
            reply = services.answer(
                CSW, Request("GET", "cat.test", "/csw", self.path.partition("?")[2])
            )
            return (reply.status, reply.body) if reply else (404, b"")
        first = int(asked["startposition"])
        self.server.positions.append(first)
        if 0 < self.server.last_position < first:
            return self.server.breakage
        following = first + PER_PAGE if first + PER_PAGE <= self.server.total else 0
        count = min(PER_PAGE, self.server.total - first + 1)
        return 200, csw_page(first, count, following, self.server.total).encode()

    def _answer_as(self, host: str) -> tuple[int, bytes]:
        number = host.removeprefix("h").removesuffix(".test")
        if not number.isdecimal() or int(number) > self.server.alive:
            return 404, b""
        path, _, query = self.path.partition("?")
        if path == "/wfs" and self.server.has_sisters:
            spec = ServiceSpec(
                "wfs", "2.0.0", int(number), f"http://{host}/wfs", topic="rivers"
            )
        elif path.startswith("/wms"):
            spec = ServiceSpec(
                "wms", "1.3.0", int(number), f"http://{host}/wms", topic="rivers"
            )
        else:
            return 404, b""
        reply = services.answer(spec, Request("GET", host, path[:4], query))
        return (reply.status, reply.body) if reply else (404, b"")

    def log_message(self, *_: object) -> None: ...


@contextmanager
def running_catalogue(total: int, alive: int = 0) -> Iterator[Catalogue]:
    server = Catalogue(total, alive)
    with running(server):
        yield server
