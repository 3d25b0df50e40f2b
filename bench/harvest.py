"""Does a harvest of a large catalogue take the memory of a small one? A CSW on loopback, read by `geohound harvest`."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

HERE = Path(__file__).parent
HOSTS = 50  # that the records name, none of which is there


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    total = 0
    pages = 0

    def do_GET(self) -> None:
        asked = {
            name.lower(): values[-1]
            for name, values in parse_qs(urlsplit(self.path).query).items()
        }
        is_page = asked.get("request") == "GetRecords"
        body = (
            self._page(int(asked["startposition"]), int(asked["maxrecords"]))
            if is_page
            else b""
        )
        self.send_response(200 if is_page else 404)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _page(self, first: int, count: int) -> bytes:
        type(self).pages += 1
        last = min(first + count, self.total + 1)
        records = "".join(
            f"<Record><identifier>id-{n}</identifier><title>Record {n}</title><abstract>{'words of ' * 40}</abstract>"
            f'<references scheme="OGC:WMS">http://h{n % HOSTS}.test/wms/{n // HOSTS % 20}</references></Record>'
            for n in range(first, last)
        )
        following = 0 if last > self.total else last
        about = f'numberOfRecordsMatched="{self.total}" nextRecord="{following}"'
        return f"<GetRecordsResponse><SearchResults {about}>{records}</SearchResults></GetRecordsResponse>".encode()

    def log_message(self, *_: object) -> None: ...


def run(total: int) -> dict[str, Any]:
    Handler.total, Handler.pages = total, 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = {"HOST_DELAY_S": 0, "SLOW_HOST_FACTOR": 0, "ADDRESS_SHARE": 0, "RETRIES": 0, "PROCESSES": 1,
                "MAX_HARVEST_PAGES": 1_000_000, "MAX_PAGES_PER_HOST": 1_000_000}  # fmt: skip
    env = {
        **os.environ,
        **{f"GEOHOUND_{name}": str(value) for name, value in settings.items()},
    }
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "geohound", "harvest", "http://cat.test/csw", "--as", "csw", "--json", "--quiet",
            "--catalogue", f"{folder}/c.db", "--connect-to", f"*.test=127.0.0.1:{server.server_port}",
            "--allow-net", "127.0.0.0/8",
        ]  # fmt: skip
        began = time.monotonic()
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE)
        said = process.communicate()[0].splitlines()
        elapsed_s = time.monotonic() - began
    server.shutdown()
    server.server_close()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    summary = json.loads(said[-1])["summary"]
    return {
        "records": summary["records"],
        "pages": Handler.pages,
        "tested": summary["tested"],
        "elapsed_s": round(elapsed_s, 1),
        "largest_process_so_far_mb": round(used.ru_maxrss / 1024),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[2_000, 100_000])
    parser.add_argument("--out", type=Path, default=HERE / "results" / "harvest.json")
    asked = parser.parse_args()
    rows = [run(total) for total in sorted(asked.records)]
    result = {
        "command": "python bench/harvest.py",
        "load": os.getloadavg()[0],
        "runs": rows,
    }
    asked.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
