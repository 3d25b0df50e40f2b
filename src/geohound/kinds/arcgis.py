"""ArcGIS REST: directories, map, feature, image, vector tile and scene services, in JSON or as a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from geohound import urls
from geohound.document import Document
from geohound.kinds import _arcgis
from geohound.kinds._json import absolute, mapping, rows, words
from geohound.kinds._layer_query import GEOJSON, JSON, LayerQuery
from geohound.kinds._licence import read_access
from geohound.kinds._reader import Reader, choose_title, finish, path_of
from geohound.kinds._request_boxes import project, size
from geohound.kinds._signature import Signature
from geohound.kinds._tiles import pyramid
from geohound.model.addresses import (
    DOWNLOAD_LIMIT_S,
    VIEW_LIMIT_S,
    Addresses,
    Below,
    ScriptIdioms,
    terms,
)
from geohound.model.bbox import short_numbers
from geohound.model.layer_request import (
    ArcgisFeatures,
    ArcgisPicture,
    LayerRequest,
    Rel,
    SceneLayer,
    ServerRequest,
    ServerType,
)
from geohound.model.service import Layer, Operation, Refusal, RefusalReason, Service

_OPERATIONS = {
    "arcgis-mapserver": (("Map", "export"), ("Query", "identify"), ("Data", "find")),
    "arcgis-imageserver": (
        ("Image", "exportImage"),
        ("Metadata", "identify"),
        ("Catalog", "query"),
    ),
    "arcgis-featureserver": (
        ("Query", "query"),
        ("Editing", "applyEdits"),
        ("Extract", "createReplica"),
    ),
}
_PATH = re.compile("/rest|/services|server", re.IGNORECASE)
_TITLE_CHARS = 100  # a description that may stand for a title
# Services that hold no data to find: geometry, printing, geocoding and processing tools.
_DATA_TYPES = frozenset(_arcgis.SERVER_KINDS)


def suspects(kind: str, url: str) -> bool:
    return _arcgis.kind_of_address(url) == kind


def probe_urls(url: str) -> tuple[str, ...]:
    return (urls.with_params(_arcgis.service_root(url), {"f": "json"}),)


def read(kind: str, document: Document) -> Service | Refusal | None:
    if document.is_html:
        return _read_page(kind, document)
    value = document.json
    if not isinstance(value, dict):
        return None
    code = _arcgis.error_code(value)
    if code is not None:
        return _refuse(
            kind, document.url, code, words(mapping(value.get("error")).get("message"))
        )
    found = _arcgis.kind_of_document(value)
    if not found:
        return None
    # Map and feature services describe their layers alike: the address distinguishes them better.
    addressed = _arcgis.kind_of_address(document.url)
    if addressed not in ("", "arcgis-directory") and found != "arcgis-directory":
        found = addressed
    if found != kind:
        return None
    service = (
        _read_directory(value, document)
        if kind == "arcgis-directory"
        else _read_service(kind, value, document)
    )
    return finish(document, service)


def _refuse(kind: str, url: str, code: int, message: str) -> Refusal | None:
    """A refusal of the kind that the address names; a demand for a token is ArcGIS wherever it stands."""
    addressed = _arcgis.kind_of_address(url) or (
        "arcgis-directory" if code in (498, 499) else ""
    )
    if addressed != kind:
        return None
    detail = f"{code} {message}".strip()[:300]
    if _arcgis.is_login_code(code):
        return Refusal(RefusalReason.LOGIN_WALL, detail, kind)
    if code == 404 or "not found" in message.lower():
        return Refusal(RefusalReason.NOT_FOUND, detail, kind)
    return Refusal(
        RefusalReason.SERVER_ERROR if code >= 500 else RefusalReason.EXCEPTION_REPORT,
        detail,
        kind,
    )


def _read_service(kind: str, value: Mapping[str, Any], document: Document) -> Service:
    root = _arcgis.service_root(document.url)
    info = mapping(value.get("documentInfo"))
    is_layer = _arcgis.is_layer(value)
    version = words(value.get("currentVersion"))
    crs = _service_crs(value)
    extent = _arcgis.extent_of(value)
    title = _title(value, root, is_layer=is_layer)
    layers = (
        (_arcgis.read_layer(value, root, {}),)
        if is_layer
        else _arcgis.read_layers(value, root)
    )
    if kind == "arcgis-imageserver" and not layers:
        name = words(value.get("name")) or title or "image"
        layers = (Layer(name=name, title=title, extent=extent),)
    capabilities = _arcgis.split(value.get("capabilities"))
    is_whole = not is_layer and "currentVersion" in value
    return Service(
        kind=kind,
        endpoint=root,
        version=version,
        title=title,
        abstract=words(value.get("serviceDescription"))
        or words(info.get("Subject"))
        or words(value.get("description")),
        keywords=_arcgis.split(info.get("Keywords")),
        provider=_arcgis.provider_of(value),
        access=read_access(
            constraints=words(value.get("copyrightText")),
            licence_text=words(value.get("licenseInfo")),
        ),
        extent=extent if not is_layer else None,
        layers=layers,
        operations=_read_operations(kind, root, capabilities),
        formats=_arcgis.split(value.get("supportedImageFormatTypes"))
        or _arcgis.split(value.get("supportedQueryFormats")),
        crs=(crs,) if crs else (),
        software=f"ArcGIS Server {version}".strip(),
        links=_read_extensions(value, root),
        companions=() if is_whole else probe_urls(document.url),
    )


def _service_crs(value: Mapping[str, Any]) -> str:
    own = _arcgis.crs_of(value.get("spatialReference"))
    extent = mapping(value.get("fullExtent") or value.get("extent"))
    return own or _arcgis.crs_of(extent.get("spatialReference"))


def _title(value: Mapping[str, Any], root: str, *, is_layer: bool) -> str:
    own_name = words(value.get("name"))
    # A saved answer has no address to take a name from: then the map's or the only layer's own name must do.
    inherited = (_short_name("", root), words(value.get("mapName")), own_name)
    if is_layer:
        return choose_title(*inherited)
    documented = words(mapping(value.get("documentInfo")).get("Title"))
    described = words(value.get("serviceDescription"))
    short = described if len(described) <= _TITLE_CHARS else ""
    return choose_title(documented or own_name, *inherited, short)


def _short_name(name: str, root: str) -> str:
    """Folder/Name as a title; without one the step before …Server in the address."""
    if not name:
        steps = path_of(root).split("/")
        name = (
            steps[-2] if len(steps) > 4 and _arcgis.SERVER.search(path_of(root)) else ""
        )
    return name.rpartition("/")[2].replace("_", " ").strip()


def _read_operations(
    kind: str, root: str, capabilities: tuple[str, ...]
) -> tuple[Operation, ...]:
    base = root.partition("?")[0]
    return tuple(
        Operation(name, get=f"{base}/{name}")
        for capability, name in _OPERATIONS.get(kind, ())
        if capability in capabilities or not capabilities
    )


def _read_extensions(value: Mapping[str, Any], root: str) -> tuple[str, ...]:
    """The OGC addresses of a service: …/rest/services/N/MapServer has …/services/N/MapServer/WMSServer."""
    base = root.partition("?")[0]
    bare = base.replace("/rest/services/", "/services/", 1)
    found = []
    for name in _arcgis.split(value.get("supportedExtensions")):
        if name in ("WMSServer", "WFSServer", "WCSServer"):
            service = name.removesuffix("Server")
            found.append(f"{bare}/{name}?SERVICE={service}&REQUEST=GetCapabilities")
        elif name == "FeatureServer":
            found.append(
                base[: -len("MapServer")] + name
                if base.lower().endswith("/mapserver")
                else f"{base}/{name}"
            )
    return tuple(found)


def _read_directory(value: Mapping[str, Any], document: Document) -> Service:
    root = _arcgis.service_root(document.url)
    base = root.partition("?")[0]
    at = _arcgis.REST.search(base)
    top = base[: at.end()] if at else base
    folders = [Layer(name, links=(f"{top}/{name}",)) for name in _folders(value)]
    version = words(value.get("currentVersion"))
    entries = [_read_entry(row, top) for row in rows(value.get("services"))]
    links = [each.links[0] for each in (*entries, *folders) if each.links]
    return Service(
        kind="arcgis-directory",
        endpoint=root,
        version=version,
        layers=(*(entry for entry in entries if entry.name), *folders),
        software=f"ArcGIS Server {words(value.get('fullVersion')) or version}".strip(),
        links=tuple(links),
    )


def _folders(value: Mapping[str, Any]) -> list[str]:
    listed = value.get("folders")
    named = map(words, listed) if isinstance(listed, list) else ()
    return [name for name in named if name]


def _read_entry(row: Mapping[str, Any], top: str) -> Layer:
    name, server = words(row.get("name")), words(row.get("type"))
    address = absolute(row.get("url"), top) or f"{top}/{name}/{server}"
    is_data = server.lower() in _DATA_TYPES
    return Layer(
        name=f"{name}/{server}" if server else name,
        title=_short_name(name, top),
        links=(address,) if is_data and name else (),
    )


def _read_page(kind: str, document: Document) -> Service | Refusal | None:
    """A page of the services directory: the kind that its address names, the resources that it links to."""
    if _arcgis.kind_of_address(document.url) != kind:
        return None
    page = _arcgis.DirectoryPage(document.text)
    if not page.is_directory:
        return None
    root = _arcgis.service_root(document.url)
    base = root.partition("?")[0]
    anchors = [
        (absolute(href, document.url).partition("?")[0], text)
        for href, text in page.anchors()
    ]
    within = base.lower() + "/"
    below = [(href, text) for href, text in anchors if href.lower().startswith(within)]
    if not below and page.asks_for_login:
        return Refusal(RefusalReason.LOGIN_WALL, page.title[:300], kind)
    if kind == "arcgis-directory":
        layers, links = _listed_resources(below, base)
    else:
        layers, links = _listed_layers(below), []
    title = "" if kind == "arcgis-directory" else page.title.partition(" (")[0]
    service = Service(
        kind=kind,
        endpoint=root,
        title=title,
        layers=tuple(dict.fromkeys(layers)),
        links=tuple(links),
        software="ArcGIS Server",
        companions=probe_urls(document.url),
    )
    return finish(document, service)


def _listed_resources(
    below: Sequence[tuple[str, str]], base: str
) -> tuple[list[Layer], list[str]]:
    """The services of a directory page as layers, and the addresses of services and folders."""
    services = [(href, text) for href, text in below if _arcgis.SERVER.search(href)]
    layers = [
        Layer(name=href[len(base) + 1 :], title=text, links=(href,))
        for href, text in services
    ]
    step = base.count("/") + 1
    links = [
        href
        for href, _ in below
        if _arcgis.SERVER.search(href) or href.count("/") == step
    ]
    return layers, links


def _listed_layers(below: Sequence[tuple[str, str]]) -> list[Layer]:
    numbered = [(href.rpartition("/")[2], href, text) for href, text in below]
    return [
        Layer(name=text or number, title=text, links=(href,))
        for number, href, text in numbered
        if number.isdecimal()
    ]


def _service_document(query: LayerQuery) -> ServerRequest:
    url = urls.with_params(query.service.endpoint, {"f": "json"})
    return ServerRequest(
        Rel.CAPABILITIES,
        "Service document",
        url,
        JSON,
        server=ServerType.ARCGIS,
        endpoint=query.root,
    )


def _layer_number(query: LayerQuery) -> int | None:
    links = query.layer.links
    number = links[0].rstrip("/").rpartition("/")[2] if links else ""
    return int(number) if number.isdecimal() and len(number) < 7 else None


def _query(query: LayerQuery) -> ArcgisFeatures:
    """Ten features of a layer as GeoJSON, those in the box where one was asked for."""
    request = {
        "where": "1=1",
        "outFields": "*",
        "outSR": "4326",
        "resultRecordCount": str(query.limit),
        "f": "geojson",
    }
    if query.is_part:
        request |= {
            "geometry": short_numbers(query.box.as_tuple(), ","),
            "geometryType": "esriGeometryEnvelope",
            "inSR": "4326",
            "spatialRel": "esriSpatialRelIntersects",
        }
    layer_url = f"{query.root}/{_layer_number(query) or 0}"
    return ArcgisFeatures(
        Rel.FEATURES,
        "Query",
        f"{layer_url}/query?{urlencode(request)}",
        GEOJSON,
        limit_name="resultRecordCount",
        root=query.root,
        layer_url=layer_url,
    )


def _picture(query: LayerQuery, *, is_image: bool) -> ArcgisPicture:
    bounds = project(query.box, "EPSG:3857") or query.box.as_tuple()
    width, height = size(bounds, query.longest_px)
    number = None if is_image else _layer_number(query)
    request = {
        "bbox": short_numbers(bounds, ","),
        "bboxSR": "3857",
        "imageSR": "3857",
        "size": f"{width},{height}",
        "format": "jpgpng" if is_image else "png32",
        "transparent": "true",
        "f": "image",
        **({"layers": f"show:{number}"} if number is not None else {}),
    }
    return ArcgisPicture(
        Rel.MAP,
        "Map",
        urls.with_params(
            f"{query.root}/{'exportImage' if is_image else 'export'}", request
        ),
        "image/png",
        crs="EPSG:3857",
        bounds=bounds,
        size_px=(width, height),
        root=query.root,
        number=number,
        is_image=is_image,
    )


def map_requests(query: LayerQuery) -> list[LayerRequest]:
    """A picture by export, and the features of a layer by query."""
    found = [_service_document(query), _picture(query, is_image=False)]
    return [*found, _query(query)] if _layer_number(query) is not None else found


def image_requests(query: LayerQuery) -> list[LayerRequest]:
    return [_service_document(query), _picture(query, is_image=True)]


def feature_requests(query: LayerQuery) -> list[LayerRequest]:
    features = _query(query)
    described = urls.with_params(features.layer_url, {"f": "json"})
    return [
        _service_document(query),
        features,
        LayerRequest(Rel.DESCRIPTION, "Layer document", described, JSON),
    ]


def tile_requests(query: LayerQuery) -> list[LayerRequest]:
    return [
        _service_document(query),
        pyramid(query, f"{query.root}/tile/{{z}}/{{y}}/{{x}}.pbf"),
    ]


def scene_requests(query: LayerQuery) -> list[LayerRequest]:
    layer_url = f"{query.root}/layers/{_layer_number(query) or 0}"
    url = urls.with_params(layer_url, {"f": "json"})
    return [
        _service_document(query),
        SceneLayer(Rel.DATA, "Scene layer", url, JSON, layer_url=layer_url),
    ]


def directory_requests(query: LayerQuery) -> list[LayerRequest]:
    """The list itself, and the document of the service or folder that is chosen."""
    server = _service_document(query)
    entry = query.own_link()
    if not entry:
        return [server]
    url = urls.with_params(entry, {"f": "json"})
    return [
        server,
        replace(server, rel=Rel.DESCRIPTION, title="Entry", url=url, endpoint=entry),
    ]


_PARTS = (
    (
        "arcgis-directory",
        "ArcGIS services directory",
        "ESRI:ArcGIS",
        directory_requests,
    ),
    ("arcgis-mapserver", "ArcGIS map service", "ESRI:ArcGIS:MapServer", map_requests),
    (
        "arcgis-featureserver",
        "ArcGIS feature service",
        "ESRI:ArcGIS:FeatureServer",
        feature_requests,
    ),
    (
        "arcgis-imageserver",
        "ArcGIS image service",
        "ESRI:ArcGIS:ImageServer",
        image_requests,
    ),
    (
        "arcgis-vectortileserver",
        "ArcGIS vector tile service",
        "ESRI:ArcGIS:VectorTileServer",
        tile_requests,
    ),
    (
        "arcgis-sceneserver",
        "ArcGIS scene service",
        "ESRI:ArcGIS:SceneServer",
        scene_requests,
    ),
)


_NO_OGC = r"(?![\w-])(?!/(?:(?:wms|wfs|wcs|wmts)server|wmts)\b)"  # which a service may offer beside its own protocol
_OPERATION = (
    r"(?:.*?(?P<operation>/(?:export(?:image)?|identify|find|query|legend|generatekml|layers(?:/\d+)?|"
    r"resources/styles(?:/root\.json)?)/?)$)?"
)
_LABELS = {
    "mapserver": "arcgisdynamicmapservice arcgisdynamicmapservicelayer arcgistiledmapservice arcgismapserver ags "
    "agsmap arcgistiledmapservicelayer arcgismapservicelayer mapimagelayer esrimapserver esrimapservergroup "
    "arcgislayer arcgisrest arcgistilelayer esridynamic esritiled",
    "featureserver": "arcgisfeaturelayer arcgisfeature esrifeatureserver esrifeatureservergroup agsfeature "
    "featurelayer",
    "imageserver": "arcgisimageservicelayer arcgisimageservice esriimageserver arcgistiledimageservicelayer",
    "vectortileserver": "arcgisvectortilelayer vectortilelayer vectortileservicelayer",
    "sceneserver": "arcgisscenelayer scenelayer sceneservicelayer buildingscenelayer integratedmeshlayer",
}


def _addresses(server: str) -> Addresses:
    """What services of one type have."""
    pattern = rf"^(?P<service>.*/rest/services/.*?[^/]/{server}){_NO_OGC}{_OPERATION}"
    return Addresses(
        ends=(server,),
        below=(Below("/rest/services/", pattern, has_blanks=True),),
        labels=terms(_LABELS[server]),
        response_limit_s=VIEW_LIMIT_S
        if server in ("mapserver", "imageserver")
        else DOWNLOAD_LIMIT_S,
        scripts=ScriptIdioms(
            family="arcgis", words=(server,), strings=((server, rf"{server}[\"'`?/]"),)
        ),
    )


_DIRECTORY = Addresses(
    paths=(r"/rest/services(?:/|$|\?)",),
    queries=(r"f=p?json\b",),
    no_service=(
        r"/(?:gp|geocode|geometry|na|globe|mobile|geodata)server(?:/|$)",
        r"/rest/services/?$", r"/rest/services/(?!.*server)", r"/rest/services/.*//\w*server", r"/sharing/",
    ),
    servers=("/rest/services/",),
    shown=("/rest/services/",),
    scripts=ScriptIdioms(
        family="arcgis",
        calls="OpenLayers.Layer.ArcGIS93Rest|1 OpenLayers.Layer.ArcGISCache|1 ol.source.TileArcGISRest|0.url,0.urls "
        "ol.source.ImageArcGISRest|0.url esri.dynamicMapLayer|0.url,0 esri.tiledMapLayer|0.url,0 "
        "esri.featureLayer|0.url,0 esri.imageMapLayer|0.url,0 esri.query|0.url ArcGISDynamicMapServiceLayer|0 "
        "ArcGISTiledMapServiceLayer|0 ArcGISImageServiceLayer|0 FeatureLayer|0,0.url MapImageLayer|0.url "
        "TileLayer|0.url ImageryLayer|0.url ImageryTileLayer|0.url ArcGisMapServerImageryProvider|0.url,0 "
        "ArcGisMapServerImageryProvider.fromUrl|0",
        words=("/rest/services",),
        strings=(("/rest/services/", "/rest/services/"),),
    ),
)  # fmt: skip

KINDS = tuple(
    Reader(
        id=kind,
        title=title,
        protocol=protocol,
        path=_PATH,
        probe_urls=probe_urls,
        reader=partial(read, kind),
        requester=requester,
        addresses=_DIRECTORY
        if kind == "arcgis-directory"
        else _addresses(kind.removeprefix("arcgis-")),
        signature=Signature(keys=_arcgis.KEYS, has_pages=True),
        suspicion=partial(suspects, kind),
    )
    for kind, title, protocol, requester in _PARTS
)
