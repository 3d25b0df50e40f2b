"""Shards change their worker where one worker has more to do than its processor can, and another has time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.cluster.balance import BUSY, GAP, WINDOW_S, Balance, Load, move_of
from geohound.model.crawl.task import Task, TaskSpec
from geohound.net.clock import SystemClock
from geohound.stores.memory.tasks import MemoryTasks


def even(cpu: float, *tasks: int) -> Load:
    return Load(cpu, dict.fromkeys(tasks, 10.0))


def test_of_eight_equal_shards_of_a_busy_worker_half_go_to_one_that_has_none_to_do() -> (
    None
):
    move = move_of({"a": even(1.0, *range(8)), "b": Load(0.02, {8: 0.0, 9: 0.0})})
    assert (move.giver, move.taker) == ("a", "b")
    assert len(move.tasks) in (3, 4)


def test_a_shard_that_is_all_that_a_worker_does_stays_with_the_small_ones_going() -> (
    None
):
    """Moving it would only make the other one busy."""
    alone = {"a": Load(1.0, {1: 90.0, 2: 0.0}), "b": even(0.0, 3)}
    assert move_of(alone) is None
    beside = {"a": Load(1.0, {1: 60.0, 2: 25.0, 3: 15.0}), "b": even(0.0, 4)}
    assert set(move_of(beside).tasks) == {2, 3}


@pytest.mark.parametrize(
    ("busy", "idle"), [(BUSY - 0.01, 0.0), (1.0, 1.01 - GAP), (0.0, 0.0)]
)
def test_nothing_moves_where_nobody_is_busy_or_all_are(busy, idle) -> None:
    assert move_of({"a": even(busy, 1, 2), "b": even(idle, 3)}) is None
    assert move_of({"a": even(busy, 1, 2)}) is None
    assert move_of({}) is None


LOADS = st.dictionaries(
    st.sampled_from("abcd"),
    st.builds(
        Load,
        st.floats(0, 1),
        st.dictionaries(st.integers(1, 50), st.floats(0, 1000), max_size=9),
    ),
    max_size=4,
)


@given(LOADS)
def test_a_move_makes_the_busiest_less_busy_and_nobody_busier_than_it_was(
    loads,
) -> None:
    move = move_of(loads)
    if move is None:
        return
    giver, taker = loads[move.giver], loads[move.taker]
    part = sum(giver.done[task] for task in move.tasks) / sum(giver.done.values())
    assert 0 < part < 1
    assert taker.cpu + part * giver.cpu <= giver.cpu
    assert part * giver.cpu <= (giver.cpu - taker.cpu) / 2 + 1e-9


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 30), min_size=1),
    st.integers(0, 70),
)
def test_all_shards_together_have_room(running, shards) -> None:
    shares = Balance().shares(running, shards)
    assert shares.keys() == running.keys()
    assert sum(shares.values()) >= shards
    assert max(shares.values()) - min(shares.values()) <= 1


class Machines:
    """Two workers, of which each does as much as it can of what its shards have to do."""

    def __init__(self, **weights: list[float]) -> None:
        tasks = MemoryTasks(SystemClock())
        self.running: dict[str, list[Task]] = {}
        self.weights: dict[int, float] = {}
        for name, each in weights.items():
            self.running[name] = [tasks.create(TaskSpec()) for _ in each]
            ids = [task.id for task in self.running[name]]
            self.weights |= zip(ids, each, strict=True)
        self.cpu_s = dict.fromkeys(weights, 0.0)
        self.now = 0.0
        self.balance = Balance()

    def window(self) -> None:
        """Work, and do what the balance says, as a supervisor does."""
        self.now += WINDOW_S
        for name, tasks in self.running.items():
            wanted = sum(self.weights[task.id] for task in tasks)
            cpu = min(1.0, wanted)
            self.cpu_s[name] += cpu * WINDOW_S
            self.running[name] = [
                replace(task, counters={"requests": self.done(task, cpu, wanted)})
                for task in tasks
            ]
        move = self.balance.look(self.now, self.cpu_s, self.running)
        shards = sum(map(len, self.running.values()))
        shares = self.balance.shares(
            {name: len(tasks) for name, tasks in self.running.items()}, shards
        )
        if move is not None:
            gone = [t for t in self.running[move.giver] if t.id in move.tasks]
            self.running[move.taker] += gone
            self.running[move.giver] = [
                t for t in self.running[move.giver] if t not in gone
            ]
        for name, tasks in self.running.items():  # nobody has to give any back
            assert len(tasks) <= shares[name]
        assert sum(shares.values()) == shards if move else True

    def done(self, task: Task, cpu: float, wanted: float) -> float:
        rate = cpu * self.weights[task.id] / wanted if wanted else 0.0
        return task.counters.get("requests", 0) + 1000 * rate

    def wanted(self) -> dict[str, float]:
        return {
            name: sum(self.weights[task.id] for task in tasks)
            for name, tasks in self.running.items()
        }


def test_work_that_has_grown_uneven_is_even_after_two_minutes_and_then_nothing_moves() -> (
    None
):
    machines = Machines(a=[0.2] * 8, b=[0.0] * 8)
    for _ in range(int(120 / WINDOW_S)):
        machines.window()
    wanted = machines.wanted()
    assert max(wanted.values()) <= 1.0
    where = {name: [t.id for t in of] for name, of in machines.running.items()}
    for _ in range(5):
        machines.window()
    assert where == {name: [t.id for t in of] for name, of in machines.running.items()}


def test_when_a_node_comes_or_goes_numbers_are_equal_again() -> None:
    machines = Machines(a=[0.2] * 8, b=[0.0] * 8)
    for _ in range(3):
        machines.window()
    assert len(set(machines.balance.shares({"a": 4, "b": 12}, 16).values())) == 2
    assert machines.balance.shares({"a": 4, "b": 12, "c": 0}, 16) == dict.fromkeys(
        "abc", 6
    )
