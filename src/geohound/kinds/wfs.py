"""Web Feature Service, 1.0.0 to 2.0.2: feature types are its layers."""

from __future__ import annotations

from collections.abc import Iterator

from geohound.document import Document
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import (
    KEYWORDS,
    crs_codes,
    first,
    glean,
    href,
    read_corners,
    read_keywords,
    texts,
    unique,
    words,
)
from geohound.kinds._licence import read_access
from geohound.kinds._ows import Common
from geohound.model.service import Extent, Layer, Operation, Provider, Service
from geohound.safe_xml import Element, child, children, index, local, text

_FEATURE_TYPE = frozenset({"FeatureType"})
_CRS = ("SRS", "DefaultSRS", "DefaultCRS", "OtherSRS", "OtherCRS")
_BOXES = ("WGS84BoundingBox", "LatLongBoundingBox", "LatLonBoundingBox")
_SPOKEN = frozenset({"Name", "Title", "Abstract"})
_KEPT = frozenset({*_CRS, *_BOXES, *KEYWORDS, "OutputFormats", "MetadataURL"})
_EDGES = ("minx", "miny", "maxx", "maxy")


def _read(document: Document) -> Service | None:
    if document.root_name != "WFS_Capabilities":
        return None
    root, digest = document.skim(_FEATURE_TYPE, _read_feature_type)
    if root is None:
        return None
    common = _read_common(root, document.url)
    is_old = child(root, "Service") is not None or child(root, "Capability") is not None
    default = "2.0.0" if "wfs/2" in document.root_namespace else "1.0.0" if is_old else "1.1.0"
    version = _ows.version_of(root, common, default)
    layers = []
    for element in _feature_types(root):
        layer = digest(element)
        if layer.name:
            layers.append(layer)
            if len(layers) > _ows.MAX_LAYERS:
                break
    return _ows.build(document, "wfs", version, common, layers)


def _feature_types(root: Element) -> Iterator[Element]:
    """Types of every list: some servers send two."""
    for group in children(root, "FeatureTypeList"):
        yield from children(group, "FeatureType")


def _read_feature_type(element: Element) -> Layer:
    heard, parts = glean(element, _SPOKEN, _KEPT)
    codes = crs_codes([e.text for name in _CRS if name in parts for e in parts[name]])
    box = next((parts[name][0] for name in _BOXES if name in parts), None)
    formats = first(parts, "OutputFormats")
    return Layer(
        name=heard.get("Name", ""),
        title=heard.get("Title", ""),
        abstract=heard.get("Abstract", ""),
        keywords=read_keywords(parts),
        extent=_read_box(box, codes) if box is not None else None,
        crs=codes,
        formats=texts(children(formats, "Format")) if formats is not None else (),
        queryable=True,
        links=unique(href(m) or words(m) for m in parts.get("MetadataURL", ())),
    )


def _read_box(element: Element, crs: tuple[str, ...]) -> Extent:
    if local(element) == "WGS84BoundingBox" and len(element):
        return read_corners(element, "CRS:84")
    return _boxes.extent([element.get(n) for n in _EDGES], hints=crs[:4])


def _read_common(root: Element, base: str) -> Common:
    about = child(root, "Service")
    if about is None:
        return _ows.read_common(root, base)
    operations = tuple(_read_old_operations(child(root, "Capability", "Request"), base))
    site = href(child(about, "OnlineResource")) or text(about, "OnlineResource")
    asked = next((o.get for o in operations if o.name == "GetCapabilities"), "")
    return Common(
        title=words(child(about, "Title")),
        abstract=words(child(about, "Abstract")),
        keywords=read_keywords(index(about)),
        provider=Provider(site=site),
        access=read_access(text(about, "Fees"), text(about, "AccessConstraints")),
        operations=operations,
        online_resource=asked or site,
    )


def _read_old_operations(request: Element | None, base: str) -> Iterator[Operation]:
    """WFS 1.0.0 names operations and formats by empty elements."""
    for element in request if request is not None else ():
        get, post = _ows.addresses(element, base)
        formats = tuple(local(f) for group in children(element, "ResultFormat") for f in group)
        yield Operation(local(element), get, post, formats)


KINDS = (
    _ows.OwsKind(
        id="wfs",
        title="Web Feature Service",
        protocol="OGC:WFS",
        reader=_read,
        service="WFS",
        path=_ows.address_pattern("wfs", "tinyows"),
        second_version="1.1.0",
        answers_anywhere=True,
    ),
)
