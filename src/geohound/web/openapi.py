"""The OpenAPI document, made from the same table as the routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from geohound.model.version import __version__

from .answering import JSON_LINES, preflight

Schema = Mapping[str, Any]
PREFIX = "/api/v1"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    schema: Schema
    description: str
    place: str = "query"
    is_list: bool = False  # may be repeated


@dataclass(frozen=True, slots=True)
class Operation:
    """One address of the API: what it does, what it takes, what it answers with."""

    path: str
    name: str
    summary: str
    handler: Callable[[Request], Response]
    answer: Schema
    parameters: Sequence[Parameter] = ()
    media_types: Sequence[str] = ("application/json",)
    tag: str = "catalogue"


def routes(operations: Sequence[Operation]) -> list[Route]:
    reading = [Route(PREFIX + op.path, op.handler, name=op.name) for op in operations]
    return [*reading, *(Route(PREFIX + op.path, preflight, methods=["OPTIONS"]) for op in operations)]


def document(
    operations: Sequence[Operation], schemas: Mapping[str, Schema], choices: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """The whole API in OpenAPI 3.1; `choices` are the values of parameters that are known only here and now."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Geohound",
            "version": __version__,
            "description": "Search geospatial web services by words and place, and open what is found.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": PREFIX}],
        "tags": [{"name": tag} for tag in dict.fromkeys(op.tag for op in operations)],
        "paths": {op.path: {"get": _operation(op, choices)} for op in operations},
        "components": {"schemas": dict(schemas), "responses": {"Problem": _PROBLEM}},
    }


_PROBLEM = {
    "description": "What is wrong, in a sentence that says what to do.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_HEADERS = {"ETag": {"schema": {"type": "string"}, "description": "Send it back as If-None-Match to spare the body."}}
_RETRY = {"Retry-After": {"schema": {"type": "string"}, "description": "Seconds to wait."}}


def _operation(op: Operation, choices: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    content: dict[str, Any] = {
        media: {"schema": {"type": "string"} if media == JSON_LINES else op.answer} for media in op.media_types
    }
    refusals: dict[str, Any] = {"429": {**_PROBLEM, "headers": _RETRY}}
    if op.parameters:
        refusals["400"] = {"$ref": "#/components/responses/Problem"}
    if "{" in op.path:
        refusals["404"] = {"$ref": "#/components/responses/Problem"}
    return {
        "operationId": op.name,
        "summary": op.summary,
        "tags": [op.tag],
        "parameters": [_parameter(p, choices) for p in op.parameters],
        "responses": {
            "200": {"description": op.summary, "headers": _HEADERS, "content": content},
            "304": {"description": "What you hold is still right."},
            **refusals,
        },
    }


def _parameter(parameter: Parameter, choices: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    known = choices.get(parameter.name)
    schema: Schema = {"type": "string", "enum": list(known)} if known else parameter.schema
    if parameter.is_list:
        schema = {"type": "array", "items": schema, "maxItems": 20}
    described: dict[str, Any] = {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.description,
        "schema": schema,
    }
    if parameter.place == "path":
        described["required"] = True
    if parameter.is_list:
        described |= {"style": "form", "explode": True}
    return described
