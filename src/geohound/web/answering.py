"""JSON answers of the API: with a tag that spares sending them twice, as problems, or line by line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from http import HTTPStatus
from itertools import islice
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

# Reading is public and no answer depends on who asks, so that other sites' pages may read too.
_OPEN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Retry-After",
    "Vary": "Accept",
}
_PASSING = ("elapsed_ms",)  # what differs from one answer to the next though nothing has changed
JSON_LINES = "application/x-ndjson"
_MAX_TAGS = 50
_LINES_AT_ONCE = 50


def answer(request: Request, record: Any, media_type: str = "application/json") -> Response:
    """The record; nothing but 304 where the asker holds it already."""
    lasting = {k: v for k, v in record.items() if k not in _PASSING} if isinstance(record, dict) else record
    tag = f'"{hashlib.sha256(dump(lasting).encode()).hexdigest()[:24]}"'
    headers = {**_OPEN, "ETag": tag, "Cache-Control": "no-cache"}
    if _knows(request.headers.get("if-none-match", ""), tag):
        return Response(None, 304, headers)
    return Response(dump(record), 200, headers, media_type)


def _knows(stated: str, tag: str) -> bool:
    """Gzip makes strong tags weak on their way through a proxy: they mean the same here."""
    tags = [part.strip().removeprefix("W/") for part in stated.split(",")[:_MAX_TAGS]]
    return tag in tags or "*" in tags


def preflight(_: Request) -> Response:
    """What a browser asks before a page of another site may send If-None-Match."""
    allowed = {
        "Allow": "GET, HEAD, OPTIONS",
        "Access-Control-Allow-Methods": "GET, HEAD",
        "Access-Control-Max-Age": "86400",
    }
    return Response(None, 204, {**_OPEN, **allowed, "Access-Control-Allow-Headers": "Accept, If-None-Match"})


def lines(request: Request, records: Iterable[Mapping[str, Any]]) -> Response:
    """A record a line, sent as they are read: the list may be as long as it likes. Who asks by HEAD wants none."""
    sent = _dumped(records) if request.method != "HEAD" else ()
    return StreamingResponse(sent, headers=_OPEN, media_type=JSON_LINES)


def _dumped(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Some lines at once: each piece that is sent costs a change of threads."""
    coming = iter(records)
    while some := "".join(dump(record) + "\n" for record in islice(coming, _LINES_AT_ONCE)):
        yield some


def wants_lines(request: Request) -> bool:
    return JSON_LINES in request.headers.get("accept", "") or request.query_params.get("f") == "jsonl"


def problem(status: int, sentence: str, parameter: str = "") -> Response:
    """An RFC 9457 problem document."""
    record: dict[str, Any] = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    record["detail"] = sentence
    if parameter:
        record["parameter"] = parameter
    return Response(dump(record), status, _OPEN, "application/problem+json")


def dump(record: Any) -> str:
    # ASCII output: crawled text may hold lone surrogates, which UTF-8 cannot carry.
    return json.dumps(record, default=_as_text, allow_nan=False, separators=(",", ":"))


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
