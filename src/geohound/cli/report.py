"""`geohound report`: figures of a task or of the catalogue as a table, CSV, JSON, or as a chart."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from geohound import app
from geohound.model.notes import Verdicts, verdicts
from geohound.model.user_error import UserError
from geohound.portal.assets import land_file
from geohound.reports import (
    CATALOGUE_REPORTS,
    REPORTS,
    TASK_REPORTS,
    CatalogueFacts,
    Table,
)
from geohound.reports.charts import draw
from geohound.reports.charts.world import read_land
from geohound.reports.files import (
    MAX_LIST_BYTES,
    addresses_in,
    judgements_in,
    to_csv,
    to_png,
)
from geohound.settings import Settings
from geohound.tasks.source_yields import sources_of
from geohound.views.encoding import encode

from . import options, printing
from .values import miles, text, whole

DATED = ("changes", "country-growth")
COMPARED = ("comparison", "difference")
_LEAST_WIDTH = 12  # of a column of text that is cut short


class Format(StrEnum):
    """How a report is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    SVG = "svg"
    PNG = "png"


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound report failures; geohound report countries --format svg -o countries.svg"
    )(report)


def report(
    name: Annotated[
        str,
        typer.Argument(
            parser=text,
            metavar="NAME",
            help="Report; without a name: list the reports.",
        ),
    ] = "",
    task: Annotated[
        int | None,
        typer.Argument(
            parser=whole(1), help="Task number; by default the latest crawl."
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="DATE",
            show_default="30 days ago",
            help="Report changes since this date.",
        ),
    ] = None,
    radius: Annotated[
        float | None,
        typer.Option(
            parser=miles,
            metavar="MILES",
            show_default="150",
            help="Radius of the report density.",
        ),
    ] = None,
    list_: Annotated[
        Path | None,
        typer.Option(
            "--list", metavar="FILE", help="List of addresses to compare with."
        ),
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Sampling sheet with the column `real` filled in; judgements made in the portal count too.",
        ),
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", help="Output format.")
    ] = Format.TABLE,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file."),
    ] = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Print figures of a crawl (quickness, depth and width, failures, hosts) or of the catalogue."""
    del verbose
    if not name:
        for known in REPORTS.values():
            printing.say(f"{known.id:<14} {known.title}")
        return
    _check(name, task, since, list_)
    more: dict[str, Any] = {
        "since": _date(since) if since else None,
        "radius_miles": radius or 0.0,
        "listed": addresses_in(_read(list_)) if list_ else (),
    }
    sheet = judgements_in(_read(judged)) if judged else {}
    settings = options.gather(config, catalogue=catalogue)
    table = _table(name, settings, task, more, sheet)
    chosen = Format.JSON if json else format_
    heading = "" if quiet else REPORTS[name].title
    _write(_FORMATS[chosen](name, heading, table), output)


def _check(name: str, task: int | None, since: str | None, list_: Path | None) -> None:
    """Do the options fit the report?"""
    if name not in REPORTS:
        known = ", ".join(REPORTS)
        raise UserError(f"There is no report {name!r}; known reports: {known}.")
    if task is not None and name in CATALOGUE_REPORTS:
        raise UserError(
            f"The report {name} is about the whole catalogue: leave the task number out."
        )
    if since is not None and name not in DATED:
        dated = " and ".join(DATED)
        raise UserError(f"--since is for the reports {dated}: leave it out.")
    if name in COMPARED and list_ is None:
        raise UserError(
            f"The report {name} needs --list FILE, with addresses of services."
        )


def _date(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            "give a date such as 2026-01-31.", param_hint="--since"
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _read(path: Path) -> str:
    try:
        return path.read_bytes()[:MAX_LIST_BYTES].decode("utf-8-sig", "replace")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from None


def _table(
    name: str,
    settings: Settings,
    task: int | None,
    more: Mapping[str, Any],
    sheet: Verdicts,
) -> Table:
    if name in TASK_REPORTS:
        return TASK_REPORTS[name].table(app.ended_visits(settings, task))
    topics = tuple(app.topics(settings.topic_files).values())
    with app.open_catalogue(settings) as opened:
        hunts = lambda: sources_of(opened.tasks.tasks())  # noqa: E731
        judged = {**verdicts(opened.notes.judgements()), **sheet}
        facts = CatalogueFacts(
            opened.catalogue,
            topics,
            hunts,
            history=opened.past.history,
            judged=judged,
            limit_s=app.address_book().response_limit_s,
        )
        return CATALOGUE_REPORTS[name].table(facts._replace(**more))


def _as_json(name: str, heading: str, table: Table) -> bytes:
    del heading
    records: list[Any] = [
        dict(zip(table.columns, row, strict=True)) for row in table.rows
    ]
    records.append({"summary": {"report": name, "rows": len(table.rows)}})
    return b"".join(encode(record) + b"\n" for record in records)


def _as_csv(name: str, heading: str, table: Table) -> bytes:
    del name, heading
    return to_csv(table)


def _as_svg(name: str, heading: str, table: Table) -> bytes:
    drawn = draw(name, heading or REPORTS[name].title, table, read_land(land_file()))
    if drawn is None:
        raise UserError(
            f"The report {name} has nothing to draw; choose another format."
        )
    return drawn.encode("utf-8", "replace")


def _as_png(name: str, heading: str, table: Table) -> bytes:
    return to_png(_as_svg(name, heading, table).decode())


def _as_text(name: str, heading: str, table: Table) -> bytes:
    """Text to the left, numbers to the right; a terminal cuts a long text short."""
    table, left_out = _for_people(name, table)
    cells = [[_shown(cell) for cell in row] for row in table.rows]
    widths = [
        max(len(line[at]) for line in (table.columns, *cells))
        for at in range(len(table.columns))
    ]
    is_number = [
        all(not isinstance(row[at], str) for row in table.rows)
        for at in range(len(table.columns))
    ]
    if sys.stdout.isatty():
        widths = _fitting(widths, is_number, shutil.get_terminal_size().columns)
    lines = [heading] if heading else []
    for line in (list(table.columns), *cells):
        aligned = (
            text.rjust(width) if right else _cut(text, width).ljust(width)
            for text, width, right in zip(line, widths, is_number, strict=True)
        )
        lines.append("  ".join(aligned).rstrip())
    if left_out and heading:
        lines.append(f"With --format csv or json also: {', '.join(left_out)}.")
    return "".join(f"{printing.printable(line)}\n" for line in lines).encode()


def _for_people(name: str, table: Table) -> tuple[Table, list[str]]:
    """The columns that a table for people has, and the names of the others."""
    report = CATALOGUE_REPORTS.get(name)
    shown = (report.shown if report else ()) or table.columns
    places = [table.columns.index(column) for column in shown]
    rows = [tuple(row[place] for place in places) for row in table.rows]
    return Table(shown, rows), [each for each in table.columns if each not in shown]


def _fitting(widths: list[int], is_number: list[bool], room: int) -> list[int]:
    """The widths of columns in so much room: the widest text gives way, and keeps some letters."""
    over = sum(widths) + 2 * (len(widths) - 1) - room
    texts = [at for at, right in enumerate(is_number) if not right]
    if over <= 0 or not texts:
        return widths
    widest = max(texts, key=widths.__getitem__)
    least = min(widths[widest], _LEAST_WIDTH)
    return [
        max(least, width - over) if at == widest else width
        for at, width in enumerate(widths)
    ]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _shown(cell: Any) -> str:
    return f"{cell:,}" if isinstance(cell, int | float) else " ".join(cell.split())


_FORMATS = {
    Format.TABLE: _as_text,
    Format.CSV: _as_csv,
    Format.JSON: _as_json,
    Format.SVG: _as_svg,
    Format.PNG: _as_png,
}


def _write(written: bytes, output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.write(written)
        sys.stdout.buffer.flush()
        return
    try:
        output.write_bytes(written)
    except OSError as error:
        raise UserError(
            f"{output} cannot be written: {error.strerror}. Choose another file with -o."
        ) from None
