"""Searches that somebody has saved: what they find now, what is new, and their feeds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from geohound.contracts import NoteStore
from geohound.model.biography import LifeEvent
from geohound.model.notes import (
    MAX_SEARCH_CHARS,
    MAX_SEARCHES,
    MAX_TITLE_CHARS,
    SavedSearch,
)
from geohound.model.search.query import Query
from geohound.portal.access.forms import field_of, read_form
from geohound.portal.access.visitor import visitor_of
from geohound.portal.portal import Portal, portal_of
from geohound.views.feeds import FEED_DAYS
from geohound.views.parsing import ParameterError

from .rendering import render
from .search import feed_url, query_of, search_url

_MATCHES = 500  # services of a search whose news are counted, as many as its feed has
TOO_MANY = "You have saved as many searches as are kept. Remove one first."
NO_SEARCH = "There is no search to save: type words first."
# With `no-referrer`, which other pages have, browsers would not say that a form comes from here.
HEADERS = {"Referrer-Policy": "same-origin", "Cache-Control": "no-store"}


@dataclass(frozen=True)
class SavedRow:
    """A saved search as its page shows it."""

    search: SavedSearch
    found: int
    news: int  # services to which something has happened since it was opened
    address: str
    feed: str
    trouble: str = ""  # it can no longer be read


def saved_page(request: Request) -> Response:
    """GET /saved"""
    return _page(request)


async def save(request: Request) -> Response:
    """POST /saved: the parameters of a search page, and what to call it"""
    fields = await read_form(request)
    asked = field_of(fields, "search", MAX_SEARCH_CHARS)
    title = field_of(fields, "title", MAX_TITLE_CHARS).strip()
    try:
        await run_in_threadpool(_keep, request, asked, title)
    except ParameterError as trouble:
        return await run_in_threadpool(_page, request, str(trouble))
    return RedirectResponse("/saved", 303, HEADERS)


def open_saved(request: Request) -> Response:
    """GET /saved/{num}: to the search; what happens from now on is news"""
    owner, now = visitor_of(request).name, datetime.now(UTC)
    found = notes_of(request).open_search(owner, _number(request), now)
    if found is None:
        raise HTTPException(404, "You have no saved search with this number.")
    return RedirectResponse(f"/?{found.parameters}", 303, HEADERS)


async def forget_saved(request: Request) -> Response:
    """POST /saved/{num}/remove"""
    await read_form(request)
    owner, num = visitor_of(request).name, _number(request)
    await run_in_threadpool(notes_of(request).forget_search, owner, num)
    return RedirectResponse("/saved", 303, HEADERS)


def routes() -> list[Route]:
    return [
        Route("/saved", saved_page),
        Route("/saved", save, methods=["POST"]),
        Route("/saved/{num}", open_saved),
        Route("/saved/{num}/remove", forget_saved, methods=["POST"]),
    ]


def notes_of(request: Request) -> NoteStore:
    notes = portal_of(request).notes
    if notes is None:
        raise HTTPException(404, "This portal keeps nothing for its visitors.")
    return notes


def _number(request: Request) -> int:
    text = request.path_params["num"]
    is_number = text.isascii() and text.isdigit() and len(text) <= 9
    return int(text) if is_number else 0


def _keep(request: Request, asked: str, title: str) -> None:
    """The parameters are read and written anew: what is kept is a search, whatever was sent."""
    portal, owner = portal_of(request), visitor_of(request).name
    query, view = query_of(portal, _params(asked))
    parameters = search_url(replace(query, offset=0), view).partition("?")[2]
    kept = notes_of(request).searches(owner)
    is_new = all(each.parameters != parameters for each in kept)
    if is_new and len(kept) >= MAX_SEARCHES:
        raise ParameterError("search", TOO_MANY)
    if not parameters:
        raise ParameterError("search", NO_SEARCH)
    now = datetime.now(UTC)
    search = SavedSearch(owner, title or _title(query), parameters, now, now)
    notes_of(request).keep_search(search)


def _params(text: str) -> QueryParams:
    return QueryParams(parse_qsl(text, max_num_fields=None, errors="replace"))


def _title(query: Query) -> str:
    """What a search is about, where nobody has named it."""
    values = [value for values in query.filters().values() for value in values]
    words = [query.text, *values]
    return " ".join(filter(None, words))[:MAX_TITLE_CHARS] or "Map"


def _page(request: Request, trouble: str = "") -> Response:
    searches = notes_of(request).searches(visitor_of(request).name)
    portal = portal_of(request)
    events = _events(portal, searches)
    context = {
        "rows": [_row(portal, each, events) for each in searches],
        "trouble": trouble,
        "feed_days": FEED_DAYS,
    }
    page = render(request, "saved.html", context, 400 if trouble else 200)
    page.headers.update(HEADERS)
    return page


def _events(portal: Portal, searches: Iterable[SavedSearch]) -> list[LifeEvent]:
    """What has happened since the first of them was opened; of the days that feeds have."""
    if portal.past is None:
        return []
    oldest = datetime.now(UTC) - timedelta(days=FEED_DAYS)
    opened = min((each.opened_at for each in searches), default=None)
    return list(portal.past.history.since(max(opened, oldest))) if opened else []


def _row(portal: Portal, search: SavedSearch, events: list[LifeEvent]) -> SavedRow:
    address = f"/saved/{search.num}"
    try:
        query, _ = query_of(portal, _params(search.parameters))
    except ParameterError as trouble:
        return SavedRow(search, 0, 0, address, "", str(trouble))
    fresh = {e.service_id for e in events if e.at > search.opened_at}
    limit = _MATCHES if fresh else 1
    results = portal.index.search(replace(query, limit=limit, offset=0, fold=False))
    news = sum(hit.service.id in fresh for hit in results.hits)
    return SavedRow(search, results.total, news, address, feed_url(query))
