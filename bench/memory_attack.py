"""Forty hosts answer a few kB of gzip each that unpack to the limit of every answer: what memory does a crawl take?

Beside them stand small services, all of which must be found, and every huge answer must be settled: read, cut off or
refused, with a reason. Memory is that of the crawl and its children: what is shared counted once, many times a second
(`peak_mb`), and the sum of what each process had at its own worst moment (`sum_of_peaks_mb`), which misses nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from crawl_peers.measure import machine, tree, tree_cpu_s, tree_mb

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results" / "memory_attack.json"
LOOK_S = 0.05
GOOD = 10
MB = 1_000_000
HUGE = 79 * MB  # below the limit of a service's answer
_WMS_HEAD = (
    b"<?xml version='1.0'?><WMS_Capabilities version='1.3.0'><Service><Name>WMS</Name><Title>Maps</Title></Service>"
    b"<Capability><Request><GetMap><Format>image/png</Format></GetMap></Request>"
)
_WMS_TAIL = b"</Capability></WMS_Capabilities>"


def _repeated(head: bytes, unit: bytes, tail: bytes, size: int) -> bytes:
    return head + unit * ((size - len(head) - len(tail)) // len(unit)) + tail


def _wms(unit: bytes, size: int) -> bytes:
    return _repeated(_WMS_HEAD + b"<Layer>", unit, b"</Layer>" + _WMS_TAIL, size)


def _small_layers() -> bytes:
    return _wms(b"<Layer><Name>a</Name><Title>b</Title></Layer>", HUGE)


def _long_abstracts() -> bytes:
    words = b"Water levels of the river, measured daily. " * 45
    return _wms(
        b"<Layer><Name>a</Name><Title>b</Title><Abstract>"
        + words
        + b"</Abstract></Layer>",
        HUGE,
    )


def _many_nodes() -> bytes:
    """Below the size from which a document is read as a stream: all of it becomes a tree."""
    return _wms(b"<a/>", 7_900_000)


def _many_attributes() -> bytes:
    return _wms(b"<Layer><Name>a</Name><Style b='' c='' d=''/></Layer>", HUGE)


def _feature_types() -> bytes:
    head = (
        b"<WFS_Capabilities version='2.0.0' xmlns='http://www.opengis.net/wfs/2.0'>"
        b"<ServiceIdentification><Title>Maps</Title></ServiceIdentification><FeatureTypeList>"
    )
    unit = b"<FeatureType><Name>a</Name><Title>b</Title></FeatureType>"
    return _repeated(head, unit, b"</FeatureTypeList></WFS_Capabilities>", HUGE)


def _json_objects() -> bytes:
    return _repeated(
        b'{"currentVersion": 10.9, "description": "Maps", "services": [',
        b"{},",
        b"{}]}",
        1_400_000,
    )


def _json_numbers() -> bytes:
    return _repeated(
        b'{"currentVersion": 10.9, "mapName": "Maps", "layers": [',
        b"[1.5],",
        b"[]]}",
        4_400_000,
    )


def _page_of_text() -> bytes:
    """One letter beyond the basic plane: as text, every character takes four bytes."""
    return b"<html><title>Maps</title>" + "🌍".encode() + b"<p>water " * (HUGE // 9)


Shape = tuple[str, Callable[[], bytes], str]
SHAPES: Mapping[str, Shape] = {
    "small layers": (
        "/wms?service=WMS&request=GetCapabilities",
        _small_layers,
        "text/xml",
    ),
    "long abstracts": (
        "/ows?service=WMS&request=GetCapabilities",
        _long_abstracts,
        "text/xml",
    ),
    "many nodes": (
        "/cgi-bin/mapserv?service=WMS&request=GetCapabilities",
        _many_nodes,
        "text/xml",
    ),
    "many attributes": (
        "/geoserver/wms?service=WMS&request=GetCapabilities",
        _many_attributes,
        "text/xml",
    ),
    "feature types": (
        "/wfs?service=WFS&request=GetCapabilities",
        _feature_types,
        "text/xml",
    ),
    "JSON objects": ("/arcgis/rest/services?f=json", _json_objects, "application/json"),
    "JSON numbers": (
        "/arcgis/rest/services/a/MapServer?f=json",
        _json_numbers,
        "application/json",
    ),
    "a page": (
        "/ogc/wms?service=WMS&request=GetCapabilities",
        _page_of_text,
        "text/html",
    ),
}


def _page(title: str, *links: str) -> bytes:
    anchors = "".join(f"<p><a href='{link}'>{link}</a></p>" for link in links)
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{anchors}</body></html>".encode()


def _huge_page() -> bytes:
    return _repeated(
        b"<html><title>Maps</title><body>",
        b"<p><b>map</b><a href='/x'>x</a>",
        b"</body></html>",
        4_900_000,
    )


def _small_service(host: str) -> bytes:
    layers = b"".join(
        b"<Layer><Name>l%d</Name><Title>Roads %d</Title></Layer>" % (n, n)
        for n in range(5)
    )
    return (
        _WMS_HEAD.replace(b"Maps", host.encode())
        + b"<Layer><Title>All</Title>"
        + layers
        + b"</Layer>"
        + _WMS_TAIL
    )


def _pack_all(shape_of: Mapping[str, str]) -> dict[str, bytes]:
    """What each host answers: services of the same content would be one service with many addresses."""
    plain = {shape: SHAPES[shape][1]() for shape in set(shape_of.values())}
    with ThreadPoolExecutor() as pool:
        packed = pool.map(
            lambda host: gzip.compress(_signed(plain[shape_of[host]], host)), shape_of
        )
        return dict(zip(shape_of, packed, strict=True))


def _signed(body: bytes, host: str) -> bytes:
    return body.replace(b"Maps", f"Maps of {host}".encode(), 1)


class Web:
    """All hosts under .test, on one port of loopback, in a thread of its own."""

    def __init__(self, hosts: int, shapes: list[str]) -> None:
        self.shape_of = {f"huge{n}.test": shapes[n % len(shapes)] for n in range(hosts)}
        self.good = [f"good{n}.test" for n in range(GOOD)]
        self._packed = _pack_all(self.shape_of)
        self._huge_page = gzip.compress(_huge_page(), 9)
        self.asked: Counter[str] = Counter()
        self.port = 0
        self._ready = threading.Event()

    @property
    def sizes(self) -> dict[str, int]:
        return {
            self.shape_of[host]: len(packed) for host, packed in self._packed.items()
        }

    @property
    def huge(self) -> set[str]:
        return {
            f"http://{host}{SHAPES[shape][0]}" for host, shape in self.shape_of.items()
        }

    def start(self) -> None:
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self._ready.wait(10)

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0, backlog=500)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await server.serve_forever()

    async def _talk(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                host = next(
                    line[6:] for line in lines if line.lower().startswith("host: ")
                )
                body, kind, packed = self._answer(host, lines[0].split(" ")[1])
                coding = "Content-Encoding: gzip\r\n" if packed else ""
                status = "200 OK" if kind else "404 Not Found"
                writer.write(
                    f"HTTP/1.1 {status}\r\nContent-Type: {kind or 'text/plain'}\r\n{coding}"
                    f"Content-Length: {len(body)}\r\n\r\n".encode()
                    + body
                )
                await writer.drain()
        except (OSError, EOFError):
            pass
        finally:
            writer.close()

    def _answer(self, host: str, path: str) -> tuple[bytes, str, bool]:
        """Body, content type (empty: not there), and whether it is packed."""
        self.asked[f"http://{host}{path}"] += 1
        shape = self.shape_of.get(host)
        if host == "hub.test" and path == "/":
            return (
                _page(
                    "Geodata", *(f"http://{h}/" for h in (*self.shape_of, *self.good))
                ),
                "text/html",
                False,
            )
        if host in self.good:
            if path == "/":
                return (
                    _page(host, "/wms?service=WMS&request=GetCapabilities"),
                    "text/html",
                    False,
                )
            return (
                (_small_service(host), "text/xml", False)
                if path.startswith("/wms")
                else (b"", "", False)
            )
        if shape is None or path == "/robots.txt":
            return b"", "", False
        address, _, kind = SHAPES[shape]
        if path == "/":
            return _page(host, address, "/maps.html"), "text/html", False
        if path == "/maps.html":
            return self._huge_page, "text/html", True
        return (self._packed[host], kind, True) if path == address else (b"", "", False)


def _peak_mb(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return (
        int(status.partition("VmHWM:")[2].split()[0]) / 1024
        if "VmHWM:" in status
        else 0.0
    )


def crawl(web: Web, folder: Path, source: Path, max_s: float) -> dict[str, Any]:
    """One crawl with the default settings, and what it took."""
    catalogue = folder / "catalogue.db"
    command = [
        sys.executable,
        "-m",
        "geohound",
        "crawl",
        "http://hub.test/",
        "--json",
        "--catalogue",
        str(catalogue),
    ]
    command += [
        "--connect-to",
        f"*.test=127.0.0.1:{web.port}",
        "--allow-net",
        "127.0.0.0/8",
    ]
    command += ["--max-time", str(max_s)]
    env = {**os.environ, "PYTHONPATH": str(source)}
    begun = time.monotonic()
    with (folder / "said").open("wb") as out:
        process = subprocess.Popen(command, env=env, stdout=out, start_new_session=True)
    peak_mb, cpu_s, peaks = 0.0, 0.0, {}
    try:
        while process.poll() is None and time.monotonic() - begun < max_s + 60:
            peak_mb = max(peak_mb, tree_mb(process.pid))
            cpu_s = max(cpu_s, tree_cpu_s(process.pid))
            peaks |= {
                pid: max(peaks.get(pid, 0.0), _peak_mb(pid))
                for pid in tree(process.pid)
            }
            time.sleep(LOOK_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    wall_s = time.monotonic() - begun
    return {
        "peak_mb": round(peak_mb), "sum_of_peaks_mb": round(sum(peaks.values())),
        "peaks_mb": [round(mb) for mb in peaks.values()],  # the crawl's first, then those that read for it
        "wall_s": round(wall_s, 1), "cpu_s": round(cpu_s, 1), "status": process.returncode,
    }  # fmt: skip


def outcome(web: Web, folder: Path, source: Path) -> dict[str, Any]:
    """What became of the good services and of every huge answer."""
    events = [
        json.loads(line)
        for line in (folder / "said").read_text().splitlines()
        if line.startswith("{")
    ]
    found = {event["endpoint"] for event in events if event.get("event") == "service"}
    command = [
        sys.executable,
        "-m",
        "geohound",
        "visits",
        "--json",
        "--catalogue",
        str(folder / "catalogue.db"),
    ]
    told = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        check=True,
    )
    visits = {
        visit["url"]: visit for visit in map(json.loads, told.stdout.splitlines())
    }
    ends: dict[str, Counter[str]] = {}
    for url in web.huge:
        shape = web.shape_of[url.split("/")[2]]
        visit = visits.get(url)
        end = (
            "lost"
            if visit is None
            else visit.get("reason") or visit.get("state") or "settled"
        )
        ends.setdefault(shape, Counter())[
            f"{end}, service found" if _is_in(url, found) else str(end)
        ] += 1
    summary = next(
        (event["summary"] for event in reversed(events) if "summary" in event), {}
    )
    return {
        "good_services_missing": [
            host for host in web.good if not _is_in(f"http://{host}/wms", found)
        ],
        "huge_answers": {shape: dict(count) for shape, count in sorted(ends.items())},
        "huge_answers_asked_again": sum(web.asked[url] > 1 for url in web.huge),
        "ended": summary.get("ended"),
        "drops": summary.get("drops"),
    }


def _is_in(url: str, endpoints: set[str]) -> bool:
    return any(
        endpoint.partition("?")[0] == url.partition("?")[0] for endpoint in endpoints
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=40)
    parser.add_argument(
        "--shapes",
        default=",".join(SHAPES),
        help="kinds of huge answers, separated by commas",
    )
    parser.add_argument(
        "--source", type=Path, default=ROOT / "src", help="the code that crawls"
    )
    parser.add_argument("--max-s", type=float, default=300.0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    web = Web(args.hosts, args.shapes.split(","))
    web.start()
    with tempfile.TemporaryDirectory() as folder:
        took = crawl(web, Path(folder), args.source, args.max_s)
        result = {
            "command": " ".join(["python", *sys.argv]), "machine": machine(), "hosts": args.hosts,
            "packed_bytes": web.sizes, **took, **outcome(web, Path(folder), args.source),
        }  # fmt: skip
    text = json.dumps(result, indent=2, ensure_ascii=False) + "\n"
    args.out.write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
