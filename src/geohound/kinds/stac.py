"""SpatioTemporal Asset Catalogs: APIs by what they conform to, static catalogues by their fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from geohound.document import Document
from geohound.kinds import ogcapi
from geohound.kinds._api_root import declared_root, endpoint_of, roots_of
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
from geohound.kinds._layer_query import GEOJSON, JSON, LayerQuery
from geohound.kinds._licence import read_access
from geohound.kinds._reader import (
    Reader,
    below_root,
    finish,
    itself,
    path_of,
    strip_view,
)
from geohound.kinds._signature import json
from geohound.model.addresses import Addresses, Below, ScriptIdioms
from geohound.model.bbox import short_numbers
from geohound.model.layer_request import (
    ApiItems,
    FeatureRequest,
    LayerRequest,
    Rel,
    ServerRequest,
    ServerType,
)
from geohound.model.service import Access, Layer, Operation, Provider, Service
from geohound.urls import with_params

_BELOW = re.compile(
    r"/(?:collections(?s:/.*)?|search|conformance|queryables|catalogs(?s:/.*)?)/?$"
)
_STAC_API = re.compile(
    r"api\.stacspec\.org/v?[\w.-]+/core|stacspec\.org.{0,200}item-search", re.IGNORECASE
)
_API_PATH = re.compile(
    r"^(?!.*/(?:catalog|collection)\.json$)"
    r".*?(?:/(?:stac|stacapi|stac-api|pgstac|stac-fastapi)(?:/|$)|/(?:api/)?stac/v\d|//stac\.)",
    re.IGNORECASE,
)
_ITEMS_PATH = re.compile(r"/collections/[^/]+/items/?$")
_STATIC_NAME = re.compile(r"/(?:catalog|collection)\.json$", re.IGNORECASE)
# What a catalogue cannot be: an item, its geometry, a page of items.
_GEOJSON_TYPES = frozenset(["Feature", "FeatureCollection"])


def probe_api(url: str) -> tuple[str, ...]:
    return tuple(
        page
        for root in roots_of(url, _BELOW)
        for page in (root, below_root(root, "collections"))
    )


def read_api(document: Document) -> Service | None:
    value = document.json
    if not isinstance(value, dict) or words(value.get("type")) in _GEOJSON_TYPES:
        return None
    links = links_by_rel(value.get("links"))
    url = _own_address(document.url, links)
    collections = _stac_rows(value.get("collections"))
    is_landing = not collections and _is_api_landing(value, links)
    if not (collections or is_landing or _is_api_collection(value, links, url)):
        return None
    if is_landing:
        described = _read_landing(value, links, url)
    else:
        described = _read_collections(collections or [value], url)
    version = _version(value) or described.version
    endpoint = endpoint_of(url, links, _BELOW, is_landing=is_landing)
    service = replace(
        described,
        endpoint=endpoint,
        version=version,
        operations=_operations(links, url),
        formats=("application/geo+json",),
        online_resource=declared_root(links, url, _BELOW, is_landing=is_landing),
        companions=(below_root(endpoint, "collections") if is_landing else endpoint,),
    )
    return finish(document, service, *texts(value.get("conformsTo")))


def _own_address(url: str, links: Mapping[str, Any]) -> str:
    """Where a saved document came from, against which its relative links are to be read."""
    if url.startswith(("http://", "https://")):
        return url
    return absolute(mapping(_first(links, "self")).get("href"), url) or url


def _stac_rows(value: object) -> list[Mapping[str, Any]]:
    return [row for row in rows(value) if isinstance(row.get("stac_version"), str)]


def _read_landing(
    value: Mapping[str, Any], links: Mapping[str, Any], url: str
) -> Service:
    """What the landing page says of the whole API; its children are its collections."""
    return Service(
        kind="stac-api",
        endpoint=url,
        title=words(value.get("title")) or words(value.get("id")),
        abstract=words(value.get("description")),
        keywords=texts(value.get("keywords")),
        layers=tuple(_read_child(link, url) for link in links.get("child", ())),
    )


def _read_collections(collections: Sequence[Mapping[str, Any]], url: str) -> Service:
    return Service(
        kind="stac-api",
        endpoint=url,
        version=_version(collections[0]),
        layers=tuple(_read_collection(each, url) for each in collections),
    )


def _is_api_landing(value: Mapping[str, Any], links: Mapping[str, Any]) -> bool:
    if not isinstance(value.get("stac_version"), str):
        return False
    conforms = any(
        _STAC_API.search(uri) for uri in texts(value.get("conformsTo"))[:500]
    )
    return conforms or (
        "search" in links and ("conformance" in links or "data" in links)
    )


def _is_api_collection(
    value: Mapping[str, Any], links: Mapping[str, Any], url: str
) -> bool:
    """A collection with a page of items, at the path that the API gives it or linking to items that have one."""
    if not _is_catalogue(value) or "items" not in links or "extent" not in value:
        return False
    if url.startswith(("http://", "https://")) and _STATIC_NAME.search(path_of(url)):
        return False
    items = absolute(mapping(_first(links, "items")).get("href"), url)
    return "/collections/" in path_of(url) or bool(_ITEMS_PATH.search(path_of(items)))


def read_static(document: Document) -> Service | None:
    value = document.json
    if (
        not isinstance(value, dict)
        or not _is_catalogue(value)
        or texts(value.get("conformsTo"))
    ):
        return None
    links = links_by_rel(value.get("links"))
    url = _own_address(document.url, links)
    if _is_api_landing(value, links) or _is_api_collection(value, links, url):
        return None
    version = _version(value)
    listed = _without_pages([*links.get("child", ()), *links.get("item", ())])
    service = Service(
        kind="stac",
        endpoint=strip_view(document.url),
        version=version,
        title=words(value.get("title")) or words(value.get("id")),
        abstract=words(value.get("description")),
        keywords=texts(value.get("keywords")),
        provider=_read_provider(value),
        access=_read_licence(value, links, document.url),
        extent=spatial_extent(value.get("extent")),
        layers=tuple(_read_child(link, document.url) for link in listed),
        formats=_asset_types(value),
        online_resource=absolute(
            mapping(_first(links, "self")).get("href"), document.url
        ),
    )
    return finish(document, service, *temporal_extent(value.get("extent")))


def _is_catalogue(value: Mapping[str, Any]) -> bool:
    """Catalog or Collection; before 1.0 they had no type, and were distinguished from items by theirs."""
    if not isinstance(value.get("stac_version"), str) or not words(value.get("id")):
        return False
    if words(value.get("type")) in ("Catalog", "Collection"):
        return True
    return (
        "type" not in value
        and isinstance(value.get("links"), list)
        and "description" in value
    )


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
    if (
        last.lower() in ("catalog.json", "collection.json", "item.json")
        and len(steps) > 1
    ):
        last = steps[-2]
    return Layer(
        name=last.removesuffix(".json") or title or "?",
        title=title,
        links=(href,) if href else (),
    )


def _without_pages(listed: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Links to pages for people beside those to the same in JSON, as pygeoapi lists them, are left out."""
    return [
        link for link in listed if not words(link.get("type")).startswith("text/html")
    ] or listed


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
    assets = [
        *mapping(value.get("item_assets")).values(),
        *mapping(value.get("assets")).values(),
    ]
    return tuple(
        dict.fromkeys(
            filter(None, (words(mapping(a).get("type")) for a in assets[:1000]))
        )
    )


