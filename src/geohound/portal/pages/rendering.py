"""Turns a template into a response, in the visitor's language, within the frame that all pages share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from geohound.portal.access import visitor_of
from geohound.portal.access.rights import may_keep_anything, may_use_proxy
from geohound.portal.languages import NAMES, PARAMETER, language_of
from geohound.portal.portal import portal_of

_HTML = "text/html; charset=utf-8"
_SENT_CHARS = 2_000
_YEAR_S = 365 * 24 * 3600


@dataclass(frozen=True)
class Section:
    """One item of the navigation."""

    path: str
    title: str


SECTIONS = (
    Section("/", "Search"),
    Section("/map", "Map"),
    Section("/health", "Health"),
    Section("/tasks", "Crawls"),
    Section("/statistics", "Statistics"),
    Section("/api", "API"),
)
# Pages that belong to a section without standing below its address.
_ELSEWHERE = {
    "services": "/",
    "service": "/",
    "judge": "/statistics",
    "compare": "/statistics",
}


def render(
    request: Request, template: str, context: Mapping[str, Any], status: int = 200
) -> Response:
    page = portal_of(request).templates.get_template(template)
    text = page.render({**_frame(request), **context})
    return _with_language(request, Response(_bytes(text), status, media_type=_HTML))


def render_as_it_comes(
    request: Request, template: str, context: Mapping[str, Any]
) -> Response:
    """The page in pieces, for one whose context has parts that take a while: what is there is shown."""
    page = portal_of(request).templates.get_template(template)
    pieces = _sendable(page.generate({**_frame(request), **context}))
    return _with_language(request, StreamingResponse(pieces, 200, media_type=_HTML))


def _sendable(pieces: Iterable[str]) -> Iterator[bytes]:
    """Templates come word by word, and each piece that is sent costs a change of threads."""
    waiting, chars = [], 0
    for piece in pieces:
        waiting.append(piece)
        chars += len(piece)
        if chars >= _SENT_CHARS:
            yield _bytes("".join(waiting))
            waiting, chars = [], 0
    yield _bytes("".join(waiting))


def _bytes(text: str) -> bytes:
    """Crawled text may hold lone surrogates, which UTF-8 cannot carry."""
    return text.encode("utf-8", "replace")


def _frame(request: Request) -> Mapping[str, Any]:
    """What all pages share."""
    spoken, visitor = language_of(request), visitor_of(request)
    return {
        "_": spoken.text,
        "plural": spoken.plural,
        "language": spoken,
        "sections": SECTIONS,
        "here": _section(request.url.path),
        "in_language": {each: _in_language(request.url, each) for each in NAMES},
        "language_names": NAMES,
        "visitor": visitor,
        "may_keep_here": may_keep_anything(visitor, portal_of(request)),
        "proxy": "/proxy/" if may_use_proxy(visitor, portal_of(request)) else "",
    }


def _with_language(request: Request, response: Response) -> Response:
    spoken = language_of(request)
    response.headers["Vary"] = "Accept-Language, Cookie"
    if request.query_params.get(PARAMETER) in NAMES:
        response.set_cookie(
            PARAMETER, spoken.id, max_age=_YEAR_S, httponly=True, samesite="lax"
        )
    return response


def trouble_page(request: Request, status: int, sentence: str) -> Response:
    return render(
        request, "trouble.html", {"status": status, "sentence": sentence}, status
    )


def _section(path: str) -> str:
    first = path.strip("/").partition("/")[0]
    return _ELSEWHERE.get(first, f"/{first}")


def _in_language(url: URL, id_: str) -> str:
    other = url.include_query_params(**{PARAMETER: id_})
    return f"{other.path}?{other.query}"
