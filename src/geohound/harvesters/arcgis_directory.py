"""Directories of ArcGIS servers: all services by the sitemap of the server, or folder by folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document, safe_xml
from geohound.model.service import Service
from geohound.model.visit import Failure
from geohound.model.work.harvest import HarvestPage, Listed, fingerprint

from . import _asking
from ._paging import JSON
from ._part import MANY_LINKS, Part
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
    if isinstance(answer, Failure):
        return answer
    value = mapping(answer.json)
    if not isinstance(value.get("services"), list) and not isinstance(
        value.get("folders"), list
    ):
        return _asking.not_understood(answer, "a services directory of ArcGIS")
    entries = [
        (_address(row, top), words(row.get("type")))
        for row in rows(value.get("services"))
    ]
    listed = [
        Listed(where, title(where), protocol_of(kind))
        for where, kind in entries
        if _SERVER.match(where)
    ]
    return _page(source, listed, _folders(value.get("folders"), top))


def _folders(value: object, top: str) -> list[str]:
    names = [words(name) for name in value[:1_000]] if isinstance(value, list) else []
    places = [address(f"{top}/{name}") for name in names if name]
    return [place for place in places if place]


def _page(source: str, listed: Iterable[Listed], folders: Iterable[str]) -> HarvestPage:
    found, below = tuple(dict.fromkeys(listed)), tuple(dict.fromkeys(folders))
    mark = fingerprint(source, [*(each.url for each in found), *below])
    return HarvestPage(found, below, fingerprint=mark, records=len(found))


def _of_sitemap(document: Document) -> list[Listed]:
    """Services by the address of each of their resources: layers are named, too."""
    if document.root_name != "urlset" or document.root is None:
        return []
    entries = (
        safe_xml.text(each, "loc") for each in safe_xml.children(document.root, "url")
    )
    services = dict.fromkeys(
        m[1] for at in entries if (m := _SERVER.match(address(at).partition("?")[0]))
    )
    return [
        Listed(at, title(at), protocol_of(at.rpartition("/")[2]))
        for at in list(services)[:MAX_SERVICES]
    ]


def _address(row: Any, top: str) -> str:
    name, kind = words(row.get("name")), words(row.get("type"))
    return address(row.get("url")) or (
        address(f"{top}/{name}/{kind}") if name and kind else ""
    )


def title(url: str) -> str:
    """The name of a service, as its address has it."""
    return url.split("/")[-2].replace("_", " ")


def _is_too_long(service: Service | None, url: str) -> bool:  # noqa: ARG001
    return (
        service is not None
        and service.kind == "arcgis-directory"
        and len(service.links) >= MANY_LINKS
    )


HARVESTERS = (
    Part("arcgis-directory", "ArcGIS server directory", page, also=_is_too_long),
)
