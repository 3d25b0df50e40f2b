"""`geohound store`: copies a catalogue from one database to the other."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from geohound import app
from geohound.settings import Settings

from . import options, printing
from .values import text


class StoreAction(StrEnum):
    """What to do."""

    COPY = "copy"


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound store copy geoweb.db postgresql://geohound@localhost/geoweb"
    )(store)


def store(
    action: Annotated[StoreAction, typer.Argument(help="Action.")],
    source: Annotated[
        str,
        typer.Argument(
            parser=text,
            metavar="FROM",
            help="A file, or postgresql://user@host/database.",
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            parser=text,
            metavar="TO",
            help="A file, or postgresql://user@host/database; created if missing, otherwise it must be empty.",
        ),
    ],
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Copy a catalogue from SQLite to PostgreSQL or back, everything with it, and compare every row."""
    del action, catalogue, config  # there is one action, and both catalogues are named
    rows = 0
    for table, count in app.copy_catalogue(
        Settings(catalogue=source), Settings(catalogue=target)
    ):
        rows += count
        if json:
            printing.line({"event": "table", "table": table, "rows": count})
        elif verbose:
            printing.say(f"{table}: {printing.count(count, 'row')}")
    if json:
        printing.line({"summary": {"rows": rows}})
    elif not quiet:
        printing.say(
            f"{app.without_password(target)} has all {rows:,} rows of {app.without_password(source)}."
        )
