"""What every store decides alike: which services are the same, and what remains when two readings of one meet.

A document is a claim of whoever sent it. Only the address at which a service was first read, apart from www and
scheme, may change what is kept of it; any other is an alias for as long as it shows the same content.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from geohound.model.service import Service, version_order
from geohound.urls import site
from geohound.urls.declared import declared_endpoint

# then a proof is read in full once more, whatever the server says: some say 304 to everything
TRUST_S = 30 * 24 * 3600.0
# services that give the same address and are compared; the likeliest first
MAX_CANDIDATES = 8
_SHARE_A_DOCUMENT = 2  # a dead service and its successor
# of the layers of both that a service and its copy have in common
_SHARE_OF_LAYERS = 0.5


def loose_endpoint(address: str) -> str:
    """An endpoint without scheme and leading www (OSS-9, R1)."""
    return address.partition("://")[2].removeprefix("www.").rstrip("/")


def content_key(service: Service) -> str:
    """Stands for title and layer names; empty without layers, for then nothing distinguishes two services."""
    if not service.layers:
        return ""
    names = "\0".join(
        (service.title, *(layer.name or layer.title for layer in service.layers))
    )
    return hashlib.sha256(names.encode("utf-8", "replace")).hexdigest()[:32]


def is_alike(one: Service, other: Service) -> bool:
    """The same fingerprint, or title and layer names: another version differs in the fingerprint alone."""
    return (
        one.fingerprint == other.fingerprint != ""
        or content_key(one) == content_key(other) != ""
    )


def host_of(address: str) -> str:
    """The host of an endpoint, without a leading www."""
    return loose_endpoint(address).partition("/")[0].partition("?")[0]


def are_apart(known: Service, read: Service) -> bool:
    """Are these two services, though their documents may be alike? So are all installations of one stock demo.

    Each is on a registered domain of its own, and gives an address there or names another provider. Within one domain
    they may be mirrors of each other; their layers do not matter here.
    """
    if site(known.endpoint) == site(read.endpoint):
        return False
    return _have_own_addresses(known, read) or _have_other_providers(known, read)


def nearness(known_host: str, read: Service) -> int:
    """Candidates with more of it are compared first: those of the same registered domain."""
    return int(site(read.endpoint) in known_host)


def may_succeed(dead: Service, new: Service, sharing: int) -> bool:
    """Does a service that is new go on with what a dead one offered? `sharing` have this document, both among them.

    On its own domain whoever says the same does. Elsewhere the document has to be one that only these two ever had:
    what a third one says too came with the program, and so may what names no layer.
    """
    if site(dead.endpoint) == site(new.endpoint):
        return True
    is_their_own = sharing <= _SHARE_A_DOCUMENT and bool(new.layers)
    return (
        is_their_own and dead.kind == new.kind and not _have_other_providers(dead, new)
    )


def _have_own_addresses(known: Service, read: Service) -> bool:
    return all(
        site(_given_address(service)) == site(service.endpoint)
        for service in (known, read)
    )


def _given_address(service: Service) -> str:
    """The address that the document declares; where that is a home page or a default, that of its operations."""
    operations = (
        address
        for operation in service.operations
        for address in (operation.get, operation.post)
    )
    return next(
        filter(None, map(declared_endpoint, (service.online_resource, *operations))), ""
    )


def _have_other_providers(known: Service, read: Service) -> bool:
    names = {
        " ".join(service.provider.name.casefold().split()) for service in (known, read)
    }
    return len(names - {""}) > 1


def is_declared_alike(known: Service, read: Service) -> bool:
    """Do both documents give one address, and is what they say alike (OSS-9, R2)?

    Documents of one service differ by version or some other small thing, so the address that they give identifies it
    (section 4.3.3 of the thesis). Many give a wrong one. Hence what they offer has to be alike too, and on one host,
    where files for maps are copied with their address, the same; and one of them has to be at the address given.
    """
    if site(known.endpoint) != site(read.endpoint) and _have_own_addresses(known, read):
        return False
    given = declared_endpoint(read.online_resource)
    known_given = declared_endpoint(known.online_resource)
    is_home = given in (known.endpoint, *known.aliases) or (
        known_given != "" and known_given == read.endpoint
    )
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
    """The newer reading, unless it is of a lower version; the known endpoint; the versions of both.

    Some documents of a service say no title, and those that do may not answer this time: then the known one stays.
    """
    document = (
        known if version_order(read.version) < version_order(known.version) else read
    )
    versions = {*known.versions, *read.versions, known.version, read.version} - {""}
    return replace(
        document,
        endpoint=known.endpoint,
        title=document.title or known.title,
        versions=tuple(sorted(versions, key=version_order)),
        aliases=known.aliases,
        cors=read.cors,
        location=read.location or known.location,
    )
