"""JSON answers of the API: with a tag that spares sending them twice, as problems, or line by line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from http import HTTPStatus
from itertools import islice
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from geohound.views.encoding import encode
from geohound.views.records import ResultsRecord

# Reading is public and no answer depends on who asks, so that other sites' pages may read too.
OPEN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Retry-After",
    "Vary": "Accept",
}
JSON_LINES = "application/x-ndjson"
_MAX_TAGS = 50
_LINES_AT_ONCE = 50


def answer(
    request: Request, record: Any, media_type: str = "application/json"
) -> Response:
    """The record; nothing but 304 where the asker holds it already."""
    lasting = (
        msgspec.structs.replace(record, elapsed_ms=0.0)
        if isinstance(record, ResultsRecord)
        else record
    )
    tag = f'"{hashlib.sha256(encode(lasting)).hexdigest()[:24]}"'
    headers = {**OPEN, "ETag": tag, "Cache-Control": "no-cache"}
    if _knows(request.headers.get("if-none-match", ""), tag):
        return Response(None, 304, headers)
    return Response(encode(record), 200, headers, media_type)


def _knows(stated: str, tag: str) -> bool:
    """Gzip makes strong tags weak on their way through a proxy: they mean the same here."""
    tags = [part.strip().removeprefix("W/") for part in stated.split(",")[:_MAX_TAGS]]
    return tag in tags or "*" in tags


def preflight(methods: Sequence[str]) -> Callable[[Request], Response]:
    """What a browser asks before a page of another site may send If-None-Match; such a page may only read."""
    headers = {
        **OPEN,
        "Allow": ", ".join(dict.fromkeys(["GET", "HEAD", *methods, "OPTIONS"])),
        "Access-Control-Allow-Methods": "GET, HEAD",
        "Access-Control-Max-Age": "86400",
        "Access-Control-Allow-Headers": "Accept, If-None-Match",
    }
    return lambda _: Response(None, 204, headers)


def lines(request: Request, records: Iterable[Any]) -> Response:
    """A record a line, sent as they are read: the list may be as long as it likes. Who asks by HEAD wants none."""
    sent = _dumped(records) if request.method != "HEAD" else ()
    return StreamingResponse(sent, headers=OPEN, media_type=JSON_LINES)


def _dumped(records: Iterable[Any]) -> Iterator[bytes]:
    """Some lines at once: each piece that is sent costs a change of threads."""
    coming = iter(records)
    while some := b"".join(
        encode(record) + b"\n" for record in islice(coming, _LINES_AT_ONCE)
    ):
        yield some


def wants_lines(request: Request) -> bool:
    return (
        JSON_LINES in request.headers.get("accept", "")
        or request.query_params.get("f") == "jsonl"
    )


def problem(status: int, sentence: str, parameter: str = "") -> Response:
    """An RFC 9457 problem document."""
    record: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
    }
    record["detail"] = sentence
    if parameter:
        record["parameter"] = parameter
    return Response(encode(record), status, OPEN, "application/problem+json")
