"""Checks per CPU second beside the way GeoHealthCheck checks: OWSLib and requests, probe after probe, in one run.

Capabilities and one map of each WMS of a geoweb, which another process serves on loopback. GeoHealthCheck itself is
not installed: its way is that of its public source (GetCapabilities by OWSLib, GetMap by requests).
python bench/monitor_peers.py
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
import warnings
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import requests
from owslib.wms import WebMapService

from geohound import app
from geohound.cli.demo import geoweb_running
from geohound.model.service import Service
from geohound.monitor.deep import check_layers, chosen_layers
from geohound.monitor.looking import Look, LookTarget, look_at
from geohound.settings import Settings
from geoweb import World
from geoweb.trouble import NO_TROUBLE

KINDS = app.kinds()


@contextmanager
def cpu(name: str, found: dict, count: int):
    began, wall = time.process_time(), time.perf_counter()
    yield
    spent = time.process_time() - began
    found[name] = {
        "checks": count,
        "cpu_s": round(spent, 3),
        "wall_s": round(time.perf_counter() - wall, 2),
        "checks_per_cpu_s": round(count / spent, 1),
    }
    print(name, found[name])


async def ours(endpoints: list[str], settings: Settings) -> None:
    fetcher = app.fetcher(settings)
    for endpoint in endpoints:
        service = Service("wms", endpoint)
        look = await look_at(
            LookTarget(service), fetcher, KINDS, 10**7, datetime.now(UTC)
        )
        assert isinstance(look, Look)
        assert look.check.ok, look.check
        read = look.read or service
        checks, _ = await check_layers(
            read, chosen_layers(read, 1), fetcher, KINDS, datetime.now(UTC)
        )
        assert all(check.ok for check in checks), checks
    await fetcher.close()


def theirs(endpoints: list[str], port: int) -> None:
    """The names of the geoweb are sent to the port, as a proxy would."""
    session = requests.Session()
    session.proxies = {"http": f"http://127.0.0.1:{port}"}
    for endpoint in endpoints:
        wanted = urlencode({"service": "WMS", "request": "GetCapabilities"})
        answer = session.get(
            endpoint + ("&" if "?" in endpoint else "?") + wanted, timeout=30
        )
        version = "1.3.0" if b"WMS_Capabilities" in answer.content[:2000] else "1.1.1"
        service = WebMapService(endpoint, xml=answer.content, version=version)
        name, layer = next(
            (n, la) for n, la in service.contents.items() if la.boundingBoxWGS84
        )
        query = {
            "service": "WMS",
            "version": "1.1.1",
            "request": "GetMap",
            "layers": name,
            "styles": "",
            "srs": "EPSG:4326",
            "bbox": ",".join(map(str, layer.boundingBoxWGS84)),
            "width": 256,
            "height": 256,
            "format": "image/png",
        }
        image = session.get(
            endpoint + ("&" if "?" in endpoint else "?") + urlencode(query), timeout=30
        )
        assert image.headers["content-type"].startswith("image/"), image.text[:200]


def both_can(endpoint: str, settings: Settings, port: int) -> bool:
    """Only services that both ways can read and draw are compared."""
    try:
        theirs([endpoint], port)
        asyncio.run(ours([endpoint], settings))
    except Exception:
        return False
    return True


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(__file__).parent / "results" / "monitor_peers.json",
    )
    args = parser.parse_args()
    world = World(5, args.hosts, 600, NO_TROUBLE, ("wms",))
    endpoints = [
        placed.spec.endpoint
        for placed in world.services
        if urlsplit(placed.spec.endpoint).scheme == "http"
    ]
    found: dict = {}
    with geoweb_running(world) as port:
        settings = Settings(
            connect_to=(f"*.test=127.0.0.1:{port}",),
            allow_nets=("127.0.0.0/8",),
            host_delay_s=0.0,
            slow_host_factor=0.0,
            address_share=0.0,
            requests_per_address=64,
        )
        endpoints = [
            endpoint for endpoint in endpoints if both_can(endpoint, settings, port)
        ]
        for number in range(args.rounds):
            with cpu(f"geohound {number + 1}", found, len(endpoints)):
                asyncio.run(ours(endpoints, settings))
            with cpu(f"owslib and requests {number + 1}", found, len(endpoints)):
                theirs(endpoints, port)
    kept = {
        "command": "python bench/monitor_peers.py",
        "what": __doc__,
        "services": len(endpoints),
        "runs": found,
    }
    args.out.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
