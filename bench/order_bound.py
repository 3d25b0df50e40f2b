"""How soon could a walk find the services of a geoweb that is told which hosts have them, and in which section?

    python bench/order_bound.py

It knows roles and sections, not pages, and must still find its way by links: a yardstick that an order, which knows
neither, should come near to. It is greedy, so not a proof of what is possible.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from order import HALF, JUDGING, PAGES, RESULTS, Job, measure
from simulated import Walk, mined
from webs.geoweb_web import GeowebWeb

from geohound.geoweb.hosts import Role
from geohound.geoweb.layout import Sort
from geohound.geoweb.words import OFF_TOPIC
from geohound.model.visit import Link, Page
from geohound.orders._plain import Plain


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


def main() -> None:
    rows = []
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
