"""Tile services: TMS by XML, XYZ by an image at the address of a tile, TileJSON by its fields."""

from __future__ import annotations

import struct
import zlib
from datetime import UTC, datetime

import pytest

from geohound.document import Document
from geohound.kinds import tilejson, tms
from geohound.kinds.tms import image_size
from geohound.model.service import Service
from geohound.model.visit import Response

TMS, XYZ = tms.KINDS
(TILEJSON,) = tilejson.KINDS


def document(body: bytes, url: str) -> Document:
    return Document(Response(url, url, 200, {}, body, datetime(2024, 1, 1, tzinfo=UTC)))


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data))
            + name
            + data
            + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + b"\x7f" * width for _ in range(height)))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", rows)
        + chunk(b"IEND", b"")
    )


def test_a_tile_map_has_its_box_in_degrees() -> None:
    body = b"""<TileMap version="1.0.0" tilemapservice="http://a.test/1.0.0">
    <Title>Town</Title><SRS>EPSG:4326</SRS>
    <BoundingBox minx="5" miny="47" maxx="15" maxy="55"/><TileFormat mime-type="image/png"/>
    <TileSets/></TileMap>"""
    service = TMS.read(document(body, "http://a.test/tms/1.0.0/town"))
    assert isinstance(service, Service)
    assert (service.title, service.version, service.formats) == (
        "Town",
        "1.0.0",
        ("image/png",),
    )
    assert service.extent is not None
    assert service.extent.box is not None
    assert service.extent.box.as_tuple() == (5, 47, 15, 55)


def test_the_list_above_tile_map_services_links_to_them() -> None:
    body = b'<Services><TileMapService title="T" version="1.0.0" href="http://a.test/tms/1.0.0/"/></Services>'
    service = TMS.read(document(body, "http://a.test/tms"))
    assert isinstance(service, Service)
    assert service.links == ("http://a.test/tms/1.0.0/",)


@pytest.mark.parametrize(
    "body",
    [b"<Services><Service/></Services>", b"<TileMap/>", b"<tilemap/>", b"<map/>"],
)
def test_other_xml_is_no_tile_map_service(body: bytes) -> None:
    assert TMS.read(document(body, "http://a.test/tms/1.0.0")) is None


@pytest.mark.parametrize(
    ("met", "asked"),
    [
        ("http://a.test/tms", ("http://a.test/tms/1.0.0", "http://a.test/tms")),
        (
            "http://a.test/gwc/service/tms/1.0.0/x@y/3/2/1.png",
            ("http://a.test/gwc/service/tms/1.0.0",),
        ),
        (
            "http://a.test/x/tilemapresource.xml",
            ("http://a.test/x/tilemapresource.xml",),
        ),
    ],
)
def test_the_root_of_a_tile_map_service_is_asked_first(
    met: str, asked: tuple[str, ...]
) -> None:
    assert TMS.suspects(met)
    assert TMS.probe_urls(met)[: len(asked)] == asked


def test_an_image_at_a_tile_address_proves_xyz_tiles() -> None:
    service = XYZ.read(document(png(256, 256), "http://a.test/osm/3/4/2.png?key=k"))
    assert isinstance(service, Service)
    assert service.endpoint == "http://a.test/osm?key=k"
    assert service.operations[0].get == "http://a.test/osm/{z}/{x}/{y}.png?key=k"


@pytest.mark.parametrize(
    ("body", "url"),
    [
        (png(256, 256), "http://a.test/2024/05/03.png"),
        (png(256, 256), "http://a.test/1/5/0.png"),
        (png(256, 256), "http://a.test/logo.png"),
        (png(256, 128), "http://a.test/1/0/0.png"),
        (png(100, 100), "http://a.test/1/0/0.png"),
        (b"<html>not found</html>", "http://a.test/1/0/0.png"),
        (b"\x89PNG", "http://a.test/1/0/0.png"),
    ],
)
def test_other_images_and_places_are_no_tiles(body: bytes, url: str) -> None:
    assert XYZ.read(document(body, url)) is None


@pytest.mark.parametrize(
    ("template", "tile"),
    [
        ("https://{s}.a.test/{z}/{x}/{y}{r}.png", "https://a.a.test/0/0/0.png"),
        ("http://a.test/%7Bz%7D/%7Bx%7D/%7B-y%7D.jpg", "http://a.test/0/0/0.jpg"),
        (
            "https://{switch:t1,t2}.a.test/{z}/{x}/{y}.webp",
            "https://t1.a.test/0/0/0.webp",
        ),
    ],
)
def test_a_template_is_tried_at_the_tile_that_all_have(
    template: str, tile: str
) -> None:
    assert XYZ.suspects(template)
    assert XYZ.probe_urls(template) == (tile,)


def test_the_size_of_an_image_is_read_from_its_head() -> None:
    assert image_size(png(512, 256)) == (512, 256)
    assert image_size(b"GIF89a" + struct.pack("<HH", 256, 128)) == (256, 128)
    frame = b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", 128, 256)
    assert image_size(b"\xff\xd8\xff\xe0\x00\x04ab" + frame) == (256, 128)
    vp8x = (
        b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0"
        + (255).to_bytes(3, "little")
        + (511).to_bytes(3, "little")
    )
    assert image_size(vp8x) == (256, 512)
    assert image_size(b"\xff\xd8\xff") == (0, 0)


def test_tilejson_names_its_vector_layers_and_resolves_its_tiles() -> None:
    body = b"""{"tilejson": "3.0.0", "name": "Town", "attribution": "CC0", "bounds": [5, 47, 15, 55],
    "format": "pbf",
    "tiles": ["town/{z}/{x}/{y}.pbf"], "vector_layers": [{"id": "roads", "fields": {"kind": "String"}}]}"""
    service = TILEJSON.read(document(body, "http://a.test/data/town.json?key=k"))
    assert isinstance(service, Service)
    assert (service.version, service.title, service.access.licence) == (
        "3.0.0",
        "Town",
        "CC0-1.0",
    )
    assert [layer.name for layer in service.layers] == ["roads"]
    assert service.operations[0].get == "http://a.test/data/town/{z}/{x}/{y}.pbf"
    assert service.endpoint == "http://a.test/data/town.json?key=k"


@pytest.mark.parametrize(
    "body",
    [
        b'{"version": 8, "sources": {}, "layers": []}',
        b'{"tiles": ["a"]}',
        b'{"tilejson": "2.0.0"}',
        b'{"tilejson": 2, "tiles": ["a"]}',
        b'{"asset": {"version": "1.0"}, "root": {}}',
    ],
)
def test_styles_and_tilesets_of_other_makes_are_no_tilejson(body: bytes) -> None:
    assert TILEJSON.read(document(body, "http://a.test/tiles.json")) is None
