"""Is this service new, or known by another address? As `rules` decides, asked of the tables."""

from __future__ import annotations

from typing import NamedTuple

from geohound.model.service import Service
from geohound.stores.merge_rules import (
    MAX_CANDIDATES,
    are_apart,
    host_of,
    is_declared_alike,
    loose_endpoint,
)
from geohound.stores.sql.database import Connection
from geohound.urls import canonical, endpoint, site
from geohound.urls.declared import declared_endpoint

from .codec import clean
from .reading import read_services


class Home(NamedTuple):
    """A known service, seen from a new reading."""

    num: int
    is_own: bool  # read at the service's own address
    is_proved: bool  # read there, or the same content as what is kept


_FIND_ALIAS = """
SELECT num, loose_endpoint, fingerprint, content_key
FROM service JOIN alias ON alias.service = num WHERE alias.id = ?"""


def find_alias(connection: Connection, service: Service, content: str) -> Home | None:
    """The service that was read at this very address before, whatever it shows now; `content` is its content key."""
    row = connection.execute(_FIND_ALIAS, (service.id,)).fetchone()
    if row is None:
        return None
    num, loose, fingerprint, known_content = row
    if loose == loose_endpoint(service.endpoint):
        return Home(num, True, True)
    is_alike = (
        service.fingerprint == fingerprint != "" or content == known_content != ""
    )
    if is_alike and not are_apart(
        read_services(connection, [num], with_layers=False)[num], service
    ):
        return Home(num, False, True)
    return Home(
        num, False, is_declared_alike(read_services(connection, [num])[num], service)
    )


def find_twin(connection: Connection, service: Service, content: str) -> Home | None:
    """The service of the same content that was read at another address; on its own host first of all."""
    if not _has_relative(connection, service):
        return None
    found = _find_by_loose_endpoint(connection, service, content)
    if found is None and service.fingerprint:
        found = _find_by_fingerprint(connection, service, content)
    return found or _find_by_declared(connection, service, content)


_RELATIVES = """
SELECT 1 FROM service WHERE loose_endpoint = :loose
UNION ALL SELECT 1 FROM service WHERE fingerprint = :fingerprint AND fingerprint <> ''
UNION ALL SELECT 1 FROM service WHERE declared IN (:declared, :endpoint) AND declared <> ''
UNION ALL SELECT 1 FROM alias WHERE endpoint IN (:declared, :online)
LIMIT 1"""


def _has_relative(connection: Connection, service: Service) -> bool:
    """Does any known service share an address or a fingerprint with this one? Most new ones are strangers to all."""
    declared = canonical(service.online_resource) if service.online_resource else None
    found = connection.execute(
        _RELATIVES,
        {
            "loose": loose_endpoint(service.endpoint),
            "fingerprint": service.fingerprint,
            "declared": declared_endpoint(service.online_resource),
            "endpoint": service.endpoint,
            "online": endpoint(declared) if declared else "",
        },
    )
    return found.fetchone() is not None


def _find_by_fingerprint(
    connection: Connection, service: Service, content: str
) -> Home | None:
    """The same document under another address, or at the address that the document gives (OSS-9, R2).

    The given address counts only where that address was read itself and showed the same.
    """
    declared = canonical(service.online_resource) if service.online_resource else None
    found = connection.execute(
        """SELECT num FROM service WHERE fingerprint = :fingerprint AND fingerprint <> '' AND kind = :kind AND (
             (content_key = :content AND :content <> '')
             OR num IN (SELECT service FROM alias WHERE endpoint = :declared)
           ) ORDER BY host LIKE :near DESC, num LIMIT :limit""",
        {
            "fingerprint": service.fingerprint,
            "kind": service.kind,
            "content": content,
            "declared": endpoint(declared) if declared else "",
            "near": f"%{site(service.endpoint)}%",
            "limit": MAX_CANDIDATES,
        },
    )
    nums = [num for (num,) in found.fetchall()]
    known = read_services(connection, nums, with_layers=False)
    num = next((num for num in nums if not are_apart(known[num], service)), None)
    return None if num is None else Home(num, False, True)


def _find_by_loose_endpoint(
    connection: Connection, service: Service, content: str
) -> Home | None:
    found = connection.execute(
        """SELECT num FROM service WHERE loose_endpoint = :loose AND kind = :kind AND (
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
    row = found.fetchone()
    return None if row is None else Home(row[0], True, True)


def _find_by_declared(
    connection: Connection, service: Service, content: str
) -> Home | None:
    """Documents that give the same address and are alike (OSS-9, R2); on one host only what is the same."""
    rows = connection.execute(
        """SELECT num FROM service WHERE kind = :kind AND num IN (
             SELECT num FROM service WHERE declared IN (:declared, :endpoint) AND declared <> ''
             UNION SELECT service FROM alias WHERE endpoint = :declared
           ) AND (host <> :host OR fingerprint = :fingerprint OR content_key = :content)
           ORDER BY content_key = :content DESC, title = :title DESC, num LIMIT :limit""",
        {
            "kind": service.kind,
            "declared": declared_endpoint(service.online_resource),
            "endpoint": service.endpoint,
            "host": host_of(service.endpoint),
            "fingerprint": service.fingerprint,
            "content": content,
            "title": clean(service.title),
            "limit": MAX_CANDIDATES,
        },
    ).fetchall()
    nums = [num for (num,) in rows]
    known = read_services(connection, nums)
    num = next((num for num in nums if is_declared_alike(known[num], service)), None)
    return None if num is None else Home(num, False, True)
