"""SensorThings API, 1.0 and 1.1: the entity sets of the service root are its layers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from geohound.document import Document
from geohound.kinds._json import absolute, mapping, rows, texts, words
from geohound.kinds._reader import Reader, finish, path_of, root_of
from geohound.model.service import Layer, Operation, Service

# Sets that only SensorThings has; Things, Locations, Sensors and Observations could be anybody's.
_TELLING = frozenset(
    ["Datastreams", "MultiDatastreams", "ObservedProperties", "FeaturesOfInterest", "HistoricalLocations"]
)
_SETS = _TELLING | {"Things", "Locations", "Sensors", "Observations"}
_VERSION = re.compile(r"/v(1\.[01])(?=/|$)")
_BELOW = re.compile(rf"/(?:{'|'.join(sorted(_SETS))})\b.*$")


def suspects(url: str) -> bool:
    path = path_of(url)
    return bool(
        _VERSION.search(path) and (_BELOW.search(path) or re.search(r"frost|sensorthings|/sta/", path, re.IGNORECASE))
    )


def probe_urls(url: str) -> tuple[str, ...]:
    return (root_of(url, _BELOW),)


def read(document: Document) -> Service | None:
    value = document.json
    if not isinstance(value, dict):
        return None
    sets = [(words(r.get("name")), r) for r in rows(value.get("value")) if isinstance(r.get("url"), str)]
    names = {name for name, _ in sets}
    known = names & _SETS
    if not _is_service_root(known, value, document.url):
        return None
    settings = mapping(value.get("serverSettings"))
    conformance = texts(settings.get("conformance"))
    version = _read_version(document.url, conformance)
    root = root_of(document.url, _BELOW)
    layers = tuple(
        Layer(
            name=name,
            title=words(row.get("title")),
            links=tuple(filter(None, [absolute(row.get("url"), document.url)])),
        )
        for name, row in sets
        if name
    )
    operations = tuple(Operation(layer.name, get=layer.links[0]) for layer in layers if layer.links)
    service = Service(
        kind="sensorthings",
        endpoint=root,
        version=version,
        versions=(version,) if version else (),
        layers=layers,
        operations=operations,
        formats=("application/json",),
        software="FROST-Server" if "frost" in document.url.lower() else "",
    )
    return finish(document, service, *conformance)


def _is_service_root(known: set[str], value: Mapping[str, Any], url: str) -> bool:
    """Server settings came with 1.1; without them the sets must be telling, for all OData lists sets."""
    if "serverSettings" in value:
        return bool(known)
    return bool(known & _TELLING) and (len(known) >= 3 or bool(_VERSION.search(path_of(url))))


def _read_version(url: str, conformance: tuple[str, ...]) -> str:
    found = _VERSION.search(path_of(url))
    if found:
        return found[1]
    told = re.search(r"iot_sensing/(\d\.\d)/", " ".join(conformance[:500]))
    return told[1] if told else ""


KINDS = (Reader("sensorthings", "SensorThings API", "OGC:IoT", suspects, probe_urls, read),)
