"""`geohound export`: the results of a search, or the whole catalogue, as a file."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, BinaryIO, cast

import typer

from geohound import app
from geohound.model.bbox import Relation
from geohound.model.export import LeftOut
from geohound.model.user_error import UserError
from geohound.views.exporting import Exporting
from geohound.views.params import EXPORTS, read_query

from . import options, printing, search_options
from .search_options import SearchCommand, given_texts, known_topics
from .values import text

_MOST = "0"


def register(program: typer.Typer) -> None:
    program.command(
        cls=SearchCommand,
        epilog="Example: geohound export geojson land cover --kind wms -o layers.json",
    )(export)


def export(
    file_format: Annotated[
        str,
        typer.Argument(
            parser=text, metavar="FORMAT", help="Format; without one: list the formats."
        ),
    ] = "",
    words: search_options.WORDS = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write; standard output by default.",
        ),
    ] = None,
    bbox: search_options.BBOX = None,
    relation: search_options.RELATION = Relation.OVERLAPS,
    kind: search_options.KIND = None,
    topic: search_options.TOPIC = None,
    class_: search_options.CLASS = None,
    state: search_options.STATE = None,
    country: search_options.COUNTRY = None,
    where: search_options.WHERE = None,
    years: search_options.YEARS = None,
    synonyms: search_options.SYNONYMS = True,
    limit: Annotated[
        str, typer.Option(metavar="N", help="Number of services; 0: all.")
    ] = _MOST,
    offset: Annotated[
        str, typer.Option(metavar="N", help="Number of services to skip.")
    ] = "0",
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,  # noqa: ARG001 - every command has it
) -> None:
    """Write the services of a search, or all of them, to a file: CSV, GeoJSON, JSON, QGIS, GeoParquet and others."""
    settings = options.gather(config, catalogue=catalogue)
    formats = app.exporters()
    if not file_format:
        _list(json)
        return
    if file_format not in formats:
        raise UserError(
            f"{file_format!r} is no export format; choose from {', '.join(formats)}."
        )
    single = {
        "bbox": bbox,
        "relation": relation,
        "years": years,
        "expand": str(synonyms).lower(),
    }
    single |= {"limit": limit, "offset": offset}
    lists = {
        "kind": kind,
        "topic": topic,
        "class": class_,
        "state": state,
        "country": country,
    }
    given = given_texts(words, single, lists, where)
    query = read_query(
        given, EXPORTS, {"kind": list(app.kinds())} if "kind" in given else {}
    )
    with app.open_catalogue(settings) as opened:
        if query.topics:
            read_query(given, EXPORTS, {"topic": known_topics(opened.index, settings)})
        exporting = Exporting(opened.catalogue, opened.index, app.kinds())
        pieces = _Noted(exporting.write(formats[file_format], query, query.limit))
        written = _write(pieces, output)
    in_file = exporting.written - pieces.left_out
    if output and json:
        counts = {"services": in_file, "bytes": written}
        summary = {"format": file_format, "file": output, **counts}
        noted = {"note": pieces.note} if pieces.note else {}
        printing.line({"summary": summary | noted})
    elif output and not quiet:
        services = printing.count(in_file, "service")
        printing.say(f"{output}: {services}, {written:,} bytes.")
    if pieces.note and not quiet:
        printing.complain(pieces.note)


class _Noted:
    """The bytes of a file, and what it lacks, which its writer knows at the end."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self.left_out, self.note = 0, ""

    def __iter__(self) -> Iterator[bytes]:
        pieces = cast("Generator[bytes, None, LeftOut | None]", iter(self._pieces))
        self.left_out, self.note = (yield from pieces) or LeftOut()


def _list(json: bool) -> None:
    for each in app.exporters().values():
        if json:
            printing.line(
                {"id": each.id, "title": each.title, "media_type": each.media_type}
            )
        else:
            printing.say(f"{each.id:<18} {each.title}")


def _write(pieces: Iterable[bytes], output: str | None) -> int:
    if output is None:
        with printing.to_a_reader():
            return _copy(pieces, sys.stdout.buffer)
    target = Path(output)
    try:
        if target.exists() and not target.is_file():  # a device or a pipe stays one
            with target.open("wb") as file:
                return _copy(pieces, file)
        return _replace(target.resolve(), pieces)
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error.strerror}.") from None


def _replace(target: Path, pieces: Iterable[bytes]) -> int:
    """The file is there when it is whole; where it is a link, what it leads to."""
    part = Path(f"{target}.part")
    try:
        with part.open("wb") as file:
            written = _copy(pieces, file)
        part.replace(target)
    finally:
        with suppress(OSError):
            part.unlink()
    return written


def _copy(pieces: Iterable[bytes], file: BinaryIO) -> int:
    written = sum(file.write(piece) for piece in pieces)
    file.flush()
    return written
