"""What proved a service, so that the next visit may ask whether anything has changed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from geohound.model.health import Check
from geohound.model.service import CachedProof, CataloguedService, KnownProofs
from geohound.model.version import __version__
from geohound.model.visit import Validators
from geohound.stores.merge_rules import TRUST_S
from geohound.stores.sql.database import Connection, marks
from geohound.urls import endpoint

from .codec import clean
from .reading import read_services

_WRITE = """
INSERT INTO proof (service, url, etag, modified, at, reader) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (service) DO UPDATE SET url = excluded.url, etag = excluded.etag, modified = excluded.modified,
  at = excluded.at, reader = excluded.reader
WHERE proof.url <> excluded.url OR proof.etag <> excluded.etag OR proof.modified <> excluded.modified
  OR proof.reader <> excluded.reader OR proof.at < excluded.at - ?"""
_PROVING = """
SELECT id, kind, endpoint, url FROM service LEFT JOIN proof ON service = num
WHERE num IN"""
_FIND = (
    "SELECT service, etag, modified FROM proof WHERE url = ? AND reader = ? AND at > ?"
)


def note_proof(connection: Connection, num: int, check: Check, *, is_new: bool) -> None:
    """The answer of this look stands for the service from now on; the same answer again does not make it younger."""
    known = check.validators
    if known is not None:
        at = check.at.timestamp()
        row = (
            num,
            clean(check.asked),
            known.etag,
            known.last_modified,
            at,
            __version__,
            TRUST_S,
        )
        connection.execute(_WRITE, row)
    else:
        if not is_new:
            connection.execute("DELETE FROM proof WHERE service = ?", (num,))
        if check.asked:  # nor does it stand for others that it proved
            connection.execute("DELETE FROM proof WHERE url = ?", (clean(check.asked),))


def recall(connection: Connection, url: str) -> CachedProof | None:
    """What this request proved, if it is young enough and all that it proved came with the same answer."""
    rows = connection.execute(
        _FIND, (clean(url), __version__, time.time() - TRUST_S)
    ).fetchall()
    validators = {Validators(etag, modified) for _, etag, modified in rows}
    if len(validators) != 1:
        return None
    services = read_services(connection, [num for num, _, _ in rows])
    return CachedProof(validators.pop(), tuple(services.values()))


def known_at(connection: Connection, url: str, nums: Sequence[int]) -> KnownProofs:
    """What is known of the services `nums` at an address: what this request proved, and those that proved them."""
    rows: list[Any] = []
    if nums:  # which hardly a page has
        rows = connection.execute(f"{_PROVING} ({marks(nums)})", nums).fetchall()
    requests = {url} | {asked for *_, asked in rows if asked}
    proved = {
        asked: past
        for asked in requests
        if (past := recall(connection, asked)) is not None
    }
    services = tuple(CataloguedService(id_, kind, home) for id_, kind, home, _ in rows)
    endpoints = {service.endpoint for service in services} | (
        {endpoint(url)} if rows else set()
    )
    return KnownProofs(proved, frozenset(endpoints), services)
