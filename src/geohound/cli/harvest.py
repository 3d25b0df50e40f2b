"""`geohound harvest`: reads catalogues in full and adds every confirmed service that they list."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from geohound import app
from geohound.contracts import Harvester
from geohound.model.failure import FailureReason
from geohound.tasks.spec import harvest_spec

from . import options, printing
from .crawl import addresses, close_run
from .inputs import check_files, is_file
from .live_display import LiveDisplay
from .task_run import run
from .values import text

LIST = "list"  # the harvester of plain lists


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound harvest https://example.org/csw --as csw --since 2026-01-31"
    )(harvest)


def harvest(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            parser=text, metavar="URL|FILE…", help="Catalogue URLs or files."
        ),
    ] = None,
    harvester: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="ID|FILE.toml",
            show_default="auto",
            help="Catalogue protocol, or the recipe of a data centre.",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="DATE",
            show_default="all",
            help="Only records changed since this date, where the catalogue supports it.",
        ),
    ] = None,
    max_time: options.MAX_TIME = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """Harvest catalogues page by page and test what they list; `geohound resume` continues after a stop."""
    settings = options.gather(
        config,
        catalogue=catalogue,
        max_time_s=max_time,
        connect_to=connect_to,
        allow_nets=allow_net,
    )
    given = list(sources or [])
    if harvester is not None and harvester.endswith(".toml"):
        recipe = app.harvest_recipe(Path(harvester))
        path = str(Path(harvester).expanduser().absolute())
        settings = replace(settings, harvester_files=(*settings.harvester_files, path))
        harvester = recipe.id
        given = given or ([recipe.first] if recipe.url else [])
    known = app.harvesters(settings.harvester_files)
    if harvester is not None and harvester not in known:
        message = f"Unknown protocol {harvester!r}; choose from {', '.join(known)}, or give a recipe FILE.toml."
        raise typer.BadParameter(message, param_hint="--as")
    changed = _date(since) if since else None
    check_files(given, "URL|FILE")
    found = _addresses(given)
    if harvester is None and found and found[0].startswith("file:"):
        harvester = _reader_of(found[0], known)
    _check_installed(known.get(harvester or ""))
    spec = harvest_spec(settings, found, harvester or "", changed)
    live = LiveDisplay(json, quiet, verbose)
    summary = run(settings, app.new_task(settings, spec), live)
    close_run(summary, live)
    _check_read(summary, list(known))


def _addresses(given: Sequence[str]) -> tuple[str, ...]:
    """Files of this machine first, then what is on the Web; the command ends where nothing was given."""
    files = [_local(name) for name in given if is_file(name)]
    named = [name for name in given if not is_file(name)]
    on_web = addresses(named, None) if named or not files else ()
    return (*files, *on_web)


def _local(name: str) -> str:
    """The address of a file, the same however its path is written."""
    return Path(os.path.normpath(Path(name).absolute())).as_uri()


def _reader_of(file: str, known: Mapping[str, Harvester]) -> str:
    """The protocol of a file on this machine by its name; a list of addresses where no other knows it."""
    return next((part.id for part in known.values() if part.accepts(None, file)), LIST)


def _check_installed(part: Harvester | None) -> None:
    needs = getattr(part, "needs", "")
    if needs and importlib.util.find_spec(needs) is None:
        message = f"Reading these needs {needs}: pip install 'geohound[archives]'."
        raise typer.BadParameter(message, param_hint="--as")


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            "give a date such as 2026-01-31.", param_hint="--since"
        ) from None


def _check_read(summary: dict[str, Any], known: list[str]) -> None:
    """A harvest that read no record and tested nothing has failed."""
    if not summary["finished"] or summary["records"] or summary["tested"]:
        return
    reasons = ", ".join(set(summary["drops"]) - {FailureReason.TOO_DEEP})
    why = f": {reasons}" if reasons else ""
    message = f"No catalogue could be read{why}. Set its protocol with --as: {', '.join(known)}."
    printing.complain(message)
    raise typer.Exit(1)
