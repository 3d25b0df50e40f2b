"""Li, Yang & Yang 2010, figure 10: pages a second by the size of the two groups of workers, with the real crawl."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from _frame import COLOURS, LI, QUIET, figure, markdown, save
from matplotlib.axes import Axes

from geoweb import Reply, Request, World, respond, server
from geoweb.addresses import url_of
from geoweb.chance import text_number, unit

BEST, SECONDS_PER_PAGE = (
    72,
    0.5,
)  # section 6.1: best with 72 and 72 threads, a page each half second
SIZES = (1, 2, 5, 10, 20, 40, 72, 120)
# The published crawler paused for nobody: here, too, only latency holds the workers back.
MANNERS = {
    "GEOHOUND_HOST_DELAY_S": "0",
    "GEOHOUND_SLOW_HOST_FACTOR": "0",
    "GEOHOUND_OBEY_ROBOTS": "false",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=331)
    parser.add_argument(
        "--latency", type=float, default=0.5, help="median seconds before an answer"
    )
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument(
        "--serve",
        action="store_true",
        help="only serve the slow geoweb (used by the experiment itself)",
    )
    args = parser.parse_args()
    world = World(args.seed, 300, 40_000, trouble=False)
    if args.serve:
        serve_slowly(world, args.latency)
        return
    with slow_geoweb(args) as port:
        runs = [
            [crawl(world, port, size, args.seconds) for size in SIZES]
            for _ in range(args.rounds)
        ]
    speeds = {
        size: [round(row[n]["pages_per_s"], 2) for row in runs]
        for n, size in enumerate(SIZES)
    }
    found = {
        "pages per second": speeds,
        "load average before each crawl": [
            [one["load"] for one in row] for row in runs
        ],
        "cores": os.cpu_count(),
    }
    with figure(
        "More workers bring more pages until the machine, not the wait, is the limit",
        f"geohound crawl over a geoweb on loopback that answers after {args.latency:g} s (median); "
        f"{args.rounds} × {args.seconds:g} s for each size",
    ) as (axes,):
        draw(axes, speeds, args.latency)
        published = {
            "source": LI,
            "best": [BEST, BEST],
            "seconds per page": SECONDS_PER_PAGE,
        }
        loads = [one["load"] for row in runs for one in row]
        source = f"◇ published: {LI}, section 6.1 (0.5 s a page at best; Pentium 4, Internet of 2009). "
        source += f"Ours: {os.cpu_count()} cores, load average {min(loads):.0f}–{max(loads):.0f}."
        save(
            "threads",
            [axes],
            source,
            {"published": published, "measured": found},
            table(speeds),
        )


def serve_slowly(world: World, latency_s: float) -> None:
    """Every answer comes late, by an amount that belongs to its address."""

    def late(world: World, request: Request, moods: Any = None) -> Reply:
        reply = respond(world, request, moods)
        luck = unit(
            world.seed,
            text_number(request.path + request.query),
            text_number(request.host),
        )
        return replace(reply, delay_s=latency_s * (0.4 + 1.2 * luck))

    server.respond = late
    server.serve(world, 0, on_ready=lambda address: print(address[1], flush=True))


@contextmanager
def slow_geoweb(args: argparse.Namespace) -> Iterator[int]:
    command = [
        sys.executable,
        __file__,
        "--serve",
        "--seed",
        str(args.seed),
        "--latency",
        str(args.latency),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def crawl(world: World, port: int, size: int, seconds: float) -> dict[str, Any]:
    """One crawl from the home pages of all hosts, so that there is always another host to ask."""
    load = round(os.getloadavg()[0], 2)
    with tempfile.TemporaryDirectory() as folder:
        seeds = Path(folder) / "seeds.txt"
        seeds.write_text(
            "\n".join(url_of(world.host(i), 0) for i in range(world.hosts))
        )
        command = [
            sys.executable, "-m", "geohound", "crawl", "--seeds", str(seeds), "--order", "fifo", "--json",
            "--max-time", str(seconds), "--fetchers", str(size), "--testers", str(size),
            "--catalogue", str(Path(folder) / "catalogue.db"),
            "--connect-to", f"*.test=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8",
        ]  # fmt: skip
        done = subprocess.run(
            command,
            env={**os.environ, **MANNERS},
            capture_output=True,
            text=True,
            timeout=seconds + 120,
            check=False,
        )
    time.sleep(0.5)
    try:
        return {**json.loads(done.stdout.splitlines()[-1])["summary"], "load": load}
    except (IndexError, KeyError, ValueError):
        sys.exit(
            f"the crawl with {size} workers failed: {done.stderr[-500:] or done.stdout[-500:]}"
        )


def draw(axes: Axes, speeds: dict[int, list[float]], latency_s: float) -> None:
    middle = [median(values) for values in speeds.values()]
    axes.plot(
        SIZES,
        [size / latency_s for size in SIZES],
        color="#b9c1ca",
        lw=1,
        ls=(0, (4, 4)),
    )
    axes.text(
        3.2,
        3.2 / latency_s * 1.35,
        "a page for every worker and wait",
        color=QUIET,
        fontsize=8,
        rotation=30,
    )
    for n in range(len(next(iter(speeds.values())))):
        axes.plot(
            SIZES,
            [values[n] for values in speeds.values()],
            "o",
            ms=4,
            color=COLOURS["adaptive"],
            alpha=0.4,
            mew=0,
        )
    axes.plot(SIZES, middle, color=COLOURS["adaptive"], marker="o", ms=6, lw=2.8)
    for size, value in zip(SIZES, middle, strict=True):
        axes.annotate(
            f"{value:.2g}",
            (size, value),
            (0, -15),
            textcoords="offset points",
            ha="center",
            fontsize=8.5,
            color=COLOURS["adaptive"],
        )
    axes.plot(
        BEST, 1 / SECONDS_PER_PAGE, "D", ms=8, mfc="white", mec=COLOURS["atf"], mew=2.2
    )
    text = "published best:\n72 + 72 threads, 2 pages a second"
    spot = (BEST, 1 / SECONDS_PER_PAGE)
    axes.annotate(
        text,
        spot,
        (-12, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize=8.5,
        color=COLOURS["atf"],
    )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="workers that fetch, and as many that test",
        ylabel="pages a second",
    )
    axes.set_xticks(SIZES, [str(size) for size in SIZES])
    low, high = 0.5, max(middle) * 2.4
    axes.set_ylim(low, high)
    marks = [
        mark
        for mark in (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
        if low <= mark <= high
    ]
    axes.set_yticks(marks, [str(mark) for mark in marks])
    axes.minorticks_off()


def table(speeds: dict[int, list[float]]) -> str:
    rows: list[list[object]] = [
        [
            f"{size} + {size}",
            f"{median(values):.1f}",
            ", ".join(f"{v:.1f}" for v in values),
        ]
        for size, values in speeds.items()
    ]
    rows.append(["published: 72 + 72, the best there", "2", ""])
    said = (
        "Real crawls (`geohound crawl`) of one geoweb on loopback whose answers come after half a second, without\n"
        "delays between requests; each round is shown. Published is a plateau at 72 + 72 threads, two pages a second,\n"
        "with fewer pages for more threads. There is none here up to 120 + 120: workers are no threads and wait\n"
        "without cost, so that pages grow with them until a processor is busy. The published limit was that of a\n"
        "machine and a line of 2009.\n\n"
    )
    return f"# Workers and speed\n\n{said}" + markdown(
        ["fetchers + testers", "pages a second, median", "each round"], rows
    )


if __name__ == "__main__":
    main()
