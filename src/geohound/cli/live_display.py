"""A task as it is seen while it runs: a line of numbers on a terminal, plain lines in a pipe, JSON for machines."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from geohound.model.crawl.event import (
    Event,
    Progressed,
    QueryAnswered,
    ServiceFound,
    StateChanged,
    Warned,
    waiting_text,
)
from geohound.model.crawl.task import TaskState

from . import hints, printing

if TYPE_CHECKING:  # loaded where something is drawn, which JSON and pipes are not
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

_PIPE_S = 10.0
_JSON_S = 2.0


class LiveDisplay:
    """Shows one task by its events."""

    def __init__(
        self, json: bool, quiet: bool, verbose: bool, *, is_kept: bool = True
    ) -> None:
        """A task of which nothing is kept, as that of a demo, cannot be continued."""
        self._is_kept = is_kept
        self.json = json
        self._quiet = quiet
        self._verbose = verbose
        self._stack = ExitStack()
        self._live: Live | None = None
        self._said_at = time.monotonic()
        self._last: Progressed | None = None
        self.is_stopping = False
        self.is_interrupted = False

    def __enter__(self) -> Self:
        if not (self.json or self._quiet) and sys.stdout.isatty():
            from rich.live import Live  # noqa: PLC0415

            line = Live("", console=_console(), refresh_per_second=4, transient=True)
            self._live = self._stack.enter_context(line)
        return self

    def __exit__(self, *_: object) -> None:
        self._live = None
        self._stack.close()

    def on_event(self, event: Event) -> None:
        """Something happened."""
        match event:
            case ServiceFound():
                self._show_service(event)
            case QueryAnswered():
                self._show_query(event)
            case Warned() if self.json:
                printing.line({"event": event.type, **asdict(event)})
            case Warned():
                printing.complain(event.message)
            case Progressed():
                self._show_progress(event)
            case StateChanged(state=TaskState.PAUSED) if not (self.json or self._quiet):
                again = hints.command("resume")
                message = f"Paused. `{again}` in another terminal continues it; Ctrl+C ends this command."
                printing.complain(message)

    def _show_service(self, event: ServiceFound) -> None:
        if self.json:
            printing.line({"event": event.type, **asdict(event)})
        elif not self._quiet and (
            self._verbose or self._live is not None or not sys.stdout.isatty()
        ):
            mark = "=" if event.known else "+"  # known before, or new
            text = printing.printable(
                f"{mark} {event.kind:<22} {event.title or '(no title)'}  {event.endpoint}"
            )
            if self._live is not None:
                shown = _text(text)
                shown.overflow, shown.no_wrap = "ellipsis", True
                self._live.console.print(shown)
            else:
                printing.say(text)

    def _show_query(self, event: QueryAnswered) -> None:
        if self.json:
            printing.line({"event": event.type, **asdict(event)})
        elif event.reason:
            printing.complain(f"{event.reason} ({event.searcher}, “{event.text}”)")
        elif not self._quiet:
            kept = ", kept from before" if event.cached else ""
            found = f"{printing.count(event.results, 'result')}, {event.new_seeds} new{kept}"
            printing.say(
                printing.printable(
                    f"? {event.searcher}: {event.text}, page {event.page}: {found}"
                )
            )

    def _show_progress(self, event: Progressed) -> None:
        self._last = event
        if self._live is not None:
            self._live.update(_text(_line(event), "bold"))
        elif not self._quiet and time.monotonic() - self._said_at >= (
            _JSON_S if self.json else _PIPE_S
        ):
            self._said_at = time.monotonic()
            if self.json:
                printing.line({"event": event.type, **asdict(event)})
            else:
                printing.say(_line(event))

    def show_stopping(self, task: int) -> None:
        """Ctrl+C or a polite kill: the task is asked to end."""
        self.is_stopping = True
        slow = self._last.in_flight if self._last else 0
        wait = (
            f" Waiting a few seconds for {printing.count(slow, 'open request')}."
            if slow
            else ""
        )
        again = hints.command(f"resume {task}")
        goes_on = f" `{again}` continues the task." if self._is_kept else ""
        message = f"Stopping.{goes_on}{wait}"
        printing.complain(message)

    def close(self, summary: dict[str, Any]) -> None:
        """The summary, as a table or as the last JSON line."""
        if self.json:
            printing.line({"summary": summary})
            return
        from rich.table import Table  # noqa: PLC0415

        table = Table(show_header=False, box=None, pad_edge=False)
        for row in (*_found_rows(summary), *_time_rows(summary), *_way_rows(summary)):
            table.add_row(*row)
        table.add_row("keywords", _keyword_groups(summary["keyword_groups"]))
        for label in ("kinds", "drops"):
            counts = [f"{name} {count:,}" for name, count in summary[label].items()]
            table.add_row(label, _text(", ".join(counts) or "–"))
        _console().print(table)
        if not summary["finished"] and self._is_kept:
            printing.say(_left(summary))


@cache
def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415

    return Console(highlight=False, soft_wrap=True)


def _text(words: str, style: str = "") -> Text:
    """Words that are no markup."""
    from rich.text import Text  # noqa: PLC0415

    return Text(words, style)


def _pace(summary: dict[str, Any]) -> str:
    """Seconds per page, the measure of politeness of Li, Yang & Yang 2010."""
    each = summary["seconds_per_page"]
    return f", {each:.3g} s per page" if each else ""


def _keyword_groups(groups: list[dict[str, Any]]) -> str:
    """The share of pages that hold the address of a WMS, by the keywords of the page (LI-15)."""
    known = [group for group in groups if group["pages"]]
    shares = [
        f"{g['keywords']}: {100 * g['share']:.1f} % of {printing.count(g['pages'], 'page')}"
        for g in known
    ]
    return ("WMS addresses on pages with " + "; ".join(shares)) if shares else "–"


def _visited(summary: dict[str, Any]) -> str:
    """Pages read, and where some could not be, how many were tried: these are what a limit counts."""
    tried = summary["visits"]
    if tried <= summary["pages"]:
        return f"{summary['pages']:,}"
    return f"{tried:,} tried, {summary['pages']:,} read"


def _left(summary: dict[str, Any]) -> str:
    """What is left of a crawl that did not come to its end, and how it goes on."""
    again = hints.command(f"resume {summary['task']}")
    waiting = f"{printing.count(summary['queue'], 'URL')} left"
    match summary["ended"]:
        case "page budget":
            most = 2 * summary["visits"]
            said = f"Page limit reached (pages: {_visited(summary)}), {waiting}"
            return f"{said}. To continue: {again} --max-pages {most}"
        case "time":
            held = summary.get("hosts_elsewhere", 0)
            also = (
                f"; {printing.count(held, 'host')} in use by another process"
                if held
                else ""
            )
            return f"Time limit reached, {waiting}{also}. To continue: {again}"
        case "network lost":
            where = (
                ""
                if summary["hosts"]
                else " If a seed URL is misspelt, start a new crawl."
            )
            return f"No host responds; check the network connection. {waiting}. To continue: {again}{where}"
        case "seeds not reached":
            return f"Some seeds were not reached. To retry: {again}"
        case "source failed":
            return f"Not everything was read. To continue: {again}"
        case "paused":
            return f"Paused, {waiting}. To continue: {again}"
    return f"Stopped, {waiting}. To continue: {again}"


def _tested(counts: dict[str, Any]) -> str:
    """How many candidates were tested, and what one confirmed service cost (LC-10)."""
    each = counts["tested_per_confirmed"]
    return f"{counts['tested']:,} tested" + (
        f", {each:.2f} per confirmed service" if each else ""
    )


def _waiting(now: Progressed) -> str:
    """Why a crawl makes no progress at the moment; empty if it does."""
    said = waiting_text(now.waiting, now.waiting_hosts)
    return f"{printing.printable(said)}  " if said else ""


def _active(now: Progressed) -> str:
    """Which hosts are asked, where the best are waited for."""
    best = now.active_hosts - now.explored_hosts
    explored = f"{now.explored_hosts:,} explored, " if now.explored_hosts else ""
    return (
        f" ({best:,} best asked, {explored}{now.inactive_hosts:,} left for later)"
        if now.inactive_hosts
        else ""
    )


def _line(now: Progressed) -> str:
    """What a person wants to know while waiting (LI-9)."""
    per_thousand = 1000 * now.services / now.pages if now.pages else 0.0
    cpu = now.cpu_s / now.run_s * 100 if now.run_s else 0.0
    drops = sorted(now.drops.items(), key=lambda item: -item[1])
    dropped = ", ".join(f"{reason} {count:,}" for reason, count in drops[:3]) or "none"
    others = printing.count(len(drops) - 3, "more reason")
    more = f" and {others}" if len(drops) > 3 else ""
    return (
        f"{_waiting(now)}{timedelta(seconds=int(now.run_s))}  {printing.count(now.pages, 'page')}  "
        f"{now.run_pages_per_s:.0f}/s  {printing.count(now.services, 'service')} ({per_thousand:.1f} per 1,000 pages)  "
        f"{now.queue:,} queued  {now.in_flight:,} active of {now.fetchers + now.testers:,} workers  "
        f"{printing.count(now.hosts, 'host')}{_active(now)}  {now.memory_mb:,.0f} MB  {cpu:.0f} % CPU  "
        f"load {now.machine_load:.1f}  dropped: {dropped}{more}"
    )


def _found_rows(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "pages", _visited(summary)
    for label in ("requests", "hosts", "services", "layers"):
        yield label, f"{summary[label]:,}"
    if summary.get("pages_known"):
        read = printing.count(summary["pages_known"], "page")
        yield "read lately", f"{read}, not requested again (--fresh requests all)"
    if summary.get("known"):
        yield "known before", printing.count(summary["known"], "service")
    if summary.get("data_files"):
        yield "data files", f"{summary['data_files']:,}, see `{hints.command('files')}`"
    if summary.get("records"):
        yield "records", f"{summary['records']:,}"
    yield "tests", f"{_tested(summary)}, {summary['skipped']:,} skipped as known"


def _time_rows(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "started", summary["started_at"]
    speed = f"{summary['pages_per_s']:.0f} pages/s{_pace(summary)}"
    yield "time", f"{summary['elapsed_s']:.1f} s, {speed}"
    run = summary["run"]
    if run["elapsed_s"] < summary["elapsed_s"]:
        counts = _counts(run, "pages", "requests", "services")
        others = "all other numbers are for the whole task"
        yield "this run", f"{counts} in {run['elapsed_s']:.1f} s; {others}"


def _way_rows(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What each way of finding brought, and each source of a hunt."""
    for way, brought in summary["ways"].items():
        services = printing.count(brought["services"], "service")
        yield f"  by {way}", f"{services}, {_tested(brought)}"
    for row in summary.get("sources", ()):
        yield f"  from {row['source']}", _counts(row, "requests", "seeds", "services")


def _counts(numbers: dict[str, Any], *names: str) -> str:
    return ", ".join(printing.count(numbers[name], name[:-1]) for name in names)
