"""What the crawler does, for the owners of sites: /about-the-crawler."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from geohound.portal.portal import portal_of

from .rendering import render

_MAX_HOST_CHARS = 255
_MAX_REQUESTS_SHOWN = 100


def crawler_page(request: Request) -> Response:
    """GET /about-the-crawler"""
    portal = portal_of(request)
    host = request.query_params.get("host", "").strip().lower()[:_MAX_HOST_CHARS]
    made = portal.requests(host, _MAX_REQUESTS_SHOWN) if host else ()
    return render(request, "crawler.html", {"host": host, "made": made})
