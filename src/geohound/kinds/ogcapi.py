"""The OGC APIs, proved by landing page, conformance, collections, or lists of processes, styles, tilesets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from geohound.document import Document
from geohound.kinds import _ogcapi_evidence as evidence
from geohound.kinds._boxes import crs_code
from geohound.kinds._json import (
    absolute,
    links_by_rel,
    mapping,
    spatial_extent,
    temporal_extent,
    texts,
    words,
)
from geohound.kinds._licence import read_access
from geohound.kinds._reader import Reader, below_root, finish, path_of, root_of
from geohound.model.service import Layer, Operation, Provider, Service

_BELOW = re.compile(
    r"/(?:conformance|api|openapi|queryables|collections)(?:\.json|\.html)?/?$"
    r"|(?<=/wfs3)\.(?:json|html)$"  # QGIS Server writes its views as endings
    # …/ogc/tiles/v1 is a root, though its last but one step sounds like a resource.
    r"|/(?:collections|processes|jobs|styles|tiles|map|tilesets|tileMatrixSets)(?!/v\d+(?:/|$))(?:/.*)?$",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"/(?:ogc/(?:features|tiles|maps|styles|coverages|stac)|ogcapi|ogc-api|oapi[fcrmtp]?|oa[fr]|pygeoapi|ldproxy|wfs3)(?:/|$)"
    r"|/(?:conformance|collections(?:/[^/]+(?:/items)?)?)/?$",
    re.IGNORECASE,
)
_HINTS = {
    "ogcapi-processes": re.compile(r"/processes(?:/[^/]+)?/?$"),
    "ogcapi-styles": re.compile(r"/styles/?$|/ogc/styles(?:/|$)"),
    "ogcapi-tiles": re.compile(r"/tileMatrixSets(?:/|$)|/ogc/tiles(?:/|$)"),
    "ogcapi-edr": re.compile(r"/edr(?:/|$)"),
    "ogcapi-records": re.compile(r"/collections/metadata:main|/api/search/v1(?:/|$)"),  # pycsw; ArcGIS Hub
}
_DATA_RELS = (
    "items",
    "coverage",
    "map",
    "tilesets-vector",
    "tilesets-map",
    "tilesets-coverage",
    "tiles",
    "data",
)
_OPERATIONS = (
    "conformance",
    "data",
    "service-desc",
    "service-doc",
    "processes",
    "styles",
    "tilesets-vector",
    "search",
)


_TILE = re.compile(r"/\{tileMatrixSetId\}/\{\w+\}/\{\w+\}/\{\w+\}", re.IGNORECASE)


def suspects(kind: str, url: str) -> bool:
    """The path of an OGC API; the part of it where the path names one. Features stands for the undecided."""
    path = path_of(url)
    hint = _HINTS.get(kind)
    if hint is not None:
        return bool(hint.search(path))
    return kind == "ogcapi-features" and bool(_ADDRESS.search(path))


def probe_urls(url: str) -> tuple[str, ...]:
    """Conformance tells which APIs they are, collections what they offer, the landing page who offers it."""
    root = root_of(url, _BELOW)
    asked = (below_root(root, "conformance"), below_root(root, "collections"), root)
    return tuple(f"{a}{'&' if '?' in a else '?'}f=json" for a in asked)


def read(kind: str, document: Document) -> Service | None:
    proof = evidence.proof_of(document)
    if kind not in proof.kinds:
        return None
    value = mapping(document.json)
    links = links_by_rel(value.get("links"))
    layers = tuple(_read_offering(row, document.url) for row in proof.offerings.get(kind, ()))
    version = evidence.version_of(kind, proof.conforms_to)
    contact = mapping(value.get("contact")) or mapping(value.get("provider"))
    service = Service(
        kind=kind,
        endpoint=root_of(document.url, _BELOW),
        version=version,
        versions=(version,) if version else (),
        title=words(value.get("title")) if proof.is_landing else "",
        abstract=words(value.get("description")) if proof.is_landing else "",
        keywords=texts(value.get("keywords")) if proof.is_landing else (),
        provider=_read_provider(contact),
        access=read_access(
            constraints=words(value.get("attribution")) if proof.is_landing else "",
            licence_text=_licence_words(value, links),
        ),
        extent=spatial_extent(value.get("extent")) if proof.is_landing else None,
        layers=layers,
        operations=_read_operations(links, document.url),
        formats=tuple(dict.fromkeys(f for layer in layers for f in layer.formats)),
        crs=_read_crs(value) or tuple(dict.fromkeys(c for layer in layers for c in layer.crs)),
        language=words(mapping(next(iter(links.get("self", ())), None)).get("hreflang"))[:12],
        online_resource=absolute(mapping(next(iter(links.get("self", ())), None)).get("href"), document.url),
    )
    return finish(document, replace(service, **_completion(kind, service.endpoint, proof)), *proof.conforms_to)


def _completion(kind: str, root: str, proof: evidence.Proof) -> dict[str, Any]:
    """The other documents of an API: what it is, what it holds, who offers it; this one says but one."""
    holds = {"ogcapi-processes": "processes", "ogcapi-styles": "styles"}.get(kind, "collections")
    asked = [
        below_root(root, "conformance") if not proof.conforms_to else "",
        below_root(root, holds) if not proof.is_whole else "",
        root if not proof.is_landing else "",
    ]
    found = tuple(f"{a}{'&' if '?' in a else '?'}f=json" for a in asked if a)
    return {"companions": found, "provisional": kind in proof.guesses}


def _read_provider(contact: Mapping[str, Any]) -> Provider:
    return Provider(
        name=words(contact.get("organization")) or words(contact.get("name")),
        contact=words(contact.get("name")),
        email=words(contact.get("email")),
        site=words(contact.get("url")),
    )


def _licence_words(value: Mapping[str, Any], links: Mapping[str, list[Mapping[str, Any]]]) -> str:
    link = mapping(next(iter(links.get("license", ())), None))
    return f"{words(value.get('license'))} {words(link.get('title'))} {words(link.get('href'))}".strip()


def _read_crs(value: Mapping[str, Any]) -> tuple[str, ...]:
    """CRS in one form; `#/crs` points to the list of the whole document."""
    return tuple(dict.fromkeys(crs_code(c) for c in texts(value.get("crs")) if not c.startswith("#")))


def _read_operations(links: Mapping[str, list[Mapping[str, Any]]], url: str) -> tuple[Operation, ...]:
    found = []
    for rel in _OPERATIONS:
        hrefs = [absolute(link.get("href"), url) for link in links.get(rel, ())]
        if any(hrefs):
            types = tuple(dict.fromkeys(filter(None, (words(link.get("type")) for link in links[rel]))))
            found.append(Operation(rel, get=next(filter(None, hrefs)), formats=types))
    templates = (absolute(link.get("href"), url) for some in links.values() for link in some if link.get("templated"))
    tile = next((template for template in templates if _TILE.search(template)), "")
    return (*found, Operation("tile", get=tile)) if tile else tuple(found)


def _read_offering(row: Mapping[str, Any], url: str) -> Layer:
    """A collection, process, style or tileset as a layer."""
    links = links_by_rel(row.get("links"))
    data = [link for rel in _DATA_RELS for link in links.get(rel, ())]
    times = temporal_extent(row.get("extent"))
    title = words(row.get("title"))
    name = words(row.get("id")) or words(row.get("name")) or title
    return Layer(
        name=name or words(row.get("tileMatrixSetId")) or words(row.get("tileMatrixSetURI")).rpartition("/")[2] or "?",
        title=title,
        abstract=words(row.get("description")) or words(row.get("abstract")),
        keywords=texts(row.get("keywords")),
        extent=spatial_extent(row.get("extent")),
        crs=_read_crs(row),
        formats=tuple(dict.fromkeys(filter(None, (words(link.get("type")) for link in data)))),
        styles=tuple(filter(None, (words(mapping(s).get("id")) for s in row.get("styles") or ())))
        if isinstance(row.get("styles"), list)
        else (),
        times=times,
        queryable=bool(links.get("items") or links.get("queryables")),
        links=tuple(dict.fromkeys(filter(None, (absolute(link.get("href"), url) for link in data)))),
    )


_PARTS = (
    ("ogcapi-features", "OGC API Features", "OGCFeat"),
    ("ogcapi-tiles", "OGC API Tiles", "OGCTile"),
    ("ogcapi-maps", "OGC API Maps", "OGCMaps"),
    ("ogcapi-coverages", "OGC API Coverages", "OGCCov"),
    ("ogcapi-records", "OGC API Records", "OGCRec"),
    ("ogcapi-processes", "OGC API Processes", "OGCProc"),
    ("ogcapi-edr", "OGC API Environmental Data Retrieval", "OGCEDR"),
    ("ogcapi-styles", "OGC API Styles", "OGCStyles"),
)
KINDS = tuple(
    Reader(kind, title, protocol, partial(suspects, kind), probe_urls, partial(read, kind))
    for kind, title, protocol in _PARTS
)
