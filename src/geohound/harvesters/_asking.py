"""What all harvesters do alike: ask for one document, say why it is none of theirs, and keep their place."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import orjson

from geohound.contracts import Fetcher
from geohound.document import Document, refusals
from geohound.model.failure import FailureReason
from geohound.model.service import Refusal, RefusalReason
from geohound.model.visit import Failure, Response, Visit
from geohound.politeness import asked_pause_s

MAX_BYTES = 32_000_000  # of one page of a catalogue
MAX_RECORDS = 10_000  # of one page: a server may send more than it was asked for
_MAX_DETAIL = 300


async def ask(fetcher: Fetcher, url: str, accept: str = "*/*") -> Document | Failure:
    """The document at an address, or why there is none; what may pass is a reason that is tried again."""
    if is_local(url):
        return await asyncio.to_thread(_of_file, url)
    return judged(await fetcher.fetch(url, accept=accept, max_bytes=MAX_BYTES))


def is_local(url: str) -> bool:
    """Is it a file of this machine? Only a user's own command names one: no address in an answer passes for one."""
    return url.startswith("file:")


def path_of(url: str) -> Path:
    return Path(url2pathname(urlsplit(url).path))


def _of_file(url: str) -> Document | Failure:
    path, now = path_of(url), datetime.now(UTC)
    try:
        with path.open("rb") as file:
            body = file.read(MAX_BYTES)
    except OSError as error:
        return Failure(
            url,
            FailureReason.BAD_ANSWER,
            f"{path} cannot be read: {error.strerror}",
            now,
        )
    return Document(Response(url, url, 200, {}, body, now))


def judged(visit: Visit) -> Document | Failure:
    """The document that an answer is, or why it is none."""
    if isinstance(visit, Failure):
        return visit
    document = Document(visit)
    if visit.status == 429:
        return failure(
            visit, FailureReason.RATE_LIMITED, "HTTP 429", asked_pause_s(visit)
        )
    if visit.status < 300:
        return document
    refusal = refusals.judge(document)
    if refusal.reason in refusals.WALLS:
        return failure(visit, refusals.WALLS[refusal.reason], refusal.detail)
    if visit.status >= 500 and refusal.reason is not RefusalReason.EXCEPTION_REPORT:
        return failure(
            visit,
            FailureReason.UNAVAILABLE,
            f"HTTP {visit.status}",
            asked_pause_s(visit),
        )
    if visit.status < 400:
        return failure(
            visit,
            FailureReason.BAD_ANSWER,
            f"leads to {visit.headers.get('location', 'nowhere')}",
        )
    said = (
        f"HTTP {visit.status}: {refusal.detail}"
        if refusal.detail
        else f"HTTP {visit.status}"
    )
    return failure(visit, FailureReason.HTTP_ERROR, said)


def not_understood(document: Document, wanted: str) -> Failure:
    """This answer is no page of such a catalogue: a wall, an exception, or something else."""
    refusal: Refusal = refusals.judge(document)
    reason = refusals.WALLS.get(refusal.reason, FailureReason.BAD_ANSWER)
    said = f"{wanted} was expected; {refusal.reason}"
    return failure(
        document.response,
        reason,
        f"{said}: {refusal.detail}" if refusal.detail else said,
    )


def failure(
    answer: Response,
    reason: FailureReason,
    detail: str,
    retry_after_s: float | None = None,
) -> Failure:
    return Failure(
        answer.url,
        reason,
        detail[:_MAX_DETAIL],
        answer.at,
        answer.elapsed_s,
        retry_after_s,
        answer.address,
    )


def pack(**values: str | int | list[str]) -> bytes:
    """A cursor; what is empty is left out."""
    said = {name: value for name, value in values.items() if value}
    return orjson.dumps(said) if said else b""


def unpack(cursor: bytes) -> Mapping[str, Any]:
    """What a cursor says; nothing where it is none of ours."""
    try:
        found = orjson.loads(cursor) if cursor else {}
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def number(value: object, default: int = 0) -> int:
    """A whole number as people write it into XML and JSON; the default where it is none."""
    try:
        found = int(str(value).strip())
    except ValueError:
        return default
    return found if 0 <= found <= 1_000_000_000 else default
