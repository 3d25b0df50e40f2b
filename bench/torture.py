"""Kill a crawl at random moments with `kill -9`, resume it each time, and compare with an undisturbed crawl.

The geoweb sees every request: how often each page was fetched and how far apart the requests to one host were is
counted there, not believed. Moments are drawn over the whole crawl: in the start-up, or after a number of requests
and a little later.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from crawl_peers.measure import machine
from geoweb_rig import Asked, Hound, Observed, calm, ended, kill_group

from geoweb import Shares, World

RESULTS = Path(__file__).parent / "results" / "torture.json"
PACE_TOLERANCE_S = 0.005
Ran = tuple[Hound, list[Asked]]


def settings(args: argparse.Namespace) -> dict[str, Any]:
    return {
        "host_delay_s": args.delay, "slow_host_factor": 0, "max_depth": 40, "retry_after_s": 0.5,
        "max_retry_after_s": 2, "first_byte_timeout_s": 4, "total_timeout_s": 20, "max_pages": 1_000_000,
        "max_pages_per_pattern": 1_000_000,  # what a budget leaves out depends on the moment, also without kills
        "fetchers": args.fetchers, "testers": args.testers, "processes": args.processes,
        "likely_addresses": False,  # what is likely depends on the services found so far
        "watchers": "never",  # reports of watchers are asked for with a number that differs from crawl to crawl
    }  # fmt: skip


def undisturbed(
    world: World, hound_at: Path, args: argparse.Namespace
) -> tuple[Hound, list[Asked], float]:
    with Observed(world) as web:
        hound = Hound(hound_at, web.port, settings(args))
        begun = time.monotonic()
        with ended(hound.crawl(world.seeds)) as process:
            process.wait(args.max_s)
        return hound, web.asked, time.monotonic() - begun


def tortured(
    world: World, hound_at: Path, args: argparse.Namespace, expected: int
) -> tuple[Hound, list[Asked], Any]:
    """Kill, resume, kill …; then let it end. What was asked, and how each run went."""
    chance, runs = random.Random(args.seed), []
    with Observed(world) as web:
        hound = Hound(hound_at, web.port, settings(args))
        end = time.monotonic() + args.max_s
        for number in range(args.kills + 1):
            process = hound.resume() if _has_task(hound) else hound.crawl(world.seeds)
            with ended(process):
                before, begun = len(web.asked), time.monotonic()
                if number < args.kills:
                    _wait_for_moment(process, web, chance, 2 * expected / args.kills)
                else:
                    process.wait(max(end - time.monotonic(), 1))
                status = process.poll()
                kill_group(process)
            runs.append(
                {
                    "s": round(time.monotonic() - begun, 3),
                    "requests": len(web.asked) - before,
                }
            )
            if status is not None:
                runs[-1]["ended_by_itself"] = status
                if hound.summary().get("finished"):
                    break
        return hound, web.asked, runs


def _has_task(hound: Hound) -> bool:
    """A kill may come before the first run has made its task: then there is nothing to resume."""
    if not hound.catalogue.exists():
        return False
    try:
        with sqlite3.connect(f"file:{hound.catalogue}?mode=ro", uri=True) as connection:
            return bool(connection.execute("SELECT count(*) FROM task").fetchone()[0])
    except sqlite3.Error:
        return False


def _wait_for_moment(
    process: Any, web: Observed, chance: random.Random, most: float
) -> None:
    """A random moment: one kill in ten in the start-up, the others after some requests and up to 50 ms more."""
    before = len(web.asked)
    if chance.random() < 0.1:
        _sleep(process, chance.uniform(0.02, 0.8))
        return
    wanted = chance.uniform(1, most)
    while process.poll() is None and len(web.asked) - before < wanted:
        time.sleep(0.002)
    _sleep(process, chance.uniform(0.0, 0.05))


def _sleep(process: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)


def pages_of(asked: list[Asked]) -> Counter[str]:
    return Counter(a.url for a in asked if a.address != "/robots.txt")


def least_gaps(asked: list[Asked], delay_s: float) -> dict[str, Any]:
    """The least time between two requests to one host, and how many were nearer than the pause that was set."""
    times: dict[str, list[float]] = defaultdict(list)
    for one in asked:
        times[one.host].append(one.at_s)
    gaps = [later - earlier for of in times.values() for earlier, later in pairwise(of)]
    too_near = sum(gap < delay_s - PACE_TOLERANCE_S for gap in gaps)
    return {
        "least_gap_s": round(min(gaps, default=0.0), 4),
        "too_near": too_near,
        "gaps": len(gaps),
    }


def aliases(endpoints: set[str]) -> Callable[[str], bool]:
    """Is it an address below a service that both crawls have? Which of its documents is asked for depends on the page
    that was read first: what proves a service through one is not asked for through another."""

    def leads_there(url: str) -> bool:
        ends = [i for i, letter in enumerate(url) if letter in "/?"] + [len(url)]
        return any(
            url[:end] in endpoints or url[: end + 1] in endpoints for end in ends
        )

    return leads_there


def compare(calm_run: Ran, killed: Ran, args: argparse.Namespace) -> dict[str, Any]:
    (hound_a, asked_a), (hound_b, asked_b) = calm_run, killed
    once, again = pages_of(asked_a), pages_of(asked_b)
    services_a, services_b = hound_a.services(), hound_b.services()
    tests = aliases({endpoint for _, endpoint in services_a & services_b})
    extra = {
        url: n - max(once[url], 1) for url, n in again.items() if n > max(once[url], 1)
    }
    kills = args.kills
    missing = {url for url in set(once) - set(again) if not tests(url)}
    # Which pages of a trap are read before it is recognised depends on the order of visits; each is on record as one.
    left_as_traps = missing & hound_b.traps()
    return {
        "services": len(services_a),
        "services_lost": sorted(map(list, services_a - services_b)),
        "services_gained": sorted(map(list, services_b - services_a)),
        "announced_but_lost": sorted(map(list, hound_b.announced() - services_b)),
        "pages": len(once),
        "pages_lost": sorted(missing - left_as_traps),
        "left_as_traps": sorted(left_as_traps),
        "pages_gained": sorted(url for url in set(again) - set(once) if not tests(url)),
        "endpoints_that_differ": sorted(
            url for url in set(once) ^ set(again) if tests(url)
        ),
        "requests_undisturbed": sum(once.values()),
        "requests_tortured": sum(again.values()),
        "fetched_again": sum(extra.values()),
        "fetched_again_per_kill": round(sum(extra.values()) / max(kills, 1), 2),
        "most_times_again": max(extra.values(), default=0),
        "robots_requests": [
            sum(a.address == "/robots.txt" for a in asked)
            for asked in (asked_a, asked_b)
        ],
        "pace_undisturbed": least_gaps(asked_a, args.delay),
        "pace": least_gaps(asked_b, args.delay),
        "integrity": hound_b.integrity(),
        "finished": bool(hound_b.summary().get("finished")),
        "complaints": hound_b.complaints.read_text("utf-8", "replace")[-2000:],
    }


def holds(found: dict[str, Any], kills: int) -> bool:
    lost = any(
        found[name] for name in ("services_lost", "announced_but_lost", "pages_lost")
    )
    return (
        not lost
        and found["integrity"] == "ok"
        and found["finished"]
        and found["most_times_again"] <= kills
    )


def torture(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    shares = (
        Shares() if args.trouble == "all" else calm(endless=args.trouble == "endless")
    )
    world = World(args.world, args.hosts, args.pages, shares)
    hound_a, asked_a, calm_s = undisturbed(world, folder / "calm.db", args)
    print(f"undisturbed: {len(asked_a)} requests in {calm_s:.1f} s", file=sys.stderr)
    hound_b, asked_b, runs = tortured(world, folder / "killed.db", args, len(asked_a))
    found = compare((hound_a, asked_a), (hound_b, asked_b), args)
    kills = sum("ended_by_itself" not in run for run in runs)
    return {"kills": kills, "undisturbed_s": round(calm_s, 1), "tortured_s": round(sum(r["s"] for r in runs), 1),
            "holds": holds(found, kills), **found, "runs": runs}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("kills", 200), ("pages", 20_000), ("hosts", 300), ("world", 7), ("seed", 1),
                          ("fetchers", 24), ("testers", 8), ("processes", 2)):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument(
        "--delay",
        type=float,
        default=0.02,
        help="seconds between two requests to one host",
    )
    parser.add_argument("--trouble", choices=("calm", "endless", "all"), default="calm")
    parser.add_argument("--max-s", type=float, default=3000.0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="geohound-torture-") as folder:
        found = torture(args, Path(folder))
    asked = {k: v for k, v in vars(args).items() if k not in {"out", "max_s"}}
    command = " ".join(["python", "bench/torture.py", *sys.argv[1:]])
    result = {"command": command, "machine": machine(), **asked, **found}
    args.out.write_text(json.dumps(result, indent=2) + "\n")
    shown = {
        k: v if not isinstance(v, list) else f"{len(v)}: {v[:5]}"
        for k, v in found.items()
    }
    print(json.dumps(shown, indent=1))
    sys.exit(0 if found["holds"] else 1)


if __name__ == "__main__":
    main()
