"""A process that reads pages is killed in mid-crawl: its work goes to another, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from loopback import serving

HOSTS, PAGES = 6, 8


def page(host: str, number: int) -> bytes:
    links = (
        "".join(f'<a href="http://h{n}.test/p0.html">host</a>' for n in range(HOSTS))
        if number == 0
        else ""
    )
    following = f'<a href="p{number + 1}.html">next</a>' if number + 1 < PAGES else ""
    return f"<title>{host} {number}</title><p>{'word ' * number}{host}</p>{following}{links}".encode()


def workers_of(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"geohound.worker" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


@pytest.mark.slow
def test_killing_workers_in_mid_crawl_loses_no_page(tmp_path: Path) -> None:
    """WBC-9, Alqaraleh, Ramadan & Salamah 2015, section 2.3, property 6: failure recovery."""
    asked: list[str] = []
    lock = threading.Lock()

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host, name = self.headers["Host"].partition(":")[0], self.path.strip("/")
            number = int(name[1:-5]) if name.endswith(".html") else -1
            with lock:
                asked.append(host + self.path)
            time.sleep(0.05)
            body = page(host, number) if number >= 0 else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    with serving(Site) as origin:
        quick = {
            "GEOHOUND_HOST_DELAY_S": "0.05",
            "GEOHOUND_PROCESSES": "2",
            "GEOHOUND_SLOW_HOST_FACTOR": "0",
        }
        command = [
            sys.executable, "-m", "geohound", "crawl", "http://h0.test/p0.html", "--json", "--catalogue",
            str(tmp_path / "c.db"), "--connect-to", f"*.test={origin.removeprefix('http://')}",
            "--allow-net", "127.0.0.0/8",
        ]  # fmt: skip
        with subprocess.Popen(
            command, env={**os.environ, **quick}, stdout=subprocess.PIPE, text=True
        ) as crawl:
            killed = []
            for wanted in (10, 25):
                while (
                    sum(".html" in path for path in asked) < wanted
                    and crawl.poll() is None
                ):
                    time.sleep(0.005)
                victims = [pid for pid in workers_of(crawl.pid) if pid not in killed]
                os.kill(victims[0], signal.SIGKILL)
                killed.append(victims[0])
            assert crawl.stdout is not None
            last = crawl.stdout.read().splitlines()[-1]
    assert crawl.returncode == 0
    assert len(killed) == 2
    found = json.loads(last)["summary"]
    assert found["pages"] == HOSTS * PAGES
    assert {path for path in asked if ".html" in path} == {
        f"h{h}.test/p{n}.html" for h in range(HOSTS) for n in range(PAGES)
    }
    assert "internal error" not in found["drops"]
