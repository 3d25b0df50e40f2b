"""Texts of a length that somebody could mean: a title of a megabyte would fill every page and answer it stands in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from .service import Layer, Provider, Service

LINE_CHARS = 1_000  # names, titles, keywords
TEXT_CHARS = 20_000  # abstracts
MAX_KEYWORDS = 1_000
SERVICE_CHARS = 20_000_000  # of names, and of texts, in the layers of one service
REPAIR = "texts that were too long are cut"

Described = TypeVar("Described", Service, Layer)


def truncate(service: Service) -> Service:
    """The same service, most often the very same object; what was cut is named among its repairs."""
    layers = _truncate_layers(service.layers)
    shortened = _truncate_texts(service)
    provider = _truncate_provider(service.provider)
    is_same = len(layers) == len(service.layers) and all(
        a is b for a, b in zip(layers, service.layers, strict=True)
    )
    if shortened is service and provider is service.provider and is_same:
        return service
    return replace(
        shortened, layers=layers, provider=provider, repairs=(*service.repairs, REPAIR)
    )


def _truncate_layers(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """A service of many long layers would cross three processes, and be held in each."""
    names = texts = 0
    kept = []
    for layer in map(_truncate_texts, layers):
        names += len(layer.name) + len(layer.title)
        texts += len(layer.abstract) + sum(map(len, layer.keywords))
        if names > SERVICE_CHARS:
            break
        kept.append(
            layer
            if texts <= SERVICE_CHARS
            else replace(layer, abstract="", keywords=())
        )
    return tuple(kept)


def _truncate_texts(described: Described) -> Described:
    changes: dict[str, Any] = {}
    if len(described.title) > LINE_CHARS:
        changes["title"] = described.title[:LINE_CHARS]
    if len(described.abstract) > TEXT_CHARS:
        changes["abstract"] = described.abstract[:TEXT_CHARS]
    if described.keywords and (
        len(described.keywords) > MAX_KEYWORDS
        or any(len(word) > LINE_CHARS for word in described.keywords)
    ):
        changes["keywords"] = tuple(
            word[:LINE_CHARS] for word in described.keywords[:MAX_KEYWORDS]
        )
    if isinstance(described, Layer) and len(described.name) > LINE_CHARS:
        changes["name"] = described.name[:LINE_CHARS]
    return replace(described, **changes) if changes else described


def _truncate_provider(provider: Provider) -> Provider:
    texts = (provider.name, provider.contact, provider.email, provider.site)
    if all(len(text) <= LINE_CHARS for text in texts):
        return provider
    return Provider(*(text[:LINE_CHARS] for text in texts))
