"""What lies below the landing page of an OGC API: items, tiles, maps, queries, processes, styles."""

from __future__ import annotations

from urllib.parse import urlencode

from geoweb.protocol import Reply

from ._content import Offering
from ._drawing import draw_map
from ._features import Feature, as_geojson, corners, features_of, inside
from ._geotiff import draw_grid
from ._mvt import draw_vector_tile
from ._records import Record, records_of
from ._service import Call, json_reply, not_found, read_box
from ._tiling import HALF_M, MAX_ZOOM, SCALE_0, is_tile, read_place

GEOJSON = "application/geo+json"
REL = "http://www.opengis.net/def/rel/ogc/1.0/"
SET = "WebMercatorQuad"
QUERIES = ("position", "area", "cube", "locations")
MAX_ITEMS = 1000


def collection_links(part: str, root: str) -> list[dict[str, str]]:
    """The links of a collection to what it offers."""
    rels = {
        "features": ("items", "items", GEOJSON),
        "records": ("items", "items", GEOJSON),
        "tiles": ("tiles", REL + "tilesets-vector", "application/json"),
        "maps": ("map", REL + "map", "image/png"),
        "coverages": ("coverage", REL + "coverage", "image/tiff; application=geotiff"),
        "edr": ("position", "data", "application/prs.coverage+json"),
    }
    path, rel, kind = rels[part]
    return [{"href": f"{root}/{path}", "rel": rel, "type": kind}]


def below_collection(call: Call, offering: Offering, rest: list[str]) -> Reply:
    part = call.spec.kind.removeprefix("ogcapi-")
    match part, rest:
        case "features", ["items"]:
            return _items(call, offering)
        case "features", ["items", name]:
            return _one(
                name, {f.id: as_geojson(f) for f in features_of(call.spec, offering)}
            )
        case "records", ["items"]:
            return _records(call)
        case "records", ["items", name]:
            return _one(name, {r.id: record_json(r) for r in records_of(call)})
        case "tiles", ["tiles", *inner]:
            return _tiles(call, offering, inner)
        case "maps", ["map"]:
            return _map(call, offering)
        case "coverages", ["coverage"]:
            return _coverage(call, offering)
        case "coverages", ["schema"]:
            band = {"title": offering.title, "type": "number", "x-ogc-propertySeq": 1}
            return json_reply(
                {"type": "object", "properties": {"band1": band}},
                content_type="application/schema+json",
            )
        case "edr", [query, *inner] if query in QUERIES:
            return _query(call, offering, [query, *inner])
    return not_found("/".join(rest))


def _one(name: str, known: dict[str, dict[str, object]]) -> Reply:
    return (
        json_reply(known[name], content_type=GEOJSON)
        if name in known
        else not_found(name)
    )


def _page(call: Call, things: list[dict[str, object]], url: str) -> Reply:
    """A page of a feature collection, with links to the pages beside it."""
    limit = max(1, call.number("limit", 10, MAX_ITEMS))
    offset = call.number("offset", 0, 10**6)
    shown = things[offset : offset + limit]
    kept = {
        k.lower(): v
        for k, v in call.params.items()
        if k in ("BBOX", "Q", "F", "DATETIME")
    }

    def page(start: int, rel: str) -> dict[str, str]:
        query = urlencode({**kept, "limit": limit, "offset": start})
        return {"href": f"{url}?{query}", "rel": rel, "type": GEOJSON}

    links = [page(offset, "self")]
    if offset + limit < len(things):
        links.append(page(offset + limit, "next"))
    if offset:
        links.append(page(max(0, offset - limit), "prev"))
    found = {
        "type": "FeatureCollection",
        "features": shown,
        "links": links,
        "timeStamp": call.content.updated,
    }
    return json_reply(
        {**found, "numberMatched": len(things), "numberReturned": len(shown)},
        content_type=GEOJSON,
    )


def _bad(text: str) -> Reply:
    return json_reply({"code": "InvalidParameterValue", "description": text}, 400)


def _items(call: Call, offering: Offering) -> Reply:
    box = read_box(call.text("bbox"))
    if call.text("bbox") and box is None:
        return _bad("bbox needs four numbers")
    found: list[Feature] = inside(features_of(call.spec, offering), box)
    return _page(
        call,
        [as_geojson(f) for f in found],
        f"{call.root}/collections/{offering.slug}/items",
    )


