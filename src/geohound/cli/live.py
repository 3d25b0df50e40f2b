"""A crawl as it is seen while it runs: a line of numbers on a terminal, plain lines in a pipe, JSON for machines."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from rich.live import Live as RichLive
from rich.table import Table
from rich.text import Text

from . import printing
from .usage import measure

if TYPE_CHECKING:
    from geohound.assembly import RunningCrawl

_TERMINAL_S = 0.25
_PIPE_S = 10.0


class Live:
    """Shows one crawl."""

    def __init__(self, json: bool, quiet: bool, verbose: bool) -> None:
        self._json = json
        self._quiet = quiet
        self._verbose = verbose
        self._stops = 0
        self._live: RichLive | None = None

    def tell(self, event: dict[str, Any]) -> None:
        """A service was confirmed."""
        if self._json:
            printing.line(event)
        elif not self._quiet and (self._verbose or self._live is not None or not sys.stdout.isatty()):
            text = printing.printable(f"+ {event['kind']:<22} {event['title'] or '(no title)'}  {event['endpoint']}")
            if self._live is not None:
                self._live.console.print(Text(text, overflow="ellipsis", no_wrap=True))
            else:
                printing.say(text)

    def interrupt(self, crawl: RunningCrawl) -> None:
        """Ctrl+C or a polite kill: the first asks the crawl to end, the second ends it."""
        self._stops += 1
        if self._stops > 1:
            raise KeyboardInterrupt
        slow = crawl.summary()["in_flight"]
        wait = f" Waiting a few seconds for {printing.count(slow, 'answer')} under way." if slow else ""
        told = f"Stopping; the task is kept, and `geohound resume {crawl.task}` goes on with it.{wait}"
        printing.err.print(told, markup=False)
        crawl.stop()

    async def watch(self, crawl: RunningCrawl) -> None:
        """Keep the numbers fresh until cancelled."""
        if self._json or self._quiet:
            return
        if not sys.stdout.isatty():
            while True:
                await asyncio.sleep(_PIPE_S)
                printing.say(_line(crawl))
        with RichLive(Text(""), console=printing.out, refresh_per_second=4, transient=True) as live:
            self._live = live
            try:
                while True:
                    live.update(Text(_line(crawl), style="bold"))
                    await asyncio.sleep(_TERMINAL_S)
            finally:
                self._live = None

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
    return f"Stopped with work left ({waiting}). To go on: {again}"


def _tested(told: dict[str, Any]) -> str:
    """How many candidates were tested, and what one confirmed service cost (LC-10)."""
    each = told["tested_per_confirmed"]
    return f"{told['tested']:,} tested" + (f", {each:.2f} per confirmed service" if each else "")


def _awaited(now: dict[str, Any]) -> str:
    """What a crawl that seems to stand still is waiting for."""
    if now["cut_off"]:
        return "NETWORK LOST, waiting  "
    if now["in_flight"] and not now["queue"]:
        return f"waiting for {printing.count(now['in_flight'], 'slow answer')}  "
    if now["queue"] and not now["in_flight"]:
        return "waiting for hosts that want a pause  "
    return ""


def _line(crawl: RunningCrawl) -> str:
    """What a person wants to know while waiting (LI-9)."""
    now = crawl.summary()
    per_thousand = 1000 * now["services"] / now["pages"] if now["pages"] else 0.0
    usage = measure(crawl.pids)
    run_s, speed = now["run"]["elapsed_s"], now["run"]["pages_per_s"]
    cpu = usage.cpu_s / run_s * 100 if run_s else 0.0
    drops = sorted(now["drops"].items(), key=lambda item: -item[1])
    dropped = ", ".join(f"{reason} {count:,}" for reason, count in drops[:3]) or "none"
    more = f" and {len(drops) - 3} more reasons" if len(drops) > 3 else ""
    return (
        f"{_awaited(now)}{timedelta(seconds=int(run_s))}  {printing.count(now['pages'], 'page')}  {speed:.0f}/s  "
        f"{printing.count(now['services'], 'service')} ({per_thousand:.1f} per 1,000 pages)  {now['queue']:,} queued  "
        f"{now['in_flight']:,} in flight of {now['fetchers']} + {now['testers']}  "
        f"{printing.count(now['hosts'], 'host')}  {usage.memory_mb:,.0f} MB  {cpu:.0f} % CPU  dropped: {dropped}{more}"
    )
