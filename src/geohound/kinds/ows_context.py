"""Documents that list the services of a map: Web Map Context, OWS Context in XML, Atom and GeoJSON.

A context is a file that somebody saved, no service: nothing answers there but the file itself. It is refused with the
services that it lists, and those are asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from geohound import urls
from geohound.document import Document, safe_xml
from geohound.document.safe_xml import (
    Element,
    attribute,
    child,
    children,
    local,
    namespace,
    text,
)
from geohound.kinds._boxes import crs_code, extent
from geohound.kinds._json import absolute, box, mapping, rows, texts, words
from geohound.kinds._layer_query import document as document_requests
from geohound.kinds._licence import read_access
from geohound.kinds._reader import (
    MAX_ENTRIES,
    Reader,
    finish,
    itself,
    links_of,
    strip_view,
)
from geohound.kinds._signature import Signature, xml
from geohound.model.addresses import Addresses
from geohound.model.service import (
    Extent,
    Layer,
    Provider,
    Refusal,
    RefusalReason,
    Service,
)

_OWC = "opengis.net/owc"
_OWC_PROFILE = "owc-geojson"
_EDGES = ("minx", "miny", "maxx", "maxy")


def read_wmc(document: Document) -> Refusal | None:
    root = document.root
    return (
        _as_list(_read_map_context("wmc", document, root)) if root is not None else None
    )


def read_owc(document: Document) -> Refusal | None:
    found = _read_owc(document)
    return _as_list(found) if found is not None else None


def _as_list(context: Service) -> Refusal:
    links = tuple(dict.fromkeys(context.links))
    title = f" “{context.title}”" if context.title else ""
    detail = f"a map context{title} with {len(context.layers)} layers of {len(links)} services"
    return Refusal(RefusalReason.OTHER_KIND, detail, context.kind, links)


def _read_owc(document: Document) -> Service | None:
    if document.root_name == "OWSContext" and document.root is not None:
        return _read_map_context("owc", document, document.root)
    if document.root_name == "feed":
        return _read_feed(document)
    value = document.json
    return _read_geojson(document, value) if isinstance(value, dict) else None


def _read_map_context(kind: str, document: Document, root: Element) -> Service:
    general = child(root, "General")
    elements = (
        e for e in root.iter() if local(e) in ("Layer", "FeatureType", "Coverage")
    )
    layers = tuple(_read_layer(e) for e in islice(elements, MAX_ENTRIES))
    where = child(general, "BoundingBox")
    numbers = [attribute(where, edge) for edge in _EDGES]
    crs = attribute(where, "SRS") or attribute(where, "CRS")
    contact = child(general, "ContactInformation")
    keywords = child(general, "KeywordList")
    version = attribute(root, "version")
    service = Service(
        kind=kind,
        endpoint=strip_view(document.url),
        version=version,
        title=text(general, "Title"),
        abstract=text(general, "Abstract"),
        keywords=tuple(text(k) for k in islice(keywords, 1_000))
        if keywords is not None
        else (),
        provider=Provider(
            name=text(contact, "ContactPersonPrimary", "ContactOrganization"),
            contact=text(contact, "ContactPersonPrimary", "ContactPerson"),
            email=text(contact, "ContactElectronicMailAddress"),
        ),
        extent=extent(numbers, crs or "CRS:84") if all(numbers) else None,
        layers=layers,
        layers_truncated=len(layers) >= MAX_ENTRIES,
        crs=(crs_code(crs),) if crs else (),
        links=links_of(layers),
    )
    return finish(document, service)


def _read_layer(element: Element) -> Layer:
    server = child(element, "Server")
    service = (
        attribute(server, "service")
        .replace("OGC:", "")
        .replace("urn:ogc:serviceType:", "")
        .upper()
    )
    href = urls.canonical(attribute(child(server, "OnlineResource"), "href"))
    address = urls.endpoint(href) if href else ""
    if address and service in ("WMS", "WFS", "WCS", "WMTS"):
        address = urls.with_params(
            address, {"SERVICE": service, "REQUEST": "GetCapabilities"}
        )
    formats = child(element, "FormatList")
    return Layer(
        name=text(element, "Name")
        or text(element, "Title")
        or attribute(element, "name")
        or "?",
        title=text(element, "Title"),
        abstract=text(element, "Abstract"),
        formats=tuple(text(f) for f in formats) if formats is not None else (),
        queryable=attribute(element, "queryable") in ("1", "true"),
        links=(address,) if address else (),
    )


def _read_feed(document: Document) -> Service | None:
    """OWS Context in Atom: its entries carry offerings."""
    root = document.root
    if root is None or not any(
        _OWC in namespace(e) for e in islice(root.iter(), 5_000)
    ):
        return None
    layers = []
    for entry in islice(children(root, "entry"), safe_xml.MAX_ITEMS):
        addresses = [
            _service_address(attribute(e, "href"), document.url)
            for e in entry.iter()
            if local(e) == "operation"
        ]
        layers.append(
            Layer(
                name=text(entry, "title") or text(entry, "id") or "?",
                title=text(entry, "title"),
                abstract=text(entry, "content")[:4_000],
                links=tuple(dict.fromkeys(filter(None, addresses))),
            )
        )
    service = Service(
        kind="owc",
        endpoint=strip_view(document.url),
        version="1.0",
        title=text(root, "title"),
        abstract=text(root, "subtitle"),
        provider=Provider(name=text(root, "author", "name") or text(root, "publisher")),
        access=read_access(constraints=text(root, "rights")),
        extent=_read_where(root),
        layers=tuple(layers),
        language=attribute(root, "lang")[:12],
        links=links_of(layers),
    )
    return finish(document, service)


def _service_address(href: str, url: str) -> str:
    """The capabilities request behind an operation of an offering."""
    found = absolute(href, url)
    service = urls.params_lower(found).get("service", "") if found else ""
    if not service:
        return found
    return urls.with_params(
        urls.endpoint(found), {"SERVICE": service.upper(), "REQUEST": "GetCapabilities"}
    )


def _read_where(root: Element) -> Extent | None:
    """GeoRSS: a GML polygon or box, latitude first."""
    where = child(root, "where")
    numbers = text(where).split()[:200] if where is not None else []
    try:
        values = [float(n) for n in numbers]
    except ValueError:
        return None
    lats, lons = values[0::2], values[1::2]
    return (
        extent([min(lons), min(lats), max(lons), max(lats)])
        if len(values) >= 4 and len(values) % 2 == 0
        else None
    )


def _read_geojson(document: Document, value: Mapping[str, Any]) -> Service | None:
    properties = mapping(value.get("properties"))
    if value.get("type") != "FeatureCollection" or not _is_context(value, properties):
        return None
    layers = tuple(
        _read_resource(row, document.url) for row in rows(value.get("features"))
    )
    service = Service(
        kind="owc",
        endpoint=strip_view(document.url),
        version="1.0",
        title=words(properties.get("title")),
        abstract=words(properties.get("subtitle")) or words(properties.get("abstract")),
        provider=Provider(
            name=words(properties.get("publisher"))
            or words(
                mapping(next(iter(rows(properties.get("authors"))), None)).get("name")
            )
        ),
        access=read_access(constraints=words(properties.get("rights"))),
        extent=box(value.get("bbox")),
        layers=layers,
        language=words(properties.get("lang"))[:12],
        links=links_of(layers),
    )
    return finish(document, service)


def _is_context(value: Mapping[str, Any], properties: Mapping[str, Any]) -> bool:
    """By the profile it names; a list of links, or an object of lists of links as the standard has it."""
    links = properties.get("links", value.get("links"))
    listed = [*rows(links), *rows(mapping(links).get("profiles"))]
    profiles = [words(link.get("href")) for link in listed] + list(
        texts(mapping(links).get("profiles"))
    )
    return any(_OWC_PROFILE in profile for profile in profiles[:200])


def _read_resource(row: Mapping[str, Any], url: str) -> Layer:
    properties = mapping(row.get("properties"))
    operations = [
        o
        for offering in rows(properties.get("offerings"))
        for o in rows(offering.get("operations"))
    ]
    addresses = (_service_address(words(o.get("href")), url) for o in operations[:200])
    return Layer(
        name=words(properties.get("title")) or words(row.get("id")) or "?",
        title=words(properties.get("title")),
        abstract=words(properties.get("abstract")),
        extent=box(row.get("bbox")),
        links=tuple(dict.fromkeys(filter(None, addresses))),
    )


_WMC_ADDRESSES = Addresses(paths=(r"\.wmc(?:$|\?)",))
_OWC_ADDRESSES = Addresses(paths=(r"\.owc(?:$|\?)",))

KINDS = (
    Reader(
        id="wmc",
        title="Web Map Context",
        protocol="OGC:WMC",
        path=re.compile(r"\.(?:wmc|cml)$", re.IGNORECASE),
        probe_urls=itself,
        reader=read_wmc,
        requester=document_requests,
        addresses=_WMC_ADDRESSES,
        signature=xml("ViewContext", "WMS_Viewer_Context"),
    ),
    Reader(
        id="owc",
        title="OWS Context",
        protocol="OGC:OWC",
        path=re.compile(r"\.owc(?:\.json|\.xml)?$", re.IGNORECASE),
        probe_urls=itself,
        reader=read_owc,
        requester=document_requests,
        addresses=_OWC_ADDRESSES,
        signature=Signature(
            root=re.compile("OWSContext|feed"), keys=frozenset(["properties", "links"])
        ),
    ),
)
