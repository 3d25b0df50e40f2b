"""The blocks of OWS Common that the capabilities of many services share, and the exception reports of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from geoweb.box import Box
from geoweb.protocol import Reply

from ._content import Content
from ._service import Call, negotiate, supported_versions
from ._xml import Node, el, write

XLINK = "http://www.w3.org/1999/xlink"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
OWS = {
    "1.0": "http://www.opengis.net/ows",
    "1.1": "http://www.opengis.net/ows/1.1",
    "2.0": "http://www.opengis.net/ows/2.0",
}
GML = "http://www.opengis.net/gml"
GML32 = "http://www.opengis.net/gml/3.2"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as capabilities list it."""

    name: str
    parameters: Mapping[str, Sequence[str]]
    post: bool = False


def link(tag: str, url: str) -> Node:
    return el(tag, {"xlink:type": "simple", "xlink:href": url})


def door(call: Call) -> str:
    """The address for requests as servers write it: ready for key-value pairs to be added."""
    endpoint = call.spec.endpoint
    if "?" in endpoint:
        return endpoint + "&"
    return (
        endpoint + "?"
        if call.content.flavour.id in ("mapserver", "mapserver-latin", "qgis")
        else endpoint
    )


def service_identification(
    content: Content, kind: str, versions: Sequence[str], *profiles: str
) -> Node:
    return el(
        "ows:ServiceIdentification",
        el("ows:Title", content.title),
        el("ows:Abstract", content.abstract),
        keywords(content.keywords),
        el("ows:ServiceType", kind),
        [el("ows:ServiceTypeVersion", v) for v in versions],
        [el("ows:Profile", p) for p in profiles],
        el("ows:Fees", content.fees),
        el("ows:AccessConstraints", content.constraints),
    )


def keywords(words: Sequence[str]) -> Node:
    return el("ows:Keywords", [el("ows:Keyword", w) for w in words])


def service_provider(content: Content, site: str) -> Node:
    return el(
        "ows:ServiceProvider",
        el("ows:ProviderName", content.organisation),
        link("ows:ProviderSite", site),
        el(
            "ows:ServiceContact",
            el("ows:IndividualName", content.person),
            el("ows:PositionName", "GIS"),
            el(
                "ows:ContactInfo",
                el("ows:Phone", el("ows:Voice", content.phone)),
                el(
                    "ows:Address",
                    el("ows:DeliveryPoint", "1"),
                    el("ows:City", content.city),
                    el("ows:Country", content.country),
                    el("ows:ElectronicMailAddress", content.email),
                ),
            ),
        ),
    )


def operations_metadata(
    url: str, operations: Sequence[Operation], *rest: Node, plain: bool = False
) -> Node:
    """OperationsMetadata; OWS 1.0 (`plain`) lists values directly, later ones inside AllowedValues."""

    def parameter(name: str, values: Sequence[str]) -> Node:
        nodes = [el("ows:Value", v) for v in values]
        return el(
            "ows:Parameter",
            {"name": name},
            nodes if plain else el("ows:AllowedValues", nodes),
        )

    return el(
        "ows:OperationsMetadata",
        [
            el(
                "ows:Operation",
                {"name": op.name},
                el(
                    "ows:DCP",
                    el(
                        "ows:HTTP",
                        link("ows:Get", url),
                        link("ows:Post", url) if op.post else None,
                    ),
                ),
                [parameter(name, values) for name, values in op.parameters.items()],
            )
            for op in operations
        ],
        rest,
    )


def wgs84_box(box: Box) -> Node:
    """OWS Common: longitude first, and a box over the antimeridian has its west above its east."""
    return el(
        "ows:WGS84BoundingBox",
        el("ows:LowerCorner", f"{box.west} {box.south}"),
        el("ows:UpperCorner", f"{box.east} {box.north}"),
    )


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a request cannot be answered."""

    code: str
    text: str
    locator: str = ""
    status: int | None = None


def error_status(call: Call, trouble: Trouble) -> int:
    """Old servers say 200 and new ones 400; the seed decides."""
    return trouble.status or (400 if call.spec.seed % 2 else 200)


def ows_exception(call: Call, trouble: Trouble, ows: str, version: str) -> Reply:
    """An ows:ExceptionReport of the given version of OWS Common."""
    mark = {
        "exceptionCode": trouble.code,
        **({"locator": trouble.locator} if trouble.locator else {}),
    }
    language = "language" if ows == "1.0" else "xml:lang"
    root = el(
        "ows:ExceptionReport",
        {"version": version, language: "en"},
        el("ows:Exception", mark, el("ows:ExceptionText", trouble.text)),
    )
    body = write(root, {"ows": OWS[ows], "xsi": XSI}, call.content.flavour.style, "ows")
    return xml_reply(call, body, error_status(call, trouble))


def ogc_exception(call: Call, trouble: Trouble, version: str = "1.2.0") -> Reply:
    """The ogc:ServiceExceptionReport of WFS 1.0, WCS 1.0 and WMS 1.3.0."""
    mark = {
        "code": trouble.code,
        **({"locator": trouble.locator} if trouble.locator else {}),
    }
    root = el(
        "ogc:ServiceExceptionReport",
        {"version": version},
        el("ogc:ServiceException", mark, trouble.text),
    )
    body = write(
        root, {"ogc": "http://www.opengis.net/ogc"}, call.content.flavour.style, "ogc"
    )
    return xml_reply(call, body, error_status(call, trouble))


def xml_reply(
    call: Call, body: bytes, status: int = 200, media_type: str = ""
) -> Reply:
    encoding = call.content.flavour.style.encoding
    kind = media_type or ("application/xml" if call.spec.seed % 3 == 0 else "text/xml")
    server = call.content.flavour.server
    return Reply(
        status,
        f"{kind}; charset={encoding}",
        body,
        (("Server", server),) if server else (),
    )


Handler = Callable[[Call, str], Reply]
Report = Callable[[Call, Trouble, str], Reply]


def dispatch(
    call: Call,
    service: str,
    versions: Sequence[str],
    operations: Mapping[str, Handler],
    report: Report,
) -> Reply:
    """Settle the version, then hand the call to its operation, or report what is wrong with it."""
    supported = supported_versions(versions, call.spec.version)
    version = negotiate(supported, call.text("version"), call.text("acceptversions"))
    if version is None:
        text = "None of the accepted versions is spoken here"
        return report(
            call,
            Trouble("VersionNegotiationFailed", text, "acceptversions"),
            call.spec.version,
        )
    trouble = misdirected(call, service, tuple(operations))
    if trouble:
        return report(call, trouble, version)
    asked = call.text("request").lower()
    return next(
        handler for name, handler in operations.items() if name.lower() == asked
    )(call, version)


def misdirected(call: Call, service: str, operations: Sequence[str]) -> Trouble | None:
    """What is wrong with SERVICE and REQUEST, if anything."""
    asked = call.text("service")
    if asked and asked.upper() != service:
        return Trouble(
            "InvalidParameterValue", f"No such service: {asked[:100]}", "service"
        )
    request = call.text("request")
    if not request:
        return Trouble(
            "MissingParameterValue", "The parameter REQUEST is missing", "request"
        )
    if request.lower() not in {o.lower() for o in operations}:
        return Trouble(
            "OperationNotSupported",
            f"Operation {request[:100]} is not supported",
            request[:100],
        )
    return None
