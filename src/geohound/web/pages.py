"""The pages for people: search, one service, what the crawler does, and trouble put into a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from geohound.model.bbox import Relation
from geohound.model.health import State, assess
from geohound.model.query import FACETS, Hit, Query, Results
from geohound.model.service import Layer, Service
from geohound.opening import open_layer

from .asking import MAX_OFFSET, BadAskError, read_bbox, read_query, read_whole
from .policy import policy_for
from .portal import Portal, portal_of
from .showing import box_text, describe_door, layer_matches

LAYERS_PER_PAGE = 50
_MAX_HOST_CHARS = 255
_MAX_REQUESTS_SHOWN = 100
_MAX_FIND_CHARS = 100
_SIDES = ("west", "south", "east", "north")
# With any of these, `/` is a search rather than the front door.
_FILTERS = ("q", "bbox", "offset", "years", *FACETS, *_SIDES)
# Beside kind and state, which always stand there; class before the topic's own name says more.
_FACET_TITLES = {
    "topic": "Topic",
    "class": "Class",
    "country": "Country of the host",
    "language": "Language",
    "licence": "Licence",
    "provider": "Provider",
    "crs": "Reference system",
    "format": "Format",
    "decade": "Time covered",
    "quality": "Quality",
    "https": "Encrypted (https)",
    "cors": "Usable in web pages (CORS)",
}
_FACET_VALUES = 8
_VIA_WORDS = {
    "seed": "given as a start",
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
    "browser": "asked for by the page",
    "watcher": "reported by the watcher of",
}


@dataclass(frozen=True)
class Choice:
    """One box to tick in the form."""

    id: str
    label: str
    count: int | None
    is_chosen: bool


@dataclass(frozen=True)
class Group:
    """The boxes of one facet."""

    name: str
    title: str
    choices: Sequence[Choice]


@dataclass(frozen=True)
class Paging:
    """Where in a list this page stands, and the addresses before and after it."""

    first: int
    last: int
    total: int
    before: str
    after: str


def search_page(request: Request) -> Response:
    """GET /"""
    portal = portal_of(request)
    params = request.query_params
    trouble, query, results = None, Query(), None
    try:
        query = read_query(params, portal.kinds)
        told = max(query.facet_values, len(portal.kinds))  # each kind is a choice
        results = portal.index.search(replace(query, facet_values=told))
    except BadAskError as error:
        trouble = error
    services, layers = portal.catalogue.count()
    context = {
        "query": query,
        "results": results,
        "trouble": trouble,
        "typed": _typed(request, query),
        "services": services,
        "layers": layers,
        "is_front": not any(params.get(name) for name in _FILTERS),
        "relations": list(Relation),
        "kind_choices": _kind_choices(portal, query, results),
        "state_choices": _state_choices(query, results),
        "groups": _groups(portal, query, results),
        "paging": _page_hits(query, results) if results else None,
        "door": lambda found: describe_door(found, portal.kinds),
        "open_url": lambda hit: _open_url(hit, query),
        "wider": search_url(query, bbox=None),
        "overlapping": search_url(query, relation=Relation.OVERLAPS),
        "unfiltered": search_url(query, kinds=(), states=(), topics=(), classes=(), countries=(), where={}),
        "is_filtered": bool(query.filters()),
        "suggested": search_url(query, text=results.suggestion) if results and results.suggestion else "",
        "first_page": search_url(query, offset=0),
    }
    return render(portal, "search.html", context, 400 if trouble else 200)


def service_page(request: Request) -> Response:
    """GET /service/{id}"""
    portal = portal_of(request)
    service = portal.catalogue.get(request.path_params["id"])
    if service is None:
        raise HTTPException(404, "There is no such service in the catalogue. It may have been found again elsewhere.")
    words = request.query_params.get("find", "")[:_MAX_FIND_CHARS].strip()
    found = [la for la in service.layers if layer_matches(la, words)] if words else service.layers
    offset = read_whole(request.query_params, "offset", 0, (0, MAX_OFFSET * 100))
    layer = _choose_layer(service, request.query_params.get("layer", ""))
    opening = open_layer(service, layer, read_bbox(request.query_params))
    context = {
        "service": service,
        "opened": layer,
        "opening": opening,
        "topics": _topics(portal, service),
        "door": describe_door(service, portal.kinds),
        "health": assess(portal.catalogue.checks(service.id)),
        "sightings": portal.catalogue.sightings(service.id),
        "via_words": _VIA_WORDS,
        "find": words,
        "layers": found[offset : offset + LAYERS_PER_PAGE],
        "paging": _page_layers(service, found, words, offset),
        "faulty": [la for la in service.layers if la.extent and la.extent.faults],
        "siblings": [s for s in portal.catalogue.at(service.endpoint) if s.id != service.id],
    }
    page = render(portal, "service.html", context)
    if opening.preview:
        page.headers["Content-Security-Policy"] = policy_for(opening.preview.url)
    return page


def _open_url(hit: Hit, query: Query) -> str:
    """The page that opens the best of the hit's layers at the box of the search."""
    best = next((layer.name for layer in hit.layers if layer.name), "")
    pairs = [(k, v) for k, v in (("layer", best), ("bbox", box_text(query.bbox))) if v]
    encoded = urlencode([(k, v.encode("utf-8", "replace")) for k, v in pairs])
    return f"/service/{hit.service.id}{'?' if encoded else ''}{encoded}"


