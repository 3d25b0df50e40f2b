"""The search: the form, what it found, and how to narrow it down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from geohound.model.bbox import Relation
from geohound.model.health import HealthState
from geohound.model.search.query import FACETS, Query, Results, Sort
from geohound.model.service import Service
from geohound.portal.access.rights import (
    Right,
    may_download,
    may_keep_anything,
    may_use,
)
from geohound.portal.access.visitor import visitor_of
from geohound.portal.formatting import box_text, description_url
from geohound.portal.maps.drawn_layers import MAX_LAYERS, layers_named
from geohound.portal.middleware.policy import policy_for
from geohound.portal.portal import Portal, portal_of
from geohound.portal.query_params import SIDES, from_page
from geohound.urls import canonical, params_lower
from geohound.views.params import MAX_OFFSET, PAGES, read_query
from geohound.views.parsing import ParameterError

from .cards import Card, layer_cards, service_cards
from .figures import figures
from .parts import Choice, FacetGroup, Paging
from .rendering import render

# With any of these, `/` is a search rather than the front page.
_FILTERS = ("q", "bbox", "offset", "years", "sort", "what", "all", *FACETS, *SIDES)
MODES = ("both", "words", "box")
WHATS = ("services", "layers")
# Beside kind and state, which always stand there. What a service is about says more than by which list it was sorted.
FACET_TITLES = {
    "class": "Topic",
    "topic": "Classified by",
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
DOWNLOAD_GROUPS = ("Data", "QGIS", "Other programs")
_MAX_BASE_CHARS, _MAX_SWIPE_CHARS = 1_000, 600


@dataclass(frozen=True)
class PageView:
    """How the results are shown: by which part of the question, as what, and with which layers on the map."""

    mode: str = "both"
    what: str = "services"
    drawn: tuple[str, ...] = ()
    base: str = ""  # the address of a base layer of the visitor's choice
    swipe: str = ""  # what the top layer is compared with

    def pairs(self) -> list[tuple[str, str]]:
        """What the address has to say of it."""
        mode = [("mode", self.mode)] if self.mode != MODES[0] else []
        what = [("what", self.what)] if self.what != WHATS[0] else []
        layers = [("map", word) for word in self.drawn]
        others = [
            pair for pair in (("base", self.base), ("swipe", self.swipe)) if pair[1]
        ]
        return [*mode, *what, *layers, *others]


@dataclass(frozen=True)
class CardPage:
    """The results that one page shows: one card may stand for several of them."""

    cards: list[Card]
    results: int = 0
    total: int = 0


def search_page(request: Request) -> Response:
    """GET /"""
    portal = portal_of(request)
    params = request.query_params
    view = view_of(params)
    trouble, query, results = None, Query(), None
    page = CardPage([])
    try:
        query, view = query_of(portal, params)
        # each kind is a choice
        facet_values = max(query.facet_values, len(portal.kinds))
        results = portal.index.search(
            replace(query, facet_values=facet_values, related=True)
        )
        page = _cards(portal, query, results, view)
    except ParameterError as error:
        trouble = error
    drawn = layers_named(portal, view.drawn)
    is_front = not any(params.get(name) for name in _FILTERS)
    may_start = portal.may_write and may_use(visitor_of(request), Right.START_TASK)
    context = {
        **_form(request, portal, query, results),
        **_links(query, results, view),
        "paging": _paging(query, page, view),
        "downloads": _downloads(portal, query)
        if may_download(visitor_of(request))
        else [],
        "view": view,
        "cards": page.cards,
        "drawn": [each.record() for each in drawn],
        "trouble": trouble,
        "is_front": is_front,
        "figures": figures(portal) if is_front else None,
        "may_test": portal.examine is not None and may_start,
        "may_start": portal.tasks is not None and may_start,
        "may_keep": may_keep_anything(visitor_of(request), portal),
        "has_address": any(_is_at(query.text, card.service) for card in page.cards),
        "address": query.text
        if query.text.lower().startswith(("http://", "https://"))
        else "",
    }
    answer = render(request, "search.html", context, 400 if trouble else 200)
    # The front page lists everything, and may load nothing from anybody before it is asked to.
    addable = [] if is_front else [card.drawn for card in page.cards]
    urls = [each.drawing.url for each in (*drawn, *addable) if each]
    answer.headers["Content-Security-Policy"] = policy_for(view.base, *urls)
    # with `no-referrer` browsers do not say where a form comes from
    if context["may_keep"]:
        answer.headers["Referrer-Policy"] = "same-origin"
    return answer


def view_of(params: QueryParams) -> PageView:
    mode, what = params.get("mode", ""), params.get("what", "")
    drawn = tuple(word for word in params.getlist("map") if word.strip())[:MAX_LAYERS]
    return PageView(
        mode if mode in MODES else MODES[0],
        what if what in WHATS else WHATS[0],
        drawn,
        base_address(params.get("base", "")),
        params.get("swipe", "")[:_MAX_SWIPE_CHARS],
    )


def base_address(text: str) -> str:
    """The address of tiles or of a WMS; nothing where it is neither."""
    is_tiles = all(f"{{{name}}}" in text for name in ("z", "x")) and (
        "{y}" in text or "{-y}" in text
    )
    clean = (
        canonical(text.replace("{", "").replace("}", ""))
        if len(text) <= _MAX_BASE_CHARS
        else None
    )
    if clean is None or not text.lower().startswith(("http://", "https://")):
        return ""
    return text if is_tiles or params_lower(clean).get("layers") else ""


def query_of(portal: Portal, params: QueryParams) -> tuple[Query, PageView]:
    """The query and how it is shown; by words alone the box does not count, and the other way round."""
    view = view_of(params)
    texts = from_page(params)
    query = read_query(texts, PAGES, portal.choices(texts))
    if view.mode == "words":
        return replace(query, bbox=None), view
    return replace(query, text="") if view.mode == "box" else query, view


def _cards(portal: Portal, query: Query, results: Results, view: PageView) -> CardPage:
    if view.what == "layers":
        found = portal.index.layers(query)
        cards = layer_cards(portal, found.hits, query)
        return CardPage(cards, len(found.hits), found.total)
    cards = service_cards(portal, results.hits, query)
    return CardPage(cards, len(results.hits), results.total)


def _form(
    request: Request, portal: Portal, query: Query, results: Results | None
) -> dict[str, Any]:
    """What the form shows again, and what can be chosen in it."""
    services, layers = portal.catalogue.count()
    return {
        "query": query,
        "results": results,
        "typed": _typed(request, query),
        "services": services,
        "layers": layers,
        "relations": list(Relation),
        "sorts": list(Sort),
        "modes": MODES,
        "kind_choices": _kind_choices(portal, query, results),
        "state_choices": _state_choices(query, results),
        "groups": _groups(portal, query, results),
        "is_filtered": bool(query.filters()),
        "description_url": lambda found: description_url(
            portal.reachable(found), portal.kinds
        ),
    }


def _links(query: Query, results: Results | None, view: PageView) -> dict[str, Any]:
    """Addresses of other searches that start from this one."""

    def to(view: PageView = view, **changes: Any) -> str:
        return search_url(query, view, **changes)

    suggestion = results.suggestion if results else ""
    related = results.related if results else ()
    return {
        "wider": to(bbox=None),
        "overlapping": to(relation=Relation.OVERLAPS),
        "unfiltered": to(
            kinds=(), states=(), topics=(), classes=(), countries=(), where={}
        ),
        "suggested": to(text=suggestion) if suggestion else "",
        "related": [
            (word, to(text=f"{query.text} {word}", offset=0)) for word in related
        ],
        "first_page": to(offset=0),
        "as_services": search_url(query, replace(view, what="services"), offset=0),
        "as_layers": search_url(query, replace(view, what="layers"), offset=0),
        "with_layer": lambda word: to(view=replace(view, drawn=(*view.drawn, word))),
        "clusters": clusters_url(query),
        "feed": feed_url(query),
        "saved": search_url(query, view, offset=0).partition("?")[2],
    }


def clusters_url(query: Query) -> str:
    """Where the map asks for the places of all results."""
    pairs = _pairs(replace(query, limit=Query().limit, offset=0))
    return f"/api/v1/clusters?{urlencode(pairs)}" if pairs else "/api/v1/clusters"


def feed_url(query: Query) -> str:
    """Where a feed reader follows what happens to the services that this search finds."""
    pairs = _pairs(replace(query, limit=Query().limit, offset=0))
    return f"/api/v1/feed.atom?{urlencode(pairs)}"


def _is_at(text: str, service: Service) -> bool:
    """Is this the address of the service, but for its parameters?"""
    asked = (canonical(text) or "").partition("?")[0].rstrip("/")
    return any(
        asked == each.partition("?")[0].rstrip("/")
        for each in (service.endpoint, *service.aliases)
    )


def _downloads(portal: Portal, query: Query) -> list[tuple[str, list[tuple[str, str]]]]:
    """Title and address of the results in each format, by what one does with them."""
    pairs = _pairs(replace(query, limit=Query().limit, offset=0))
    groups: dict[str, list[tuple[str, str]]] = {group: [] for group in DOWNLOAD_GROUPS}
    for each in portal.exporters.values():
        if each.id != "json":
            address = f"/api/v1/search?{urlencode([*pairs, ('f', each.id)])}"
            groups[_download_group(each.id)].append(
                (each.title.removeprefix("QGIS connections: "), address)
            )
    return [(title, files) for title, files in groups.items() if files]


def _download_group(format_id: str) -> str:
    if format_id.startswith(("qgis", "qlr")):
        return "QGIS"
    return "Other programs" if format_id in ("owc", "terria") else "Data"


def search_url(query: Query, view: PageView | None = None, **changes: Any) -> str:
    """The address of the page that answers this query, with some parts of it changed."""
    pairs = [*_pairs(replace(query, **changes)), *(view.pairs() if view else ())]
    return f"/?{urlencode(pairs)}" if pairs else "/"


def _pairs(query: Query) -> list[tuple[str, str]]:
    """The parameters that say this query."""
    pairs = [("q", query.text), ("bbox", box_text(query.bbox))]
    if query.bbox and query.relation != Relation.OVERLAPS:
        pairs.append(("relation", query.relation.value))
    pairs += [
        (name, value) for name, values in query.filters().items() for value in values
    ]
    if query.years:
        pairs.append(("years", "-".join(map(str, query.years))))
    if not query.expand:
        pairs.append(("expand", "false"))
    if query.sort is not Sort.RELEVANCE:
        pairs.append(("sort", query.sort.value))
    if query.limit != Query().limit:
        pairs.append(("limit", str(query.limit)))
    if query.offset:
        pairs.append(("offset", str(query.offset)))
    return [(name, value) for name, value in pairs if value]


def _typed(request: Request, query: Query) -> dict[str, str]:
    """What the form shows again: the visitor's own words, even where they could not be used."""
    params = request.query_params
    sides = (
        dict(zip(SIDES, box_text(query.bbox).split(","), strict=False))
        if query.bbox
        else {}
    )
    typed = {side: sides.get(side) or params.get(side, "")[:40] for side in SIDES}
    return typed | {
        "q": params.get("q", "")[:1000],
        "bbox": params.get("bbox", "")[:200],
    }


