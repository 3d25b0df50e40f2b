"""Does the simulator agree with real crawls? `geohound crawl` on loopback with politeness on, beside simulated ones.

    python bench/order_live.py              # six small geowebs, three orders; an hour
    python bench/order_live.py --webs 2     # the first two of them

Time runs at its own pace on both sides: hosts want one second between requests, as by default, and answer after 0.2 s.
Four times as fast, a busy machine was what held crawls back, not the hosts, and other hosts were due. `named` are
services on the pages that were read, `found` those that were tested in time: documents of a real crawl name more to
test than the simulator knows.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from crawl_simulator import Conditions, Simulation
from geoweb_rig import Hound, Observed, latency
from order_contenders import PUBLISHED
from simulated import MinedWeb, mined
from webs.geoweb_web import GeowebWeb

from geohound.contracts import Order
from geohound.frontier.thrift import Thrift
from geohound.orders.adaptive import Adaptive

RESULT = Path(__file__).parent / "results" / "order_live.json"
SEEDS, HOSTS, PAGES, BUDGET = (701, 702, 703, 704, 705, 706), 24, 2_500, 400
DELAY_S, LATENCY_S = 1.0, 0.2
ORDERS = {"fifo": (), "shark": (), "adaptive": ("--thrift", "1")}


def real(
    web: GeowebWeb, mined_web: MinedWeb, order: str, folder: Path
) -> dict[str, Any]:
    """One crawl by the command line: which share of the services it found, with what."""
    with latency(LATENCY_S), Observed(web.world) as served:
        hound = Hound(
            folder / f"{mined_web.name} {order}.db",
            served.port,
            {"host_delay_s": DELAY_S},
        )
        asked = ("--order", order, "--max-pages", str(BUDGET), *ORDERS[order])
        process = hound.crawl(web.seeds(), *asked)
        process.wait(1800)  # a single active host reads a page a second
        asked_for = {asked.url for asked in served.asked}
    named = frozenset[str]().union(
        *(node.services for node in mined_web.nodes if node.url in asked_for)
    )
    found = {endpoint for _, endpoint in hound.announced()} & mined_web.services
    named_share, found_share = (
        round(100 * len(part) / len(mined_web.services), 1) for part in (named, found)
    )
    return {
        "named": named_share,
        "found": found_share,
        "requests": len(asked_for),
        "s": hound.summary()["elapsed_s"],
    }


def simulated(web: MinedWeb, order: str) -> dict[str, Any]:
    maker: Order = Adaptive() if order == "adaptive" else PUBLISHED[order]()
    thrift = Thrift(share=1.0) if order == "adaptive" else None
    conditions = Conditions(
        BUDGET, host_delay_s=DELAY_S, latency_s=LATENCY_S, thrift=thrift
    )
    run = Simulation(web, maker, conditions).run()
    named_share, found_share = (
        round(100 * n / len(web.services), 1) for n in (run.named, len(run.at_pages))
    )
    return {
        "named": named_share,
        "found": found_share,
        "requests": run.requests,
        "s": round(run.elapsed_s, 1),
    }


def _means(rows: list[dict[str, Any]], measured: str, order: str) -> dict[str, float]:
    of = [row for row in rows if row["order"] == order]
    return {
        side: round(statistics.mean(row[side][measured] for row in of), 1)
        for side in ("real", "simulated")
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--webs", type=int, default=len(SEEDS))
    webs = parser.parse_args().webs
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in SEEDS[:webs]:
            web = GeowebWeb(seed, hosts=HOSTS, pages=PAGES, trouble=False)
            mined_web = mined(f"calm-{seed}-{HOSTS}-{PAGES}", lambda web=web: web)
            for order in ORDERS:
                row = {
                    "seed": seed,
                    "order": order,
                    "real": real(web, mined_web, order, Path(folder)),
                }
                rows.append(row | {"simulated": simulated(mined_web, order)})
                print(rows[-1], flush=True)
    means = {
        way: {order: _means(rows, way, order) for order in ORDERS}
        for way in ("named", "found")
    }
    print(means)
    load = round(os.getloadavg()[0], 1)
    result = {
        "command": f"python bench/order_live.py --webs {webs}",
        "load average": load,
        "percent_of_services": means,
        "crawls": rows,
    }
    RESULT.write_text(json.dumps(result, indent=1), "utf-8")


if __name__ == "__main__":
    main()
