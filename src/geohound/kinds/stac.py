"""SpatioTemporal Asset Catalogs: APIs by what they conform to, static catalogues by their fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from geohound.document import Document
from geohound.kinds._json import (
    absolute,
    links_by_rel,
    mapping,
    rows,
    spatial_extent,
    temporal_extent,
    texts,
    words,
)
from geohound.kinds._licence import read_access
from geohound.kinds._reader import Reader, below_root, finish, itself, path_of, root_of, strip_view
from geohound.model.service import Access, Layer, Operation, Provider, Service

_BELOW = re.compile(r"/(?:collections(?:/.*)?|search|conformance|queryables|catalogs(?:/.*)?|api(?:\.html|\.json)?)/?$")
_STAC_API = re.compile(r"api\.stacspec\.org/v?[\w.-]+/core|stacspec\.org.*item-search", re.IGNORECASE)
_API_PATH = re.compile(
    r"/(?:stac|stacapi|stac-api|pgstac|stac-fastapi)(?:/|$)|/(?:api/)?stac/v\d|//stac\.", re.IGNORECASE
)
_STATIC_NAME = re.compile(r"/(?:catalog|collection)\.json$", re.IGNORECASE)
# What a catalogue cannot be: an item, its geometry, a page of items.
_GEOJSON_TYPES = frozenset(["Feature", "FeatureCollection"])


def suspects_api(url: str) -> bool:
    return bool(_API_PATH.search(path_of(url))) and not _STATIC_NAME.search(path_of(url))


def probe_api(url: str) -> tuple[str, ...]:
    root = root_of(url, _BELOW)
    return (root, below_root(root, "collections"))


def suspects_static(url: str) -> bool:
    return bool(_STATIC_NAME.search(path_of(url)))


def read_api(document: Document) -> Service | None:
    value = document.json
    if not isinstance(value, dict) or words(value.get("type")) in _GEOJSON_TYPES:
        return None
    links = links_by_rel(value.get("links"))
    collections = [c for c in rows(value.get("collections")) if isinstance(c.get("stac_version"), str)]
    if not (collections or _is_api_landing(value, links) or _is_api_collection(value, links, document.url)):
        return None
    if not collections and "extent" in value:
        collections = [value]
    is_landing = not collections
    version = _version(value) or (_version(collections[0]) if collections else "")
    layers = tuple(_read_collection(c, document.url) for c in collections)
    if is_landing:
        layers = tuple(_read_child(link, document.url) for link in links.get("child", ()))
    service = Service(
        kind="stac-api",
        endpoint=root_of(document.url, _BELOW),
        version=version,
        versions=(version,) if version else (),
        title=words(value.get("title")) or words(value.get("id")) if is_landing else "",
        abstract=words(value.get("description")) if is_landing else "",
        keywords=texts(value.get("keywords")) if is_landing else (),
        layers=layers,
        operations=_operations(links, document.url),
        formats=("application/geo+json",),
        online_resource=absolute(mapping(_first(links, "self")).get("href"), document.url),
    )
    root = service.endpoint
    companion = below_root(root, "collections") if is_landing else root
    return finish(document, replace(service, companions=(companion,)), *texts(value.get("conformsTo")))


def _is_api_landing(value: Mapping[str, Any], links: Mapping[str, Any]) -> bool:
    if not isinstance(value.get("stac_version"), str):
        return False
    conforms = any(_STAC_API.search(uri) for uri in texts(value.get("conformsTo"))[:500])
    return conforms or ("search" in links and ("conformance" in links or "data" in links))


def _is_api_collection(value: Mapping[str, Any], links: Mapping[str, Any], url: str) -> bool:
    """A collection with a page of items, at the path that the API gives it."""
    return _is_catalogue(value) and "items" in links and "extent" in value and "/collections/" in path_of(url)


def read_static(document: Document) -> Service | None:
    value = document.json
    if not isinstance(value, dict) or not _is_catalogue(value) or texts(value.get("conformsTo")):
        return None
    links = links_by_rel(value.get("links"))
    if _is_api_landing(value, links) or _is_api_collection(value, links, document.url):
        return None
    version = _version(value)
    listed = _without_pages([*links.get("child", ()), *links.get("item", ())])
    service = Service(
        kind="stac",
        endpoint=strip_view(document.url),
        version=version,
        versions=(version,) if version else (),
        title=words(value.get("title")) or words(value.get("id")),
        abstract=words(value.get("description")),
        keywords=texts(value.get("keywords")),
        provider=_read_provider(value),
        access=_read_licence(value, links, document.url),
        extent=spatial_extent(value.get("extent")),
        layers=tuple(_read_child(link, document.url) for link in listed),
        formats=_asset_types(value),
        online_resource=absolute(mapping(_first(links, "self")).get("href"), document.url),
    )
    return finish(document, service, *temporal_extent(value.get("extent")))


def _is_catalogue(value: Mapping[str, Any]) -> bool:
    """Catalog or Collection; before 1.0 they had no type, and were told from items by theirs."""
    if not isinstance(value.get("stac_version"), str) or not words(value.get("id")):
        return False
    if words(value.get("type")) in ("Catalog", "Collection"):
        return True
    return "type" not in value and isinstance(value.get("links"), list) and "description" in value


def _version(value: Mapping[str, Any]) -> str:
    return words(value.get("stac_version"))


def _first(links: Mapping[str, Any], rel: str) -> object:
    return next(iter(links.get(rel, ())), None)


def _read_child(link: Mapping[str, Any], url: str) -> Layer:
    """A linked catalogue, collection or item; without a title it is called by its file or folder."""
    href = absolute(link.get("href"), url)
    title = words(link.get("title"))
    steps = [s for s in path_of(href or words(link.get("href"))).split("/") if s]
    last = steps[-1] if steps else ""
    if last.lower() in ("catalog.json", "collection.json", "item.json") and len(steps) > 1:
        last = steps[-2]
    return Layer(name=last.removesuffix(".json") or title or "?", title=title, links=(href,) if href else ())


def _without_pages(listed: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Links to pages for people beside those to the same in JSON, as pygeoapi lists them, are left out."""
    return [link for link in listed if not words(link.get("type")).startswith("text/html")] or listed


