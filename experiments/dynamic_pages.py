"""Alqaraleh, Ramadan & Salamah 2015, figure 9 and table VI: dynamic pages read by one to four crawlers, and AJAX data.

Figure 9 is run with a real browser on pages whose watcher reports their events, beside the same crawler that triggers
all events, as those before did. Table VI had comments of videos: here comment pages with as many comments as there,
divided by a hundred, and the demo pages that npm packages ship, which nobody wrote for this.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "shared"))

from _changing_site import interval, shown
from _frame import COLOURS, WBC, figure, markdown, save
from loopback import running
from polite import behaving, bounded

from geohound import watcher
from geohound.browser import BrowserPool, PageBudget
from geohound.model.crawl.browsed import EventRow
from geohound.net.address_guard import Guard
from geohound.net.fetcher import CurlFetcher

BUDGET = PageBudget(
    time_s=60.0, requests=300, bytes=20_000_000, memory_bytes=1_000_000_000, events=60
)
VIDEOS = {  # table VI: comments reported by Cheng et al. 2008, and downloaded there
    "New Numa": (17_657, 17_589), "CRAZED NUMA FAN": (3_010, 3_010), "Influence": (3_866, 3_862),
    "My United States": (4_447, 4_440), "Heather Martin": (6_045, 6_044), "The COMMENT Video": (976, 960),
    "iBlinds": (3_606, 3_606), "Smosh Short 1": (7_919, 7_875),
}  # fmt: skip
SCALE, PER_PAGE = 100, 10
PACKAGES = (
    "jstree@3.3.17",
    "jquery-modal@0.9.2",
    "easy-autocomplete@1.3.5",
    "slick-carousel@1.8.1",
    "jquery-ui-dist@1.13.3",
)


def busy_page(number: int) -> str:
    """Twelve elements with handlers; equal ones are combined, three states are new. Eight more buttons do nothing."""
    handlers = "".join(
        f'<div id="e{n}" {event}="show({n % 3})">{n}</div>'
        for n, event in enumerate(("onclick", "ondblclick", "onmouseover") * 4)
    )
    idle = "".join(f"<button>idle {n}</button>" for n in range(8))
    return (
        f"<title>{number}</title><div id=text></div>{handlers}{idle}<script>"
        f"function show(n) {{ fetch('/data.txt?p={number}&n=' + n).then((r) => r.text())"
        ".then((t) => { document.getElementById('text').innerHTML = t + n; }); }</script>"
    )


def video(name: str, comments: int) -> str:
    """Comments ten at a time, each page of them brought by an event of its own, as the published data had them."""
    pages = -(-comments // PER_PAGE)
    tabs = "".join(f'<b id="t{n}" onclick="more({n})">{n}</b>' for n in range(pages))
    return (
        f"<title>{name}</title><div id=list></div>{tabs}<script>function more(n) {{"
        f" const first = n * {PER_PAGE}, last = Math.min({comments}, first + {PER_PAGE});"
        " fetch('/data.txt?comments=' + n).then(() => { document.getElementById('list').innerHTML ="
        " Array.from({length: last - first}, (_, i) => '<p class=comment>' + (first + i) + '</p>').join('');"
        " }); }</script>"
    )


def rows_of(html: str) -> list[EventRow]:
    return [
        EventRow(tuple(r["events"]), tuple(r["sources"]), r["target"], r["value"])
        for r in watcher.events_of(html)
    ]


async def pages_in(
    seconds: float, crawlers: int, threads: int, origin: str, rows: list[EventRow]
) -> int:
    """How many pages so many crawlers, with so many pages at a time each, have run after so long."""
    count = 0
    end = time.monotonic() + seconds
    fetcher = CurlFetcher(behaving(), Guard.opening(["127.0.0.0/8"]), bounded())

    async def work(pool: BrowserPool, first: int) -> None:
        nonlocal count
        number = first
        while time.monotonic() < end:
            seen = await pool.run(f"{origin}/busy{number % 50}.html", fetcher, (), rows)
            count += not seen.trouble and time.monotonic() < end
            number += 1

    pools = [BrowserPool("", threads, BUDGET) for _ in range(crawlers)]
    try:
        for pool in pools:  # the browser starts before the clock does
            await pool.run(f"{origin}/busy0.html", fetcher, (), rows)
        end = time.monotonic() + seconds
        await asyncio.gather(
            *(work(pool, 7 * n) for pool in pools for n in range(threads))
        )
    finally:
        for pool in pools:
            await pool.close()
        await fetcher.close()
    return count


def cpu_s() -> float:
    """Of this process and of the browsers that have ended."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(who) for who in whose]
    return sum(each.ru_utime + each.ru_stime for each in used)


