"""The OpenAPI document, made from the same table as the routes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from geohound.model.version import __version__
from geohound.views.parsing import fields

from .json_responses import preflight

Schema = Mapping[str, Any]
PREFIX = "/api/v1"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    schema: Schema
    description: str
    place: str = "query"
    most: int = 0  # how often it may be repeated; 0 where it may not


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """One address of the API: what it does, what it takes, what it answers with."""

    path: str
    name: str
    summary: str
    handler: Callable[[Request], Response | Awaitable[Response]]
    answer: Schema
    parameters: Sequence[Parameter] = ()
    media_types: Sequence[str] = ("application/json",)
    tag: str = "catalogue"
    method: str = "GET"
    body: str = ""  # the name of the schema of what is sent; empty where nothing is
    is_body_required: bool = True
    status: int = 200
    # statuses of problems beside those that the parameters may cause
    refusals: Sequence[int] = ()


def parameters(kind: type[msgspec.Struct]) -> tuple[Parameter, ...]:
    """The parameters of a query, as their types say."""
    return tuple(
        Parameter(name, f.schema, f.description, most=f.max_values)
        for name, f in fields(kind).items()
    )


def routes(operations: Sequence[ApiOperation]) -> list[Route]:
    answering = [
        Route(PREFIX + op.path, op.handler, name=op.name, methods=[op.method])
        for op in operations
    ]
    readable = dict.fromkeys(op.path for op in operations if op.method == "GET")
    methods = {
        path: [op.method for op in operations if op.path == path] for path in readable
    }
    asking = [
        Route(PREFIX + path, preflight(methods[path]), methods=["OPTIONS"])
        for path in readable
    ]
    return [*answering, *asking]


def document(
    operations: Sequence[ApiOperation],
    schemas: Mapping[str, Schema],
    choices: Mapping[str, Sequence[str]],
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
        "paths": _paths(operations, choices),
        "components": {"schemas": dict(schemas), "responses": {"Problem": _PROBLEM}},
    }


def _paths(
    operations: Sequence[ApiOperation], choices: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for op in operations:
        paths.setdefault(op.path, {})[op.method.lower()] = _operation(op, choices)
    return paths


_PROBLEM = {
    "description": "What is wrong and how to fix it.",
    "content": {
        "application/problem+json": {
            "schema": {"$ref": "#/components/schemas/ProblemRecord"}
        }
    },
}
_HEADERS = {
    "ETag": {
        "schema": {"type": "string"},
        "description": "Send it as If-None-Match to avoid an unchanged body.",
    }
}
_JSON = ("application/json", "application/x-suggestions+json", "application/feed+json")
_RETRY = {
    "Retry-After": {"schema": {"type": "string"}, "description": "Seconds to wait."}
}


def _operation(
    op: ApiOperation, choices: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    content: dict[str, Any] = {
        media: {"schema": op.answer if media in _JSON else {"type": "string"}}
        for media in op.media_types
    }
    refusals = [
        *op.refusals,
        *([400] if op.parameters or op.body else []),
        *([404] if "{" in op.path else []),
    ]
    done: dict[str, Any] = {"description": op.summary, "content": content}
    responses: dict[str, Any] = {str(op.status): done}
    if op.method == "GET":
        done["headers"] = _HEADERS
        responses["304"] = {"description": "Not modified."}
    responses |= {
        str(status): {"$ref": "#/components/responses/Problem"} for status in refusals
    }
    described: dict[str, Any] = {
        "operationId": op.name,
        "summary": op.summary,
        "tags": [op.tag],
        "parameters": [_parameter(p, choices) for p in op.parameters],
        "responses": {**responses, "429": {**_PROBLEM, "headers": _RETRY}},
    }
    if op.body:
        sent = {
            "application/json": {"schema": {"$ref": f"#/components/schemas/{op.body}"}}
        }
        described["requestBody"] = {
            "required": op.is_body_required,
            "content": sent,
        }
    return described


def _parameter(
    parameter: Parameter, choices: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    known = choices.get(parameter.name) if "enum" not in parameter.schema else None
    schema: Schema = (
        {"type": "string", "enum": list(known)} if known else parameter.schema
    )
    if parameter.most:
        schema = {"type": "array", "items": schema, "maxItems": parameter.most}
    described: dict[str, Any] = {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.description,
        "schema": schema,
    }
    if parameter.place == "path":
        described["required"] = True
    if parameter.most:
        described |= {"style": "form", "explode": True}
    return described
