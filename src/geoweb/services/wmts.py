"""WMTS 1.0.0, by key-value pairs and RESTful."""

from __future__ import annotations

from functools import cache
from urllib.parse import urlsplit

from geoweb.protocol import Reply, ServiceSpec

from ._content import Content, Offering, content_of
from ._ows import (
    OWS,
    XLINK,
    XSI,
    Handler,
    Trouble,
    dispatch,
    door,
    keywords,
    link,
    ows_exception,
    service_identification,
    service_provider,
    wgs84_box,
    xml_reply,
)
from ._service import Call, Kind, with_query
from ._tiling import HALF_M, MAX_ZOOM, SCALE_0, draw_tile, read_place
from ._wms_capabilities import name_of
from ._xml import Node, el, write

VERSIONS = ("1.0.0",)
REST = "/1.0.0/WMTSCapabilities.xml"
PATHS = (
    "/geoserver/{name}/gwc/service/wmts",
    "/mapproxy/{name}/wmts" + REST,
    "/arcgis/rest/services/{folder}/{Name}/MapServer/WMTS" + REST,
    "/wmts/{name}",
    "/cgi-bin/mapcache/{name}/wmts",
    "/{name}/wmts" + REST,
)
SET = "GoogleMapsCompatible"


def answer(call: Call) -> Reply | None:
    if call.below or is_restful(call.spec):
        return _rest(call)
    operations: dict[str, Handler] = {
        "GetCapabilities": _capabilities,
        "GetTile": _tile,
        "GetFeatureInfo": _feature_info,
    }
    return dispatch(call, "WMTS", VERSIONS, operations, report)


def report(call: Call, trouble: Trouble, version: str) -> Reply:
    return ows_exception(call, trouble, "1.1", version)


def is_restful(spec: ServiceSpec) -> bool:
    return urlsplit(spec.endpoint).path.endswith(REST)


def below(spec: ServiceSpec, path: str) -> str | None:
    """Tiles of a RESTful service stand beside its capabilities' folder."""
    own = urlsplit(spec.endpoint).path.removesuffix(REST).rstrip("/")
    if path.rstrip("/") == own:
        return ""
    return path[len(own) + 1 :] if path.startswith(own + "/") else None


def _base(call: Call) -> str:
    return call.root.removesuffix(REST)


def _rest(call: Call) -> Reply | None:
    if call.below == REST[1:]:
        return _capabilities(call, "1.0.0")
    steps = call.steps
    if len(steps) != 6:
        return None
    layer, _, matrix_set, zoom, row, column = steps
    place = read_place(zoom, column, row)
    offering = _offering(call, layer)
    if matrix_set != SET or place is None or offering is None:
        return report(
            call,
            Trouble("InvalidParameterValue", "No such tile", "TileMatrix", 404),
            "1.0.0",
        )
    return _picture(
        call,
        offering,
        place,
        "image/jpeg" if column.endswith(("jpg", "jpeg")) else "image/png",
    )


def _offering(call: Call, name: str) -> Offering | None:
    return next(
        (o for o in call.content.offerings if name_of(call.content, o) == name), None
    )


def names(spec: ServiceSpec) -> tuple[str, ...]:
    content = content_of(spec)
    return tuple(name_of(content, o) for o in content.offerings)


def _tile(call: Call, version: str) -> Reply:
    offering = _offering(call, call.text("layer"))
    if offering is None:
        return report(
            call, Trouble("InvalidParameterValue", "No such layer", "Layer"), version
        )
    if call.text("tilematrixset") != SET:
        return report(
            call,
            Trouble(
                "InvalidParameterValue", "No such tile matrix set", "TileMatrixSet"
            ),
            version,
        )
    zoom = call.text("tilematrix").rpartition(":")[2]
    place = read_place(zoom, call.text("tilecol"), call.text("tilerow"))
    if place is None:
        return report(
            call,
            Trouble(
                "MissingParameterValue", "TileMatrix, TileRow, TileCol", "TileMatrix"
            ),
            version,
        )
    return _picture(
        call,
        offering,
        place,
        "image/jpeg" if "jpeg" in call.text("format") else "image/png",
    )


def _picture(
    call: Call, offering: Offering, place: tuple[int, int, int], media_type: str
) -> Reply:
    picture = draw_tile(f"{call.spec.seed} {offering.slug}", place, media_type)
    if picture is None:
        return report(
            call,
            Trouble("TileOutOfRange", "The tile lies outside the matrix", "TileRow"),
            "1.0.0",
        )
    return Reply(200, media_type, picture)


