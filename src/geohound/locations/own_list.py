"""Places of hosts that the operator knows better: a CSV file with the columns host, lat, lon, country."""

from __future__ import annotations

import csv
from pathlib import Path

from geohound.model.location import HostLocation, is_degrees
from geohound.model.user_error import UserError

SOURCE = "own list"
_COLUMNS = ("host", "lat", "lon", "country")


def read_own_list(path: Path) -> dict[str, HostLocation]:
    """By host; a domain stands for all hosts below it."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"The list of places {path} cannot be read: {error}.") from None
    found = {}
    for number, row in enumerate(rows, 2):
        try:
            host, location = _read(row)
        except (KeyError, TypeError, ValueError):
            columns = ", ".join(_COLUMNS)
            raise UserError(
                f"Line {number} of {path} is not of the form {columns}."
            ) from None
        found[host] = location
    return found


def _read(row: dict[str, str]) -> tuple[str, HostLocation]:
    lat, lon = float(row["lat"]), float(row["lon"])
    country = row["country"].strip().upper()
    if not is_degrees(lat, lon) or len(country) not in (0, 2):
        raise ValueError
    return row["host"].strip().lower(), HostLocation(country, lat, lon, SOURCE)
