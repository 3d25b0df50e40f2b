"""WMS 1.0.0 to 1.3.0: maps, legends, and what lies at a point."""

from __future__ import annotations

from geoweb.protocol import Reply, ServiceSpec

from . import _wms_capabilities as capabilities
from ._drawing import MAX_SIDE_PX, draw_map
from ._features import as_geojson, features_of
from ._ows import Trouble, error_status, misdirected, ogc_exception, xml_reply
from ._service import (
    Call,
    Kind,
    json_reply,
    negotiate,
    read_box,
    supported_versions,
    with_query,
)
from ._xml import el, write

VERSIONS = ("1.0.0", "1.1.0", "1.1.1", "1.3.0")
OPERATIONS = (
    "GetCapabilities", "capabilities", "GetMap", "map", "GetFeatureInfo", "feature_info", "GetLegendGraphic",
    "DescribeLayer",
)  # fmt: skip
PATHS = (
    "/geoserver/{name}/ows",
    "/cgi-bin/mapserv?map=/data/{name}.map",
    "/arcgis/services/{folder}/{Name}/MapServer/WMSServer",
    "/deegree/services/{name}",
    "/cgi-bin/qgis_mapserv.fcgi?MAP=/srv/{name}.qgs",
    "/mapproxy/{name}/service",
    "/geoserver/{name}/wms",
    "/ows/{name}/wms",
    "/wms/{name}",
)


def answer(call: Call) -> Reply | None:
    if call.below:
        return None
    asked = call.text("version") or call.text("wmtver")
    version = (
        negotiate(supported_versions(VERSIONS, call.spec.version), asked, "")
        or call.spec.version
    )
    trouble = misdirected(call, "WMS", OPERATIONS)
    if trouble:
        return report(call, trouble, version)
    match call.text("request").lower():
        case "getcapabilities" | "capabilities":
            return capabilities.reply(call, version)
        case "getmap" | "map":
            return _map(call, version)
        case "getfeatureinfo" | "feature_info":
            return _feature_info(call, version)
        case "describelayer":
            return _describe_layer(call, version)
    return _legend(call, version)


def _layers_trouble(call: Call, parameter: str) -> Trouble | None:
    names = [n for n in call.text(parameter).split(",") if n]
    if not names:
        return Trouble(
            "MissingParameterValue",
            f"The parameter {parameter.upper()} is missing",
            parameter,
        )
    known = capabilities.names(call.spec)
    unknown = next((n for n in names if n not in known), None)
    if unknown is not None:
        return Trouble(
            "LayerNotDefined", f"Layer {unknown[:100]} is not defined", parameter
        )
    return None


def _map_trouble(call: Call, version: str) -> Trouble | None:
    trouble = _layers_trouble(call, "layers")
    if trouble:
        return trouble
    box = read_box(call.text("bbox"))
    if box is None or not (box[0] < box[2] and box[1] < box[3]):
        return Trouble(
            "InvalidParameterValue",
            "BBOX needs four numbers, minima before maxima",
            "bbox",
        )
    crs = call.text("crs") if version == "1.3.0" else call.text("srs")
    if crs.upper() not in capabilities.CRS_NAMES:
        code = "InvalidCRS" if version == "1.3.0" else "InvalidSRS"
        return Trouble(code, f"Reference system {crs[:60]} is not supported", "crs")
    if not all(
        0 < call.number(side, 0, MAX_SIDE_PX + 1) <= MAX_SIDE_PX
        for side in ("width", "height")
    ):
        return Trouble(
            "InvalidParameterValue",
            f"WIDTH and HEIGHT go from 1 to {MAX_SIDE_PX}",
            "width",
        )
    form = call.text("format").lower().partition(";")[0]
    if form not in ("image/png", "image/jpeg", "png", "jpeg"):
        return Trouble(
            "InvalidFormat", f"Format {form[:60]} is not supported", "format"
        )
    return None


