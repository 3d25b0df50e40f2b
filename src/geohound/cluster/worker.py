"""An actor that runs shards and undivided tasks: a runner of tasks like any other."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from geohound import app
from geohound.contracts import StoreError
from geohound.model.crawl.task import TaskId
from geohound.model.version import __version__
from geohound.settings import Settings
from geohound.tasks.claiming import this_process
from geohound.tasks.divided_work import is_run_whole
from geohound.tasks.runner import TaskRunner

from .leaving import leave_when_asked

log = logging.getLogger(__name__)

RETRY_S = 2.0  # after the database could not be reached


@dataclass(frozen=True, slots=True)
class Pulse:
    """How a worker is."""

    running: int  # shards
    cpu_s: float  # of processor time that it has used
    trouble: str  # why it can run none


class Worker:
    """Serves its catalogue until it is closed; how many shards it may run is for the supervisor to say."""

    def __init__(self, settings: Settings) -> None:
        # One process, so that politeness is kept in one place; a node has as many workers as processors.
        self._settings = replace(settings, processes=1, metrics_port=0)
        self._share = 1
        self._serving: asyncio.Task[None] | None = None
        self._leaving: asyncio.Task[None] | None = None
        self._running = 0
        self._trouble = ""
        self._runner: TaskRunner | None = None

    async def start(self, version: str) -> str:
        """Begin to serve; the name under which this process holds its claims.

        One of another version than the supervisor serves nothing: it would read and write by other rules.
        """
        if version != __version__:
            self._trouble = f"has Geohound {__version__}, and the head has {version}: install the same"
        elif self._serving is None:
            self._serving = asyncio.create_task(self._serve())
            self._leaving = asyncio.create_task(leave_when_asked(self.close))
        return str(this_process())

    async def beat(self, share: int, leaving: Sequence[TaskId] = ()) -> Pulse:
        """The supervisor is alive, and so are we: how many shards we may run, and which others are to run."""
        self._share = share
        for task in leaving:
            if self._runner is not None:
                self._runner.let_go(task)
        return Pulse(self._running, time.process_time(), self._trouble)

    async def close(self) -> None:
        """Let go of everything in good order."""
        if self._serving is not None:
            self._serving.cancel()
            with suppress(asyncio.CancelledError):
                await self._serving
            self._running = 0

    async def _serve(self) -> None:
        while True:
            try:
                with app.task_runner(self._settings, indexes=False) as (runner, _):
                    self._runner, self._trouble = runner, ""
                    await runner.serve(self._limit, is_run_whole)
            except StoreError as error:
                self._trouble = str(error)
                log.warning(
                    "Process %d waits for its catalogue: %s", os.getpid(), error
                )
            except Exception as error:  # it would stay idle for ever
                self._trouble = f"has a bug: {error!r}"
                log.exception("a bug in a worker")
            self._running = 0
            await asyncio.sleep(RETRY_S)

    def _limit(self, running: int) -> int:
        self._running = running
        return self._share
