"""INSPIRE download services as Atom feeds: entries are the layers, dataset feeds the links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

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
from geohound.kinds._json import absolute
from geohound.kinds._layer_query import LayerQuery, file_request
from geohound.kinds._licence import read_access
from geohound.kinds._reader import (
    Reader,
    crs_of,
    finish,
    formats_of,
    itself,
    strip_view,
)
from geohound.kinds._signature import xml
from geohound.model.addresses import Addresses
from geohound.model.layer_request import LayerRequest, Rel
from geohound.model.service import Extent, Layer, Provider, Service

_ATOM = "http://www.w3.org/2005/Atom"
_PATH = re.compile(
    r"\.atom$|/atom(?:/|$)|inspire.{0,80}(?:atom|dls)|atom.{0,80}inspire", re.IGNORECASE
)
_FEED = "application/atom+xml"
_NOTED = frozenset(["id", "title", "summary", "content"])
_CRS = re.compile(r"opengis\.net/def/crs/|^urn:ogc:def:crs|^EPSG:\d", re.IGNORECASE)


def read(document: Document) -> Service | None:
    if document.root_namespace != _ATOM:
        return None
    root = document.root
    if root is None or not _is_download_service(root):
        return None
    entries = islice(children(root, "entry"), safe_xml.MAX_ITEMS + 1)
    layers = tuple(_read_entry(entry, document.url) for entry in entries)
    files = (href for layer in layers for href in layer.links)
    feeds = [href for href in files if href.lower().endswith((".xml", ".atom"))]
    author = child(root, "author")
    service = Service(
        kind="atom",
        endpoint=strip_view(document.url),
        title=text(root, "title"),
        abstract=text(root, "subtitle"),
        provider=Provider(
            name=text(author, "name"),
            email=text(author, "email"),
            site=text(author, "uri"),
        ),
        access=read_access(constraints=text(root, "rights")),
        layers=layers,
        formats=formats_of(layers),
        crs=crs_of(layers),
        language=attribute(root, "lang")[:12],
        links=(*_related(root, document.url), *feeds),
    )
    return finish(document, service)


def _is_download_service(root: Element) -> bool:
    """INSPIRE's own elements; or, in the feed of one dataset, files by CRS; any other feed is news."""
    links = list(islice(children(root, "link"), 50))
    rels = {attribute(link, "rel") for link in links}
    if "describedby" in rels and any(map(_is_metadata_or_search, links)):
        return True
    return any(map(_is_dataset, islice(children(root, "entry"), 20)))


def _is_metadata_or_search(link: Element) -> bool:
    of_type = attribute(link, "type")
    is_search = attribute(link, "rel") == "search"
    if is_search and "opensearchdescription" in of_type:
        return True
    return "19139" in of_type or "19139" in attribute(link, "href")


def _is_dataset(entry: Element) -> bool:
    if any("inspire" in namespace(each) for each in islice(entry, 100)):
        return True
    terms = (attribute(each, "term") for each in children(entry, "category"))
    return any(map(_CRS.search, terms)) and any(True for _ in _files(entry))


def _files(entry: Element) -> Iterator[Element]:
    return (
        e
        for e in islice(children(entry, "link"), 500)
        if attribute(e, "rel") in ("alternate", "section", "enclosure")
    )


def _related(root: Element, url: str) -> Iterator[str]:
    """The OpenSearch description that belongs to the service."""
    for element in islice(children(root, "link"), 50):
        if attribute(element, "rel") == "search":
            yield absolute(attribute(element, "href"), url)


def _read_entry(entry: Element, url: str) -> Layer:
    notes = {local(e): e for e in islice(entry, 200) if local(e) in _NOTED}
    code = text(entry, "spatial_dataset_identifier_code")
    files = list(_files(entry))
    types = (attribute(file, "type") for file in files)
    addresses = (absolute(attribute(file, "href"), url) for file in files)
    categories = islice(children(entry, "category"), 500)
    terms = (attribute(category, "term") for category in categories)
    crs = (crs_code(term) for term in terms if _CRS.search(term))
    title = text(notes.get("title"))
    return Layer(
        name=code or title or text(notes.get("id")) or "?",
        title=title,
        abstract=text(notes.get("summary")) or text(notes.get("content"))[:4_000],
        extent=_read_box(entry),
        crs=tuple(dict.fromkeys(crs)),
        formats=tuple(dict.fromkeys(filter(None, types))),
        links=tuple(filter(None, addresses)),
    )


def _read_box(entry: Element) -> Extent | None:
    """GeoRSS box or polygon: latitude first."""
    for element in islice(entry, 200):
        if local(element) not in ("box", "polygon"):
            continue
        numbers = re.split(r"[\s,]+", text(element))[:2_000]
        try:
            values = [float(n) for n in numbers if n]
        except ValueError:
            continue
        lats, lons = values[0::2], values[1::2]
        if len(values) >= 4 and len(lats) == len(lons):
            return extent([min(lons), min(lats), max(lons), max(lats)])
    return None


def requests(query: LayerQuery) -> list[LayerRequest]:
    """The feed, and of an entry the first file, or the feed of its dataset."""
    feed = LayerRequest(Rel.CAPABILITIES, "Feed", query.service.endpoint, _FEED)
    own = query.own_link()
    if not own:
        return [feed]
    media = query.layer.formats[0] if query.layer.formats else ""
    if "atom" in media:
        return [feed, LayerRequest(Rel.DESCRIPTION, "Dataset feed", own, _FEED)]
    return [feed, file_request(Rel.DATA, "Download", own, media)]


KINDS = (
    Reader(
        id="atom",
        title="INSPIRE Atom download service",
        protocol="INSPIRE Atom",
        path=_PATH,
        probe_urls=itself,
        reader=read,
        requester=requests,
        addresses=Addresses(),
        signature=xml("feed"),
    ),
)
