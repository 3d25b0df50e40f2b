"""Common Crawl's columnar index: addresses of services by one column of one row group at a time, without crawling."""

from __future__ import annotations

import io
import re
from datetime import datetime
from typing import Any

from geohound.contracts import Fetcher
from geohound.model.crawl.harvest import MAX_LISTED, HarvestPage, Listed, fingerprint
from geohound.model.failure import FailureReason
from geohound.model.visit import MAX_URL_CHARS, Failure

from . import _asking, _pieces
from ._parquet_pages import CODED, DICTIONARY, PREFIXES, page_heads
from ._part import Part, from_date
from ._service_words import SERVICE_WORDS

TAIL_BYTES = 65_536  # of the file, with the footer; more where the footer is larger
MAX_FOOTER_BYTES = 4_000_000  # reading it takes many times as much
MAX_COLUMN_BYTES = 256_000_000  # of one column of a row group, packed and unpacked
MAX_PAGE_BYTES = 64_000_000  # of one page of it, unpacked
MAX_DICTIONARY_BYTES = 16_000_000  # unpacked; it is gone through for each batch
MAX_ROWS = 20_000_000  # of one row group
MAX_READ_BYTES = 1_000_000_000  # of one column, as all batches together hold it
_BATCH_ROWS = 65_536
_BATCH_BYTES = 64_000_000
_PADDING = 100  # that the reader takes for granted behind a column
_URLS = ("url", "original", "URL")  # names of the column with addresses
_STATUS = "fetch_status"
_TIME = "fetch_time"
_LOCAL = re.compile(r"^file:.*\.parquet$")
_PATHS = re.compile(r"\.paths(?:\.gz)?$")
_MAGIC = b"PAR1"


