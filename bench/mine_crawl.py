"""What a crawl finds in the map apps of `tests/mining/apps`, beside what `geohound mine` finds in the same ones.

All apps and the services behind them stand on one loopback server, which counts every request. One crawl begins at all
pages; `mine` reads each page for itself. A service counts for the crawl once it is confirmed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests" / "mining")]

import mine  # noqa: E402 - the benchmark beside this one
import webapps  # noqa: E402 - tests are no packages
from geoweb_rig import Observed  # noqa: E402

from geohound import library  # noqa: E402
from geohound.net.clock import SystemClock  # noqa: E402
from geohound.stores.sqlite import open_store  # noqa: E402
from geoweb import World, server, services  # noqa: E402
from geoweb.protocol import Reply, Request, ServiceSpec  # noqa: E402

RESULTS = HERE / "results" / "mine_crawl.json"
_NO_SUCH = Reply(404, "text/html", b"<html><title>Not found</title></html>")


def plain(text: str) -> str:
    """The same without encryption, which the loopback server has not."""
    return text.replace("https:", "http:").replace("https%3A", "http%3A")


@dataclass
class AppWeb:
    """Every file of the apps, every service behind them, and what was asked."""

    apps: tuple[webapps.App, ...]
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    truth: dict[str, list[ServiceSpec]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for app in self.apps:
            for url, text in app.files.items():
                self.files[plain(url)] = (
                    webapps.content_type(url),
                    plain(text).encode(),
                )
            for service in app.services:
                for endpoint in service.endpoints:
                    self._add(service.kind, plain(endpoint))

    def _add(self, kind: str, endpoint: str) -> None:
        if kind in services.KINDS:
            spec = ServiceSpec(
                kind,
                services.VERSIONS[kind][0],
                sum(map(len, self.truth.values())) + 1,
                endpoint,
                topic="rivers",
            )
            self.truth.setdefault(webapps.key(endpoint)[0], []).append(spec)

    def answer(self, host: str, address: str) -> Reply:
        url = f"http://{host}{address}"
        self.asked[url] += 1
        found = self.files.get(url) or self.files.get(url.partition("?")[0])
        if found:
            return Reply(200, *found)
        path, _, query = address.partition("?")
        said = query.lower()
        specs = self.truth.get(webapps.key(url)[0], [])
        named = [s for s in specs if f"service={s.kind}" in said]
        replies = [
            services.answer(s, Request("GET", host, path, query))
            for s in named or specs
        ]
        kept = [r for r in replies if r is not None]
        return next((r for r in kept if r.status == 200), kept[0] if kept else _NO_SUCH)


@contextmanager
def serving(web: AppWeb) -> Iterator[int]:
    """The web on a port of its own: the geoweb's server with other answers."""

    def respond(_world: object, request: Request, _moods: object = None) -> Reply:
        return web.answer(
            request.host,
            f"{request.path}?{request.query}" if request.query else request.path,
        )

    theirs, server.respond = server.respond, respond
    try:
        with Observed(World(1, 2, 5), only_count=True) as observed:
            yield observed.port
    finally:
        server.respond = theirs


def crawl(
    web: AppWeb, folder: str, processes: int = 2
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The summary of a crawl from all pages, and the services it confirmed."""
    with serving(web) as port:
        done = library.crawl(
            *(plain(app.page) for app in web.apps), catalogue=f"{folder}/apps.db", host_delay_s=0.0, obey_robots=False,
            slow_host_factor=0.0, connect_to=(f"*=127.0.0.1:{port}",), allow_nets=("127.0.0.0/8",), retries=1,
            busy_delay_s=1.0, retry_after_s=1.0,
            processes=processes, max_depth=8, requests_per_address=32, max_time_s=100.0,
            connect_timeout_s=2.0, total_timeout_s=30.0,
        )  # fmt: skip
    # What has the same content as another service is catalogued as a further alias of it: each alias is asked for.
    aliases = {
        plain(e)
        for app in web.apps
        for service in app.wanted
        for e in service.endpoints
    }
    with closing(open_store(f"{folder}/apps.db", SystemClock())) as store:
        found = [
            (e.service.endpoint, e.service.kind) for e in store.catalogue.entries()
        ]
        found += [
            (alias, s.kind) for alias in aliases for s in store.catalogue.at(alias)
        ]
    return done.summary, found


def score(web: AppWeb, found: list[tuple[str, str]]) -> tuple[set[str], set[str]]:
    """Which services of the truth were confirmed, and which not."""
    hit, missed = set(), set()
    at: dict[str, list[tuple[str, str]]] = {}
    for endpoint, kind in found:
        at.setdefault(webapps.key(endpoint)[0], []).append((endpoint, kind))
    for app in web.apps:
        for service in app.wanted:
            true = webapps.Service(service.kind, tuple(map(plain, service.endpoints)))
            near = [
                claim for e in true.endpoints for claim in at.get(webapps.key(e)[0], [])
            ]
            name = f"{app.name}: {service.kind} {plain(service.endpoints[0])}"
            (hit if any(true.answers(*claim) for claim in near) else missed).add(name)
    return hit, missed


def mined(apps: tuple[webapps.App, ...]) -> tuple[set[str], int]:
    """What `geohound mine` finds in each page, by the same names, and how many addresses that is."""
    whole, tested = set(), 0
    for app in apps:
        claims = mine.static(app)
        tested += len({webapps.key(address) for address, _ in claims})
        whole |= {
            f"{app.name}: {s.kind} {plain(s.endpoints[0])}"
            for s in app.wanted
            if any(s.answers(*c) for c in claims)
        }
    return whole, tested


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--app", default="", help="only apps whose name holds this")
    parser.add_argument("--verbose", action="store_true", help="tell what was missed")
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args()
    web = AppWeb(tuple(a for a in webapps.load() if args.app in a.name))
    with tempfile.TemporaryDirectory() as folder:
        summary, found = crawl(web, folder)
    hit, missed = score(web, found)
    by_mine, claims = mined(web.apps)
    twice = {url: n for url, n in web.asked.items() if n > 1 and url in web.files}
    told = {
        "apps": len(web.apps), "services": len(hit | missed), "crawl": len(hit), "mine": len(by_mine),
        "only mine": sorted(by_mine - hit), "only crawl": sorted(hit - by_mine), "requests": sum(web.asked.values()),
        "tested": summary["tested"], "tested by mine": claims, "files asked twice": twice,
        "ways": summary.get("ways", summary["via"]),
    }  # fmt: skip
    for name, value in told.items():
        print(f"{name:18} {len(value) if isinstance(value, list) else value}")
    if args.verbose:
        print(
            "\n".join(
                f"  missed {m}{'' if m in by_mine else ' (by mine too)'}"
                for m in sorted(missed)
            )
        )
    if not args.app:
        args.results.write_text(
            json.dumps({"command": "python bench/mine_crawl.py", **told}, indent=1)
            + "\n",
            "utf-8",
        )


if __name__ == "__main__":
    main()
