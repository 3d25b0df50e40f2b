"""Check now: one deep look at a service of the catalogue, for who may start crawls; as a form, and line by line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from geohound.model.service import Service
from geohound.views.encoding import encode

from .access.forms import read_form
from .json_responses import JSON_LINES
from .openapi import ApiOperation, Parameter
from .portal import CheckNow, Portal, portal_of
from .write_access import check_no_form

_MAX_AT_ONCE = 4
REST_S = 30  # between two looks at one service that visitors ask for
_running: set[str] = set()  # ids of services


async def check_service(request: Request) -> Response:
    """POST /services/{id}/check: the form of the service's page, which works without scripts"""
    await read_form(request)
    service, check = await run_in_threadpool(_asked, request)
    async for _ in _events(check, service):
        pass
    return RedirectResponse(
        f"/services/{service.id}#health", 303, {"Cache-Control": "no-store"}
    )


async def check_service_watched(request: Request) -> Response:
    """POST /services/{id}/check of the API"""
    check_no_form(request)
    service, check = await run_in_threadpool(_asked, request)
    return StreamingResponse(
        _events(check, service),
        media_type=JSON_LINES,
        headers={"Cache-Control": "no-store"},
    )


def _asked(request: Request) -> tuple[Service, CheckNow]:
    """The service, and the way to check it; HTTPException where it is not to be checked now."""
    portal = portal_of(request)
    service = portal.catalogue.get(request.path_params["id"])
    if service is None:
        raise HTTPException(404, "This service is not in the catalogue.")
    if portal.check is None:
        raise HTTPException(404, "This portal does not check services.")
    if len(_running) >= _MAX_AT_ONCE or service.id in _running:
        raise HTTPException(
            503,
            "Services are being checked; try again in a minute.",
            {"Retry-After": str(REST_S)},
        )
    wait_s = rest_s(portal, service)
    if wait_s:
        sentence = f"This service was checked a moment ago. It can be checked again in {wait_s} s."
        raise HTTPException(429, sentence, {"Retry-After": str(wait_s)})
    return service, portal.check


def rest_s(portal: Portal, service: Service) -> int:
    """For how many seconds the service is to be left alone."""
    checks = portal.catalogue.checks(service.id)
    passed = (datetime.now(UTC) - checks[-1].at).total_seconds() if checks else REST_S
    return max(0, round(REST_S - passed))


async def _events(check: CheckNow, service: Service) -> AsyncIterator[bytes]:
    _running.add(service.id)
    try:
        async with aclosing(check(service)) as events:
            async for event in events:
                yield encode(event) + b"\n"
    finally:
        _running.discard(service.id)


_ID = Parameter(
    "id", {"type": "string", "pattern": "^[0-9a-f]{16}$"}, "the id of a service", "path"
)

OPERATIONS = (
    ApiOperation(
        "/services/{id}/check", "checkService", "Check a service now; events line by line, the result last",
        check_service_watched, {"type": "string"}, (_ID,), (JSON_LINES,), "monitor", method="POST",
        refusals=(401, 403, 415, 503),
    ),
)  # fmt: skip
