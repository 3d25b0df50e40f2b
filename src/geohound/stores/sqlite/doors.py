"""Is this service new, or known by another address? And what remains when two readings of one meet."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from dataclasses import replace

from geohound.model.service import Service
from geohound.model.url import canonical, endpoint

_NUMBERS = re.compile(r"\d+")


def loose_endpoint(address: str) -> str:
    """An endpoint without scheme and leading www (OSS-9, R1)."""
    return address.partition("://")[2].removeprefix("www.").rstrip("/")


def content_key(service: Service) -> str:
    """Stands for title and layer names; empty without layers, for then nothing tells two services apart."""
    if not service.layers:
        return ""
    names = "\0".join((service.title, *(layer.name or layer.title for layer in service.layers)))
    return hashlib.sha256(names.encode("utf-8", "replace")).hexdigest()[:32]


def find_home(connection: sqlite3.Connection, service: Service) -> int | None:
    """The number of the known service that this one is; None if it is new."""
    row = connection.execute("SELECT service FROM door WHERE id = ?", (service.id,)).fetchone()
    if row is None and service.fingerprint:
        row = _find_by_fingerprint(connection, service)
    if row is None:
        row = _find_by_loose_endpoint(connection, service)
    return row[0] if row else None


def _find_by_fingerprint(connection: sqlite3.Connection, service: Service) -> tuple[int] | None:
    """The same document under another address, or at the address that the document gives (OSS-9, R2)."""
    declared = canonical(service.online_resource) if service.online_resource else None
    row: tuple[int] | None = connection.execute(
        """SELECT num FROM service WHERE fingerprint = :fingerprint AND kind = :kind AND (
             (content_key = :content AND :content <> '')
             OR num IN (SELECT service FROM door WHERE endpoint = :declared)
           ) ORDER BY num LIMIT 1""",
        {
            "fingerprint": service.fingerprint,
            "kind": service.kind,
            "content": content_key(service),
            "declared": endpoint(declared) if declared else "",
        },
    ).fetchone()
    return row


def _find_by_loose_endpoint(connection: sqlite3.Connection, service: Service) -> tuple[int] | None:
    row: tuple[int] | None = connection.execute(
        """SELECT num FROM service WHERE loose_endpoint = :loose AND kind = :kind AND (
             (fingerprint = :fingerprint AND :fingerprint <> '')
             OR (content_key = :content AND :content <> '')
           ) ORDER BY num LIMIT 1""",
        {
            "loose": loose_endpoint(service.endpoint),
            "kind": service.kind,
            "fingerprint": service.fingerprint,
            "content": content_key(service),
        },
    ).fetchone()
    return row


def merge(known: Service, read: Service) -> Service:
    """The newer reading, unless it is of a lower version; the known endpoint; the versions of both."""
    document = known if version_order(read.version) < version_order(known.version) else read
    versions = {*known.versions, *read.versions, known.version, read.version} - {""}
    return replace(
        document,
        endpoint=known.endpoint,
        versions=tuple(sorted(versions, key=version_order)),
        doors=known.doors,
    )


def version_order(version: str) -> tuple[int, ...]:
    """Versions as numbers: 1.10 comes after 1.9."""
    return tuple(int(digits[:9]) for digits in _NUMBERS.findall(version)[:6])
