"""Tile grids: how a tile service cuts the world, kept as short texts beside its layers."""

from __future__ import annotations

import json
from dataclasses import dataclass

MAX_LEVELS = 40
_write = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Level:
    """One zoom level; the corner stands as declared, in the axis order of the grid's CRS."""

    id: str
    scale: float  # denominator, for pixels of 0.28 mm
    corner: tuple[float, float]
    tile_px: tuple[int, int]
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Grid:
    name: str
    crs: str
    levels: tuple[Level, ...]

    def as_text(self) -> str:
        levels = [
            [v.id, v.scale, *v.corner, *v.tile_px, v.columns, v.rows]
            for v in self.levels[:MAX_LEVELS]
        ]
        return _write([self.name, self.crs, levels])


def parse_grid(text: str) -> Grid | None:
    """The grid that a text describes; None if it is none."""
    try:
        name, crs, rows = json.loads(text)
        levels = tuple(
            Level(str(r[0]), r[1], (r[2], r[3]), (r[4], r[5]), r[6], r[7]) for r in rows
        )
    except (ValueError, TypeError, IndexError):
        return None
    return Grid(name, crs, levels)
