"""Is this service new, or known by another address? And what remains when two readings of one meet.

A document is a claim of whoever sent it. Only the address at which a service was first read, apart from www and
scheme, may change what is kept of it; any other is a further door for as long as it shows the same content.
"""
# ruff: noqa: S608 - only a constant is put into the statements

from __future__ import annotations

import hashlib
import re
import sqlite3
from dataclasses import replace
from typing import NamedTuple

from geohound.model.service import Service
from geohound.urls import canonical, endpoint

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


def is_alike(one: Service, other: Service) -> bool:
    """The same fingerprint, or title and layer names: another version differs in the fingerprint alone."""
    return one.fingerprint == other.fingerprint != "" or content_key(one) == content_key(other) != ""


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


def merge(known: Service, read: Service) -> Service:
    """The newer reading, unless it is of a lower version; the known endpoint; the versions of both."""
    document = known if version_order(read.version) < version_order(known.version) else read
    versions = {*known.versions, *read.versions, known.version, read.version} - {""}
    return replace(
        document,
        endpoint=known.endpoint,
        versions=tuple(sorted(versions, key=version_order)),
        doors=known.doors,
        cors=read.cors,
    )


def version_order(version: str) -> tuple[int, ...]:
    """Versions as numbers: 1.10 comes after 1.9."""
    return tuple(int(digits[:9]) for digits in _NUMBERS.findall(version)[:6])
