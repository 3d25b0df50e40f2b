"""Tile Map Service by its XML, and XYZ tiles by an image at the address of a tile."""

from __future__ import annotations

import re
import struct
from itertools import islice

from geohound import urls
from geohound.document import Document
from geohound.document.safe_xml import Element, attribute, child, children, text
from geohound.kinds._boxes import crs_code, extent
from geohound.kinds._json import absolute
from geohound.kinds._layer_query import XML, LayerQuery
from geohound.kinds._reader import (
    ANY_PATH,
    MAX_ENTRIES,
    Reader,
    crs_of,
    finish,
    formats_of,
    itself,
    named,
    path_of,
    strip_view,
)
from geohound.kinds._signature import Signature, xml
from geohound.kinds._tiles import file_ending, pyramid, tile_template
from geohound.model.addresses import VIEW_LIMIT_S, Addresses, ScriptIdioms
from geohound.model.layer_request import LayerRequest, Rel
from geohound.model.service import Extent, Layer, Operation, Provider, Service

_TMS_PATH = re.compile(r"/tms(?:/|$)|/tilemapresource\.xml$", re.IGNORECASE)
_EDGES = ("minx", "miny", "maxx", "maxy")
_BELOW_VERSION = re.compile(r"/\d+\.\d+\.\d+/((?s:.+?))/?$")
# The name that the specification gives to the sphere's Mercator; MapProxy still writes it.
_OLD_MERCATOR = "OSGEO:41001"


def probe_tms(url: str) -> tuple[str, ...]:
    """The service of the version in the address, else version 1.0.0 below `tms`; then the address itself."""
    base = path_of(url).rstrip("/")
    version = re.match(r"(.*?/\d+\.\d+\.\d+)(?:/|$)", base)
    if version:
        return tuple(dict.fromkeys([version[1], base]))
    at = re.search(r"/tms(?=/|$)", base, re.IGNORECASE)
    return (f"{base[: at.end()]}/1.0.0", base) if at else (base,)


def read_tms(document: Document) -> Service | None:
    root = document.root
    if root is None:
        return None
    if document.root_name == "Services":
        return _read_services(document, root)
    if document.root_name == "TileMap":
        if not attribute(root, "tilemapservice") and child(root, "TileSets") is None:
            return None
        layers = [_read_tile_map(root, document.url)]
    else:
        entries = (
            e
            for group in children(root, "TileMaps")
            for e in children(group, "TileMap")
        )
        layers = [_read_entry(e, document.url) for e in islice(entries, MAX_ENTRIES)]
    return finish(document, _service(document, root, named(layers)))


def _service(document: Document, root: Element, layers: tuple[Layer, ...]) -> Service:
    contact = child(root, "ContactInformation", "ContactPersonPrimary")
    version = attribute(root, "version")
    return Service(
        kind="tms",
        endpoint=strip_view(document.url).rstrip("/"),
        version=version,
        title=text(root, "Title"),
        abstract=text(root, "Abstract"),
        keywords=tuple(text(root, "KeywordList").split()),
        provider=Provider(
            name=text(contact, "ContactOrganization") if contact is not None else "",
            contact=text(contact, "ContactPerson") if contact is not None else "",
            email=text(root, "ContactInformation", "ContactElectronicMailAddress"),
        ),
        layers=layers,
        layers_truncated=len(layers) >= MAX_ENTRIES,
        formats=formats_of(layers),
        crs=crs_of(layers),
        online_resource=attribute(root, "services")
        or attribute(root, "tilemapservice"),
    )


def _read_entry(element: Element, url: str) -> Layer:
    """A tile map as its service lists it; called by what follows the version in its address."""
    href = absolute(attribute(element, "href"), url)
    crs = _crs_of(attribute(element, "srs"))
    title = attribute(element, "title")
    return Layer(
        name=_name_of(href) or title,
        title=title,
        crs=(crs,) if crs else (),
        links=(href,) if href else (),
    )