def _feature_info(call: Call, version: str) -> Reply:
    if _offering(call, call.text("layer")) is None:
        return report(
            call, Trouble("InvalidParameterValue", "No such layer", "Layer"), version
        )
    return Reply(
        200,
        "text/plain",
        f"{call.text('layer')}: {call.number('i', 0, 256)}\n".encode(),
    )


def _capabilities(call: Call, version: str) -> Reply:
    c = call.content
    rest = is_restful(call.spec)
    root = el(
        "wmts:Capabilities",
        {"version": version},
        service_identification(c, "OGC WMTS", VERSIONS),
        service_provider(c, _base(call)),
        None if rest and call.spec.seed % 2 else _operations(call),
        el("wmts:Contents", [_layer(call, o) for o in c.offerings], _matrix_set()),
        link("wmts:ServiceMetadataURL", call.spec.endpoint) if rest else None,
    )
    spaces = {
        "wmts": "http://www.opengis.net/wmts/1.0",
        "ows": OWS["1.1"],
        "xlink": XLINK,
        "xsi": XSI,
    }
    spaces["gml"] = "http://www.opengis.net/gml"
    return xml_reply(call, write(root, spaces, c.flavour.style, "wmts"))


def _operations(call: Call) -> Node:
    rest = is_restful(call.spec)
    how = el("ows:AllowedValues", el("ows:Value", "RESTful" if rest else "KVP"))
    constraint = el("ows:Constraint", {"name": "GetEncoding"}, how)
    address = {"xlink:href": _base(call) if rest else door(call)}
    dcp = el("ows:DCP", el("ows:HTTP", el("ows:Get", address, constraint)))
    wanted = ("GetCapabilities", "GetTile", "GetFeatureInfo")
    return el(
        "ows:OperationsMetadata",
        [el("ows:Operation", {"name": n}, dcp) for n in wanted],
    )


def _layer(call: Call, offering: Offering) -> Node:
    c: Content = call.content
    place = "{Style}/{TileMatrixSet}/{TileMatrix}/{TileRow}/{TileCol}.png"
    template = f"{_base(call)}/{name_of(c, offering)}/{place}"
    resource = el(
        "wmts:ResourceURL",
        {"format": "image/png", "resourceType": "tile", "template": template},
    )
    dimension = None
    if offering.times:
        head = [el("ows:Identifier", "Time"), el("wmts:Default", offering.times[1])]
        dimension = el(
            "wmts:Dimension", head, [el("wmts:Value", t) for t in offering.times]
        )
    return el(
        "wmts:Layer",
        el("ows:Title", offering.title),
        el("ows:Abstract", offering.abstract) if offering.abstract else None,
        keywords(offering.keywords),
        wgs84_box(offering.box),
        el("ows:Identifier", name_of(c, offering)),
        el("wmts:Style", {"isDefault": "true"}, el("ows:Identifier", offering.style)),
        [el("wmts:Format", f) for f in ("image/png", "image/jpeg")],
        dimension,
        el("wmts:TileMatrixSetLink", el("wmts:TileMatrixSet", SET)),
        resource if is_restful(call.spec) else None,
    )


@cache
def _matrix_set() -> Node:
    matrices = [
        el(
            "wmts:TileMatrix",
            el("ows:Identifier", str(zoom)),
            el("wmts:ScaleDenominator", str(SCALE_0 / (1 << zoom))),
            el("wmts:TopLeftCorner", f"{-HALF_M} {HALF_M}"),
            el("wmts:TileWidth", "256"),
            el("wmts:TileHeight", "256"),
            el("wmts:MatrixWidth", str(1 << zoom)),
            el("wmts:MatrixHeight", str(1 << zoom)),
        )
        for zoom in range(MAX_ZOOM + 1)
    ]
    return el(
        "wmts:TileMatrixSet",
        el("ows:Identifier", SET),
        el("ows:SupportedCRS", "urn:ogc:def:crs:EPSG::3857"),
        el("wmts:WellKnownScaleSet", "urn:ogc:def:wkss:OGC:1.0:GoogleMapsCompatible"),
        matrices,
    )


def request_url(spec: ServiceSpec) -> str:
    if is_restful(spec):
        return spec.endpoint
    forms = (
        "SERVICE=WMTS&REQUEST=GetCapabilities",
        "service=WMTS&version=1.0.0&request=GetCapabilities",
    )
    return with_query(spec.endpoint, forms[spec.seed % 2])


FAMILY = {"wmts": Kind(VERSIONS, PATHS, answer, request_url, names, below=below)}
