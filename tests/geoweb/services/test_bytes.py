"""Pictures, grids and vector tiles are real bytes of their formats."""

from __future__ import annotations

import struct
import zlib

import pytest
from lxml import etree

from geoweb import services
from geoweb.services._content import content_of
from geoweb.services._features import features_of
from geoweb.services._mvt import draw_vector_tile
from geoweb.services._netcdf import write_grid


def _read_png(data: bytes) -> tuple[int, int, bytes]:
    """Width, height and pixels of an indexed PNG, every checksum verified."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, chunks = 8, {}
    while place < len(data):
        (length,) = struct.unpack_from(">I", data, place)
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        assert struct.unpack_from(">I", data, place + 8 + length)[0] == zlib.crc32(
            kind + body
        )
        chunks[kind] = body
        place += 12 + length
    width, height, depth, colour = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert (depth, colour) == (8, 3)
    pixels = zlib.decompress(chunks[b"IDAT"])
    assert len(pixels) == height * (width + 1)
    assert max(pixels) < len(chunks[b"PLTE"]) // 3
    return width, height, pixels


def _map_query(spec, **more):
    parameters = {
        "SERVICE": "WMS", "VERSION": "1.3.0", "REQUEST": "GetMap",
        "LAYERS": services.facts(spec).layers[0], "STYLES": "",
        "CRS": "EPSG:4326", "BBOX": "45.25,5.5,55,15", "WIDTH": "300", "HEIGHT": "200",
        "FORMAT": "image/png", **more,
    }  # fmt: skip
    return "&".join(f"{k}={v}" for k, v in parameters.items())


@pytest.mark.parametrize("size", [(1, 1), (300, 200), (2048, 7)])
def test_a_map_has_the_asked_size_and_is_not_blank(size, make_spec, ask_kvp):
    spec = make_spec("wms", seed=3)
    reply = ask_kvp(spec, _map_query(spec, WIDTH=str(size[0]), HEIGHT=str(size[1])))
    assert reply.content_type == "image/png"
    width, height, pixels = _read_png(reply.body)
    assert (width, height) == size
    if size == (300, 200):
        assert len(set(pixels)) == 4


def test_maps_differ_by_layer_and_by_box(make_spec, ask_kvp):
    spec = make_spec("wms", seed=3)
    names = services.facts(spec).layers
    pictures = {
        ask_kvp(spec, _map_query(spec, LAYERS=names[0])).body,
        ask_kvp(spec, _map_query(spec, LAYERS=names[1])).body,
        ask_kvp(spec, _map_query(spec, BBOX="46.1,6.3,47.7,9.9")).body,
    }
    assert len(pictures) == 3


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"LAYERS": "nowhere"}, b"LayerNotDefined"),
        ({"WIDTH": "2049"}, b"InvalidParameterValue"),
        ({"WIDTH": "-5"}, b"InvalidParameterValue"),
        ({"BBOX": "1,1,0,0"}, b"InvalidParameterValue"),
        ({"BBOX": "nan,1,2,3"}, b"InvalidParameterValue"),
        ({"CRS": "EPSG:9"}, b"InvalidCRS"),
        ({"FORMAT": "image/gif"}, b"InvalidFormat"),
    ],
)
def test_a_map_that_cannot_be_drawn_is_an_exception(wrong, code, make_spec, ask_kvp):
    spec = make_spec("wms", seed=3)
    body = ask_kvp(spec, _map_query(spec, **wrong)).body
    assert etree.fromstring(body).tag.endswith("ServiceExceptionReport")
    assert code in body


def test_an_exception_may_be_asked_for_as_a_picture(make_spec, ask_kvp):
    spec = make_spec("wms", seed=3)
    reply = ask_kvp(spec, _map_query(spec, LAYERS="nowhere", EXCEPTIONS="INIMAGE"))
    assert _read_png(reply.body)[:2] == (300, 200)


def test_a_jpeg_has_its_markers_its_size_and_a_block_for_every_8_pixels(
    make_spec, ask_kvp
):
    spec = make_spec("wms", seed=3)
    data = ask_kvp(spec, _map_query(spec, FORMAT="image/jpeg")).body
    assert data[:2] == b"\xff\xd8"
    assert data[-2:] == b"\xff\xd9"
    place, sizes = 2, {}
    while data[place + 1] != 0xDA:
        assert data[place] == 0xFF
        (length,) = struct.unpack_from(">H", data, place + 2)
        sizes[data[place + 1]] = data[place + 4 : place + 2 + length]
        place += 2 + length
    assert struct.unpack_from(">HH", sizes[0xC0], 1) == (200, 300)
    scan = data[place + 2 + struct.unpack_from(">H", data, place + 2)[0] : -2].replace(
        b"\xff\0", b"\xff"
    )
    assert _count_blocks(f"{int.from_bytes(scan, 'big'):0{len(scan) * 8}b}") == 3 * (
        -(-300 // 8)
    ) * (-(-200 // 8))


def _count_blocks(bits: str) -> int:
    """Decode differences with the DC codes of ITU-T T.81 table K.3 until only padding is left."""
    codes = {
        "00": 0,
        "010": 1,
        "011": 2,
        "100": 3,
        "101": 4,
        "110": 5,
        "1110": 6,
        "11110": 7,
        "111110": 8,
        "1111110": 9,
    }
    place, blocks = 0, 0
    while len(bits) - place >= 8 or bits[place:].strip("1"):
        code = next(c for c in codes if bits.startswith(c, place))
        place += len(code) + codes[code]
        assert bits[place] == "0"
        place += 1
        blocks += 1
    return blocks


def _read_tiff(data: bytes) -> dict[int, tuple[float, ...]]:
    magic, version, place = struct.unpack_from("<2sHI", data)
    assert (magic, version) == (b"II", 42)
    tags = {}
    (count,) = struct.unpack_from("<H", data, place)
    for i in range(count):
        tag, kind, length = struct.unpack_from("<HHI", data, place + 2 + 12 * i)
        size = {3: 2, 4: 4, 12: 8}[kind] * length
        where = (
            place + 2 + 12 * i + 8
            if size <= 4
            else struct.unpack_from("<I", data, place + 2 + 12 * i + 8)[0]
        )
        tags[tag] = struct.unpack_from(
            f"<{length}{ {3: 'H', 4: 'I', 12: 'd'}[kind] }", data, where
        )
    assert list(tags) == sorted(tags)
    return tags


@pytest.mark.parametrize("version", ["1.0.0", "1.1.1", "2.0.1"])
def test_a_coverage_is_a_geotiff_of_the_asked_place(version, make_spec, ask_kvp):
    spec = make_spec("wcs", version, 2)
    name = services.facts(spec).layers[0]
    query = {
        "1.0.0": f"COVERAGE={name}&CRS=EPSG:4326&BBOX=6,46,8,47&WIDTH=40&HEIGHT=20&FORMAT=GeoTIFF",
        "1.1.1": f"IDENTIFIER={name}&BOUNDINGBOX=46,6,47,8,urn:ogc:def:crs:EPSG::4326&FORMAT=image/tiff",
        "2.0.1": f"COVERAGEID={name}&SUBSET=Lat(46,47)&SUBSET=Long(6,8)&FORMAT=image/tiff",
    }[version]
    reply = ask_kvp(spec, f"SERVICE=WCS&VERSION={version}&REQUEST=GetCoverage&{query}")
    data = reply.body[reply.body.index(b"II*\0") :]
    tags = _read_tiff(data)
    assert tags[33922][3:5] == (6.0, 47.0)
    assert tags[33550][0] * tags[256][0] == pytest.approx(2.0)
    assert tags[33550][1] * tags[257][0] == pytest.approx(1.0)
    assert tags[279][0] == tags[256][0] * tags[257][0] * 4
    values = struct.unpack_from(f"<{tags[279][0] // 4}f", data, tags[273][0])
    assert 50 <= min(values) < max(values) <= 150


def test_a_wcps_query_gives_a_number_or_an_image_or_says_what_is_wrong(
    make_spec, ask_kvp
):
    spec = make_spec("wcps", seed=0)
    name = services.facts(spec).layers[0]
    base = "SERVICE=WCS&VERSION=2.0.1&REQUEST=ProcessCoverages&QUERY="
    assert float(ask_kvp(spec, f"{base}for c in ({name}) return avg(c)").body) >= 0
    assert ask_kvp(
        spec, f'{base}for c in ({name}) return encode(c, "tiff")'
    ).body.startswith(b"II*\0")
    assert b"ExceptionReport" in ask_kvp(spec, base + "nonsense").body


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place


def _message(data: bytes) -> list[tuple[int, int | bytes]]:
    fields, place = [], 0
    while place < len(data):
        key, place = _varint(data, place)
        value, place = _varint(data, place)
        if key & 7 == 2:
            fields.append((key >> 3, data[place : place + value]))
            place += value
        else:
            assert key & 7 == 0
            fields.append((key >> 3, value))
    return fields


def test_a_vector_tile_of_the_world_holds_every_feature_with_its_name(make_spec):
    spec = make_spec("tilejson", seed=2)
    offering = content_of(spec).offerings[0]
    features = list(features_of(spec, offering))
    (layer,) = (
        _message(body)
        for field, body in _message(draw_vector_tile([("roads", features)], (0, 0, 0)))
        if field == 3
    )
    assert (1, b"roads") in layer
    assert (15, 2) in layer
    values = [dict(_message(body))[1].decode() for field, body in layer if field == 4]
    found = [dict(_message(body)) for field, body in layer if field == 2]
    names = [values[f[2][1]] for f in found]
    assert names == [f.name for f in features]
    assert {f[3] for f in found} == {
        {"point": 1, "line": 2, "polygon": 3}[offering.shape]
    }


def test_a_vector_tile_far_away_is_empty(make_spec):
    spec = make_spec("tilejson", seed=2)
    offering = content_of(spec).offerings[0]
    assert (
        draw_vector_tile([("roads", list(features_of(spec, offering)))], (5, 0, 31))
        == b""
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_the_tiles_that_a_tilejson_names_are_there(seed, make_spec, ask):
    import orjson

    spec = make_spec("tilejson", seed=seed)
    template = orjson.loads(ask(spec, spec.endpoint).body)["tiles"][0]
    reply = ask(
        spec, template.replace("{z}", "4").replace("{x}", "8").replace("{y}", "5")
    )
    if seed:
        assert _read_png(reply.body)[:2] == (256, 256)
    else:
        assert reply.content_type == "application/vnd.mapbox-vector-tile"
        assert reply.body


def test_rows_of_tms_count_from_the_south(make_spec, ask):
    spec = make_spec("tms", seed=0)
    root = etree.fromstring(ask(spec, services.request_url(spec)).body)
    href = root.find(".//TileMap").get("href")
    tile_map = etree.fromstring(ask(spec, href).body)
    assert tile_map.tag == "TileMap"
    assert tile_map.get("tilemapservice") == spec.endpoint
    north = ask(spec, f"{href}/1/0/1.png").body
    south = ask(spec, f"{href}/1/0/0.png").body
    assert _read_png(north)[:2] == _read_png(south)[:2] == (256, 256)
    from geoweb.services._tiling import draw_tile

    what = f"{spec.seed} {services.facts(spec).layers[0]}"
    assert (north, south) == (draw_tile(what, (1, 0, 0)), draw_tile(what, (1, 0, 1)))


def test_a_netcdf_file_has_its_data_where_its_header_says():
    data = write_grid("depth", "Depth", (5.0, 45.0, 15.0, 55.0), 4)
    assert data[:4] == b"CDF\x01"
    place = data.index(b"depth") + 8 + 4 + 8 + 8
    kind, size, offset = struct.unpack_from(">III", data, place)
    assert (kind, size) == (5, 64)
    assert offset + size == len(data)


def test_dods_data_follow_their_structure(make_spec, ask):
    spec = make_spec("opendap", "2.0", 0)
    name = services.facts(spec).layers[2]
    body = ask(spec, f"{spec.endpoint}.dods?{name}").body
    structure, _, data = body.partition(b"Data:\n")
    assert structure.startswith(b"Dataset {\n")
    assert name.encode() in structure
    assert b"Float64" not in structure
    assert struct.unpack_from(">II", data) == (64, 64)
    assert len(data) == 8 + 64 * 4
