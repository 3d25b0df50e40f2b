"""SensorThings API, 1.0 and 1.1: the entity sets of the service root are its layers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from geohound.document import Document
from geohound.kinds._json import absolute, mapping, rows, texts, words
from geohound.kinds._layer_query import JSON, LayerQuery, below
from geohound.kinds._reader import Reader, finish, path_of, root_of
from geohound.kinds._signature import json
from geohound.model.addresses import Addresses, Below, ScriptIdioms
from geohound.model.bbox import BBox, short_numbers
from geohound.model.layer_request import LayerRequest, Rel, ServerRequest, ServerType
from geohound.model.service import Layer, Operation, Service
from geohound.urls import with_params

# Sets that only SensorThings has; Things, Locations, Sensors and Observations could be anybody's.
_CHARACTERISTIC = frozenset(
    [
        "Datastreams",
        "MultiDatastreams",
        "ObservedProperties",
        "FeaturesOfInterest",
        "HistoricalLocations",
    ]
)
_SETS = _CHARACTERISTIC | {"Things", "Locations", "Sensors", "Observations"}
_VERSION = re.compile(r"/v(1\.[01])(?=/|$)")
_BELOW = re.compile(rf"/(?:{'|'.join(sorted(_SETS))})\b(?s:.*)$")
_PATH = re.compile(
    rf"^(?=.*?{_VERSION.pattern}).*?(?:/(?:{'|'.join(sorted(_SETS))})\b|(?i:frost|sensorthings|/sta/))"
)


def probe_urls(url: str) -> tuple[str, ...]:
    return (root_of(url, _BELOW),)


def read(document: Document) -> Service | None:
    value = document.json
    if not isinstance(value, dict):
        return None
    sets = [
        (words(r.get("name")), r)
        for r in rows(value.get("value"))
        if isinstance(r.get("url"), str)
    ]
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
    operations = tuple(
        Operation(layer.name, get=layer.links[0]) for layer in layers if layer.links
    )
    service = Service(
        kind="sensorthings",
        endpoint=root,
        version=version,
        layers=layers,
        operations=operations,
        formats=("application/json",),
        software="FROST-Server" if "frost" in document.url.lower() else "",
    )
    return finish(document, service, *conformance)


def _is_service_root(known: set[str], value: Mapping[str, Any], url: str) -> bool:
    """Server settings came with 1.1; without them the sets must be characteristic, for all OData lists sets."""
    if "serverSettings" in value:
        return bool(known)
    return bool(known & _CHARACTERISTIC) and (
        len(known) >= 3 or bool(_VERSION.search(path_of(url)))
    )


def _read_version(url: str, conformance: tuple[str, ...]) -> str:
    found = _VERSION.search(path_of(url))
    if found:
        return found[1]
    version = re.search(r"iot_sensing/(\d\.\d)/", " ".join(conformance[:500]))
    return version[1] if version else ""


def requests(query: LayerQuery) -> list[LayerRequest]:
    """Some entities of a set, and the locations in the box where one was asked for: not every server can filter so."""
    endpoint = query.service.endpoint
    root = ServerRequest(
        Rel.CAPABILITIES,
        "Service document",
        endpoint,
        JSON,
        server=ServerType.SENSORTHINGS,
        endpoint=endpoint,
    )
    entities = with_params(
        query.own_link() or below(endpoint, "Datastreams"), {"$top": "10"}
    )
    found = [
        root,
        replace(
            root, rel=Rel.DATA, title=query.layer.name or "Datastreams", url=entities
        ),
    ]
    if not query.is_part:
        return [*found]
    within = f"st_within(location,geography'{_polygon(query.box)}')"
    located = with_params(
        below(endpoint, "Locations"), {"$top": "10", "$filter": within}
    )
    return [
        *found,
        replace(root, rel=Rel.DATA, title="Locations in the box", url=located),
    ]


def _polygon(box: BBox) -> str:
    west, south, east, north = box.as_tuple()
    ring = ((west, south), (east, south), (east, north), (west, north), (west, south))
    return f"POLYGON(({','.join(short_numbers(point, ' ') for point in ring)}))"


_ADDRESSES = Addresses(
    ends=("sensorthings", "frost-server"),
    paths=(r"/v1\.[01]/?(?:$|\?)", "/sta/"),
    below=(
        Below(
            "/v1.",
            r"^(?P<service>https?://[^?#]*?/v1\.[01])/(?-i:Things|Datastreams|Locations|Observations|Sensors)\b[^?#]*$",
        ),
    ),
    servers=(r"/v1\.[01]/",),
    labels=("sensorthings", "sensorthingsapi", "sta"),
    scripts=ScriptIdioms(
        words=("/things", "datastreams"),
        strings=(
            *(
                (name, rf"(?<=[\"'`/}}]){name}[\"'`?(]")
                for name in ("things", "datastreams", "observations")
            ),
            ("/v1.", r"/v1\.[01]/[a-z]"),
        ),
    ),
)

KINDS = (
    Reader(
        id="sensorthings",
        title="SensorThings API",
        protocol="OGC:IoT",
        path=_PATH,
        probe_urls=probe_urls,
        reader=read,
        requester=requests,
        addresses=_ADDRESSES,
        signature=json("value"),
    ),
)
