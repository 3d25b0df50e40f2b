"""The features, pixels and times behind an offering: a small data set, as GeoJSON and GML."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from geoweb.box import Box
from geoweb.protocol import ServiceSpec

from ._content import Offering, draw
from ._xml import Node, el

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Feature:
    """One thing with a place; `points` is its position, line or ring."""

    id: str
    shape: str
    points: tuple[Point, ...]
    name: str
    code: int
    value: float
    date: str


@lru_cache(maxsize=512)
def features_of(spec: ServiceSpec, offering: Offering) -> tuple[Feature, ...]:
    """All features of an offering; from a dozen to about a hundred."""
    chance = draw(spec, f"features {offering.number}")
    return tuple(
        _feature(offering, number, chance.random(), chance.random())
        for number in range(1, 13 + chance.randrange(90))
    )


def _feature(offering: Offering, number: int, across: float, up: float) -> Feature:
    box = offering.box
    reach_x, reach_y = box.width / 40, box.height / 40
    x = box.west + reach_x + across * (box.width - 2 * reach_x)
    y = box.south + reach_y + up * (box.height - 2 * reach_y)
    if x > 180:
        x -= 360
    # A feature next to the antimeridian keeps to its side of it.
    left, right = max(x - reach_x, -180.0), min(x + reach_x, 180.0)
    shapes: dict[str, tuple[Point, ...]] = {
        "point": ((x, y),),
        "line": ((left, y), (x, y + reach_y), (right, y - reach_y)),
        "polygon": (
            (left, y - reach_y),
            (right, y - reach_y),
            (x, y + reach_y),
            (left, y - reach_y),
        ),
    }
    points = tuple((round(a, 5), round(b, 5)) for a, b in shapes[offering.shape])
    year = offering.years[1] if offering.years else 2020
    return Feature(
        id=f"{offering.slug}.{number}",
        shape=offering.shape,
        points=points,
        name=f"{offering.title} {number}",
        code=100 + number,
        value=round(across * 1000 + up, 2),
        date=f"{year}-{number % 12 + 1:02}-{number % 28 + 1:02}T12:00:00Z",
    )


def inside(
    features: tuple[Feature, ...], box: tuple[float, float, float, float] | None
) -> list[Feature]:
    """The features that touch a box in lon/lat; a box from east to west crosses the antimeridian."""
    if box is None:
        return list(features)
    west, south, east, north = box

    def touches(feature: Feature) -> bool:
        for x, y in feature.points:
            in_width = west <= x <= east if west <= east else x >= west or x <= east
            if in_width and south <= y <= north:
                return True
        return False

    return [f for f in features if touches(f)]


_GEOJSON = {"point": "Point", "line": "LineString", "polygon": "Polygon"}


def as_geojson(feature: Feature, **more: object) -> dict[str, object]:
    coordinates: object = [list(p) for p in feature.points]
    if feature.shape == "point":
        coordinates = list(feature.points[0])
    elif feature.shape == "polygon":
        coordinates = [coordinates]
    return {
        "type": "Feature",
        "id": feature.id,
        "geometry": {"type": _GEOJSON[feature.shape], "coordinates": coordinates},
        "properties": {
            "name": feature.name, "code": feature.code, "value": feature.value, "date": feature.date,
        },
        **more,
    }  # fmt: skip


def as_gml(feature: Feature, version: str, prefix: str, slug: str) -> Node:
    """A feature member of a WFS answer; from WFS 1.1.0 on EPSG:4326 has the latitude first."""
    tag = prefix + ":" if prefix else ""
    mark = {"fid": feature.id} if version == "1.0.0" else {"gml:id": feature.id}
    return el(
        tag + slug,
        mark,
        el(tag + "geom", _gml_geometry(feature, version)),
        el(tag + "name", feature.name),
        el(tag + "code", str(feature.code)),
        el(tag + "value", str(feature.value)),
        el(tag + "date", feature.date),
    )


def _gml_geometry(feature: Feature, version: str) -> Node:
    if version == "1.0.0":
        srs: dict[str, str] = {
            "srsName": "http://www.opengis.net/gml/srs/epsg.xml#4326"
        }
        places = el("gml:coordinates", " ".join(f"{x},{y}" for x, y in feature.points))
        ring = el("gml:outerBoundaryIs", el("gml:LinearRing", places))
    else:
        srs = {"srsName": "urn:ogc:def:crs:EPSG::4326"}
        if version.startswith("2"):
            srs["gml:id"] = feature.id + ".geom"
        text = " ".join(f"{y} {x}" for x, y in feature.points)
        places = el("gml:pos" if feature.shape == "point" else "gml:posList", text)
        ring = el("gml:exterior", el("gml:LinearRing", places))
    if feature.shape == "point":
        return el("gml:Point", srs, places)
    if feature.shape == "line":
        return el("gml:LineString", srs, places)
    return el("gml:Polygon", srs, ring)


def corners(box: Box) -> tuple[float, float, float, float]:
    """A box as west, south, east, north with east above 180 where it crosses the antimeridian."""
    return box.west, box.south, box.west + box.width, box.north
