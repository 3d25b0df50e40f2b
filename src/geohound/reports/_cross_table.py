"""Services counted by two properties at once: a row for each value of one, a column for each of the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from ._table import Table

MAX_COLUMNS = 6  # what is rarer is counted together
OTHER = "other"


class Counted(NamedTuple):
    """One service: its row, its column, and its host."""

    row: str
    column: str
    host: str
    is_guess: bool = False  # of its row


def cross_table(
    name: str,
    counted: Iterable[Counted],
    max_rows: int | None = None,
    guesses: str = "",
) -> Table:
    """The most frequent rows and columns first; `guesses` names a column with the number of services only guessed."""
    cells: Counter[tuple[str, str]] = Counter()
    hosts: defaultdict[str, set[str]] = defaultdict(set)
    guessed = Counter[str]()
    for one in counted:
        cells[one.row, one.column] += 1
        hosts[one.row].add(one.host)
        guessed[one.row] += one.is_guess
    rows, columns = Counter[str](), Counter[str]()
    for (row, column), count in cells.items():
        rows[row] += count
        columns[column] += count
    shown = _ranked(columns)
    shown, rest = (
        (shown[:MAX_COLUMNS], shown[MAX_COLUMNS:])
        if len(shown) > MAX_COLUMNS + 1
        else (shown, [])
    )
    table = []
    for row in _ranked(rows)[:max_rows]:
        others = (sum(cells[row, column] for column in rest),) if rest else ()
        noted = (guessed[row],) if guesses else ()
        table.append(
            (
                row,
                rows[row],
                len(hosts[row]),
                *noted,
                *(cells[row, column] for column in shown),
                *others,
            )
        )
    return Table(
        (
            name,
            "services",
            "hosts",
            *([guesses] if guesses else []),
            *shown,
            *([OTHER] if rest else []),
        ),
        table,
    )


def _ranked(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda value: (-counts[value], value))
