"""Looks up hosts and addresses in the files that the settings name, or that `make locations` has put in place."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from geohound.model.location import HostLocation, is_degrees
from geohound.model.user_error import UserError

from .mmdb import AddressDatabase

MAX_CACHED = 10_000


SOURCE = "own list"
_COLUMNS = ("host", "lat", "lon", "country")


class Locator:
    """Answers in microseconds: databases are read from disk as they are needed, answers are kept."""

    def __init__(
        self,
        databases: Sequence[AddressDatabase] = (),
        own: dict[str, HostLocation] | None = None,
    ) -> None:
        self.databases = tuple(databases)
        self.own = own or {}
        self._cached = lru_cache(MAX_CACHED)(self._look_up)

    def locate(self, host: str, address: str) -> HostLocation | None:
        """By its name in the operator's list, or that of a domain above it; else by its numeric address."""
        return self._own(host.partition(":")[0].lower().rstrip(".")) or self._cached(
            address
        )

    def _own(self, host: str) -> HostLocation | None:
        while host:
            if host in self.own:
                return self.own[host]
            host = host.partition(".")[2]
        return None

    def _look_up(self, address: str) -> HostLocation | None:
        found = (database.locate(address) for database in self.databases)
        return next((location for location in found if location is not None), None)

    @property
    def attribution(self) -> str:
        """Who must be named where locations are shown; empty where nobody must."""
        return next(
            (
                database.attribution
                for database in self.databases
                if database.attribution
            ),
            "",
        )


def open_locator(files: Sequence[str], own_list: str, folder: Path) -> Locator:
    """With these databases, or those in the folder; UserError where a file is not what it should be."""
    named = [Path(name).expanduser() for name in files]
    found = named or (sorted(folder.glob("*.mmdb")) if folder.is_dir() else [])
    own = read_own_list(Path(own_list).expanduser()) if own_list else {}
    return Locator([AddressDatabase(path) for path in found], own)


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
