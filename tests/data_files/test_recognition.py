"""Which addresses are data files by their name, and what headers and first bytes say of them.

PolarHub (section 7, conclusion) names NetCDF and HDF as what its crawler is to find next.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime

import pytest

from geohound.data_files import format_named, recognise
from geohound.model.crawl.data_file import Evidence, FileHead
from geohound.model.visit import Response

URL = "http://data.test/file"
NETCDF = b"CDF\x01" + bytes(28)


def answer(body: bytes = b"", status: int = 206, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(URL, URL, status, named, body, datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("url", "text", "expected"),
    [
        ("http://a.test/sst_2020.nc", "", "netcdf"),
        ("http://a.test/SST.NC4?token=1", "", "netcdf"),
        ("http://a.test/MOD13Q1.hdf", "", "hdf"),
        ("http://a.test/dem.tif", "", "geotiff"),
        ("http://a.test/dem_cog.tif", "", "cog"),
        ("http://a.test/rivers.gpkg", "", "geopackage"),
        ("http://a.test/rivers.fgb", "", "flatgeobuf"),
        ("http://a.test/buildings.parquet", "", "geoparquet"),
        ("http://a.test/planet.pmtiles", "", "pmtiles"),
        ("http://a.test/roads.shp.zip", "", "shapefile"),
        ("http://a.test/roads_shp.zip", "", "shapefile"),
        ("http://a.test/tl_2023_us_county.zip", "Counties as Shapefile", "shapefile"),
        ("http://a.test/software-1.2.zip", "Download", ""),
        ("http://a.test/page.html", "a GeoTIFF", ""),
        ("http://a.test/.nc", "", ""),
        ("http://www.nc", "", ""),  # a host is no file
    ],
)
def test_a_data_file_is_known_by_its_name_and_an_archive_also_by_its_link(
    url: str, text: str, expected: str
) -> None:
    """PH-16: "popular scientific data, such as NetCDF or HDF" (section 7)."""
    assert format_named(url, text) == expected


def test_size_and_date_are_those_of_the_whole_file() -> None:
    """RFC 9110: Content-Range of a 206 gives the complete length; Content-Length is that of the part."""
    part = answer(
        NETCDF,
        content_range="bytes 0-31/73400320",
        content_length="32",
        last_modified="Tue, 15 Nov 1994 12:45:26 GMT",
    )
    date = datetime(1994, 11, 15, 12, 45, 26, tzinfo=UTC)
    assert recognise("netcdf", part) == FileHead(
        "netcdf", Evidence.CONTENT, 73_400_320, date
    )
    whole = answer(NETCDF, 200, content_length="73400320")
    assert recognise("netcdf", whole).size == 73_400_320
    packed = answer(b"\x1f\x8b", 200, content_length="900", content_encoding="gzip")
    assert recognise("netcdf", packed) == FileHead("netcdf", Evidence.NAME, None)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "Tue, 99 Nov 1994 12:45:26 GMT", "9" * 5000]
)
@pytest.mark.parametrize("length", ["", "-1", "many", "9" * 19, "٣"])
def test_headers_that_make_no_sense_say_nothing(text: str, length: str) -> None:
    found = recognise(
        "netcdf", answer(NETCDF, 200, content_length=length, last_modified=text)
    )
    assert found == FileHead("netcdf", Evidence.CONTENT)


def sqlite(application: bytes) -> bytes:
    return b"SQLite format 3\0".ljust(68, b"\0") + application + bytes(28)


def zipped(*names: str) -> bytes:
    """Local file headers as in section 4.3.7 of APPNOTE.TXT, with four bytes of data each."""
    entries = [
        b"PK\x03\x04"
        + bytes(14)
        + struct.pack("<IIHH", 4, 4, len(name), 0)
        + name.encode()
        + b"data"
        for name in names
    ]
    return b"".join(entries)


def tiff(*tags: int, order: str = "<", ghost: bytes = b"", first: int = 0) -> bytes:
    """A classic TIFF: header, perhaps GDAL's description of the layout, the first directory."""
    at = first or 8 + len(ghost)
    header = {"<": b"II", ">": b"MM"}[order] + struct.pack(f"{order}HI", 42, at) + ghost
    entries = b"".join(struct.pack(f"{order}HHII", tag, 3, 1, 0) for tag in tags)
    return header + struct.pack(f"{order}H", len(tags)) + entries + bytes(4)


