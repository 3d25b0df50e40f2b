"""The small Baltic world that every server of the lab serves: harbours, basins, a depth grid, buoys, a forecast."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Box = tuple[float, float, float, float]

HARBOURS = {
    "Karlskrona": (15.59, 56.16, 2),
    "Ventspils": (21.55, 57.4, 20),
    "Turku": (22.22, 60.43, 3),
    "Gdynia": (18.55, 54.53, 26),
    "Visby": (18.28, 57.64, 1),
}
BASINS: dict[str, Box] = {
    "Gulf of Riga": (21.8, 56.9, 24.6, 58.8),
    "Bornholm Basin": (14.0, 54.4, 17.0, 56.2),
}
BUOYS = {"B1": (19.0, 58.0), "B2": (20.5, 59.25)}

HARBOUR_BOX: Box = (15.59, 54.53, 22.22, 60.43)
BASIN_BOX: Box = (14.0, 54.4, 24.6, 58.8)
DEPTH_BOX: Box = (12.0, 54.0, 27.0, 64.0)
BUOY_BOX: Box = (19.0, 58.0, 20.5, 59.25)
_CELL = 0.25


def make(folder: Path) -> None:
    """All files of the world, in the formats that the servers want."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_features(folder / "harbours.geojson", _harbours())
    _write_features(folder / "basins.geojson", _basins())
    _write_features(folder / "buoys.geojson", _readings())
    (folder / "depth.asc").write_text(_depth_grid())
    for name in ("harbours", "basins", "buoys"):
        _run(
            "ogr2ogr",
            "-f",
            "ESRI Shapefile",
            f"{folder}/{name}.shp",
            f"{folder}/{name}.geojson",
        )
    for name in ("harbours", "basins"):
        _run(
            "ogr2ogr",
            "-update",
            "-append",
            "-f",
            "GPKG",
            f"{folder}/baltic.gpkg",
            f"{folder}/{name}.geojson",
        )
    _run(
        "gdal_translate",
        "-q",
        "-a_srs",
        "EPSG:4326",
        f"{folder}/depth.asc",
        f"{folder}/depth.tif",
    )


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True, capture_output=True, timeout=60)


def _write_features(path: Path, features: Iterable[dict[str, Any]]) -> None:
    about = {
        "name": path.stem,
        "title": path.stem.capitalize(),
        "description": f"The {path.stem} of a small sea.",
    }
    collection = {
        "type": "FeatureCollection",
        "name": path.stem,
        "metadata": about,
        "features": list(features),
    }
    path.write_text(json.dumps(collection))


def _feature(
    number: int, geometry: dict[str, Any], **properties: Any
) -> dict[str, Any]:
    return {
        "type": "Feature",
        "id": number,
        "properties": {"nr": number, **properties},
        "geometry": geometry,
    }


def point(lon: float, lat: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": [lon, lat]}


def rectangle(box: Box) -> dict[str, Any]:
    west, south, east, north = box
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


def _harbours() -> Iterable[dict[str, Any]]:
    for number, (name, (lon, lat, cargo)) in enumerate(HARBOURS.items(), 1):
        yield _feature(number, point(lon, lat), name=name, cargo_mt=cargo)


def _basins() -> Iterable[dict[str, Any]]:
    for number, (name, box) in enumerate(BASINS.items(), 1):
        yield _feature(number, rectangle(box), name=name)


def _readings() -> Iterable[dict[str, Any]]:
    """Three hourly water temperatures of each buoy."""
    places = [(hour, buoy, place) for buoy, place in BUOYS.items() for hour in range(3)]
    for number, (hour, buoy, (lon, lat)) in enumerate(places, 1):
        yield _feature(
            number,
            point(lon, lat),
            buoy=buoy,
            t=f"2025-06-01T0{hour}:00:00",
            wtemp=11.5 + hour,
        )


def _depth_grid() -> str:
    """A smooth sea bed as an ESRI ASCII grid."""
    west, south, east, north = DEPTH_BOX
    columns, rows = int((east - west) / _CELL), int((north - south) / _CELL)
    head = f"ncols {columns}\nnrows {rows}\nxllcorner {west}\nyllcorner {south}\ncellsize {_CELL}\nNODATA_value -1\n"
    lines = (
        " ".join(
            f"{90 + 80 * math.sin(row / 5) * math.cos(column / 6):.1f}"
            for column in range(columns)
        )
        for row in range(rows)
    )
    return head + "\n".join(lines) + "\n"
