"""Puts the portal together: routes, headers that keep hostile text harmless, and the one error table."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from geohound.accounts import Accounts
from geohound.contracts import (
    CatalogueStore,
    DataFileStore,
    Exporter,
    Kind,
    NoteStore,
    SearchIndex,
    SnippetWriter,
    StoreError,
)
from geohound.views.known import Past
from geohound.views.parsing import ParameterError

from . import api, cluster_routes
from .access import guarded, visitor_of
from .access.visitor import identify
from .assets import BuiltFiles, load_assets
from .check_routes import check_service
from .downloads import layer_file
from .formatting import FILTERS
from .maps.proxy import proxied
from .middleware.cross_origin import CrossOrigin
from .middleware.host_check import ANY as ANY_HOST
from .middleware.host_check import HostCheck
from .middleware.policy import POLICY
from .middleware.rate_limit import RateLimit
from .pages import accounts as account_pages
from .pages import comparing, judging, saved, trouble_page
from .pages.crawler import crawler_page
from .pages.documentation import documentation_page
from .pages.overview import health_page
from .pages.search import search_page
from .pages.service import moved, service_page
from .pages.statistics import statistics_page
from .pages.world import map_page
from .portal import (
    About,
    CheckNow,
    ClusterStatus,
    Examine,
    OpenIdProvider,
    Portal,
    PortalTasks,
    Reach,
    Relay,
    Requests,
    ServiceClassifier,
    no_cluster,
    portal_of,
)
from .task_events import TaskEvents
from .tasks import pages as task_pages

__all__ = ["About", "PortalTasks", "TaskEvents", "create_app"]

log = logging.getLogger(__name__)
_COMPRESSION = 5  # 9 takes half as long again, and saves a fiftieth
_STORE_TROUBLE = (StoreError, sqlite3.DatabaseError)
_TEMPLATES = Path(__file__).parent / "templates"
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
NOT_FOUND = 404
SENTENCES = {
    NOT_FOUND: "Nothing is at this address. It may have been mistyped, or the page has moved.",
    405: "Method not allowed for this URL.",
}


def create_app(  # noqa: PLR0913 - each is one thing that the portal shows
    catalogue: CatalogueStore,
    index: SearchIndex,
    kinds: Mapping[str, Kind],
    *,
    about: About | None = None,
    classifier: ServiceClassifier | None = None,
    tasks: PortalTasks | None = None,
    requests: Requests = lambda _host, _limit: (),
    snippets: Mapping[str, SnippetWriter] | None = None,
    requests_per_minute: int = 0,
    names: Collection[str] = (ANY_HOST,),
    reach: Reach | None = None,
    origins: Collection[str] = (),
    files: DataFileStore | None = None,
    exporters: Mapping[str, Exporter] | None = None,
    accounts: Accounts | None = None,
    openid: OpenIdProvider | None = None,
    past: Past | None = None,
    examine: Examine | None = None,
    check: CheckNow | None = None,
    relay: Relay | None = None,
    is_relay_for_guests: bool = False,
    cluster: ClusterStatus = no_cluster,
    notes: NoteStore | None = None,
) -> Starlette:
    """The portal over this catalogue, ready for any ASGI server; 0 requests a minute is no limit.

    It answers under these host names, those of loopback, and the address that it is asked at. `reach` is for webs whose
    names a visitor's browser cannot look up; pages of these `origins` may read the API.
    Without `accounts` nobody logs in.
    """
    middleware = [
        Middleware(_SafeHeaders),
        Middleware(CrossOrigin, origins=origins),
        Middleware(HostCheck, names=names),
        Middleware(RateLimit, per_minute=requests_per_minute),
        Middleware(GZipMiddleware, minimum_size=1024, compresslevel=_COMPRESSION),
    ]
    app = Starlette(
        routes=guarded(_routes()),
        middleware=middleware,
        exception_handlers=_error_table(),
    )
    portal = Portal(
        catalogue, index, kinds, about or About(), _environment(), classifier, tasks, requests, snippets or {}, reach,
        files, exporters or {}, accounts, openid, past, examine, check, relay, is_relay_for_guests, cluster, notes,
    )  # fmt: skip
    portal.templates.globals.update(portal=portal, assets=load_assets())
    app.state.portal = portal
    app.state.operations = api.OPERATIONS
    return app


def _routes() -> list[BaseRoute]:
    return [
        Route("/", search_page),
        Route("/services/{id}", service_page),
        Route("/services/{id}/layers.qlr", layer_file),
        Route("/services/{id}/check", check_service, methods=["POST"]),
        Route("/service/{id}", moved),
        Route("/map", map_page),
        Route("/proxy/{id}", proxied),
        Route("/health", health_page),
        Route("/statistics", statistics_page),
        Route("/api", documentation_page),
        Route("/about-the-crawler", crawler_page),
        Route("/opensearch.xml", _opensearch),
        Route("/opensearch.json", api.opensearch),
        Route("/healthz", _healthz),
        *saved.routes(),
        *judging.routes(),
        *comparing.routes(),
        *account_pages.routes(),
        *task_pages.routes(),
        *cluster_routes.pages(),
        *api.routes(),
        Mount("/static", BuiltFiles(), name="static"),
    ]


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment


class _SafeHeaders:
    """Sets the headers above on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_safe_headers(MutableHeaders(scope=message))
            await send(message)

        await self._app(
            scope, receive, send_safely if scope["type"] == "http" else send
        )


