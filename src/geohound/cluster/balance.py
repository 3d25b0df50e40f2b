"""How many shards each worker runs: as many as the others, until one has more work than its processor can do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from geohound.model.crawl.task import Task, TaskId

WINDOW_S = 20.0  # over which is measured; shards move from one worker to one other
BUSY = 0.7  # of a processor: who needs less has no more work than it can do
GAP = 0.3  # between the busiest worker and the idlest: for less, no shard moves
_AMOUNTS = ("requests", "records", "checked")  # what a shard counts as it works


@dataclass(frozen=True, slots=True)
class Load:
    """What a worker has done in a window."""

    cpu: float  # of a processor
    done: Mapping[TaskId, float]  # by each shard that it runs


class Move(NamedTuple):
    """Shards that are to change their worker."""

    tasks: tuple[TaskId, ...]
    giver: str
    taker: str


def move_of(loads: Mapping[str, Load]) -> Move | None:
    """The move that makes the busiest worker and the idlest about equal."""
    if not loads:
        return None
    giver = max(loads, key=lambda name: loads[name].cpu)
    taker = min(loads, key=lambda name: loads[name].cpu)
    busy, gap = loads[giver], loads[giver].cpu - loads[taker].cpu
    total = sum(busy.done.values())
    if busy.cpu < BUSY or gap < GAP or total <= 0:
        return None
    moved, wanted = [], gap / 2
    for task, done in sorted(busy.done.items(), key=lambda each: -each[1]):
        cost = busy.cpu * done / total
        # One that is too large would only change who is busy.
        if 0 < cost <= wanted:
            moved.append(task)
            wanted -= cost
    return Move(tuple(moved), giver, taker) if moved else None


class Balance:
    """Nothing that it knows need outlive it: a new one begins with equal numbers of shards."""

    def __init__(self) -> None:
        self._began = 0.0
        self._cpu_s: dict[str, float] = {}  # of workers, when the window began
        self._amounts: dict[TaskId, float] = {}  # of shards, likewise
        self._more: Counter[str] = Counter()  # shards beyond an equal number

    def shares(self, running: Mapping[str, int], shards: int) -> dict[str, int]:
        """How many shards each worker may run; `running` says how many it does."""
        if self._more.keys() != running.keys():
            self._more = Counter(dict.fromkeys(running, 0))
        equal = _equal(running, shards)
        shares = {name: max(1, equal + self._more[name]) for name in running}
        while shares and sum(shares.values()) < shards:
            shares[max(shares, key=lambda name: self._more[name])] += 1
        return shares

    def look(
        self,
        now: float,
        cpu_s: Mapping[str, float],
        tasks: Mapping[str, Sequence[Task]],
    ) -> Move | None:
        """At the end of a window the move that helps; `cpu_s` and `tasks` are by worker."""
        if now - self._began < WINDOW_S:
            return None
        loads = self._loads(now, cpu_s, tasks)
        self._began, self._cpu_s = now, dict(cpu_s)
        self._amounts = {
            task.id: _amount_of(task) for each in tasks.values() for task in each
        }
        move = move_of(loads) if loads.keys() == cpu_s.keys() else None
        if move is not None:
            running = {name: len(tasks.get(name, ())) for name in cpu_s}
            equal = _equal(running, sum(running.values()))
            many = len(move.tasks)
            # Exactly so many that the giver does not take them back.
            self._more[move.giver] = running[move.giver] - many - equal
            self._more[move.taker] = running[move.taker] + many - equal
        return move

    def _loads(
        self,
        now: float,
        cpu_s: Mapping[str, float],
        tasks: Mapping[str, Sequence[Task]],
    ) -> dict[str, Load]:
        """Of the workers that were there when the window began."""
        loads = {}
        for name in cpu_s.keys() & self._cpu_s.keys():
            done = {
                task.id: _amount_of(task) - self._amounts[task.id]
                for task in tasks.get(name, ())
                if task.id in self._amounts
            }
            cpu = (cpu_s[name] - self._cpu_s[name]) / (now - self._began)
            loads[name] = Load(cpu, done)
        return loads


def _equal(running: Mapping[str, int], shards: int) -> int:
    return max(1, -(-shards // max(1, len(running))))


def _amount_of(task: Task) -> float:
    return float(sum(task.counters.get(name, 0) for name in _AMOUNTS))
