"""Directories of ArcGIS servers: all services by the sitemap of the server, or folder by folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document, safe_xml
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking
from ._paging import JSON
from ._part import Part
from ._protocols import protocol_of
from ._records import address, mapping, rows, words

MAX_SERVICES = 50_000
_REST = re.compile(r"/rest/services(?=/|$)", re.IGNORECASE)
_SERVER = re.compile(
    r"^(.*?/(Map|Feature|Image|VectorTile|Scene)Server)(?:/|$)", re.IGNORECASE
)


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """At the top of a server first its sitemap; where it has none, and for each folder, the list in JSON."""
    path = source.partition("?")[0].rstrip("/")
    at = _REST.search(path)
    top = path[: at.end()] if at else f"{path}/rest/services"
    folder = path if at else top
    if folder == top and not _asking.unpack(cursor).get("folders"):
        answer = await _asking.ask(fetcher, urls.with_params(top, {"f": "sitemap"}))
        if isinstance(answer, Failure) and not answer.reason.means.is_rewordable:
            return answer
        found = _of_sitemap(answer) if isinstance(answer, Document) else []
        if found:
            return _page(source, found, ())
    answer = await _asking.ask(fetcher, urls.with_params(folder, {"f": "json"}), JSON)
    return answer if isinstance(answer, Failure) else _of_folder(answer, source, top)


def _of_folder(document: Document, source: str, top: str) -> HarvestPage | Failure:
    """The services and the folders in a folder."""
    value = mapping(document.json)
    services, folders = value.get("services"), value.get("folders")
    if not isinstance(services, list) and not isinstance(folders, list):
        return _asking.not_understood(document, "a services directory of ArcGIS")
    entries = [(_address(row, top), words(row.get("type"))) for row in rows(services)]
    listed = [
        Listed(where, title(where), protocol_of(kind))
        for where, kind in entries
        if _SERVER.match(where)
    ]
    return _page(source, listed, _folders(folders, top))


def _folders(value: object, top: str) -> list[str]:
    names = [words(name) for name in value[:1_000]] if isinstance(value, list) else []
    places = [address(f"{top}/{name}") for name in names if name]
    return [place for place in places if place]


def _page(source: str, listed: Iterable[Listed], folders: Iterable[str]) -> HarvestPage:
    found = tuple(dict.fromkeys(listed))
    below = tuple(dict.fromkeys(folders))
    mark = fingerprint(source, [*(each.url for each in found), *below])
    return HarvestPage(found, below, fingerprint=mark, records=len(found))


def _of_sitemap(document: Document) -> list[Listed]:
    """Services by the address of each of their resources: layers are named, too."""
    if document.root_name != "urlset" or document.root is None:
        return []
    entries = safe_xml.children(document.root, "url")
    places = (address(safe_xml.text(each, "loc")) for each in entries)
    matches = (_SERVER.match(place.partition("?")[0]) for place in places)
    services = dict.fromkeys(match[1] for match in matches if match)
    return [
        Listed(at, title(at), protocol_of(at.rpartition("/")[2]))
        for at in islice(services, MAX_SERVICES)
    ]


def _address(row: Any, top: str) -> str:
    name, kind = words(row.get("name")), words(row.get("type"))
    return address(row.get("url")) or (
        address(f"{top}/{name}/{kind}") if name and kind else ""
    )


def title(url: str) -> str:
    """The name of a service, as its address has it."""
    return url.split("/")[-2].replace("_", " ")


HARVESTERS = (
    Part("arcgis-directory", "ArcGIS server directory", page, only_long=True),
)
