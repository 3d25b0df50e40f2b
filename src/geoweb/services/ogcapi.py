"""The OGC APIs: landing page, conformance, definition, collections; what lies below them is in `_ogcapi`."""

from __future__ import annotations

from geoweb.protocol import Reply, ServiceSpec

from . import _ogcapi as resources
from ._content import Offering, content_of
from ._service import Call, Kind, html_reply, json_reply, not_found
from ._xml import escape

REL = "http://www.opengis.net/def/rel/ogc/1.0/"
CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
_SPEC = "http://www.opengis.net/spec/"
_COMMON = (
    f"{_SPEC}ogcapi-common-1/1.0/conf/core",
    f"{_SPEC}ogcapi-common-2/1.0/conf/collections",
)
# Conformance classes; {v} is the version of the standard that the service speaks.
CLASSES: dict[str, tuple[str, ...]] = {
    "features": ("ogcapi-features-1/{v}/conf/core", "ogcapi-features-1/{v}/conf/geojson",
    "ogcapi-features-1/{v}/conf/oas30"),
    "tiles": ("ogcapi-tiles-1/{v}/conf/core", "ogcapi-tiles-1/{v}/conf/tileset",
    "ogcapi-tiles-1/{v}/conf/tilesets-list"),
    "maps": ("ogcapi-maps-1/{v}/conf/core", "ogcapi-maps-1/{v}/conf/collection-map"),
    "coverages": ("ogcapi-coverages-1/{v}/conf/core", "ogcapi-coverages-1/{v}/conf/geodata-coverage"),
    "records": (
        "ogcapi-records-1/{v}/conf/core", "ogcapi-records-1/{v}/conf/record-core",
        "ogcapi-records-1/{v}/conf/record-collection", "ogcapi-records-1/{v}/conf/record-api",
    ),
    "processes": ("ogcapi-processes-1/{v}/conf/core", "ogcapi-processes-1/{v}/conf/json"),
    "edr": ("ogcapi-edr-1/{v}/conf/core", "ogcapi-edr-1/{v}/conf/collections",
    "ogcapi-edr-1/{v}/conf/geojson"),
    "styles": ("ogcapi-styles-1/{v}/conf/core", "ogcapi-styles-1/{v}/conf/mapbox-styles"),
}  # fmt: skip
VERSIONS = {
    "features": ("1.0",), "tiles": ("1.0",), "maps": ("1.0",), "coverages": ("0.0", "1.0"),
    "records": ("1.0",),
    "processes": ("1.0", "2.0"), "edr": ("1.0", "1.1"), "styles": ("0.0", "1.0"),
}  # fmt: skip
PATHS = (
    "/ogcapi/{name}",
    "/pygeoapi/{name}",
    "/geoserver/{name}/ogc/{part}/v1",
    "/{name}/api/v1",
    "/rest/services/{name}",
)


def part_of(spec: ServiceSpec) -> str:
    return spec.kind.removeprefix("ogcapi-")


def answer(call: Call) -> Reply | None:
    match call.steps:
        case []:
            return (
                _landing_html(call) if wants_html(call) else json_reply(landing(call))
            )
        case ["conformance"]:
            return json_reply({"conformsTo": conformance(call)})
        case ["api"]:
            return json_reply(
                definition(call),
                content_type="application/vnd.oai.openapi+json;version=3.0",
            )
        case ["collections"] if part_of(call.spec) not in ("processes", "styles"):
            return json_reply(collections(call))
        case ["collections", name, *rest] if part_of(call.spec) not in (
            "processes",
            "styles",
        ):
            offering = find(call, name)
            if offering is None:
                return not_found(name)
            return (
                resources.below_collection(call, offering, rest)
                if rest
                else json_reply(collection(call, offering))
            )
        case ["processes" | "jobs", *rest] if part_of(call.spec) == "processes":
            return resources.processes(call, rest)
        case ["styles", *rest] if part_of(call.spec) == "styles":
            return resources.styles(call, rest)
        case ["tileMatrixSets", *rest] if part_of(call.spec) == "tiles":
            return resources.matrix_sets(call, rest)
    return not_found(call.below)


def wants_html(call: Call) -> bool:
    asked = call.text("f").lower()
    return asked == "html" or (
        not asked and "text/html" in call.request.headers.get("accept", "")
    )


def link(
    href: str, rel: str, kind: str = "application/json", title: str = ""
) -> dict[str, str]:
    found = {"href": href, "rel": rel, "type": kind}
    return {**found, "title": title} if title else found


