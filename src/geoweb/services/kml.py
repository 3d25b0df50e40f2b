"""KML: a document of network links, each leading to a file of placemarks."""

from __future__ import annotations

from urllib.parse import quote

from geoweb.protocol import Reply, ServiceSpec

from ._content import Offering, content_of
from ._features import Feature, corners, features_of
from ._service import Call, Kind, with_query
from ._wms_capabilities import names as wms_names
from ._xml import Node, Style, el, write
from .feeds import beside, folder_of

PATHS = ("/kml/{name}/doc.kml", "/{name}/kml/network.kml", "/earth/{name}/index.kml")
NAMESPACE = "http://www.opengis.net/kml/2.2"


def _reply(document: Node) -> Reply:
    root = el("kml", {"xmlns": NAMESPACE}, document)
    return Reply(
        200,
        "application/vnd.google-earth.kml+xml; charset=UTF-8",
        write(root, {}, Style("  ")),
    )


def answer(call: Call) -> Reply | None:
    if not call.below:
        return _reply(_network(call))
    offering = call.content.find(call.below.removesuffix(".kml"))
    if offering is None:
        return Reply(404, "text/plain", b"Not found")
    marks = [_placemark(f) for f in features_of(call.spec, offering)]
    return _reply(el("Document", el("name", offering.title), marks))


def _network(call: Call) -> Node:
    c, root = call.content, folder_of(call)
    links = [
        el(
            "NetworkLink",
            {"id": o.slug},
            el("name", o.title),
            el("description", o.abstract) if o.abstract else None,
            el("Region", _box("LatLonAltBox", o)),
            el(
                "Link",
                el("href", f"{root}/{o.slug}.kml"),
                el("refreshMode", "onInterval"),
            ),
        )
        for o in c.offerings
    ]
    overlays = [
        _overlay(other.spec) for other in call.listed if other.spec.kind == "wms"
    ]
    return el(
        "Document", el("name", c.title), el("description", c.abstract), links, overlays
    )


def _box(tag: str, offering: Offering) -> Node:
    west, south, east, north = corners(offering.box)
    sides = ("north", north), ("south", south), ("east", east), ("west", west)
    return el(tag, [el(name, str(value)) for name, value in sides])


def _overlay(spec: ServiceSpec) -> Node:
    """A WMS laid over the globe, as KML files on the Web do it."""
    content = content_of(spec)
    west, south, east, north = corners(content.box)
    layer = wms_names(spec)[0]
    query = (
        "SERVICE=WMS&VERSION=1.1.1&REQUEST=GetMap&SRS=EPSG:4326&FORMAT=image/png&TRANSPARENT=TRUE&STYLES="
        f"&WIDTH=512&HEIGHT=512&LAYERS={quote(layer)}&BBOX={west},{south},{east},{north}"
    )
    icon = el("Icon", el("href", with_query(spec.endpoint, query)))
    return el(
        "GroundOverlay",
        el("name", content.title),
        icon,
        _box("LatLonBox", content.offerings[0]),
    )


def _placemark(feature: Feature) -> Node:
    place = el("coordinates", " ".join(f"{x},{y},0" for x, y in feature.points))
    shapes = {
        "point": el("Point", place),
        "line": el("LineString", place),
        "polygon": el("Polygon", el("outerBoundaryIs", el("LinearRing", place))),
    }
    words = el("name", feature.name), el("description", str(feature.value))
    return el("Placemark", {"id": feature.id}, words, shapes[feature.shape])


def _endpoint(spec: ServiceSpec) -> str:
    return spec.endpoint


def _titles(spec: ServiceSpec) -> tuple[str, ...]:
    return tuple(o.title for o in content_of(spec).offerings)


FAMILY = {"kml": Kind(("2.2",), PATHS, answer, _endpoint, _titles, below=beside)}
