"""ArcGIS REST: directories, map, feature, image, vector tile and scene services, in JSON or as a page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from geohound import urls
from geohound.document import Document
from geohound.kinds import _arcgis
from geohound.kinds._json import absolute, mapping, rows, words
from geohound.kinds._licence import read_access
from geohound.kinds._reader import Reader, finish, path_of
from geohound.model.service import Layer, Operation, Refusal, RefusalReason, Service

_OPERATIONS = {
    "arcgis-mapserver": (("Map", "export"), ("Query", "identify"), ("Data", "find")),
    "arcgis-imageserver": (("Image", "exportImage"), ("Metadata", "identify"), ("Catalog", "query")),
    "arcgis-featureserver": (("Query", "query"), ("Editing", "applyEdits"), ("Extract", "createReplica")),
}
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
        return _refuse(kind, document.url, code, words(mapping(value.get("error")).get("message")))
    found = _arcgis.kind_of_document(value)
    if not found:
        return None
    # Map and feature services describe their layers alike: the address tells them apart better.
    addressed = _arcgis.kind_of_address(document.url)
    if addressed not in ("", "arcgis-directory") and found != "arcgis-directory":
        found = addressed
    if found != kind:
        return None
    service = _read_directory(value, document) if kind == "arcgis-directory" else _read_service(kind, value, document)
    return finish(document, service)


def _refuse(kind: str, url: str, code: int, message: str) -> Refusal | None:
    """A refusal of the kind that the address names; a demand for a token is ArcGIS wherever it stands."""
    addressed = _arcgis.kind_of_address(url) or ("arcgis-directory" if code in (498, 499) else "")
    if addressed != kind:
        return None
    detail = f"{code} {message}".strip()[:300]
    if _arcgis.is_login_code(code):
        return Refusal(RefusalReason.LOGIN_WALL, detail, kind)
    if code == 404 or "not found" in message.lower():
        return Refusal(RefusalReason.NOT_FOUND, detail, kind)
    return Refusal(RefusalReason.SERVER_ERROR if code >= 500 else RefusalReason.EXCEPTION_REPORT, detail, kind)


def _read_service(kind: str, value: Mapping[str, Any], document: Document) -> Service:
    root = _arcgis.service_root(document.url)
    info = mapping(value.get("documentInfo"))
    is_layer = _arcgis.is_layer(value)
    layers = (_arcgis.read_layer(value, root, {}),) if is_layer else _arcgis.read_layers(value, root)
    version = words(value.get("currentVersion"))
    crs = _arcgis.crs_of(value.get("spatialReference")) or _arcgis.crs_of(
        mapping(value.get("fullExtent") or value.get("extent")).get("spatialReference")
    )
    extent = _arcgis.extent_of(value)
    named = "" if is_layer else words(info.get("Title")) or words(value.get("name"))
    # A saved answer has no address to take a name from: then the map's or the only layer's own name must do.
    title = named or _short_name("", root) or words(value.get("mapName")) or words(value.get("name"))
    if kind == "arcgis-imageserver" and not layers:
        layers = (Layer(name=words(value.get("name")) or title or "image", title=title, extent=extent),)
    capabilities = _arcgis.split(value.get("capabilities"))
    return Service(
        kind=kind,
        endpoint=root,
        version=version,
        versions=(version,) if version else (),
        title=title,
        abstract=words(value.get("serviceDescription"))
        or words(info.get("Subject"))
        or words(value.get("description")),
        keywords=_arcgis.split(info.get("Keywords")),
        provider=_arcgis.provider_of(value),
        access=read_access(constraints=words(value.get("copyrightText")), licence_text=words(value.get("licenseInfo"))),
        extent=extent if not is_layer else None,
        layers=layers,
        operations=_read_operations(kind, root, capabilities),
        formats=_arcgis.split(value.get("supportedImageFormatTypes"))
        or _arcgis.split(value.get("supportedQueryFormats")),
        crs=(crs,) if crs else (),
        software=f"ArcGIS Server {version}".strip(),
        links=_read_extensions(value, root),
        companions=probe_urls(document.url) if is_layer or "currentVersion" not in value else (),
    )


def _short_name(name: str, root: str) -> str:
    """Folder/Name as a title; without one the step before …Server in the address."""
    if not name:
        steps = path_of(root).split("/")
        name = steps[-2] if len(steps) > 4 and _arcgis.SERVER.search(path_of(root)) else ""
    return name.rpartition("/")[2].replace("_", " ").strip()


def _read_operations(kind: str, root: str, capabilities: tuple[str, ...]) -> tuple[Operation, ...]:
    base = root.partition("?")[0]
    return tuple(
        Operation(name, get=f"{base}/{name}")
        for capability, name in _OPERATIONS.get(kind, ())
        if capability in capabilities or not capabilities
    )


def _read_extensions(value: Mapping[str, Any], root: str) -> tuple[str, ...]:
    """The OGC doors of a service: …/rest/services/N/MapServer has …/services/N/MapServer/WMSServer."""
    base = root.partition("?")[0]
    bare = base.replace("/rest/services/", "/services/", 1)
    found = []
    for name in _arcgis.split(value.get("supportedExtensions")):
        if name in ("WMSServer", "WFSServer", "WCSServer"):
            service = name.removesuffix("Server")
            found.append(f"{bare}/{name}?SERVICE={service}&REQUEST=GetCapabilities")
        elif name == "FeatureServer":
            found.append(base[: -len("MapServer")] + name if base.lower().endswith("/mapserver") else f"{base}/{name}")
    return tuple(found)


def _read_directory(value: Mapping[str, Any], document: Document) -> Service:
    root = _arcgis.service_root(document.url)
    base = root.partition("?")[0]
    at = _arcgis.REST.search(base)
    top = base[: at.end()] if at else base
    folders = [words(f) for f in value["folders"]] if isinstance(value.get("folders"), list) else []
    version = words(value.get("currentVersion"))
    layers = [_read_entry(row, top) for row in rows(value.get("services"))]
    links = [layer.links[0] for layer in layers if layer.links] + [f"{top}/{f}" for f in folders if f]
    return Service(
        kind="arcgis-directory",
        endpoint=root,
        version=version,
        versions=(version,) if version else (),
        layers=(*(x for x in layers if x.name), *(Layer(f, links=(f"{top}/{f}",)) for f in folders if f)),
        software=f"ArcGIS Server {words(value.get('fullVersion')) or version}".strip(),
        links=tuple(links),
    )


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
    page = _arcgis.Page(document.text)
    if not page.is_directory:
        return None
    root = _arcgis.service_root(document.url)
    base = root.partition("?")[0]
    anchors = [(absolute(href, document.url).partition("?")[0], text) for href, text in page.anchors()]
    below = [(href, text) for href, text in anchors if href.lower().startswith(base.lower() + "/")]
    if not below and page.asks_for_login:
        return Refusal(RefusalReason.LOGIN_WALL, page.title[:300], kind)
    if kind == "arcgis-directory":
        resources = [(h, t) for h, t in below if _arcgis.SERVER.search(h) or h.count("/") == base.count("/") + 1]
        layers = [Layer(name=h[len(base) + 1 :], title=t, links=(h,)) for h, t in resources if _arcgis.SERVER.search(h)]
        links = [h for h, _ in resources]
    else:
        layers = [
            Layer(name=t or h.rpartition("/")[2], title=t, links=(h,))
            for h, t in below
            if h.rpartition("/")[2].isdecimal()
        ]
        links = []
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


_PARTS = (
    ("arcgis-directory", "ArcGIS services directory", "ESRI:ArcGIS"),
    ("arcgis-mapserver", "ArcGIS map service", "ESRI:ArcGIS:MapServer"),
    ("arcgis-featureserver", "ArcGIS feature service", "ESRI:ArcGIS:FeatureServer"),
    ("arcgis-imageserver", "ArcGIS image service", "ESRI:ArcGIS:ImageServer"),
    ("arcgis-vectortileserver", "ArcGIS vector tile service", "ESRI:ArcGIS:VectorTileServer"),
    ("arcgis-sceneserver", "ArcGIS scene service", "ESRI:ArcGIS:SceneServer"),
)
KINDS = tuple(
    Reader(kind, title, protocol, partial(suspects, kind), probe_urls, partial(read, kind))
    for kind, title, protocol in _PARTS
)
