"""Alqaraleh, Ramadan & Salamah 2015, tables IV and V: distinct pages that crawlers download in the same time.

Scrapy runs here, in turns with ours, on the pages and with the rules of `bench/crawl.py`: 50 requests at once, robots.txt
obeyed, no pauses, one core; pages are counted in the server's log. WEB-SAILOR and Apache Nutch are published figures.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any

from _changing_site import shown
from _frame import COLOURS, WBC, figure, markdown, save
from crawl import one_round, warm_up
from crawl_peers import contenders, docs_site, measure, nginx

CONCURRENCY = 50
# Pages a day: table IV is a crawl of its own, beside WEB-SAILOR.
BESIDE_SAILOR = {"WBC": (381_007, 390_074, 383_941), "WEB-SAILOR": (126_981, 131_045, 126_987)}  # fmt: skip
BESIDE_OTHERS = {
    "WBC": (113_854, 114_978, 114_864, 115_912, 114_991, 114_784, 115_005),
    "Apache Nutch": (71_154, 70_447, 71_601, 72_008, 70_397, 71_029, 72_042),
    "Scrapy": (82_140, 80_261, 81_126, 82_307, 81_151, 81_353, 82_046),
}
PUBLISHED = {
    "WEB-SAILOR": mean(BESIDE_SAILOR["WBC"]) / mean(BESIDE_SAILOR["WEB-SAILOR"]),
    **{name: mean(BESIDE_OTHERS["WBC"]) / mean(BESIDE_OTHERS[name]) for name in ("Apache Nutch", "Scrapy")},
}  # fmt: skip


ABOUT = """
Start-up counts. Published are pages a day on the Web, on one machine each; ours and Scrapy's share two cores with the
server and with whatever else runs, so only the ratio says something.
"""


def measured(args: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """Rounds of the same length, the crawlers in turns."""
    site = docs_site.prepare(args.cache, args.hosts, args.pages, args.port)
    one_host = docs_site.prepare(args.cache, 1, args.pages, args.port)
    runs: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory(prefix="geohound-distinct-") as folder:
        out = Path(folder) / "out"
        rig = contenders.Rig(site, one_host, args.cache, out, CONCURRENCY)
        crawlers = contenders.all_of(["geohound", "scrapy"], rig)
        places = [(where, host) for where in (site, one_host) for host in where.hosts]
        roots = {host: where.root / host for where, host in places}
        with nginx.serving(Path(folder), roots, args.port, cores="1") as log:
            reachable = warm_up(log, rig)
            for _ in range(args.rounds):
                for who in crawlers:
                    run = one_round(who, reachable, log, out, args.seconds)
                    runs.setdefault(who.name, []).append(run)
                    print(who.name, run["pages"], "of", reachable, flush=True)
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("pages", 5000), ("hosts", 200), ("rounds", 3), ("port", 18081)):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=float, default=30.0, help="of one crawl, from its start")  # fmt: skip
    parser.add_argument("--cache", type=Path, default=docs_site.DEFAULT_CACHE)
    args = parser.parse_args()
    measure.end_on_term()
    runs = measured(args)
    pages = {name: [run["pages"] for run in of] for name, of in runs.items()}
    again = {name: sum(run["fetched_again"] for run in of) for name, of in runs.items()}
    ratios = [a / b for a, b in zip(pages["geohound"], pages["scrapy"], strict=True)]
    with figure(
        "Distinct pages in the same time, beside Scrapy run here",
        f"{args.rounds} rounds of {args.seconds:g} s, in turns, one core, {CONCURRENCY} requests at once",
    ) as (axes,):
        for place, (name, colour) in enumerate((("geohound", "adaptive"), ("scrapy", "fifo"))):  # fmt: skip
            axes.plot(pages[name], "o-", color=COLOURS[colour], label=name, zorder=3 - place)  # fmt: skip
        axes.set(xlabel="round", ylabel="distinct pages", ylim=(0, None))
        axes.legend()
        rows = [
            ["Scrapy", shown(ratios, 2), f"{PUBLISHED['Scrapy']:.2f}"],
            ["Apache Nutch", "not run here", f"{PUBLISHED['Apache Nutch']:.2f}"],
            ["WEB-SAILOR", "not run here", f"{PUBLISHED['WEB-SAILOR']:.2f}"],
        ]
        text = (
            "# Distinct pages\n\n"
            f"Real crawls of one made-up site on loopback, {args.rounds} rounds of {args.seconds:g} s of each crawler, in "
            "turns; ± is the half of a 95 % interval.\n\n"
            + markdown(["beside", "ours, times its pages (95 %)", "published, WBC times its pages"], rows)
            + f"\nOurs {shown(pages['geohound'], 0)} pages, Scrapy {shown(pages['scrapy'], 0)}; "
            f"fetched twice: {again['geohound']} and {again['scrapy']}.\n" + ABOUT
        )  # fmt: skip
        found = {
            "published": {"source": WBC, "table IV": BESIDE_SAILOR, "table V": BESIDE_OTHERS},
            "machine": measure.machine(), "measured": runs,
        }  # fmt: skip
        save("distinct_pages", [axes], f"Published: {WBC}, tables IV and V.", found, text)  # fmt: skip


if __name__ == "__main__":
    main()
