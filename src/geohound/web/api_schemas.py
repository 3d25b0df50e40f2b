"""What the API's answers look like, for the OpenAPI document and for those who check answers against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geohound.model.health import State
from geohound.model.service import BoxFault
from geohound.opening import Rel

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
# The number is that of the search, see decision 14.
FOLDED = {
    **COUNT,
    "description": "How many match, near-duplicates folded: exact up to 20,000 services. Of more only the best are "
    "looked through for near-duplicates, so that this and the counts of facets may be a little too high.",
}
NUMBER = {"type": "number"}
TEXTS = {"type": "array", "items": TEXT}
BOX = {"type": ["array", "null"], "items": NUMBER, "minItems": 4, "maxItems": 4}
COUNTS = {"type": "object", "additionalProperties": COUNT}
NEXT = {"type": ["string", "null"], "description": "The cursor of the next page; null on the last one."}
ID = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
MOMENT = {"type": ["string", "null"], "format": "date-time"}


def record(**fields: Any) -> dict[str, Any]:
    """An object with these fields, all of them always there; more may come."""
    return {"type": "object", "required": list(fields), "properties": fields}


def listed(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def named(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


_STATE = {"type": "string", "enum": [s.value for s in State]}
_EXTENT = {
    "type": ["object", "null"],
    "properties": {
        "bbox": BOX,
        "declared": {"type": "array", "items": {"type": ["number", "null"]}},
        "crs": TEXT,
        "faults": {"type": "array", "items": {"type": "string", "enum": [f.value for f in BoxFault]}},
    },
}
_BRIEF_LAYER = record(name=TEXT, title=TEXT, bbox=BOX)
_FOUND_LAYER = record(name=TEXT, title=TEXT, bbox=BOX, service=ID, kind=TEXT, endpoint=TEXT)
_LAYER = record(
    name=TEXT, title=TEXT, abstract=TEXT, keywords=TEXTS, bbox=BOX, extent=_EXTENT, crs=TEXTS, formats=TEXTS,
    styles=TEXTS, times=TEXTS, queryable={"type": "boolean"}, parent=TEXT, links=TEXTS,
)  # fmt: skip
_HIT = record(
    id=ID, kind=TEXT, endpoint=TEXT, title=TEXT, score=NUMBER, bbox=BOX, layers=listed(named("BriefLayer")),
    match_count=COUNT, layer_count=COUNT, state=_STATE, why=TEXT, also=listed(ID),
)  # fmt: skip
_BRIEF_SERVICE = record(
    id=ID, kind=TEXT, endpoint=TEXT, title=TEXT, abstract=TEXT, keywords=TEXTS, provider=TEXT, licence=TEXT,
    bbox=BOX, layer_count=COUNT,
)  # fmt: skip
_SERVICE = record(
    id=ID, kind=TEXT, endpoint=TEXT, version=TEXT, versions=TEXTS, title=TEXT, abstract=TEXT, keywords=TEXTS,
    provider={"type": "object"}, access={"type": "object"}, bbox=BOX, extent=_EXTENT,
    layers=listed(named("Layer")), layer_count=COUNT, operations=listed({"type": "object"}),
    formats=TEXTS, crs=TEXTS, language=TEXT, cors=TEXT, software=TEXT, doors=TEXTS, repairs=TEXTS,
    topics=listed(record(topic=TEXT, **{"class": TEXT})),
    health=record(state=_STATE), sightings=listed({"type": "object"}),
)  # fmt: skip
_LINK = record(rel={"type": "string", "enum": [r.value for r in Rel]}, title=TEXT, url=TEXT, media_type=TEXT)
_SNIPPET = record(tool=TEXT, title=TEXT, language=TEXT, code=TEXT)
_TASK = record(id=COUNT, state=TEXT, created_at=MOMENT, finished_at=MOMENT, seeds=TEXTS, counters={"type": "object"})
_VALUE = record(value=TEXT, title=TEXT, count=COUNT)

SCHEMAS: Mapping[str, Any] = {
    "Problem": record(type=TEXT, title=TEXT, status=COUNT, detail=TEXT),
    "BriefLayer": _BRIEF_LAYER,
    "Layer": _LAYER,
    "Hit": _HIT,
    "Results": record(
        hits=listed(named("Hit")), total=FOLDED, elapsed_ms=NUMBER, next=NEXT, suggestion=TEXT,
        partial={"type": "boolean"},
        facets={
            "type": "object", "additionalProperties": COUNTS,
            "description": "Of each facet the 20 most frequent values; /facets tells more.",
        },
    ),
    "BriefService": _BRIEF_SERVICE,
    "Services": record(services=listed(named("BriefService")), total=COUNT, next=NEXT),
    "Service": _SERVICE,
    "Layers": record(layers=listed(named("Layer")), total=COUNT, next=NEXT),
    "FoundLayers": record(layers=listed(_FOUND_LAYER), total=FOLDED, next=NEXT),
    "Opening": record(bbox=BOX, links=listed(_LINK), snippets=listed(_SNIPPET)),
    "Facets": record(
        total=FOLDED,
        facets={
            "type": "object", "additionalProperties": listed(_VALUE),
            "description": "Of each facet the 500 most frequent values, most frequent first.",
        },
    ),
    "Task": _TASK,
    "Tasks": record(tasks=listed(named("Task"))),
    "Reports": record(reports=listed(record(name=TEXT, title=TEXT))),
    "Report": record(name=TEXT, title=TEXT, columns=TEXTS, rows=listed({"type": "array"})),
    "Health": record(status=TEXT, version=TEXT, services=COUNT, layers=COUNT),
}  # fmt: skip