def _add_safe_headers(headers: MutableHeaders) -> None:
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)


def _opensearch(request: Request) -> Response:
    """How browsers and catalogue clients learn to search here; where, is nothing that a request may decide."""
    portal = portal_of(request)
    origin = portal.about.url.rstrip("/") or _listening_at(request.scope)
    text = portal.templates.get_template("opensearch.xml").render(origin=origin)
    return Response(text, media_type="application/opensearchdescription+xml")


def _listening_at(scope: Scope) -> str:
    host, port = scope.get("server") or ("localhost", None)
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}" if port else f"http://{name}"


def _healthz(request: Request) -> Response:
    """For load balancers: the portal answers and the catalogue can be read."""
    services, layers = portal_of(request).catalogue.count()
    return PlainTextResponse(
        f"ok: {services} services, {layers} layers\n",
        headers={"Cache-Control": "no-store"},
    )


def _error_table() -> dict[Any, Any]:
    troubles = dict.fromkeys(_STORE_TROUBLE, _on_store)
    return {
        HTTPException: _on_http_error,
        ParameterError: _on_parameter,
        **troubles,
        Exception: _on_bug,
    }


def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - for the type checker: Starlette guarantees it
    stock = SENTENCES.get(error.status_code)
    sentence = (
        stock
        if stock and error.detail in ("Not Found", "Method Not Allowed")
        else error.detail
    )
    if error.status_code != NOT_FOUND or hasattr(request.state, "visitor"):
        return _error_response(
            request, error.status_code, sentence, headers=error.headers
        )
    # No guard stands before pages that do not exist: whoever has logged in is still there.
    request.state.visitor = identify(request)
    response = _error_response(request, NOT_FOUND, sentence, headers=error.headers)
    if visitor_of(request).identity is not None:
        response.headers["Cache-Control"] = "private, no-cache"
    return response


def _on_parameter(request: Request, error: Exception) -> Response:
    assert isinstance(error, ParameterError)  # noqa: S101 - as above
    return _error_response(request, 400, error.sentence, error.parameter)


def _on_store(request: Request, error: Exception) -> Response:
    """The catalogue is damaged, held or gone: the owner finds the reason in the log."""
    log.error("The catalogue cannot be read: %s", error)
    return _error_response(
        request,
        503,
        "The catalogue cannot be read; the log of the portal has the reason.",
    )


def _on_bug(request: Request, _: Exception) -> Response:
    """The server logs the traceback, the visitor gets a sentence; this answer passes by the middleware."""
    response = _error_response(
        request, 500, "Internal error; it has been logged. Please try again."
    )
    _add_safe_headers(response.headers)
    return response


def _error_response(
    request: Request,
    status: int,
    sentence: str,
    parameter: str = "",
    headers: Mapping[str, str] | None = None,
) -> Response:
    path = request.url.path
    if path.startswith(("/api/", "/opensearch.json", "/proxy/")):
        response = api.problem(status, sentence, parameter)
        if path.startswith("/proxy/"):  # for pages of this portal alone
            del response.headers["Access-Control-Allow-Origin"]
    else:
        response = trouble_page(request, status, sentence)
    response.headers.update(headers or {})
    return response
