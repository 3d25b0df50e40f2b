"""A crawl as it is seen while it runs: a line of numbers on a terminal, plain lines in a pipe, JSON for machines."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from rich.live import Live as RichLive
from rich.table import Table
from rich.text import Text

from geohound.assembly import RunningCrawl

from . import printing
from .usage import measure

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

    def interrupt(self, stop: Callable[[], None]) -> None:
        """Ctrl+C: the first asks the crawl to end, the second ends it."""
        self._stops += 1
        if self._stops > 1:
            raise KeyboardInterrupt
        printing.err.print("Stopping after what is in flight; `geohound resume` goes on from there.")
        stop()

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
        for way, brought in summary["ways"].items():
            table.add_row(f"  by {way}", f"{brought['services']:,} services, {_tested(brought)}")
        for label in ("kinds", "drops"):
            words = ", ".join(f"{name} {count:,}" for name, count in summary[label].items())
            table.add_row(label, Text(words or "–"))
        printing.out.print(table)
        if not summary["finished"]:
            printing.say(f"Stopped with work left: geohound resume {summary['task']}{options}")


def _tested(told: dict[str, Any]) -> str:
    """How many candidates were tested, and what one confirmed service cost (LC-10)."""
    each = told["tested_per_confirmed"]
    return f"{told['tested']:,} tested" + (f", {each:.2f} per confirmed service" if each else "")


def _line(crawl: RunningCrawl) -> str:
    """What a person wants to know while waiting (LI-9)."""
    now = crawl.summary()
    per_thousand = 1000 * now["services"] / now["pages"] if now["pages"] else 0.0
    usage = measure(crawl.pids)
    cpu = usage.cpu_s / now["elapsed_s"] * 100 if now["elapsed_s"] else 0.0
    drops = sorted(now["drops"].items(), key=lambda item: -item[1])
    dropped = ", ".join(f"{reason} {count:,}" for reason, count in drops[:3]) or "none"
    more = f" and {len(drops) - 3} more reasons" if len(drops) > 3 else ""
    lost = "NETWORK LOST, waiting  " if now["cut_off"] else ""
    return (
        f"{lost}{timedelta(seconds=int(now['elapsed_s']))}  {now['pages']:,} pages  {now['pages_per_s']:.0f}/s  "
        f"{now['services']:,} services ({per_thousand:.1f} per 1,000 pages)  {now['queue']:,} queued  "
        f"{now['in_flight']:,} in flight of {now['fetchers']} + {now['testers']}  {now['hosts']:,} hosts  "
        f"{usage.memory_mb:,.0f} MB  {cpu:.0f} % CPU  dropped: {dropped}{more}"
    )
