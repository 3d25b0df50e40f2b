"""What the monitor knows, for programs that follow it: feeds, calendars, badges, numbers for Prometheus."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from geohound.model.biography import LifeEvent
from geohound.model.health import HealthState, assess
from geohound.model.monitoring.maintenance import Maintenance, announced
from geohound.model.service import Service
from geohound.views import feeds
from geohound.views.feeds import Feed, FeedEntry
from geohound.views.params import API, ApiSearch, read_query
from geohound.views.parsing import read

from .json_responses import OPEN, answer
from .openapi import ApiOperation, Parameter, parameters
from .portal import Portal, portal_of
from .query_params import from_api

if TYPE_CHECKING:
    from prometheus_client.core import Metric

METRICS = "text/plain; version=0.0.4; charset=utf-8"
_MATCHES = 500  # services of a search whose lives a feed follows


class BadgeParams(msgspec.Struct, frozen=True, kw_only=True):
    """What a badge is about."""

    layer: Annotated[
        str,
        Meta(
            max_length=500,
            description="name of a layer; without one: the whole service",
        ),
    ] = ""


def feed_atom(request: Request) -> Response:
    """GET /feed.atom: what happened to the services that match a search"""
    return _file(request, feeds.atom(_search_feed(request)), feeds.ATOM)


def feed_json(request: Request) -> Response:
    """GET /feed.json"""
    return answer(request, feeds.json_feed(_search_feed(request)), feeds.JSON_FEED)


def service_feed(request: Request) -> Response:
    """GET /services/{id}/feed.atom"""
    service = _service(request)
    found = _feed(
        request,
        service.title or service.endpoint,
        _events(request, service),
        {service.id: service},
    )
    return _file(request, feeds.atom(found), feeds.ATOM)


def service_outages(request: Request) -> Response:
    """GET /services/{id}/outages.ics"""
    service = _service(request)
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    found = feeds.outages(_events(request, service))
    return _file(
        request, feeds.calendar(service.id, service.title, found, now), feeds.CALENDAR
    )


def maintenance_feed(request: Request) -> Response:
    """GET /maintenance.atom"""
    link, home = f"{_base(request)}{request.url.path}", f"{_base(request)}/"
    windows, now = _windows(request)
    return _file(request, feeds.maintenance_atom(windows, link, home, now), feeds.ATOM)


def maintenance_calendar(request: Request) -> Response:
    """GET /maintenance.ics"""
    windows, now = _windows(request)
    return _file(request, feeds.maintenance_calendar(windows, now), feeds.CALENDAR)


def _windows(request: Request) -> tuple[list[Maintenance], datetime]:
    """What is announced, and the hour: feeds that say the same are the same."""
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    return announced(portal_of(request).about.maintenance, now), now


def service_badge(request: Request) -> Response:
    """GET /services/{id}/badge.svg"""
    asked = read(BadgeParams, from_api(request.query_params))
    service, portal = _service(request), portal_of(request)
    state = assess(portal.catalogue.checks(service.id)).state
    if not asked.layer:
        return _file(
            request,
            feeds.badge(portal.kind_label(service.kind), str(state), state),
            feeds.SVG,
        )
    looks = portal.past.history.layers(service.id) if portal.past else ()
    ok = next((look.ok for look in looks if look.layer == asked.layer), None)
    words = {True: ("works", HealthState.ALIVE), False: ("fails", HealthState.UNSURE)}
    word, shown = words[ok] if ok is not None else ("not tested", HealthState.UNKNOWN)
    if ok and state is not HealthState.ALIVE:  # it worked while the service did
        word, shown = str(state), state
    return _file(request, feeds.badge(asked.layer, word, shown), feeds.SVG)


def metrics(request: Request) -> Response:
    """GET /metrics: services by state, looks that are overdue, events of the last day"""
    from prometheus_client import generate_latest  # noqa: PLC0415 - it loads an HTTP server

    portal = portal_of(request)
    return Response(generate_latest(_Collector(portal)), 200, OPEN, METRICS)


class _Collector:
    """The numbers of one moment."""

    def __init__(self, portal: Portal) -> None:
        self._portal = portal

    def collect(self) -> Iterable[Metric]:
        from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415

        now = datetime.now(UTC)
        states = GaugeMetricFamily(
            "geohound_services_by_state", "Services by state.", labels=("state",)
        )
        counts = self._portal.index.search(
            read_query({"limit": ["1"]}, API, {})
        ).facets.get("state", {})
        for state in HealthState:
            states.add_metric((str(state),), counts.get(str(state), 0))
        yield states
        past = self._portal.past
        if past is None:
            return
        due = past.queue.count_due(now - timedelta(days=1))
        yield GaugeMetricFamily(
            "geohound_checks_overdue", "Looks that are late by more than a day.", due
        )
        recent = Counter(
            str(event.change) for event in past.history.since(now - timedelta(days=1))
        )
        events = GaugeMetricFamily(
            "geohound_events_last_day",
            "Events of services in the last day.",
            labels=("change",),
        )
        for change, count in sorted(recent.items()):
            events.add_metric((change,), count)
        yield events


def _search_feed(request: Request) -> Feed:
    portal = portal_of(request)
    texts = from_api(request.query_params)
    query = read_query(texts, API, portal.choices(texts))
    results = portal.index.search(replace(query, limit=_MATCHES, offset=0, fold=False))
    services = {hit.service.id: hit.service for hit in results.hits}
    since = datetime.now(UTC) - timedelta(days=feeds.FEED_DAYS)
    events = (
        [e for e in portal.past.history.since(since) if e.service_id in services]
        if portal.past
        else []
    )
    words = f" that match “{query.text}”" if query.text else ""
    return _feed(request, f"Geohound: services{words}", events, services)


def _feed(
    request: Request,
    title: str,
    events: Iterable[LifeEvent],
    services: dict[str, Service],
) -> Feed:
    base = _base(request)
    latest = sorted(events, key=lambda event: event.at, reverse=True)[
        : feeds.MAX_ENTRIES
    ]
    entries = [
        FeedEntry(
            event, services[event.service_id].title if event.service_id in services else "",
            f"{base}/services/{event.service_id}",
        )
        for event in latest
    ]  # fmt: skip
    query = f"?{request.url.query}" if request.url.query else ""
    return Feed(title, f"{base}{request.url.path}{query}", f"{base}/", entries)


def _base(request: Request) -> str:
    """The address of the portal, as its settings have it."""
    about = portal_of(request).about
    return about.url.rstrip("/") or f"{request.url.scheme}://{request.url.netloc}"


def _events(request: Request, service: Service) -> list[LifeEvent]:
    past = portal_of(request).past
    return list(past.history.events(service.id)) if past else []


def _service(request: Request) -> Service:
    found = portal_of(request).catalogue.get(request.path_params["id"])
    if found is None:
        raise HTTPException(404, "No service with this id in the catalogue.")
    return found


def _file(request: Request, body: bytes, media_type: str) -> Response:
    """A file with a tag; nothing but 304 where the asker holds it already."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    headers = {**OPEN, "ETag": tag, "Cache-Control": "no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(None, 304, headers)
    return Response(body, 200, headers, media_type)


