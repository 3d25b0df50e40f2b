"""The tables that search reads, written: services in a short list, sealed into blocks, blocks merged, old ones renewed.

Nothing in a block changes. A service that is written anew gets new entries at the end, and its last ones count.
Work stays in proportion: each entry is sealed once and merged once.
"""
# ruff: noqa: S608 - only numbers of our own are put into the statements

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from geohound.model.service import Service
from geohound.wording.languages import languages

from .entries import document, offset_type, printable_terms
from .facets import facet_ids, facets_of, quality_of, twin_key, years_of
from .reading import read_services

SEAL_ENTRIES = 8_192
MERGE_BLOCKS = 7  # together they stay below 65,536 entries, whose numbers fit two bytes
MERGED_ENTRIES = 1 << 16
RECORD = np.dtype(
    [
        ("num", "<u4"), ("size", "<u4"), ("twin", "<u8"), ("facets", "<u2"), ("first_year", "<i2"),
        ("last_year", "<i2"), ("quality", "u1"), ("language", "u1"),
    ]
)  # fmt: skip
LANGUAGES = tuple(languages())
_Bytes = npt.NDArray[np.uint8]


def add_service(
    connection: sqlite3.Connection, num: int, service: Service, topics: Sequence[tuple[str, str]] = ()
) -> None:
    """Make a service findable as it is now."""
    made = document(service)
    ids = np.array(facet_ids(connection, facets_of(service, made.language, topics)), dtype="<u4")
    years = years_of(service) or (0, -1)
    record = np.array(
        [(num, made.size, twin_key(num, service), len(ids), *years, quality_of(service), _number(made.language))],
        dtype=RECORD,
    )
    found = made.postings.values()
    offsets = np.array([entry for entries, _ in found for entry in entries], dtype=offset_type(made.size))
    worths = np.array([worth for _, values in found for worth in values], dtype=np.uint8)
    counts = np.array([len(entries) for entries, _ in found], dtype="<u4")
    connection.execute(
        "INSERT INTO fresh (service, size, record, facets, boxes, terms, counts, offsets, worths) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            num, made.size, record.tobytes(), ids.tobytes(), made.boxes.tobytes(), printable_terms(made.postings),
            counts.tobytes(), offsets.tobytes(), worths.tobytes(),
        ),
    )  # fmt: skip
    connection.execute("DELETE FROM topic WHERE service = ?", (num,))
    connection.executemany(
        "INSERT OR IGNORE INTO topic (service, topic, class) VALUES (?, ?, ?)",
        [(num, topic, class_) for topic, class_ in topics],
    )
    touch(connection, num)
    if connection.execute("SELECT coalesce(sum(size), 0) FROM fresh").fetchone()[0] >= SEAL_ENTRIES:
        seal(connection)


def touch(connection: sqlite3.Connection, num: int) -> None:
    """Let searches know that this service has changed."""
    connection.execute(
        "UPDATE service SET revision = (SELECT coalesce(max(revision), 0) + 1 FROM service) WHERE num = ?", (num,)
    )


def _number(language: str) -> int:
    return LANGUAGES.index(language)


def read_postings(
    size: int, terms: str, counts: bytes, offsets: bytes, worths: bytes
) -> Iterator[tuple[str, npt.NDArray[np.int64], _Bytes]]:
    """The postings of a fresh row: word, entries, worths."""
    ends = np.cumsum(np.frombuffer(counts, dtype="<u4")).tolist()
    entries = np.frombuffer(offsets, dtype=offset_type(size)).astype(np.int64)
    values = np.frombuffer(worths, dtype=np.uint8)
    start = 0
    for term, end in zip(terms.split("\n") if terms else (), ends, strict=True):
        yield term, entries[start:end], values[start:end]
        start = end


def seal(connection: sqlite3.Connection) -> None:
    """Make a block of all fresh services; merge and renew blocks where it is time."""
    rows = connection.execute(
        "SELECT id, size, record, facets, boxes, terms, counts, offsets, worths FROM fresh ORDER BY id"
    ).fetchall()
    if not rows:
        return
    size = sum(row[1] for row in rows)
    gathered: dict[str, list[tuple[npt.NDArray[np.int64], _Bytes]]] = {}
    start = 0
    for _, entries, _, _, _, *packed in rows:
        for term, offsets, worths in read_postings(entries, *packed):
            gathered.setdefault(term, []).append((offsets + start, worths))
        start += entries
    block = rows[0][0]
    connection.execute(
        "INSERT INTO block (id, level, size, records, facets, boxes) VALUES (?, 0, ?, ?, ?, ?)",
        (block, size, *(b"".join(row[column] for row in rows) for column in (2, 3, 4))),
    )
    written = ((block, term, _hits(size, gathered[term])) for term in sorted(gathered))
    connection.executemany("INSERT INTO posting (block, term, hits) VALUES (?, ?, ?)", written)
    connection.execute("DELETE FROM fresh")
    _merge(connection)
    _renew(connection)


