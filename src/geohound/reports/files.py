"""Reports as files: CSV that no spreadsheet takes for formulas, SVG, PNG; and lists that reports are made from."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from geohound.model.notes import Verdicts
from geohound.model.user_error import UserError

from ._table import Table

MAX_LIST_BYTES = 50_000_000
_YES, _NO = ("yes", "y", "1", "true", "real"), ("no", "n", "0", "false")
NO_PNG = (
    "PNG needs the extra `charts` (pip install 'geohound[charts]'); take SVG instead."
)


def to_csv(table: Table) -> bytes:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(
        [table.columns, *map(_harmless, table.rows)]
    )
    return written.getvalue().encode("utf-8", "replace")


def _harmless(row: Sequence[Any]) -> list[Any]:
    """A cell that a spreadsheet would take for a formula is text."""
    return [
        f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@\t\r" else cell
        for cell in row
    ]


def to_png(svg: str) -> bytes:
    try:
        from resvg_py import svg_to_bytes  # noqa: PLC0415 - an extra
    except ImportError:
        raise UserError(NO_PNG) from None
    return bytes(svg_to_bytes(svg_string=svg))


def addresses_in(text: str) -> list[str]:
    """The web addresses of a list: one a line, or the cells of a CSV file that are addresses."""
    found = [cell.strip() for line in text.splitlines() for cell in _cells(line)]
    return list(
        dict.fromkeys(
            cell for cell in found if cell.startswith(("http://", "https://"))
        )
    )


def _cells(line: str) -> list[str]:
    """Those of one line: quotes that nobody closes must not swallow the rest of the list."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:  # no CSV at all
        return [line]


def judgements_in(text: str) -> Verdicts:
    """The opinions of a sampling sheet that somebody has filled in; empty cells are none.

    A sheet without the columns topic and class says for each service that it is real, or not, in any class.
    """
    reader = csv.DictReader(io.StringIO(text))
    try:
        names, rows = set(reader.fieldnames or ()), list(reader)
    except csv.Error as error:
        raise UserError(f"This is no sampling sheet: {error}.") from None
    if not {"id", "real"} <= names:
        raise UserError("This is no sampling sheet: it needs the columns id and real.")
    opinions = {
        (row.get("topic") or "", row.get("class") or "", row["id"] or ""): row["real"]
        for row in rows
    }
    words = {key: (word or "").strip().lower() for key, word in opinions.items()}
    return {key: word in _YES for key, word in words.items() if word in (*_YES, *_NO)}
