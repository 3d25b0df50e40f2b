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

Told = TypeVar("Told", Service, Layer)


def curb(service: Service) -> Service:
    """The same service, most often the very same object; what was cut is told among its repairs."""
    layers = _curb_layers(service.layers)
    curbed = _curb_texts(service)
    provider = _curb_provider(service.provider)
    is_same = len(layers) == len(service.layers) and all(a is b for a, b in zip(layers, service.layers, strict=True))
    if curbed is service and provider is service.provider and is_same:
        return service
    return replace(curbed, layers=layers, provider=provider, repairs=(*service.repairs, REPAIR))


def _curb_layers(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """A service of many long layers would cross three processes, and be held in each."""
    names = texts = 0
    kept = []
    for layer in map(_curb_texts, layers):
        names += len(layer.name) + len(layer.title)
        texts += len(layer.abstract) + sum(map(len, layer.keywords))
        if names > SERVICE_CHARS:
            break
        kept.append(layer if texts <= SERVICE_CHARS else replace(layer, abstract="", keywords=()))
    return tuple(kept)


def _curb_texts(told: Told) -> Told:
    changes: dict[str, Any] = {}
    if len(told.title) > LINE_CHARS:
        changes["title"] = told.title[:LINE_CHARS]
    if len(told.abstract) > TEXT_CHARS:
        changes["abstract"] = told.abstract[:TEXT_CHARS]
    if told.keywords and (len(told.keywords) > MAX_KEYWORDS or any(len(word) > LINE_CHARS for word in told.keywords)):
        changes["keywords"] = tuple(word[:LINE_CHARS] for word in told.keywords[:MAX_KEYWORDS])
    if isinstance(told, Layer) and len(told.name) > LINE_CHARS:
        changes["name"] = told.name[:LINE_CHARS]
    return replace(told, **changes) if changes else told


def _curb_provider(provider: Provider) -> Provider:
    texts = (provider.name, provider.contact, provider.email, provider.site)
    if all(len(text) <= LINE_CHARS for text in texts):
        return provider
    return Provider(*(text[:LINE_CHARS] for text in texts))
