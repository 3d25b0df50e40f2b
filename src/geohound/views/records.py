"""The records of services, layers and hits that command line, API and library return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from geohound import urls
from geohound.model.bbox import BBox
from geohound.model.health import HealthState
from geohound.model.search.query import Hit, LayerHit, Results
from geohound.model.service import (
    Access,
    BoxFault,
    Extent,
    Layer,
    Operation,
    Provider,
    Service,
    Verdict,
)

from .encoding import plain

# A server may name seven thousand for each of a thousand layers; the service has all.
MAX_LAYER_CRS = 100

Id = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
Count = Annotated[int, Meta(ge=0)]
Box = (
    Annotated[
        list[float],
        Meta(
            min_length=4,
            max_length=4,
            description="west, south, east, north in degrees",
        ),
    ]
    | None
)
Cursor = Annotated[str, Meta(description="The cursor of the next page.")] | None
Total = Annotated[  # the number is that of the search, see decision 14
    int,
    Meta(
        ge=0,
        description="How many match, near-duplicates folded: exact up to 20,000 services. Of more only the best are "
        "looked through for near-duplicates, so that this and the counts of facets may be a little too high.",
    ),
]


class BriefLayer(msgspec.Struct, frozen=True, kw_only=True):
    """A layer in a list."""

    name: str
    title: str
    bbox: Box


class FoundLayer(BriefLayer, frozen=True, kw_only=True):
    """A layer that matches a search, and the service that offers it."""

    service: Id
    kind: str
    endpoint: str


class ExtentRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A valid box, if there is one, the numbers as declared, and their faults."""

    bbox: Box
    declared: list[float | None]
    crs: str
    faults: tuple[BoxFault, ...]


class LayerRecord(BriefLayer, frozen=True, kw_only=True):
    """The full description of a layer."""

    abstract: str
    keywords: tuple[str, ...]
    extent: ExtentRecord | None
    crs: Annotated[
        tuple[str, ...],
        Meta(description=f"The first {MAX_LAYER_CRS}; `crs_count` says how many."),
    ]
    crs_count: Count
    formats: tuple[str, ...]
    styles: tuple[str, ...]
    times: tuple[str, ...]
    scale: tuple[float | None, float | None]
    queryable: bool
    parent: str
    links: tuple[str, ...]
    grids: tuple[str, ...]


class BriefService(msgspec.Struct, frozen=True, kw_only=True):
    """A service in a list."""

    id: Id
    kind: str
    endpoint: str
    version: str | None
    title: str
    abstract: str
    keywords: tuple[str, ...]
    provider: Provider
    access: Access
    software: str | None
    bbox: Box
    layer_count: Count
    state: HealthState


class HitRecord(BriefService, frozen=True, kw_only=True):
    """A service that matches a search, the best of its matching layers, and why it matches."""

    score: float
    layers: list[BriefLayer]
    match_count: Count
    why: str
    also: tuple[Id, ...]


class ServiceRecord(BriefService, frozen=True, kw_only=True):
    """The full description of a service."""

    name: str  # short, as the service calls itself
    versions: tuple[str, ...]
    extent: ExtentRecord | None
    layers: list[LayerRecord]
    operations: tuple[Operation, ...]
    formats: tuple[str, ...]
    crs: tuple[str, ...]
    language: str
    cors: str | None
    online_resource: str
    aliases: tuple[str, ...]
    links: tuple[str, ...]
    companions: tuple[str, ...]
    repairs: tuple[str, ...]
    layers_truncated: bool
    fingerprint: str
    provisional: bool  # the kind is a guess


class ResultsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a search."""

    hits: list[HitRecord]
    total: Total
    elapsed_ms: float
    facets: Annotated[
        dict[str, dict[str, Count]],
        Meta(
            description="Of each facet the 20 most frequent values; /facets has more."
        ),
    ]
    suggestion: str | None
    partial: bool
    next: Cursor
    related: Annotated[
        tuple[str, ...],
        Meta(
            description="Words that occur together with those of the text, the closest first."
        ),
    ] = ()


def brief_layer(layer: Layer) -> BriefLayer:
    return BriefLayer(name=layer.name, title=layer.title, bbox=box_of(layer.extent))


def found_layer(hit: LayerHit) -> FoundLayer:
    brief, service = brief_layer(hit.layer), hit.service
    return FoundLayer(
        **_shared_fields(brief, FoundLayer),
        service=service.id,
        kind=service.kind,
        endpoint=service.endpoint,
    )


def layer_record(layer: Layer) -> LayerRecord:
    computed = {
        "bbox": box_of(layer.extent),
        "extent": extent_record(layer.extent),
        "crs": layer.crs[:MAX_LAYER_CRS],
        "crs_count": len(layer.crs),
    }
    return LayerRecord(**_shared_fields(layer, LayerRecord) | computed)


def brief_service(
    service: Service, state: HealthState, layer_count: int
) -> BriefService:
    return BriefService(**_brief(service, BriefService, state, layer_count))


def hit_record(hit: Hit) -> HitRecord:
    computed = {
        "score": round(hit.score, 6),
        "layers": [brief_layer(layer) for layer in hit.layers],
    }
    brief = _brief(hit.service, HitRecord, hit.state, hit.layer_count)
    return HitRecord(
        **brief | computed, match_count=hit.match_count, why=hit.why, also=hit.also
    )


def results_record(results: Results) -> ResultsRecord:
    return ResultsRecord(
        hits=[hit_record(hit) for hit in results.hits],
        total=results.total,
        elapsed_ms=round(results.elapsed_ms, 3),
        facets={name: dict(counts) for name, counts in results.facets.items()},
        suggestion=results.suggestion or None,
        partial=results.partial,
        next=results.next or None,
        related=results.related,
    )


def service_record(
    service: Service, state: HealthState, shown: Sequence[Layer] | None = None
) -> ServiceRecord:
    """The service with all its layers, or only those in `shown`."""
    return ServiceRecord(**service_fields(service, state, shown))


def service_fields(
    service: Service, state: HealthState, shown: Sequence[Layer] | None = None
) -> dict[str, Any]:
    """The fields of the record of a service."""
    layers = service.layers if shown is None else shown
    computed = {
        "extent": extent_record(service.extent),
        "layers": [layer_record(layer) for layer in layers],
        "cors": service.cors or None,
    }
    return _brief(service, ServiceRecord, state, len(service.layers)) | computed


def _brief(
    service: Service, kind: type[BriefService], state: HealthState, layer_count: int
) -> dict[str, Any]:
    return _shared_fields(service, kind) | {
        "version": service.version or None,
        "software": service.software or None,
        "bbox": box_of(service.extent),
        "layer_count": layer_count,
        "state": state,
    }


def _shared_fields(thing: object, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The fields of a record that the object has under the same name."""
    return {
        name: getattr(thing, name)
        for name in kind.__struct_fields__
        if hasattr(thing, name)
    }


def identified(source: str, verdict: Verdict, elapsed_ms: float) -> dict[str, Any]:
    """The result of identify: the record of the first service, or the refusal."""
    refusal = verdict.refusal
    first = verdict.services[0] if verdict.services else None
    layers = _layers_of_all(verdict.services)
    shown = plain(
        service_record(
            first or Service(kind="", endpoint=""), HealthState.ALIVE, layers
        )
    )
    nothing = {} if first else dict.fromkeys(("id", "kind", "state"))
    return {
        "input": source,
        **shown,
        **nothing,
        "layer_count": len(layers),
        "kinds": [service.kind for service in verdict.services],
        "endpoint": web_endpoint(first) if first else None,
        "refusal": {"reason": str(refusal.reason), "detail": refusal.detail}
        if refusal and not first
        else None,
        "lists": list(refusal.lists) if refusal else [],
        "elapsed_ms": round(elapsed_ms, 1),
    }


def _layers_of_all(services: Sequence[Service]) -> list[Layer]:
    """The layers of all kinds that one document is, each once: an API may offer features, coverages and records."""
    found: list[Layer] = []
    known: set[str] = set()
    for service in services:
        found += [layer for layer in service.layers if layer.name not in known]
        known = {layer.name for layer in found}
    return found


def web_endpoint(service: Service) -> str | None:
    """The endpoint; for a saved response the one that the document declares, if any."""
    if not service.endpoint.startswith("file:"):
        return service.endpoint
    named = [
        service.online_resource,
        *(operation.get for operation in service.operations),
    ]
    web = (
        url
        for url in named
        if url.startswith(("http://", "https://")) and "{" not in url
    )
    return next(map(urls.endpoint, web), None)


def extent_record(extent: Extent | None) -> ExtentRecord | None:
    if extent is None:
        return None
    # JSON has no NaN or infinity, which broken services declare.
    declared = [edge if abs(edge) < float("inf") else None for edge in extent.declared]
    return ExtentRecord(
        bbox=rounded(extent.box),
        declared=declared,
        crs=extent.crs,
        faults=extent.faults,
    )


def box_of(extent: Extent | None) -> Box:
    return rounded(extent.box) if extent else None


def rounded(box: BBox | None) -> Box:
    """Rounded to a millionth of a degree, about 0.1 m."""
    return [round(edge, 6) for edge in box.as_tuple()] if box else None