def _hits(size: int, parts: Sequence[tuple[npt.NDArray[np.int64], _Bytes]]) -> bytes:
    if len(parts) == 1:
        offsets, worths = parts[0]
    else:
        offsets = np.concatenate([offsets for offsets, _ in parts])
        worths = np.concatenate([worths for _, worths in parts])
    return offsets.astype(offset_type(size)).tobytes() + worths.tobytes()


def read_hits(hits: bytes, size: int) -> tuple[npt.NDArray[np.integer], _Bytes]:
    """Entries within a block of so many, and worths."""
    kind = offset_type(size)
    count = len(hits) // (kind.itemsize + 1)
    return np.frombuffer(hits, kind, count), np.frombuffer(hits, np.uint8, offset=count * kind.itemsize)


def _merge(connection: sqlite3.Connection) -> None:
    """Join the small blocks at the end; few blocks mean few look-ups for a word."""
    small = connection.execute("SELECT id, size FROM block WHERE level = 0 ORDER BY id").fetchall()
    total = sum(size for _, size in small)
    if len(small) < MERGE_BLOCKS and total < MERGED_ENTRIES:
        return
    ids = [block for block, _ in small]
    starts, start = {}, 0
    for block, size in small:
        starts[block] = (start, size)
        start += size
    marks = ",".join(map(str, ids))
    rows = connection.execute(f"SELECT records, facets, boxes FROM block WHERE id IN ({marks}) ORDER BY id").fetchall()
    old = connection.execute(f"SELECT term, block, hits FROM posting WHERE block IN ({marks}) ORDER BY term, block")
    merged = [
        (ids[0], term, _hits(total, [_shifted(hits, *starts[block]) for _, block, hits in parts]))
        for term, parts in groupby(old, key=itemgetter(0))
    ]
    connection.execute(f"DELETE FROM posting WHERE block IN ({marks})")
    connection.execute(f"DELETE FROM block WHERE id IN ({marks})")
    connection.execute(
        "INSERT INTO block (id, level, size, records, facets, boxes) VALUES (?, 1, ?, ?, ?, ?)",
        (ids[0], total, *(b"".join(column) for column in zip(*rows, strict=True))),
    )
    connection.executemany("INSERT INTO posting (block, term, hits) VALUES (?, ?, ?)", merged)


def _shifted(hits: bytes, start: int, size: int) -> tuple[npt.NDArray[np.int64], _Bytes]:
    offsets, worths = read_hits(hits, size)
    return offsets.astype(np.int64) + start, worths


def _renew(connection: sqlite3.Connection) -> None:
    """Write the living of a block anew where most of it has been overwritten; one at a time."""
    blocks = connection.execute("SELECT id, records FROM block ORDER BY id").fetchall()
    nums = [np.frombuffer(records, RECORD)["num"] for _, records in blocks]
    if not nums:
        return
    everything = np.concatenate(nums)
    owner = np.zeros(int(everything.max()) + 1, dtype=np.int64)
    owner[everything] = np.repeat(np.arange(len(nums)), [len(n) for n in nums])
    fresh = [num for (num,) in connection.execute("SELECT service FROM fresh")]
    owner[[num for num in fresh if num < len(owner)]] = -1
    for place, ((block, _), own) in enumerate(zip(blocks, nums, strict=True)):
        living = np.unique(own[owner[own] == place])
        if len(living) * 2 < len(own):
            connection.execute("DELETE FROM posting WHERE block = ?", (block,))
            connection.execute("DELETE FROM block WHERE id = ?", (block,))
            for num in living.tolist():
                add_service(connection, num, read_services(connection, [num])[num], _topics(connection, num))
            return


def _topics(connection: sqlite3.Connection, num: int) -> list[tuple[str, str]]:
    return connection.execute("SELECT topic, class FROM topic WHERE service = ?", (num,)).fetchall()


def rebuild(connection: sqlite3.Connection) -> None:
    """Make all services findable anew, from what is kept of them."""
    for table in ("fresh", "posting", "block", "facet"):
        connection.execute(f"DELETE FROM {table}")
    last = 0
    while True:
        nums = connection.execute("SELECT num FROM service WHERE num > ? ORDER BY num LIMIT 100", (last,)).fetchall()
        if not nums:
            return
        for num, service in read_services(connection, [num for (num,) in nums]).items():
            add_service(connection, num, service, _topics(connection, num))
        last = nums[-1][0]
