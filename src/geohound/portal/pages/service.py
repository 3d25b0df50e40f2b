"""One service: what it offers, how it fares, how to open it, where it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from geohound.model.health import Check, assess
from geohound.model.score import FORMULA, described
from geohound.model.service import Layer, Service
from geohound.portal.access.rights import Right, may_use
from geohound.portal.access.visitor import visitor_of
from geohound.portal.check_routes import rest_s
from geohound.portal.formatting import box_of, description_url, layer_matches
from geohound.portal.maps.drawing import drawing_of
from geohound.portal.maps.drawn_layers import DrawnLayer
from geohound.portal.maps.gazetteer import near
from geohound.portal.middleware.policy import policy_for
from geohound.portal.portal import Portal, portal_of
from geohound.portal.query_params import from_page
from geohound.views.known import health_record, history, location_record
from geohound.views.params import LayerWindow
from geohound.views.parsing import read, read_box

from .cards import opens_in_qgis, strip
from .parts import Choice, Paging
from .rendering import render

LAYERS_PER_PAGE = 50
MAX_PICKED = 500
_MAX_FIND_CHARS = 100
_SHOWN_CHECKS = 60
VIA_WORDS = {
    "seed": "as a seed",
    "link": "in a link on",
    "text": "in the text of",
    "form": "in a form on",
    "script": "in a script of",
    "config": "in a configuration file of",
    "sitemap": "in the sitemap",
    "service": "named by the service at",
    "redirect": "by a redirect from",
    "harvest": "in the catalogue at",
    "search": "by a web search for",
    "browser": "requested by the page",
    "watcher": "reported by the watcher of",
}


def service_page(request: Request) -> Response:
    """GET /services/{id}"""
    portal = portal_of(request)
    service = portal.catalogue.get(request.path_params["id"])
    if service is None:
        raise HTTPException(
            404,
            "This service is not in the catalogue. It may be listed under another address.",
        )
    words = request.query_params.get("find", "")[:_MAX_FIND_CHARS].strip()
    found = (
        [la for la in service.layers if layer_matches(la, words)]
        if words
        else service.layers
    )
    asked = from_page(request.query_params)
    offset = read(LayerWindow, {"offset": asked.get("offset", ["0"])}).offset
    layer = _choose_layer(service, request.query_params.get("layer", ""))
    opening = portal.open(service, layer, read_box("".join(asked.get("bbox", ()))))
    drawing = drawing_of(opening.links)
    checks = portal.catalogue.checks(service.id)
    sightings = portal.catalogue.sightings(service.id)
    past = portal.past
    may_check = _may_check(request, portal)
    context = {
        "service": service,
        "opened": layer,
        "opening": opening,
        "drawn": DrawnLayer(service, layer, drawing, opening.box) if drawing else None,
        "pickable": [la for la in service.layers if la.name][:MAX_PICKED],
        "qlr_url": _qlr_url(service, layer)
        if opens_in_qgis(portal, service, opening)
        else "",
        "strip": strip(checks, _SHOWN_CHECKS),
        "latency": latency_line(checks[-_SHOWN_CHECKS:]),
        "changes": list(history(past.of(service.id).events if past else (), sightings))[
            ::-1
        ],
        "topics": _topics(portal, service),
        "description_url": description_url(portal.reachable(service), portal.kinds),
        "reach": portal.reach or str,
        "health": health_record(
            checks,
            datetime.now(UTC),
            portal.response_limit_s(service.kind),
            description=described(service),
        ),
        "median_s": assess(checks).median_elapsed_s,
        "sightings": sightings,
        "via_words": VIA_WORDS,
        "find": words,
        "layers": found[offset : offset + LAYERS_PER_PAGE],
        "paging": _page_layers(service, found, words, offset),
        "faulty": [la for la in service.layers if la.extent and la.extent.faults],
        "location": location_record(service),
        "nearby": near(box_of(service)),
        "is_shown": request.query_params.get("show") == "1",
        "may_check": may_check,
        "score_formula": FORMULA,
        "rest_s": rest_s(portal, service) if may_check else 0,
        "siblings": _siblings(portal, service),
    }
    page = render(request, "service.html", context)
    # with `no-referrer` browsers do not say where a form comes from
    page.headers["Referrer-Policy"] = "same-origin"
    if drawing:
        page.headers["Content-Security-Policy"] = policy_for(drawing.url)
    return page


def _may_check(request: Request, portal: Portal) -> bool:
    """True if this visitor may have the service checked now."""
    is_offered = portal.check is not None and portal.may_write
    return is_offered and may_use(visitor_of(request), Right.START_TASK)


def _siblings(portal: Portal, service: Service) -> list[Service]:
    """Other services at the same address."""
    there = portal.catalogue.at(service.endpoint, with_layers=False)
    return [other for other in there if other.id != service.id]


@dataclass(frozen=True)
class LatencyLine:
    """Response times of good checks, oldest first, as the points of a line in a box of 240 by 60.

    It stands on zero: between 6 ms and 7 ms there is nothing to see.
    """

    low: float
    high: float
    line: str


def latency_line(checks: Sequence[Check]) -> LatencyLine | None:
    """None where there are too few for a line."""
    times = [check.elapsed_s for check in checks if check.ok]
    if len(times) < 2:
        return None
    low, high = min(times), max(times)
    step = 240 / (len(times) - 1)
    points = (
        f"{number * step:.1f},{56 - 52 * each / (high or 1.0):.1f}"
        for number, each in enumerate(times)
    )
    return LatencyLine(low, high, " ".join(points))


def _qlr_url(service: Service, layer: Layer | None) -> str:
    chosen = (
        urlencode({"layer": layer.name.encode("utf-8", "replace")}) if layer else ""
    )
    return f"/services/{service.id}/layers.qlr{'?' if chosen else ''}{chosen}"


def moved(request: Request) -> Response:
    """GET /service/{id}: the address that this page had before"""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/services/{request.path_params['id']}{query}", 301)


def _choose_layer(service: Service, name: str) -> Layer | None:
    """The requested layer; else the first that can be opened by a name of its own."""
    named = [layer for layer in service.layers if layer.name]
    return next(
        (layer for layer in named if layer.name == name), named[0] if named else None
    )


def _topics(portal: Portal, service: Service) -> list[Choice]:
    found = portal.topics_of(service)
    return [
        Choice(each, portal.facet_title("class", each), None, False)
        for _, each in found
        if each
    ]


def _page_layers(
    service: Service, found: tuple[Layer, ...] | list[Layer], words: str, offset: int
) -> Paging:
    def address(at: int) -> str:
        pairs = {
            name: value
            for name, value in (("find", words), ("offset", str(at) if at else ""))
            if value
        }
        return f"/services/{service.id}{'?' if pairs else ''}{urlencode(pairs)}#layers"

    after = offset + LAYERS_PER_PAGE
    return Paging(
        first=offset + 1,
        last=min(after, len(found)),
        total=len(found),
        before=address(max(0, offset - LAYERS_PER_PAGE)) if offset else "",
        after=address(after) if after < len(found) else "",
    )
