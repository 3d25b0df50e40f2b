"""Tiles without much of a protocol: TMS, TileJSON and plain XYZ."""

from __future__ import annotations

from urllib.parse import urlsplit

from geoweb.protocol import Reply, ServiceSpec

from ._content import Offering, content_of
from ._features import corners, features_of
from ._mvt import draw_vector_tile
from ._service import Call, Kind, html_reply, json_reply
from ._tiling import HALF_M, MAX_ZOOM, draw_tile, is_tile, read_place
from ._wms_capabilities import mercator
from ._xml import Node, Style, el, write

TMS_PATHS = (
    "/tms/{name}/1.0.0",
    "/geoserver/{name}/gwc/service/tms/1.0.0",
    "/mapproxy/{name}/tms/1.0.0",
    "/{name}/tilecache/1.0.0",
)
JSON_PATHS = (
    "/data/{name}.json",
    "/tiles/{name}/tilejson.json",
    "/{name}/tiles.json",
    "/v3/{name}.json",
)
XYZ_PATHS = ("/tiles/{name}", "/{name}/tile", "/osm/{name}", "/cache/{name}/xyz")
VECTOR = "application/vnd.mapbox-vector-tile"


def _xml(call: Call, root: Node) -> Reply:
    body = write(root, {}, Style(call.content.flavour.style.indent))
    return Reply(200, "text/xml; charset=UTF-8", body)


def answer_tms(call: Call) -> Reply | None:
    if not call.below:
        return _xml(call, _tile_map_service(call))
    steps = call.steps
    offering = call.content.find(steps[0].partition("@")[0])
    if offering is None:
        return html_reply("Not found", "<p>No such tile map</p>", 404)
    if len(steps) == 1:
        return _xml(call, _tile_map(call, offering))
    place = read_place(*steps[1:])
    if place is None or not is_tile(*place):
        return html_reply("Not found", "<p>No such tile</p>", 404)
    zoom, column, row = place
    # TMS counts rows from the south, everybody else from the north.
    picture = draw_tile(
        f"{call.spec.seed} {offering.slug}", (zoom, column, (1 << zoom) - 1 - row)
    )
    return Reply(200, "image/png", picture or b"")


def _tile_map_service(call: Call) -> Node:
    maps = [
        el(
            "TileMap",
            {
                "title": o.title,
                "srs": "EPSG:3857",
                "profile": "global-mercator",
                "href": f"{call.root}/{o.slug}",
            },
        )
        for o in call.content.offerings
    ]
    head = el("Title", call.content.title), el("Abstract", call.content.abstract)
    services = call.root.rpartition("/")[0]
    return el(
        "TileMapService",
        {"version": "1.0.0", "services": services},
        head,
        el("TileMaps", maps),
    )


def _tile_map(call: Call, offering: Offering) -> Node:
    west, south, east, north = mercator(offering.box)
    sets = [
        el(
            "TileSet",
            {
                "href": f"{call.root}/{offering.slug}/{z}",
                "units-per-pixel": 2 * HALF_M / 256 / (1 << z),
                "order": z,
            },
        )
        for z in range(MAX_ZOOM + 1)
    ]
    form = {
        "width": "256",
        "height": "256",
        "mime-type": "image/png",
        "extension": "png",
    }
    return el(
        "TileMap",
        {"version": "1.0.0", "tilemapservice": call.root},
        el("Title", offering.title),
        el("Abstract", offering.abstract),
        el("SRS", "EPSG:3857"),
        el("BoundingBox", {"minx": west, "miny": south, "maxx": east, "maxy": north}),
        el("Origin", {"x": -HALF_M, "y": -HALF_M}),
        el("TileFormat", form),
        el("TileSets", {"profile": "global-mercator"}, sets),
    )


def is_vector(spec: ServiceSpec) -> bool:
    return spec.seed % 2 == 0


