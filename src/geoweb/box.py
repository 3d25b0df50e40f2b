"""Boxes in degrees, as the services of this web declare them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """Longitudes and latitudes, WGS 84; west > east means that the box crosses the antimeridian."""

    west: float
    south: float
    east: float
    north: float

    @property
    def width(self) -> float:
        width = self.east - self.west
        return width + 360.0 if width < 0 else width

    @property
    def height(self) -> float:
        return self.north - self.south

    def as_tuple(self) -> tuple[float, float, float, float]:
        return (self.west, self.south, self.east, self.north)


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds them all, the narrowest way round the globe."""
    south = min(box.south for box in boxes)
    north = max(box.north for box in boxes)
    arcs = [(box.west, *_reach(box.west, boxes)) for box in boxes]
    west, width, east = min(arcs, key=lambda arc: arc[1])
    if width >= 360:
        return Box(-180.0, south, 180.0, north)
    return Box(west, south, east, north)


def _reach(west: float, boxes: Sequence[Box]) -> tuple[float, float]:
    """How far eastwards one must go from this meridian to have passed over every box, and where that ends."""
    ends = [((box.west - west) % 360 + box.width, box.east) for box in boxes]
    return max(ends)