def _name_of(url: str) -> str:
    path = path_of(url).rstrip("/")
    below = _BELOW_VERSION.search(path)
    return (
        below[1]
        if below
        else path.rpartition("/")[2].removesuffix("tilemapresource.xml")
    )


def _crs_of(stated: str) -> str:
    return "EPSG:3857" if stated.strip() == _OLD_MERCATOR else crs_code(stated)


def _read_tile_map(root: Element, url: str) -> Layer:
    crs = _crs_of(text(root, "SRS"))
    tile_format = attribute(child(root, "TileFormat"), "mime-type")
    title = text(root, "Title")
    return Layer(
        name=_name_of(url) or title,
        title=title,
        abstract=text(root, "Abstract"),
        extent=_read_box(child(root, "BoundingBox"), crs),
        crs=(crs,) if crs else (),
        formats=(tile_format,) if tile_format else (),
        links=(strip_view(url),),
    )


def _read_box(element: Element | None, crs: str) -> Extent | None:
    numbers = [attribute(element, edge) for edge in _EDGES]
    return extent(numbers, crs or "CRS:84") if all(numbers) else None


def _read_services(document: Document, root: Element) -> Service | None:
    """The list of services above a Tile Map Service."""
    entries = list(islice(children(root, "TileMapService"), MAX_ENTRIES))
    if not entries:
        return None
    links = tuple(
        filter(None, (absolute(attribute(e, "href"), document.url) for e in entries))
    )
    versions = tuple(
        dict.fromkeys(filter(None, (attribute(e, "version") for e in entries)))
    )
    service = Service(
        kind="tms",
        endpoint=strip_view(document.url).rstrip("/"),
        version=versions[-1] if versions else "",
        versions=versions,
        title=attribute(entries[0], "title"),
        links=links,
    )
    return finish(document, service)


def tms_requests(query: LayerQuery) -> list[LayerRequest]:
    """TMS counts rows from the south; its tile maps say by address where they are."""
    found = [
        LayerRequest(Rel.CAPABILITIES, "Service document", query.service.endpoint, XML)
    ]
    tile_map = query.own_link()
    if not tile_map:
        return found
    ending = file_ending(query.layer.formats[0]) if query.layer.formats else "png"
    template = f"{tile_map.rstrip('/')}/{{z}}/{{x}}/{{-y}}.{ending}"
    return [
        *found,
        LayerRequest(Rel.DESCRIPTION, "Tile map", tile_map, XML),
        pyramid(query, template),
    ]


_PLACE = re.compile(
    r"(?:\{|%7B)\s*+(-?[xyzsrq]|level|col|row|ratio|switch:([^{}%,]++)[^{}%]*+)\s*+(?:\}|%7D)",
    re.IGNORECASE,
)
_ZERO = {
    "z": "0",
    "x": "0",
    "y": "0",
    "-y": "0",
    "level": "0",
    "col": "0",
    "row": "0",
    "s": "a",
}
_TILE = re.compile(r"/(\d{1,2})/(\d{1,8})/(\d{1,8})((?:@\dx)?(?:\.[A-Za-z]{3,4})?)$")
_TILE_SIZES_PX = frozenset({256, 512, 1024})


def suspects_xyz(url: str) -> bool:
    """A template with z, x and y, or the address of one tile."""
    names = {found[1].lower() for found in _PLACE.finditer(url)}
    if {"z", "x"} <= names and names & {"y", "-y"}:
        return True
    return urls.is_tile_path(path_of(url))


def probe_xyz(url: str) -> tuple[str, ...]:
    """The one tile that every world-wide tileset has; a tile met is asked for as it is."""
    filled = _PLACE.sub(lambda m: m[2] or _ZERO.get(m[1].lower(), ""), url)
    return itself(filled)


