"""Revisit policies on services that change and die over simulated months: changes seen, looks spent, deaths confirmed.

A fake clock, the schedule and the health rule of the program, and requests of which 1 in 100 fails at random. The
numbers of the schedule were chosen on the webs calm and lively with seed 1; the others were held out.
python bench/monitor_policies.py --services 400
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from geohound import plugins
from geohound.model.failure import FailureReason
from geohound.model.health import Check, CheckResult, HealthState, states
from geohound.model.revisit import DueLook, LookStats
from geohound.model.service import Service
from geohound.model.visit import Failure, Purpose, Response, Visit
from geohound.monitor.looking import Look, LookTarget, look_at
from geohound.monitor.rates import DAY_S, event_rate
from geohound.monitor.schedule import (
    Revisiting,
    RevisitPolicy,
    after_look,
    next_check,
    planned_events,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
WMS = b'<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Title>A</Title></Service></WMS_Capabilities>'
HALF_LIFE_DAYS = 106.0  # Sidsten 2012, section 4.1.3
# Shares of services and the mean days between two changes of each.
WEBS = {
    "calm": ((0.05, 10.0), (0.25, 60.0), (0.70, 400.0)),
    "mixed": ((0.10, 7.0), (0.30, 45.0), (0.60, 365.0)),
    "lively": ((0.25, 14.0), (0.50, 60.0), (0.25, 200.0)),
}
# A shape that was held out as a whole, as was mixed: a few services change every third day, most hardly ever.
WEBS["few"] = ((0.02, 3.0), (0.18, 30.0), (0.80, 500.0))
CHOSEN_ON = ("calm", "lively")
HELD_OUT_SEED = 11
PER_HOST = 8  # services, by section 6.3 of Li, Yang & Yang 2010
KINDS = {"wms": plugins.discover("kinds")["wms"]}


class FlakyServer:
    """Answers, or fails for one request in a hundred in one of four ways; gone for ever after a death."""

    def __init__(self, chance: random.Random, share: float) -> None:
        self._chance = chance
        self._share = share
        self.is_dead = False
        self.must_fail = False
        self.requests = 0

    async def fetch(self, url: str, **_: Any) -> Visit:
        self.requests += 1
        fails = self.must_fail or self._chance.random() < self._share
        self.must_fail = False
        if self.is_dead:
            return Response(url, url, 404, {}, b"gone", START)
        if not fails:
            return Response(url, url, 200, {"content-type": "text/xml"}, WMS, START)
        way = self._chance.randrange(4)
        if way == 0:
            return Response(url, url, 404, {}, b"gone", START)
        if way == 1:
            return Response(url, url, 500, {}, b"oops", START)
        reason = FailureReason.FIRST_BYTE_TIMEOUT if way == 2 else FailureReason.RESET
        return Failure(url, reason, "", START)

    async def close(self) -> None: ...


@dataclass
class Simulated:
    """One service: when it changes and dies, and what the monitor knows of it."""

    host: int
    changes: list[float]  # days
    death: float  # day
    rank: int
    depth: int
    due: DueLook
    checks: list[Check] = field(default_factory=list)
    looked: float = 0.0
    state: HealthState = HealthState.ALIVE


def web(name: str, services: int, days: float, seed: int) -> list[Simulated]:
    chance = random.Random(seed)
    found = []
    for number in range(services):
        share, mean_days, at = chance.random(), 0.0, 0.0
        for part, mean in WEBS[name]:
            mean_days = mean
            share -= part
            if share < 0:
                break
        death = chance.expovariate(0.6931 / HALF_LIFE_DAYS)
        changes: list[float] = []
        while (at := at + chance.expovariate(1 / mean_days)) < min(days, death):
            changes.append(at)
        host = number // PER_HOST
        due = DueLook(
            Purpose.CHECK,
            str(number),
            str(host),
            START,
            START,
            LookStats(),
            chance.choice((1, 1, 2, 3)),
        )
        due = replace(due, depth=chance.randrange(7))
        found.append(Simulated(host, changes, death, due.rank, due.depth, due))
    return found


def simulate(
    found: list[Simulated],
    revisiting: Revisiting,
    days: float,
    failing: float,
    seed: int,
) -> dict[str, Any]:
    """Run the monitor over these days; a change counts as seen if a good look comes before the next change."""
    chance, hosts = random.Random(seed), {each.host: LookStats() for each in found}
    heap = [(chance.random(), number) for number in range(len(found))]
    heapq.heapify(heap)
    looks = requests = seen = false_deaths = planned_day = 0
    delays: list[float] = []
    confirmed: list[float] = []
    while heap and heap[0][0] < days:
        day, number = heapq.heappop(heap)
        each = found[number]
        if day >= planned_day:
            planned_day += 1
            revisiting = planned(found, hosts, revisiting)
        looks += 1
        check, asked = look(each, day, chance, failing)
        requests += asked
        each.checks = [*each.checks, check][-12:]
        *_, state = states(each.checks)
        good = check.result is CheckResult.GOOD
        new = [at for at in each.changes if each.looked < at <= day] if good else []
        if new:
            seen += 1
            delays.append(day - new[-1])
        if state is HealthState.DEAD and each.state is not HealthState.DEAD:
            if day < each.death:
                false_deaths += 1
            else:
                confirmed.append(day - each.death)
        each.state = state
        before = each.due.stats
        stats = after_look(
            each.due, check.result, state, changed=bool(new), at=check.at
        )
        hosts[each.host] = add(hosts[each.host], before, stats)
        each.due = replace(each.due, stats=stats, looked_at=check.at)
        each.looked = day if good else each.looked
        then = next_check(
            each.due, check.result, state, hosts[each.host], revisiting, check.at
        )
        heapq.heappush(heap, ((then - START).total_seconds() / DAY_S, number))
    total = sum(len(each.changes) for each in found)
    return {
        "looks": looks, "requests": requests, "changes": total, "seen": seen, "seen_share": round(seen / total, 4),
        "mean_delay_days": round(sum(delays) / max(1, len(delays)), 2), "false_deaths": false_deaths,
        "deaths_confirmed": len(confirmed),
        "mean_days_to_confirm": round(sum(confirmed) / max(1, len(confirmed)), 2),
    }  # fmt: skip


def planned(
    found: list[Simulated], hosts: dict[int, LookStats], revisiting: Revisiting
) -> Revisiting:
    """As the monitor plans, from time to time."""
    if revisiting.policy is not RevisitPolicy.ADAPTIVE:
        return revisiting
    rates = [event_rate(each.due.stats, hosts[each.host]) for each in found]
    return replace(revisiting, events_per_look=planned_events(rates, revisiting))


def add(total: LookStats, before: LookStats, after: LookStats) -> LookStats:
    return LookStats(
        total.looks + after.looks - before.looks, total.changes + after.changes - before.changes,
        total.changed_s + after.changed_s - before.changed_s,
        total.unchanged_s + after.unchanged_s - before.unchanged_s,
        total.failures, total.deaths + after.deaths - before.deaths,
    )  # fmt: skip


def look(
    each: Simulated, day: float, chance: random.Random, failing: float
) -> tuple[Check, int]:
    """A good look costs one request; whatever else happens is played through the program's own look."""
    at = START + timedelta(days=day)
    is_dead = day >= each.death
    if not is_dead and chance.random() >= failing:
        return Check("s", at, True), 1
    server = FlakyServer(chance, failing)
    server.is_dead, server.must_fail = is_dead, not is_dead
    service = Service("wms", "http://a.test/wms", title="A")
    found = finished(look_at(LookTarget(service), server, KINDS, 10_000, at))
    assert isinstance(found, Look)
    return replace(found.check, at=at), server.requests


