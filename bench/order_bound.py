"""How soon could a walk find the services that is told which hosts have them, on the geoweb also in which section?

    python bench/order_bound.py                  # geoweb: told hosts and sections
    python bench/order_bound.py wild-11 wild-12  # any mined web: the adaptive order, told hosts

It knows hosts and sections, not pages, and must still find its way by links: a yardstick that an order, which knows
neither, should come near to. It is greedy, so not a proof of what is possible.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from order import FAMILIES, HALF, JUDGING, PAGES, RESULTS, Job, measure
from simulated import MinedWeb, Walk, mined
from webs.geoweb_web import GeowebWeb

from geohound.geoweb.hosts import Role
from geohound.geoweb.layout import Sort
from geohound.geoweb.words import OFF_TOPIC
from geohound.model.visit import Link, Page
from geohound.orders._plain import Plain
from geohound.orders.adaptive import Adaptive


class Told(Plain):
    """First sections of hosts with services, then their other pages on a topic, then everything else as it comes."""

    id = "told"
    title = "Told which hosts have services"

    def __init__(self, web: GeowebWeb) -> None:
        self._web = web

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        return 10.0

    def score(self, link: Link, page: Page) -> float:  # noqa: ARG002
        found = self._web._number(link.url)
        if found is None:
            return -5.0
        host, number = found
        spot = host.layout.spot(number)
        if host.role is not Role.PROVIDER:
            return 1.0
        if spot.sort is Sort.HOME or (spot.section == 0 and spot.sort is not Sort.LISTING):
            return 5.0
        if spot.section == 0:
            return 3.0 - spot.number / 100
        return 1.5 if host.section_topics[spot.section] < OFF_TOPIC else 0.0


class ToldHosts(Adaptive):
    """Our own order, but hosts with services go before all others."""

    def __init__(self, web: MinedWeb) -> None:
        super().__init__()
        self._rich = {node.host for node in web.nodes if node.services}

    def host_bonus(self, host: str) -> float:
        return super().host_bonus(host) + (8.0 if host in self._rich else 0.0)


def main() -> None:
    rows = []
    for name in sys.argv[1:]:
        family, _, number = name.partition("-")
        web = mined(name, lambda family=family, number=number: FAMILIES[family](int(number)))
        run = Walk(web, ToldHosts(web), web.pages // 2).run()
        score = measure(Job(family, int(number), ("told hosts",), HALF), "told hosts", run, web)
        print(name, score.found, score.pages_to, score.area, flush=True)
    if sys.argv[1:]:
        return
    for seed in JUDGING["geoweb"]:
        source = GeowebWeb(seed, pages=PAGES)
        web = mined(f"geoweb-{seed}", lambda source=source: source)
        score = measure(
            Job("geoweb", seed, ("told",), HALF), "told", Walk(web, Told(source), web.pages // 2).run(), web
        )
        rows.append({"seed": seed, "found": score.found, "pages_to": score.pages_to, "area": score.area})
        print(rows[-1], flush=True)
    (RESULTS / "order_bound.json").write_text(json.dumps(rows, indent=1), "utf-8")


if __name__ == "__main__":
    main()
