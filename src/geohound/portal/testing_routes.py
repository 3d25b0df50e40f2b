"""POST /identify: asks an address what it is, for who may start crawls; each request is sent on as it is made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from geohound.urls import canonical
from geohound.views.encoding import encode

from .json_responses import JSON_LINES
from .openapi import ApiOperation
from .portal import Examine, portal_of
from .write_access import read_json

_MAX_AT_ONCE = 4
_running: set[object] = set()


class IdentifyRequest(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """The address to ask."""

    url: Annotated[str, Meta(max_length=2000, pattern="^https?://")]


async def identify(request: Request) -> Response:
    """POST /identify"""
    examine = portal_of(request).examine
    body = await read_json(request)
    if examine is None:
        raise HTTPException(404, "This portal does not test addresses.")
    try:
        asked = msgspec.json.decode(body, type=IdentifyRequest)
    except msgspec.DecodeError:
        raise HTTPException(400, 'Send {"url": "https://…"}, a web address.') from None
    url = canonical(asked.url)
    if url is None:
        raise HTTPException(400, "This is not a web address.")
    if len(_running) >= _MAX_AT_ONCE:
        raise HTTPException(
            503, "Several addresses are being tested; try again in a minute."
        )
    return StreamingResponse(
        _lines(examine, url),
        media_type=JSON_LINES,
        headers={"Cache-Control": "no-store"},
    )


async def _lines(examine: Examine, url: str) -> AsyncIterator[bytes]:
    mark = object()
    _running.add(mark)
    try:
        async with aclosing(examine(url)) as events:
            async for event in events:
                yield encode(event) + b"\n"
    finally:
        _running.discard(mark)


def schemas() -> Mapping[str, Any]:
    _, components = msgspec.json.schema_components(
        (IdentifyRequest,), ref_template="#/components/schemas/{name}"
    )
    return components


OPERATIONS = (
    ApiOperation(
        "/identify", "identify", "Ask an address what it is; events line by line, the result last", identify,
        {"type": "string"}, media_types=(JSON_LINES,), tag="crawls", method="POST", body="IdentifyRequest",
        refusals=(401, 403, 404, 413, 415, 503),
    ),
)  # fmt: skip
