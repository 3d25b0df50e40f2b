"""The map of the catalogue: /map, with what the address asks for."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from geohound.model.search.query import Query
from geohound.portal.maps.drawn_layers import MAX_LAYERS, layers_named
from geohound.portal.middleware.policy import policy_for
from geohound.portal.portal import portal_of
from geohound.portal.query_params import from_page
from geohound.views.params import PAGES, read_query
from geohound.views.parsing import ParameterError

from .rendering import render
from .search import PageView, clusters_url, search_url, view_of


def map_page(request: Request) -> Response:
    """GET /map"""
    portal = portal_of(request)
    query, trouble = Query(), None
    try:
        texts = from_page(request.query_params)
        query = read_query(texts, PAGES, portal.choices(texts))
    except ParameterError as error:
        trouble = error
    words = tuple(request.query_params.getlist("map"))[:MAX_LAYERS]
    drawn = layers_named(portal, words)
    view = view_of(request.query_params)
    results = portal.index.search(Query(limit=0, facet_values=len(portal.kinds)))
    context = {
        "query": query,
        "trouble": trouble,
        "typed": request.query_params.get("q", "")[:500],
        "kinds": list(results.facets.get("kind", {})),
        "clusters": clusters_url(query),
        "as_list": search_url(
            query, PageView(drawn=words, base=view.base, swipe=view.swipe)
        ),
        "base": view.base,
        "swipe": view.swipe,
        "drawn_words": words,
        "drawn": [each.record() for each in drawn],
    }
    page = render(request, "map.html", context, 400 if trouble else 200)
    page.headers["Content-Security-Policy"] = policy_for(
        *(each.drawing.url for each in drawn), view.base
    )
    return page
