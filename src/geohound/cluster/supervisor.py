"""The actor that watches over a cluster: divides tasks, has workers on every node, takes shards from the dead."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from geohound import app
from geohound.contracts import StoreError
from geohound.model.crawl.task import Task, TaskId
from geohound.model.version import __version__
from geohound.settings import Settings
from geohound.tasks.divided_work import is_divided

from .balance import Balance
from .leaving import leave_when_asked
from .takeover import (
    SupervisorStore,
    free_claims,
    free_lapsed,
    holders_of_shards,
    run_by_workers,
    write_status,
)
from .worker import Pulse, Worker

log = logging.getLogger(__name__)

LOOK_S = 1.0
HUNG_S = 20.0  # a worker that does not answer for so long is killed
START_S = 120.0  # likewise one that starts: on a busy machine that takes long

_NO_PULSE = Pulse(0, 0.0, "")


@dataclass(slots=True)
class _Hired:
    """A worker as the supervisor knows it."""

    actor: Any
    node: str
    address: str
    starting: asyncio.Future[str]
    heard_at: float = field(default_factory=time.monotonic)
    has_begun: bool = False
    pulse: Pulse = _NO_PULSE
    leaving: tuple[TaskId, ...] = ()  # what it is to let go

    @property
    def holder(self) -> str:
        """The name under which it holds claims; empty until it has started."""
        has_started = self.starting.done() and not self.starting.cancelled()
        if not has_started or self.starting.exception() is not None:
            return ""
        return self.starting.result()

    @property
    def is_able(self) -> bool:
        return self.holder != "" and not self.pulse.trouble


class ClusterSupervisor:
    """Nothing that it knows outlives it: whoever starts anew finds all in the catalogue."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._workers: dict[str, _Hired] = {}  # by node and number
        self._nodes: dict[str, dict[str, Any]] = {}
        self._store: SupervisorStore | None = None
        self._balance = Balance()
        self._before: frozenset[str] | None = None  # who held tasks when we came
        # Here, not in a method: when Ray starts a supervisor anew, nobody is there to call one.
        self._serving = [
            asyncio.create_task(self._divide()),
            asyncio.create_task(self._watch()),
        ]
        self._leaving = asyncio.create_task(leave_when_asked(self.close))

    async def is_up(self) -> bool:
        """Whoever gets an answer knows that it supervises."""
        return True

    async def close(self) -> None:
        """End the workers of all nodes in good order: they queue their shards again, and no node is left."""
        for serving in self._serving:
            serving.cancel()
        ended = [
            asyncio.wait_for(worker.actor.close.remote(), HUNG_S)
            for worker in self._workers.values()
        ]
        await asyncio.gather(*self._serving, *ended, return_exceptions=True)
        self._workers, self._nodes = {}, {}
        with suppress(StoreError):
            await asyncio.to_thread(
                write_status, await self._open_store(), self.status()
            )

    async def _divide(self) -> None:
        """Run the tasks that are divided; their shards are run by the workers."""
        while True:
            try:
                with app.divided_runner(self._settings) as runner:
                    await runner.serve(1000, is_divided)
            except StoreError as error:
                log.warning("The supervisor waits for its catalogue: %s", error)
            except Exception:  # nobody else would divide tasks
                log.exception("a bug in the supervisor")
            await asyncio.sleep(LOOK_S)

    async def _watch(self) -> None:
        while True:
            try:
                await self._look()
            except StoreError as error:
                log.warning("The supervisor waits for its catalogue: %s", error)
            except Exception:  # one look that fails must not leave the cluster alone
                log.exception("a bug in the supervisor")
            await asyncio.sleep(LOOK_S)

    async def _look(self) -> None:
        alive = {
            node["NodeID"]: node
            for node in await asyncio.to_thread(ray.nodes)
            if node["Alive"]
        }
        self._nodes = alive
        store = await self._open_store()
        if self._before is None:
            self._before = await asyncio.to_thread(holders_of_shards, store)
        await asyncio.to_thread(free_lapsed, store, self._before)
        gone = [worker for worker in self._workers.values() if worker.node not in alive]
        for worker in gone:
            await self._let_go(worker, is_node=True)
        for node_id, node in alive.items():
            for number in range(int(node["Resources"].get("CPU", 1))):
                name = f"{node_id}/{number}"
                if name not in self._workers:
                    self._workers[name] = self._hire(
                        node_id, node["NodeManagerAddress"]
                    )
        shares = self._divide_shards(await asyncio.to_thread(run_by_workers, store))
        await asyncio.gather(
            *(
                self._ask(worker, shares.get(name, 1))
                for name, worker in list(self._workers.items())
            )
        )
        await asyncio.to_thread(write_status, store, self.status())

    def _divide_shards(self, tasks: Sequence[Task]) -> Mapping[str, int]:
        """How many tasks and shards each worker may run that can; where that is uneven, some change their worker."""
        able = {name: each for name, each in self._workers.items() if each.is_able}
        names = {worker.holder: name for name, worker in able.items()}
        by_name: dict[str, list[Task]] = {name: [] for name in able}
        for task in tasks:
            name = names.get(task.claim.holder) if task.claim else None
            if name is not None:
                by_name[name].append(task)
        cpu_s = {name: worker.pulse.cpu_s for name, worker in able.items()}
        move = self._balance.look(time.monotonic(), cpu_s, by_name)
        if move is not None:
            self._workers[move.giver].leaving = move.tasks
        running = {name: len(found) for name, found in by_name.items()}
        return self._balance.shares(running, len(tasks))

    async def _open_store(self) -> SupervisorStore:
        if self._store is None:
            self._store = await asyncio.to_thread(app.open_store, self._settings)
        return self._store

    def _hire(self, node_id: str, address: str) -> _Hired:
        actor = ray.remote(Worker).options(
            num_cpus=0,
            max_concurrency=16,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node_id, soft=False),
        )
        hired: Any = actor.remote(self._settings)
        starting = asyncio.ensure_future(_result_of(hired.start.remote(__version__)))
        return _Hired(hired, node_id, address, starting)

    async def _ask(self, worker: _Hired, share: int) -> None:
        try:
            if not worker.starting.done():
                await self._replace_if_hung(worker, START_S)
                return
            worker.starting.result()
            if not worker.has_begun:
                worker.has_begun, worker.heard_at = True, time.monotonic()
            beat = worker.actor.beat.remote(share, worker.leaving)
            worker.pulse = await asyncio.wait_for(beat, HUNG_S / 4)
            worker.leaving = ()
            worker.heard_at = time.monotonic()
        except TimeoutError:
            await self._replace_if_hung(worker, HUNG_S)
        except ray.exceptions.RayError as error:
            if worker.has_begun:
                await self._let_go(worker, is_node=False)
                return
            said = str(error).strip().splitlines() or [repr(error)]
            worker.pulse = Pulse(0, 0.0, f"its workers do not start: {said[-1]}")
            await self._replace_if_hung(worker, HUNG_S)

    async def _replace_if_hung(self, worker: _Hired, most_s: float) -> None:
        if time.monotonic() - worker.heard_at > most_s:
            log.warning("A worker on %s does not answer and is killed.", worker.address)
            ray.kill(worker.actor)
            await self._let_go(worker, is_node=False)

    async def _let_go(self, worker: _Hired, *, is_node: bool) -> None:
        """Whatever a dead worker held is free at once: its epoch is over, it can write nothing more."""
        self._workers = {
            name: each for name, each in self._workers.items() if each is not worker
        }
        if worker.holder:
            freed = await asyncio.to_thread(
                free_claims, await self._open_store(), worker.holder, requeue=is_node
            )
            log.warning(
                "A worker on %s is gone; %d shards are free.", worker.address, freed
            )

    def status(self) -> dict[str, Any]:
        """For people: nodes and workers."""
        return {
            "at": self._store.clock.now().timestamp() if self._store else 0.0,
            "pid": os.getpid(),
            "head": ray.get_runtime_context().gcs_address,
            "nodes": [
                self._status_of(node_id, node["NodeManagerAddress"])
                for node_id, node in sorted(
                    self._nodes.items(), key=lambda item: item[1]["NodeManagerAddress"]
                )
            ],
        }

    def _status_of(self, node: str, address: str) -> dict[str, Any]:
        workers = [each for each in self._workers.values() if each.node == node]
        return {
            "id": node[:12],
            "address": address,
            "workers": sum(each.is_able for each in workers),
            "shards": sum(each.pulse.running for each in workers),
            "trouble": next((t for each in workers if (t := each.pulse.trouble)), ""),
        }


async def _result_of(answer: Any) -> str:
    return str(await answer)
