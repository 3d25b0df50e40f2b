"""ArcGIS portals, ArcGIS Online among them: the services among their items, by the search of the sharing API."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking
from ._moved import with_moved
from ._paging import JSON, PAGE
from ._part import Part
from ._protocols import protocol_of
from ._records import address, mapping, rows, words

_SHARING = re.compile(r"/sharing/rest(?:/|$)")
# The whole of ArcGIS Online is harvested only by name: items of it are met on any page.
_ADDRESS = re.compile(
    r"^https?://(?!(?:www\.)?arcgis\.com/)[^?]*/sharing/rest(?:[/?]|$)"
)
_HOME = re.compile(
    r"^(https?://(?!(?:www\.)?arcgis\.com/)[^/?#]+(?:/[\w./-]*)?)"
    r"/home/(?:(?:index|search|gallery|groups|organization)\.html)?(?:[?#]|$)"
)
_ORGANISATION = ".maps.arcgis.com"  # in the name of its host
_TYPES = (
    "Map Service", "Feature Service", "Image Service", "Vector Tile Service", "Scene Service", "OGCFeatureServer",
    "WMS", "WMTS", "WFS", "KML",
)  # fmt: skip
_WANTED = " OR ".join(f'type:"{name}"' for name in _TYPES)
_ID = re.compile(r"\w{1,64}")
_LATEST_MS = 9_999_999_999_999


def start(since: date | None) -> bytes:
    if since is None:
        return b""
    midnight = datetime(since.year, since.month, since.day, tzinfo=UTC)
    return _asking.pack(modified=int(midnight.timestamp()) * 1000)


class _Place(NamedTuple):
    """Where a harvest stands."""

    start: int  # the first record of the page, from 1
    made: int  # only items made since then, in milliseconds since 1970; 0: all
    modified: int  # only items changed since then; 0: all
    org: str = ""  # only items of this organisation of ArcGIS Online; empty: all


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """Items in the order in which they were made: a search ends at 10,000, and the next goes on with the last date."""
    said = _asking.unpack(cursor)
    place = _Place(
        max(1, _milliseconds(said.get("start"))),
        _milliseconds(said.get("made")),
        _milliseconds(said.get("modified")),
        _organisation(said.get("org")),
    )
    if urls.host(source).endswith(_ORGANISATION) and not place.org:
        named = await _asking.ask(fetcher, _request_self(source), JSON)
        if isinstance(named, Failure):
            return named
        org = _organisation(mapping(named.json).get("id"))
        if not org:
            return _asking.not_understood(named, "an organisation of ArcGIS Online")
        place = place._replace(org=org)
    answer = await _asking.ask(fetcher, _request(source, place), JSON)
    if isinstance(answer, Failure):
        return answer
    value = mapping(answer.json)
    if not isinstance(value.get("results"), list):
        return _asking.not_understood(answer, "an answer of a portal's search")
    items = rows(value["results"])
    following = _following(place, value, items)
    onward = _asking.pack(**following._asdict()) if following else b""
    listed = [_read(item, answer.url) for item in items]
    found = tuple(dict.fromkeys(each for each in listed if each.url))
    ids = [words(item.get("id")) for item in items]
    mark = fingerprint(f"{source} {place.made}", ids)
    is_other_search = following is not None and following.made != place.made
    total = 0 if is_other_search else _asking.number(value.get("total"))
    return HarvestPage(found, (), onward, mark, len(items), total=total)


def _following(
    place: _Place, answer: Mapping[str, Any], items: Sequence[Mapping[str, Any]]
) -> _Place | None:
    """The next page of this search, else the first one of the search from the last date on."""
    after = place.start + len(items)
    following = _asking.number(answer.get("nextStart"))
    if not items:
        return None
    if following >= after:
        return place._replace(start=following)
    latest = max(_milliseconds(item.get("created")) for item in items)
    has_more = after <= _asking.number(answer.get("total"))
    if has_more and latest > place.made:
        return place._replace(start=1, made=latest)
    return None


def _milliseconds(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value <= _LATEST_MS else 0


def _organisation(value: object) -> str:
    """An id as ArcGIS Online gives it."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def _above(source: str) -> str:
    """The portal to which an address belongs."""
    path = source.partition("?")[0]
    at = _SHARING.search(path)
    return path[: at.start()] if at else path.rstrip("/")


def _request_self(source: str) -> str:
    return f"{_above(source)}/sharing/rest/portals/self?f=json"


def _request(source: str, place: _Place) -> str:
    asked = f"({_WANTED})"
    if place.made:
        asked += f" AND created:[{place.made:019d} TO {_LATEST_MS:019d}]"
    if place.modified:
        asked += f" AND modified:[{place.modified:019d} TO {_LATEST_MS:019d}]"
    if place.org:
        asked += f" AND orgid:{place.org}"
    return urls.with_params(
        f"{_above(source)}/sharing/rest/search",
        {
            "q": asked, "f": "json", "num": str(PAGE), "start": str(place.start), "sortField": "created",
            "sortOrder": "asc",
        },
    )  # fmt: skip


def _read(item: Mapping[str, Any], base: str) -> Listed:
    protocol = protocol_of(words(item.get("type")))
    return Listed(address(item.get("url"), base), words(item.get("title")), protocol)


def _root(url: str) -> str:
    return f"{_above(url)}/sharing/rest"


def _front(document: Document) -> str:
    """Its own web site is at /home below the portal."""
    home = _HOME.match(document.url)
    return f"{home[1]}/sharing/rest" if document.is_html and home else ""


HARVESTERS = (
    Part(
        "arcgis-portal",
        "ArcGIS portal",
        with_moved(page),
        start,
        address=_ADDRESS,
        root=_root,
        marks=(b"arcgis", b"ArcGIS"),
        front=_front,
    ),
)
