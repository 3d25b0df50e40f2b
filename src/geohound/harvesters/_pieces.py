"""Pieces of large files: of one on this machine, or of one on a web server by range requests."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from typing import NamedTuple

from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.crawl.harvest import HarvestPage, fingerprint
from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, Response

from . import _asking

MAX_OFFSET = 10**13
_RANGE = re.compile(r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15}|\*)")


class Piece(NamedTuple):
    """Some bytes of a file, and where they stand in it."""

    data: bytes
    first: int
    total: int  # size of the file; 0 where the server does not say
    document: Document  # the answer, for the sentence about one that is no such file

    @property
    def is_end(self) -> bool:
        return not self.data or (
            bool(self.total) and self.first + len(self.data) >= self.total
        )


async def piece(
    fetcher: Fetcher, source: str, first: int, size: int
) -> Piece | Failure:
    """So many bytes from a position; a negative one is counted from the end."""
    if _asking.is_local(source):
        return await asyncio.to_thread(_of_file, source, first, size)
    visit = await fetcher.fetch(source, max_bytes=size, span=(first, size))
    if isinstance(visit, Response) and visit.status == 416:
        return Piece(b"", max(first, 0), max(first, 0), Document(visit))
    answer = _asking.judged(visit)
    return answer if isinstance(answer, Failure) else _of_answer(answer, first, size)


def _of_answer(document: Document, first: int, size: int) -> Piece | Failure:
    """What was asked for, from a server that sends parts of files, or from one that always sends the whole."""
    response = document.response
    found = None
    if response.status == 206:
        found = _of_part(document, first, size)
    elif response.status == 200:
        found = _of_whole(document, first, size)
    if found is not None:
        return found
    trouble = "the server sends no parts of files (range requests)"
    return _asking.failure(response, FailureReason.BAD_ANSWER, trouble)


def _of_part(document: Document, first: int, size: int) -> Piece | None:
    """The part that the server says it sends, if that is the one that was asked for."""
    response = document.response
    said = _RANGE.match(response.headers.get("content-range", ""))
    if said is None:
        return None
    at = int(said[1])
    total = int(said[3]) if said[3].isdecimal() else 0
    is_wanted = first < 0 or at == first
    return Piece(response.body[:size], at, total, document) if is_wanted else None


def _of_whole(document: Document, first: int, size: int) -> Piece | None:
    """A part of the whole file; where it was cut off, only its beginning is known to be in place."""
    response = document.response
    if response.truncated and first != 0:
        return None
    length = len(response.body)
    if response.truncated:
        total = _asking.number(response.headers.get("content-length"))
    else:
        total = length
    at = first if first >= 0 else max(0, length + first)
    return Piece(response.body[at : at + size], at, total, document)


def _of_file(source: str, first: int, size: int) -> Piece | Failure:
    path, now = _asking.path_of(source), datetime.now(UTC)
    try:
        with path.open("rb") as file:
            total = file.seek(0, 2)
            at = first if first >= 0 else max(0, total + first)
            file.seek(at)
            data = file.read(size)
    except OSError as error:
        return Failure(
            source,
            FailureReason.BAD_ANSWER,
            f"{path} cannot be read: {error.strerror}",
            now,
        )
    return Piece(
        data,
        at,
        total,
        Document(Response(source, source, 200, {}, data[:100_000], now)),
    )


def offset(value: object) -> int:
    """A position in a file, as a cursor has it."""
    return value if isinstance(value, int) and 0 <= value <= MAX_OFFSET else 0


async def paths_file(
    source: str, fetcher: Fetcher, ending: str
) -> HarvestPage | Failure:
    """The files that Common Crawl's list of paths names, each from the root of its server."""
    answer = await _asking.ask(fetcher, source)
    if isinstance(answer, Failure):
        return answer
    root = "/".join(source.split("/", 3)[:3])
    lines = (
        line.strip() for line in answer.text.splitlines()[: _asking.MAX_RECORDS * 10]
    )
    found = tuple(
        f"{root}/{line.lstrip('/')}"
        for line in lines
        if line.endswith(ending) and " " not in line
    )
    if not found:
        return _asking.not_understood(answer, f"a list of paths of files *{ending}")
    return HarvestPage(
        sources=found, fingerprint=fingerprint(source, found), records=len(found)
    )
