"""How fast archives are read: rows of an index in Parquet and pages of a WARC file, a core-second; files made here."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import io
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet as pq

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "shared"))

from geohound import app  # noqa: E402
from geohound.crawler.archived_pages import mine_archived  # noqa: E402
from geohound.document import Document  # noqa: E402
from geohound.mining.map_page import Explorer  # noqa: E402
from geohound.model.crawl.harvest import HarvestPage  # noqa: E402
from geohound.model.visit import Page  # noqa: E402
from geoweb import Request, World, respond, revealing_pages  # noqa: E402


async def no_request(*_: Any, **__: Any) -> Any:
    raise AssertionError("a file of this machine needs no request")


class Nobody:
    fetch = staticmethod(no_request)

    async def close(self) -> None: ...


def index_file(folder: Path, rows: int) -> Path:
    """Addresses as long as those of the Web, one in a thousand of a service."""
    addresses = [
        f"https://www.site{n % 5000}.example/{n % 97}/articles/{n}-a-title-of-some-words"
        if n % 1000
        else f"https://gis{n}.example/geoserver/ows?service=WMS&request=GetCapabilities"
        for n in range(rows)
    ]
    status = pa.array([200] * rows, pa.int16())
    columns = {
        "url_surtkey": addresses,
        "url": addresses,
        "fetch_status": status,
        "warc_filename": addresses,
    }
    path = folder / "index.parquet"
    pq.write_table(
        pa.table(columns), path, row_group_size=rows // 2, compression="gzip"
    )
    return path


def archive_file(folder: Path, pages: int) -> Path:
    """Pages of the geoweb that name services."""
    world = World(seed=7, hosts=400)
    buffer = io.BytesIO()
    found = dict.fromkeys(
        page for placed in world.services for page in revealing_pages(world, placed)
    )
    for url in list(found)[:pages]:
        host, _, path = url.removeprefix("http://").partition("/")
        reply = respond(
            world,
            Request("GET", host, f"/{path.partition('?')[0]}", path.partition("?")[2]),
        )
        buffer.write(gzip.compress(_record(url, reply.body)))
    path = folder / "pages.warc.gz"
    path.write_bytes(buffer.getvalue())
    return path


def _record(url: str, body: bytes) -> bytes:
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    about = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:0>\r\nContent-Type: application/http\r\nContent-Length: {len(answer)}\r\n\r\n"
    )
    return about.encode() + answer + b"\r\n\r\n"


async def read(harvester: str, path: Path) -> tuple[int, int]:
    """Records and addresses of a file, mined where it holds pages."""
    part = app.harvesters()[harvester]
    book = app.address_book()
    explorer = Explorer(app.address_book())

    async def no_file(_: str) -> None:
        return None

    async def mine(document: Document) -> Page:
        return await explorer.explore(document, no_file, None)

    cursor, records, addresses = b"", 0, 0
    while True:
        page = await part.page(path.as_uri(), cursor, Nobody())
        assert isinstance(page, HarvestPage), page
        records += page.records
        whole = await mine_archived(page, mine, app.kinds(), book)
        addresses += len(whole.listed)
        if not page.next:
            return records, addresses
        cursor = page.next


def measure(harvester: str, path: Path) -> dict[str, Any]:
    began = time.process_time()
    records, addresses = asyncio.run(read(harvester, path))
    cpu_s = time.process_time() - began
    return {
        "harvester": harvester,
        "file_bytes": path.stat().st_size,
        "records": records,
        "addresses": addresses,
        "cpu_s": round(cpu_s, 2),
        "records_per_core_s": round(records / cpu_s),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "archives.json")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = [
            measure("parquet", index_file(Path(folder), asked.rows)),
            measure("warc", archive_file(Path(folder), asked.pages)),
        ]
    result = {
        "command": "python bench/archives.py",
        "load": os.getloadavg()[0],
        "runs": runs,
    }
    asked.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    for run in runs:
        print(run)


if __name__ == "__main__":
    main()
