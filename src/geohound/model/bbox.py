"""Boxes in longitude and latitude, right across the antimeridian."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

WORLD_WIDTH_DEG = 360.0


class Relation(StrEnum):
    """How the box of a layer must stand to the box asked for."""

    OVERLAPS = "overlaps"
    WITHIN = "within"
    CONTAINS = "contains"


@dataclass(frozen=True, slots=True)
class BBox:
    """Degrees, WGS 84; west > east means that the box crosses the antimeridian."""

    west: float
    south: float
    east: float
    north: float

    def __post_init__(self) -> None:
        # Sums of numbers are finite only where all are.
        if not math.isfinite(self.west + self.south + self.east + self.north):
            raise ValueError("a box needs four finite numbers")
        if not (-180 <= self.west <= 180 and -180 <= self.east <= 180):
            raise ValueError("longitudes go from -180 to 180")
        if not -90 <= self.south <= self.north <= 90:
            raise ValueError("latitudes go from -90 to 90, south first")

    def as_tuple(self) -> tuple[float, float, float, float]:
        return (self.west, self.south, self.east, self.north)

    @property
    def crosses_antimeridian(self) -> bool:
        return self.west > self.east

    @property
    def width(self) -> float:
        return (
            self.east
            - self.west
            + (WORLD_WIDTH_DEG if self.crosses_antimeridian else 0.0)
        )

    @property
    def height(self) -> float:
        return self.north - self.south

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def is_world(self) -> bool:
        return self.width >= 359 and self.height >= 170

    def parts(self) -> tuple[BBox, ...]:
        """The box as one or two boxes that do not cross the antimeridian."""
        if not self.crosses_antimeridian:
            return (self,)
        return (
            BBox(self.west, self.south, 180.0, self.north),
            BBox(-180.0, self.south, self.east, self.north),
        )


WORLD = BBox(-180.0, -90.0, 180.0, 90.0)


def union(boxes: list[BBox]) -> BBox | None:
    """The smallest box that holds all; the narrowest way round the globe is taken."""
    if not boxes:
        return None
    south = min(b.south for b in boxes)
    north = max(b.north for b in boxes)
    west, east = _union_longitudes([(b.west, b.width) for b in boxes])
    return BBox(west, south, east, north)


def _union_longitudes(spans: list[tuple[float, float]]) -> tuple[float, float]:
    """Cover all arcs (start, width) by the arc that leaves out the widest gap."""
    arcs = sorted(((west + 180) % 360, width) for west, width in spans)
    # what wraps round covers the beginning
    covered_to = max(start + width for start, width in arcs) - 360
    gap, gap_end = 0.0, None
    for start, width in arcs:
        if start - covered_to > gap:
            gap, gap_end = start - covered_to, start
        covered_to = max(covered_to, start + width)
    if gap_end is None:
        return -180.0, 180.0
    west = gap_end - 180
    east = west + 360 - gap
    return west, east if east <= 180 else east - 360


def overlaps(a: BBox, b: BBox) -> bool:
    """True if the two boxes share at least a point."""
    if a.south > b.north or b.south > a.north:
        return False
    # One of two arcs that meet begins inside the other; 180 and -180 are the same meridian.
    return (b.west - a.west) % WORLD_WIDTH_DEG <= a.width or (
        a.west - b.west
    ) % WORLD_WIDTH_DEG <= b.width


def is_within(inner: BBox, outer: BBox) -> bool:
    """True if every point of `inner` lies in `outer`."""
    if inner.south < outer.south or inner.north > outer.north:
        return False
    if outer.width >= WORLD_WIDTH_DEG:
        return True
    start = (inner.west - outer.west) % 360
    return start + inner.width <= outer.width


def intersection_area(a: BBox, b: BBox) -> float:
    """Square degrees shared by both boxes."""
    total = 0.0
    for p in a.parts():
        for q in b.parts():
            width = min(p.east, q.east) - max(p.west, q.west)
            height = min(p.north, q.north) - max(p.south, q.south)
            if width > 0 and height > 0:
                total += width * height
    return total


def overlap_ratio(a: BBox, b: BBox) -> float:
    """Shared area over the area of both together, 0 to 1; 1 only for equal boxes."""
    shared = intersection_area(a, b)
    whole = a.area + b.area - shared
    if whole > 0:
        return shared / whole
    return 1.0 if a == b else 0.0


def short_numbers(values: Sequence[float], separator: str = ", ") -> str:
    """Coordinates without needless digits: to a ten-millionth of a degree, or a centimetre."""
    digits = 7 if all(abs(v) <= 360 for v in values) else 2
    return separator.join(
        f"{v:.{digits}f}".rstrip("0").rstrip(".") if v else "0" for v in values
    )
