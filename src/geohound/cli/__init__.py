"""The command line: one file per command."""

from __future__ import annotations

import logging
import sys
from importlib import import_module
from typing import Annotated

import typer

from geohound.contracts import StoreError
from geohound.model.version import __version__
from geohound.settings import SettingsError

from .printing import drop_output, err, printable

# What a command is called, and the file that registers it.
COMMANDS = {
    "demo": "demo",
    "crawl": "crawl",
    "resume": "crawl",
    "tasks": "tasks",
    "orders": "orders",
    "identify": "identify",
    "mine": "mine",
    "search": "search",
    "show": "show",
    "visits": "visits",
    "requests": "visits",
    "serve": "serve",
    "doctor": "doctor",
    "geoweb": "geoweb",
}


def program(asked: str = "") -> typer.Typer:
    """The command line; with the name of a command, only what that one needs is loaded."""
    app = typer.Typer(
        name="geohound",
        help="Find geospatial web services, prove that they are alive, search and use them.",
        epilog="Try: geohound demo\n\nEvery command has a --help with an example. A command ends with 0 when all is "
        "done, with 1 when something that was asked for failed (it tells what), with 2 when the call itself, a "
        "setting or the catalogue is wrong, with 130 when it is interrupted at once.",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for file in [COMMANDS[asked]] if asked in COMMANDS else dict.fromkeys(COMMANDS.values()):
        import_module(f"{__name__}.{file}").register(app)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"geohound {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Tell the version.")
    ] = False,
) -> None:
    del version


def main() -> None:
    """Run the program; whatever a user can get wrong ends in a sentence, not in a traceback."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    logging.getLogger().handlers[0].setLevel(logging.WARNING)
    try:
        try:
            program(sys.argv[1] if len(sys.argv) > 1 else "")()
        finally:
            sys.stdout.flush()  # here, where a reader that has gone is no trouble
    except (SettingsError, StoreError) as error:
        err.print(printable(str(error)), markup=False)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        drop_output()
        sys.exit(0)
