"""Runs a task in this process, with whatever shows it; Ctrl+C ends it in good order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol

import typer

from geohound import app
from geohound.contracts import TaskStore
from geohound.event_loop import run_async
from geohound.model.crawl.event import Event
from geohound.model.crawl.task import Budget, Ending, Wanted
from geohound.settings import Settings
from geohound.tasks.runner import TaskRunner

INTERRUPTED = 130  # as shells call what Ctrl+C ended


class Display(Protocol):
    """Shows a task while it runs."""

    is_interrupted: bool  # by Ctrl+C

    def __enter__(self) -> object: ...
    def __exit__(self, *_: object) -> None: ...
    def on_event(self, event: Event) -> None: ...
    def show_stopping(self, task: int) -> None: ...


def run(
    settings: Settings, task: int, live: Display, given: Budget | None = None
) -> dict[str, Any]:
    """Run a task in this process; Ctrl+C and SIGTERM stop it after what is in flight, a second one at once."""

    async def story() -> dict[str, Any]:
        with app.task_runner(settings, live.on_event, given) as (runner, tasks), live:
            async with _interruptible(task, runner, tasks, live):
                await runner.run(task)
            found = tasks.get(task)
            return dict(found.counters) | {"ended": str(found.ending)} if found else {}

    try:
        return run_async(story())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def exit_interrupted(summary: dict[str, Any], live: Display) -> None:
    """End the command with the exit code of Ctrl+C, where that stopped the task before its end."""
    if live.is_interrupted and summary.get("ended") == Ending.STOPPED:
        raise typer.Exit(INTERRUPTED)


@asynccontextmanager
async def _interruptible(
    task: int, runner: TaskRunner, tasks: TaskStore, live: Display
) -> AsyncIterator[None]:
    """Ctrl+C or a polite kill: the first asks the task to end, the second ends it."""
    loop, ours = asyncio.get_running_loop(), asyncio.current_task()
    asked: list[asyncio.Future[Any]] = []
    is_over = False

    def interrupt(signum: int) -> None:
        if is_over:  # a signal that came before, and is delivered only now
            return
        if asked and ours is not None:
            ours.cancel()
            return
        wanting = loop.run_in_executor(None, tasks.want, task, Wanted.STOP)
        wanting.add_done_callback(lambda _: runner.look_now())
        asked.append(wanting)
        live.is_interrupted = signum == signal.SIGINT
        live.show_stopping(task)

    # A terminal that is closed ends the task as Ctrl+C does, unless nohup says otherwise.
    hang_up = (
        [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    )
    signals = (signal.SIGINT, signal.SIGTERM, *hang_up)
    for signum in signals:
        loop.add_signal_handler(signum, interrupt, signum)
    try:
        yield
    finally:
        is_over = True
        for signum in signals:
            loop.remove_signal_handler(signum)
        await asyncio.gather(*asked)  # the store is closed next