def read_xyz(document: Document) -> Service | None:
    base, mark, query = strip_view(document.url).partition("?")
    found = _TILE.search(base)
    if (
        not found
        or not _exists(found)
        or image_size(document.body)[0] not in _TILE_SIZES_PX
    ):
        return None
    width, height = image_size(document.body)
    if width != height:
        return None
    root = base[: found.start()]
    template = f"{root}/{{z}}/{{x}}/{{y}}{found[4]}{mark}{query}"
    media = {
        b"\x89": "image/png",
        b"\xff": "image/jpeg",
        b"G": "image/gif",
        b"R": "image/webp",
    }
    formats = tuple(filter(None, [media.get(document.body[:1])]))
    service = Service(
        kind="xyz",
        endpoint=f"{root}{mark}{query}",
        operations=(Operation("GetTile", get=template, formats=formats),),
        formats=formats,
        crs=("EPSG:3857",),
        online_resource=template,
    )
    return finish(document, service)


def _exists(found: re.Match[str]) -> bool:
    zoom, column, row = int(found[1]), int(found[2]), int(found[3])
    return zoom <= 24 and column < 2**zoom and row < 2**zoom


def image_size(body: bytes) -> tuple[int, int]:
    """Width and height in pixels of a PNG, GIF, WebP or JPEG; (0, 0) where the head does not say."""
    try:
        if body[:4] == b"\x89PNG":
            return struct.unpack(">II", body[16:24])
        if body[:4] == b"GIF8":
            return struct.unpack("<HH", body[6:10])
        if body[:4] == b"RIFF":
            return _webp_size(body)
        return _jpeg_size(body)
    except struct.error:
        return 0, 0


def _webp_size(body: bytes) -> tuple[int, int]:
    if body[12:16] == b"VP8X":
        return int.from_bytes(body[24:27], "little") + 1, int.from_bytes(
            body[27:30], "little"
        ) + 1
    if body[12:16] == b"VP8L":
        bits = int.from_bytes(body[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", body[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _jpeg_size(body: bytes) -> tuple[int, int]:
    """Walk the markers to the frame header."""
    at = 2
    for _ in range(200):
        if body[:2] != b"\xff\xd8" or body[at : at + 1] != b"\xff":
            break
        marker, length = struct.unpack(">BH", body[at + 1 : at + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", body[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return 0, 0


def xyz_requests(query: LayerQuery) -> list[LayerRequest]:
    """The template that was proved by one of its tiles."""
    template = tile_template(query)
    return [pyramid(query, template)] if template else []


_TMS_ADDRESSES = Addresses(
    response_limit_s=VIEW_LIMIT_S,
    paths=(r"/tms/1\.0(?:\.0)?/?",),
    labels=("tms",),
    scripts=ScriptIdioms(calls="OpenLayers.Layer.TMS|1", known_by_address=True),
)
_XYZ_ADDRESSES = Addresses(
    paths=(r"(?:\{|%7b)z(?:\}|%7d)/",),
    is_template=True,
    scripts=ScriptIdioms(
        calls="OpenLayers.Layer.KaMap|1 OpenLayers.Layer.XYZ|1",
        known_by_address=True,
        words=("{z}", "%7bz%7d"),
        strings=(("{z}", r"\{z\}"),),
    ),
)

KINDS = (
    Reader(
        id="tms",
        title="Tile Map Service",
        protocol="OSGEO:TMS",
        path=_TMS_PATH,
        probe_urls=probe_tms,
        reader=read_tms,
        requester=tms_requests,
        addresses=_TMS_ADDRESSES,
        signature=xml("TileMapService", "TileMap", "Services"),
    ),
    Reader(
        id="xyz",
        title="XYZ tiles",
        protocol="OSM:XYZ",
        path=ANY_PATH,
        probe_urls=probe_xyz,
        reader=read_xyz,
        requester=xyz_requests,
        addresses=_XYZ_ADDRESSES,
        signature=Signature(has_images=True),
        suspicion=suspects_xyz,
    ),
)
