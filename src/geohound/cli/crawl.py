"""`geohound crawl` and `geohound resume`: from seeds to a catalogue."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from geohound import assembly, urls
from geohound.contracts import TaskStore
from geohound.model.task import Budget, Ending, Scope, Wanted
from geohound.model.visit import FailureReason
from geohound.settings import Settings
from geohound.tasks.runner import TaskRunner

from . import options, printing
from .live import Live
from .options import USUAL

LOG = Annotated[str | None, typer.Option("--log", metavar="FILE", help="Write a line per visit to this file.")]

MAX_TIME = Annotated[
    float | None, typer.Option(min=0, metavar="S", show_default="no limit", help="Seconds that this run may take.")
]


def register(app: typer.Typer) -> None:
    app.command(
        epilog="Example: geohound crawl https://example.org/maps --depth 3 --max-pages 5000", cls=options.BrowserCommand
    )(crawl)
    app.command(epilog="Example: geohound resume")(resume)


def crawl(
    seeds: Annotated[list[str] | None, typer.Argument(metavar="URL…", help="Where to start.")] = None,
    seeds_file: Annotated[
        str | None,
        typer.Option("--seeds", metavar="FILE", help="A file with one address a line; - for standard input."),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(metavar="ID", show_default=USUAL.order, help="Which link next; `geohound orders` lists them."),
    ] = None,
    learned: Annotated[
        str | None, typer.Option(metavar="FILE", help="What the order learned before; written anew at the end.")
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(min=0, show_default=f"{USUAL.max_depth}", help="Links away from a seed that a page may be."),
    ] = None,
    width: Annotated[
        int | None, typer.Option(min=1, show_default="all", help="Segments of ten seeds to take up, first ones first.")
    ] = None,
    max_pages: Annotated[
        int | None, typer.Option(min=1, show_default=f"{USUAL.max_pages}", help="Pages to try in all.")
    ] = None,
    max_time: MAX_TIME = None,
    kinds: Annotated[
        str | None,
        typer.Option(metavar="ID,…", show_default="all", help="Keep only these kinds of service, such as wms,wfs."),
    ] = None,
    bbox: Annotated[str | None, typer.Option(metavar="W,S,E,N", help="Keep only services that touch this box.")] = None,
    scope: Annotated[
        Scope, typer.Option(help="Where to go: any host, the hosts of the seeds, their domains.")
    ] = Scope.ANY,
    fetchers: Annotated[
        int | None, typer.Option(min=1, max=1000, show_default="as many as pay", help="Workers that fetch pages.")
    ] = None,
    testers: Annotated[
        int | None, typer.Option(min=1, max=1000, show_default="as many as pay", help="Workers that test candidates.")
    ] = None,
    browser: options.BROWSER = None,
    log: LOG = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """Crawl from the seeds and put every confirmed service into the catalogue."""
    settings = options.gather(
        config, catalogue=catalogue, order=order, learned=learned,
        max_depth=depth, max_width=width, max_pages=max_pages, max_time_s=max_time,
        fetchers=fetchers, testers=testers, connect_to=connect_to, allow_nets=allow_net, browser=browser,
    )  # fmt: skip
    options.choices(settings.order, list(assembly.orders()), "--order")
    wanted = options.choices(kinds, list(assembly.kinds()), "--kinds")
    box = options.bbox(bbox)
    start = _seeds(seeds or [], seeds_file)
    _write_log(log)
    spec = assembly.crawl_spec(settings, tuple(start), scope, wanted, box.as_tuple() if box else None)
    live = Live(json, quiet, verbose)
    _close(run(settings, assembly.new_task(settings, spec), live), live, catalogue)


def resume(
    task: Annotated[int | None, typer.Argument(help="The task's number; the last unfinished one by default.")] = None,
    max_pages: Annotated[
        int | None,
        typer.Option(min=1, show_default="as it was begun", help="Pages to try in all, those of earlier runs counted."),
    ] = None,
    max_time: MAX_TIME = None,
    log: LOG = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """Go on with a crawl that was stopped or killed."""
    settings = options.gather(config, catalogue=catalogue, connect_to=connect_to, allow_nets=allow_net)
    given = Budget(max_pages=max_pages, max_time_s=settings.max_time_s if max_time is None else max_time)
    _write_log(log)
    number = assembly.unfinished_task(settings, task)
    if number is None:
        which = f"Task {task} is" if task else "There is"
        reason = "unknown or already finished" if task else "no unfinished crawl in this catalogue"
        printing.err.print(f"{which} {reason}. Start one: geohound crawl URL", markup=False)
        raise typer.Exit(1)
    live = Live(json, quiet, verbose)
    _close(run(settings, number, live, given), live, catalogue)


def _write_log(path: str | None) -> None:
    if path is None:
        return
    try:
        handler = logging.FileHandler(path, encoding="utf-8", errors="replace")
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be written: {error.strerror}.", param_hint="--log") from None
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger = logging.getLogger("geohound.crawler")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    handler.setLevel(logging.INFO)


def _close(summary: dict[str, Any], live: Live, catalogue: str | None) -> None:
    """Tell how it ended; a crawl that could read nothing at all, or did not reach a seed, has failed."""
    live.close(summary, f" --catalogue {catalogue}" if catalogue else "")
    trouble = _trouble(summary)
    if trouble:
        is_forbidden = str(FailureReason.FORBIDDEN_NET) in summary["drops"]
        hint = " Allow such addresses with --allow-net, ports with the setting allow_ports." if is_forbidden else ""
        printing.err.print(f"{trouble}{hint}", markup=False)
    if trouble or summary["ended"] == Ending.NETWORK_LOST:
        raise typer.Exit(1)


def _trouble(summary: dict[str, Any]) -> str:
    """What was asked for and could not be done."""
    reasons = ", ".join(summary["drops"])
    if summary["ended"] in (Ending.FINISHED, Ending.UNREACHED) and not summary["hosts"]:
        return f"Nothing could be read: {reasons or 'nothing was left to visit'}."
    missed = summary["unreached"]
    if missed:
        named = ", ".join(f"{seed['url']} ({seed['reason']})" for seed in missed[:3])
        more = f" and {len(missed) - 3} more" if len(missed) > 3 else ""
        return f"{printing.count(len(missed), 'seed')} never answered: {named}{more}."
    return ""


def run(settings: Settings, task: int, live: Live, given: Budget | None = None) -> dict[str, Any]:
    """Run a task in this process; Ctrl+C and SIGTERM stop it after what is in flight, a second one at once."""

    async def story() -> dict[str, Any]:
        with assembly.task_runner(settings, live.hear, given or Budget()) as (runner, tasks), live:
            with _interruptible(task, runner, tasks, live):
                await runner.run(task)
            found = tasks.get(task)
            return dict(found.counters) | {"ended": str(found.ending)} if found else {}

    try:
        return assembly.run_async(story())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@contextmanager
def _interruptible(task: int, runner: TaskRunner, tasks: TaskStore, live: Live) -> Iterator[None]:
    """Ctrl+C or a polite kill: the first asks the task to end, the second ends it."""
    loop, ours = asyncio.get_running_loop(), asyncio.current_task()
    asked: list[asyncio.Future[Any]] = []

    def interrupt() -> None:
        if asked and ours is not None:
            ours.cancel()
            return
        live.tell_stopping(task)
        wanting = loop.run_in_executor(None, tasks.want, task, Wanted.STOP)
        wanting.add_done_callback(lambda _: runner.look_now())
        asked.append(wanting)

    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, interrupt)
    try:
        yield
    finally:
        for signum in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(signum)


def _seeds(given: list[str], file: str | None) -> list[str]:
    """Addresses from the command line and from a file, in canonical form, or a sentence about the first bad one."""
    found = list(given)
    if file:
        try:
            text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise typer.BadParameter(f"{file} cannot be read: {error}.", param_hint="--seeds") from None
        found += [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not found:
        raise typer.BadParameter("Name at least one address to start from, or a file with --seeds.", param_hint="URL")
    return [_seed(address) for address in found]


def _seed(address: str) -> str:
    clean = urls.canonical(address if "://" in address else f"https://{address}")
    if clean is None:
        raise typer.BadParameter(f"{address!r} is not a web address; it should begin with http:// or https://.")
    return clean
