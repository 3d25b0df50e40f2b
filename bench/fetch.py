"""What one fetch costs in CPU: bare pycurl, Geohound and aiohttp (where installed) in turns, from nginx on loopback."""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pycurl
import uvloop

from geohound import app
from geohound.settings import Settings

RESULTS = Path(__file__).parent / "results" / "fetch.json"
NGINX = """daemon off; worker_processes 1; pid %(dir)s/nginx.pid; error_log %(dir)s/error.log;
events { worker_connections 1024; }
http { access_log off; sendfile on; keepalive_requests 1000000; default_type text/html;
  client_body_temp_path %(dir)s/body; proxy_temp_path %(dir)s/proxy; fastcgi_temp_path %(dir)s/fcgi;
  uwsgi_temp_path %(dir)s/uwsgi; scgi_temp_path %(dir)s/scgi;
  server { listen 127.0.0.1:%(port)d; root %(dir)s; location / { try_files /page.html =404; }
    location = /robots.txt { try_files /robots.txt =404; } } }
"""
ROBOTS = (
    "User-agent: *\nDisallow: /private/\nDisallow: /*?session=\nAllow: /private/open$\n"
)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def serving(page_bytes: int):
    """nginx with one page under every name and path; its port."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="geohound-fetch-") as folder:
        (Path(folder) / "page.html").write_bytes(
            (b"<p>A line of a page with some words.</p>\n" * page_bytes)[:page_bytes]
        )
        (Path(folder) / "robots.txt").write_text(ROBOTS)
        Path(folder).chmod(0o755)  # nginx may serve as somebody else
        config = Path(folder) / "nginx.conf"
        config.write_text(NGINX % {"dir": folder, "port": port})
        server = subprocess.Popen(
            [
                shutil.which("nginx") or "/usr/sbin/nginx",
                "-p",
                folder,
                "-c",
                str(config),
                "-e",
                "stderr",
            ]
        )
        try:
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.02)
            yield port
        finally:
            server.terminate()
            server.wait()


def urls_for(requests: int, hosts: int) -> list[str]:
    return [
        f"http://h{n % hosts}.test/part{n % 7}/page{n}.html" for n in range(requests)
    ]


def bare(port: int, urls: list[str], hosts: int) -> int:
    """libcurl's multi interface as its own example has it: one handle for each host, no checks, no politeness."""
    multi = pycurl.CurlMulti()
    todo = iter(urls)
    done = 0

    def start(handle: pycurl.Curl) -> None:
        url = next(todo, None)
        if url is None:
            return
        handle.setopt(pycurl.URL, url)
        handle.body = BytesIO()
        handle.setopt(pycurl.WRITEFUNCTION, handle.body.write)
        multi.add_handle(handle)

    for _ in range(hosts):
        handle = pycurl.Curl()
        handle.setopt(pycurl.CONNECT_TO, [f"::127.0.0.1:{port}"])
        handle.setopt(pycurl.NOSIGNAL, 1)
        start(handle)
    while done < len(urls):
        while multi.perform()[0] == pycurl.E_CALL_MULTI_PERFORM:
            pass
        queued = 1
        while queued:
            queued, succeeded, failed = multi.info_read()
            for handle in succeeded:
                assert handle.getinfo(pycurl.RESPONSE_CODE) == 200
                handle.body.getvalue()
                multi.remove_handle(handle)
                done += 1
                start(handle)
            assert not failed
        multi.select(1.0)
    multi.close()
    return done


def ours(port: int, urls: list[str], hosts: int) -> int:
    """Our fetcher with everything on: guard, robots.txt, limits, slots, records."""

    async def run() -> int:
        routed = (f"*.test=127.0.0.1:{port}",)
        without_pauses = Settings(
            connect_to=routed,
            allow_nets=("127.0.0.0/8",),
            host_delay_s=0.0,
            slow_host_factor=0.0,
        )
        fetcher = app.fetcher(without_pauses)
        done = 0

        async def work(host: int) -> None:
            nonlocal done
            # as the frontier leases them: one at a time from each host
            for url in urls[host::hosts]:
                visit = await fetcher.fetch(url)
                assert visit.status == 200, visit
                done += 1

        await asyncio.gather(*map(work, range(hosts)))
        await fetcher.close()
        return done

    return uvloop.run(run())


def aiohttp_client(port: int, urls: list[str], hosts: int) -> int:
    import aiohttp  # noqa: PLC0415 - a peer, not a part

    class Resolver(aiohttp.abc.AbstractResolver):
        async def resolve(
            self, host: str, _port: int = 0, family: int = socket.AF_INET
        ) -> list[dict]:
            return [
                {
                    "hostname": host,
                    "host": "127.0.0.1",
                    "port": port,
                    "family": family,
                    "proto": 0,
                    "flags": 0,
                }
            ]

        async def close(self) -> None: ...

    async def run() -> int:
        todo = iter(urls)
        done = 0
        connector = aiohttp.TCPConnector(limit=hosts, resolver=Resolver())
        async with aiohttp.ClientSession(connector=connector) as session:

            async def work() -> None:
                nonlocal done
                for url in todo:
                    async with session.get(url) as answer:
                        await answer.read()
                        done += 1

            await asyncio.gather(*(work() for _ in range(hosts)))
        return done

    return uvloop.run(run())


def contestants() -> dict[str, Callable[[int, list[str], int], int]]:
    found: dict[str, Callable[[int, list[str], int], int]] = {
        "bare pycurl": bare,
        "geohound": ours,
    }
    try:
        import aiohttp  # noqa: F401, PLC0415
    except ImportError:
        return found
    return found | {"aiohttp": aiohttp_client}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--bytes", type=int, default=10_000)
    parser.add_argument(
        "--write", action="store_true", help="keep the result in bench/results"
    )
    wanted = parser.parse_args()
    urls = urls_for(wanted.requests, wanted.hosts)
    costs: dict[str, list[float]] = {}
    rates: dict[str, list[float]] = {}
    with serving(wanted.bytes) as port:
        for _ in range(wanted.rounds):
            for name, fetch_all in contestants().items():
                wall, cpu = time.perf_counter(), time.process_time()
                assert fetch_all(port, urls, wanted.hosts) == len(urls)
                costs.setdefault(name, []).append(
                    (time.process_time() - cpu) / len(urls) * 1e6
                )
                rates.setdefault(name, []).append(
                    len(urls) / (time.perf_counter() - wall)
                )
    report = {
        name: {
            "cpu_us_per_fetch": round(statistics.median(costs[name]), 1),
            "spread_us": [round(min(costs[name]), 1), round(max(costs[name]), 1)],
            "fetches_per_s": round(statistics.median(rates[name])),
        }
        for name in costs
    }
    told = {
        "command": " ".join(["bench/fetch.py", *sys.argv[1:]]),
        "python": sys.version.split()[0],
        "results": report,
    }
    print(json.dumps(told, indent=2))
    if wanted.write:
        RESULTS.write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