GHOST = b"GDAL_STRUCTURAL_METADATA_SIZE=000140 bytes\nLAYOUT=IFDS_BEFORE_DATA\n".ljust(
    184
)


@pytest.mark.parametrize(
    ("named", "start", "expected"),
    [
        ("netcdf", b"\x89HDF\r\n\x1a\n" + bytes(8), ("netcdf", Evidence.CONTENT)),
        ("hdf", b"\x0e\x03\x13\x01" + bytes(8), ("hdf", Evidence.CONTENT)),
        ("flatgeobuf", b"fgb\x03fgb\x00", ("flatgeobuf", Evidence.CONTENT)),
        ("pmtiles", b"PMTiles\x03", ("pmtiles", Evidence.CONTENT)),
        ("geopackage", sqlite(b"GPKG"), ("geopackage", Evidence.CONTENT)),
        ("geopackage", sqlite(bytes(4)), ("", Evidence.NAME)),  # some other database
        (
            "geoparquet",
            b"PAR1" + bytes(8),
            ("geoparquet", Evidence.NAME),
        ),  # the geometries are described at its end
        (
            "shapefile",
            zipped("roads.dbf", "roads.shp"),
            ("shapefile", Evidence.CONTENT),
        ),
        (
            "shapefile",
            zipped("readme.txt"),
            ("shapefile", Evidence.NAME),
        ),  # the rest may have one
        ("shapefile", bytes.fromhex("0000270a"), ("shapefile", Evidence.CONTENT)),
        ("geotiff", tiff(256, 257, 34735), ("geotiff", Evidence.CONTENT)),
        ("geotiff", tiff(256, 257, 34735, order=">"), ("geotiff", Evidence.CONTENT)),
        ("geotiff", tiff(256, 257), ("", Evidence.NAME)),  # a picture
        (
            "geotiff",
            tiff(256, first=9_000_000),
            ("geotiff", Evidence.NAME),
        ),  # its directory is elsewhere
        ("geotiff", tiff(256, 34735, ghost=GHOST), ("cog", Evidence.CONTENT)),
        ("cog", tiff(256, 34735, ghost=GHOST), ("cog", Evidence.CONTENT)),
        ("cog", tiff(256, 34735), ("cog", Evidence.NAME)),
        ("netcdf", b"<!DOCTYPE html>", ("", Evidence.NAME)),
        ("netcdf", b"", ("netcdf", Evidence.NAME)),
    ],
)
def test_the_first_bytes_confirm_a_format_or_refute_it(
    named: str, start: bytes, expected: tuple[str, Evidence]
) -> None:
    found = recognise(named, answer(start))
    assert (found.format, found.evidence) == expected


def test_a_big_tiff_is_read_like_a_classic_one() -> None:
    """Header of BigTIFF: 43, offsets of 8 bytes, then a directory with 8 bytes of count and entries of 20."""
    header = b"II" + struct.pack("<HHHQ", 43, 8, 0, 16)
    entry = struct.pack("<HHQQ", 34735, 3, 1, 0)
    assert (
        recognise("geotiff", answer(header + struct.pack("<Q", 1) + entry)).evidence
        is Evidence.CONTENT
    )


def test_without_bytes_the_content_type_may_confirm_and_a_page_refutes() -> None:
    assert (
        recognise("netcdf", answer(content_type="application/x-netcdf")).evidence
        is Evidence.TYPE
    )
    assert (
        recognise("netcdf", answer(content_type="application/octet-stream")).evidence
        is Evidence.NAME
    )
    assert (
        recognise("netcdf", answer(content_type="text/html; charset=utf-8")).format
        == ""
    )


@pytest.mark.parametrize(
    "named", ["geotiff", "cog", "shapefile", "geopackage", "netcdf"]
)
@pytest.mark.parametrize(
    "start",
    [
        b"II*\0",
        b"MM\0*\xff\xff\xff\xff",
        b"II+\0" + b"\xff" * 4000,
        b"PK\x03\x04" * 1000,
    ],
    ids=["short", "far", "endless", "headers"],
)
def test_broken_files_are_read_without_trouble(named: str, start: bytes) -> None:
    recognise(named, answer(start))
