"""Puts the portal together: routes, headers that keep hostile text harmless, and the one error table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from geohound.contracts import Catalogue, Kind, SearchIndex

from . import api, pages
from .asking import BadAskError
from .assets import BuiltFiles, load_assets
from .limiting import RateLimit
from .policy import POLICY
from .portal import About, Portal, Requests, Sorter, Tasks, portal_of
from .showing import FILTERS

__all__ = ["About", "create_app"]

_TEMPLATES = Path(__file__).parent / "templates"
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address can only be read: use GET or HEAD.",
}


def create_app(  # noqa: PLR0913 - each is one thing that the portal shows
    catalogue: Catalogue,
    index: SearchIndex,
    kinds: Mapping[str, Kind],
    *,
    about: About | None = None,
    sorter: Sorter | None = None,
    tasks: Tasks = tuple,
    requests: Requests = lambda _host, _limit: (),
    requests_per_minute: int = 0,
) -> Starlette:
    """The portal over this catalogue, ready for any ASGI server; 0 requests a minute is no limit."""
    app = Starlette(
        routes=[
            Route("/", pages.search_page),
            Route("/service/{id}", pages.service_page),
            Route("/about-the-crawler", pages.crawler_page),
            Route("/opensearch.xml", _opensearch),
            Route("/opensearch.json", api.opensearch),
            Route("/healthz", _healthz),
            *api.routes(),
            Mount("/static", BuiltFiles(), name="static"),
        ],
        middleware=[
            Middleware(_SafeHeaders),
            Middleware(RateLimit, per_minute=requests_per_minute),
            Middleware(GZipMiddleware, minimum_size=1024),
        ],
        exception_handlers={HTTPException: _on_http_error, BadAskError: _on_bad_ask, Exception: _on_bug},
    )
    portal = Portal(catalogue, index, kinds, about or About(), _environment(), sorter, tasks, requests)
    portal.templates.globals.update(portal=portal, assets=load_assets())
    app.state.portal = portal
    return app


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

        await self._app(scope, receive, send_safely if scope["type"] == "http" else send)


def _add_safe_headers(headers: MutableHeaders) -> None:
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)


def _opensearch(request: Request) -> Response:
    """How browsers and catalogue clients learn to search here; addresses as this visitor reached us."""
    portal = portal_of(request)
    text = portal.templates.get_template("opensearch.xml").render(origin=str(request.base_url).rstrip("/"))
    return Response(text, media_type="application/opensearchdescription+xml")


def _healthz(request: Request) -> Response:
    """For load balancers: the portal answers and the catalogue can be read."""
    services, layers = portal_of(request).catalogue.count()
    return PlainTextResponse(f"ok: {services} services, {layers} layers\n", headers={"Cache-Control": "no-store"})


def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - tells the type checker what Starlette guarantees
    stock = _SENTENCES.get(error.status_code)
    sentence = stock if stock and error.detail in ("Not Found", "Method Not Allowed") else error.detail
    return _tell(request, error.status_code, sentence, headers=error.headers)


def _on_bad_ask(request: Request, error: Exception) -> Response:
    assert isinstance(error, BadAskError)  # noqa: S101 - as above
    return _tell(request, 400, error.sentence, error.parameter)


def _on_bug(request: Request, _: Exception) -> Response:
    """The server logs the traceback, the visitor gets a sentence; this answer passes by the middleware."""
    response = _tell(request, 500, "Something went wrong on our side and has been logged; try again soon.")
    _add_safe_headers(response.headers)
    return response


def _tell(
    request: Request,
    status: int,
    sentence: str,
    parameter: str = "",
    headers: Mapping[str, str] | None = None,
) -> Response:
    if request.url.path.startswith(("/api/", "/opensearch.json")):
        response = api.problem(status, sentence, parameter)
    else:
        response = pages.trouble_page(portal_of(request), status, sentence)
    response.headers.update(headers or {})
    return response
