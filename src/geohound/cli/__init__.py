"""The command line: one file per command."""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from typing import Annotated, NamedTuple

import typer

from geohound.model.user_error import UserError
from geohound.model.version import __version__

from . import printing

_GC_OBJECTS = 50_000  # new ones between two searches for garbage: what is loaded at the start is none


class Command(NamedTuple):
    """The file that registers a command, and what the help of the program says of it."""

    file: str
    help: str


# Stands here so that the help of the program, and each command, need not load all the others.
COMMANDS = {
    "demo": Command(
        "demo",
        "Hunt and crawl a small simulated web on this machine and open the portal. No request leaves the machine.",
    ),
    "crawl": Command(
        "crawl",
        "Crawl from seed URLs and add every confirmed service to the catalogue.",
    ),
    "resume": Command("crawl", "Resume a crawl that was stopped or killed."),
    "hunt": Command(
        "hunt",
        "Ask search providers in rounds, learn from what answers, and crawl on; `geohound resume` continues it.",
    ),
    "harvest": Command(
        "harvest",
        "Harvest catalogues page by page and test what they list; `geohound resume` continues after a stop.",
    ),
    "monitor": Command(
        "monitor",
        "Check the services of the catalogue again when they are due, until stopped.",
    ),
    "check": Command(
        "check",
        "Check one service now, its layers too, and print the curl command of every request.",
    ),
    "sources": Command(
        "sources",
        "List search providers and harvesters: state, cost, and what they brought so far in this catalogue.",
    ),
    "tasks": Command(
        "tasks",
        "List the tasks of a catalogue, watch one live, start, pause, resume, stop or delete it.",
    ),
    "orders": Command(
        "orders",
        "List the crawl orders: which URL is visited next. Use an id with `geohound crawl --order`.",
    ),
    "kinds": Command(
        "kinds", "List the service kinds. Use their ids with --kind and --kinds."
    ),
    "identify": Command(
        "identify",
        "Identify each URL or file: service kind, version and layers, or why it is not a service.",
    ),
    "mine": Command(
        "mine",
        "List the service endpoints in pages without testing them; of a saved page, its saved files are read too.",
    ),
    "export": Command(
        "export",
        "Write the services of a search, or all of them, to a file: CSV, GeoJSON, JSON, QGIS, GeoParquet and others.",
    ),
    "search": Command(
        "search", "Search the catalogue by words, by bounding box, or both."
    ),
    "show": Command(
        "show", "Show one service: metadata, layers, health, and where it was found."
    ),
    "files": Command(
        "files",
        "List data files that crawled pages link to, such as NetCDF and GeoTIFF; none is downloaded.",
    ),
    "visits": Command(
        "visits",
        "List every URL that a crawl visited or dropped, with its parent page and result.",
    ),
    "requests": Command("visits", "List every request to a host, latest first."),
    "pages": Command(
        "pages",
        "List the pages kept for a second look, or look for services in them again.",
    ),
    "report": Command(
        "report",
        "Print figures of a crawl (quickness, depth and width, failures, hosts) or of the catalogue.",
    ),
    "serve": Command("serve", "Serve the portal and the API, and run queued tasks."),
    "users": Command(
        "users",
        "List the accounts of the portal, add or remove one, change its role or its password.",
    ),
    "watcher": Command(
        "watcher",
        "For site owners: keep a report of new and changed pages in a web site, for crawlers to read.",
    ),
    "cluster": Command(
        "cluster",
        "Crawl on several machines: start a cluster, join it with a further machine, see how it stands, stop it.",
    ),
    "store": Command(
        "store",
        "Copy a catalogue from SQLite to PostgreSQL or back, everything with it, and compare every row.",
    ),
    "doctor": Command(
        "doctor", "Check the installation: what is missing, and which features need it."
    ),
    "geoweb": Command(
        "geoweb",
        "A simulated web on loopback with known ground truth, for demos and tests.",
    ),
}


def program(asked: str | None = None) -> typer.Typer:
    """The command line; where it is known what is asked for, of the other commands only the names are there."""
    app = typer.Typer(
        name="geohound",
        help="Find geospatial web services, prove that they are alive, search and use them.",
        epilog="Try: geohound demo\n\nEvery command has a --help with an example. Exit codes: 0 success; 1 something "
        "that was asked for failed or is not in the catalogue (the reason is printed); 2 wrong usage, settings or "
        "catalogue; 130 interrupted.",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    loaded: set[str] = set()
    for name, command in COMMANDS.items():
        if asked is not None and (
            asked not in COMMANDS or command.file != COMMANDS[asked].file
        ):
            app.command(name, help=command.help)(_not_loaded)
        elif command.file not in loaded:
            import_module(f"{__name__}.{command.file}").register(app)
            loaded.add(command.file)
    return app


def _not_loaded() -> None:
    """A command that was not asked for."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"geohound {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    del version
    import logging  # noqa: PLC0415 - help does without it

    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    logging.getLogger().handlers[0].setLevel(logging.WARNING)


def main() -> None:
    """Run the program; a user's mistake ends in an error message, not in a traceback."""
    gc.set_threshold(_GC_OBJECTS)
    printing.have_output()
    try:
        try:
            program(
                next((word for word in sys.argv[1:] if not word.startswith("-")), "")
            )()
        finally:
            gc.freeze()  # or the interpreter would go through all that was loaded once more before it ends
            sys.stdout.flush()  # here, where a reader that has gone is no trouble
    except UserError as error:
        printing.complain(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        printing.drop_output()
        sys.exit(0)
    except OSError as error:
        if not printing.is_of_output(error):
            raise
        printing.drop_output()
        printing.complain(f"The output cannot be written: {error.strerror}.")
        sys.exit(1)
