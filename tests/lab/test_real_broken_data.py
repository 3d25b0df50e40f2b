"""Real servers whose data are gone, empty or moved to another place on earth: what a deep look says of them.

With `test_real_broken_servers.py` QGIS Server and TiPg are broken in ten ways, as MapServer in `test_real_deep_checks.py`.
"""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from deep_looks import check_with_expired_certificate, looks_at
from lab_running import Lab
from lab_truth import MARKS

pytestmark = MARKS
PLACES = {
    "qgis": ("/?SERVICE=WMS&REQUEST=GetCapabilities", "wms"),
    "tipg": ("/?f=json", "ogcapi-features"),
    "mapproxy": ("/service?SERVICE=WMS&REQUEST=GetCapabilities", "wms"),
    "pygeoapi": ("/?f=json", "ogcapi-features"),
}
# The collections of TiPg are tables of PostGIS. Each way has what undoes it.
TABLES = ("harbours", "basins")
GONE = (
    "ALTER TABLE {table} RENAME TO {table}_gone",
    "ALTER TABLE {table}_gone RENAME TO {table}",
)
EMPTY = (
    "ALTER TABLE {table} RENAME TO {table}_gone; CREATE TABLE {table} (LIKE {table}_gone)",
    "DROP TABLE {table}; ALTER TABLE {table}_gone RENAME TO {table}",
)
SWAPPED = (
    "UPDATE {table} SET wkb_geometry = ST_FlipCoordinates(wkb_geometry)",
    "UPDATE {table} SET wkb_geometry = ST_FlipCoordinates(wkb_geometry)",
)
METRES = (
    "UPDATE {table} SET wkb_geometry = ST_SetSRID(ST_Transform(wkb_geometry, 3857), 4326)",
    "UPDATE {table} SET wkb_geometry = ST_Transform(ST_SetSRID(wkb_geometry, 3857), 4326)",
)


@contextmanager
def moved_away(lab: Lab, *names: str) -> Iterator[None]:
    paths = [lab.folder / "data" / name for name in names]
    for path in paths:
        path.rename(path.with_name(f"{path.name}.gone"))
    try:
        yield
    finally:
        for path in paths:
            path.with_name(f"{path.name}.gone").rename(path)


@contextmanager
def in_postgis(lab: Lab, way: tuple[str, str], *tables: str) -> Iterator[None]:
    port = lab.url("postgres").rpartition(":")[2]
    place = ("-h", "127.0.0.1", "-p", port, "-U", "postgres", "-d", "baltic")

    def carry_out(sql: str) -> None:
        for table in tables:
            words = ("psql", "-q", *place, "-c", sql.format(table=table))
            subprocess.run(words, check=True, capture_output=True)

    carry_out(way[0])
    try:
        yield
    finally:
        carry_out(way[1])


@contextmanager
def in_geopackage(lab: Lab, way: tuple[str, str], table: str) -> Iterator[None]:
    def carry_out(sql: str) -> None:
        path = lab.folder / "data" / "baltic.gpkg"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(sql.format(table=table))

    carry_out(way[0])
    try:
        yield
    finally:
        carry_out(way[1])


def of_upstream(lab: Lab):
    """MapProxy asks MapServer, whose files these are."""
    return moved_away(lab, "harbours.shp", "basins.shp", "depth.tif")


NONE, SOME = "no layer works: ", "some layers fail: "
WAYS = {
    # QGIS Server goes on with a database that is gone, and draws nothing.
    "qgis, its database gone": (
        lambda lab: moved_away(lab, "baltic.gpkg"), SOME + "2 of 3", "blank image"),
    "qgis, one layer of many": (
        lambda lab: in_geopackage(lab, GONE, "harbours"), SOME + "1 of 3, harbours", "blank image"),
    "tipg, its database gone": (
        lambda lab: in_postgis(lab, GONE, *TABLES), NONE, "server error: HTTP 500"),
    "tipg, one layer of many": (
        lambda lab: in_postgis(lab, GONE, "harbours"), SOME + "1 of 2, public.harbours", "server error: HTTP 500"),
    "tipg, empty": (
        lambda lab: in_postgis(lab, EMPTY, *TABLES), NONE, "empty answer: no features"),
    "tipg, wrong projection": (
        lambda lab: in_postgis(lab, METRES, *TABLES), NONE, "wrong projection: coordinates in metres"),
    "tipg, axes swapped": (
        lambda lab: in_postgis(lab, SWAPPED, *TABLES), NONE, "wrong projection: latitude and longitude are swapped"),
    "mapproxy, nothing behind it": (of_upstream, "sea_uncached", "exception report: Could not get any sources"),
    # pygeoapi reads a file that is not there as one without features.
    "pygeoapi, its files gone": (
        lambda lab: moved_away(lab, "harbours.geojson", "basins.geojson"), NONE, "empty answer: no features"),
    "pygeoapi, one layer of many": (
        lambda lab: moved_away(lab, "harbours.geojson"), SOME + "1 of 2, harbours", "empty answer: no features"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_data_that_are_not_there_are_named(
    way: str, lab: Lab, address: Callable[[str], str]
) -> None:
    name = way.partition(",")[0]
    path, kind = PLACES[name]
    look = looks_at(address(name) + path, kind, layers=3)
    assert look().reason == ""
    breaking, layers, reason = WAYS[way]
    with breaking(lab):
        check = look()
    assert layers in check.reason, check
    assert reason in check.reason, check
    assert check.ok is (not check.reason.startswith(NONE)), check
    assert look().reason == ""


@pytest.mark.parametrize("name", ["qgis", "tipg"])
def test_an_expired_certificate_is_named(
    name: str, address: Callable[[str], str], tmp_path: Path
) -> None:
    path, _ = PLACES[name]
    (record,) = check_with_expired_certificate(address(name), path, tmp_path)
    assert record["ok"] is None, record
    assert record["reason"].startswith("certificate expired"), record
