"""What every store decides alike: which services are the same, and what remains when two readings of one meet.

A document is a claim of whoever sent it. Only the address at which a service was first read, apart from www and
scheme, may change what is kept of it; any other is a further door for as long as it shows the same content.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from geohound.model.service import Service

TRUST_S = (
    30 * 24 * 3600.0
)  # then a proof is read in full once more, whatever the server says: some say 304 to everything
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


def is_alike(one: Service, other: Service) -> bool:
    """The same fingerprint, or title and layer names: another version differs in the fingerprint alone."""
    return one.fingerprint == other.fingerprint != "" or content_key(one) == content_key(other) != ""


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
