"""`geohound watcher`: the site owner's side, the same program as the file that runs alone."""

from __future__ import annotations

from contextlib import ExitStack, closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from geohound import watcher as watching
from geohound.model.user_error import UserError

from . import options, printing
from .values import seconds, text, whole


class Reset(StrEnum):
    """When the flag of a site that was taken is reset."""

    EVENT = "event"
    TIME = "time"


def register(program: typer.Typer) -> None:
    epilog = "Example: geohound watcher /var/www/site --site https://example.org/ --access-log /var/log/nginx/access.log"
    program.command(epilog=epilog)(watcher)


def watcher(
    roots: Annotated[
        list[str],
        typer.Argument(
            parser=text, metavar="ROOT…", help="Folders that the web server serves."
        ),
    ],
    site: Annotated[
        list[str],
        typer.Option(
            "--site",
            metavar="URL",
            help="Address of the main page; once for each ROOT.",
        ),
    ],
    once: Annotated[
        bool, typer.Option("--once", help="Write the report and end.")
    ] = False,
    access_log: Annotated[
        list[Path] | None,
        typer.Option(
            "--access-log",
            metavar="FILE",
            help="Access log of the site, common or combined format.",
        ),
    ] = None,
    listen: Annotated[
        int,
        typer.Option(
            "--listen",
            parser=whole(0, 65535),
            metavar="N",
            help="Serve the report on this loopback port.",
        ),
    ] = 0,
    topic: Annotated[
        list[str] | None,
        typer.Option(
            "--topic", metavar="WORD", help="Report only pages with one of these words."
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            "--exclude",
            metavar="PATTERN",
            help="Leave out these paths, such as drafts/*.",
        ),
    ] = None,
    rush: Annotated[
        list[str] | None,
        typer.Option(
            "--rush",
            metavar="FROM-TO",
            help="Busy hours, in which no pages are ranked, such as 08:00-18:00.",
        ),
    ] = None,
    reset: Annotated[
        Reset,
        typer.Option(
            "--reset", help="When the flag is reset, unless the crawler chooses."
        ),
    ] = Reset.EVENT,
    period: Annotated[
        float,
        typer.Option(
            "--period",
            parser=seconds,
            metavar="S",
            help="Seconds until a reset by time.",
        ),
    ] = 86_400.0,
    key: Annotated[
        str,
        typer.Option(
            "--key",
            metavar="FILE",
            help="File with a key that crawlers share; the report is signed.",
        ),
    ] = "",
    no_sitemap: Annotated[
        bool, typer.Option("--no-sitemap", help="Write no geohound-sitemap.xml.")
    ] = False,
    polling: Annotated[
        bool,
        typer.Option(
            "--polling",
            help="Scan all folders regularly instead of being notified of changes by the kernel.",
        ),
    ] = False,
    share: Annotated[
        int,
        typer.Option(
            "--share",
            parser=whole(1, 100),
            metavar="PERCENT",
            help="Share of one CPU core that the watcher may use.",
        ),
    ] = 2,
    interval: Annotated[
        float,
        typer.Option(
            "--interval", parser=seconds, metavar="S", help="Between two looks."
        ),
    ] = 2.0,
    state: Annotated[
        str,
        typer.Option(
            "--state",
            metavar="FOLDER",
            help="Folder of the watcher's own database, outside of the site.",
        ),
    ] = "",
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """For site owners: keep a report of new and changed pages in a web site, for crawlers to read."""
    del verbose  # there is nothing more to say
    # the watcher needs neither, but mistakes in them are reported
    options.gather(config, catalogue=catalogue)
    logs = [str(log) for log in access_log or ()]
    with ExitStack() as stack:
        try:
            rules = watching.WatcherRules(
                exclude=tuple(exclude or ()), topic=tuple(topic or ()), rush=watching.rush_hours(rush or ()),
                reset=str(reset), period_s=period, key=watching.read_key(key), sitemap=not no_sitemap,
                share=share / 100, polling=polling,
            )  # fmt: skip
            sites = watching.open_sites(roots, site, rules, state)
            for each in sites:
                stack.enter_context(closing(each))
            for event in watching.run(sites, logs, once, interval, listen):
                _show(event, json=json, quiet=quiet)
        except watching.WatcherError as error:
            raise UserError(str(error)) from None
        except OSError as error:
            printing.complain(f"The report cannot be written: {error.strerror}.")
            raise typer.Exit(1) from None


def _show(event: dict[str, Any], *, json: bool, quiet: bool) -> None:
    if json:
        printing.line(event)
    elif event["event"] == "written":
        left_out = f", {event['left_out']:,} left out" if event["left_out"] else ""
        taken = "taken by a crawler" if event["flag"] else "free"
        printing.say(
            f"{event['report']}: {event['listed']:,} of {event['pages']:,} pages{left_out}; the site is {taken}."
        )
    elif not quiet:
        printing.say(
            f"Watching {event['site']} ({event['how']}); the report is {event['report']}."
        )
