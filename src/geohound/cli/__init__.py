"""The command line: one file per command."""

from __future__ import annotations

import logging
import sys
from typing import Annotated

import typer

from geohound import __version__
from geohound.assembly import StoreError
from geohound.settings import SettingsError

from . import crawl, demo, doctor, geoweb, identify, mine, orders, search, serve, show, visits
from .printing import drop_output, err, printable

app = typer.Typer(
    name="geohound",
    help="Find geospatial web services, prove that they are alive, search and use them.",
    epilog="Try: geohound demo\n\nEvery command has a --help with an example. A command ends with 0 when all is done, "
    "with 1 when something that was asked for failed (it tells what), with 2 when the call itself, a setting or the "
    "catalogue is wrong, with 130 when it is interrupted at once.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (demo, crawl, orders, identify, mine, search, show, visits, serve, doctor):
    module.register(app)
app.add_typer(geoweb.app, name="geoweb")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"geohound {__version__}")
        raise typer.Exit


@app.callback()
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
            app()
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