def _records(call: Call) -> Reply:
    words = [w.lower() for w in call.text("q").replace(",", " ").split()[:10]]
    found = [
        record_json(r) for r in records_of(call) if all(w in r.text for w in words)
    ]
    return _page(
        call, found, f"{call.root}/collections/{call.content.offerings[0].slug}/items"
    )


def record_json(record: Record) -> dict[str, object]:
    """A record as OGC API - Records writes it."""
    west, south, east, north = corners(record.box)
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {
        "type": "Feature",
        "id": record.id,
        "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"],
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "time": None,
        "properties": {
            "type": record.type, "title": record.title, "description": record.abstract,
            "updated": record.date,
            "keywords": list(record.subjects), "rights": record.rights,
        },
        "links": [{"href": url, "rel": "item", "title": name, "protocol": p} for p, name,
        url in record.links],
    }  # fmt: skip


def _tiles(call: Call, offering: Offering, rest: list[str]) -> Reply:
    root = f"{call.root}/collections/{offering.slug}/tiles"
    template = {
        "href": f"{root}/{SET}/{{tileMatrix}}/{{tileRow}}/{{tileCol}}",
        "rel": "item",
        "templated": True,
    }
    tileset = {
        "title": offering.title,
        "tileMatrixSetURI": f"http://www.opengis.net/def/tilematrixset/OGC/1.0/{SET}",
        "crs": "http://www.opengis.net/def/crs/EPSG/0/3857",
        "dataType": "vector",
        "links": [
            {"href": f"{root}/{SET}", "rel": "self"},
            {**template, "type": "application/vnd.mapbox-vector-tile"},
        ],
    }
    match rest:
        case []:
            return json_reply(
                {"tilesets": [tileset], "links": [{"href": root, "rel": "self"}]}
            )
        case [name] if name == SET:
            return json_reply(tileset)
        case [name, zoom, row, column] if name == SET:
            place = read_place(zoom, column, row)
            if place is None or not is_tile(*place):
                return not_found("/".join(rest))
            tile = draw_vector_tile(
                [(offering.slug, list(features_of(call.spec, offering)))], place
            )
            return Reply(200, "application/vnd.mapbox-vector-tile", tile)
    return not_found("/".join(rest))


def matrix_sets(call: Call, rest: list[str]) -> Reply:
    root = f"{call.root}/tileMatrixSets"
    if not rest:
        one = {
            "id": SET,
            "links": [
                {"href": f"{root}/{SET}", "rel": "self", "type": "application/json"}
            ],
        }
        return json_reply({"tileMatrixSets": [one]})
    if rest != [SET]:
        return not_found("/".join(rest))
    matrices = [
        {
            "id": str(z), "scaleDenominator": SCALE_0 / (1 << z), "cellSize": 2 * HALF_M / 256 / (1 << z),
            "pointOfOrigin": [-HALF_M, HALF_M], "tileWidth": 256, "tileHeight": 256,
            "matrixWidth": 1 << z, "matrixHeight": 1 << z,
        }
        for z in range(MAX_ZOOM + 1)
    ]  # fmt: skip
    crs = "http://www.opengis.net/def/crs/EPSG/0/3857"
    return json_reply({"id": SET, "title": SET, "crs": crs, "tileMatrices": matrices})


def _window(call: Call, offering: Offering) -> tuple[float, float, float, float] | None:
    box = read_box(call.text("bbox")) if call.text("bbox") else corners(offering.box)
    return box if box and box[0] < box[2] and box[1] < box[3] else None


def _map(call: Call, offering: Offering) -> Reply:
    box = _window(call, offering)
    if box is None:
        return _bad("bbox is empty")
    kind = (
        "image/jpeg"
        if "jpeg" in call.text("f") or "jpg" in call.text("f")
        else "image/png"
    )
    size = (
        call.number("width", 512, 2048) or 512,
        call.number("height", 256, 2048) or 256,
    )
    return Reply(
        200, kind, draw_map(f"{call.spec.seed} {offering.slug}", box, size, kind)
    )


def _coverage(call: Call, offering: Offering) -> Reply:
    box = _window(call, offering)
    if box is None:
        return _bad("bbox is empty")
    return Reply(
        200,
        "image/tiff; application=geotiff",
        draw_grid(f"{call.spec.seed} {offering.slug}", box, 64, 64),
    )


