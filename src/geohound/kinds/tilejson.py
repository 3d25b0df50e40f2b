"""TileJSON, 1.0 to 3.0: tilesets by URL template; vector layers are its layers, a raster is one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from geohound.document import Document
from geohound.kinds._json import absolute, box, mapping, rows, texts, words
from geohound.kinds._layer_query import JSON, LayerQuery
from geohound.kinds._licence import read_access
from geohound.kinds._reader import Reader, finish, itself, strip_view
from geohound.kinds._signature import json
from geohound.kinds._tiles import pyramid, tile_template
from geohound.model.addresses import VIEW_LIMIT_S, Addresses, ScriptIdioms
from geohound.model.layer_request import LayerRequest, Rel
from geohound.model.service import Extent, Layer, Operation, Service

# any other .json could be one, too
_PATH = re.compile(r"(?:/tilejson\.json|tilejson|/tiles\.json)$", re.IGNORECASE)


def read(document: Document) -> Service | None:
    value = document.json
    if not isinstance(value, dict) or not _is_tilejson(value):
        return None
    templates = texts(value.get("tiles"))
    tiles = tuple(filter(None, (absolute(each, document.url) for each in templates)))
    extent = box(value.get("bounds"))
    vectors = [row for row in rows(value.get("vector_layers")) if words(row.get("id"))]
    layers = tuple(_vector_layer(row, extent, tiles) for row in vectors)
    title = words(value.get("name"))
    if not layers and templates:  # a raster tileset is one layer
        name = title or words(value.get("id")) or "tiles"
        layers = (Layer(name=name, title=title, extent=extent, links=tiles),)
    version = words(value.get("tilejson"))
    service = Service(
        kind="tilejson",
        endpoint=strip_view(document.url),
        version=version,
        title=title,
        abstract=words(value.get("description")),
        access=read_access(
            constraints=words(value.get("attribution")),
            licence_text=words(value.get("license")),
        ),
        extent=extent,
        layers=layers,
        operations=tuple(Operation("GetTile", get=tile) for tile in tiles),
        formats=texts(value.get("format")),
        crs=texts(value.get("projection")) or texts(value.get("crs")),
    )
    return finish(document, service)


def _vector_layer(
    row: Mapping[str, Any], extent: Extent | None, tiles: tuple[str, ...]
) -> Layer:
    return Layer(
        name=words(row.get("id")),
        title=words(row.get("description"))[:200],
        keywords=texts(list(mapping(row.get("fields")))),
        extent=extent,
        formats=("application/vnd.mapbox-vector-tile",),
        links=tiles,
    )


def _is_tilejson(value: dict[str, object]) -> bool:
    if not isinstance(value.get("tilejson"), str):
        return False
    return bool(texts(value.get("tiles")) or rows(value.get("vector_layers")))


def requests(query: LayerQuery) -> list[LayerRequest]:
    described = LayerRequest(Rel.CAPABILITIES, "TileJSON", query.service.endpoint, JSON)
    template = tile_template(query)
    return [described, pyramid(query, template)] if template else [described]


_ADDRESSES = Addresses(
    response_limit_s=VIEW_LIMIT_S,
    ends=(r"tilejson\.json", r"tiles\.json"),
    labels=("tilejson",),
    is_file=True,
    scripts=ScriptIdioms(
        file_types=("vector", "raster", "raster-dem"),
        words=("tilejson", "addsource", "'vector'", '"vector"'),
    ),
)

KINDS = (
    Reader(
        id="tilejson",
        title="TileJSON",
        protocol="tilejson:2.0.0",
        path=_PATH,
        probe_urls=itself,
        reader=read,
        requester=requests,
        addresses=_ADDRESSES,
        signature=json("tilejson"),
    ),
)
