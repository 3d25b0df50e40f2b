"""`geohound monitor`: looks again at the services of the catalogue, until stopped or once."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated, Any, Self

import typer

from geohound import app
from geohound.model.crawl.event import CheckEnded, Event, Warned
from geohound.model.crawl.task import Ending, MonitorGoal
from geohound.settings import Settings
from geohound.tasks.monitoring import monitor_spec, unfinished_monitor

from . import hints, options, printing
from .options import USUAL
from .task_run import exit_interrupted, run

_MARKS = {True: "✓", False: "✗", None: "?"}


def register(program: typer.Typer) -> None:
    program.command(epilog="Example: geohound monitor --once --deep")(monitor)


def monitor(
    once: Annotated[
        bool, typer.Option("--once", help="Check everything that is due now, and end.")
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Check every service once now, due or not, and end.",
        ),
    ] = False,
    deep: Annotated[
        bool,
        typer.Option(
            "--deep", help="Also request maps, features and tiles of some layers."
        ),
    ] = False,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            show_default=USUAL.monitor_policy,
            help="When services are due: adaptive, uniform, rank, levels, daily.",
        ),
    ] = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """Check the services of the catalogue again when they are due, until stopped."""
    settings = options.gather(
        config,
        catalogue=catalogue,
        connect_to=connect_to,
        allow_nets=allow_net,
        monitor_policy=policy,
    )
    watch = MonitorGoal(once, everything, deep)
    task = _task(settings, watch)
    run_monitor(settings, task, CheckDisplay(json, quiet, verbose))


def _task(settings: Settings, watch: MonitorGoal) -> int:
    """One that ends is a task of its own; one without end is gone on with, if the catalogue has such a one."""
    spec = monitor_spec(settings, watch)
    with app.open_catalogue(settings) as opened:
        if not (watch.once or watch.everything):
            found = unfinished_monitor(opened.tasks.tasks(), watch)
            if found is not None:
                return found.id
    return app.new_task(settings, spec)


def run_monitor(settings: Settings, task: int, display: CheckDisplay) -> None:
    """Run it here; a network that is lost is a failure, a service that does not answer is a result."""
    summary = run(settings, task, display)
    display.close(summary)
    exit_interrupted(summary, display)
    if summary.get("ended") == Ending.NETWORK_LOST:
        raise typer.Exit(1)


class CheckDisplay:
    """Shows a monitor by its events."""

    def __init__(self, json: bool, quiet: bool, verbose: bool) -> None:
        self.json = json
        self._quiet = quiet
        self._verbose = verbose
        self.is_interrupted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def on_event(self, event: Event) -> None:
        match event:
            case CheckEnded():
                self._show(event)
            case Warned():
                printing.complain(event.message)

    def _show(self, event: CheckEnded) -> None:
        if self.json:
            printing.line({"event": event.type, **asdict(event)})
            sys.stdout.flush()
            return
        is_news = event.state != event.was
        if self._quiet or not (is_news or self._verbose or not sys.stdout.isatty()):
            return
        step = f"{event.was} → {event.state}" if is_news else event.state
        why = f"  {event.reason}" if event.reason else ""
        text = f"{_MARKS[event.ok]} {event.endpoint}  {step}  {event.elapsed_ms:.0f} ms{why}"
        printing.say(printing.printable(text))

    def show_stopping(self, task: int) -> None:
        printing.complain(
            f"Stopping. `{hints.command('monitor')}` goes on with what is due; this was task {task}."
        )

    def close(self, summary: dict[str, Any]) -> None:
        """The summary, as a line or as the last JSON line."""
        if self.json:
            printing.line({"summary": summary})
            return
        if not summary["due"]:
            printing.say("Nothing is due now; --all checks every service.")
            return
        checked = printing.count(summary["checked"], "service")
        changed = summary["changed"]
        parts = f"{summary['ok']:,} answered, {summary['failed']:,} failed, {changed:,} changed"
        cost = f"{printing.count(summary['requests'], 'request')} in {summary['elapsed_s']:.1f} s"
        printing.say(f"{checked} checked of {summary['due']:,} due: {parts}; {cost}")
