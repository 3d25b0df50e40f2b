"""A task as it is seen while it runs: a line of numbers on a terminal, plain lines in a pipe, JSON for machines."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Self

from rich.live import Live as RichLive
from rich.table import Table
from rich.text import Text

from geohound.model.event import Event, Progressed, ServiceFound, StateChanged
from geohound.model.task import TaskState

from . import printing

_PIPE_S = 10.0


class Live:
    """Shows one task by its events."""

    def __init__(self, json: bool, quiet: bool, verbose: bool) -> None:
        self._json = json
        self._quiet = quiet
        self._verbose = verbose
        self._stack = ExitStack()
        self._live: RichLive | None = None
        self._said_at = time.monotonic()
        self._last: Progressed | None = None

    def __enter__(self) -> Self:
        if not (self._json or self._quiet) and sys.stdout.isatty():
            line = RichLive(Text(""), console=printing.out, refresh_per_second=4, transient=True)
            self._live = self._stack.enter_context(line)
        return self

    def __exit__(self, *_: object) -> None:
        self._live = None
        self._stack.close()

    def hear(self, event: Event) -> None:
        """Something happened."""
        match event:
            case ServiceFound():
                self._tell_service(event)
            case Progressed():
                self._tell_progress(event)
            case StateChanged(state=TaskState.PAUSED) if not (self._json or self._quiet):
                told = "Paused. `geohound tasks resume` or `geohound resume` goes on; Ctrl+C ends this command."
                printing.err.print(told, markup=False)

    def _tell_service(self, event: ServiceFound) -> None:
        if self._json:
            printing.line({"event": event.type, **asdict(event)})
        elif not self._quiet and (self._verbose or self._live is not None or not sys.stdout.isatty()):
            text = printing.printable(f"+ {event.kind:<22} {event.title or '(no title)'}  {event.endpoint}")
            if self._live is not None:
                self._live.console.print(Text(text, overflow="ellipsis", no_wrap=True))
            else:
                printing.say(text)

    def _tell_progress(self, event: Progressed) -> None:
        self._last = event
        if self._live is not None:
            self._live.update(Text(_line(event), style="bold"))
        elif not (self._json or self._quiet) and time.monotonic() - self._said_at >= _PIPE_S:
            self._said_at = time.monotonic()
            printing.say(_line(event))

    def tell_stopping(self, task: int) -> None:
        """Ctrl+C or a polite kill: the task is asked to end."""
        slow = self._last.in_flight if self._last else 0
        wait = f" Waiting a few seconds for {printing.count(slow, 'answer')} under way." if slow else ""
        told = f"Stopping; the task is kept, and `geohound resume {task}` goes on with it.{wait}"
        printing.err.print(told, markup=False)

    def close(self, summary: dict[str, Any], options: str = "") -> None:
        """The summary, as a table or as the last JSON line."""
        if self._json:
            printing.line({"summary": summary})
            return
        table = Table(show_header=False, box=None, pad_edge=False)
        for label in ("pages", "requests", "hosts", "services", "layers"):
            table.add_row(label, f"{summary[label]:,}")
        table.add_row("tests", _tested(summary) + f", {summary['spared']:,} spared as known")
        table.add_row("time", f"{summary['elapsed_s']:.1f} s, {summary['pages_per_s']:.0f} pages/s")
        run = summary["run"]
        if run["elapsed_s"] < summary["elapsed_s"]:
            counts = ", ".join(printing.count(run[name], name[:-1]) for name in ("pages", "requests", "services"))
            table.add_row("this run", f"{counts} in {run['elapsed_s']:.1f} s; all else counts every run of the task")
        for way, brought in summary["ways"].items():
            table.add_row(f"  by {way}", f"{printing.count(brought['services'], 'service')}, {_tested(brought)}")
        for label in ("kinds", "drops"):
            words = ", ".join(f"{name} {count:,}" for name, count in summary[label].items())
            table.add_row(label, Text(words or "–"))
        printing.out.print(table)
        if not summary["finished"]:
            printing.say(_left(summary, options))


def _left(summary: dict[str, Any], options: str) -> str:
    """What is left of a crawl that did not come to its end, and how it goes on."""
    again = f"geohound resume {summary['task']}{options}"
    waiting = f"{printing.count(summary['queue'], 'URL')} left"
    match summary["ended"]:
        case "page budget":
            return f"The budget of pages is spent, {waiting}. To go on: {again} --max-pages {2 * summary['visits']}"
        case "time":
            return f"The time is up, {waiting}. To go on: {again}"
        case "network lost":
            where = "" if summary["hosts"] else " If an address is misspelt, begin anew."
            return f"No host answers: is the network there? The task is kept, {waiting}. To go on: {again}{where}"
        case "seeds not reached":
            return f"Not every seed was reached. To try again: {again}"
        case "paused":
            return f"Paused with work left ({waiting}). To go on: {again}"
    return f"Stopped with work left ({waiting}). To go on: {again}"


def _tested(told: dict[str, Any]) -> str:
    """How many candidates were tested, and what one confirmed service cost (LC-10)."""
    each = told["tested_per_confirmed"]
    return f"{told['tested']:,} tested" + (f", {each:.2f} per confirmed service" if each else "")


def _awaited(now: Progressed) -> str:
    """What a crawl that seems to stand still is waiting for."""
    match now.waiting:
        case "network":
            return "NETWORK LOST, waiting  "
        case "answers":
            return f"waiting for {printing.count(now.in_flight, 'slow answer')}  "
        case "hosts":
            return "waiting for hosts that want a pause  "
        case "other processes":
            return "waiting for hosts that another process asks  "
    return ""


def _line(now: Progressed) -> str:
    """What a person wants to know while waiting (LI-9)."""
    per_thousand = 1000 * now.services / now.pages if now.pages else 0.0
    cpu = now.cpu_s / now.run_s * 100 if now.run_s else 0.0
    drops = sorted(now.drops.items(), key=lambda item: -item[1])
    dropped = ", ".join(f"{reason} {count:,}" for reason, count in drops[:3]) or "none"
    more = f" and {len(drops) - 3} more reasons" if len(drops) > 3 else ""
    return (
        f"{_awaited(now)}{timedelta(seconds=int(now.run_s))}  {printing.count(now.pages, 'page')}  "
        f"{now.run_pages_per_s:.0f}/s  {printing.count(now.services, 'service')} ({per_thousand:.1f} per 1,000 pages)  "
        f"{now.queue:,} queued  {now.in_flight:,} in flight of {now.fetchers} + {now.testers}  "
        f"{printing.count(now.hosts, 'host')}  {now.memory_mb:,.0f} MB  {cpu:.0f} % CPU  dropped: {dropped}{more}"
    )
