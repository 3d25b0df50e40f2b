"""The square tiles of the web: where tile z/x/y lies in EPSG:3857, and the usual matrix sets."""

from __future__ import annotations

from ._drawing import draw_map

HALF_M = 20037508.342789244
TILE_PX = 256
MAX_ZOOM = 14
# The scale denominator of zoom 0 for pixels of 0.28 mm: the whole equator on 256 of them.
SCALE_0 = 559082264.0287178


def is_tile(z: int, x: int, y: int) -> bool:
    return 0 <= z <= MAX_ZOOM and 0 <= x < 1 << z and 0 <= y < 1 << z


def tile_box(z: int, x: int, y: int) -> tuple[float, float, float, float]:
    """The tile in metres of EPSG:3857; y counts from the north."""
    side = 2 * HALF_M / (1 << z)
    return (
        -HALF_M + x * side,
        HALF_M - (y + 1) * side,
        -HALF_M + (x + 1) * side,
        HALF_M - y * side,
    )


def draw_tile(
    what: str, place: tuple[int, int, int], media_type: str = "image/png"
) -> bytes | None:
    """The picture of a tile, or None where there is no such tile."""
    if not is_tile(*place):
        return None
    return draw_map(what, tile_box(*place), (TILE_PX, TILE_PX), media_type)


def read_place(*texts: str) -> tuple[int, int, int] | None:
    """Zoom, column and row from text; an ending such as .png is left out."""
    numbers = [t.partition(".")[0] for t in texts]
    if len(numbers) != 3 or not all(
        n.isascii() and n.isdigit() and len(n) < 7 for n in numbers
    ):
        return None
    return int(numbers[0]), int(numbers[1]), int(numbers[2])
