"""The parameters that the API takes, written down once: for reading them and for the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Sequence

from starlette.datastructures import QueryParams
from starlette.requests import Request

from geohound.model.bbox import Relation
from geohound.model.health import State
from geohound.model.query import FACETS

from .asking import (
    BOX_PATTERN,
    DEFAULT_LIMIT,
    MAX_LIMIT,
    MAX_OFFSET,
    MAX_TEXT_CHARS,
    MAX_VALUE_CHARS,
    MAX_VALUES,
    BadAskError,
    read_bbox,
    read_whole,
    refuse_unknown,
)
from .openapi import Parameter, Schema
from .reporting import REPORTS

_WHOLE = re.compile(r"-?[0-9]{1,9}")
_CURSOR = re.compile(r"o([0-9]{1,7})")
_OFFSET_CURSOR = "o[0-9]{1,7}"
_HIT_CURSOR = r"k[0-9a-f]{1,8}\.[0-9a-f]{8}\.[0-9a-f]{8}\.[0-9a-f]{1,8}(\.[0-9a-f]{1,8})?"
LAYER_PAGE = (100, 1_000)  # by default, and at most

_BOX = Parameter(
    "bbox",
    {"type": "string", "pattern": BOX_PATTERN, "description": "four numbers in degrees such as -75,-34,-34,6"},
    "west,south,east,north in degrees; west above east crosses the antimeridian",
)
_LINES = Parameter("f", {"type": "string", "enum": ["json", "jsonl"]}, "jsonl: the whole list, a record a line")


def _window(default: int, most: int, last: int, cursor: str) -> tuple[Parameter, ...]:
    return (
        Parameter("limit", {"type": "integer", "minimum": 1, "maximum": most, "default": default}, "how many at most"),
        Parameter("offset", {"type": "integer", "minimum": 0, "maximum": last}, "how many to pass over"),
        Parameter(
            "cursor",
            {"type": "string", "pattern": f"^({cursor})$", "description": "one that an answer gave"},
            "the page that `next` named",
        ),
        _LINES,
    )


WINDOW = _window(DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET, _HIT_CURSOR)
LAYER_WINDOW = _window(*LAYER_PAGE, MAX_OFFSET * 100, _OFFSET_CURSOR)
_VALUE = {"type": "string", "minLength": 1, "maxLength": MAX_VALUE_CHARS}
_FILTERS = tuple(
    Parameter(name, _VALUE, f"only services of this {name}; repeated: of any of them", is_list=True)
    for name in FACETS
    if name not in ("kind", "state")
)
_TEXT = Parameter(
    "q",
    {"type": "string", "maxLength": MAX_TEXT_CHARS},
    'words, "phrases", beginnings*, -unwanted words, or an address',
)
SEARCH = (
    _TEXT,
    _BOX,
    Parameter("relation", {"type": "string", "enum": [r.value for r in Relation]}, "of the service's box to yours"),
    Parameter("kind", {"type": "string", "minLength": 1}, "only this kind of service", is_list=True),
    Parameter(
        "state", {"type": "string", "enum": [s.value for s in State]}, "only services in this state", is_list=True
    ),
    *_FILTERS,
    Parameter(
        "years",
        {"type": "string", "pattern": "^[0-9]{4}(-[0-9]{4})?$", "description": "2010 or 2000-2010"},
        "only what covers some of these years",
    ),
    Parameter("expand", {"type": "boolean", "default": True}, "also find synonyms and translations"),
    *WINDOW,
)
OPEN = (Parameter("layer", {"type": "string", "maxLength": 500}, "the layer's name; the first one by default"), _BOX)
SUGGEST = (_TEXT,)
SERVICE_ID = Parameter("id", {"type": "string", "pattern": "^[0-9a-f]{16}$"}, "the id of a service", "path")
TASK_ID = Parameter("id", {"type": "integer", "minimum": 1}, "the number of a crawl", "path")
REPORT_NAME = Parameter("name", {"type": "string", "enum": list(REPORTS)}, "the name of a report", "path")


def read_window(params: QueryParams, page: tuple[int, int]) -> tuple[int, int]:
    """Limit and offset; a cursor names the offset."""
    limit = read_whole(params, "limit", page[0], (1, page[1]))
    if "cursor" not in params:
        return limit, read_whole(params, "offset", 0, (0, MAX_OFFSET * 100))
    found = _CURSOR.fullmatch(params["cursor"])
    if not found:
        raise BadAskError("cursor", "This cursor was not given by us; leave it out to begin at the first page.")
    return limit, int(found[1])


def read_params(request: Request, known: Sequence[Parameter]) -> QueryParams:
    """The parameters, held to what the document says of them.

    A box with its north side first is put right: it is the same box.
    """
    params = request.query_params
    refuse_unknown(params, known)
    for parameter in known:
        _hold(parameter, params.getlist(parameter.name))
    if "bbox" not in params:
        return params
    west, south, east, north = params["bbox"].split(",")
    box = ",".join((west, north, east, south)) if float(south) > float(north) else params["bbox"]
    return QueryParams([(k, box if k == "bbox" else v) for k, v in params.multi_items()])


def _hold(parameter: Parameter, values: Sequence[str]) -> None:
    if len(values) > (MAX_VALUES if parameter.is_list else 1):
        most = f"{MAX_VALUES} times" if parameter.is_list else "once"
        raise BadAskError(parameter.name, f"{parameter.name} may stand here {most} at most.")
    for value in values:
        wanted = _wanted(parameter.schema, value)
        if wanted and parameter is _BOX and value:
            read_bbox(QueryParams(bbox=value))  # knows what is wrong with it in more words
        if wanted:
            raise BadAskError(parameter.name, f"{parameter.name} must be {wanted}, not “{value[:40]}”.")


def _wanted(schema: Schema, value: str) -> str:
    """What a value should have been; empty where it is right."""
    if schema["type"] == "integer":
        low, high = schema.get("minimum", 0), schema.get("maximum", 10**9)
        is_right = _WHOLE.fullmatch(value) is not None and low <= int(value) <= high
        return "" if is_right else f"a whole number from {low} to {high:,}"
    if schema["type"] == "boolean":
        return "" if value in ("true", "false") else "true or false"
    if "enum" in schema:
        return "" if value in schema["enum"] else f"one of {', '.join(schema['enum'])}"
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        return str(schema.get("description", "of another form"))
    low, high = schema.get("minLength", 0), schema.get("maxLength", 10**9)
    if len(value) < low:
        return "left out or have a value"
    return "" if len(value) <= high else f"a text of {low} to {high} characters"