def _read_provider(value: Mapping[str, Any]) -> Provider:
    """The host if one is named, else the first."""
    providers = rows(value.get("providers"))
    chosen = next(
        (p for p in providers if "host" in texts(p.get("roles"))),
        providers[0] if providers else {},
    )
    return Provider(name=words(chosen.get("name")), site=words(chosen.get("url")))


def _read_licence(
    value: Mapping[str, Any], links: Mapping[str, Any], url: str
) -> Access:
    said = words(value.get("license"))
    href = absolute(mapping(_first(links, "license")).get("href"), url)
    access = read_access(licence_text=f"{said} {href}".strip())
    if access.licence or said.lower() in ("", "proprietary", "various", "other"):
        return access
    # an SPDX id by the standard
    return Access(access.fees, access.constraints, said[:80], access.licence_text)


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


def api_requests(query: LayerQuery) -> list[LayerRequest]:
    """The items of a collection, as any OGC API gives them; without one, a search in all of them."""
    found = [_as_stac(request) for request in ogcapi.item_requests(query, Rel.RECORDS)]
    search, _ = query.operation("search")
    if query.layer.name or search == query.service.endpoint:
        return found
    asked = {"limit": str(query.limit)}
    if query.is_part:
        asked["bbox"] = short_numbers(query.box.as_tuple(), ",")
    return [
        *found,
        FeatureRequest(
            Rel.RECORDS,
            "Search",
            with_params(search, asked),
            GEOJSON,
            limit_name="limit",
        ),
    ]


def _as_stac(request: LayerRequest) -> LayerRequest:
    if isinstance(request, ApiItems | ServerRequest):
        return replace(request, server=ServerType.STAC)
    return request


def static_requests(query: LayerQuery) -> list[LayerRequest]:
    """The catalogue, and of its entries the one that is chosen: a catalogue, a collection or an item."""
    endpoint = query.service.endpoint
    server = ServerRequest(
        Rel.CAPABILITIES,
        "Catalogue",
        endpoint,
        JSON,
        server=ServerType.STAC,
        endpoint=endpoint,
    )
    entry = query.own_link()
    return (
        [
            server,
            replace(server, rel=Rel.DATA, title="Entry", url=entry, endpoint=entry),
        ]
        if entry
        else [server]
    )


_API_ADDRESSES = Addresses(
    ends=("stac",),
    paths=("/stac/",),
    below=(
        Below(
            "stac",
            r"^(?P<service>https?://(?:(?!stac)[^?#])*+stac[^?#]*?)/(?:search|collections)(?:/[^?#]*)?$",
        ),
    ),
    labels=("stac", "stacapi"),
    scripts=ScriptIdioms(
        words=("stac",), strings=(("/stac", r"/stac\b"), ("/search", "/search[\"'`]"))
    ),
)
_STATIC_ADDRESSES = Addresses(paths=(r"/(?:catalog|collection)\.json(?:$|\?)",))

KINDS = (
    Reader(
        id="stac-api",
        title="STAC API",
        protocol="radiantearth:stac",
        path=_API_PATH,
        probe_urls=probe_api,
        reader=read_api,
        requester=api_requests,
        addresses=_API_ADDRESSES,
        signature=json("stac_version", "collections"),
    ),
    Reader(
        id="stac",
        title="STAC catalogue",
        protocol="radiantearth:stac",
        path=_STATIC_NAME,
        probe_urls=itself,
        reader=read_static,
        requester=static_requests,
        addresses=_STATIC_ADDRESSES,
        signature=json("stac_version"),
    ),
)