class _KnownParts(io.RawIOBase):
    """A file of which some parts are known; what else is read is an error."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size
        self._at = 0
        self._parts: list[tuple[int, bytes]] = []

    def add(self, first: int, data: bytes) -> None:
        self._parts.append((first, data))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = (0, self._at, self._size)[whence] + offset
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        wanted = min(size if size >= 0 else self._size, self._size - self._at)
        for first, data in self._parts:
            if first <= self._at and self._at + wanted <= first + len(data):
                start = self._at - first
                self._at += wanted
                return data[start : start + wanted]
        raise OSError("a part of the file that was not asked for")


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """The addresses of one row group that look like those of services."""
    if _PATHS.search(source):
        return await _pieces.paths_file(source, fetcher, ".parquet")
    said = _asking.unpack(cursor)
    group, since = _asking.number(said.get("group")), str(said.get("since", ""))
    tail = await _tail(source, fetcher)
    if isinstance(tail, Failure):
        return tail
    known = _KnownParts(tail.total)
    known.add(tail.first, tail.data)
    try:
        about = _metadata(known)
        if group >= about.num_row_groups:
            return HarvestPage()
        wanted = _columns(about, group, since)
        if not wanted:
            return _asking.not_understood(
                tail.document, "an index of addresses in Parquet"
            )
        rows = _BATCH_ROWS
        for name, first, size in _places(about, group, wanted):
            part = await _pieces.piece(
                fetcher, source, first, min(size + _PADDING, tail.total - first)
            )
            if isinstance(part, Failure):
                return part
            known.add(part.first, part.data)
            rows = min(rows, _rows_at_once(name, part.data[:size]))
        found = _services(known, about, group, wanted, since, rows)
    except _damage() as error:
        return _asking.failure(
            tail.document.response,
            FailureReason.BAD_ANSWER,
            f"damaged Parquet: {error}",
        )
    is_last = group + 1 >= about.num_row_groups
    onward = b"" if is_last else _asking.pack(group=group + 1, since=since)
    mark = fingerprint(f"{source} {group}", [str(about.row_group(group).num_rows)])
    listed = tuple(map(Listed, dict.fromkeys(found)))
    return HarvestPage(
        listed, (), onward, mark, about.row_group(group).num_rows, names_files=True
    )


def _damage() -> tuple[type[Exception], ...]:
    import pyarrow as pa  # noqa: PLC0415 - of the extra `archives`

    return (pa.ArrowException, OSError, ValueError)


async def _tail(source: str, fetcher: Fetcher) -> _pieces.Piece | Failure:
    """The end of the file with the whole footer."""
    tail = await _pieces.piece(fetcher, source, -TAIL_BYTES, TAIL_BYTES)
    if isinstance(tail, Failure):
        return tail
    if not tail.data.endswith(_MAGIC) or not tail.total:
        return _asking.not_understood(tail.document, "a Parquet file")
    footer = int.from_bytes(tail.data[-8:-4], "little") + 8
    if footer <= len(tail.data):
        return tail
    if footer > min(MAX_FOOTER_BYTES, tail.total):
        return _asking.failure(
            tail.document.response,
            FailureReason.BAD_ANSWER,
            f"a footer of {footer} bytes",
        )
    return await _pieces.piece(fetcher, source, -footer, footer)


def _metadata(known: _KnownParts) -> Any:
    from pyarrow import parquet  # noqa: PLC0415

    return parquet.read_metadata(known)


def _columns(about: Any, group: int, since: str) -> dict[str, Any]:
    """The column with addresses, and those of the status and, if it is asked for, the time where there are such."""
    row_group = about.row_group(group)
    by_name = {
        row_group.column(n).path_in_schema: row_group.column(n)
        for n in range(row_group.num_columns)
    }
    address = next((name for name in _URLS if name in by_name), None)
    names = (address, _STATUS, *([_TIME] if since else [])) if address else ()
    return {name: by_name[name] for name in names if name in by_name}


def _places(
    about: Any, group: int, wanted: dict[str, Any]
) -> list[tuple[str, int, int]]:
    """Where the columns are; ValueError where they are larger than what is read."""
    if about.row_group(group).num_rows > MAX_ROWS:
        raise ValueError(f"row group {group} has more than {MAX_ROWS} rows")
    repeated = {
        column.path
        for column in map(about.schema.column, range(about.num_columns))
        if column.max_repetition_level
    }
    found = []
    for name, column in wanted.items():
        is_text = column.physical_type == "BYTE_ARRAY"
        if is_text != (name in _URLS) or name in repeated:
            raise ValueError(f"the column {name} holds something else")
        starts = [
            column.data_page_offset,
            column.dictionary_page_offset if column.has_dictionary_page else None,
        ]
        first = min(start for start in starts if start)
        size = max(column.total_compressed_size, column.total_uncompressed_size)
        if not first > 0 or size > MAX_COLUMN_BYTES:
            raise ValueError(
                f"the column {name} of row group {group} takes {size} bytes"
            )
        found.append((name, first, column.total_compressed_size))
    return found


def _rows_at_once(name: str, packed: bytes) -> int:
    """How many rows of this column can be read at a time, by what its pages say; ValueError where none can."""
    whole, longest, is_coded = 0, 1, True
    for page in page_heads(packed):
        whole += page.unpacked
        is_dictionary = page.kind == DICTIONARY
        most = MAX_DICTIONARY_BYTES if is_dictionary else MAX_PAGE_BYTES
        if page.unpacked > most or whole > MAX_COLUMN_BYTES:
            raise ValueError(f"a page of the column {name} takes {page.unpacked} bytes")
        if is_dictionary or page.encoding == PREFIXES:
            # each row may hold as much as the whole page
            longest = max(longest, page.unpacked)
        is_coded = is_coded and page.encoding in CODED
    # read as a dictionary, or as what it unpacks to
    return _BATCH_ROWS if is_coded else min(_BATCH_ROWS - 1, _BATCH_BYTES // longest)


def _services(
    known: _KnownParts, about: Any, group: int, wanted: dict[str, Any], since: str, batch_rows: int
) -> list[str]:  # fmt: skip
    """Addresses with a word of services, of pages that were there, fetched since that day."""
    from pyarrow import compute, parquet  # noqa: PLC0415

    address = next(name for name in _URLS if name in wanted)
    # A word that is repeated stays one word; other encodings cannot be read so.
    words = [address] if batch_rows == _BATCH_ROWS else None
    file = parquet.ParquetFile(
        known, metadata=about, read_dictionary=words, pre_buffer=False
    )
    found: dict[str, None] = {}
    read = 0
    for batch in file.iter_batches(
        batch_rows, row_groups=[group], columns=list(wanted), use_threads=False
    ):
        column = batch[address]
        read += column.nbytes
        if read > MAX_READ_BYTES:
            raise ValueError(f"the column {address} holds more than {read} bytes")
        kept = _look_like_services(column)
        if _STATUS in wanted:
            kept = compute.and_(kept, compute.equal(batch[_STATUS], 200))
        if _TIME in wanted:
            kept = compute.and_(kept, _is_since(batch[_TIME], since))
        for each in compute.unique(column.filter(kept)).to_pylist():
            if isinstance(each, str):
                found[each] = None
        if len(found) >= MAX_LISTED:
            break
    return list(found)[:MAX_LISTED]


def _look_like_services(column: Any) -> Any:
    """Which rows have a word of services, and are no longer than an address may be."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import compute  # noqa: PLC0415

    is_coded = isinstance(column, pa.DictionaryArray)
    words = column.dictionary if is_coded else column
    is_short = compute.less_equal(compute.binary_length(words), MAX_URL_CHARS)
    matches = compute.match_substring_regex(words, SERVICE_WORDS, ignore_case=True)
    kept = compute.and_(matches, is_short)
    return kept.take(column.indices) if is_coded else kept


def _is_since(times: Any, since: str) -> Any:
    """Which rows are of that day or later; a row without a time may be."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import compute  # noqa: PLC0415

    clock = pa.timestamp("ms")
    first = pa.scalar(datetime.fromisoformat(since), clock)
    is_since = compute.greater_equal(times.cast(clock, safe=False), first)
    return compute.fill_null(is_since, fill_value=True)


HARVESTERS = (
    Part(
        "parquet",
        "Common Crawl's columnar index",
        page,
        from_date,
        address=_LOCAL,
        needs="pyarrow",
    ),
)
