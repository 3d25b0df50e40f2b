"""OWS Context in GeoJSON (OGC 14-055r2): a feature for each service, with its requests as operations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from geohound.model.export import ExportedService
from geohound.model.layer_request import LayerRequest, Rel, ServerRequest, ServerType
from geohound.model.service import Layer

from ._part import ExportFormat
from ._table import rings

_PROFILE = "http://www.opengis.net/spec/owc-geojson/1.0/req/core"
# An offering has the protocol in lower case at the end of its code.
_CODED = frozenset(
    (
        ServerType.WMS,
        ServerType.WFS,
        ServerType.WCS,
        ServerType.WMTS,
        ServerType.WPS,
        ServerType.CSW,
    )
)
_OPERATIONS = {
    Rel.CAPABILITIES: "GetCapabilities",
    Rel.MAP: "GetMap",
    Rel.FEATURES: "GetFeature",
    Rel.COVERAGE: "GetCoverage",
    Rel.TILE: "GetTile",
    Rel.RECORDS: "GetRecords",
}


def _write(services: Iterable[ExportedService]) -> Iterator[bytes]:
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    about = {
        "lang": "en",
        "title": "Services found by Geohound",
        "updated": now,
        "links": {"profiles": [{"href": _PROFILE}]},
    }
    head = f'{{"type":"FeatureCollection","id":"urn:geohound:{now}","properties":{json.dumps(about)},"features":['
    yield head.encode()
    is_first = True
    for each in services:
        feature = _feature(each, now)
        if feature:
            yield (b"\n" if is_first else b",\n") + json.dumps(feature).encode()
            is_first = False
    yield b"\n]}\n"


def _feature(each: ExportedService, now: str) -> dict[str, Any] | None:
    service, box = each.service, each.record["bbox"]
    layer = service.layers[0] if service.layers else Layer("")
    requests = each.requests(layer)
    server = next(
        (
            r.server
            for r in requests
            if isinstance(r, ServerRequest) and r.server in _CODED
        ),
        None,
    )
    if server is None:
        return None
    operations = [
        _operation(request) for request in requests if request.rel in _OPERATIONS
    ]
    properties = {
        "title": " ".join(service.title.split())[:300] or service.endpoint,
        "abstract": service.abstract[:2000],
        "updated": now,
        "links": {"via": [{"href": service.endpoint}]},
        "offerings": [
            {
                "code": f"http://www.opengis.net/spec/owc-geojson/1.0/req/{server.lower()}",
                "operations": operations,
            }
        ],
    }
    geometry = {"type": "Polygon", "coordinates": rings(box)[:1]} if box else None
    return {
        "type": "Feature",
        "id": service.endpoint,
        "geometry": geometry,
        "properties": properties,
    }


def _operation(request: LayerRequest) -> dict[str, str]:
    return {
        "code": _OPERATIONS[request.rel],
        "method": "GET",
        "href": request.url,
        "type": request.media_type or "application/xml",
    }


EXPORTERS = (
    ExportFormat(
        "owc", "OWS Context", "application/geo+json", "json", _write, needs_layers=True
    ),
)
