"""Forms of our own pages: read, and known by what only they can send along."""

from __future__ import annotations

from starlette.requests import Request

from geohound.portal.write_access import read_fields

from .guard import check_csrf
from .visitor import visitor_of

FIELD = "csrf"


async def read_form(request: Request) -> dict[str, list[str]]:
    """The fields of a form, as texts by name; 403 where it is none of ours."""
    fields = await read_fields(request)
    check_csrf(visitor_of(request), fields.pop(FIELD, [""])[-1])
    return fields


def field_of(fields: dict[str, list[str]], name: str, most: int = 1_000) -> str:
    return fields.get(name, [""])[-1][:most]