_ID = Parameter(
    "id", {"type": "string", "pattern": "^[0-9a-f]{16}$"}, "the id of a service", "path"
)
_SEARCH = parameters(ApiSearch)
_TEXT = {"type": "string"}
OPERATIONS = (
    ApiOperation(
        "/feed.atom", "feedAtom", "What happened to services that match, in the last 30 days, as Atom", feed_atom,
        _TEXT, _SEARCH, (feeds.ATOM,), "monitor",
    ),
    ApiOperation(
        "/feed.json", "feedJson", "The same as JSON Feed", feed_json, {"type": "object"}, _SEARCH, (feeds.JSON_FEED,),
        "monitor",
    ),
    ApiOperation(
        "/services/{id}/feed.atom", "serviceFeed", "The life of a service as Atom", service_feed, _TEXT, (_ID,),
        (feeds.ATOM,), "monitor",
    ),
    ApiOperation(
        "/services/{id}/outages.ics", "serviceOutages", "When a service did not answer, as a calendar",
        service_outages, _TEXT, (_ID,), (feeds.CALENDAR,), "monitor",
    ),
    ApiOperation(
        "/services/{id}/badge.svg", "serviceBadge", "A badge with the state of a service or of a layer", service_badge,
        _TEXT, (_ID, *parameters(BadgeParams)), (feeds.SVG,), "monitor",
    ),
    ApiOperation(
        "/maintenance.atom", "maintenanceFeed", "Announced maintenance of hosts as Atom", maintenance_feed, _TEXT, (),
        (feeds.ATOM,), "monitor",
    ),
    ApiOperation(
        "/maintenance.ics", "maintenanceCalendar", "The same as a calendar", maintenance_calendar, _TEXT, (),
        (feeds.CALENDAR,), "monitor",
    ),
    ApiOperation("/metrics", "metrics", "Numbers for Prometheus", metrics, _TEXT, (), ("text/plain",), "monitor"),
)  # fmt: skip
