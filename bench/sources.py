"""Services per 1,000 requests by source, at equal depth: a hunt, a crawl, and what likely addresses bring.

Sister services are laid over the geoweb for the last question alone: on half of the hosts that have a service below
/geoserver, /geoserver/ows answers too, as it does on real ones, and no page names it.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from geoweb_rig import Hound, Observed, calm, ended  # noqa: E402

from geoweb import Reply, Request, ServiceSpec, World, server, services  # noqa: E402

SETTINGS = {
    "HOST_DELAY_S": 0.0, "SLOW_HOST_FACTOR": 0, "ADDRESS_SHARE": 0, "RETRIES": 0, "PROCESSES": 1,
    "LEARN_FROM_CATALOGUE": 0,
}  # fmt: skip
WORDS = ("map", "services")
DEPTH = 2  # of links, as hunts go where nobody says otherwise


def sister_hosts(world: World) -> list[str]:
    """Half of the hosts with a service below /geoserver that anybody can find."""
    places = [urlsplit(placed.spec.endpoint) for placed in world.services]
    hosts = {
        str(at.hostname)
        for at in places
        if at.path.startswith("/geoserver/") and at.path != "/geoserver/ows"
    }
    return sorted(host for host in hosts if zlib.crc32(host.encode()) % 2)


@contextmanager
def sisters(hosts: list[str]) -> Iterator[None]:
    plain = server.respond

    def answer(world: World, request: Request, moods: Any = None) -> Reply:
        if request.host in hosts and request.path == "/geoserver/ows":
            spec = ServiceSpec(
                "wms",
                "1.3.0",
                zlib.crc32(request.host.encode()),
                f"http://{request.host}/geoserver/ows",
            )
            return services.answer(spec, request) or plain(world, request, moods)
        return plain(world, request, moods)

    server.respond = answer
    try:
        yield
    finally:
        server.respond = plain


def run(world: World, name: str, words: list[str], **more: object) -> dict[str, Any]:
    """One command on a catalogue of its own."""
    with tempfile.TemporaryDirectory() as folder, Observed(world) as web:
        hound = Hound(Path(folder) / "c.db", web.port, {**SETTINGS, **more})
        with ended(hound.start(*words)) as process:
            process.wait(600)
        summary = hound.summary()
        requests = len([asked for asked in web.asked if asked.address != "/robots.txt"])
        likely = summary.get("via", {}).get("likely", 0)
        with closing(sqlite3.connect(hound.catalogue)) as database:
            (asked,) = database.execute(
                "SELECT count(*) FROM url WHERE via = 'likely'"
            ).fetchone()
    found = summary.get("services", 0)
    return {
        "run": name,
        "requests": requests,
        "services": found,
        "per_1000_requests": round(1000 * found / requests, 1) if requests else 0.0,
        "likely_addresses": asked,
        "services_by_them": likely,
    }


def on_web(seed: int, hosts: int, pages: int) -> list[dict[str, Any]]:
    """All runs on one geoweb."""
    world = World(seed, hosts, 20 * hosts, calm())
    most = ["--depth", str(DEPTH), "--max-pages", str(pages), "--max-time", "300"]
    crawl = ["crawl", *world.seeds, *most]
    own = [word for seed in world.seeds for word in ("--source", seed)]
    hunt = ["hunt", *WORDS, "--searcher", "searxng=http://search.test", "--max-queries", "20"]  # fmt: skip
    sister = sister_hosts(world)
    off, on = {"LIKELY_ADDRESSES": 0}, {"LIKELY_ADDRESSES": 1}
    rows = [
        run(world, "crawl from the seeds", crawl, **off),
        run(world, "crawl from the seeds, likely addresses", crawl, **on),
        run(world, "hunt with the same seeds", [*hunt, *own, *most], **on),
        run(world, "hunt by words alone", [*hunt, *most], **on),
    ]
    with sisters(sister):
        name = "crawl, sister services,"
        rows.append(run(world, f"{name} no likely addresses", crawl, **off))
        rows.append(run(world, f"{name} likely addresses", crawl, **on))
    return [{"web": seed, "sister_services": len(sister), **row} for row in rows]


def of_all(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One way over all webs."""
    requests, found = (sum(row[name] for row in rows) for name in ("requests", "services"))  # fmt: skip
    each = [row["per_1000_requests"] for row in rows]
    return {
        "run": rows[0]["run"],
        "requests": requests,
        "services": found,
        "per_1000_requests": round(1000 * found / max(1, requests), 1),
        "least": min(each),
        "most": max(each),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--webs", type=int, nargs="+", default=[11, 12, 13])
    parser.add_argument("--hosts", type=int, default=150)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "sources.json")
    asked = parser.parse_args()
    rows = [row for seed in asked.webs for row in on_web(seed, asked.hosts, asked.pages)]  # fmt: skip
    names = dict.fromkeys(row["run"] for row in rows)
    told = [of_all([row for row in rows if row["run"] == name]) for name in names]
    result = {
        "command": "python bench/sources.py",
        "hosts": asked.hosts,
        "max_pages": asked.pages,
        "depth": DEPTH,
        "load": os.getloadavg()[0],
        "all_webs": told,
        "runs": rows,
    }
    asked.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    for row in told:
        print(row)


if __name__ == "__main__":
    main()