def edr_members(root: str) -> dict[str, object]:
    """What EDR adds to a collection: its queries, formats and parameters."""
    queries = {
        name: {
            "link": {
                "href": f"{root}/{name}",
                "rel": "data",
                "variables": {"query_type": name},
            }
        }
        for name in QUERIES
    }
    observed = {"label": {"en": "value"}, "id": "value"}
    return {
        "data_queries": queries,
        "output_formats": ["CoverageJSON", "GeoJSON"],
        "parameter_names": {
            "value": {"type": "Parameter", "observedProperty": observed}
        },
    }


def _query(call: Call, offering: Offering, rest: list[str]) -> Reply:
    features = features_of(call.spec, offering)
    if rest == ["locations"]:
        places = [as_geojson(f) for f in features[:20]]
        return json_reply(
            {"type": "FeatureCollection", "features": places}, content_type=GEOJSON
        )
    if rest[0] in ("position", "area") and not call.text("coords"):
        return _bad("coords is missing")
    if rest[0] == "cube" and read_box(call.text("bbox")) is None:
        return _bad("bbox is missing")
    feature = next((f for f in features if f.id == rest[-1]), features[0])
    x, y = feature.points[0]
    axes = {"x": {"values": [x]}, "y": {"values": [y]}, "t": {"values": [feature.date]}}
    values = {
        "type": "NdArray",
        "dataType": "float",
        "axisNames": ["t"],
        "shape": [1],
        "values": [feature.value],
    }
    system = {
        "type": "GeographicCRS",
        "id": "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
    }
    domain = {
        "type": "Domain", "domainType": "PointSeries", "axes": axes,
        "referencing": [{"coordinates": ["x", "y"], "system": system}],
    }  # fmt: skip
    parameter = {"type": "Parameter", "observedProperty": {"label": {"en": "value"}}}
    found = {
        "type": "Coverage",
        "domain": domain,
        "parameters": {"value": parameter},
        "ranges": {"value": values},
    }
    return json_reply(found, content_type="application/prs.coverage+json")


def process_id(offering: Offering) -> str:
    return f"summarise-{offering.slug.replace('_', '-')}"


def processes(call: Call, rest: list[str]) -> Reply:
    root = f"{call.root}/processes"
    summaries = [_process(o, root) for o in call.content.offerings]
    if not rest:
        return json_reply(
            {"processes": summaries, "links": [{"href": root, "rel": "self"}]}
        )
    summary = next((s for s in summaries if s["id"] == rest[0]), None)
    if summary is None or rest[1:] not in ([], ["execution"]):
        return not_found("/".join(rest))
    if rest[1:]:
        if call.request.method != "POST":
            return json_reply({"title": "Method not allowed", "status": 405}, 405)
        return json_reply({"result": call.spec.seed % 100, "process": rest[0]})
    schema = {"schema": {"type": "number"}}
    inputs = {"distance": {"title": "Distance", **schema}}
    return json_reply(
        {
            **summary,
            "inputs": inputs,
            "outputs": {"result": {"title": "Result", **schema}},
        }
    )


def _process(offering: Offering, root: str) -> dict[str, object]:
    name = process_id(offering)
    execute = "http://www.opengis.net/def/rel/ogc/1.0/execute"
    return {
        "id": name, "title": offering.title, "description": offering.abstract or offering.title,
        "version": "1.0.0",
        "keywords": list(offering.keywords), "jobControlOptions": ["sync-execute"],
        "outputTransmission": ["value"],
        "links": [
            {"href": f"{root}/{name}", "rel": "self", "type": "application/json"},
            {"href": f"{root}/{name}/execution", "rel": execute, "type": "application/json"},
        ],
    }  # fmt: skip


def styles(call: Call, rest: list[str]) -> Reply:
    root, kind = f"{call.root}/styles", "application/vnd.mapbox.style+json"
    if not rest:
        listed = [
            {
                "id": o.slug,
                "title": o.title,
                "links": [
                    {"href": f"{root}/{o.slug}", "rel": "stylesheet", "type": kind}
                ],
            }
            for o in call.content.offerings
        ]
        return json_reply({"styles": listed, "links": [{"href": root, "rel": "self"}]})
    offering = call.content.find(rest[0])
    if offering is None or rest[1:] not in ([], ["metadata"]):
        return not_found("/".join(rest))
    if rest[1:]:
        return json_reply(
            {
                "id": offering.slug,
                "title": offering.title,
                "keywords": list(offering.keywords),
            }
        )
    layer = {
        "id": offering.slug,
        "type": "background",
        "paint": {"background-color": "#aabbcc"},
    }
    style = {"version": 8, "name": offering.title, "sources": {}, "layers": [layer]}
    return json_reply(style, content_type=kind)
