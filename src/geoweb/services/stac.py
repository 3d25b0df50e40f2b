"""STAC: an API with search, and a static catalogue of files that point to each other."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

import orjson

from geoweb.protocol import Reply, ServiceSpec

from ._content import Offering
from ._drawing import draw_map
from ._features import Feature, as_geojson, corners, features_of, inside
from ._geotiff import draw_grid
from ._records import PROTOCOLS
from ._service import Call, Kind, Listed, json_reply, not_found, read_box

VERSIONS = ("1.0.0", "1.1.0")
API_PATHS = ("/stac/{name}/v1", "/{name}/stac", "/api/stac/{name}")
PATHS = (
    "/stac/{name}/catalog.json",
    "/{name}/catalog.json",
    "/data/{name}/stac/catalog.json",
)
GEOJSON = "application/geo+json"
CLASSES = (
    "https://api.stacspec.org/v1.0.0/core", "https://api.stacspec.org/v1.0.0/collections",
    "https://api.stacspec.org/v1.0.0/item-search", "https://api.stacspec.org/v1.0.0/ogcapi-features",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
)  # fmt: skip
MAX_ITEMS = 500


def answer_api(call: Call) -> Reply | None:
    match call.steps:
        case []:
            return json_reply(_landing(call))
        case ["conformance"]:
            return json_reply({"conformsTo": CLASSES})
        case ["api"]:
            return json_reply(
                _definition(call),
                content_type="application/vnd.oai.openapi+json;version=3.0",
            )
        case ["collections"]:
            found = [_collection(call, o, api=True) for o in call.content.offerings]
            links = [
                _link("self", f"{call.root}/collections"),
                _link("root", call.root),
            ]
            return json_reply({"collections": found, "links": links})
        case ["collections", name, *rest]:
            offering = call.content.find(name)
            return _below(call, offering, rest) if offering else not_found(name)
        case ["search"]:
            return _search(call)
    return not_found(call.below)


def _link(
    rel: str, href: str, kind: str = "application/json", **more: str
) -> dict[str, str]:
    return {"rel": rel, "href": href, "type": kind, **more}


def _landing(call: Call) -> dict[str, object]:
    root = call.root
    links = [
        _link("self", root),
        _link("root", root),
        _link("data", f"{root}/collections"),
        _link("conformance", f"{root}/conformance"),
        _link(
            "service-desc",
            f"{root}/api",
            "application/vnd.oai.openapi+json;version=3.0",
        ),
        _link("service-doc", f"{root}/api.html", "text/html"),
        _link("search", f"{root}/search", GEOJSON, method="GET"),
        _link("search", f"{root}/search", GEOJSON, method="POST"),
        *(
            _link("child", f"{root}/collections/{o.slug}", title=o.title)
            for o in call.content.offerings
        ),
    ]
    return {**_catalog(call), "conformsTo": CLASSES, "links": links}


def _catalog(call: Call) -> dict[str, object]:
    return {
        "type": "Catalog",
        "id": f"{call.content.workspace}-{call.spec.seed}",
        "stac_version": call.spec.version,
        "title": call.content.title,
        "description": call.content.abstract,
    }


def _definition(call: Call) -> dict[str, object]:
    good = {"get": {"responses": {"200": {"description": "Success"}}}}
    info = {"title": call.content.title, "version": "1.0.0"}
    return {
        "openapi": "3.0.3",
        "info": info,
        "paths": dict.fromkeys(("/", "/collections", "/search"), good),
    }


def _service_assets(listed: tuple[Listed, ...]) -> dict[str, object]:
    """Other services as assets, as catalogues of imagery point to their map services."""
    return {
        f"{other.spec.kind}-{other.spec.seed}": {
            "href": other.url,
            "title": PROTOCOLS.get(other.spec.kind, other.spec.kind),
            "roles": ["visual"],
        }
        for other in listed
    }


def _collection(call: Call, offering: Offering, api: bool) -> dict[str, object]:
    root = f"{call.root}/collections/{offering.slug}" if api else "."
    if api:
        links = [
            _link("self", root),
            _link("root", call.root),
            _link("parent", call.root),
            _link("items", f"{root}/items", GEOJSON),
        ]
    else:
        items = [
            _link("item", f"./{f.id}/{f.id}.json", GEOJSON)
            for f in _items_of(call, offering)
        ]
        links = [
            _link("root", "../catalog.json"),
            _link("parent", "../catalog.json"),
            *items,
        ]
    first = offering.number == 0
    return {
        "type": "Collection",
        "id": offering.slug,
        "stac_version": call.spec.version,
        "title": offering.title,
        "description": offering.abstract or offering.title,
        "keywords": list(offering.keywords),
        "license": ("CC-BY-4.0", "proprietary", "other")[call.spec.seed % 3],
        "providers": [
            {"name": call.content.organisation, "roles": ["producer", "host"]}
        ],
        "extent": {
            "spatial": {"bbox": [list(offering.box.as_tuple())]},
            "temporal": {
                "interval": [list(offering.times or ("2015-01-01T00:00:00Z", None))]
            },
        },
        "links": links,
        **({"assets": _service_assets(call.listed)} if first and call.listed else {}),
    }


def _items_of(call: Call, offering: Offering) -> tuple[Feature, ...]:
    return features_of(call.spec, offering)[:40]


def _item(
    call: Call, offering: Offering, feature: Feature, api: bool
) -> dict[str, object]:
    root = f"{call.root}/collections/{offering.slug}" if api else ".."
    own = f"{root}/items/{feature.id}" if api else f"./{feature.id}.json"
    above = root if api else "../collection.json"
    base = f"{own}/" if api else "./"
    xs, ys = [p[0] for p in feature.points], [p[1] for p in feature.points]
    found = as_geojson(
        feature,
        stac_version=call.spec.version,
        stac_extensions=[],
        collection=offering.slug,
    )
    properties = found["properties"]
    if isinstance(properties, dict):
        properties["datetime"] = feature.date
    found["bbox"] = [min(xs), min(ys), max(xs), max(ys)]
    found["links"] = [
        _link("self", own, GEOJSON), _link("collection", above), _link("parent", above),
        _link("root", call.root if api else "../../catalog.json"),
    ]  # fmt: skip
    found["assets"] = {
        "data": {
            "href": f"{base}data.tif",
            "type": "image/tiff; application=geotiff",
            "roles": ["data"],
        },
        "thumbnail": {
            "href": f"{base}thumbnail.png",
            "type": "image/png",
            "roles": ["thumbnail"],
        },
    }
    return found


def _asset(call: Call, offering: Offering, name: str) -> Reply:
    box = corners(offering.box)
    if name == "data.tif":
        return Reply(
            200,
            "image/tiff; application=geotiff",
            draw_grid(f"{call.spec.seed} {offering.slug}", box, 32, 32),
        )
    if name == "thumbnail.png":
        return Reply(
            200,
            "image/png",
            draw_map(f"{call.spec.seed} {offering.slug}", box, (128, 128), "image/png"),
        )
    return not_found(name)


def _below(call: Call, offering: Offering, rest: list[str]) -> Reply:
    match rest:
        case []:
            return json_reply(_collection(call, offering, api=True))
        case ["items"]:
            found = inside(_items_of(call, offering), read_box(call.text("bbox")))
            return _page(
                call,
                [(offering, f) for f in found],
                f"{call.root}/collections/{offering.slug}/items",
            )
        case ["items", name, *asset]:
            feature = next((f for f in _items_of(call, offering) if f.id == name), None)
            if feature is None or len(asset) > 1:
                return not_found(name)
            if asset:
                return _asset(call, offering, asset[0])
            return json_reply(
                _item(call, offering, feature, api=True), content_type=GEOJSON
            )
    return not_found("/".join(rest))


def _search(call: Call) -> Reply:
    wanted, box = call.text("collections"), read_box(call.text("bbox"))
    if call.request.method == "POST":
        try:
            asked = orjson.loads(call.request.body or b"{}")
        except orjson.JSONDecodeError:
            return json_reply(
                {"code": "BadRequest", "description": "The body is no JSON"}, 400
            )
        if not isinstance(asked, dict):
            return json_reply(
                {"code": "BadRequest", "description": "The body is no object"}, 400
            )
        if isinstance(asked.get("collections"), list):
            wanted = ",".join(c for c in asked["collections"] if isinstance(c, str))
        if isinstance(asked.get("bbox"), list):
            box = read_box(",".join(str(v) for v in asked["bbox"][:4]))
    kept = set(wanted.split(",")) if wanted else None
    offerings = [o for o in call.content.offerings if kept is None or o.slug in kept]
    found = [(o, f) for o in offerings for f in inside(_items_of(call, o), box)]
    return _page(call, found, f"{call.root}/search")


def _page(call: Call, found: list[tuple[Offering, Feature]], url: str) -> Reply:
    limit = max(1, call.number("limit", 10, MAX_ITEMS))
    offset = call.number("token", 0, 10**6)
    shown = found[offset : offset + limit]
    links = [_link("self", url, GEOJSON), _link("root", call.root)]
    if offset + limit < len(found):
        kept = {
            k.lower(): v
            for k, v in call.params.items()
            if k in ("BBOX", "COLLECTIONS", "DATETIME")
        }
        query = urlencode({**kept, "limit": limit, "token": offset + limit})
        links.append(_link("next", f"{url}?{query}", GEOJSON, method="GET"))
    features = [_item(call, o, f, api=True) for o, f in shown]
    counts = {"numberMatched": len(found), "numberReturned": len(shown)}
    return json_reply(
        {"type": "FeatureCollection", "features": features, "links": links, **counts},
        content_type=GEOJSON,
    )


def _beside(spec: ServiceSpec, path: str) -> str | None:
    own = urlsplit(spec.endpoint).path.rpartition("/")[0]
    return path[len(own) + 1 :] if path.startswith(own + "/") else None


def answer_static(call: Call) -> Reply | None:
    match call.steps:
        case ["catalog.json"]:
            children = [
                _link("child", f"./{o.slug}/collection.json", title=o.title)
                for o in call.content.offerings
            ]
            links = [_link("root", "./catalog.json"), *children]
            return json_reply({**_catalog(call), "links": links})
        case [name, *rest]:
            offering = call.content.find(name)
            return _file(call, offering, rest) if offering else not_found(name)
    return not_found(call.below)


def _file(call: Call, offering: Offering, rest: list[str]) -> Reply:
    if rest == ["collection.json"]:
        return json_reply(_collection(call, offering, api=False))
    feature = (
        next((f for f in _items_of(call, offering) if f.id == rest[0]), None)
        if len(rest) == 2
        else None
    )
    if feature is None:
        return not_found("/".join(rest))
    if rest[1] == f"{feature.id}.json":
        return json_reply(_item(call, offering, feature, api=False))
    return _asset(call, offering, rest[1])


def _endpoint(spec: ServiceSpec) -> str:
    return spec.endpoint


FAMILY = {
    "stac-api": Kind(VERSIONS, API_PATHS, answer_api, _endpoint),
    "stac": Kind(VERSIONS, PATHS, answer_static, _endpoint, below=_beside),
}
