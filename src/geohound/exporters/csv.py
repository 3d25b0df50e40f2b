"""A table for spreadsheets: no cell that came from the network is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice

from geohound.model.export import ExportedService

from ._part import ExportFormat
from ._table import COLUMNS, row

# A cell that begins like this may be run by a spreadsheet (OWASP, "CSV injection").
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_ROWS_AT_ONCE = 50


def _write(services: Iterable[ExportedService]) -> Iterator[bytes]:
    yield _lines([COLUMNS])
    coming = iter(services)
    while some := list(islice(coming, _ROWS_AT_ONCE)):
        rows = [row(each.record) for each in some]
        yield _lines([[_safe(cells[name]) for name in COLUMNS] for cells in rows])


def _safe(value: object) -> object:
    """Text without control characters, and with an apostrophe before it where a spreadsheet would calculate."""
    if not isinstance(value, str):
        return value
    text = (
        value
        if value.isprintable()
        else "".join(c if c.isprintable() else " " for c in value)
    )
    return (
        f"'{text}"
        if text.lstrip().startswith(_FORMULA) or value.startswith(_FORMULA)
        else text
    )


def _lines(rows: Iterable[Iterable[object]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue().encode("utf-8", "replace")


EXPORTERS = (ExportFormat("csv", "CSV", "text/csv; charset=utf-8", "csv", _write),)