def _beside(spec: ServiceSpec, path: str) -> str | None:
    """Tiles stand in a folder named like the TileJSON file, without its ending."""
    own = urlsplit(spec.endpoint).path
    if path == own:
        return ""
    folder = own.removesuffix(".json")
    return path[len(folder) + 1 :] if path.startswith(folder + "/") else None


def answer_tilejson(call: Call) -> Reply | None:
    if not call.below:
        return json_reply(_tilejson(call))
    place = read_place(*call.steps)
    if place is None or not is_tile(*place):
        return json_reply({"message": "Tile does not exist"}, 404)
    if is_vector(call.spec):
        layers = [
            (o.slug, list(features_of(call.spec, o))) for o in call.content.offerings
        ]
        return Reply(200, VECTOR, draw_vector_tile(layers, place))
    return Reply(200, "image/png", draw_tile(f"{call.spec.seed}", place) or b"")


def _tilejson(call: Call) -> dict[str, object]:
    c, vector = call.content, is_vector(call.spec)
    west, south, east, north = c.box.as_tuple()
    ending = "pbf" if vector else "png"
    found: dict[str, object] = {
        "tilejson": call.spec.version,
        "name": c.title,
        "description": c.abstract,
        "attribution": f"© {c.organisation}",
        "version": "1.0.0",
        "scheme": "xyz",
        "tiles": [f"{call.root.removesuffix('.json')}/{{z}}/{{x}}/{{y}}.{ending}"],
        "minzoom": 0,
        "maxzoom": MAX_ZOOM,
        "bounds": [west, south, east, north],
        "center": [(corners(c.box)[0] + corners(c.box)[2]) / 2, (south + north) / 2, 5],
        "format": ending,
    }
    if vector:
        found["vector_layers"] = [
            {
                "id": o.slug,
                "description": o.title,
                "minzoom": 0,
                "maxzoom": MAX_ZOOM,
                "fields": {"name": "String"},
            }
            for o in c.offerings
        ]
    return found


def tilejson_names(spec: ServiceSpec) -> tuple[str, ...]:
    content = content_of(spec)
    return (
        tuple(o.slug for o in content.offerings)
        if is_vector(spec)
        else (content.title,)
    )


def answer_xyz(call: Call) -> Reply | None:
    place = read_place(*call.steps)
    picture = draw_tile(f"{call.spec.seed}", place) if place else None
    if picture is None:
        return html_reply("Not found", "<p>404</p>", 404)
    return Reply(200, "image/png", picture)


def tile_at_middle(spec: ServiceSpec, zoom: int = 4) -> tuple[int, int, int]:
    """A tile that certainly shows something: the one under the middle of the service's box."""
    west, south, east, north = mercator(content_of(spec).box)
    side = 2 * HALF_M / (1 << zoom)
    column = int(((west + east) / 2 + HALF_M) // side) % (1 << zoom)
    row = int((HALF_M - (south + north) / 2) // side)
    return zoom, column, min(max(row, 0), (1 << zoom) - 1)


def _xyz_url(spec: ServiceSpec) -> str:
    zoom, column, row = tile_at_middle(spec)
    return f"{spec.endpoint.rstrip('/')}/{zoom}/{column}/{row}.png"


def _endpoint(spec: ServiceSpec) -> str:
    return spec.endpoint


def _nothing(spec: ServiceSpec) -> tuple[str, ...]:  # noqa: ARG001 - a bare tile has no names
    return ()


def _untitled(spec: ServiceSpec) -> str:  # noqa: ARG001 - nor a title
    return ""


FAMILY = {
    "tms": Kind(("1.0.0",), TMS_PATHS, answer_tms, _endpoint, has_box=False),
    "tilejson": Kind(
        ("2.2.0", "3.0.0"),
        JSON_PATHS,
        answer_tilejson,
        _endpoint,
        tilejson_names,
        below=_beside,
    ),
    "xyz": Kind(
        ("",), XYZ_PATHS, answer_xyz, _xyz_url, _nothing, _untitled, has_box=False
    ),
}
