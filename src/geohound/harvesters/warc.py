"""WARC files, as Common Crawl and archives of the Web publish them: their pages are mined as live ones are."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from geohound.contracts import Fetcher
from geohound.model.crawl.harvest import HarvestPage, fingerprint
from geohound.model.visit import Failure, Response

from . import _asking, _pieces
from ._part import Part, from_date
from ._records import is_before

PIECE_BYTES = 4_000_000  # of the file at a time
MAX_PIECE_BYTES = 32_000_000  # for a record that is larger
MAX_PAGE_BYTES = 2_000_000  # of one page in the archive; a larger one is read in part
MAX_BYTES = 48_000_000  # of all pages of a piece, unpacked
MAX_HEADER_BYTES = 65_536
_MAGIC = (b"WARC/", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_LOCAL = re.compile(r"^file:.*\.warc(?:\.gz|\.zst)?$")
_PATHS = re.compile(r"\.paths(?:\.gz)?$")
_READ = re.compile(r"html|xml|json|javascript|text/plain", re.IGNORECASE)


class _Piece(NamedTuple):
    """The pages of a piece, and where the next piece begins within it; 0: it has no end of its own."""

    pages: list[Response]
    after: int
    has_records: bool


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """The pages of one piece of the file; the next piece begins with the record that may be cut off in this one."""
    if _PATHS.search(source):
        return await _pieces.paths_file(source, fetcher, ".warc.gz")
    said = _asking.unpack(cursor)
    first, since = _pieces.offset(said.get("at")), str(said.get("since", ""))
    size = min(_pieces.offset(said.get("size")) or PIECE_BYTES, MAX_PIECE_BYTES)
    piece = await _pieces.piece(fetcher, source, first, size)
    if isinstance(piece, Failure):
        return piece
    if not piece.data:
        return HarvestPage()
    if not piece.data.startswith(_MAGIC):
        return _asking.not_understood(piece.document, "a WARC file")
    read = _read(piece.data, is_end=piece.is_end)
    if not read.has_records:
        return _asking.not_understood(piece.document, "a WARC file")
    onward = b""
    if read.after:
        onward = _asking.pack(at=first + read.after, since=since)
    elif not piece.is_end and size < MAX_PIECE_BYTES:
        onward = _asking.pack(
            at=first, size=2 * size, since=since
        )  # one record fills it
    mark = fingerprint(source, [f"{first} {size}"])
    return HarvestPage(
        next=onward,
        fingerprint=mark,
        records=len(read.pages),
        documents=tuple(
            page for page in read.pages if not is_before(page.at.isoformat(), since)
        ),
    )


def _read(data: bytes, *, is_end: bool) -> _Piece:
    """All pages whose records are whole: the last record of a piece is, where the file ends with it."""
    pages: list[Response] = []
    # of a record that is known to be whole once another one follows it
    before: Response | None = None
    held = last = count = 0
    for at, found in _records(data):
        if before is not None:
            pages.append(before)
        if held > MAX_BYTES:
            return _Piece(pages, at, True)
        before, last, count = found, at, count + 1
        held += len(found.body) if found is not None else 0
    if is_end and before is not None:
        pages.append(before)
    return _Piece(pages, 0 if is_end else last, count > 0)


def _records(data: bytes) -> Iterator[tuple[int, Response | None]]:
    """The records with their places; None where one is no page. A file that is damaged ends there."""
    with warnings.catch_warnings():  # it warns of its own parts
        warnings.simplefilter("ignore")
        from fastwarc.warc import ArchiveIterator  # noqa: PLC0415 - of the extra `archives`

    try:
        records = ArchiveIterator(
            io.BytesIO(data), max_header_len=MAX_HEADER_BYTES, auto_decode="all"
        )
        for record in records:
            yield record.stream_pos, _page_of(record)
    except (ValueError, OSError, EOFError):
        return


def _page_of(record: Any) -> Response | None:
    kind = str(record.headers.get("WARC-Type") or "")
    headers = record.http_headers
    if kind.lower() != "response" or headers is None or headers.status_code != 200:
        return None
    url = str(record.headers.get("WARC-Target-URI") or "").strip("<>")
    if not url.startswith(("http://", "https://")):
        return None
    said = {str(name).lower(): str(value) for name, value in headers.astuples()}
    content_type = said.get("content-type", "")
    if content_type and not _READ.search(content_type):
        return None
    body = record.reader.read(MAX_PAGE_BYTES)
    at = record.record_date or datetime.now(UTC)
    return Response(url, url, 200, {"content-type": content_type}, body, at)


HARVESTERS = (
    Part("warc", "WARC archive", page, from_date, address=_LOCAL, needs="fastwarc"),
)
