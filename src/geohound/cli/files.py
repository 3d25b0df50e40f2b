"""`geohound files`: list the data files that crawls met."""

from __future__ import annotations

from typing import Annotated

import typer

from geohound import app
from geohound.model.crawl.data_file import DataFile
from geohound.views.files import file_record, read_file_filter

from . import options, printing
from .values import text

_NAMES = {"q": "WORDS", "format": "--format", "limit": "--limit"}


def register(program: typer.Typer) -> None:
    program.command(epilog="Example: geohound files temperature --format netcdf,hdf")(
        files
    )


def files(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            parser=text,
            help="Words that the URL of the file, the link text or the URL of the page contains.",
        ),
    ] = None,
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="ID,…", help="Formats, such as netcdf,geotiff."
        ),
    ] = None,
    limit: Annotated[
        str, typer.Option(metavar="N", help="Number of files, at most 1000.")
    ] = "100",
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List data files that crawled pages link to, such as NetCDF and GeoTIFF; none is downloaded."""
    settings = options.gather(config, catalogue=catalogue)
    given = {"q": [" ".join(words or ())], "limit": [limit]}
    if file_format:
        given["format"] = [each.strip() for each in file_format.split(",")]
    which = read_file_filter(given, _NAMES)
    with app.open_catalogue(settings) as opened:
        found, counts = opened.files.files(which), opened.files.count(which)
    with printing.to_a_reader():
        for each in found:
            if json:
                printing.line(file_record(each))
            else:
                _show(each.file, verbose)
        if json:
            printing.line(
                {"summary": {"total": counts.files, "formats": dict(counts.formats)}}
            )
        elif not quiet:
            printing.say(
                f"{len(found):,} of {printing.count(counts.files, 'data file')}"
            )


def _show(found: DataFile, verbose: bool) -> None:
    size = f"{found.size:,} bytes" if found.size is not None else "size unknown"
    date = f", {found.modified:%Y-%m-%d}" if found.modified else ""
    printing.say(
        printing.printable(
            f"{found.format:<11} {found.url}  ({size}{date}, by its {found.evidence})"
        )
    )
    if verbose:
        printing.say(
            printing.printable(f"            on {found.found_on}  {found.title}")
        )
