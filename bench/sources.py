"""Services per 1,000 requests by source, at equal depth: a hunt, a crawl, and what likely addresses bring.

Sister services are laid over the geoweb for the last question alone: on every host that has a service below
/geoserver, /geoserver/ows answers too, and on every one with ArcGIS its directory, and no page names them. In a sample
of a public registry of data portals /geoserver/ows was there in 54 of 54 proposals, and the tiles of GeoWebCache, which
stay unknown here, in 49 of 60. That every ArcGIS server lists its services is assumed: the registry has 115 such
directories, but says nothing of servers that have none.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sqlite3
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
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
_SISTERS = (
    (re.compile(r"(.*?/geoserver)/"), "/ows", "wms", "1.3.0"),
    (re.compile(r"(.*?)/rest/services/"), "/rest/services", "arcgis-directory", "11.1"),
)
DEPTH = 2  # of links, as hunts go where nobody says otherwise


class Sister(NamedTuple):
    """A service that no page names; a directory lists those below it."""

    spec: ServiceSpec
    listed: tuple[ServiceSpec, ...]


def sister_services(world: World) -> dict[str, Sister]:
    """What stands beside the services of hosts with GeoServer or ArcGIS, by host and path."""
    specs = [placed.spec for placed in world.services if placed.alive]
    known = {spec.endpoint for spec in specs}
    found: dict[str, Sister] = {}
    for spec in specs:
        at = urlsplit(spec.endpoint)
        for pattern, path, kind, version in _SISTERS:
            program = pattern.match(at.path)
            place = f"{at.hostname}{program[1]}{path}" if program else ""
            endpoint = f"http://{place}"
            if place and place not in found and endpoint not in known:
                below = tuple(s for s in specs if s.endpoint.startswith(f"{endpoint}/"))
                number = zlib.crc32(endpoint.encode())
                found[place] = Sister(
                    ServiceSpec(kind, version, number, endpoint), below
                )
    return found


@contextmanager
def sisters(beside: dict[str, Sister]) -> Iterator[None]:
    plain = server.respond

    def answer(world: World, request: Request, moods: Any = None) -> Reply:
        place = f"{request.host}{request.path}"
        sister = beside.get(place) or beside.get(place.rpartition("/")[0])
        reply = services.answer(sister.spec, request, sister.listed) if sister else None
        return reply or plain(world, request, moods)

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
    sister = sister_services(world)
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