def _kind_choices(
    portal: Portal, query: Query, results: Results | None
) -> list[Choice]:
    """The kinds that the results hold, most frequent first, and those chosen; all where nobody counted."""
    facet = results.facets.get("kind") if results else None
    counts = facet or {}
    ids = (
        list(portal.kinds)
        if facet is None
        else sorted(counts, key=lambda k: (-counts[k], k))
    )
    ids = [k for k in ids if k in portal.kinds]
    ids += [k for k in query.kinds if k not in ids]
    return [
        Choice(k, portal.kind_label(k), counts.get(k), k in query.kinds) for k in ids
    ]


def _state_choices(query: Query, results: Results | None) -> list[Choice]:
    """States that some of the results have, and those chosen; no choice where there is one alone."""
    counts = results.facets.get("state", {}) if results else {}
    found = [
        Choice(s.value, s.value, counts.get(s.value, 0), s in query.states)
        for s in HealthState
        if counts.get(s.value) or s in query.states
    ]
    return found if len(found) > 1 or query.states else []


def _groups(portal: Portal, query: Query, results: Results | None) -> list[FacetGroup]:
    """The other facets of what was found: the most frequent values of each, and those chosen."""
    groups = []
    total = results.total if results else 0
    for name, title in FACET_TITLES.items():
        counts = results.facets.get(name, {}) if results else {}
        chosen = query.filters().get(name, ())
        values = [*chosen, *(v for v in counts if v not in chosen)][
            : max(_FACET_VALUES, len(chosen))
        ]
        # A single value is useful only if some results lack it.
        is_useful = len(counts) > 1 or any(count < total for count in counts.values())
        if chosen or is_useful:
            choices = [
                Choice(v, portal.facet_title(name, v), counts.get(v, 0), v in chosen)
                for v in values
            ]
            groups.append(FacetGroup(name, title, choices))
    return groups


def _paging(query: Query, page: CardPage, view: PageView) -> Paging:
    after, before = query.offset + query.limit, max(0, query.offset - query.limit)
    is_more = page.total > after and after <= MAX_OFFSET
    return Paging(
        first=query.offset + 1,
        last=query.offset + page.results,
        total=page.total,
        before=search_url(query, view, offset=before) if query.offset else "",
        after=search_url(query, view, offset=after) if is_more else "",
    )
