"""Is this service new, or known by another address? As `rules` decides, asked of the tables."""
# ruff: noqa: S608 - only a constant is put into the statements

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from geohound.model.service import Service
from geohound.stores.rules import loose_endpoint
from geohound.urls import canonical, endpoint


class Home(NamedTuple):
    """A known service, seen from a new reading."""

    num: int
    is_own: bool  # read at the service's own address
    is_proved: bool  # read there, or the same content as what is kept


_FIND = "SELECT num, loose_endpoint, fingerprint, content_key FROM service"


def find_door(connection: sqlite3.Connection, service: Service, content: str) -> Home | None:
    """The service that was read at this very address before, whatever it shows now; `content` is its content key."""
    found = connection.execute(f"{_FIND} JOIN door ON door.service = num WHERE door.id = ?", (service.id,))
    return _judge(found.fetchone(), service, content)


def find_twin(connection: sqlite3.Connection, service: Service, content: str) -> Home | None:
    """The service of the same content that was read at another address; on its own host first of all."""
    found = _find_by_loose_endpoint(connection, service, content)
    return found or (_find_by_fingerprint(connection, service, content) if service.fingerprint else None)


def _judge(row: tuple[int, str, str, str] | None, service: Service, content: str) -> Home | None:
    if row is None:
        return None
    num, loose, fingerprint, known = row
    is_own = loose == loose_endpoint(service.endpoint)
    same = is_own or service.fingerprint == fingerprint != "" or content == known != ""
    return Home(num, is_own, same)


def _find_by_fingerprint(connection: sqlite3.Connection, service: Service, content: str) -> Home | None:
    """The same document under another address, or at the address that the document gives (OSS-9, R2).

    The given address counts only where that address was read itself and showed the same.
    """
    declared = canonical(service.online_resource) if service.online_resource else None
    found = connection.execute(
        f"""{_FIND} WHERE fingerprint = :fingerprint AND fingerprint <> '' AND kind = :kind AND (
             (content_key = :content AND :content <> '')
             OR num IN (SELECT service FROM door WHERE endpoint = :declared)
           ) ORDER BY num LIMIT 1""",
        {
            "fingerprint": service.fingerprint,
            "kind": service.kind,
            "content": content,
            "declared": endpoint(declared) if declared else "",
        },
    )
    return _judge(found.fetchone(), service, content)


def _find_by_loose_endpoint(connection: sqlite3.Connection, service: Service, content: str) -> Home | None:
    found = connection.execute(
        f"""{_FIND} WHERE loose_endpoint = :loose AND kind = :kind AND (
             (fingerprint = :fingerprint AND :fingerprint <> '')
             OR (content_key = :content AND :content <> '')
           ) ORDER BY num LIMIT 1""",
        {
            "loose": loose_endpoint(service.endpoint),
            "kind": service.kind,
            "fingerprint": service.fingerprint,
            "content": content,
        },
    )
    return _judge(found.fetchone(), service, content)
