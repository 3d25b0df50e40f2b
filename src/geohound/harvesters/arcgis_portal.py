"""ArcGIS portals, ArcGIS Online among them: the services among their items, by the search of the sharing API."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from geohound import urls
from geohound.contracts import Fetcher
from geohound.model.visit import Failure
from geohound.model.work.harvest import HarvestPage, Listed, fingerprint

from . import _asking
from ._paging import JSON, PAGE
from ._part import Part
from ._protocols import protocol_of
from ._records import address, mapping, rows, words

_SHARING = re.compile(r"/sharing/rest(?:/|$)")
_ADDRESS = re.compile(r"^[^?]*/sharing/rest(?:[/?]|$)")
_TYPES = (
    "Map Service", "Feature Service", "Image Service", "Vector Tile Service", "Scene Service", "OGCFeatureServer",
    "WMS", "WMTS", "WFS", "KML",
)  # fmt: skip
_WANTED = " OR ".join(f'type:"{name}"' for name in _TYPES)
_LATEST_MS = 9_999_999_999_999


def start(since: date | None) -> bytes:
    if since is None:
        return b""
    return _asking.pack(
        modified=int(
            datetime(since.year, since.month, since.day, tzinfo=UTC).timestamp()
        )
        * 1000
    )


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """Items in the order in which they were made: a search ends at 10,000, and the next goes on with the last date."""
    said = _asking.unpack(cursor)
    first, made, modified = (
        _milliseconds(said.get(name)) for name in ("start", "made", "modified")
    )
    answer = await _asking.ask(
        fetcher, _request(source, max(first, 1), made, modified), JSON
    )
    if isinstance(answer, Failure):
        return answer
    value = mapping(answer.json)
    if not isinstance(value.get("results"), list):
        return _asking.not_understood(answer, "an answer of a portal's search")
    items = rows(value["results"])
    latest = max([made, *(_milliseconds(item.get("created")) for item in items)])
    following = _asking.number(value.get("nextStart"))
    total, after = _asking.number(value.get("total")), max(first, 1) + len(items)
    onward = b""
    if items and following >= after:
        onward = _asking.pack(start=following, made=made, modified=modified)
    elif items and after <= total and latest > made:
        onward = _asking.pack(start=1, made=latest, modified=modified)
    listed = [
        _read(
            words(i.get("title")),
            words(i.get("type")),
            address(i.get("url"), answer.url),
        )
        for i in items
    ]
    found = tuple(dict.fromkeys(each for each in listed if each.url))
    mark = fingerprint(f"{source} {made}", (words(item.get("id")) for item in items))
    return HarvestPage(found, next=onward, fingerprint=mark, records=len(items))


def _milliseconds(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value <= _LATEST_MS else 0


def _request(source: str, first: int, made: int, modified: int) -> str:
    path = source.partition("?")[0]
    at = _SHARING.search(path)
    root = path[: at.start()] if at else path.rstrip("/")
    asked = f"({_WANTED})"
    if made:
        asked += f" AND created:[{made:019d} TO {_LATEST_MS:019d}]"
    if modified:
        asked += f" AND modified:[{modified:019d} TO {_LATEST_MS:019d}]"
    return urls.with_params(
        f"{root}/sharing/rest/search",
        {
            "q": asked, "f": "json", "num": str(PAGE), "start": str(first), "sortField": "created",
            "sortOrder": "asc",
        },
    )  # fmt: skip


def _read(title: str, kind: str, url: str) -> Listed:
    return Listed(url, title, protocol_of(kind))


HARVESTERS = (Part("arcgis-portal", "ArcGIS portal", page, start, address=_ADDRESS),)
