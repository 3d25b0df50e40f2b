"""The OGC APIs, proved by landing page, conformance, collections, or lists of processes, styles, tilesets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from geohound.document import Document
from geohound.kinds import _ogcapi_evidence as evidence
from geohound.kinds._api_root import declared_root, endpoint_of, roots_of
from geohound.kinds._boxes import crs_code
from geohound.kinds._json import (
    absolute,
    links_by_rel,
    mapping,
    spatial_extent,
    temporal_extent,
    texts,
    tileset_extent,
    words,
)
from geohound.kinds._layer_query import (
    GEOJSON,
    JSON,
    LayerQuery,
    below,
    landing_page,
    quoted_step,
)
from geohound.kinds._licence import read_access
from geohound.kinds._reader import (
    NO_PATH,
    Reader,
    below_root,
    crs_of,
    finish,
    formats_of,
    is_generic_title,
)
from geohound.kinds._request_boxes import size
from geohound.kinds._signature import Signature
from geohound.kinds._tiles import pyramid
from geohound.model.addresses import (
    BESIDE,
    DISCOVERY_LIMIT_S,
    VIEW_LIMIT_S,
    Addresses,
    Below,
    ScriptIdioms,
)
from geohound.model.bbox import short_numbers
from geohound.model.layer_request import (
    ApiItems,
    LayerRequest,
    Picture,
    Rel,
    ServerType,
)
from geohound.model.service import Layer, Operation, Provider, Service
from geohound.urls import params_lower, with_params

_BELOW = re.compile(
    r"/(?:conformance|queryables|collections)(?:\.json|\.html)?/?$"
    r"|(?<=/wfs3)\.(?:json|html)$"  # QGIS Server writes its views as endings
    # …/ogc/tiles/v1 is a root, though its last but one step sounds like a resource.
    r"|/(?:collections|processes|jobs|styles|tiles|map|tilesets|tileMatrixSets)(?!/v\d+(?:/|$))(?s:/.*)?$",
    re.IGNORECASE,
)
# Some parts are named by the path; Features stands for the undecided.
_PATHS = {
    "ogcapi-features": re.compile(
        r"/(?:ogc/(?:features|tiles|maps|styles|coverages|stac)|ogcapi|ogc-api|oapi[fcrmtp]?|oa[fr]|pygeoapi|ldproxy|wfs3)(?:/|$)"
        r"|/(?:conformance|collections(?:/[^/]+(?:/items)?)?)/?$",
        re.IGNORECASE,
    ),
    "ogcapi-processes": re.compile(r"/processes(?:/[^/]+)?/?$"),
    "ogcapi-styles": re.compile(r"/styles/?$|/ogc/styles(?:/|$)"),
    "ogcapi-tiles": re.compile(r"/tileMatrixSets(?:/|$)|/ogc/tiles(?:/|$)"),
    "ogcapi-edr": re.compile(r"/edr(?:/|$)"),
    "ogcapi-records": re.compile(
        r"/collections/metadata:main|/api/search/v1(?:/|$)"
    ),  # pycsw; ArcGIS Hub
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


_TILESETS = re.compile(r"/tiles/?(?:\?|$)")
_COLUMN_FIRST = re.compile(r"\{(?:x|tileCol)\}/\{(?:y|tileRow)\}", re.IGNORECASE)
_TILE = re.compile(r"/\{tileMatrixSetId\}/\{\w+\}/\{\w+\}/\{\w+\}", re.IGNORECASE)


def probe_urls(url: str) -> tuple[str, ...]:
    """Conformance says which APIs they are, collections what they offer, the landing page who offers it."""
    asked = [
        page
        for root in roots_of(url, _BELOW)
        for page in (
            below_root(root, "conformance"),
            below_root(root, "collections"),
            root,
        )
    ]
    return tuple(f"{a}{'&' if '?' in a else '?'}f=json" for a in asked)


def read(kind: str, document: Document) -> Service | None:
    proof = evidence.proof_of(document)
    if kind not in proof.kinds:
        return None
    value = mapping(document.json)
    links = links_by_rel(value.get("links"))
    layers = tuple(
        _read_offering(row, document.url) for row in proof.offerings.get(kind, ())
    )
    version = evidence.version_of(kind, proof.conforms_to)
    speaks_for_all = proof.is_landing or isinstance(value.get("collections"), list)
    contact = mapping(value.get("contact")) or mapping(value.get("provider"))
    # A list of collections has the title of the API, but what else it says is said of the list.
    of_all = value if speaks_for_all else {}
    of_api = value if proof.is_landing else {}
    itself = mapping(next(iter(links.get("self", ())), None))
    service = Service(
        kind=kind,
        endpoint=endpoint_of(document.url, links, _BELOW, is_landing=proof.is_landing),
        version=version,
        title=_title(of_all, is_landing=proof.is_landing),
        abstract=words(of_all.get("description")),
        keywords=texts(of_api.get("keywords")),
        provider=_read_provider(contact),
        access=read_access(
            constraints=words(of_api.get("attribution")),
            licence_text=_licence_words(value, links),
        ),
        extent=spatial_extent(of_api.get("extent")),
        layers=layers,
        operations=_read_operations(links, document.url),
        formats=formats_of(layers),
        crs=_read_crs(value) or crs_of(layers),
        language=words(itself.get("hreflang"))[:12],
        online_resource=declared_root(
            links, document.url, _BELOW, is_landing=proof.is_landing
        ),
    )
    return finish(
        document,
        replace(service, **_completion(kind, service.endpoint, proof)),
        *proof.conforms_to,
    )


def _title(value: Mapping[str, Any], *, is_landing: bool) -> str:
    """The title of the API; a list that is called "Collections" says nothing of it."""
    title = words(value.get("title"))
    return title if is_landing or not is_generic_title(title) else ""


def _completion(kind: str, root: str, proof: evidence.ApiEvidence) -> dict[str, Any]:
    """The other documents of an API: what it is, what it holds, who offers it; this one says but one."""
    holds = {"ogcapi-processes": "processes", "ogcapi-styles": "styles"}.get(
        kind, "collections"
    )
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


def _licence_words(
    value: Mapping[str, Any], links: Mapping[str, list[Mapping[str, Any]]]
) -> str:
    link = mapping(next(iter(links.get("license", ())), None))
    return f"{words(value.get('license'))} {words(link.get('title'))} {words(link.get('href'))}".strip()


def _read_crs(value: Mapping[str, Any]) -> tuple[str, ...]:
    """CRS in one form; `#/crs` points to the list of the whole document."""
    return tuple(
        dict.fromkeys(
            crs_code(c) for c in texts(value.get("crs")) if not c.startswith("#")
        )
    )


def _read_operations(
    links: Mapping[str, list[Mapping[str, Any]]], url: str
) -> tuple[Operation, ...]:
    found = []
    for rel in _OPERATIONS:
        hrefs = [absolute(link.get("href"), url) for link in links.get(rel, ())]
        if any(hrefs):
            types = tuple(
                dict.fromkeys(
                    filter(None, (words(link.get("type")) for link in links[rel]))
                )
            )
            found.append(Operation(rel, get=next(filter(None, hrefs)), formats=types))
    tile = _tile_template(links, url)
    return (*found, Operation("tile", get=tile)) if tile else tuple(found)


def _tile_template(links: Mapping[str, list[Mapping[str, Any]]], url: str) -> str:
    templated = [
        link for some in links.values() for link in some if link.get("templated")
    ]
    addresses = [absolute(link.get("href"), url) for link in templated]
    return next((address for address in addresses if _TILE.search(address)), "")


def _read_offering(row: Mapping[str, Any], url: str) -> Layer:
    """A collection, process, style or tileset as a layer."""
    links = links_by_rel(row.get("links"))
    data = [link for rel in _DATA_RELS for link in links.get(rel, ())]
    times = temporal_extent(row.get("extent"))
    title = words(row.get("title"))
    name = words(row.get("id")) or words(row.get("name")) or title
    addresses = [absolute(link.get("href"), url) for link in data]
    return Layer(
        name=name or _tile_matrix_set(row) or "?",
        title=title,
        abstract=words(row.get("description")) or words(row.get("abstract")),
        keywords=texts(row.get("keywords")),
        extent=spatial_extent(row.get("extent")) or tileset_extent(row),
        crs=_read_crs(row),
        formats=_each_once(words(link.get("type")) for link in data),
        styles=_styles(row.get("styles")),
        times=times,
        queryable=bool(links.get("items") or links.get("queryables")),
        links=_each_once(addresses),
    )


def _tile_matrix_set(row: Mapping[str, Any]) -> str:
    uri = words(row.get("tileMatrixSetURI"))
    return words(row.get("tileMatrixSetId")) or uri.rpartition("/")[2]


def _styles(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else []
    return tuple(filter(None, (words(mapping(each).get("id")) for each in listed)))


def _each_once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, values)))


def _collection(query: LayerQuery) -> str:
    return below(query.service.endpoint, f"collections/{quoted_step(query.layer.name)}")


def _described(query: LayerQuery) -> LayerRequest:
    return LayerRequest(Rel.DESCRIPTION, "Collection", _collection(query), JSON)


def item_requests(query: LayerQuery, rel: Rel) -> list[LayerRequest]:
    """The items of a collection; those in the box where one was asked for."""
    landing = landing_page(query)
    if not query.layer.name:
        return [landing]
    request = {"limit": str(query.limit)}
    if query.is_part:
        request["bbox"] = short_numbers(query.box.as_tuple(), ",")
    url = with_params(_items_link(query), request)
    items = ApiItems(
        rel,
        "Items",
        url,
        GEOJSON,
        limit_name="limit",
        server=ServerType.OGC_API,
        name=query.layer.name,
    )
    return [landing, _described(query), items]


def _items_link(query: LayerQuery) -> str:
    """The address that the collection itself gives for its items as JSON, else the one that the standard fixes.

    Several views of one list are distinguished by `f` in most servers; HTML and RDF are for others.
    """
    for link in query.layer.links:
        view = params_lower(link).get("f", "").lower()
        path = link.partition("?")[0].rstrip("/")
        if path.endswith("/items") and view in ("json", "geojson", GEOJSON):
            return link
    return below(
        query.service.endpoint, f"collections/{quoted_step(query.layer.name)}/items"
    )


def _map_requests(query: LayerQuery) -> list[LayerRequest]:
    """A picture of a collection, in degrees."""
    if not query.layer.name:
        return [landing_page(query)]
    bounds = query.box.as_tuple()
    width, height = size(bounds, query.longest_px)
    asked = {
        "bbox": short_numbers(bounds, ","),
        "width": str(width),
        "height": str(height),
        "f": "png",
    }
    url = with_params(below(_collection(query), "map"), asked)
    picture = Picture(
        Rel.MAP,
        "Map",
        url,
        "image/png",
        crs="CRS:84",
        bounds=bounds,
        size_px=(width, height),
    )
    return [landing_page(query), _described(query), picture]


def _coverage_requests(query: LayerQuery) -> list[LayerRequest]:
    """The values within the box."""
    if not query.layer.name:
        return [landing_page(query)]
    asked = {"bbox": short_numbers(query.box.as_tuple(), ",")}
    url = with_params(below(_collection(query), "coverage"), asked)
    return [
        landing_page(query),
        _described(query),
        LayerRequest(Rel.COVERAGE, "Coverage", url),
    ]


def _position_requests(query: LayerQuery) -> list[LayerRequest]:
    """The values at the middle of the box, which every collection with positions has."""
    if not query.layer.name:
        return [landing_page(query)]
    box = query.box
    middle = short_numbers(
        ((box.west + box.east) / 2, (box.south + box.north) / 2), " "
    )
    url = with_params(
        below(_collection(query), "position"), {"coords": f"POINT({middle})"}
    )
    values = LayerRequest(Rel.DATA, "Position", url, "application/prs.coverage+json")
    return [landing_page(query), _described(query), values]


def _tile_requests(query: LayerQuery) -> list[LayerRequest]:
    """The Mercator pyramid of a collection, or of the whole API."""
    tilesets = _tilesets(query)
    if not tilesets:
        return [landing_page(query)]
    base = tilesets.partition("?")[0].rstrip("/")
    # The standard puts the row first; TiTiler and its kin say that they do not.
    templates = (*query.layer.links, *_addresses_of(query, "tile"))
    has_column_first = any(map(_COLUMN_FIRST.search, templates))
    place = "{z}/{x}/{y}" if has_column_first else "{z}/{y}/{x}"
    form = "png" if "/map/tiles" in base else "mvt"
    template = f"{base}/WebMercatorQuad/{place}?f={form}"
    described = LayerRequest(Rel.DESCRIPTION, "Tilesets", tilesets, JSON)
    return [landing_page(query), described, pyramid(query, template)]


def _tilesets(query: LayerQuery) -> str:
    """Where the tilesets of the layer are listed; empty where there is no layer and the API names none."""
    layer = query.layer
    links = (*layer.links, *_addresses_of(query, "tilesets-vector"))
    named = next(filter(_TILESETS.search, links), "")
    if named or not layer.name:
        return named
    has_maps = any("/map" in link for link in layer.links)
    return below(_collection(query), "map/tiles" if has_maps else "tiles")


def _addresses_of(query: LayerQuery, operation: str) -> list[str]:
    operations = query.service.operations
    return [each.get for each in operations if each.name == operation]


def _listed_requests(query: LayerQuery, path: str, title: str) -> list[LayerRequest]:
    """One entry of a list of processes or styles, or the list."""
    step = f"{path}/{quoted_step(query.layer.name)}" if query.layer.name else path
    return [
        landing_page(query),
        LayerRequest(Rel.DESCRIPTION, title, below(query.service.endpoint, step), JSON),
    ]


_PARTS = (
    (
        "ogcapi-features",
        "OGC API Features",
        "OGCFeat",
        partial(item_requests, rel=Rel.FEATURES),
    ),
    ("ogcapi-tiles", "OGC API Tiles", "OGCTile", _tile_requests),
    ("ogcapi-maps", "OGC API Maps", "OGCMaps", _map_requests),
    ("ogcapi-coverages", "OGC API Coverages", "OGCCov", _coverage_requests),
    (
        "ogcapi-records",
        "OGC API Records",
        "OGCRec",
        partial(item_requests, rel=Rel.RECORDS),
    ),
    (
        "ogcapi-processes",
        "OGC API Processes",
        "OGCProc",
        partial(_listed_requests, path="processes", title="Process"),
    ),
    (
        "ogcapi-edr",
        "OGC API Environmental Data Retrieval",
        "OGCEDR",
        _position_requests,
    ),
    (
        "ogcapi-styles",
        "OGC API Styles",
        "OGCStyles",
        partial(_listed_requests, path="styles", title="Style"),
    ),
)


_COLLECTION = r"^(?P<service>https?://[^?#]*?)/collections/[^/?#]+/"
_STYLED = r"(?:styles/[^/?#]+/)?"


def _in_collections(rest: str) -> tuple[Below, ...]:
    return (Below("/collections/", f"{_COLLECTION}{rest}$", has_blanks=True),)


_ADDRESSES = {
    "ogcapi-features": Addresses(
        rank=BESIDE,
        ends=("ogcapi", "oapif"),
        paths=("/ogc/features", r"/(?:conformance|collections)/?(?:$|\?)"),
        below=_in_collections(r"items(?:\.\w{2,8})?(?:/[^/?#]*)?"),
        servers=("/collections/",),
        labels=("oaf", "ogcapifeatures", "ogcfeaturelayer", "ogcfeature", "oapif"),
        scripts=ScriptIdioms(
            calls="OGCFeatureLayer|0.url",
            words=("/collections/", "ogcapi"),
            strings=(("collections/", r"(?<=[\"'`/}])collections/"),),
        ),
    ),
    "ogcapi-tiles": Addresses(
        rank=BESIDE,
        paths=("/ogc/tiles",),
        below=_in_collections(rf"{_STYLED}(?:map/)?tiles(?:/[^?#]*)?"),
        response_limit_s=VIEW_LIMIT_S,
    ),
    "ogcapi-maps": Addresses(
        rank=BESIDE,
        paths=("/ogc/maps",),
        below=_in_collections(rf"{_STYLED}map"),
        response_limit_s=VIEW_LIMIT_S,
    ),
    "ogcapi-coverages": Addresses(
        rank=BESIDE, below=_in_collections(r"coverage(?:/[^?#]*)?")
    ),
    "ogcapi-records": Addresses(
        rank=BESIDE, paths=("/ogc/records",), response_limit_s=DISCOVERY_LIMIT_S
    ),
    "ogcapi-processes": Addresses(
        rank=BESIDE,
        below=(
            Below(
                "/processes/",
                r"^(?P<service>https?://[^?#]*?)/processes/[^/?#]+/(?:execution|jobs)$",
            ),
            Below(
                "/processes",
                r"^(?P<service>https?://[^?#]*/(?:pygeoapi|ogc-?api|oapi|ogc))(?P<operation>/processes(?:/[^/?#]+)?)$",
            ),
        ),
        scripts=ScriptIdioms(
            strings=(("processes", r"(?<=[\"'`/}])processes[/\"'`?]"),)
        ),
    ),
    "ogcapi-edr": Addresses(
        rank=BESIDE,
        below=_in_collections(
            r"(?:position|radius|area|cube|trajectory|corridor|locations)(?:/[^?#]*)?"
        ),
    ),
    "ogcapi-styles": Addresses(rank=BESIDE),
}

KINDS = tuple(
    Reader(
        id=kind,
        title=title,
        protocol=protocol,
        path=_PATHS.get(kind, NO_PATH),
        probe_urls=probe_urls,
        reader=partial(read, kind),
        requester=requester,
        addresses=_ADDRESSES[kind],
        signature=Signature(keys=evidence.KEYS),
    )
    for kind, title, protocol, requester in _PARTS
)