def rounds_of(args: argparse.Namespace, origin: str) -> dict[int, Any]:
    """Pages in the time, and processor time a page with the start of browsers: both ways in turns, round by round."""
    ways = {"reported events": rows_of(busy_page(1)), "all events": []}
    speeds: dict[int, Any] = {
        crawlers: {way: {"pages": [], "CPU s a page": []} for way in ways}
        for crawlers in (1, 2, 3, 4)
    }
    for _ in range(args.rounds):
        for crawlers, found in speeds.items():
            for way, rows in ways.items():
                before = cpu_s()
                pages = asyncio.run(
                    pages_in(args.seconds, crawlers, args.threads, origin, rows)
                )
                found[way]["pages"].append(pages)
                each_s = (cpu_s() - before) / max(1, pages)
                found[way]["CPU s a page"].append(round(each_s, 3))
        print(json.dumps(speeds), flush=True)
    return speeds


async def comments_of(origin: str, name: str, html: str) -> int:
    """Distinct comments in all states of the page, its reported events triggered."""
    rows = rows_of(html)
    most = PageBudget(
        time_s=300.0,
        requests=600,
        bytes=20_000_000,
        memory_bytes=10**9,
        events=len(rows) + 5,
        states=400,
    )
    pool = BrowserPool("", 1, most)
    fetcher = CurlFetcher(behaving(), Guard.opening(["127.0.0.0/8"]), bounded())
    try:
        seen = await pool.run(f"{origin}/{name}", fetcher, (), rows)
    finally:
        await pool.close()
        await fetcher.close()
    found: set[str] = set()
    for state in seen.states:
        found |= {
            part.partition("<")[0] for part in state.html.split('class="comment">')[1:]
        }
    return len(found)


async def application(origin: str, path: str, html: str) -> dict[str, Any]:
    """One demo page as it is shipped: what its watcher would report, and what the browser finds."""
    pool = BrowserPool("", 1, BUDGET)
    fetcher = CurlFetcher(behaving(), Guard.opening(["127.0.0.0/8"]), bounded())
    rows = rows_of(html)
    try:
        seen = await pool.run(f"{origin}/{path}", fetcher, (), rows)
    finally:
        await pool.close()
        await fetcher.close()
    return {"page": path, "reported rows": len(rows), "events": seen.events, "states": len(seen.states),
            "requests after loading": sum(each.event != "load" for each in seen.asked)}  # fmt: skip


