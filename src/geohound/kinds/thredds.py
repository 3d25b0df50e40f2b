"""THREDDS catalogues, Hyrax's too: datasets are the layers; services reveal WMS, WCS and OPeNDAP."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from geohound import urls
from geohound.document import Document, safe_xml
from geohound.document.safe_xml import Element, attribute, child, local, text
from geohound.kinds._boxes import extent
from geohound.kinds._json import absolute
from geohound.kinds._layer_query import XML, LayerQuery
from geohound.kinds._licence import read_access
from geohound.kinds._reader import (
    MAX_LINKS,
    Reader,
    finish,
    links_of,
    path_of,
    strip_view,
)
from geohound.kinds._signature import xml
from geohound.model.addresses import Addresses, Below, ScriptIdioms
from geohound.model.layer_request import (
    DapDataset,
    LayerRequest,
    Rel,
    ServerRequest,
    ServerType,
)
from geohound.model.service import Extent, Layer, Operation, Provider, Service

_MAX_DATASETS = 50_000
_ADDRESS = re.compile(r"/thredds(?:/|$)|/catalog\.(?:xml|html)$", re.IGNORECASE)
_TOP = re.compile(r"^(.*?/thredds)(?:/|$)", re.IGNORECASE)
_SUFFIX = {
    "wms": "?service=WMS&request=GetCapabilities",
    "wcs": "?service=WCS&request=GetCapabilities",
    "opendap": ".dds",
    "dods": ".dds",
}


@dataclass(frozen=True, slots=True)
class DatasetAccess:
    """One way to the data: a service element that is not a mere group."""

    name: str
    type: str
    base: str
    suffix: str = ""


def probe_urls(url: str) -> tuple[str, ...]:
    """The catalogue itself in XML; from anywhere else in a THREDDS server its top catalogue."""
    base = path_of(url)
    if re.search(r"/[^/]*catalog[^/]*\.(?:xml|html)$", base, re.IGNORECASE):
        return (re.sub(r"\.html$", ".xml", base, flags=re.IGNORECASE),)
    top = _TOP.match(base)
    return (f"{top[1]}/catalog.xml",) if top else (f"{base.rstrip('/')}/catalog.xml",)


def read(document: Document) -> Service | None:
    root = document.root
    if root is None or not _is_catalogue(root, document):
        return None
    ways = tuple(islice(_read_ways(root), 200))
    elements = _datasets(root)
    layers = _read_layers(elements, ways, document.url)
    top = next((e for e in elements if local(e) == "dataset"), None)
    about = _about(top)
    version = attribute(root, "version")
    page = strip_view(document.url).partition("?")[0]
    service = Service(
        kind="thredds",
        endpoint=re.sub(r"\.html$", ".xml", page, flags=re.IGNORECASE),
        version=version,
        title=attribute(root, "name") or _name_of(top),
        abstract=_documentation(about, ("summary", "abstract", "")),
        keywords=_keywords(about),
        provider=_read_provider(_publisher(about)),
        access=read_access(constraints=_documentation(about, ("rights",))),
        layers=layers,
        layers_truncated=len(layers) >= _MAX_DATASETS,
        operations=tuple(_operation(way, document.url) for way in ways),
        links=links_of(layers),
        software="Hyrax" if "/opendap/" in document.url else "THREDDS",
    )
    return finish(document, service)


def _datasets(root: Element) -> list[Element]:
    found = safe_xml.descendants(root, "dataset", "catalogRef")
    return list(islice(found, _MAX_DATASETS))


def _read_layers(
    elements: Sequence[Element], ways: Sequence[DatasetAccess], url: str
) -> tuple[Layer, ...]:
    first_of_type = {way.type: way for way in reversed(ways) if way.type in _SUFFIX}
    accesses = tuple(first_of_type.values())
    # Every dataset times every access can be millions of addresses: the first few thousand datasets will do.
    return tuple(
        _read_dataset(element, accesses if place < MAX_LINKS else (), url)
        for place, element in enumerate(elements)
    )


def _about(top: Element | None) -> Element | None:
    """Where the first dataset is described: in its metadata, or directly in it."""
    metadata = None if top is None else child(top, "metadata")
    return top if metadata is None else metadata


def _publisher(about: Element | None) -> Element | None:
    publisher = child(about, "publisher")
    return child(about, "creator") if publisher is None else publisher


def _name_of(element: Element | None) -> str:
    return "" if element is None else attribute(element, "name")


def _keywords(about: Element | None) -> tuple[str, ...]:
    if about is None:
        return ()
    return tuple(text(k) for k in islice(about, 500) if local(k) == "keyword")


def _operation(way: DatasetAccess, url: str) -> Operation:
    return Operation(way.name, get=absolute(way.base, url), formats=(way.type,))


def _is_catalogue(root: Element, document: Document) -> bool:
    """Catalogues before 1.0 have no namespace: their services distinguish them from other catalogues in XML."""
    if "thredds" in document.root_namespace.lower():
        return True
    if safe_xml.namespace(root):
        return False
    return any(
        local(e) == "service" and attribute(e, "serviceType")
        for e in islice(root.iter(), 200)
    )


def _read_ways(root: Element) -> Iterator[DatasetAccess]:
    for element in safe_xml.descendants(root, "service"):
        kind = attribute(element, "serviceType").lower()
        if kind and kind != "compound":
            yield DatasetAccess(
                attribute(element, "name"),
                kind,
                attribute(element, "base"),
                attribute(element, "suffix"),
            )


def _read_dataset(element: Element, ways: tuple[DatasetAccess, ...], url: str) -> Layer:
    name = (
        attribute(element, "name")
        or attribute(element, "title")
        or attribute(element, "ID")
        or "?"
    )
    title = attribute(element, "name") or attribute(element, "title")
    if local(element) == "catalogRef":
        href = absolute(attribute(element, "href"), url)
        return Layer(name=name, title=title, links=(href,) if href else ())
    path = attribute(element, "urlPath")
    parent = element.getparent()
    return Layer(
        name=name,
        title=title,
        abstract=_documentation(element, ("summary", "abstract")),
        extent=_read_extent(element),
        formats=tuple(filter(None, [text(element, "dataFormat")])),
        times=_read_times(element),
        parent=attribute(parent, "name")
        if parent is not None and local(parent) == "dataset"
        else "",
        links=_addresses_of(path, ways, url),
    )


def _addresses_of(
    path: str, ways: tuple[DatasetAccess, ...], url: str
) -> tuple[str, ...]:
    return (
        tuple(filter(None, [_address(way, path, url) for way in ways])) if path else ()
    )


def _address(way: DatasetAccess, path: str, url: str) -> str:
    """Where one dataset is served in one way, as the request that proves it; empty for mere downloads."""
    suffix = _SUFFIX.get(way.type)
    if suffix is None:
        return ""
    base = absolute(way.base or ".", url)
    found = urls.canonical(f"{base}{path}{way.suffix}") if base else None
    return f"{found}{suffix}" if found else ""


def _documentation(element: Element | None, kinds: tuple[str, ...]) -> str:
    if element is None:
        return ""
    notes = {
        attribute(e, "type").lower(): e
        for e in islice(element, 1000)
        if local(e) == "documentation"
    }
    return next((text(notes[kind]) for kind in kinds if kind in notes), "")


def _read_provider(element: Element | None) -> Provider:
    contact = child(element, "contact")
    return Provider(
        name=text(element, "name"),
        email=attribute(contact, "email"),
        site=attribute(contact, "url"),
    )


def _read_extent(element: Element) -> Extent | None:
    """Start and size along each axis, on the dataset itself or in its metadata."""
    coverage = child(element, "geospatialCoverage")
    if coverage is None:
        coverage = child(element, "metadata", "geospatialCoverage")
    if coverage is None:
        return None
    edges = []
    for axis in ("eastwest", "northsouth"):
        try:
            start = float(text(coverage, axis, "start"))
            size = float(text(coverage, axis, "size"))
        except ValueError:
            return None
        edges.append((start, start + size))
    (west, east), (south, north) = edges
    return extent([west, south, east, north])


def _read_times(element: Element) -> tuple[str, ...]:
    coverage = child(element, "timeCoverage")
    span = (
        coverage if coverage is not None else child(element, "metadata", "timeCoverage")
    )
    start, end = text(span, "start"), text(span, "end")
    return (f"{start or '..'}/{end or '..'}",) if start or end else ()


_SERVERS = {"wms": (ServerType.WMS, "1.3.0"), "wcs": (ServerType.WCS, "1.0.0")}


def requests(query: LayerQuery) -> list[LayerRequest]:
    """The catalogue, and each way to the data of the dataset that is chosen."""
    catalogue = _catalogue(Rel.CAPABILITIES, "Catalogue", query.service.endpoint)
    addresses = filter(None, map(urls.canonical, query.layer.links))
    return [catalogue, *map(_dataset_request, dict.fromkeys(addresses))]


def _catalogue(rel: Rel, title: str, url: str) -> ServerRequest:
    return ServerRequest(rel, title, url, XML, server=ServerType.THREDDS, endpoint=url)


def _dataset_request(url: str) -> LayerRequest:
    if url.endswith(".dds"):
        return DapDataset(
            Rel.DATA, "OPeNDAP", url, "text/plain", dataset=url.removesuffix(".dds")
        )
    known = _SERVERS.get(urls.params_lower(url).get("service", "").lower())
    if known is None:
        return _catalogue(Rel.DESCRIPTION, "Catalogue below", url)
    server, version = known
    title = f"{server} capabilities"
    base = path_of(url)
    return ServerRequest(
        Rel.CAPABILITIES, title, url, XML, server=server, endpoint=base, version=version
    )


_ADDRESSES = Addresses(
    paths=("/thredds/(?:catalog|wms|wcs|dodsc|ncss)",),
    below=(
        Below(
            "/catalog.",
            r"^(?P<service>[^?#]+/thredds/(?:[^?#]+/)?catalog\.(?:xml|html))",
        ),
    ),
    servers=("thredds",),
    scripts=ScriptIdioms(words=("thredds",)),
)

KINDS = (
    Reader(
        id="thredds",
        title="THREDDS catalogue",
        protocol="UNIDATA:THREDDS",
        path=_ADDRESS,
        probe_urls=probe_urls,
        reader=read,
        requester=requests,
        addresses=_ADDRESSES,
        signature=xml("catalog"),
    ),
)
