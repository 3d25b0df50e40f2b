"""The tables that search reads, written: services in a short list, sealed into blocks, blocks merged, old ones renewed.

Nothing in a block changes. A service that is written anew gets new entries at the end, and its last ones count.
Work stays in proportion: each entry is sealed once, and merged once where it came in a small transaction. Of large
ones more are waited for: fewer lists of the same words, large enough to stay as they are.
"""
# ruff: noqa: S608 - only numbers of our own are put into the statements

from __future__ import annotations

import sqlite3
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.wording.languages import languages

from .entries import offset_type

SEAL_ENTRIES = 8_192
FEW_ROWS = 100  # fresh transactions that a search looks through for every word
LARGE_ENTRIES = 1 << 15
MERGE_BLOCKS = 7  # together they stay below 65,536 entries, whose numbers fit two bytes
MERGED_ENTRIES = 1 << 16
MOST_SPANS = 4  # of years that one service covers
RECORD = np.dtype(
    [
        ("num", "<u4"), ("size", "<u4"), ("twin", "<u8"), ("facets", "<u2"), ("quality", "u1"),
        ("language", "u1"), ("years", "<i2", (MOST_SPANS, 2)),
    ]
)  # fmt: skip
LANGUAGES = tuple(languages())
_Bytes = npt.NDArray[np.uint8]


def seal(connection: sqlite3.Connection) -> list[int]:
    """Make a block of all fresh services where there are enough entries; merge and renew blocks where it is time.

    Numbers of services that must be written anew, for they are left over from a block that is no more.
    """
    entries, count = connection.execute("SELECT coalesce(sum(size), 0), count(*) FROM fresh").fetchone()
    if not entries or entries < (SEAL_ENTRIES if count >= FEW_ROWS else LARGE_ENTRIES):
        return []
    is_large = entries >= LARGE_ENTRIES
    if is_large:
        _merge(connection, least=1)  # what is merged stands together
    rows = connection.execute(
        "SELECT id, size, record, facets, boxes, terms, counts, offsets, worths FROM fresh ORDER BY id"
    ).fetchall()
    sizes = [row[1] for row in rows]
    starts = np.cumsum([0, *sizes[:-1]])
    parts = _Parts(
        terms=[term for row in rows if row[5] for term in row[5].split("\n")],
        counts=np.frombuffer(b"".join(row[6] for row in rows), "<u4").astype(np.int64),
        offsets=np.concatenate(
            [
                np.frombuffer(row[7], offset_type(size)).astype(np.int64) + start
                for row, size, start in zip(rows, sizes, starts, strict=True)
            ]
        ),
        worths=np.frombuffer(b"".join(row[8] for row in rows), np.uint8),
    )
    columns = [b"".join(row[column] for row in rows) for column in (2, 3, 4)]
    _write_block(connection, (rows[0][0], int(is_large), sum(sizes), *columns), parts)
    connection.execute("DELETE FROM fresh")
    _merge(connection, MERGE_BLOCKS)
    return _leave(connection)


class _Parts(NamedTuple):
    """Postings of several sources, one after the other: per part a term and how many postings it has."""

    terms: list[str]
    counts: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    worths: _Bytes


def _write_block(connection: sqlite3.Connection, block: tuple[Any, ...], parts: _Parts) -> None:
    """The parts sorted by term, those of one term in the order in which they came."""
    id_, _, size, *_ = block
    connection.execute("INSERT INTO block (id, level, size, records, facets, boxes) VALUES (?, ?, ?, ?, ?, ?)", block)
    names = sorted(set(parts.terms))
    number = {term: at for at, term in enumerate(names)}
    owner = np.repeat(np.array([number[term] for term in parts.terms], dtype=np.int32), parts.counts)
    order = np.argsort(owner, kind="stable")
    ends = np.cumsum(np.bincount(owner, minlength=len(names))).tolist()
    kind = offset_type(size)
    offsets = parts.offsets[order].astype(kind).tobytes()
    worths = parts.worths[order].tobytes()
    width = kind.itemsize
    connection.executemany(
        "INSERT INTO posting (block, term, hits) VALUES (?, ?, ?)",
        (
            (id_, term, offsets[start * width : end * width] + worths[start:end])
            for term, start, end in zip(names, [0, *ends], ends, strict=False)
        ),
    )


def read_hits(hits: bytes, size: int) -> tuple[npt.NDArray[np.integer], _Bytes]:
    """Entries within a block of so many, and worths."""
    kind = offset_type(size)
    count = len(hits) // (kind.itemsize + 1)
    return np.frombuffer(hits, kind, count), np.frombuffer(hits, np.uint8, offset=count * kind.itemsize)


def _merge(connection: sqlite3.Connection, least: int) -> None:
    """Join the small blocks at the end where there are so many; few blocks mean few look-ups for a word."""
    small = connection.execute("SELECT id, size FROM block WHERE level = 0 ORDER BY id").fetchall()
    total = sum(size for _, size in small)
    if not small or (len(small) < least and total < MERGED_ENTRIES):
        return
    marks = ",".join(str(block) for block, _ in small)
    rows = connection.execute(f"SELECT records, facets, boxes FROM block WHERE id IN ({marks}) ORDER BY id").fetchall()
    pieces = []
    start = 0
    for block, size in small:
        pieces.append(_block_parts(connection, block, size, start))
        start += size
    connection.execute(f"DELETE FROM posting WHERE block IN ({marks})")
    connection.execute(f"DELETE FROM block WHERE id IN ({marks})")
    parts = _Parts(
        [term for piece in pieces for term in piece.terms],
        *(np.concatenate([piece[column] for piece in pieces]) for column in (1, 2, 3)),
    )
    columns = (b"".join(column) for column in zip(*rows, strict=True))
    _write_block(connection, (small[0][0], 1, total, *columns), parts)


def _block_parts(connection: sqlite3.Connection, block: int, size: int, start: int) -> _Parts:
    """The postings of a block, whose entries come after so many others."""
    rows = connection.execute("SELECT term, hits FROM posting WHERE block = ? ORDER BY term", (block,)).fetchall()
    kind = offset_type(size)
    counts = [len(hits) // (kind.itemsize + 1) for _, hits in rows]
    offsets = b"".join(hits[: n * kind.itemsize] for (_, hits), n in zip(rows, counts, strict=True))
    worths = b"".join(hits[n * kind.itemsize :] for (_, hits), n in zip(rows, counts, strict=True))
    return _Parts(
        [term for term, _ in rows],
        np.array(counts, dtype=np.int64),
        np.frombuffer(offsets, kind).astype(np.int64) + start,
        np.frombuffer(worths, np.uint8),
    )


def _leave(connection: sqlite3.Connection) -> list[int]:
    """Give up a block most of which has been overwritten, one at a time; who still lives in it."""
    blocks = connection.execute("SELECT id, records FROM block ORDER BY id").fetchall()
    nums = [np.frombuffer(records, RECORD)["num"] for _, records in blocks]
    everything = np.concatenate(nums)
    ends = np.cumsum([len(own) for own in nums])
    last = np.zeros(int(everything.max()) + 1, dtype=np.int64)
    last[everything] = np.arange(len(everything))  # of those with one number the last is kept
    lives = last[everything] == np.arange(len(everything))
    for (block, _), own, alive in zip(blocks, nums, np.split(lives, ends[:-1]), strict=True):
        if np.count_nonzero(alive) * 2 < len(own):
            connection.execute("DELETE FROM posting WHERE block = ?", (block,))
            connection.execute("DELETE FROM block WHERE id = ?", (block,))
            return sorted(own[alive].tolist())
    return []