def unpack(folder: Path) -> list[Path]:
    """The demo pages of the packages, from npm."""
    pages = []
    for package in PACKAGES:
        packed = subprocess.run(
            ["npm", "pack", "--silent", package],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
        place = folder / package.partition("@")[0]
        with tarfile.open(folder / packed.stdout.split()[-1]) as archive:
            archive.extractall(place, filter="data")
        shipped = [
            path
            for path in sorted(place.rglob("*.htm*"))
            if "node_modules" not in path.parts
        ]
        pages += shipped[:4]
    return pages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds",
        type=float,
        default=20,
        help="for which each number of crawlers runs; published: 600",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=4,
        help="pages at a time of each crawler; published: 4",
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="of all numbers of crawlers, both ways"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for number in range(50):
            (root / f"busy{number}.html").write_text(busy_page(number))
        (root / "data.txt").write_text("some data ")
        videos = {
            name: video(name, count // SCALE) for name, (count, _) in VIDEOS.items()
        }
        for n, html in enumerate(videos.values()):
            (root / f"video{n}.html").write_text(html)
        shipped = unpack(root)

        class Quiet(SimpleHTTPRequestHandler):
            def log_message(self, *_: object) -> None: ...

        with running(
            ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
        ) as origin:
            speeds = rounds_of(args, origin)
            comments = {}
            for n, (name, html) in enumerate(videos.items()):
                got = asyncio.run(comments_of(origin, f"video{n}.html", html))
                comments[name] = {
                    "comments": VIDEOS[name][0] // SCALE,
                    "downloaded": got,
                }
            print(comments, flush=True)
            apps = []
            for path in shipped:
                text = path.read_text("utf-8", "replace")
                apps.append(
                    asyncio.run(
                        application(origin, path.relative_to(root).as_posix(), text)
                    )
                )
            print(json.dumps(apps), flush=True)
    draw_and_save(speeds, comments, apps, args)


def draw_and_save(
    speeds: dict[int, Any],
    comments: dict[str, Any],
    apps: list[Any],
    args: argparse.Namespace,
) -> None:
    load = f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"
    gains = gains_of(speeds)
    with figure(
        f"Triggering the reported events alone reads {shown(gains)} times as many dynamic pages",
        f"real Chromium, {args.threads} at a time for each crawler, {args.seconds:g} s each; {load}",
    ) as (axes,):
        for name, colour in (
            ("reported events", COLOURS["adaptive"]),
            ("all events", COLOURS["fifo"]),
        ):
            spans = [interval(one[name]["pages"]) for one in speeds.values()]
            axes.errorbar(
                list(speeds),
                [middle for middle, _ in spans],
                [half for _, half in spans],
                fmt="o-",
                capsize=4,
                color=colour,
                label=f"{name} (95 %)",
            )
        axes.set(
            xlabel="crawlers",
            ylabel=f"dynamic pages in {args.seconds:g} s",
            xticks=list(speeds),
            ylim=(0, None),
        )
        axes.legend()
        save("dynamic_pages", [axes], f"Published: {WBC}, figure 9 (about 20 % more) and table VI.",
             {"published": {"source": WBC, "comments": VIDEOS}, "under": load,
              "measured": {"speeds": speeds, "comments": comments, "npm": apps}},
             tables(speeds, comments, apps, load))  # fmt: skip


def gains_of(speeds: dict[int, Any]) -> list[float]:
    """Pages with the reported events for each page with all, round by round."""
    ways = [
        zip(*(one[way]["pages"] for one in speeds.values()), strict=True)
        for way in ("reported events", "all events")
    ]
    return [
        sum(reported) / max(1, sum(every))
        for reported, every in zip(*ways, strict=True)
    ]


def tables(
    speeds: dict[int, Any], comments: dict[str, Any], apps: list[Any], load: str
) -> str:
    fast = [
        [n]
        + [
            shown(one[way][what], digits)
            for what, digits in (("pages", 1), ("CPU s a page", 2))
            for way in ("reported events", "all events")
        ]
        for n, one in speeds.items()
    ]
    said = [[name, one["comments"], one["downloaded"], f"{100 * one['downloaded'] / one['comments']:.1f}",
             f"{100 * VIDEOS[name][1] / VIDEOS[name][0]:.1f}"] for name, one in comments.items()]  # fmt: skip
    shipped = [
        [
            one["page"],
            one["reported rows"],
            one["events"],
            one["states"],
            one["requests after loading"],
        ]
        for one in apps
    ]
    return (
        "# Dynamic pages\n\nReal crawlers with Chromium on made-up pages on loopback; the means of "
        f"{len(gains_of(speeds))} rounds of each\nnumber of crawlers, ± is the half of a 95 % interval.\n\n"
        + markdown(["crawlers", "pages, reported events", "pages, all events",
                    "CPU s a page, reported", "CPU s a page, all"], fast)
        + "\n\nMeans with 95 %. Published (figure 9): about 20 % more than a crawler that triggers all events, in ten"
        f" minutes. Ours: {shown(gains_of(speeds), 2)} times as many, {load}. Both ways were measured in turns; all"
        " browsers share the machine with whatever else runs, so pages depend on its load, and processor time (with the"
        " start of the browsers) less so.\n\n"
        + markdown(["video", f"comments (published / {SCALE})", "downloaded", "%", "published %"], said)
        + "\n\nDemo pages of npm packages; where the watcher reads no event from the markup, all are triggered:\n\n"
        + markdown(["page", "reported rows", "events triggered", "states", "requests after loading"], shipped)
    )  # fmt: skip


if __name__ == "__main__":
    main()
