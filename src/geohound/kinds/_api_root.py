"""The root of a JSON API, of which a document may be any page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from geohound.kinds._json import absolute
from geohound.kinds._reader import NO_PATH, path_of, root_of

Links = Mapping[str, Sequence[Mapping[str, Any]]]
_DESCRIPTION = re.compile(r"/(?:api|openapi)(?:\.json|\.html)?/?$", re.IGNORECASE)
_OTHER_PAGES = ("conformance", "data", "service-desc", "service-doc", "search")


def roots_of(url: str, below: re.Pattern[str]) -> tuple[str, ...]:
    """Where the root above an address may be: …/api is one itself, or describes the API above it."""
    nearest = root_of(url, below)
    return tuple(
        dict.fromkeys((nearest, root_of(root_of(nearest, _DESCRIPTION), below)))
    )


def endpoint_of(
    url: str, links: Links, below: re.Pattern[str], *, is_landing: bool
) -> str:
    """The root above this page by its path; what the page itself calls the root is not cut further.

    A link counts on the host that answered only: behind a proxy many give an inner name.
    """
    by_path = root_of(url, below)
    given = (
        path_of(_given_root(links, url, is_landing=is_landing))
        .partition("://")[2]
        .rstrip("/")
    )
    scheme, _, page = path_of(url).partition("://")
    is_above = bool(given) and f"{page}/".startswith(f"{given}/")
    cut = path_of(by_path).partition("://")[2].rstrip("/")
    # QGIS Server names its landing page so
    is_its_document = given in (f"{cut}.json", f"{cut}.html")
    if not is_above or is_its_document or len(given) <= len(cut):
        return by_path
    _, mark, query = by_path.partition("?")
    return f"{scheme}://{given}{mark}{query}"


def declared_root(
    links: Links, url: str, below: re.Pattern[str], *, is_landing: bool
) -> str:
    """The root of the API by its own links, wherever it says that it is."""
    given = _given_root(links, url, is_landing=is_landing)
    own = _first(links, "self", url)
    return given or (root_of(own, below) if own else "")


def _given_root(links: Links, url: str, *, is_landing: bool) -> str:
    """What the page links to as its root; a landing page is one itself, unless its link is to another page."""
    own = _first(links, "self", url) if is_landing else ""
    others = {_first(links, rel, url) for rel in _OTHER_PAGES}
    given = own if own and own not in others else _first(links, "root", url)
    return root_of(given, NO_PATH) if given else ""


def _first(links: Links, rel: str, url: str) -> str:
    return next(
        (
            found
            for link in links.get(rel, ())
            if (found := absolute(link.get("href"), url))
        ),
        "",
    )
