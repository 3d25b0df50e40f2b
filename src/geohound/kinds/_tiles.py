"""Tiles by address: templates filled with zoom, column and row, and the tile around the middle of a box."""

from __future__ import annotations

import re
from collections.abc import Mapping

from geohound.kinds._layer_query import LayerQuery
from geohound.kinds._request_boxes import slippy_tile
from geohound.model.layer_request import Rel, TileTemplate
from geohound.urls import canonical

VECTOR_TILE = "application/vnd.mapbox-vector-tile"
PLACE = re.compile(r"\{([^{}]{1,40})\}|%7B([^{}%]{1,40})%7D", re.IGNORECASE)
_SUBDOMAINS = {"s": "a", "a-c": "a", "switch:a,b,c": "a", "r": "", "ratio": ""}
_SPEAKING = re.compile(r"(?:\.|f=)(?:mvt|pbf|png|jpe?g|webp|gif)\b", re.IGNORECASE)
_VECTOR = re.compile(r"(?:\.|f=)(?:mvt|pbf)\b|\bvector-tile\b", re.IGNORECASE)


def fill(template: str, values: Mapping[str, str]) -> str:
    """The address that a template gives with these values; their names in any case."""
    known = {k.lower(): v for k, v in values.items()}

    def value(found: re.Match[str]) -> str:
        name = (found[1] or found[2]).lower()
        return known.get(
            name, _SUBDOMAINS.get(name, "a" if name.startswith("switch:") else found[0])
        )

    return PLACE.sub(value, template)


def with_braces(template: str) -> str:
    """The template with its braces plain, which some servers encode."""
    return (
        template.replace("%7B", "{")
        .replace("%7D", "}")
        .replace("%7b", "{")
        .replace("%7d", "}")
    )


def pyramid(query: LayerQuery, template: str) -> TileTemplate:
    """The tile of the box in the usual Mercator pyramid, and the template that gives all others."""
    zoom, column, row = slippy_tile(query.box, 14)
    values = {
        "z": str(zoom),
        "x": str(column),
        "y": str(row),
        "-y": str(2**zoom - 1 - row),
    }
    described = (
        template if _SPEAKING.search(template) else " ".join(query.layer.formats)
    )
    is_vector = _VECTOR.search(described) is not None
    media = VECTOR_TILE if is_vector else "image/png"
    plain = with_braces(fill(template, {}))
    return TileTemplate(
        Rel.TILE,
        "Tile",
        fill(template, values),
        media,
        template=plain,
        is_vector=is_vector,
    )


def tile_template(query: LayerQuery) -> str:
    """The template of the layer or of the service; empty where neither has one that is a web address."""
    service = query.service
    listed = (
        operation.get for operation in service.operations if operation.name == "GetTile"
    )
    templates = [*query.layer.links, *listed, service.online_resource]
    found = next((t for t in templates if "{z}" in with_braces(t).lower()), "")
    return found if found and canonical(found) else ""


def file_ending(media: str) -> str:
    """How a file of this type ends: letters and digits alone, for the type comes from a stranger."""
    letters = "".join(
        c for c in media.rpartition("/")[2] if c.isascii() and c.isalnum()
    )[:4]
    return {"image/jpeg": "jpg", VECTOR_TILE: "mvt"}.get(media, letters or "bin")