def _map(call: Call, version: str) -> Reply:
    trouble = _map_trouble(call, version)
    size = (
        call.number("width", 256, MAX_SIDE_PX) or 1,
        call.number("height", 256, MAX_SIDE_PX) or 1,
    )
    media_type = "image/jpeg" if "jpeg" in call.text("format").lower() else "image/png"
    if trouble:
        if call.text("exceptions").lower().rpartition("_")[2] in ("inimage", "blank"):
            return Reply(
                200, media_type, draw_map(trouble.code, (0, 0, 1, 1), size, media_type)
            )
        return report(call, trouble, version)
    box = read_box(call.text("bbox")) or (0.0, 0.0, 1.0, 1.0)
    if version == "1.3.0" and call.text("crs").upper() == "EPSG:4326":
        # EPSG:4326 is lat/lon in WMS 1.3.0 but lon/lat before
        box = box[1], box[0], box[3], box[2]
    transparent = call.text("transparent").lower() == "true"
    what = f"{call.spec.seed} {call.text('layers')} {call.text('time')}"
    return Reply(200, media_type, draw_map(what, box, size, media_type, transparent))


def _feature_info(call: Call, version: str) -> Reply:
    trouble = _layers_trouble(call, "query_layers")
    if trouble:
        return report(call, trouble, version)
    offering = capabilities.offering_named(
        call, call.text("query_layers").partition(",")[0]
    )
    features = features_of(call.spec, offering)
    feature = features[
        (call.number("i", 0, 9999) or call.number("x", 0, 9999)) % len(features)
    ]
    form = call.text("info_format").lower()
    if "json" in form:
        return json_reply(
            {"type": "FeatureCollection", "features": [as_geojson(feature)]}
        )
    if "html" in form:
        body = f"<html><body><p>{feature.id}: {feature.value}</p></body></html>"
        return Reply(200, "text/html; charset=UTF-8", body.encode())
    head = f"GetFeatureInfo results:\n\nLayer '{offering.slug}'\n"
    lines = f"{head}  Feature {feature.code}: \n    value = '{feature.value}'\n"
    return Reply(200, "text/plain; charset=UTF-8", lines.encode())


def _describe_layer(call: Call, version: str) -> Reply:
    trouble = _layers_trouble(call, "layers")
    if trouble:
        return report(call, trouble, version)
    described = [
        el("LayerDescription", {"name": name}, el("Query", {"typeName": name}))
        for name in call.text("layers").split(",")
        if name
    ]
    body = write(
        el("WMS_DescribeLayerResponse", {"version": "1.1.1"}, described),
        {},
        call.content.flavour.style,
    )
    return xml_reply(call, body)


def _legend(call: Call, version: str) -> Reply:
    trouble = _layers_trouble(call, "layer")
    if trouble:
        return report(call, trouble, version)
    size = call.number("width", 20, 512) or 20, call.number("height", 20, 512) or 20
    return Reply(
        200, "image/png", draw_map(call.text("layer"), (0, 0, 2, 2), size, "image/png")
    )


def report(call: Call, trouble: Trouble, version: str) -> Reply:
    """The exception report of that version."""
    if version == "1.3.0":
        return ogc_exception(call, trouble, "1.3.0")
    style = call.content.flavour.style
    if version == "1.0.0":
        body = write(el("WMTException", {"version": "1.0.0"}, trouble.text), {}, style)
        return xml_reply(call, body, error_status(call, trouble))
    known = trouble.code in (
        "LayerNotDefined",
        "InvalidSRS",
        "InvalidFormat",
        "OperationNotSupported",
    )
    exception = el(
        "ServiceException", {"code": trouble.code} if known else None, trouble.text
    )
    doctype = (
        f"<!DOCTYPE ServiceExceptionReport SYSTEM "
        f'"http://schemas.opengis.net/wms/{version}/exception_{version.replace(".", "_")}.dtd">\n'
    )
    body = write(
        el("ServiceExceptionReport", {"version": version}, exception),
        {},
        style,
        "",
        doctype,
    )
    return xml_reply(
        call, body, error_status(call, trouble), "application/vnd.ogc.se_xml"
    )


def request_url(spec: ServiceSpec) -> str:
    if spec.version == "1.0.0":
        return with_query(spec.endpoint, "WMTVER=1.0.0&REQUEST=capabilities")
    forms = (
        "SERVICE=WMS&REQUEST=GetCapabilities",
        f"service=WMS&version={spec.version}&request=GetCapabilities",
        f"REQUEST=GetCapabilities&SERVICE=WMS&VERSION={spec.version}",
    )
    return with_query(spec.endpoint, forms[spec.seed % 3])


FAMILY = {"wms": Kind(VERSIONS, PATHS, answer, request_url, capabilities.names)}
