"""Places by name: countries of Natural Earth and towns of GeoNames, as the build of the pages has written them down."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from geohound.model.bbox import BBox
from geohound.portal.assets import STATIC_DIR
from geohound.text import fold

_FILE = "places.json"
_SMALL, _LARGE = 0.12, 0.6  # degrees around a town and around a city of many millions
_MILLIONS = 10_000  # thousands of inhabitants of such a city
_MIN_CHARS = 2
_BEFORE = re.compile(r"\s(?:in|en|à|em)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A place that has a name, and a box around it."""

    name: str
    country: str  # empty for a country
    bbox: tuple[float, float, float, float]
    folded: str


@cache
def places(folder: Path = STATIC_DIR) -> tuple[Place, ...]:
    """Countries first, then towns by their inhabitants; none where the pages were not built."""
    try:
        read = json.loads((folder / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    countries = [
        Place(name, "", (west, south, east, north), fold(name))
        for name, west, south, east, north in read["countries"]
    ]
    towns = [
        Place(name, country, _around(x, y, size), fold(name))
        for name, country, x, y, size, _ in read["cities"]
    ]
    return (*countries, *towns)


def _around(x: float, y: float, thousands: float) -> tuple[float, float, float, float]:
    share = min(thousands / _MILLIONS, 1.0) ** 0.5
    reach = _SMALL + (_LARGE - _SMALL) * share
    return (
        round(x - reach, 3),
        round(max(y - reach, -90), 3),
        round(x + reach, 3),
        round(min(y + reach, 90), 3),
    )


def find_places(text: str, limit: int = 8) -> list[Place]:
    """Places whose name is this text, then those that begin with it, then those with a word that does.

    After a comma, the country: "Paris, United States"; before "in", words that are not part of it: "rivers in Finland".
    """
    asked = _BEFORE.split(text)[-1]
    name, _, country = (fold(part.strip()) for part in asked.partition(","))
    if len(name) < _MIN_CHARS:
        return []
    candidates = [
        place
        for place in places()
        if not country or fold(place.country).startswith(country)
    ]
    found = dict.fromkeys(_by_likeness(candidates, name))
    return list(found)[:limit]


_SMALL_BOX = 12.0  # degrees; a larger one has more than one place in it
_NEAR = 4.0  # degrees


def near(box: BBox | None) -> str:
    """The largest town in a small box, else the one next to it, with its country; nothing where none is near."""
    if (
        box is None
        or box.west > box.east
        or max(box.east - box.west, box.north - box.south) > _SMALL_BOX
    ):
        return ""
    x, y = (box.west + box.east) / 2, (box.south + box.north) / 2
    narrow = math.cos(math.radians(y))
    towns = [place for place in places() if place.country]
    within = [place for place in towns if _is_in(place, box)]  # the largest comes first
    found = (
        within[0]
        if within
        else min(towns, key=lambda place: _distance(place, x, y, narrow), default=None)
    )
    if found is None or _distance(found, x, y, narrow) > max(
        _NEAR, _SMALL_BOX if within else 0
    ):
        return ""
    return f"{found.name}, {found.country}"


def _is_in(place: Place, box: BBox) -> bool:
    west, south, east, north = place.bbox
    return (
        box.west <= (west + east) / 2 <= box.east
        and box.south <= (south + north) / 2 <= box.north
    )


def _distance(place: Place, x: float, y: float, narrow: float) -> float:
    west, south, east, north = place.bbox
    return math.hypot(((west + east) / 2 - x) * narrow, (south + north) / 2 - y)


def _by_likeness(candidates: list[Place], name: str) -> Iterator[Place]:
    yield from (place for place in candidates if place.folded == name)
    yield from (place for place in candidates if place.folded.startswith(name))
    yield from (place for place in candidates if f" {name}" in place.folded)
