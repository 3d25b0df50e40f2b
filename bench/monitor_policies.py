"""Revisit policies on services that change and die over simulated months: changes seen, looks spent, deaths confirmed.

A fake clock, the schedule and the health rule of the program, and requests of which 1 in 100 fails at random. The webs
are those of `changing_webs.py`: some were tuned on, some were not.
python bench/monitor_policies.py
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import statistics
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from changing_webs import TUNED, WEBS, Life, lives

from geohound import plugins
from geohound.model.failure import FailureReason
from geohound.model.health import Check, CheckResult, HealthState, states
from geohound.model.monitoring.revisit import DueLook, LookStats
from geohound.model.service import Service
from geohound.model.visit import Failure, Purpose, Response, Visit
from geohound.monitor.looking import Look, LookTarget, look_at
from geohound.monitor.rates import DAY_S
from geohound.monitor.schedule import (
    Revisiting,
    RevisitPolicy,
    after_look,
    next_check,
    planned,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
WMS = b'<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Title>A</Title></Service></WMS_Capabilities>'
# What changes on one of the last days is seen by the next look, which may come later: looks after the end are carried
# out and not counted, and so are the changes of that time.
AFTERWARDS_DAYS = 60.0
POLICIES = (
    RevisitPolicy.UNIFORM,
    RevisitPolicy.ADAPTIVE,
    RevisitPolicy.RANK,
    RevisitPolicy.LEVELS,
)
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
    """One service: its life, and what the monitor knows of it."""

    life: Life
    due: DueLook
    checks: list[Check] = field(default_factory=list)
    looked: float = 0.0
    state: HealthState = HealthState.ALIVE


@dataclass
class Counts:
    looks: int = 0
    requests: int = 0
    seen: int = 0
    false_deaths: int = 0
    delays: list[float] = field(default_factory=list)
    confirmed: list[float] = field(default_factory=list)


def web(name: str, services: int, days: float, seed: int) -> list[Simulated]:
    found = []
    for number, life in enumerate(lives(name, services, days + AFTERWARDS_DAYS, seed)):
        due = DueLook(
            Purpose.CHECK,
            str(number),
            str(life.host),
            START,
            START,
            rank=life.rank,
            depth=life.depth,
        )
        found.append(Simulated(life, due))
    return found


def simulate(
    found: list[Simulated],
    revisiting: Revisiting,
    days: float,
    failing: float,
    seed: int,
) -> dict[str, Any]:
    """Run the monitor over these days; a change counts as seen if a good look comes before the next change."""
    chance = random.Random(seed)
    hosts = {each.life.host: LookStats() for each in found}
    heap = [(chance.random(), number) for number in range(len(found))]
    heapq.heapify(heap)
    counts, planned_day = Counts(), 0
    while heap and heap[0][0] < days + AFTERWARDS_DAYS:
        day, number = heapq.heappop(heap)
        each = found[number]
        if day >= planned_day and revisiting.policy is RevisitPolicy.ADAPTIVE:
            planned_day += 1
            revisiting = planned((each.due for each in found), revisiting)
        check, asked = look(each, day, chance, failing)
        is_counted = day < days
        counts.looks += is_counted
        counts.requests += asked * is_counted
        note(each, check, day, days, counts)
        stats = after_look(
            each.due,
            check.result,
            each.state,
            changed=bool(changes_at(each, check, day)),
            at=check.at,
        )
        host = each.life.host
        hosts[host] = add(hosts[host], each.due.stats, stats)
        each.due = replace(each.due, stats=stats, looked_at=check.at)
        each.looked = day if check.result is CheckResult.GOOD else each.looked
        then = next_check(
            each.due, check.result, each.state, hosts[host], revisiting, check.at
        )
        heapq.heappush(heap, ((then - START).total_seconds() / DAY_S, number))
    total = sum(at < days for each in found for at in each.life.changes)
    return {
        "looks": counts.looks, "requests": counts.requests, "changes": total, "seen": counts.seen,
        "seen_share": round(counts.seen / total, 4), "mean_delay_days": round(statistics.fmean(counts.delays), 2),
        "false_deaths": counts.false_deaths, "deaths_confirmed": len(counts.confirmed),
        "mean_days_to_confirm": round(statistics.fmean(counts.confirmed), 2),
    }  # fmt: skip


def changes_at(each: Simulated, check: Check, day: float) -> list[float]:
    if check.result is not CheckResult.GOOD:
        return []
    return [at for at in each.life.changes if each.looked < at <= day]


def note(
    each: Simulated, check: Check, day: float, days: float, counts: Counts
) -> None:
    """What this look shows of changes and of death."""
    each.checks = [*each.checks, check][-12:]
    *_, state = states(each.checks)
    new = changes_at(each, check, day)
    if new and new[-1] < days:
        counts.seen += 1
        counts.delays.append(day - new[-1])
    if state is HealthState.DEAD and each.state is not HealthState.DEAD:
        if day < each.life.death:
            counts.false_deaths += 1
        elif each.life.death < days:
            counts.confirmed.append(day - each.life.death)
    each.state = state


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
    is_dead = day >= each.life.death
    if not is_dead and chance.random() >= failing:
        return Check("s", at, True), 1
    server = FlakyServer(chance, failing)
    server.is_dead, server.must_fail = is_dead, not is_dead
    service = Service("wms", "http://a.test/wms", title="A")
    target = LookTarget(service, is_dead=each.state is HealthState.DEAD)
    found = finished(look_at(target, server, KINDS, 10_000, at))
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
    parser.add_argument("--services", type=int, default=400)
    parser.add_argument("--days", type=float, default=180.0)
    parser.add_argument("--failing", type=float, default=0.01)
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 12, 13])
    parser.add_argument(
        "--policies", nargs="+", default=[str(each) for each in POLICIES]
    )
    parser.add_argument("--webs", nargs="+", default=list(WEBS))
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(__file__).parent / "results" / "monitor_policies.json",
    )
    args = parser.parse_args()
    rows = []
    for name in args.webs:
        rows += list(compare(name, args))
        args.out.write_text(json.dumps(written(args, rows), indent=1) + "\n", "utf-8")


def written(args: argparse.Namespace, rows: list[dict[str, Any]]) -> dict[str, Any]:
    command = f"python bench/monitor_policies.py --services {args.services} --days {args.days:g}"
    seeds = " ".join(map(str, args.seeds))
    return {
        "command": f"{command} --seeds {seeds}",
        "simulated": "time, changes and answers; look, health rule and schedule are the program's",
        "rows": rows,
    }


def compare(name: str, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Each policy on the same webs, beside uniform: mean and least and most of the seeds."""
    uniform = [run(name, RevisitPolicy.UNIFORM, seed, args) for seed in args.seeds]
    for policy in map(RevisitPolicy, args.policies):
        ended = [run(name, policy, seed, args) for seed in args.seeds]
        pairs = list(zip(ended, uniform, strict=True))
        row = {
            "web": name, "tuned_on": name in TUNED, "policy": str(policy),
            "requests_of_uniform": spread([one["requests"] / other["requests"] for one, other in pairs]),
            "seen_of_all": spread([one["seen_share"] for one in ended]),
            "seen_of_what_uniform_sees": spread([one["seen"] / other["seen"] for one, other in pairs]),
            "false_deaths": sum(one["false_deaths"] for one in ended), "runs": ended,
        }  # fmt: skip
        print({key: value for key, value in row.items() if key != "runs"}, flush=True)
        yield row


def run(
    name: str, policy: RevisitPolicy, seed: int, args: argparse.Namespace
) -> dict[str, Any]:
    found = web(name, args.services, args.days, seed)
    return simulate(found, Revisiting(policy), args.days, args.failing, seed + 1)


def spread(values: list[float]) -> list[float]:
    """Mean, least, most."""
    return [
        round(each, 4) for each in (statistics.fmean(values), min(values), max(values))
    ]


if __name__ == "__main__":
    main()
