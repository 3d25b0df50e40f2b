"""One page of a catalogue that is harvested: what it lists, and where the next one begins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from geohound.model.visit import Response

MAX_CURSOR_BYTES = 4_096  # the longest cursor that a frontier keeps
MAX_LISTED = 100_000  # addresses of one page; further ones are counted and left


class Listed(NamedTuple):
    """An address that a record names; what the record says of it is a hint, and proves nothing."""

    url: str
    title: str = ""
    # Cat-Interop identifier, such as OGC:WMS, where the label is known
    protocol: str = ""


@dataclass(frozen=True, slots=True)
class HarvestPage:
    """What one page of a catalogue brought."""

    listed: tuple[Listed, ...] = ()
    # further catalogues, to be read by the same harvester
    sources: tuple[str, ...] = ()
    next: bytes = b""  # cursor of the next page; empty: this was the last one
    fingerprint: int = 0  # hash of the records of the page; 0 if it has none
    records: int = 0
    names_files: bool = False  # a list of data too: only URLs that a label or their pattern calls a service are tested
    # what is no service is a page to be read, as near as the list itself
    names_pages: bool = False
    # pages of an archive, to be read like live pages
    documents: tuple[Response, ...] = ()
    total: int = 0  # of the records, as the catalogue says; 0 where it does not


def fingerprint(source: str, records: Iterable[str]) -> int:
    """A signed 64-bit number for the records of a page, by their ids; 0 where there are none."""
    digest = blake2b(source.encode("utf-8", "replace"), digest_size=8)
    has_records = False
    for record in records:
        digest.update(b"\0" + record.encode("utf-8", "replace"))
        has_records = True
    return int.from_bytes(digest.digest(), "big", signed=True) if has_records else 0
