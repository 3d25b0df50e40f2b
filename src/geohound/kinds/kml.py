"""KML with network links: what it links to are the layers."""

from __future__ import annotations

from itertools import islice

from geohound.document import Document
from geohound.kinds._boxes import extent
from geohound.kinds._json import absolute
from geohound.kinds._reader import MAX_ENTRIES, Reader, finish, itself, path_of, strip_view
from geohound.model.service import Extent, Layer, Provider, Service
from geohound.safe_xml import Element, child, children, local, text
from geohound.urls.ogc import Claim, classify_ogc

_EDGES = ("west", "south", "east", "north")


def suspects(url: str) -> bool:
    return path_of(url).lower().endswith(".kml")


def read(document: Document) -> Service | None:
    """Only with network links: features written into the file are data, not a service."""
    if document.root_name != "kml":
        return None
    root = document.root
    found = (e for e in root.iter() if local(e) == "NetworkLink") if root is not None else iter(())
    links = list(islice(found, MAX_ENTRIES + 1))
    if root is None or not links:
        return None
    top = next((e for e in root if local(e) in ("Document", "Folder", "NetworkLink")), root)
    layers = tuple(_read_link(e, document.url) for e in links[:MAX_ENTRIES])
    overlays = (e for e in root.iter() if local(e) == "href")
    maps = [
        absolute(text(e), document.url) for e in islice(overlays, 10_000) if classify_ogc(text(e))[0] is not Claim.NO
    ]
    version = document.root_namespace.rpartition("/")[2]
    service = Service(
        kind="kml",
        endpoint=strip_view(document.url),
        version=version if version[:1].isdigit() else "",
        versions=(version,) if version[:1].isdigit() else (),
        title=text(top, "name"),
        abstract=text(top, "description"),
        provider=Provider(name=text(top, "author", "name")),
        extent=_read_region(top),
        layers=layers,
        layers_truncated=len(links) > MAX_ENTRIES,
        links=(*(link for layer in layers for link in layer.links), *filter(None, maps)),
    )
    return finish(document, service)


def _read_link(element: Element, url: str) -> Layer:
    """A network link; `Url` is how KML 2.0 called `Link`."""
    href = next((text(e, "href") for name in ("Link", "Url") for e in children(element, name)), "")
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


KINDS = (Reader("kml", "KML network links", "OGC:KML", suspects, itself, read),)
