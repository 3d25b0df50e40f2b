"""ArcGIS REST: the directory, and map, feature, image and vector tile services."""

from __future__ import annotations

from urllib.parse import urlsplit

from geoweb.protocol import Reply, ServiceSpec

from . import _arcgis as documents
from ._content import Offering, content_of
from ._drawing import draw_map
from ._features import Feature, as_geojson, features_of, inside
from ._mvt import draw_vector_tile
from ._service import Call, Kind, Listed, html_reply, json_reply, read_box
from ._tiling import draw_tile, is_tile, read_place
from ._xml import Style, el, escape, write

VERSIONS = ("10.91", "11.1")
BASE = "/arcgis/rest/services/{folder}/{Name}/"
ALT_BASE = "/server/rest/services/{Name}/"


def _error(code: int, message: str) -> Reply:
    """ArcGIS reports errors in the body and says 200."""
    return json_reply({"error": {"code": code, "message": message, "details": []}})


def _answer_with(call: Call, document: dict[str, object]) -> Reply:
    """JSON for f=json, indented for f=pjson, and the directory's HTML page without f."""
    form = call.text("f").lower()
    if form in ("json", "pjson"):
        return json_reply(document, content_type="application/json;charset=UTF-8")
    name = escape(
        urlsplit(call.spec.endpoint).path.partition("/services/")[2] or "Folder: /"
    )
    rows = "".join(
        f"<li>{escape(o.title)} ({o.number})</li>" for o in call.content.offerings
    )
    links = '<a href="?f=json">JSON</a>'
    body = f"<h2>{name}</h2>{links}<p>{escape(call.content.abstract)}</p><b>Layers:</b><ul>{rows}</ul>"
    return html_reply(f"{name} - ArcGIS REST Services Directory", body)


def answer_directory(call: Call) -> Reply | None:
    if call.below == "info":
        return json_reply(documents.info(call.spec.version))
    entries = [
        _entry(call, listed)
        for listed in call.listed
        if listed.spec.kind.startswith("arcgis-")
        and listed.spec.kind != "arcgis-directory"
    ]
    folders = sorted({name.partition("/")[0] for name, _, _ in entries if "/" in name})
    if call.below and call.below not in folders:
        return None
    if call.text("f").lower() in ("sitemap", "geositemap"):
        spaces = "http://www.sitemaps.org/schemas/sitemap/0.9"
        root = el(
            "urlset",
            {"xmlns": spaces},
            [el("url", el("loc", url)) for _, _, url in entries],
        )
        return Reply(200, "text/xml; charset=UTF-8", write(root, {}, Style("")))
    here = [e for e in entries if e[0].rpartition("/")[0] == call.below]
    shown = [{"name": name, "type": kind, "url": url} for name, kind, url in here]
    document = {
        "currentVersion": float(call.spec.version),
        "folders": [] if call.below else folders,
        "services": shown,
    }
    if call.text("f").lower() in ("json", "pjson"):
        return json_reply(document, content_type="application/json;charset=UTF-8")
    rows = "".join(
        f'<li><a href="{escape(url)}">{escape(n)}</a> ({kind})</li>'
        for n, kind, url in here
    )
    places = "".join(
        f'<li><a href="{call.root}/{escape(f)}">{escape(f)}</a></li>'
        for f in folders
        if not call.below
    )
    return html_reply(
        "Folder: / - ArcGIS REST Services Directory",
        f"<ul>{places}</ul><ul>{rows}</ul>",
    )


def _entry(call: Call, listed: Listed) -> tuple[str, str, str]:
    """The name, type and address of a listed service; below the directory its name is its path."""
    path, _, kind = listed.spec.endpoint.rstrip("/").rpartition("/")
    if path.startswith(call.root + "/"):
        return path[len(call.root) + 1 :], kind, listed.spec.endpoint
    return (
        path.partition("/services/")[2] or path.rpartition("/")[2],
        kind,
        listed.url.partition("?")[0],
    )


def _beside_info(spec: ServiceSpec, path: str) -> str | None:
    own = urlsplit(spec.endpoint).path.rstrip("/")
    if path.rstrip("/") == own.removesuffix("/services") + "/info":
        return "info"
    if path.rstrip("/") == own:
        return ""
    return path[len(own) + 1 :] if path.startswith(own + "/") else None


def answer_layers(call: Call) -> Reply | None:
    """MapServer and FeatureServer."""
    maps = call.spec.kind == "arcgis-mapserver"
    match call.steps:
        case []:
            return _answer_with(
                call,
                documents.map_server(call) if maps else documents.feature_server(call),
            )
        case ["layers"]:
            layers = [documents.layer(call, o) for o in call.content.offerings]
            return _answer_with(call, {"layers": layers, "tables": []})
        case ["export"] if maps:
            return _export(call)
        case ["legend"] if maps:
            return json_reply(
                {
                    "layers": [
                        {"layerId": o.number, "layerName": o.title, "legend": []}
                        for o in call.content.offerings
                    ]
                }
            )
        case ["tile", zoom, row, column] if maps:
            place = read_place(zoom, column, row)
            picture = draw_tile(str(call.spec.seed), place) if place else None
            return (
                Reply(200, "image/png", picture)
                if picture
                else Reply(404, "text/plain", b"Tile not found")
            )
        case [number, *rest] if (
            number.isascii() and number.isdigit() and len(number) < 6
        ):
            if int(number) >= len(call.content.offerings):
                return _error(400, "Invalid URL")
            return _layer(call, call.content.offerings[int(number)], rest)
    return _error(400, "Invalid URL")


