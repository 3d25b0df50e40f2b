"""WCS 1.0.0 to 2.1.0, and WCPS as a WCS that also takes queries: coverages as GeoTIFF."""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

from geoweb.protocol import Reply, ServiceSpec

from . import _wcs_documents as documents
from ._content import Offering
from ._features import corners
from ._geotiff import draw_grid
from ._ows import Handler, Trouble, dispatch, ogc_exception, ows_exception, xml_reply
from ._service import Call, Kind, read_box, with_query
from ._xml import write

VERSIONS = documents.VERSIONS
PATHS = (
    "/geoserver/{name}/ows",
    "/cgi-bin/mapserv?map=/data/{name}_wcs.map",
    "/arcgis/services/{folder}/{Name}/ImageServer/WCSServer",
    "/geoserver/{name}/wcs",
    "/eoxserver/{name}/ows",
)
QUERY_PATHS = ("/rasdaman/{name}/ows", "/petascope/{name}/wcps", "/{name}/rasdaman/ows")
_SUBSET = re.compile(r"(\w{1,20})\(([^,()]{1,40})(?:,([^,()]{1,40}))?\)")
_CLAUSE = re.compile(
    r"\bfor\b[^(]{0,40}\bin\b\s{0,9}\(?\s{0,9}([\w:.-]{1,100})", re.IGNORECASE
)


def answer(call: Call) -> Reply | None:
    operations: dict[str, Handler] = {
        "GetCapabilities": documents.capabilities,
        "DescribeCoverage": _describe,
        "GetCoverage": _coverage,
    }
    if call.spec.kind == "wcps":
        operations["ProcessCoverages"] = _process
    return None if call.below else dispatch(call, "WCS", VERSIONS, operations, report)


def report(call: Call, trouble: Trouble, version: str) -> Reply:
    if version == "1.0.0":
        return ogc_exception(call, trouble)
    return ows_exception(
        call, trouble, "1.1" if version.startswith("1") else "2.0", version
    )


def _asked(call: Call, version: str) -> tuple[list[Offering], Trouble | None]:
    parameter = (
        "coverage"
        if version == "1.0.0"
        else "identifier"
        if version.startswith("1")
        else "coverageid"
    )
    text = next(
        (
            call.text(p)
            for p in (parameter, parameter + "s", "coverageid")
            if call.text(p)
        ),
        "",
    )
    if (
        not text
        and version == "1.0.0"
        and call.text("request").lower() == "describecoverage"
    ):
        # WCS 1.0.0: without a name, all are described
        return list(call.content.offerings), None
    if not text:
        return [], Trouble(
            "MissingParameterValue",
            f"The parameter {parameter.upper()} is missing",
            parameter,
        )
    found: list[Offering] = []
    for name in text.split(",")[:50]:
        offering = call.content.find(name.replace("__", ":"))
        if offering is None:
            code = (
                "NoSuchCoverage" if version.startswith("2") else "InvalidParameterValue"
            )
            return [], Trouble(code, f"Coverage {name[:100]} is unknown", parameter)
        found.append(offering)
    return found, None


def _describe(call: Call, version: str) -> Reply:
    offerings, trouble = _asked(call, version)
    if trouble:
        return report(call, trouble, version)
    root, spaces = documents.description(call, version, offerings)
    return xml_reply(call, write(root, spaces, call.content.flavour.style, "wcs"))


def _coverage(call: Call, version: str) -> Reply:
    offerings, trouble = _asked(call, version)
    if trouble:
        return report(call, trouble, version)
    box = _window(call, version, corners(offerings[0].box))
    if box is None or not (box[0] < box[2] and box[1] < box[3]):
        return report(
            call,
            Trouble("InvalidParameterValue", "The asked area is empty", "bbox"),
            version,
        )
    size = call.number("width", 64, 256) or 64, call.number("height", 64, 256) or 64
    image = draw_grid(f"{call.spec.seed} {offerings[0].slug}", box, *size)
    if version.startswith("1.1"):
        return _multipart(call, version, offerings[0], image)
    return Reply(
        200,
        "image/tiff",
        image,
        (("Content-Disposition", f"inline; filename={offerings[0].slug}.tif"),),
    )


def _window(
    call: Call, version: str, whole: tuple[float, float, float, float]
) -> tuple[float, float, float, float] | None:
    """The part asked for: BBOX in 1.0.0, BOUNDINGBOX in 1.1 (a URN: latitude first), SUBSET in 2.x."""
    if version.startswith("1"):
        text = call.text("bbox") or call.text("boundingbox")
        box = read_box(text) if text else whole
        if box and "urn:" in text and "4326" in text:
            return box[1], box[0], box[3], box[2]
        return box
    sides = list(whole)
    for axis, low, high in _SUBSET.findall(unquote_plus(call.request.query))[:8]:
        place = {"lat": 1, "long": 0, "lon": 0, "x": 0, "y": 1}.get(axis.lower())
        numbers = read_box(f"{low},{high or low},0,0")
        if place is not None and numbers:
            sides[place], sides[place + 2] = numbers[0], numbers[1]
    return sides[0], sides[1], sides[2], sides[3]


def _multipart(call: Call, version: str, offering: Offering, image: bytes) -> Reply:
    """WCS 1.1 sends an inventory first and the coverage as a second part."""
    inventory = write(
        *documents.inventory(version, offering), call.content.flavour.style, "wcs"
    )
    parts = (
        ("text/xml", "urn:ogc:wcs:1.1:coverages", inventory),
        ("image/tiff", "coverage/0.tif", image),
    )
    body = b"".join(
        f"--wcs\r\nContent-Type: {kind}\r\nContent-ID: <{name}>\r\n\r\n".encode()
        + data
        + b"\r\n"
        for kind, name, data in parts
    )
    return Reply(200, 'multipart/related; boundary="wcs"', body + b"--wcs--\r\n")


def _process(call: Call, version: str) -> Reply:
    """WCPS: a query over a coverage; encode(... "tiff") gives an image, anything else a number."""
    query = call.text("query")
    clause = _CLAUSE.search(query)
    offering = call.content.find(clause[1]) if clause else None
    if clause is None:
        return report(
            call, Trouble("WcpsError", "The query has no FOR clause", "query"), version
        )
    if offering is None:
        return report(
            call,
            Trouble("NoSuchCoverage", f"Coverage {clause[1]} is unknown", "query"),
            version,
        )
    if (
        "encode" in query.lower()
        and "csv" not in query.lower()
        and "json" not in query.lower()
    ):
        image = draw_grid(
            f"{call.spec.seed} {offering.slug}", corners(offering.box), 32, 32
        )
        return Reply(200, "image/tiff", image)
    return Reply(200, "text/plain; charset=UTF-8", str(100 + offering.number).encode())


def request_url(spec: ServiceSpec) -> str:
    forms = (
        "SERVICE=WCS&REQUEST=GetCapabilities",
        f"service=WCS&version={spec.version}&request=GetCapabilities",
        f"service=WCS&acceptversions={spec.version}&request=GetCapabilities",
    )
    return with_query(spec.endpoint, forms[spec.seed % 3])


FAMILY = {
    "wcs": Kind(VERSIONS, PATHS, answer, request_url, documents.names),
    "wcps": Kind(("2.0.1",), QUERY_PATHS, answer, request_url, documents.names),
}
