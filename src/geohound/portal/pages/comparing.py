"""The catalogue beside a list of somebody else's: what each has that the other has not (PH-17, LI-12)."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from geohound import urls
from geohound.portal.access.forms import field_of, read_form
from geohound.portal.access.rights import may_download
from geohound.portal.access.visitor import visitor_of
from geohound.portal.portal import portal_of
from geohound.portal.reports import ReportScope, facts_of
from geohound.portal.write_access import MAX_BODY_BYTES
from geohound.reports import Table
from geohound.reports.comparison import COMPARISON, DIFFERENCE
from geohound.reports.files import addresses_in, to_csv

from .rendering import render
from .saved import HEADERS

SHOWN = 100  # addresses of each side; the file has all
NO_ADDRESSES = (
    "The list has no web addresses. Paste one a line, or a CSV file with a column of them; "
    "each begins with http:// or https://."
)


@dataclass(frozen=True)
class OneSide:
    """Addresses that one of the two has alone."""

    count: int
    shown: tuple[str, ...]


def comparing_page(request: Request) -> Response:
    """GET /compare"""
    return _page(request, "")


async def compare(request: Request) -> Response:
    """POST /compare: the list; with `f=csv` the answer is a file"""
    fields = await read_form(request)
    pasted = field_of(fields, "list", MAX_BODY_BYTES)
    is_file = field_of(fields, "f") == "csv"
    return await run_in_threadpool(_compared, request, pasted, is_file)


def routes() -> list[Route]:
    return [
        Route("/compare", comparing_page),
        Route("/compare", compare, methods=["POST"]),
    ]


def _compared(request: Request, pasted: str, is_file: bool) -> Response:
    listed = addresses_in(pasted)
    if not listed:
        return _page(request, pasted, trouble=NO_ADDRESSES)
    facts = facts_of(portal_of(request), ReportScope(), listed=listed)
    difference = DIFFERENCE.table(facts)
    if is_file:
        name = {"Content-Disposition": 'attachment; filename="difference.csv"'}
        return Response(to_csv(difference), 200, {**HEADERS, **name}, "text/csv")
    return _page(request, pasted, COMPARISON.table(facts), difference)


def _page(
    request: Request,
    pasted: str,
    table: Table | None = None,
    difference: Table | None = None,
    trouble: str = "",
) -> Response:
    missing = [
        str(url)
        for side, url in (difference.rows if difference else ())
        if side == "list"
    ]
    context = {
        "pasted": pasted,
        "table": table,
        "only_there": _side(difference, "list"),
        "only_here": _side(difference, "catalogue"),
        "hosts": len({urls.host(url) for url in missing}),
        "may_compare": may_download(visitor_of(request)),
        "trouble": trouble,
        "shown": SHOWN,
    }
    page = render(request, "compare.html", context, 400 if trouble else 200)
    page.headers.update(HEADERS)
    return page


def _side(difference: Table | None, name: str) -> OneSide:
    rows = difference.rows if difference else []
    found = [str(url) for side, url in rows if side == name]
    return OneSide(len(found), tuple(found[:SHOWN]))