def _layer(call: Call, offering: Offering, rest: list[str]) -> Reply:
    if not rest:
        return _answer_with(call, documents.layer(call, offering))
    if rest != ["query"]:
        return _error(400, "Invalid URL")
    features = features_of(call.spec, offering)
    if (
        not call.text("where")
        and not call.text("geometry")
        and not call.text("objectIds")
    ):
        return _error(
            400,
            "Cannot perform query. Invalid query parameters. 'where' clause is missing",
        )
    found = inside(features, read_box(call.text("geometry")))
    if call.text("where").replace(" ", "") in ("1=0", "0=1"):
        found = []
    if call.text("returncountonly").lower() == "true":
        return json_reply({"count": len(found)})
    if call.text("returnidsonly").lower() == "true":
        return json_reply(
            {"objectIdFieldName": "OBJECTID", "objectIds": [f.code for f in found]}
        )
    return _found(call, offering, found)


def _found(call: Call, offering: Offering, found: list[Feature]) -> Reply:
    limit = call.number(
        "resultrecordcount", documents.MAX_RECORDS, documents.MAX_RECORDS
    )
    start = call.number("resultoffset", 0, 10**6)
    shown = found[start : start + limit]
    if call.text("f").lower() == "geojson":
        features = [as_geojson(f) for f in shown]
        return json_reply(
            {"type": "FeatureCollection", "features": features},
            content_type="application/geo+json",
        )
    return json_reply(
        documents.feature_set(offering, shown, start + limit < len(found))
    )


def _export(call: Call) -> Reply:
    box = read_box(call.text("bbox"))
    if box is None or not (box[0] < box[2] and box[1] < box[3]):
        return _error(400, "Invalid or missing input parameters: bbox")
    sides = [
        int(s) if s.isascii() and s.isdigit() and len(s) < 6 else 0
        for s in call.text("size", "400,400").split(",")[:2]
    ]
    if len(sides) != 2 or not all(0 < s <= 2048 for s in sides):
        return _error(400, "Invalid size")
    kind = "image/jpeg" if "jpg" in call.text("format") else "image/png"
    if call.text("f").lower() in ("json", "pjson"):
        west, south, east, north = box
        extent = {"xmin": west, "ymin": south, "xmax": east, "ymax": north}
        href = call.request.query.replace("f=json", "f=image").replace(
            "f=pjson", "f=image"
        )
        url = f"{call.root}/{call.below}?{href}"
        return json_reply(
            {
                "href": url,
                "width": sides[0],
                "height": sides[1],
                "extent": extent,
                "scale": 100000,
            }
        )
    return Reply(
        200,
        kind,
        draw_map(
            f"{call.spec.seed} {call.text('layers')}", box, (sides[0], sides[1]), kind
        ),
    )


def answer_image(call: Call) -> Reply | None:
    match call.steps:
        case []:
            return _answer_with(call, documents.image_server(call))
        case ["exportImage"]:
            return _export(call)
        case ["identify"]:
            return json_reply(
                {"objectId": 0, "name": "Pixel", "value": str(call.spec.seed % 255)}
            )
    return _error(400, "Invalid URL")


def answer_vector_tiles(call: Call) -> Reply | None:
    match call.steps:
        case []:
            return _answer_with(call, documents.vector_tile_server(call))
        case ["resources", "styles"] | ["resources", "styles", "root.json"]:
            return json_reply(documents.vector_style(call))
        case ["tile", zoom, row, column]:
            place = read_place(zoom, column, row)
            if place is None or not is_tile(*place):
                return Reply(404, "text/plain", b"Tile not found")
            layers = [
                (o.slug, list(features_of(call.spec, o)))
                for o in call.content.offerings
            ]
            return Reply(200, "application/x-protobuf", draw_vector_tile(layers, place))
    return _error(400, "Invalid URL")


def request_url(spec: ServiceSpec) -> str:
    return spec.endpoint + ("?f=pjson" if spec.seed % 2 else "?f=json")


def _titles(spec: ServiceSpec) -> tuple[str, ...]:
    return tuple(o.title for o in content_of(spec).offerings)


def _one_name(spec: ServiceSpec) -> tuple[str, ...]:
    return (documents.service_name(spec),)


def _nothing(spec: ServiceSpec) -> tuple[str, ...]:  # noqa: ARG001 - a directory has services, not layers
    return ()


def _untitled(spec: ServiceSpec) -> str:  # noqa: ARG001
    return ""


def _paths(kind: str) -> tuple[str, ...]:
    return BASE + kind, ALT_BASE + kind, "/gis/rest/services/{folder}/{name}/" + kind


_DIRECTORIES = (
    "/{name}/rest/services",
    "/arcgis/{name}/rest/services",
    "/server/{name}/rest/services",
)
FAMILY = {
    "arcgis-directory": Kind(
        VERSIONS,
        _DIRECTORIES,
        answer_directory,
        request_url,
        _nothing,
        _untitled,
        _beside_info,
        has_box=False,
    ),
    "arcgis-mapserver": Kind(
        VERSIONS, _paths("MapServer"), answer_layers, request_url, _titles
    ),
    "arcgis-featureserver": Kind(
        VERSIONS, _paths("FeatureServer"), answer_layers, request_url, _titles
    ),
    "arcgis-imageserver": Kind(
        VERSIONS,
        _paths("ImageServer"),
        answer_image,
        request_url,
        _one_name,
        documents.service_name,
    ),
    "arcgis-vectortileserver": Kind(
        VERSIONS,
        _paths("VectorTileServer"),
        answer_vector_tiles,
        request_url,
        _nothing,
        documents.service_name,
    ),
}