def finished(story: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns that waits for nobody."""
    try:
        story.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("it waits")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", type=int, default=2000)
    parser.add_argument("--days", type=float, default=180.0)
    parser.add_argument("--failing", type=float, default=0.01)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(__file__).parent / "results" / "monitor_policies.json",
    )
    args = parser.parse_args()
    rows = list(compare(args.services, args.days, args.failing))
    for row in rows:
        print(row)
    found = {
        "command": f"python bench/monitor_policies.py --services {args.services} --days {args.days:g}",
        "rows": rows,
    }
    args.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def compare(services: int, days: float, failing: float) -> Iterator[dict[str, Any]]:
    for name in WEBS:
        uniform: dict[str, Any] = {}
        seed = 1 if name in CHOSEN_ON else HELD_OUT_SEED
        for policy in (
            RevisitPolicy.UNIFORM,
            RevisitPolicy.ADAPTIVE,
            RevisitPolicy.RANK,
            RevisitPolicy.LEVELS,
        ):
            found = web(name, services, days, seed)
            ended = simulate(found, Revisiting(policy), days, failing, seed + 1)
            uniform = uniform or ended
            yield {
                "web": name, "held_out": name not in CHOSEN_ON, "policy": str(policy),
                "share_of_uniform_requests": round(ended["requests"] / uniform["requests"], 4),
                "share_of_uniform_seen": round(ended["seen"] / uniform["seen"], 4), **ended,
            }  # fmt: skip


if __name__ == "__main__":
    main()
