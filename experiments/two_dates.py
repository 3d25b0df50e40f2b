"""A catalogue kept true over half a year: its half-life, and what is new and gone between two dates.

Services die, change and appear over simulated months; the program's own monitor looks at them (a fake clock, answers
made here, no sleeping), and its own reports `halflife` and `changes` are compared with what really happened. Beside
them: Sidsten's way, who counted the living on two days, 106 days apart.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from _changing_site import shown
from _frame import COLOURS, LI, OSS, figure, markdown, save

from geohound import plugins
from geohound.model.catalogue import Observation
from geohound.model.crawl.task import TaskSpec
from geohound.model.health import Check
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Response, Via, Visit
from geohound.monitor import monitor
from geohound.monitor.parts import MonitorParts, MonitorPlan
from geohound.monitor.schedule import Revisiting
from geohound.reports._table import CatalogueFacts
from geohound.reports.changes import CHANGES
from geohound.reports.halflife import HALFLIFE, TOO_FEW
from geohound.stores.sql.store import Store
from geohound.stores.sqlite.database import SqliteDatabase
from geohound.urls.address_book import AddressBook

START = datetime(2026, 1, 1, tzinfo=UTC)
DAYS, LOOKED_AGAIN = 180, 106  # Li looked after half a year, Sidsten after 106 days
# Half-lives by depth: 94 to 146 days were published, the longest at depth 2 (Sidsten 2012, section 4.1.3).
HALF_LIVES = {0: 94.0, 1: 110.0, 2: 146.0, 3: 100.0}
NEW_SHARE = 0.3  # of the services appear later
FAILING = 0.01
monitor.LONGEST_SLEEP_S = 3600.0  # nobody adds services behind the back of this one


@dataclass(frozen=True)
class Truth:
    """One service: days since the start."""

    endpoint: str
    depth: int
    born: float
    death: float
    changes: tuple[float, ...]

    def document(self, day: float) -> bytes:
        version = sum(at <= day for at in self.changes)
        return (
            b'<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Title>Map</Title>'
            b"</Service><Capability><Layer><Name>l%d</Name><Title>Layer %d</Title></Layer></Capability>"
            b"</WMS_Capabilities>" % (version, version)
        )


class JumpingClock:
    """Time passes only where somebody waits for it."""

    def __init__(self) -> None:
        self.day, self.end, self.stop = 0.0, 0.0, lambda: None

    def now(self) -> datetime:
        return START + timedelta(days=self.day)

    def monotonic(self) -> float:
        return self.day * 86400.0

    async def sleep(self, seconds: float) -> None:
        self.day += seconds / 86400.0
        if self.day >= self.end:
            self.stop()
        await asyncio.sleep(0)


class World:
    """Answers as its services do on this day; one answer in a hundred fails."""

    def __init__(self, services: int, seed: int, clock: JumpingClock) -> None:
        self.chance, self.clock, self.requests = random.Random(seed), clock, 0
        self.all = {each.endpoint: each for each in map(self._born, range(services))}

    def _born(self, number: int) -> Truth:
        depth = self.chance.choice(list(HALF_LIVES))
        is_new = self.chance.random() < NEW_SHARE
        born = self.chance.uniform(1.0, DAYS - 1.0) if is_new else 0.0
        death = born + self.chance.expovariate(math.log(2) / HALF_LIVES[depth])
        at, changes = born, []
        mean_days = self.chance.choice((20.0, 60.0, 300.0))
        while (at := at + self.chance.expovariate(1 / mean_days)) < death:
            changes.append(at)
        return Truth(
            f"http://h{number // 6}.test/wms{number}",
            depth,
            born,
            death,
            tuple(changes),
        )

    async def fetch(self, url: str, **_: Any) -> Visit:
        self.requests += 1
        parts, now = urlsplit(url), self.clock.now()
        known = self.all.get(f"{parts.scheme}://{parts.netloc}{parts.path}")
        if self.chance.random() < FAILING:
            return Response(url, url, 500, {}, b"oops", now)
        if known is None or self.clock.day >= known.death:
            return Response(url, url, 404, {}, b"gone", now)
        body = known.document(self.clock.day)
        return Response(url, url, 200, {"content-type": "text/xml"}, body, now)

    async def close(self) -> None: ...

    def found_between(self, first: float, last: float) -> Iterator[Observation]:
        """As a crawl on the last of these days finds them."""
        at = START + timedelta(days=last)
        for each in self.all.values():
            if first <= each.born < max(last, 1e-9) and each.death > last:
                service = Service(
                    "wms", each.endpoint, "1.3.0", title="Map", layers=(Layer("l0"),)
                )
                met = Sighting(service.id, service.endpoint, "", Via.LINK, "", at, 0, each.depth)  # fmt: skip
                yield Observation(service, met, Check(service.id, at, True))


async def half_a_year(folder: Path, services: int, seed: int) -> dict[str, Any]:
    """Each month a crawl finds what is new; in between the monitor looks again."""
    clock = JumpingClock()
    world = World(services, seed, clock)
    # What a power cut would undo is of no use here, and each look would wait for the disk.
    store = Store(SqliteDatabase(folder / f"{seed}.db", durable=False), clock)
    claim = store.tasks.claim(store.tasks.create(TaskSpec()).id, "me", 1e12)
    assert claim is not None
    parts = MonitorParts(
        claim, store.check_queue, store.catalogue, world, {"wms": plugins.discover("kinds")["wms"]}, lambda _: (), clock,
        lambda _: None, store.history, AddressBook({}), None, _nothing, _nothing,
    )  # fmt: skip
    for first in range(-30, DAYS, 30):
        found = list(world.found_between(first, first + 30))
        if found:
            await store.catalogue.record(found)
        runs = monitor.Monitor(MonitorPlan(Revisiting()), parts)
        clock.end, clock.stop = first + 60, runs.stop
        if first + 30 < DAYS:
            await runs.run(clock.now())
    told = said_of(store, world, clock)
    store.close()
    return told


async def _nothing() -> None: ...


def said_of(store: Any, world: World, clock: JumpingClock) -> dict[str, Any]:
    facts = CatalogueFacts(
        store.catalogue, history=store.history, now=clock.now(), since=START + timedelta(days=1)
    )  # fmt: skip
    lives = {(row[0], row[1]): row for row in HALFLIFE.table(facts).rows}
    rows = CHANGES.table(facts).rows
    known = {
        entry.service.endpoint: entry.first_seen.timestamp()
        for entry in facts.entries()
    }
    gone_said = {row[4] for row in rows if row[0] == "gone"}
    # A death of the last three days may not be confirmed yet.
    gone_truly = {e for e in known if world.all[e].death < DAYS}
    old = [each for each in world.all.values() if each.born == 0.0]
    alive = sum(each.death > LOOKED_AGAIN for each in old)
    return {
        "half_life": {str(depth): lives[("depth", str(depth))][5:8] for depth in HALF_LIVES},
        "of_all": lives[("all", "")][5:8],
        "two_counts": round(LOOKED_AGAIN * math.log(2) / math.log(len(old) / alive), 1),
        "new_said": sum(row[0] == "new" for row in rows),
        "new_truly": sum(START.timestamp() + 86400 < at for at in known.values()),
        "gone_said": len(gone_said), "gone_truly": len(gone_truly),
        "gone_falsely": len(gone_said - gone_truly), "gone_unseen": len(gone_truly - gone_said),
        "changed_said": len({row[4] for row in rows if row[0] == "changed"}),
        "requests": world.requests,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", type=int, default=200)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    args = parser.parse_args()
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in args.seeds:
            runs.append(asyncio.run(half_a_year(Path(folder), args.services, seed)))
            print(runs[-1], flush=True)
    draw(args, runs)


def draw(args: argparse.Namespace, runs: list[dict[str, Any]]) -> None:
    with figure(
        "Half-lives are found again from what the monitor saw",
        f"{args.services} services over {DAYS} simulated days, {len(runs)} runs; ◇ the half-life with which they die",
    ) as (axes,):
        depths = sorted(HALF_LIVES)
        for run in runs:
            said = {depth: run["half_life"][str(depth)][0] for depth in depths}
            found = {depth: days for depth, days in said.items() if days != TOO_FEW}
            axes.plot(
                found.keys(), found.values(), "o", color=COLOURS["adaptive"], alpha=0.5
            )
        truth = [HALF_LIVES[depth] for depth in depths]
        axes.plot(depths, truth, "D", mfc="white", mec=COLOURS["atf"], mew=2)
        axes.set(xlabel="depth", ylabel="days", ylim=(0, 260))
        axes.set_xticks(depths)
        published = {
            "source": OSS, "half_times_days": [94, 146], "after_days": LOOKED_AGAIN,
            "li": {"source": LI, "new": 228, "gone": 168},
        }  # fmt: skip
        told = {"published": published, "measured": runs}
        text = (
            "# Half-life, and change between two dates\n\n"
            f"Simulated, {len(runs)} runs of {args.services} services each over half a year; ± is the half of a 95 % "
            f"interval.\n\n{tables(runs)}{ABOUT}"
        )
        save("two_dates", [axes], f"Published: {OSS}, section 4.1.3.", told, text)


def tables(runs: list[dict[str, Any]]) -> str:
    lives = [_life(depth, runs) for depth in sorted(HALF_LIVES)]
    all_ = shown([run["of_all"][0] for run in runs])
    counted = shown([run["two_counts"] for run in runs])
    lives += [["all, by the report", "", all_, ""], ["all, by two counts", "", counted, ""]]  # fmt: skip
    changes = [
        ["new", _mean(runs, "new_truly"), _mean(runs, "new_said"), "", ""],
        ["gone", _mean(runs, "gone_truly"), _mean(runs, "gone_said"),
         sum(run["gone_falsely"] for run in runs), sum(run["gone_unseen"] for run in runs)],
    ]  # fmt: skip
    head = ["services", "half-life, days", "as reported (95 %)", "in the interval of the report"]  # fmt: skip
    return (
        markdown(head, lives)
        + "\n"
        + markdown(["services", "truly", "as reported", "falsely", "not yet"], changes)
    )


def _life(depth: int, runs: list[dict[str, Any]]) -> list[object]:
    told = [run["half_life"][str(depth)] for run in runs]
    said = [each for each in told if each[0] != TOO_FEW]
    held = sum(low <= HALF_LIVES[depth] <= high for _, low, high in said)
    middle = shown([each[0] for each in said])
    return [f"depth {depth}", HALF_LIVES[depth], middle, f"{held} of {len(said)}"]


def _mean(runs: list[dict[str, Any]], name: str) -> str:
    return shown([run[name] for run in runs])


ABOUT = """
"Not yet": died in the last days, before it could be confirmed. Simulated: time, services and their answers, one of 100
failing. The program's: looks, health rule, schedule, catalogue and both reports. Published: near half gone in 106 days,
half-times of 94 to 146 days, the longest at depth 2 (Sidsten 2012, section 4.1.3); from December 2008 to June 2009 228
more live services, and 168 of those known before had died (Li, Yang & Yang 2010, section 6.3). PolarHub's paper counts
at one date only.
"""


if __name__ == "__main__":
    main()