def _read_collection(value: Mapping[str, Any], url: str) -> Layer:
    links = links_by_rel(value.get("links"))
    items = absolute(mapping(_first(links, "items")).get("href"), url)
    return Layer(
        name=words(value.get("id")) or words(value.get("title")) or "?",
        title=words(value.get("title")),
        abstract=words(value.get("description")),
        keywords=texts(value.get("keywords")),
        extent=spatial_extent(value.get("extent")),
        times=temporal_extent(value.get("extent")),
        formats=_asset_types(value),
        queryable=bool(items),
        links=(items,) if items else (),
    )


def _asset_types(value: Mapping[str, Any]) -> tuple[str, ...]:
    assets = [*mapping(value.get("item_assets")).values(), *mapping(value.get("assets")).values()]
    return tuple(dict.fromkeys(filter(None, (words(mapping(a).get("type")) for a in assets[:1000]))))


def _read_provider(value: Mapping[str, Any]) -> Provider:
    """The host if one is named, else the first."""
    providers = rows(value.get("providers"))
    chosen = next((p for p in providers if "host" in texts(p.get("roles"))), providers[0] if providers else {})
    return Provider(name=words(chosen.get("name")), site=words(chosen.get("url")))


def _read_licence(value: Mapping[str, Any], links: Mapping[str, Any], url: str) -> Access:
    said = words(value.get("license"))
    href = absolute(mapping(_first(links, "license")).get("href"), url)
    access = read_access(licence_text=f"{said} {href}".strip())
    if access.licence or said.lower() in ("", "proprietary", "various", "other"):
        return access
    return Access(access.fees, access.constraints, said[:80], access.licence_text)  # an SPDX id by the standard


def _operations(links: Mapping[str, Any], url: str) -> tuple[Operation, ...]:
    found = []
    for rel in ("search", "data", "conformance", "service-desc", "service-doc"):
        get = post = ""
        for link in links.get(rel, ()):
            href = absolute(mapping(link).get("href"), url)
            if words(mapping(link).get("method")).upper() == "POST":
                post = post or href
            else:
                get = get or href
        if get or post:
            found.append(Operation(rel, get=get, post=post))
    return tuple(found)


KINDS = (
    Reader("stac-api", "STAC API", "radiantearth:stac", suspects_api, probe_api, read_api),
    Reader("stac", "STAC catalogue", "radiantearth:stac", suspects_static, itself, read_static),
)
