"""Context documents, which put layers of other services together: Web Map Context and OWS Context."""

from __future__ import annotations

from dataclasses import dataclass

from geoweb.protocol import Reply, ServiceSpec

from . import wfs
from ._content import content_of
from ._features import corners
from ._ows import XLINK, XSI, link
from ._records import PROTOCOLS
from ._service import Call, Kind, Listed, json_reply, with_query
from ._wms_capabilities import names as wms_names
from ._xml import Node, Style, el, write
from .feeds import ATOM, georss

WMC_PATHS = ("/contexts/{name}.xml", "/{name}/context.wmc", "/wmc/{name}.xml")
OWC_PATHS = ("/owc/{name}", "/contexts/{name}/owc", "/{name}/context")
OFFERING = "http://www.opengis.net/spec/owc{form}/1.0/req/{kind}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One layer of a context: where it comes from and what it is called there."""

    kind: str
    version: str
    endpoint: str
    request: str
    service_title: str
    name: str
    title: str


def entries_of(call: Call) -> list[Entry]:
    """The first layers of the services listed; without any, layers of the host's own WMS."""
    if not call.listed:
        site = "/".join(call.spec.endpoint.split("/")[:3])
        c = call.content
        own = with_query(f"{site}/wms", "SERVICE=WMS&REQUEST=GetCapabilities")
        return [
            Entry("wms", "1.1.1", f"{site}/wms", own, c.title, o.slug, o.title)
            for o in c.offerings
        ]
    return [entry for listed in call.listed for entry in _entries(listed)]


def _entries(listed: Listed) -> list[Entry]:
    spec = listed.spec
    content = content_of(spec)
    found: tuple[str, ...] = (content.offerings[0].slug,)
    if spec.kind in ("wms", "wfs"):
        found = (wms_names(spec) if spec.kind == "wms" else wfs.type_names(spec))[:3]
    return [
        Entry(
            spec.kind,
            spec.version,
            spec.endpoint,
            listed.url,
            content.title,
            name,
            name,
        )
        for name in found
    ]


def answer_wmc(call: Call) -> Reply | None:
    if call.below:
        return None
    c = call.content
    west, south, east, north = corners(c.box)
    box = {
        "SRS": "EPSG:4326",
        "minx": str(west),
        "miny": str(south),
        "maxx": str(east),
        "maxy": str(north),
    }
    general = el(
        "wmc:General",
        el("wmc:Window", {"width": "800", "height": "600"}),
        el("wmc:BoundingBox", box),
        el("wmc:Title", c.title),
        el("wmc:KeywordList", [el("wmc:Keyword", k) for k in c.keywords]),
        el("wmc:Abstract", c.abstract),
    )
    layers = [_wmc_layer(e) for e in entries_of(call) if e.kind == "wms"]
    marks = {"id": c.workspace, "version": call.spec.version}
    root = el("wmc:ViewContext", marks, general, el("wmc:LayerList", layers))
    spaces = {"wmc": "http://www.opengis.net/context", "xlink": XLINK, "xsi": XSI}
    return Reply(
        200,
        "text/xml; charset=UTF-8",
        write(root, spaces, Style("  ", c.flavour.style.prefixed), "wmc"),
    )


def _wmc_layer(entry: Entry) -> Node:
    mark = {
        "service": "OGC:WMS",
        "version": entry.version,
        "title": entry.service_title,
    }
    server = el("wmc:Server", mark, link("wmc:OnlineResource", entry.endpoint))
    formats = el("wmc:FormatList", el("wmc:Format", {"current": "1"}, "image/png"))
    words = el("wmc:Name", entry.name), el("wmc:Title", entry.title)
    return el(
        "wmc:Layer",
        {"queryable": "0", "hidden": "0"},
        server,
        words,
        el("wmc:SRS", "EPSG:4326"),
        formats,
    )


def answer_owc(call: Call) -> Reply | None:
    if call.below:
        return None
    return _owc_json(call) if is_json(call.spec) else _owc_atom(call)


def is_json(spec: ServiceSpec) -> bool:
    return spec.seed % 2 == 0


def _owc_json(call: Call) -> Reply:
    c = call.content
    profile = {
        "rel": "profile",
        "href": "http://www.opengis.net/spec/owc-geojson/1.0/req/core",
    }
    features = [
        {
            "type": "Feature",
            "id": f"{e.endpoint}#{e.name}",
            "geometry": None,
            "properties": {
                "title": e.title,
                "updated": c.updated,
                "offerings": [
                    {
                        "code": OFFERING.format(form="-geojson", kind=e.kind),
                        "operations": [
                            {
                                "code": "GetCapabilities",
                                "method": "GET",
                                "type": "application/xml",
                                "href": e.request,
                            }
                        ],
                    }
                ],
            },
        }
        for e in entries_of(call)
    ]
    properties = {
        "title": c.title, "subtitle": c.abstract, "updated": c.updated, "lang": c.language,
        "rights": c.constraints,
        "authors": [{"name": c.organisation}], "links": {"profiles": [profile]},
    }  # fmt: skip
    document = {
        "type": "FeatureCollection",
        "id": call.spec.endpoint,
        "bbox": list(c.box.as_tuple()),
    }
    return json_reply(
        {**document, "properties": properties, "features": features},
        content_type="application/geo+json",
    )


def _owc_atom(call: Call) -> Reply:
    c = call.content
    entries = [
        el(
            "entry",
            el("id", f"{e.endpoint}#{e.name}"),
            el("title", e.title),
            el("updated", c.updated),
            el("content", {"type": "text"}, PROTOCOLS.get(e.kind, e.kind)),
            el(
                "owc:offering",
                {"code": OFFERING.format(form="", kind=e.kind)},
                el(
                    "owc:operation",
                    {
                        "code": "GetCapabilities",
                        "method": "GET",
                        "type": "application/xml",
                        "href": e.request,
                    },
                ),
            ),
        )
        for e in entries_of(call)
    ]
    root = el(
        "feed",
        {"xmlns": ATOM, "xml:lang": c.language},
        el(
            "link",
            {
                "rel": "profile",
                "href": "http://www.opengis.net/spec/owc-atom/1.0/req/core",
            },
        ),
        el("id", call.spec.endpoint),
        el("title", c.title),
        el("subtitle", c.abstract),
        el("updated", c.updated),
        el("author", el("name", c.organisation)),
        el("rights", c.constraints),
        el("georss:where", _gml_box(call)),
        entries,
    )
    spaces = {
        "owc": "http://www.opengis.net/owc/1.0", "georss": "http://www.georss.org/georss",
        "gml": "http://www.opengis.net/gml",
    }  # fmt: skip
    return Reply(
        200, "application/atom+xml; charset=UTF-8", write(root, spaces, Style("  "))
    )


def _gml_box(call: Call) -> Node:
    ring = georss(call.content.box).children[0]
    return el(
        "gml:Polygon", el("gml:exterior", el("gml:LinearRing", el("gml:posList", ring)))
    )


def _endpoint(spec: ServiceSpec) -> str:
    return spec.endpoint


def _titles(spec: ServiceSpec) -> tuple[str, ...]:
    return tuple(o.title for o in content_of(spec).offerings)


FAMILY = {
    "wmc": Kind(("1.0.0", "1.1.0"), WMC_PATHS, answer_wmc, _endpoint),
    "owc": Kind(("1.0",), OWC_PATHS, answer_owc, _endpoint, _titles),
}
