"""Web Map Service, 1.0.0 to 1.3.0: layers with all that they inherit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from geohound.document import Document
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import (
    MAX_LIST,
    crs_codes,
    first,
    href,
    read_keywords,
    said,
    unique,
    words,
)
from geohound.kinds._licence import read_access
from geohound.kinds._ows import Common
from geohound.model.service import Extent, Layer, Operation, Provider, Service
from geohound.safe_xml import (
    NAMES,
    Element,
    Parts,
    attribute,
    child,
    child_texts,
    children,
    index,
    local,
    text,
)

_ROOTS = frozenset({"WMS_Capabilities", "WMT_MS_Capabilities"})
_LAYER = frozenset({"Layer"})
_OLD_OPERATIONS = {"Map": "GetMap", "Capabilities": "GetCapabilities", "FeatureInfo": "GetFeatureInfo"}
_MAX_TIMES = 100
_MANY = 40
_MAX_BOXES = 4
_ALL_BUT_CRS = tuple(
    "{*}" + name
    for name in [
        "Name",
        "Title",
        "Abstract",
        "KeywordList",
        "Keywords",
        "Style",
        "EX_GeographicBoundingBox",
        "LatLonBoundingBox",
        "BoundingBox",
        "Dimension",
        "Extent",
        "ScaleHint",
        "MinScaleDenominator",
        "MaxScaleDenominator",
        "MetadataURL",
        "DataURL",
        "Layer",
    ]
)
_PIXEL_M = 0.00028  # the standardised rendering pixel: ScaleHint is its diagonal on the ground
_SIDES = ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")
_EDGES = ("minx", "miny", "maxx", "maxy")


Box = tuple[str | None, ...]


@dataclass(slots=True)
class _Own:
    """What one Layer element says itself, before inheritance."""

    inner: Sequence[Element] = ()
    name: str = ""
    title: str = ""
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    crs: tuple[str, ...] = ()
    geographic: Box | None = None
    extent: Extent | None = None
    boxes: tuple[tuple[str, Box], ...] = ()
    styles: tuple[str, ...] = ()
    times: tuple[str, ...] | None = None
    scale: tuple[float | None, float | None] = (None, None)
    links: tuple[str, ...] = ()
    queryable: bool | None = None


@dataclass(slots=True)
class _Inherited:
    """What a layer passes on to those within it."""

    crs: tuple[str, ...] = ()
    known_crs: frozenset[str] = frozenset()
    extent: Extent | None = None
    styles: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    scale: tuple[float | None, float | None] = (None, None)
    queryable: bool = False
    parent: str = ""


def _read(document: Document) -> Service | None:
    if document.root_name not in _ROOTS:
        return None
    root, digest = document.skim(_LAYER, _digest)
    if root is None:
        return None
    default = "1.3.0" if local(root) == "WMS_Capabilities" else "1.1.1"
    version = attribute(root, "version").strip() or default
    capability = child(root, "Capability")
    layers = list(_walk(capability if capability is not None else root, digest, version))
    return _ows.build(document, "wms", version, _read_common(root, capability, document.url), layers)


def _walk(top: Element, digest: Callable[[Element], _Own], version: str) -> Iterator[Layer]:
    """Named layers in document order; those without a name only pass on what they say."""
    axis_order: _boxes.AxisOrder = "authority" if version >= "1.3" else "xy"
    stack = [(e, _Inherited()) for e in _filled(children(top, "Layer"))]
    visited = 0
    while stack and visited <= 2 * _ows.MAX_LAYERS:
        element, above = stack.pop()
        visited += 1
        own = digest(element)
        if not own.name and not own.inner:
            continue
        merged = _inherit(own, above, axis_order)
        if own.name:
            yield _make(own, merged, above.parent)
        stack.extend([(c, merged) for c in _filled(own.inner)])


def _filled(layers: Iterable[Element]) -> list[Element]:
    """Last first, for the stack; those that say nothing at all left out."""
    return [layer for layer in layers if len(layer) or layer.attrib][::-1]


def _digest(element: Element) -> _Own:
    """What one Layer element says, from one pass over its children."""
    parts, crs = _index(element)
    own = _Own(parts.get("Layer", ()), crs=crs_codes(crs))
    own.name = said(parts, "Name")
    own.title = said(parts, "Title")
    own.abstract = said(parts, "Abstract")
    own.keywords = read_keywords(parts)
    queryable = element.get("queryable")
    if queryable is not None:
        own.queryable = queryable.strip().lower() not in ("0", "false", "")
    if "Style" in parts:
        own.styles = unique([text(style, "Name") for style in parts["Style"]])
    _digest_boxes(parts, own)
    for name in ("Dimension", "Extent"):
        for part in parts.get(name, ()):
            if (part.get("name") or "").lower() == "time" and words(part):
                own.times = _split_times(words(part))
    for name in ("ScaleHint", "MinScaleDenominator", "MaxScaleDenominator"):
        if name in parts:
            own.scale = _read_scale(parts[name][0], name, own.scale)
    links = [link for name in ("MetadataURL", "DataURL") if name in parts for link in parts[name]]
    if links:
        own.links = unique([href(child(part, "OnlineResource")) or href(part) for part in links])
    return own


def _index(element: Element) -> tuple[Parts, list[str | None]]:
    """The children, and the CRS texts: of thousands in one layer, not each may become an object."""
    if len(element) <= _MANY:
        parts = index(element)
        return parts, [e.text for name in ("CRS", "SRS") if name in parts for e in parts[name]]
    return index(element, *_ALL_BUT_CRS), [*child_texts(element, "CRS"), *child_texts(element, "SRS")]


def _digest_boxes(parts: Parts, own: _Own) -> None:
    """The geographic box; the boxes in other CRS only where it is missing or useless."""
    if "EX_GeographicBoundingBox" in parts:
        sides = {NAMES[s.tag]: s.text for s in parts["EX_GeographicBoundingBox"][0]}
        own.geographic = tuple([sides.get(n) for n in _SIDES])
    elif "LatLonBoundingBox" in parts:
        stated = _attributes(parts["LatLonBoundingBox"][0])
        own.geographic = tuple([stated.get(n) for n in _EDGES])
    if own.geographic is not None:
        own.extent = _boxes.extent(own.geographic)
        if own.extent.box is not None:
            return
    boxes = [_attributes(b) for b in parts.get("BoundingBox", ())[:_MAX_BOXES]]
    own.boxes = tuple([(b.get("CRS") or b.get("SRS", ""), tuple([b.get(n) for n in _EDGES])) for b in boxes])


def _attributes(element: Element) -> dict[str, str]:
    return cast("dict[str, str]", dict(element.items()))


def _read_scale(
    element: Element, name: str, scale: tuple[float | None, float | None]
) -> tuple[float | None, float | None]:
    if name == "ScaleHint":
        low, high = _number(element.get("min")), _number(element.get("max"))
        diagonal = math.sqrt(2) * _PIXEL_M
        return (low / diagonal if low else None), (high / diagonal if high else None)
    value = _number(element.text)
    return (value, scale[1]) if name == "MinScaleDenominator" else (scale[0], value)


def _number(stated: str | None) -> float | None:
    try:
        value = float(stated or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _split_times(stated: str) -> tuple[str, ...]:
    """Instants and periods; of a long list, the span."""
    parts = [p.strip() for p in stated.split(",") if p.strip()]
    if len(parts) <= _MAX_TIMES:
        return tuple(parts)
    return (f"{parts[0].partition('/')[0]}/{parts[-1].split('/')[min(1, parts[-1].count('/'))]}",)


def _inherit(own: _Own, above: _Inherited, axis_order: _boxes.AxisOrder) -> _Inherited:
    crs, known = above.crs, above.known_crs
    codes = [c for c in own.crs if c not in known]
    if codes:
        crs = (*crs, *codes)[:MAX_LIST]
        known = frozenset(crs)
    low, high = own.scale
    return _Inherited(
        crs,
        known,
        _extent(own, crs, axis_order) or above.extent,
        unique((*above.styles, *own.styles)) if own.styles else above.styles,
        own.times if own.times is not None else above.times,
        (low if low is not None else above.scale[0], high if high is not None else above.scale[1]),
        above.queryable if own.queryable is None else own.queryable,
        own.name or own.title or above.parent,
    )


def _extent(own: _Own, crs: tuple[str, ...], axis_order: _boxes.AxisOrder) -> Extent | None:
    """The geographic box; where it is missing or useless, the first box in some CRS that can be read."""
    first = own.extent
    if first is not None and first.box is None:
        first = _boxes.extent(own.geographic or (), hints=[c for c, _ in own.boxes] or crs[:8])
    if first is not None and first.box is not None:
        return first
    for code, numbers in own.boxes:
        other = _boxes.extent(numbers, code or (crs[0] if crs else "CRS:84"), axis_order=axis_order)
        if other.box is not None and first is not None:
            return Extent(other.box, first.declared, first.crs, (*first.faults, *other.faults))
        if other.box is not None:
            return other
        first = first or other
    return first


def _make(own: _Own, merged: _Inherited, parent: str) -> Layer:
    return Layer(
        name=own.name,
        title=own.title,
        abstract=own.abstract,
        keywords=own.keywords,
        extent=merged.extent,
        crs=merged.crs,
        styles=merged.styles,
        times=merged.times,
        scale=merged.scale,
        queryable=merged.queryable,
        parent=parent,
        links=own.links,
    )


def _read_common(root: Element, capability: Element | None, base: str) -> Common:
    about = index(child(root, "Service"))
    operations = _read_operations(child(capability, "Request"), base)
    asked = next((o.get for o in operations if o.name == "GetCapabilities"), "")
    contact = first(about, "ContactInformation")
    person = child(contact, "ContactPersonPrimary")
    site = href(first(about, "OnlineResource")) or said(about, "OnlineResource")
    return Common(
        title=said(about, "Title"),
        abstract=said(about, "Abstract"),
        keywords=read_keywords(about),
        provider=Provider(
            name=text(person, "ContactOrganization"),
            contact=text(person, "ContactPerson") or text(contact, "ContactPosition"),
            email=text(contact, "ContactElectronicMailAddress"),
            site=site,
        ),
        access=read_access(said(about, "Fees"), said(about, "AccessConstraints")),
        operations=operations,
        online_resource=asked or site,
        language=_ows.read_language(root, capability),
    )


def _read_operations(request: Element | None, base: str) -> tuple[Operation, ...]:
    found = []
    for element in request if request is not None else ():
        name = local(element)
        get, post = _ows.addresses(element, base)
        formats = []
        for part in element:
            if NAMES[part.tag] == "Format":  # in 1.0.0 formats are elements: <Format><PNG/></Format>
                formats += [local(f) for f in part] or [words(part)]
        found.append(Operation(_OLD_OPERATIONS.get(name, name), get, post, tuple(f for f in formats if f)))
    return tuple(found)


KINDS = (
    _ows.OwsKind(
        id="wms",
        title="Web Map Service",
        protocol="OGC:WMS",
        reader=_read,
        service="WMS",
        path=_ows.address_pattern("wms", "wms-?c", "ncwms"),
        second_version="1.1.1",
        answers_anywhere=True,
    ),
)
