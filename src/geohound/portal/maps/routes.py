"""The operations of the API for maps and for the search box: counts by cell, places by name, what a text may become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from geohound.model.search.query import PlacedGroup, Query
from geohound.portal.formatting import line
from geohound.portal.json_responses import answer
from geohound.portal.openapi import ApiOperation, parameters
from geohound.portal.portal import Portal, portal_of
from geohound.portal.query_params import from_api
from geohound.text import fold, tokenize
from geohound.urls import host
from geohound.views.params import (
    SearchInterface,
    SearchParams,
    SuggestParams,
    read_query,
    read_words,
)
from geohound.views.parsing import read
from geohound.views.records import Box, Count, Id

from .gazetteer import Place, find_places

_MAX_GROUPS = 3_000
_MAX_PLACES = 5
_MAX_WORDS = 6
_MAX_SERVICES = 4
_WEB = ("http://", "https://")


class MapSearch(SearchParams, frozen=True, kw_only=True):
    """A search whose results are counted by cells."""

    cell: Annotated[
        float, Meta(ge=0.01, le=60, description="width and height of a cell in degrees")
    ] = 10.0


class PlacedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Where the services that match are; boxes of the whole world, and services without one, are counted apart."""

    groups: list[PlacedGroup]
    total: Count
    worldwide: Count
    unplaced: Count


class PlaceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A place by name."""

    name: str
    country: str
    bbox: Box


class PlacesRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Places that have this name, or one that begins like this."""

    places: list[PlaceRecord]


class SuggestedService(msgspec.Struct, frozen=True, kw_only=True):
    """A service that the text may mean."""

    id: Id
    title: str
    kind: str
    kind_title: str
    host: str


class CompletionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What a text in the search box may become."""

    words: list[str]
    places: list[PlaceRecord]
    services: list[SuggestedService]
    address: bool  # is it a web address?


def clusters(request: Request) -> Response:
    """GET /clusters"""
    texts = from_api(request.query_params)
    choices = portal_of(request).choices(texts)
    query = read_query(texts, SearchInterface(MapSearch), choices)
    cell = (
        read(MapSearch, {"cell": texts["cell"]}).cell
        if "cell" in texts
        else MapSearch().cell
    )
    placed = portal_of(request).index.placed(query, cell)
    record = PlacedRecord(
        groups=list(placed.groups[:_MAX_GROUPS]),
        total=placed.total,
        worldwide=placed.worldwide,
        unplaced=placed.unplaced,
    )
    return answer(request, record)


def named_places(request: Request) -> Response:
    """GET /places"""
    text = read_words(read(SuggestParams, from_api(request.query_params)).q)
    return answer(
        request, PlacesRecord(places=[_place(each) for each in find_places(text)])
    )


def completion(request: Request) -> Response:
    """GET /complete"""
    portal = portal_of(request)
    text = read_words(read(SuggestParams, from_api(request.query_params)).q)
    words, services = suggestions(portal, text) if text else ([], [])
    record = CompletionRecord(
        words=words,
        places=[_place(each) for each in find_places(text, _MAX_PLACES)],
        services=services,
        address=text.lower().startswith(_WEB),
    )
    return answer(request, record)


def suggestions(portal: Portal, text: str) -> tuple[list[str], list[SuggestedService]]:
    """Titles of layers that hold what is being typed, and the services that match."""
    results = portal.index.search(
        Query(text=text if text.lower().startswith(_WEB) else f"{text}*", limit=8)
    )
    *_, last = tokenize(text) or [""]
    titles = [
        layer.title or layer.name for hit in results.hits for layer in hit.layers[:2]
    ]
    plain = dict.fromkeys(" ".join(title.split())[:80] for title in titles)
    words = [title for title in plain if title and last in fold(title)]
    services = [
        SuggestedService(
            id=hit.service.id,
            title=line(hit.service.title)[:120],
            kind=hit.service.kind,
            kind_title=portal.kind_label(hit.service.kind),
            host=host(hit.service.endpoint),
        )
        for hit in results.hits[:_MAX_SERVICES]
    ]
    return words[:_MAX_WORDS], services


def _place(place: Place) -> PlaceRecord:
    return PlaceRecord(name=place.name, country=place.country, bbox=list(place.bbox))


def schemas() -> Mapping[str, Any]:
    """The schemas of the answers of this module, by the name of their type."""
    kinds = (PlacedRecord, PlacesRecord, CompletionRecord)
    _, components = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    return components


def _named(kind: type[msgspec.Struct]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


OPERATIONS = (
    ApiOperation(
        "/clusters", "clusters", "Where matching services are, counted by cells of a grid", clusters,
        _named(PlacedRecord), parameters(MapSearch),
    ),
    ApiOperation(
        "/places", "places", "Places by name, with a box around each", named_places, _named(PlacesRecord),
        parameters(SuggestParams),
    ),
    ApiOperation(
        "/complete", "complete", "What a text in the search box may become", completion, _named(CompletionRecord),
        parameters(SuggestParams),
    ),
)  # fmt: skip
