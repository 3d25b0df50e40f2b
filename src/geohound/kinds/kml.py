"""KML with network links: what it links to are the layers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from geohound.document import Document
from geohound.document.safe_xml import Element, child, children, local, text
from geohound.kinds._boxes import extent
from geohound.kinds._json import absolute
from geohound.kinds._layer_query import LayerQuery, file_request
from geohound.kinds._reader import (
    MAX_ENTRIES,
    Reader,
    finish,
    itself,
    links_of,
    path_of,
    strip_view,
)
from geohound.kinds._signature import xml
from geohound.model.addresses import Addresses
from geohound.model.layer_request import LayerRequest, Rel
from geohound.model.service import Extent, Layer, Provider, Service

_MEDIA = "application/vnd.google-earth.kml+xml"
# for a map that another service draws
_REQUEST = re.compile(r"[?&;](?:service|request)=\w", re.IGNORECASE)
_TOP = ("Document", "Folder", "NetworkLink")
_EDGES = ("west", "south", "east", "north")


def read(document: Document) -> Service | None:
    """Only with network links: features written into the file are data, not a service."""
    root = document.root
    if root is None:
        return None
    links = list(islice(_elements(root, "NetworkLink"), MAX_ENTRIES + 1))
    if not links:
        return None
    top = next((each for each in root if local(each) in _TOP), root)
    layers = tuple(_read_link(e, document.url) for e in links[:MAX_ENTRIES])
    hrefs = [text(each) for each in islice(_elements(root, "href"), 10_000)]
    maps = [absolute(href, document.url) for href in hrefs if _REQUEST.search(href)]
    stated = document.root_namespace.rpartition("/")[2]
    version = stated if stated[:1].isdigit() else ""
    service = Service(
        kind="kml",
        endpoint=strip_view(document.url),
        version=version,
        title=text(top, "name"),
        abstract=text(top, "description"),
        provider=Provider(name=text(top, "author", "name")),
        extent=_read_region(top),
        layers=layers,
        layers_truncated=len(links) > MAX_ENTRIES,
        links=(
            *links_of(layers),
            *filter(None, maps),
        ),
    )
    return finish(document, service)


def _elements(root: Element, name: str) -> Iterator[Element]:
    return (each for each in root.iter() if local(each) == name)


def _read_link(element: Element, url: str) -> Layer:
    """A network link; `Url` is how KML 2.0 called `Link`."""
    href = next(
        (text(e, "href") for name in ("Link", "Url") for e in children(element, name)),
        "",
    )
    address = absolute(href, url)
    title = text(element, "name")
    return Layer(
        name=title or href or "?",
        title=title,
        abstract=text(element, "description"),
        extent=_read_region(element),
        links=(address,) if address else (),
    )


def _read_region(element: Element) -> Extent | None:
    box = child(element, "Region", "LatLonAltBox")
    numbers = [text(box, edge) for edge in _EDGES]
    return extent(numbers) if all(numbers) else None


def requests(query: LayerQuery) -> list[LayerRequest]:
    """The file, and what the network link loads: KML by its ending, else whatever it may be.

    The features are in the linked KML: a program that opened the file itself would show nothing.
    """
    described = Rel.CAPABILITIES, "Service document", query.service.endpoint
    own = query.own_link()
    if not own:
        return [file_request(*described, _MEDIA)]
    if not path_of(own).lower().endswith((".kml", ".kmz")):
        linked = file_request(Rel.DATA, "Linked document", own, "")
        return [file_request(*described, _MEDIA), linked]
    linked = file_request(Rel.DATA, "Linked document", own, _MEDIA)
    return [LayerRequest(*described, _MEDIA), linked]


_ADDRESSES = Addresses(paths=(r"\.kml(?:$|\?)",), labels=("kml",))

KINDS = (
    Reader(
        id="kml",
        title="KML network links",
        protocol="OGC:KML",
        path=re.compile(r"\.kml$", re.IGNORECASE),
        probe_urls=itself,
        reader=read,
        requester=requests,
        addresses=_ADDRESSES,
        signature=xml("kml"),
    ),
)
