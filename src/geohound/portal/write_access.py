"""How what is sent to change something is read: never from a page of another site, and only so much of it."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

MAX_BODY_BYTES = 1_000_000
MAX_FIELDS = 100
BODY_S = 30.0  # a body in single bytes would hold its connection for days
READ_ONLY = (
    "This portal is read-only. To start and stop crawls here, run `geohound serve --single-user` on your own "
    "machine, add an account with `geohound users add`, or use `geohound crawl` in a terminal."
)
_OTHER_SITE = "Cross-site request refused. Use the pages of this portal."


def check_same_site(request: Request) -> None:
    """HTTPException 403 where a request that changes something comes from another site.

    Browsers say with each such request where it comes from, in one of two headers or both; other programs say nothing.
    A page of the same machine but another port is another site.
    """
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise HTTPException(403, _OTHER_SITE)
    origin = request.headers.get("origin")
    if (
        origin is not None
        and origin.lower() != f"{request.url.scheme}://{_host_of(request)}"
    ):
        raise HTTPException(403, _OTHER_SITE)


def _host_of(request: Request) -> str:
    return request.headers.get("host", "").lower()


async def read_json(request: Request) -> bytes:
    """The body of a request that says it is JSON: a form of another site cannot say that."""
    if _media_type(request) != "application/json":
        raise HTTPException(
            415, "Send JSON, with the header Content-Type: application/json."
        )
    return await read_body(request)


def check_no_form(request: Request) -> None:
    """For requests that need no body: what has a type must be JSON."""
    if _media_type(request) not in ("", "application/json"):
        raise HTTPException(
            415, "Send no body, or JSON with the header Content-Type: application/json."
        )


def is_form(request: Request) -> bool:
    return _media_type(request) == "application/x-www-form-urlencoded"


async def read_fields(request: Request) -> dict[str, list[str]]:
    """The fields of a form, as texts by name."""
    if _media_type(request) not in ("", "application/x-www-form-urlencoded"):
        raise HTTPException(415, "Send this form as application/x-www-form-urlencoded.")
    body = await read_body(request)
    try:
        pairs = parse_qsl(
            body.decode("utf-8", "replace"),
            keep_blank_values=True,
            max_num_fields=MAX_FIELDS,
        )
    except ValueError:
        raise HTTPException(400, f"A form has {MAX_FIELDS} fields at most.") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return fields


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_body(request: Request) -> bytes:
    """What was sent, at most so much of it and in time; HTTPException otherwise."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BODY_BYTES:
                    raise HTTPException(
                        413,
                        f"Request too large: the limit is {MAX_BODY_BYTES:,} bytes.",
                    )
    except TimeoutError:
        raise HTTPException(
            408, f"The request took longer than {BODY_S:g} s to arrive: send it again."
        ) from None
    except ClientDisconnect:  # nobody reads the answer, and no log needs the story
        raise HTTPException(400, "The request broke off.") from None
    return bytes(body)
