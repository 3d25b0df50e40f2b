"""The documentation of the API for people: every operation of the OpenAPI document, with a form that tries it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from geohound.portal.openapi import PREFIX, ApiOperation, Parameter
from geohound.portal.portal import portal_of

from .rendering import render

_TAGS = {
    "catalogue": "Catalogue",
    "crawls": "Crawls",
    "reports": "Statistics",
    "monitor": "Health",
    "service": "This portal",
}


@dataclass(frozen=True)
class OperationGroup:
    """The operations of one tag."""

    title: str
    operations: Sequence[ApiOperation]


def documentation_page(request: Request) -> Response:
    """GET /api"""
    operations: Sequence[ApiOperation] = request.app.state.operations
    tags = dict.fromkeys([*_TAGS, *(op.tag for op in operations)])
    groups = [
        OperationGroup(_TAGS.get(tag, tag), [op for op in operations if op.tag == tag])
        for tag in tags
    ]
    context = {
        "groups": [group for group in groups if group.operations],
        "prefix": PREFIX,
        "type_of": _type_of,
        "choices_of": lambda parameter: _choices(
            parameter, {"kind": sorted(portal_of(request).kinds)}
        ),
    }
    return render(request, "api.html", context)


def _choices(parameter: Parameter, known: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The values that a parameter may have, where they can be listed."""
    schema: Any = parameter.schema
    listed = (
        schema.get("enum")
        or schema.get("items", {}).get("enum")
        or known.get(parameter.name, ())
    )
    return [str(each) for each in listed if each is not None]


def _type_of(parameter: Parameter) -> str:
    """The type in a word or two."""
    schema: Any = parameter.schema
    kind = str(schema.get("type", "string"))
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = f", {low} to {high}" if low is not None and high is not None else ""
    return f"{kind}{bounds}{', repeatable' if parameter.most else ''}"
