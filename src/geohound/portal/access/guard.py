"""Stands before every route: finds out who asks, and lets pass who has the right that the table names."""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from geohound.model.crawl.task import Task
from geohound.portal.portal import portal_of
from geohound.portal.write_access import READ_ONLY, check_same_site, is_form
from geohound.tasks.control import NoSuchTaskError

from .rights import (
    ACCESS,
    Right,
    is_in_scope,
    may_change,
    may_download,
    may_see,
    may_use,
    may_use_proxy,
)
from .visitor import Visitor, identify

CSRF_HEADER = "x-csrf-token"
NO_DOWNLOAD = (
    "Bulk downloads are for users of this portal: log in, or ask for pages of JSON."
)
NO_ACCOUNT = "Log in to do this."
NOT_YOURS = (
    "This task belongs to somebody else; its owner and administrators may change it."
)
NOT_YOU = "Only administrators may do this."
BAD_TOKEN = "The API token is unknown, has expired, or lacks the scope for this."  # noqa: S105 - a sentence
NO_CSRF = "This form is out of date: load the page again. Programs use an API token instead of a session."
_NUMBER = re.compile(r"[0-9]{1,9}")
_READING = ("GET", "HEAD", "OPTIONS")
_FOR_A_TASK = (Right.SEE_TASK, Right.CHANGE_TASK)
_SMALL = ("", "json", "html")
_BULK_TYPES = (
    "application/x-ndjson",
    "text/csv",
    "application/geo+json",
    "application/vnd.apache.parquet",
)


def guarded(routes: Sequence[BaseRoute]) -> list[BaseRoute]:
    """The same routes, each behind its guard; LookupError where one is not in the table."""
    return [_guarded(route) for route in routes]


def _guarded(route: BaseRoute) -> BaseRoute:
    if isinstance(route, Mount):
        rights = ACCESS[route.path]
        if rights != {"GET": Right.OPEN}:
            raise LookupError(
                f"{route.path} is mounted, and can only be open for everybody."
            )
        return route
    if not isinstance(route, Route):
        raise LookupError(f"{route!r} cannot be guarded.")
    if route.path not in ACCESS:
        raise LookupError(
            f"{route.path} is not in ACCESS of portal/access/rights.py: say who may use it."
        )
    methods = sorted((route.methods or {"GET"}) - {"HEAD"})
    rights = {method: ACCESS[route.path][method] for method in methods}
    return Route(
        route.path,
        route.endpoint,
        methods=methods,
        name=route.name,
        middleware=[Middleware(RouteGuard, rights=rights)],
    )


class RouteGuard:
    """Lets pass, or raises HTTPException: 401 and 403 with a sentence, 303 to the page where one logs in."""

    def __init__(self, app: ASGIApp, rights: dict[str, Right]) -> None:
        self._app = app
        self._rights = rights

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        method = "GET" if request.method == "HEAD" else request.method
        right = self._rights[method]
        visitor = await run_in_threadpool(identify, request)
        request.state.visitor = visitor
        if method not in _READING:
            check_same_site(request)
        await run_in_threadpool(check, request, visitor, right)
        if method not in _READING and visitor.has_session and not is_form(request):
            check_csrf(visitor, request.headers.get(CSRF_HEADER, ""))
        await self._app(
            scope, receive, send if visitor.identity is None else _private(send)
        )


def check(request: Request, visitor: Visitor, right: Right) -> None:
    """HTTPException where this visitor may not do this."""
    if not is_in_scope(visitor, right):
        raise HTTPException(401, BAD_TOKEN, {"WWW-Authenticate": "Bearer"})
    is_relayed = right is Right.PROXY and may_use_proxy(visitor, portal_of(request))
    if not is_relayed and not may_use(visitor, right):
        raise _refusal(request, visitor, right)
    if right is Right.SEARCH and is_bulk(request) and not may_download(visitor):
        raise HTTPException(403, NO_DOWNLOAD)
    if (
        right in (Right.START_TASK, Right.CHANGE_TASK, Right.JUDGE, Right.KEEP)
        and not portal_of(request).may_write
    ):
        raise HTTPException(403, READ_ONLY)
    if right in _FOR_A_TASK:
        _check_task(request, visitor, right)


def _refusal(request: Request, visitor: Visitor, right: Right) -> HTTPException:
    is_page = not request.url.path.startswith("/api/")
    if visitor.is_open:
        return HTTPException(403, READ_ONLY)
    if visitor.name:
        return HTTPException(
            403,
            NOT_YOU if right in (Right.ADMINISTER, Right.SEE_CLUSTER) else NO_ACCOUNT,
        )
    if is_page and request.method == "GET":
        target = request.url.path + (
            f"?{request.url.query}" if request.url.query else ""
        )
        return HTTPException(
            303, NO_ACCOUNT, {"Location": f"/log-in?{urlencode({'next': target})}"}
        )
    return HTTPException(401 if not is_page else 403, NO_ACCOUNT)


def _check_task(request: Request, visitor: Visitor, right: Right) -> None:
    """What one may not see is not there."""
    portal = portal_of(request)
    if portal.tasks is None:
        raise HTTPException(404, "This portal has no tasks.")
    text = request.path_params["id"]
    found: Task | None = None
    try:
        found = portal.tasks.control.find(int(text) if _NUMBER.fullmatch(text) else 0)
    except NoSuchTaskError:
        found = None
    if found is None or not may_see(visitor, found, portal.samples()):
        raise HTTPException(404, "No task with this number in the catalogue.")
    if right is Right.CHANGE_TASK and not may_change(visitor, found):
        raise HTTPException(403, NOT_YOURS)


def is_bulk(request: Request) -> bool:
    """Does it ask for all results at once, in a file?"""
    if request.query_params.get("f", "").lower() not in _SMALL:
        return True
    accepted = request.headers.get("accept", "").lower()
    return any(each in accepted for each in _BULK_TYPES)


def check_csrf(visitor: Visitor, sent: str) -> None:
    """What a page of this portal has sent along; a page of another site cannot know it."""
    if visitor.has_session and not hmac.compare_digest(
        visitor.csrf.encode(), sent.encode("utf-8", "replace")
    ):
        raise HTTPException(403, NO_CSRF)


def _private(send: Send) -> Send:
    """Answers for somebody are for nobody else's cache."""

    async def send_privately(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if "no-store" not in headers.get("Cache-Control", ""):
                headers["Cache-Control"] = "private, no-cache"
            headers.add_vary_header("Cookie")
            headers.add_vary_header("Authorization")
        await send(message)

    return send_privately
