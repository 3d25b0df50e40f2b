"""The JSON side of the portal, for programs: one function per address, and the table that lists them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from geohound.model.catalogue import Filter
from geohound.model.health import assess
from geohound.model.query import Hit, LayerHit, Query
from geohound.model.service import Service
from geohound.model.version import __version__
from geohound.opening import open_layer
from geohound.wording import fold, split

from .answering import JSON_LINES, answer, lines, problem, wants_lines
from .api_asking import (
    LAYER_PAGE,
    LAYER_WINDOW,
    OPEN,
    REPORT_NAME,
    SEARCH,
    SERVICE_ID,
    SUGGEST,
    TASK_ID,
    read_params,
    read_window,
)
from .api_schemas import SCHEMAS, named
from .asking import read_bbox, read_query
from .openapi import Operation, document
from .openapi import routes as routes_of
from .portal import portal_of
from .records import (
    brief_layer,
    brief_service,
    hit_record,
    layer_record,
    opening_record,
    results_record,
    service_record,
)
from .reporting import FACET_VALUES, REPORTS, facet_records, report

__all__ = ["opensearch", "problem", "routes"]

_MAX_SIGHTINGS = 200
_STREAMED_HITS, _STREAMED_LAYERS = 100, 5_000  # read at a time


def search(request: Request) -> Response:
    """GET /search"""
    portal = portal_of(request)
    query = _query(request)
    if wants_lines(request):
        return lines(request, map(hit_record, _all_hits(request, query)))
    results = portal.index.search(query)
    return answer(request, results_record(results, results.next or None))


def opensearch(request: Request) -> Response:
    """The same search for OpenSearch clients, who send the parameters that they leave open without a value.

    In the words of the Geo extension, boxes that share some place intersect.
    """
    pairs = [(k, v) for k, v in request.query_params.multi_items() if v]
    pairs = [(k, "overlaps" if (k, v.lower()) == ("relation", "intersects") else v) for k, v in pairs]
    return search(Request({**request.scope, "query_string": urlencode(pairs).encode()}))


def layers(request: Request) -> Response:
    """GET /layers: the layers that match, each with its service, those of the best service first"""
    query = _query(request)
    if wants_lines(request):
        return lines(request, map(_found_layer, _all_layers(request, query)))
    results = portal_of(request).index.layers(query)
    found = [_found_layer(hit) for hit in results.hits]
    return answer(request, {"layers": found, "total": results.total, "next": results.next or None})


def _found_layer(hit: LayerHit) -> Mapping[str, Any]:
    service = hit.service
    return {**brief_layer(hit.layer), "service": service.id, "kind": service.kind, "endpoint": service.endpoint}


def facets(request: Request) -> Response:
    """GET /facets"""
    portal = portal_of(request)
    results = portal.index.search(replace(_query(request), limit=1, offset=0, facet_values=FACET_VALUES))
    return answer(request, {"total": results.total, "facets": facet_records(portal, results)})


def services(request: Request) -> Response:
    """GET /services, near-duplicates too; all of them as JSON lines, in the order in which they were found"""
    portal = portal_of(request)
    query = replace(_query(request), fold=False)
    if wants_lines(request) and replace(query, kinds=(), states=(), limit=0, offset=0) == Query(limit=0, fold=False):
        entries = portal.catalogue.entries(Filter(query.kinds, query.states))
        return lines(request, (brief_service(entry.service) for entry in entries))
    if wants_lines(request):
        return lines(request, map(_brief_hit, _all_hits(request, query)))
    results = portal.index.search(query)
    found = [_brief_hit(hit) for hit in results.hits]
    record = {"services": found, "total": results.total, "next": results.next or None}
    return answer(request, record)


def _brief_hit(hit: Hit) -> Mapping[str, Any]:
    return {**brief_service(hit.service), "layer_count": hit.layer_count}


def service(request: Request) -> Response:
    """GET /services/{id}; layers in pages, since one service may have thousands"""
    portal = portal_of(request)
    limit, offset = read_window(read_params(request, LAYER_WINDOW), LAYER_PAGE)
    found = _service(request)
    record = service_record(found, limit, offset)
    record["topics"] = [{"topic": topic, "class": each} for topic, each in portal.topics_of(found)]
    record["health"] = asdict(assess(portal.catalogue.checks(found.id)))
    record["sightings"] = [asdict(s) for s in portal.catalogue.sightings(found.id)[:_MAX_SIGHTINGS]]
    return answer(request, record)


def service_layers(request: Request) -> Response:
    """GET /services/{id}/layers"""
    limit, offset = read_window(read_params(request, LAYER_WINDOW), LAYER_PAGE)
    found = _service(request).layers
    if wants_lines(request):
        return lines(request, map(layer_record, found))
    shown = [layer_record(layer) for layer in found[offset : offset + limit]]
    return answer(request, {"layers": shown, "total": len(found), "next": _next(offset, limit, len(found))})


def open_service(request: Request) -> Response:
    """GET /services/{id}/open: requests and snippets for a layer and a box"""
    params = read_params(request, OPEN)
    found = _service(request)
    name, box = params.get("layer"), read_bbox(params)
    layer = next((la for la in found.layers if la.name == name), None) if name is not None else None
    if name is not None and layer is None:
        raise HTTPException(404, "The service has no layer of this name.")
    return answer(request, opening_record(open_layer(found, layer, box)))


def suggest(request: Request) -> Response:
    """GET /suggest: what browsers show below their search box, in the form that they expect"""
    portal = portal_of(request)
    text = read_query(read_params(request, SUGGEST), portal.kinds).text
    found: dict[str, None] = {}
    if text:
        results = portal.index.search(Query(text=f"{text}*", limit=8))
        for hit in results.hits:
            found |= dict.fromkeys(la.title or la.name for la in hit.layers[:2])
            found |= dict.fromkeys([hit.service.title])
    titles = [" ".join(title.split())[:100] for title in found if title.strip()]
    return answer(request, [text, _most_alike(text, titles)[:10]], "application/x-suggestions+json")


def _most_alike(text: str, titles: Sequence[str]) -> Sequence[str]:
    """Those that say what is being typed; of a service found by its title, other layers were told too."""
    *_, last = split(text) or [""]
    alike = [title for title in titles if last in fold(title)]
    return alike or titles


def tasks(request: Request) -> Response:
    """GET /tasks"""
    return answer(request, {"tasks": list(portal_of(request).tasks())})


def task(request: Request) -> Response:
    """GET /tasks/{id}"""
    number = request.path_params["id"]
    found = next((row for row in portal_of(request).tasks() if str(row["id"]) == number), None)
    if found is None:
        raise HTTPException(404, "There is no task of this number in the catalogue.")
    return answer(request, found)


def reports(request: Request) -> Response:
    """GET /reports"""
    return answer(request, {"reports": [{"name": name, "title": title} for name, title in REPORTS.items()]})


def one_report(request: Request) -> Response:
    """GET /reports/{name}"""
    name = request.path_params["name"]
    if name not in REPORTS:
        raise HTTPException(404, f"There is no report of this name; there are {', '.join(REPORTS)}.")
    return answer(request, report(portal_of(request), name))


def health(request: Request) -> Response:
    """GET /health"""
    found, found_layers = portal_of(request).catalogue.count()
    record = {"status": "ok", "version": __version__, "services": found, "layers": found_layers}
    return answer(request, record)


def openapi(request: Request) -> Response:
    """GET /openapi.json"""
    return answer(request, document(_OPERATIONS, SCHEMAS, {"kind": sorted(portal_of(request).kinds)}))


def _query(request: Request) -> Query:
    """The query; pages are named by cursor, or by number for those who count themselves."""
    params = read_params(request, SEARCH)
    return replace(read_query(params, portal_of(request).kinds), after=params.get("cursor", ""))


def _service(request: Request) -> Service:
    found = portal_of(request).catalogue.get(request.path_params["id"])
    if found is None:
        raise HTTPException(404, "There is no service of this id in the catalogue.")
    return found


def _next(offset: int, limit: int, total: int) -> str | None:
    after = offset + limit
    return f"o{after}" if after < total else None


def _all_hits(request: Request, query: Query) -> Iterator[Hit]:
    """Every hit, a page at a time."""
    page = replace(query, limit=_STREAMED_HITS)
    while True:
        results = portal_of(request).index.search(page)
        yield from results.hits
        if not results.next:
            return
        page = replace(page, after=results.next)


def _all_layers(request: Request, query: Query) -> Iterator[LayerHit]:
    page = replace(query, limit=_STREAMED_LAYERS)
    while True:
        results = portal_of(request).index.layers(page)
        yield from results.hits
        if not results.next:
            return
        page = replace(page, after=results.next)


_LISTS = ("application/json", JSON_LINES)
_OPERATIONS = (
    Operation("/search", "search", "Services that match, best first", search, named("Results"), SEARCH, _LISTS),
    Operation(
        "/layers", "layers", "Layers that match, those of the best service first", layers, named("FoundLayers"), SEARCH,
        _LISTS,
    ),
    Operation("/facets", "facets", "What the matching services are counted by", facets, named("Facets"), SEARCH),
    Operation("/services", "services", "Services", services, named("Services"), SEARCH, _LISTS),
    Operation(
        "/services/{id}", "service", "All that is known of a service", service, named("Service"),
        (SERVICE_ID, *LAYER_WINDOW),
    ),
    Operation(
        "/services/{id}/layers", "serviceLayers", "The layers of a service", service_layers, named("Layers"),
        (SERVICE_ID, *LAYER_WINDOW), _LISTS,
    ),
    Operation(
        "/services/{id}/open", "open", "Requests and snippets that open a layer", open_service, named("Opening"),
        (SERVICE_ID, *OPEN),
    ),
    Operation(
        "/suggest", "suggest", "Suggestions for a browser's search box", suggest,
        {"type": "array", "items": {"type": ["string", "array"]}, "minItems": 2}, SUGGEST,
        ("application/x-suggestions+json",),
    ),
    Operation("/tasks", "tasks", "The crawls", tasks, named("Tasks"), tag="crawls"),
    Operation("/tasks/{id}", "task", "One crawl", task, named("Task"), (TASK_ID,), tag="crawls"),
    Operation("/reports", "reports", "The reports", reports, named("Reports"), tag="reports"),
    Operation("/reports/{name}", "report", "One report", one_report, named("Report"), (REPORT_NAME,), tag="reports"),
    Operation("/health", "health", "Does the catalogue answer?", health, named("Health"), tag="service"),
    Operation("/openapi.json", "openapi", "This document", openapi, {"type": "object"}, tag="service"),
)  # fmt: skip


def routes() -> list[Route]:
    return routes_of(_OPERATIONS)
