"""What every store decides alike: which services are the same, and what remains when two readings of one meet.

A document is a claim of whoever sent it. Only the address at which a service was first read, apart from www and
scheme, may change what is kept of it; any other is an alias for as long as it shows the same content.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from geohound.model.service import Service, version_order
from geohound.urls.declared import declared_endpoint

TRUST_S = (
    30 * 24 * 3600.0
)  # then a proof is read in full once more, whatever the server says: some say 304 to everything
MAX_CANDIDATES = 8  # services that give the same address and are compared; the likeliest first
_SHARE_OF_LAYERS = 0.5  # of the layers of both that a service and its copy have in common


def loose_endpoint(address: str) -> str:
    """An endpoint without scheme and leading www (OSS-9, R1)."""
    return address.partition("://")[2].removeprefix("www.").rstrip("/")


def content_key(service: Service) -> str:
    """Stands for title and layer names; empty without layers, for then nothing distinguishes two services."""
    if not service.layers:
        return ""
    names = "\0".join((service.title, *(layer.name or layer.title for layer in service.layers)))
    return hashlib.sha256(names.encode("utf-8", "replace")).hexdigest()[:32]


def is_alike(one: Service, other: Service) -> bool:
    """The same fingerprint, or title and layer names: another version differs in the fingerprint alone."""
    return one.fingerprint == other.fingerprint != "" or content_key(one) == content_key(other) != ""


def host_of(address: str) -> str:
    """The host of an endpoint, without a leading www."""
    return loose_endpoint(address).partition("/")[0].partition("?")[0]


def is_declared_alike(known: Service, read: Service) -> bool:
    """Do both documents give one address, and is what they say alike (OSS-9, R2)?

    Documents of one service differ by version or some other small thing, so the address that they give identifies it
    (section 4.3.3 of the thesis). Many give a wrong one. Hence what they offer has to be alike too, and on one host,
    where files for maps are copied with their address, the same; and one of them has to be at the address given.
    """
    given, known_given = declared_endpoint(read.online_resource), declared_endpoint(known.online_resource)
    is_home = given in (known.endpoint, *known.aliases) or (known_given != "" and known_given == read.endpoint)
    if host_of(known.endpoint) == host_of(read.endpoint):
        return is_home and is_alike(known, read)
    if not is_home and (given == "" or given != known_given):
        return False
    if not known.layers and not read.layers:
        return read.title != "" and known.fingerprint == read.fingerprint != ""
    return _shared_layers(known, read) >= _SHARE_OF_LAYERS


def _shared_layers(one: Service, other: Service) -> float:
    """Layers that both have, of those that one has. Titles count too: some servers only number their layers."""
    ours = {(layer.name, layer.title) for layer in one.layers}
    theirs = {(layer.name, layer.title) for layer in other.layers}
    return len(ours & theirs) / len(ours | theirs)


def merge(known: Service, read: Service) -> Service:
    """The newer reading, unless it is of a lower version; the known endpoint; the versions of both."""
    document = known if version_order(read.version) < version_order(known.version) else read
    versions = {*known.versions, *read.versions, known.version, read.version} - {""}
    return replace(
        document,
        endpoint=known.endpoint,
        versions=tuple(sorted(versions, key=version_order)),
        aliases=known.aliases,
        cors=read.cors,
        location=read.location or known.location,
    )