def _choose_layer(service: Service, name: str) -> Layer | None:
    """The layer asked for; else the first that can be opened by a name of its own."""
    named = [layer for layer in service.layers if layer.name]
    return next((layer for layer in named if layer.name == name), named[0] if named else None)


def _topics(portal: Portal, service: Service) -> list[Choice]:
    found = portal.topics_of(service)
    return [Choice(each, portal.facet_title("class", each), None, False) for _, each in found if each]


def crawler_page(request: Request) -> Response:
    """GET /about-the-crawler"""
    portal = portal_of(request)
    host = request.query_params.get("host", "").strip().lower()[:_MAX_HOST_CHARS]
    made = portal.requests(host, _MAX_REQUESTS_SHOWN) if host else ()
    return render(portal, "crawler.html", {"host": host, "made": made})


def trouble_page(portal: Portal, status: int, sentence: str) -> Response:
    return render(portal, "trouble.html", {"status": status, "sentence": sentence}, status)


def render(portal: Portal, template: str, context: Mapping[str, Any], status: int = 200) -> Response:
    text = portal.templates.get_template(template).render(context)
    # Crawled text may hold lone surrogates, which UTF-8 cannot carry.
    return Response(text.encode("utf-8", "replace"), status, media_type="text/html; charset=utf-8")


def search_url(query: Query, **changes: Any) -> str:
    """The address of the page that answers this query, with some parts of it changed."""
    query = replace(query, **changes)
    pairs = [("q", query.text), ("bbox", box_text(query.bbox))]
    if query.bbox and query.relation != Relation.OVERLAPS:
        pairs.append(("relation", query.relation.value))
    pairs += [(name, value) for name, values in query.filters().items() for value in values]
    if query.years:
        pairs.append(("years", "-".join(map(str, query.years))))
    if not query.expand:
        pairs.append(("expand", "false"))
    if query.limit != Query().limit:
        pairs.append(("limit", str(query.limit)))
    if query.offset:
        pairs.append(("offset", str(query.offset)))
    pairs = [(name, value) for name, value in pairs if value]
    return f"/?{urlencode(pairs)}" if pairs else "/"


def _typed(request: Request, query: Query) -> dict[str, str]:
    """What the form shows again: the visitor's own words, even where they could not be used."""
    params = request.query_params
    sides = dict(zip(_SIDES, box_text(query.bbox).split(","), strict=False)) if query.bbox else {}
    typed = {side: sides.get(side) or params.get(side, "")[:40] for side in _SIDES}
    return typed | {"q": params.get("q", "")[:1000], "bbox": params.get("bbox", "")[:200]}


def _kind_choices(portal: Portal, query: Query, results: Results | None) -> list[Choice]:
    """The kinds that the results hold, most frequent first, and those chosen; all where nobody counted."""
    facet = results.facets.get("kind") if results else None
    counts = facet or {}
    ids = list(portal.kinds) if facet is None else sorted(counts, key=lambda k: (-counts[k], k))
    ids = [k for k in ids if k in portal.kinds]
    ids += [k for k in query.kinds if k not in ids]
    return [Choice(k, portal.kind_label(k), counts.get(k), k in query.kinds) for k in ids]


def _state_choices(query: Query, results: Results | None) -> list[Choice]:
    counts = results.facets.get("state") if results else None
    return [
        Choice(s.value, s.value, None if counts is None else counts.get(s.value, 0), s in query.states) for s in State
    ]


def _groups(portal: Portal, query: Query, results: Results | None) -> list[Group]:
    """The other facets of what was found: the most frequent values of each, and those chosen."""
    groups = []
    total = results.total if results else 0
    for name, title in _FACET_TITLES.items():
        counts = results.facets.get(name, {}) if results else {}
        chosen = query.filters().get(name, ())
        values = [*chosen, *(v for v in counts if v not in chosen)][: max(_FACET_VALUES, len(chosen))]
        # A single value tells something where not everything has it.
        tells = len(counts) > 1 or any(count < total for count in counts.values())
        if chosen or tells:
            choices = [Choice(v, portal.facet_title(name, v), counts.get(v, 0), v in chosen) for v in values]
            groups.append(Group(name, title, choices))
    return groups


def _page_hits(query: Query, results: Results) -> Paging:
    after = query.offset + query.limit
    return Paging(
        first=query.offset + 1,
        last=query.offset + len(results.hits),
        total=results.total,
        before=search_url(query, offset=max(0, query.offset - query.limit)) if query.offset else "",
        after=search_url(query, offset=after) if results.total > after and after <= MAX_OFFSET else "",
    )


def _page_layers(service: Service, found: tuple[Layer, ...] | list[Layer], words: str, offset: int) -> Paging:
    def address(at: int) -> str:
        pairs = {name: value for name, value in (("find", words), ("offset", str(at) if at else "")) if value}
        return f"/service/{service.id}{'?' if pairs else ''}{urlencode(pairs)}#layers"

    after = offset + LAYERS_PER_PAGE
    return Paging(
        first=offset + 1,
        last=min(after, len(found)),
        total=len(found),
        before=address(max(0, offset - LAYERS_PER_PAGE)) if offset else "",
        after=address(after) if after < len(found) else "",
    )
