"""Examiners in processes of their own: all cores are used, and a page that breaks its reader breaks no crawl."""

from __future__ import annotations

import asyncio
import logging
import mmap
import socket
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b

from geohound import urls
from geohound.contracts import StoreError
from geohound.model.compact_sets import Recent
from geohound.model.crawl.job import Job, Report
from geohound.model.failure import FailureReason
from geohound.model.visit import Failure
from geohound.politeness import LocalTurns

from .channel import MARK, REFRESH, WorkerChannel
from .turns import TurnAnswered, TurnDesk

log = logging.getLogger(__name__)

SILENCE_S = 120.0  # without a sign of life a process is taken for stuck; on a busy machine 30 s are nothing
MAX_EARLY_DEATHS = 3
_LOOK_S = 1.0
MAX_HOMES = 65_536  # sites of which it is remembered which process has them
MOVE_AT = 16  # jobs of a process more than MOVE_FACTOR times those of another: its sites move there
MOVE_FACTOR = 2


class ExaminerError(StoreError):
    """Nothing can be examined any more; the message is for people."""


@lru_cache(maxsize=65536)
def _number(site: str) -> int:
    return int.from_bytes(blake2b(site.encode(), digest_size=4).digest(), "big")


class WorkerPool:
    """Sends each site to one process, which keeps its connections and robots.txt; each waits for its own turns.

    Where the URLs of a process pile up, its sites are divided anew (WBC-9).
    """

    def __init__(
        self,
        command: Sequence[str],
        setup: bytes,
        processes: int,
        turns: Callable[[], LocalTurns],
    ) -> None:
        self._workers = [_Worker(command, setup, turns()) for _ in range(processes)]
        self._homes: Recent[str, _Worker] = Recent(MAX_HOMES)
        self._watching: asyncio.Task[None] | None = None

    async def examine(self, job: Job) -> Report:
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        return await self._worker_for(urls.site(job.url)).examine(job)

    def _worker_for(self, site: str) -> _Worker:
        """Where the site has been before; one that is new, or whose process has far more to do than another, moves.

        The connections and robots.txt of a site are with its process: it moves only while nothing is asked of it.
        """
        first = self._workers[_number(site) % len(self._workers)]
        known = self._homes.get(site)
        home = known or first
        idlest = min(self._workers, key=lambda each: each.load)
        is_crowded = home.load > (MOVE_AT if known else 0) + MOVE_FACTOR * idlest.load
        if is_crowded and not home.is_busy_with(site):
            home = idlest
        self._homes.put(site, home)
        return home

    @property
    def restarts(self) -> int:
        return sum(worker.restarts for worker in self._workers)

    async def refresh(self) -> None:
        for worker in self._workers:
            worker.refresh()

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
        for worker in self._workers:
            await worker.close()

    @property
    def pids(self) -> list[int]:
        return [worker.pid for worker in self._workers if worker.pid]

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            for worker in self._workers:
                worker.kill_if_silent()


class _Worker:
    """One process and what it is doing."""

    def __init__(self, command: Sequence[str], setup: bytes, turns: LocalTurns) -> None:
        self._desk = TurnDesk(turns, self._send_turn)
        self._command = command
        self._setup = setup
        self._jobs: dict[int, tuple[Job, asyncio.Future[Report]]] = {}
        self._next = 1
        self._channel: WorkerChannel | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._mark: mmap.mmap | None = None
        self._deaths = 0
        # jobs that were being read when a process died
        self._suspects: set[int] = set()
        self.restarts = 0
        self._closed = False

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def load(self) -> int:
        return len(self._jobs)

    def is_busy_with(self, site: str) -> bool:
        return any(urls.site(job.url) == site for job, _ in self._jobs.values())

    async def examine(self, job: Job) -> Report:
        number, self._next = self._next, self._next + 1
        done: asyncio.Future[Report] = asyncio.get_running_loop().create_future()
        self._jobs[number] = job, done
        try:
            if self._channel is None:
                self._start()
            else:
                self._hand(self._channel, number, job)
            return await done
        finally:
            if self._jobs.pop(number, None) and self._channel is not None:
                # the crawl gave up waiting: so may the process
                self._channel.send(number, None)

    def refresh(self) -> None:
        if self._channel is not None:
            self._channel.send(REFRESH, None)

    def _start(self) -> None:
        """Start the process and give it all that is to be done."""
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryFile() as shared, theirs:
            shared.truncate(MARK.size)
            self._mark = mmap.mmap(shared.fileno(), MARK.size)
            fds = (theirs.fileno(), shared.fileno())
            self._process = subprocess.Popen(  # noqa: S603 - this program itself
                [*self._command, *map(str, fds)],
                pass_fds=fds,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                process_group=0,
            )
        self._channel = WorkerChannel(
            ours, self._receive, self._desk.receive, self._died
        )
        self._channel.send_raw(self._setup)
        for number, (job, _) in self._jobs.items():
            self._hand(self._channel, number, job)

    def _hand(self, channel: WorkerChannel, number: int, job: Job) -> None:
        channel.send(number, job, self._desk.bring(urls.host(job.url)))

    def _send_turn(self, answer: TurnAnswered) -> None:
        if self._channel is not None:
            self._channel.send_message(answer)

    def _receive(self, number: int, report: Report) -> None:
        self._deaths = 0
        self._suspects.discard(number)
        waiting = self._jobs.pop(number, None)
        if waiting is not None and not waiting[1].done():
            waiting[1].set_result(report)

    def _died(self) -> None:
        """The process is gone, and its work goes to a successor; what both were reading when they died is to blame.

        Once proves nothing: somebody may have killed it.
        """
        culprit = MARK.unpack(self._mark)[0] if self._mark is not None else 0
        self._end()
        if self._closed:
            return
        self._deaths += 1
        self.restarts += 1
        blamed = self._jobs.pop(culprit, None) if culprit in self._suspects else None
        is_suspected = culprit in self._jobs
        if is_suspected:
            self._suspects.add(culprit)
        if blamed is not None:
            job, done = blamed
            log.error("%s broke the process that read it", job.url)
            detail = "the page broke the process that read it"
            if not done.done():
                failure = Failure(job.url, FailureReason.BUG, detail, datetime.now(UTC))
                done.set_result(Report(failure, asked=1))
        if self._deaths > MAX_EARLY_DEATHS and not is_suspected and blamed is None:
            error = ExaminerError(
                "The processes that read pages end as soon as they begin; see the messages above."
            )
            for _, done in self._jobs.values():
                if not done.done():
                    done.set_exception(error)
            self._jobs.clear()
        elif self._jobs:
            self._start()

    def kill_if_silent(self) -> None:
        if (
            self._channel is not None
            and self._process is not None
            and self._channel.silent_s > SILENCE_S
        ):
            log.error("the process %d does not answer and is ended", self._process.pid)
            self._process.kill()

    async def close(self) -> None:
        self._closed = True
        process = self._process
        self._end()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                await asyncio.to_thread(process.wait, 5)
            if process.poll() is None:
                process.kill()
                await asyncio.to_thread(process.wait)

    def _end(self) -> None:
        self._desk.close()
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._mark is not None:
            self._mark.close()
            self._mark = None
        if self._process is not None:
            self._process.poll()
            self._process = None
