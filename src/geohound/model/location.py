"""Where the host of a service stands, as far as anybody knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HostLocation:
    """A place, and who says so; what is not known is None or empty."""

    country: str = ""  # ISO 3166-1 alpha-2
    lat: float | None = None
    lon: float | None = None
    source: str = ""  # a database with its date, or the list of the operator

    @property
    def is_place(self) -> bool:
        return self.lat is not None and self.lon is not None


def is_degrees(lat: float, lon: float) -> bool:
    return -90 <= lat <= 90 and -180 <= lon <= 180