def conformance(call: Call) -> list[str]:
    part = part_of(call.spec)
    own = [_SPEC + c.format(v=call.spec.version) for c in CLASSES[part]]
    # A service of another part often serves features too; here each claims what it is and nothing else.
    return [*(() if part == "features" and call.spec.seed % 2 else _COMMON), *own]


def landing(call: Call) -> dict[str, object]:
    c, root, part = call.content, call.root, part_of(call.spec)
    links = [
        link(f"{root}/?f=json", "self", title="This document"),
        link(f"{root}/?f=html", "alternate", "text/html"),
        link(
            f"{root}/api",
            "service-desc",
            "application/vnd.oai.openapi+json;version=3.0",
        ),
        link(f"{root}/api?f=html", "service-doc", "text/html"),
        link(f"{root}/conformance", "conformance"),
    ]
    if call.spec.seed % 2:
        links.append(link(f"{root}/conformance", REL + "conformance"))
    if part in ("processes", "styles"):
        links.append(link(f"{root}/{part}", REL + part))
    else:
        links.append(link(f"{root}/collections", "data"))
    found: dict[str, object] = {
        "title": c.title,
        "description": c.abstract,
        "attribution": c.organisation,
        "links": links,
    }
    if part == "edr":
        found["keywords"] = list(c.keywords)
        found["provider"] = {"name": c.organisation, "url": root}
        found["contact"] = {"email": c.email, "city": c.city, "country": c.country}
    return found


def _landing_html(call: Call) -> Reply:
    page = landing(call)
    links = page["links"]
    items = ""
    if isinstance(links, list):
        items = "".join(
            f'<li><a href="{escape(i["href"])}" rel="{i["rel"]}">{i["rel"]}</a></li>'
            for i in links
        )
    title = escape(call.content.title)
    head = f'<link rel="alternate" type="application/json" href="{escape(call.root)}/?f=json">'
    return html_reply(title, f"<h1>{title}</h1><ul>{items}</ul>", head=head)


def definition(call: Call) -> dict[str, object]:
    paths = [
        "/",
        "/conformance",
        "/collections",
        "/collections/{collectionId}",
        "/collections/{collectionId}/items",
    ]
    if part_of(call.spec) == "processes":
        paths = [
            "/",
            "/conformance",
            "/processes",
            "/processes/{processId}",
            "/processes/{processId}/execution",
        ]
    good = {"responses": {"200": {"description": "Success"}}}
    return {
        "openapi": "3.0.3",
        "info": {
            "title": call.content.title,
            "version": "1.0.0",
            "contact": {"email": call.content.email},
        },
        "servers": [{"url": call.root}],
        "paths": {path: {"get": good} for path in paths},
    }


def shown(call: Call) -> tuple[Offering, ...]:
    """The collections; a catalogue of records has one."""
    return (
        call.content.offerings[:1]
        if part_of(call.spec) == "records"
        else call.content.offerings
    )


def find(call: Call, name: str) -> Offering | None:
    return next((o for o in shown(call) if o.slug == name), None)


def collections(call: Call) -> dict[str, object]:
    return {
        "links": [link(f"{call.root}/collections", "self")],
        "collections": [collection(call, o) for o in shown(call)],
    }


def collection(call: Call, offering: Offering) -> dict[str, object]:
    part, root = part_of(call.spec), f"{call.root}/collections/{offering.slug}"
    found: dict[str, object] = {
        "id": offering.slug,
        "title": offering.title,
        "description": offering.abstract or offering.title,
        "keywords": list(offering.keywords),
        "extent": {
            "spatial": {"bbox": [list(offering.box.as_tuple())], "crs": CRS84},
            "temporal": {"interval": [list(offering.times or (None, None))]},
        },
        "links": [link(root, "self"), *resources.collection_links(part, root)],
        "crs": [CRS84, "http://www.opengis.net/def/crs/EPSG/0/4326"],
    }
    if part in ("features", "records"):
        found["itemType"] = "feature" if part == "features" else "record"
    if part == "edr":
        found |= resources.edr_members(root)
    return found


def request_url(spec: ServiceSpec) -> str:
    return spec.endpoint + ("?f=json" if spec.seed % 2 else "")


def names(spec: ServiceSpec) -> tuple[str, ...]:
    offerings = content_of(spec).offerings
    if spec.kind == "ogcapi-processes":
        return tuple(resources.process_id(o) for o in offerings)
    return tuple(
        o.slug for o in (offerings[:1] if spec.kind == "ogcapi-records" else offerings)
    )


FAMILY = {
    f"ogcapi-{part}": Kind(
        VERSIONS[part],
        tuple(p.replace("{part}", part) for p in PATHS),
        answer,
        request_url,
        names,
        has_box=part not in ("processes", "styles"),
    )
    for part in CLASSES
}
