"""One service out of several documents: APIs spread their description over a few of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from .service import Service, version_order

# What a landing page says of the address as a whole, whichever kinds live there.
_OF_THE_ENDPOINT = frozenset(
    [
        "title",
        "abstract",
        "keywords",
        "provider",
        "access",
        "language",
        "online_resource",
        "software",
        "name",
    ]
)


def companions(services: Iterable[Service]) -> tuple[str, ...]:
    """The further documents that would complete these services, each once."""
    return tuple(
        dict.fromkeys(url for service in services for url in service.companions)
    )


def join(first: Iterable[Service], found: Iterable[Service]) -> tuple[Service, ...]:
    """The services of the first document completed by what its companions say; a guessed kind gives way."""
    first = tuple(first)
    endpoints = {service.endpoint for service in first}
    groups: dict[tuple[str, str], list[Service]] = {}
    for service in (*first, *found):
        if service.endpoint in endpoints:
            groups.setdefault((service.kind, service.endpoint), []).append(service)
    proven = {end for (_, end), group in groups.items() if not _is_guess(group)}
    return tuple(
        _merge(
            group, [s for (_, other), g in groups.items() if other == end for s in g]
        )
        for (_, end), group in groups.items()
        if end not in proven or not _is_guess(group)
    )


def _is_guess(group: Sequence[Service]) -> bool:
    return all(service.provisional for service in group)


def _merge(group: Sequence[Service], about: Sequence[Service]) -> Service:
    """What the first says, and where it is silent the others; the longest list of layers.

    First is who names the highest version: a page about a service has none, its own description has.
    """
    group = sorted(
        group, key=lambda service: version_order(service.version), reverse=True
    )
    said: dict[str, Any] = {}
    for field in fields(Service):
        if (
            field.name not in ("kind", "endpoint")
            and getattr(group[0], field.name) == field.default
        ):
            sources = about if field.name in _OF_THE_ENDPOINT else group
            values = (
                v for s in sources if (v := getattr(s, field.name)) != field.default
            )
            said[field.name] = next(values, field.default)
    merged = replace(group[0], **said)
    prints = "".join(sorted({service.fingerprint for service in group}))
    return replace(
        merged,
        layers=max((service.layers for service in group), key=len),
        fingerprint=hashlib.sha256(prints.encode()).hexdigest()[:16]
        if len(group) > 1
        else merged.fingerprint,
        companions=(),
        provisional=_is_guess(group),
    )
