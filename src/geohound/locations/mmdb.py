"""A database of IP addresses in MaxMind's format (MMDB): MaxMind's own layout, DB-IP's, and the flat one."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import maxminddb

from geohound.model.location import HostLocation, is_degrees
from geohound.model.user_error import UserError

DB_IP = "IP Geolocation by DB-IP"


class AddressDatabase:
    """One file; its answers are taken for what they are, and nonsense for nothing."""

    def __init__(self, path: Path) -> None:
        try:
            self._reader = maxminddb.open_database(str(path))
        except (OSError, ValueError, maxminddb.InvalidDatabaseError) as error:
            raise UserError(
                f"{path} is no database of IP addresses (MMDB): {error}."
            ) from None
        about = self._reader.metadata()
        built = datetime.fromtimestamp(about.build_epoch, UTC)
        self.path = path
        self.version = about.ip_version
        self.title = f"{path.stem}, {built:%Y-%m-%d}"
        is_db_ip = "dbip" in path.name.lower() or "dbip" in about.database_type.lower()
        self.attribution = DB_IP if is_db_ip else ""

    def locate(self, address: str) -> HostLocation | None:
        try:
            number = ipaddress.ip_address(address)
            if number.version > self.version:
                return None
            record: Any = self._reader.get(number)
        except (ValueError, maxminddb.InvalidDatabaseError):
            return None
        return _location(record, self.title) if isinstance(record, dict) else None


def _location(record: dict[str, Any], source: str) -> HostLocation | None:
    country = _country(record)
    lat, lon = _degrees(record)
    if not country and lat is None:
        return None
    return HostLocation(country, lat, lon, source)


def _country(record: dict[str, Any]) -> str:
    nested = record.get("country")
    code = (
        nested.get("iso_code")
        if isinstance(nested, dict)
        else record.get("country_code")
    )
    is_code = (
        isinstance(code, str) and len(code) == 2 and code.isascii() and code.isalpha()
    )
    return str(code).upper() if is_code else ""


def _degrees(record: dict[str, Any]) -> tuple[float | None, float | None]:
    nested = record.get("location")
    place = nested if isinstance(nested, dict) else record
    lat, lon = place.get("latitude"), place.get("longitude")
    if not isinstance(lat, int | float) or not isinstance(lon, int | float):
        return None, None
    if not is_degrees(lat, lon):  # no number, as NaN, is within bounds either
        return None, None
    return round(float(lat), 4), round(float(lon), 4)
