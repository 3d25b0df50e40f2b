"""The columns of formats that are tables: one row for each service, nothing nested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COLUMNS = (
    "id", "kind", "endpoint", "title", "abstract", "keywords", "provider", "provider_site", "licence", "fees",
    "constraints", "version", "software", "state", "layer_count", "west", "south", "east", "north",
)  # fmt: skip
SIDES = ("west", "south", "east", "north")


def row(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a service by these columns; None where nothing is known."""
    provider, access = record["provider"], record["access"]
    box = record["bbox"] or (None,) * 4
    same = (
        "id",
        "kind",
        "endpoint",
        "title",
        "abstract",
        "version",
        "software",
        "state",
        "layer_count",
    )
    return {
        **{name: record[name] for name in same},
        "keywords": "; ".join(record["keywords"]),
        "provider": provider["name"],
        "provider_site": provider["site"],
        "licence": access["licence"] or access["licence_text"],
        "fees": access["fees"],
        "constraints": access["constraints"],
        **dict(zip(SIDES, box, strict=True)),
    }


def rings(box: list[float]) -> list[list[tuple[float, float]]]:
    """The outlines of a box: two where it crosses the antimeridian (RFC 7946, section 3.1.9)."""
    west, south, east, north = box
    spans = [(west, east)] if west <= east else [(west, 180.0), (-180.0, east)]
    return [
        [(w, south), (e, south), (e, north), (w, north), (w, south)] for w, e in spans
    ]
