"""`geohound crawl` and `geohound resume`: from seeds to a catalogue."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from geohound import app, urls
from geohound.model.crawl.task import Budget, Ending, Scope, TaskKind
from geohound.model.failure import FailureReason
from geohound.model.user_error import MissingError
from geohound.settings import Settings
from geohound.tasks import source_yields
from geohound.tasks.spec import crawl_spec
from geohound.views.parsing import check_choice, read_box, split_ids

from . import hints, options, printing
from .live_display import LiveDisplay
from .options import USUAL
from .task_run import exit_interrupted, run
from .values import text, whole

LOG = Annotated[
    str | None,
    typer.Option(
        "--log", metavar="FILE", help="Write one line per visit to this file."
    ),
]

# as watchers of sites report
_NEEDED_NO_REQUEST = {str(FailureReason.UNCHANGED), str(FailureReason.TAKEN)}


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound crawl https://example.org/maps --depth 3 --max-pages 5000",
        cls=options.BrowserCommand,
    )(crawl)
    program.command(epilog="Example: geohound resume")(resume)


def crawl(
    seeds: Annotated[
        list[str] | None, typer.Argument(parser=text, metavar="URL…", help="Seed URLs.")
    ] = None,
    seeds_file: Annotated[
        str | None,
        typer.Option(
            "--seeds",
            metavar="FILE",
            help="File with one seed URL per line; - for standard input.",
        ),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            show_default=USUAL.order,
            help="Crawl order; `geohound orders` lists them.",
        ),
    ] = None,
    learned: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File with what the order has learned; read at the start, overwritten at the end.",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            parser=whole(0),
            metavar="N",
            show_default=f"{USUAL.max_depth}",
            help="Maximum link depth from a seed.",
        ),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(
            parser=whole(1),
            metavar="N",
            show_default="all",
            help="Number of seed segments (ten seeds each) to crawl.",
        ),
    ] = None,
    max_pages: options.MAX_PAGES = None,
    max_time: options.MAX_TIME = None,
    thrift: Annotated[
        str | None,
        typer.Option(
            metavar="0..1|auto",
            show_default=USUAL.thrift,
            help="What to save: 0 = time (crawl all hosts at once), 1 = pages (crawl the best host alone).",
        ),
    ] = None,
    active_hosts: Annotated[
        int | None,
        typer.Option(
            parser=whole(1),
            metavar="N",
            show_default="as --thrift says",
            help="Number of hosts to crawl at the same time.",
        ),
    ] = None,
    kinds: options.KINDS = None,
    bbox: options.BBOX = None,
    topic: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            show_default="all",
            help="Keep only services of this topic, such as land_cover.",
        ),
    ] = None,
    scope: Annotated[
        Scope,
        typer.Option(
            help="Hosts to follow links to: any, those of the seeds, those of the seeds' domains."
        ),
    ] = Scope.ANY,
    fetchers: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, 1000),
            metavar="N",
            show_default="0 = auto",
            help="Workers that fetch pages.",
        ),
    ] = None,
    testers: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, 1000),
            metavar="N",
            show_default="0 = auto",
            help="Workers that test candidate services.",
        ),
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh",
            help="Request every page, also those that some task has read lately.",
        ),
    ] = False,
    queue: Annotated[
        bool,
        typer.Option(
            "--queue",
            help="Only queue the task; `geohound serve` or a cluster runs it.",
        ),
    ] = False,
    rules: options.RULES = None,
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
    """Crawl from seed URLs and add every confirmed service to the catalogue."""
    settings = options.gather(
        config, catalogue=catalogue, order=order, learned=learned,
        max_depth=depth, max_width=width, max_pages=max_pages, max_time_s=max_time,
        thrift=thrift, active_hosts=active_hosts,
        fetchers=fetchers, testers=testers, connect_to=connect_to, allow_nets=allow_net, browser=browser,
        rules=str(rules) if rules else None, revisit_after=0.0 if fresh else None,
    )  # fmt: skip
    if rules is options.Rules.HOU2016:
        settings = _as_published(settings, order)
    check_choice("--order", settings.order, app.orders())
    wanted = split_ids([kinds]) if kinds else []
    for kind in wanted:
        check_choice("--kinds", kind, app.kinds())
    if topic:
        known = app.topics(settings.topic_files)
        check_choice("--topic", topic, known)
        topic = next(each for each in known if each.casefold() == topic.casefold())
    box = read_box(bbox or "", "--bbox")
    start = addresses(seeds or [], seeds_file, settings)
    _write_log(log)
    spec = crawl_spec(
        settings,
        tuple(start),
        scope,
        tuple(wanted),
        box.as_tuple() if box else None,
        topic or "",
    )
    if queue:
        _queued(app.new_task(settings, spec, is_queued=True), json=json, quiet=quiet)
        return
    live = LiveDisplay(json, quiet, verbose)
    close_run(run(settings, app.new_task(settings, spec), live), live)


def _queued(task: int, *, json: bool, quiet: bool) -> None:
    if json:
        printing.line({"summary": {"task": task, "state": "queued"}})
    elif not quiet:
        printing.say(
            f"Task {task} is queued. To follow it: {hints.command(f'tasks watch {task}')}"
        )


def _as_published(settings: Settings, order: str | None) -> Settings:
    """The crawler of Hou, Chen & Wu 2016 aims at land cover, best first, unless asked otherwise."""
    return replace(
        settings,
        order=order or "best_first",
        relevance_topic=settings.relevance_topic or "land_cover",
    )


def resume(
    task: Annotated[
        int | None,
        typer.Argument(
            parser=whole(1), help="Task number; by default the latest unfinished task."
        ),
    ] = None,
    max_pages: Annotated[
        int | None,
        typer.Option(
            parser=whole(1),
            metavar="N",
            show_default="that of the task",
            help="Maximum number of pages to try, over all runs of the task.",
        ),
    ] = None,
    max_time: options.MAX_TIME = None,
    log: LOG = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """Resume a crawl that was stopped or killed."""
    settings = options.gather(
        config, catalogue=catalogue, connect_to=connect_to, allow_nets=allow_net
    )
    given = Budget(
        max_pages=max_pages,
        max_time_s=settings.max_time_s if max_time is None else max_time,
    )
    _write_log(log)
    with app.open_catalogue(settings) as opened:
        number = opened.tasks.unfinished(task)
        if number is not None and max_pages is None:
            opened.tasks.allow(number)
        is_monitor = (
            number is not None
            and opened.tasks.find(number).spec.kind is TaskKind.MONITOR
        )
    if number is None:
        which = f"Task {task} is" if task else "There is"
        reason = (
            "unknown or already finished"
            if task
            else "no unfinished crawl in this catalogue"
        )
        raise MissingError(f"{which} {reason}. Start one: {hints.command('crawl URL')}")
    if is_monitor:
        from .monitor import CheckDisplay, run_monitor  # noqa: PLC0415 - it needs this module

        run_monitor(settings, number, CheckDisplay(json, quiet, verbose))
        return
    live = LiveDisplay(json, quiet, verbose)
    close_run(run(settings, number, live, given), live)


def _write_log(path: str | None) -> None:
    if path is None:
        return
    try:
        handler = logging.FileHandler(path, encoding="utf-8", errors="replace")
    except OSError as error:
        raise typer.BadParameter(
            f"{path} cannot be written: {error.strerror}.", param_hint="--log"
        ) from None
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger = logging.getLogger("geohound.crawler")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    handler.setLevel(logging.INFO)


def close_run(summary: dict[str, Any], live: LiveDisplay) -> None:
    """Print the summary; a crawl that read nothing, or did not reach a seed, has failed."""
    live.close(summary)
    exit_interrupted(summary, live)
    trouble = _trouble(summary)
    if trouble:
        printing.complain(trouble)
    if trouble or summary["ended"] == Ending.NETWORK_LOST:
        raise typer.Exit(1)


_ENDED_BY_ITSELF = (Ending.FINISHED, Ending.UNREACHED, Ending.SOURCE_FAILED)


def _has_read(summary: dict[str, Any]) -> bool:
    """Did it read anything, or need to request nothing at all?"""
    dropped = set(summary["drops"])
    needed_none = bool(dropped) and dropped <= _NEEDED_NO_REQUEST
    return bool(summary["hosts"] or summary["records"] or needed_none)


def _why_nothing_was_read(summary: dict[str, Any]) -> str:
    sources = summary.get("sources")
    if sources and not any(source["seeds"] for source in sources):
        return "The search providers found no page for these words; try fewer or other words, or add --source."
    dropped = list(summary["drops"])
    reasons = ", ".join(dropped) or "no URL was left to visit"
    return f"No page could be fetched: {reasons}.{_advice(dropped)}"


def _trouble(summary: dict[str, Any]) -> str:
    """Why the crawl failed, and what to do about it; empty if it did not."""
    failed = summary.get("failed_sources")
    if failed and summary["ended"] == Ending.SOURCE_FAILED:
        named = "; ".join(
            f"{each['source']}: {each['reason'].rstrip('.')}" for each in failed
        )
        return f"No search provider answers. {named}. Check its address, its key and its quota."
    has_ended = summary["ended"] in _ENDED_BY_ITSELF
    if has_ended and not _has_read(summary):
        return _why_nothing_was_read(summary)
    broken, missed = summary["unread"], summary["unreached"]
    if broken:
        read = f"{printing.count(summary['records'], 'record')} read"
        return f"{read}; not read to the end: {_listed(broken)}.{_advice(each['reason'] for each in broken)}"
    if missed:
        advice = _advice(seed["reason"] for seed in missed)
        return f"{printing.count(len(missed), 'seed')} not reached: {_listed(missed)}.{advice}"
    return ""


def _listed(missed: list[dict[str, str]]) -> str:
    named = ", ".join(f"{each['url']} ({each['reason']})" for each in missed[:3])
    return f"{named} and {len(missed) - 3} more" if len(missed) > 3 else named


def _advice(reasons: Iterable[str]) -> str:
    """What to do about reasons that do not pass by themselves; of those that do, the task can be resumed."""
    rows = [FailureReason(reason).means for reason in reasons]
    return "".join(
        dict.fromkeys(
            f" {row.advice}" for row in rows if row.advice and not row.is_passing
        )
    )


def learned_protocols(settings: Settings) -> dict[str, tuple[int, int]]:
    """What harvests have brought so far in this catalogue, where there is one."""
    if not app.has_catalogue(settings):
        return {}
    with app.open_catalogue(settings) as opened:
        return source_yields.learned_protocols(opened.tasks.tasks())


def addresses(
    given: list[str], file: str | None, settings: Settings | None = None
) -> list[str]:
    """Addresses from the command line and from a file, in canonical form, or a sentence about the first bad one."""
    found = list(given)
    if file:
        try:
            text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
        except UnicodeDecodeError:
            raise typer.BadParameter(
                f"{file} is no text in UTF-8.", param_hint="--seeds"
            ) from None
        except OSError as error:
            raise typer.BadParameter(
                f"{file} cannot be read: {error.strerror}.", param_hint="--seeds"
            ) from None
        typed = app.seeds_of_list(
            text, learned_protocols(settings) if settings else None
        )
        # of a list that others publish, what is no address is their fault
        if typed is not None:
            found += [seed for seed in typed if urls.canonical(seed)]
        else:
            found += [
                line.strip()
                for line in text.splitlines()
                if line.strip() and not line.lstrip().startswith("#")
            ]
    if not found:
        raise typer.BadParameter(
            "Give at least one seed URL, or a file with --seeds.", param_hint="URL"
        )
    return [_seed(address) for address in found]


def _seed(address: str) -> str:
    clean = urls.canonical(address if "://" in address else f"https://{address}")
    if clean is not None and "://" not in address and not _is_host(clean):
        clean = None
    if clean is None:
        raise typer.BadParameter(
            f"{address!r} is not a valid URL; give one such as https://example.org/maps."
        )
    return clean


def _is_host(url: str) -> bool:
    """May a word without a scheme be a host? A name of several parts, an address, or this machine."""
    host = urlsplit(url).hostname or ""
    return "." in host or ":" in host or host == "localhost"
