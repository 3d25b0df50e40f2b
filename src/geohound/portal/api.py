"""The JSON side of the portal, for programs: one function per address, and the table that lists them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from geohound.model.catalogue import Entry, Filter
from geohound.model.crawl.data_file import NO_FILES
from geohound.model.search.query import Hit, LayerHit, Query
from geohound.model.service import Service
from geohound.model.user_error import UserError
from geohound.model.version import __version__
from geohound.reports import Table
from geohound.reports.charts import draw
from geohound.reports.charts.world import read_land
from geohound.reports.files import to_csv, to_png
from geohound.text import fold, tokenize
from geohound.views.exporting import all_hits
from geohound.views.files import FileParams, FilesRecord, file_record, read_file_filter
from geohound.views.known import Criteria, KnownService, known_service
from geohound.views.opening import OpeningRecord, opening_record
from geohound.views.params import (
    API,
    EXPORTABLE,
    ApiSearch,
    ExportableSearch,
    LayerWindow,
    OpenParams,
    SearchInterface,
    SuggestParams,
    read_query,
    read_words,
)
from geohound.views.parsing import read, read_box
from geohound.views.records import (
    BriefService,
    ResultsRecord,
    brief_service,
    found_layer,
    hit_record,
    layer_record,
    results_record,
)

from . import check_routes, cluster_routes, monitor_routes, testing_routes
from .access.guard import NO_DOWNLOAD
from .access.rights import may_download
from .access.visitor import visitor_of
from .assets import land_file
from .downloads import exported, wants_export
from .json_responses import JSON_LINES, answer, lines, problem, wants_lines
from .maps import routes as map_routes
from .openapi import ApiOperation, Parameter, document, parameters
from .openapi import routes as routes_of
from .portal import portal_of
from .query_params import from_api
from .records import (
    FacetsRecord,
    FoundLayers,
    LayersRecord,
    ReportName,
    ReportParams,
    ReportRecord,
    ReportsRecord,
    ServicesRecord,
    StatusRecord,
    named,
    schemas,
)
from .reports import (
    FACET_VALUES,
    REPORTS,
    facets_record,
    report,
    report_table,
    scope_of,
)
from .task_changes import chosen_task
from .tasks import routes as task_routes

__all__ = ["OPERATIONS", "opensearch", "problem", "routes"]

_MAX_SIGHTINGS = 200
_STREAMED_LAYERS = 5_000  # read at a time


def search(request: Request) -> Response:
    """GET /search"""
    portal = portal_of(request)
    query = _exportable(request)
    if wants_export(request):
        return exported(request, query)
    if wants_lines(request):
        return lines(request, map(hit_record, all_hits(portal.index, query)))
    results = portal.index.search(replace(query, related=True))
    return answer(request, results_record(results))


def opensearch(request: Request) -> Response:
    """The same search for OpenSearch clients, who send the parameters that they leave open without a value.

    In the words of the Geo extension, boxes that share some place intersect.
    """
    pairs = [(k, v) for k, v in request.query_params.multi_items() if v]
    pairs = [
        (k, "overlaps" if (k, v.lower()) == ("relation", "intersects") else v)
        for k, v in pairs
    ]
    return search(Request({**request.scope, "query_string": urlencode(pairs).encode()}))


def layers(request: Request) -> Response:
    """GET /layers: the layers that match, each with its service, those of the best service first"""
    query = _query(request)
    if wants_lines(request):
        return lines(request, map(found_layer, _all_layers(request, query)))
    results = portal_of(request).index.layers(query)
    found = [found_layer(hit) for hit in results.hits]
    return answer(
        request,
        FoundLayers(layers=found, total=results.total, next=results.next or None),
    )


def facets(request: Request) -> Response:
    """GET /facets"""
    portal = portal_of(request)
    results = portal.index.search(
        replace(_query(request), limit=1, offset=0, facet_values=FACET_VALUES)
    )
    return answer(request, facets_record(portal, results))


def services(request: Request) -> Response:
    """GET /services, near-duplicates too; all of them as JSON lines, in the order in which they were found"""
    portal = portal_of(request)
    query = replace(_exportable(request), fold=False)
    if wants_export(request):
        return exported(request, query)
    if wants_lines(request) and replace(
        query, kinds=(), states=(), limit=0, offset=0
    ) == Query(limit=0, fold=False):
        entries = portal.catalogue.entries(Filter(query.kinds, query.states))
        return lines(request, map(_brief_entry, entries))
    if wants_lines(request):
        return lines(request, map(_brief_hit, all_hits(portal.index, query)))
    results = portal.index.search(query)
    found = [_brief_hit(hit) for hit in results.hits]
    return answer(
        request,
        ServicesRecord(services=found, total=results.total, next=results.next or None),
    )


def _brief_hit(hit: Hit) -> BriefService:
    return brief_service(hit.service, hit.state, hit.layer_count)


def _brief_entry(entry: Entry) -> BriefService:
    return brief_service(entry.service, entry.health.state, len(entry.service.layers))


def service(request: Request) -> Response:
    """GET /services/{id}; layers in pages, since one service may have thousands"""
    portal = portal_of(request)
    window = read(LayerWindow, from_api(request.query_params))
    found = _service(request)
    shown = found.layers[window.first : window.first + window.limit]
    past = portal.past.of(found.id) if portal.past else None
    criteria = Criteria(portal.topics_of, portal.response_limit_s)
    record = known_service(
        portal.catalogue, found, criteria, datetime.now(UTC), shown, past
    )
    return answer(
        request,
        msgspec.structs.replace(record, sightings=record.sightings[:_MAX_SIGHTINGS]),
    )


def service_layers(request: Request) -> Response:
    """GET /services/{id}/layers"""
    window = read(LayerWindow, from_api(request.query_params))
    found = _service(request).layers
    if wants_lines(request):
        return lines(request, map(layer_record, found))
    after = window.first + window.limit
    shown = [layer_record(layer) for layer in found[window.first : after]]
    following = f"o{after}" if after < len(found) else None
    return answer(request, LayersRecord(layers=shown, total=len(found), next=following))


def open_service(request: Request) -> Response:
    """GET /services/{id}/open: requests and snippets for a layer and a box"""
    params = read(OpenParams, from_api(request.query_params))
    box = read_box(params.bbox)
    found = _service(request)
    layer = (
        next((la for la in found.layers if la.name == params.layer), None)
        if params.layer
        else None
    )
    if params.layer and layer is None:
        raise HTTPException(404, "The service has no layer with this name.")
    return answer(request, opening_record(portal_of(request).open(found, layer, box)))


def files(request: Request) -> Response:
    """GET /files: data files that pages link to, in the order in which they were found"""
    store = portal_of(request).files
    which = read_file_filter(from_api(request.query_params))
    found, counts = (
        (store.files(which), store.count(which)) if store else ((), NO_FILES)
    )
    following = f"f{found[-1].number}" if len(found) == which.limit else None
    records = [file_record(each) for each in found]
    return answer(
        request,
        FilesRecord(
            files=records,
            total=counts.files,
            formats=dict(counts.formats),
            next=following,
        ),
    )


def suggest(request: Request) -> Response:
    """GET /suggest: what browsers show below their search box, in the form that they expect"""
    portal = portal_of(request)
    text = read_words(read(SuggestParams, from_api(request.query_params)).q)
    found: dict[str, None] = {}
    if text:
        results = portal.index.search(Query(text=f"{text}*", limit=8))
        for hit in results.hits:
            found |= dict.fromkeys(la.title or la.name for la in hit.layers[:2])
            found |= dict.fromkeys([hit.service.title])
    titles = [" ".join(title.split())[:100] for title in found if title.strip()]
    return answer(
        request,
        [text, _most_alike(text, titles)[:10]],
        "application/x-suggestions+json",
    )


def _most_alike(text: str, titles: Sequence[str]) -> Sequence[str]:
    """Those that say what is being typed; a service found by its title lists other layers too."""
    *_, last = tokenize(text) or [""]
    alike = [title for title in titles if last in fold(title)]
    return alike or titles


def reports(request: Request) -> Response:
    """GET /reports"""
    return answer(
        request,
        ReportsRecord(
            reports=[ReportName(name=k, title=v) for k, v in REPORTS.items()]
        ),
    )


_LISTING = ("difference", "sampling-sheet")  # these name services, up to all of them


def one_report(request: Request) -> Response:
    """GET /reports/{name}"""
    name = request.path_params["name"]
    if name not in REPORTS:
        raise HTTPException(404, f"Unknown report; choose from {', '.join(REPORTS)}.")
    if name in _LISTING and not may_download(visitor_of(request)):
        raise HTTPException(403, NO_DOWNLOAD)
    portal, texts = portal_of(request), from_api(request.query_params)
    choices = portal.choices(texts)
    asked = read(ReportParams, texts, choices)
    query = read_query(texts, SearchInterface(ReportParams), choices)
    scope = scope_of(asked, query, chosen_task(request, asked.task))
    if asked.f == "json":
        return answer(request, report(portal, name, scope))
    return report_file(name, report_table(portal, name, scope), asked.f)


def report_file(name: str, table: Table, form: str) -> Response:
    """A report to keep: CSV, or its chart; 404 where there is nothing to draw."""
    headers = {
        "Cache-Control": "no-cache",
        "Content-Disposition": f'inline; filename="{name}.{form}"',
    }
    if form == "csv":
        return Response(to_csv(table), 200, headers, "text/csv; charset=utf-8")
    drawn = draw(name, REPORTS[name], table, read_land(land_file()))
    if drawn is None:
        raise HTTPException(404, "This report has nothing to draw.")
    if form == "svg":
        return Response(drawn.encode("utf-8", "replace"), 200, headers, "image/svg+xml")
    try:
        return Response(to_png(drawn), 200, headers, "image/png")
    except UserError as error:
        raise HTTPException(404, str(error)) from None


def health(request: Request) -> Response:
    """GET /health"""
    found, found_layers = portal_of(request).catalogue.count()
    return answer(
        request,
        StatusRecord(
            status="ok", version=__version__, services=found, layers=found_layers
        ),
    )


def openapi(request: Request) -> Response:
    """GET /openapi.json"""
    portal = portal_of(request)
    parts = (
        map_routes.schemas(),
        testing_routes.schemas(),
        cluster_routes.schemas(),
        task_routes.schemas(portal),
    )
    described = {
        name: schema for part in (schemas(), *parts) for name, schema in part.items()
    }
    choices = {
        "kind": sorted(portal.kinds),
        "topic": sorted(topic.id for topic in portal.topics),
        "f": list(portal.exporters) or ["json", "jsonl"],
    }
    return answer(request, document(OPERATIONS, described, choices))


def _query(request: Request) -> Query:
    texts = from_api(request.query_params)
    return read_query(texts, API, portal_of(request).choices(texts))


def _exportable(request: Request) -> Query:
    texts = from_api(request.query_params)
    return read_query(texts, EXPORTABLE, portal_of(request).choices(texts))


def _service(request: Request) -> Service:
    found = portal_of(request).catalogue.get(request.path_params["id"])
    if found is None:
        raise HTTPException(404, "No service with this id in the catalogue.")
    return found


def _all_layers(request: Request, query: Query) -> Iterator[LayerHit]:
    page = replace(query, limit=_STREAMED_LAYERS)
    while True:
        results = portal_of(request).index.layers(page)
        yield from results.hits
        if not results.next:
            return
        page = replace(page, after=results.next)


_LISTS = ("application/json", JSON_LINES)
_FORMATS = (
    *_LISTS, "text/csv", "application/geo+json", "application/xml", "application/vnd.apache.parquet",
    "application/x-qgis-layer-definition",
)  # fmt: skip
_SEARCH = parameters(ApiSearch)
_EXPORTABLE = parameters(ExportableSearch)
_LAYER_WINDOW = parameters(LayerWindow)
_SERVICE_ID = Parameter(
    "id", {"type": "string", "pattern": "^[0-9a-f]{16}$"}, "the id of a service", "path"
)
_REPORT_TYPES = ("application/json", "text/csv", "image/svg+xml", "image/png")
_REPORT_NAME = Parameter(
    "name", {"type": "string", "enum": list(REPORTS)}, "the name of a report", "path"
)
OPERATIONS = (
    ApiOperation(
        "/search", "search", "Services that match, best first", search, named(ResultsRecord), _EXPORTABLE, _FORMATS
    ),
    ApiOperation(
        "/layers", "layers", "Layers that match, those of the best service first", layers, named(FoundLayers),
        _SEARCH, _LISTS,
    ),
    ApiOperation("/facets", "facets", "Facet counts of the matching services", facets, named(FacetsRecord), _SEARCH),
    ApiOperation("/services", "services", "Services", services, named(ServicesRecord), _EXPORTABLE, _FORMATS),
    ApiOperation(
        "/services/{id}", "service", "One service in full", service, named(KnownService),
        (_SERVICE_ID, *_LAYER_WINDOW),
    ),
    ApiOperation(
        "/services/{id}/layers", "serviceLayers", "The layers of a service", service_layers, named(LayersRecord),
        (_SERVICE_ID, *_LAYER_WINDOW), _LISTS,
    ),
    ApiOperation(
        "/services/{id}/open", "open", "Requests and snippets that open a layer", open_service, named(OpeningRecord),
        (_SERVICE_ID, *parameters(OpenParams)),
    ),
    ApiOperation(
        "/files", "files", "Data files that pages link to; none was downloaded", files, named(FilesRecord),
        parameters(FileParams),
    ),
    ApiOperation(
        "/suggest", "suggest", "Suggestions for a browser's search box", suggest,
        {"type": "array", "items": {"type": ["string", "array"]}, "minItems": 2}, parameters(SuggestParams),
        ("application/x-suggestions+json",),
    ),
    *map_routes.OPERATIONS,
    *monitor_routes.OPERATIONS,
    *testing_routes.OPERATIONS,
    *check_routes.OPERATIONS,
    *task_routes.OPERATIONS,
    *cluster_routes.OPERATIONS,
    ApiOperation("/reports", "reports", "The reports", reports, named(ReportsRecord), tag="reports"),
    ApiOperation(
        "/reports/{name}", "report", "One report", one_report, named(ReportRecord),
        (_REPORT_NAME, *parameters(ReportParams)), _REPORT_TYPES, tag="reports",
    ),
    ApiOperation("/health", "health", "Does the catalogue answer?", health, named(StatusRecord), tag="service"),
    ApiOperation("/openapi.json", "openapi", "This document", openapi, {"type": "object"}, tag="service"),
)  # fmt: skip


def routes() -> list[Route]:
    return routes_of(OPERATIONS)
