"""Hou, Chen & Wu 2016, first experiment: the WMSs hidden in the scripts of eight applications, and what finding costs.

Eight applications with as many services each as there, in two manners: as applications were written in 2015, and as
they are written today. The pages and services stand on loopback; ours is a true crawl, of the other ways each distinct
address is a test, and the truth says how it would end.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from typing import Any

import _frame  # noqa: F401  puts the benchmarks within reach
import mine
import webapps
from _frame import QUIET, figure, markdown, save
from matplotlib.axes import Axes
from mine_crawl import AppWeb, crawl, score

from geohound import app as wiring
from geohound import urls
from geohound.mining import html
from geoweb import services
from geoweb.chance import mix
from geoweb.viewers import Shown, write_script

HOU = "Hou, Chen & Wu 2016, ISPRS International Journal of Geo-Information 5(7)"
# Table 4: applications and their WMSs, 43 in all, of which 32 were available on 15 March 2015.
APPLICATIONS = {
    "OneGeology Portal": 7, "CropScape": 7, "GLC30": 8, "eHabitat WPS": 9, "GeoNetwork": 5, "NIWA Ocean Survey": 4,
    "Visor xeográfico": 1, "ZOO Project": 2,
}  # fmt: skip
AVAILABLE = 32
# Section 5.1 has two experiments, which share no number: of the first what was found is published, of the second what
# was tested ("both approaches discovered all the available WMSs", how many is not said).
EIGHT = {"links alone": {"found": 0}, "rules of 2016": {"found": 32}}
FIVE = {"rules of 2016": {"tested": 58}, "every string (ExtractorJS)": {"tested": 3266}}
RUNS = {"eight applications, 15 March 2015": EIGHT, "five of them, 25 April 2016": FIVE}
OLD_IDIOMS = 4  # calls of OpenLayers 2 and 3 and of Leaflet with the address in the call or in a variable
LIBRARIES = {"2015": "OpenLayers.js", "today": "vendor.js"}
MANNERS = {"2015": "as written in 2015", "today": "as written today"}
Way = Callable[[webapps.App], set[mine.Claim]]


def library(seed: int, strings: int) -> str:
    """A library as scripts of others hold them: names of files, types, namespaces, manuals."""
    kinds = (
        "img/marker-{}.png", "theme/default/style-{}.css", "image/x-{}", "http://www.w3.org/ns/{}", "./util/{}.js",
        "https://docs.library.test/api/{}.html", "text/{}", "application/x-{}+xml",
    )  # fmt: skip
    rows = (
        f'a[{n}]="{kinds[mix(seed, n) % len(kinds)].format(n)}";'
        for n in range(strings)
    )
    return f"/* a map library */var a=[];{''.join(rows)}"


def applications(seed: int, manner: str, strings: int) -> tuple[webapps.App, ...]:
    """The eight, each with its page, its library and its scripts; eleven of the 43 services are gone."""
    order = sorted(range(sum(APPLICATIONS.values())), key=lambda n: mix(seed, n))
    alive = set(order[:AVAILABLE])
    found, number = [], 0
    for place, count in enumerate(APPLICATIONS.values()):
        shown = []
        kept = []
        for _ in range(count):
            endpoint = f"http://gis{number}.provider.test{services.endpoint_path('wms', seed * 100 + number)}"
            shown.append(Shown("wms", endpoint, endpoint, f"layer{number}"))
            kept += [webapps.Service("wms", (endpoint,))] if number in alive else []
            number += 1
        found.append(_application(place, shown, kept, (seed, manner, strings)))
    return tuple(found)


def _application(
    place: int,
    shown: list[Shown],
    kept: list[webapps.Service],
    how: tuple[int, str, int],
) -> webapps.App:
    seed, manner, strings = how
    page = f"http://application{place}.test/"
    code = write_script(shown, seed + place, OLD_IDIOMS if manner == "2015" else 0)
    own = "map.js" if manner == "2015" else f"main.{seed + place:08x}.js"
    files = {
        page: f'<html><head><title>Application {place}</title><script src="{LIBRARIES[manner]}"></script></head>'
        f'<body><a href="about.html">About</a><div id="map"></div><script src="{own}"></script></body></html>',
        f"{page}about.html": "<html><body><p>Maps of many providers in one place.</p></body></html>",
        f"{page}{LIBRARIES[manner]}": library(seed + place, strings),
        f"{page}{own}": code,
    }
    return webapps.App(
        f"application {place}", page, "literal", (0,), False, tuple(kept), files
    )


def links_alone(app: webapps.App) -> set[mine.Claim]:
    """What a crawler without a reader of scripts sees: links, forms and text."""
    page = html.read(
        app.files[app.page], app.page, wiring.address_book(), with_scripts=False
    )
    return {
        (clean, "")
        for link in page.links
        if (clean := urls.canonical(link.url, app.page))
    }


WAYS: dict[str, Way] = {
    "links alone": links_alone,
    "rules of 2016": mine.published,
    "every string (ExtractorJS)": mine.every_uri,
}


def measure(manner: str, args: argparse.Namespace) -> dict[str, Any]:
    apps = applications(args.seed, manner, args.strings)
    told: dict[str, Any] = {}
    for name, way in WAYS.items():
        total = mine.Score()
        for app in apps:
            total.add(app, way(app))
        told[name] = {"found": total.found, "tested": total.tested}
    web = AppWeb(apps)
    with tempfile.TemporaryDirectory() as folder:
        summary, found = crawl(web, folder, processes=1)
    hit, _ = score(web, found)
    told["Geohound"] = {
        "found": len(hit),
        "tested": summary["tested"],
        "requests": summary["requests"],
    }
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument(
        "--strings",
        type=int,
        default=400,
        help="strings like addresses in each library",
    )
    args = parser.parse_args()
    found = {manner: measure(manner, args) for manner in MANNERS}
    with figure(
        "Scripts hide all 32 services from links; today's scripts also hide them from the rules of 2016",
        f"One made-up web of eight applications with 43 WMSs, {AVAILABLE} available, none linked; one run of each way, "
        "Geohound's by a real crawl",
        (1.0, 1.0),
    ) as axes:
        draw(axes[0], found, "found", "available WMSs found")
        draw(axes[1], found, "tested", "addresses tested (logarithmic)")
        axes[1].set_xscale("symlog", linthresh=10)
        source = f"◇ published: {HOU}, section 5.1 (left: eight applications; right: five of them, a year later)."
        result = {"published": {"source": HOU, "values": RUNS}, "measured": found}
        save("eight_applications", axes, source, result, table(found, args))


def draw(axes: Axes, found: dict[str, Any], what: str, title: str) -> None:
    names = ["Geohound", *reversed(WAYS)]
    colours = {"2015": "#9ec5e8", "today": "#0b5a99"}
    for shift, manner in ((0.2, "2015"), (-0.2, "today")):
        for row, name in enumerate(names):
            value = found[manner][name][what]
            axes.barh(
                row + shift,
                value,
                height=0.36,
                color=colours[manner],
                label=MANNERS[manner] if not row else None,
            )
            axes.text(value, row + shift, f" {value:,}", va="center", fontsize=8.4)
    for row, name in enumerate(names):
        value = (FIVE if what == "tested" else EIGHT).get(name, {}).get(what)
        if value is not None:
            axes.plot(value, row, "D", ms=7, mfc="white", mec=QUIET, mew=2, zorder=5)
    axes.set_yticks(range(len(names)), names)
    axes.set_title(title)
    axes.margins(x=0.16)
    if what == "found":
        axes.legend(loc="upper right", fontsize=8.4)


def table(found: dict[str, Any], args: argparse.Namespace) -> str:
    counted = [(manner, what) for manner in MANNERS for what in ("found", "tested")]
    rows = [
        [name, *(found[manner][name][what] for manner, what in counted)]
        for name in (*WAYS, "Geohound")
    ]
    published = [
        [
            run,
            name,
            values.get("found", "not published"),
            values.get("tested", "not published"),
        ]
        for run, ways in RUNS.items()
        for name, values in ways.items()
    ]
    return (
        "# Eight applications: WMSs hidden in scripts\n\n"
        f"Eight applications with 43 WMSs as in the paper's table 4, {AVAILABLE} of them available. As in 2015: the\n"
        "library under its own name, calls with the address in the call or in a variable. As today: a bundle without\n"
        "names, concatenation, templates, factories, other libraries. How many strings the general way tests\n"
        f"depends on the libraries; {args.strings} like addresses in each are a choice of this experiment.\n"
        "One run of each way on one made-up web, without chance in it. Geohound's figures are those of a real\n"
        "crawl that confirmed each service; the others read the files without testing.\n\n"
        + markdown(["way", "2015: found", "tested", "today: found", "tested"], rows)
        + "\nPublished, in two experiments that share no number (section 5.1). In the second both ways found all\n"
        "available services of the five applications that were left; how many is not said.\n\n"
        + markdown(["published experiment", "way", "found", "tested"], published)
    )  # fmt: skip


if __name__ == "__main__":
    main()
