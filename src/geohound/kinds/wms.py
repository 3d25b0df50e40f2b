"""Web Map Service, 1.0.0 to 1.3.0: layers with all that they inherit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from geohound.document import Document
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import (
    KEYWORDS,
    MAX_LIST,
    crs_codes,
    first,
    glean,
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
_TIMES = ("Dimension", "Extent")
_SCALES = ("ScaleHint", "MinScaleDenominator", "MaxScaleDenominator")
_LINKS = ("MetadataURL", "DataURL")
_BOXES = ("EX_GeographicBoundingBox", "LatLonBoundingBox", "BoundingBox")
_CRS = ("CRS", "SRS")
_MAX_INHERITED = 3_000_000  # entries of the lists that layers copy from above, in one document
_SPOKEN = frozenset({"Name", "Title", "Abstract"})
_KEPT = frozenset({*KEYWORDS, *_TIMES, *_SCALES, *_LINKS, *_BOXES, *_CRS, "Style", "Layer"})
_ALL_BUT_CRS = tuple(["{*}" + name for name in sorted((_SPOKEN | _KEPT) - {*_CRS})])
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
    known_crs: frozenset[str] | None = None  # the same as a set, once one is needed
    extent: Extent | None = None
    styles: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    scale: tuple[float | None, float | None] = (None, None)
    queryable: bool = False
    parent: str = ""
    room: list[int] = field(default_factory=lambda: [_MAX_INHERITED])  # one for all layers of a document


def _read(document: Document) -> Service | None:
    if document.root_name not in _ROOTS:
        return None
    root, digest = document.skim(_LAYER, _digest)
    if root is None:
        return None
    default = "1.3.0" if local(root) == "WMS_Capabilities" else "1.1.1"
    version = attribute(root, "version").strip() or default
    capability = child(root, "Capability")
    walk = _walk(capability if capability is not None else root, digest, version)
    layers = list(islice(walk, _ows.MAX_LAYERS + 1))  # one more, to know that there are more
    return _ows.build(document, "wms", version, _read_common(root, capability, document.url), layers)


def _walk(top: Element, digest: Callable[[Element], _Own], version: str) -> Iterator[Layer]:
    """Named layers in document order; those without a name only pass on what they say."""
    axis_order: _boxes.AxisOrder = "authority" if version >= "1.3" else "xy"
    nothing = _Inherited()
    stack = [(e, nothing) for e in _filled(children(top, "Layer"))]
    visited = 0
    while stack and visited <= _ows.MAX_LAYERS * 5 // 4:
        element, above = stack.pop()
        visited += 1
        own = digest(element)
        if not own.name and not own.inner:
            continue
        merged = _inherit(own, above, axis_order)
        if own.name:
            yield _make(own, merged, above.parent)
        if own.inner:
            stack.extend([(c, merged) for c in _filled(own.inner)])


def _filled(layers: Iterable[Element]) -> list[Element]:
    """Last first, for the stack; those that say nothing at all left out."""
    return [layer for layer in layers if layer.attrib or len(layer)][::-1]


def _digest(element: Element) -> _Own:
    """What one Layer element says, from one pass over its children."""
    heard, parts, crs = _glean(element)
    own = _Own(parts.get("Layer", ()), heard.get("Name", ""), heard.get("Title", ""), heard.get("Abstract", ""))
    own.crs = crs_codes(crs) if crs else ()
    own.keywords = read_keywords(parts)
    queryable = element.get("queryable")
    if queryable is not None:
        own.queryable = queryable.strip().lower() not in ("0", "false", "")
    if "Style" in parts:
        own.styles = unique([text(style, "Name") for style in parts["Style"]])
    _digest_boxes(parts, own)
    for name in _TIMES:
        for part in parts.get(name, ()):
            if (part.get("name") or "").lower() == "time" and words(part):
                own.times = _split_times(words(part))
    for name in _SCALES:
        if name in parts:
            own.scale = _read_scale(parts[name][0], name, own.scale)
    links = [link for name in _LINKS if name in parts for link in parts[name]]
    if links:
        own.links = unique([href(child(part, "OnlineResource")) or href(part) for part in links])
    return own


def _glean(element: Element) -> tuple[dict[str, str], Parts, list[str | None]]:
    """Words, children, and the CRS texts: where a layer names thousands, they are picked out without their tags."""
    if len(element) <= _MANY:
        heard, parts = glean(element, _SPOKEN, _KEPT)
        return heard, parts, [e.text for name in _CRS if name in parts for e in parts[name]]
    heard, parts = glean(element.iterchildren(*_ALL_BUT_CRS), _SPOKEN, _KEPT)
    return heard, parts, [e.text for name in _CRS for e in element.iterchildren("{*}" + name)]


def _digest_boxes(parts: Parts, own: _Own) -> None:
    """The geographic box; the boxes in other CRS only where it is missing or useless."""
    if "EX_GeographicBoundingBox" in parts:
        sides = {NAMES[s.tag]: s.text for s in parts["EX_GeographicBoundingBox"][0]}
        own.geographic = tuple([sides.get(n) for n in _SIDES])
    elif "LatLonBoundingBox" in parts:
        own.geographic = tuple(map(parts["LatLonBoundingBox"][0].get, _EDGES))
    if own.geographic is not None:
        own.extent = _boxes.extent(own.geographic)
        if own.extent.box is not None:
            return
    boxes = parts.get("BoundingBox", ())[:_MAX_BOXES]
    own.boxes = tuple([(b.get("CRS") or b.get("SRS") or "", tuple(map(b.get, _EDGES))) for b in boxes])


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
    crs = _add_crs(own.crs, above) if own.crs else above.crs
    low, high = own.scale
    return _Inherited(
        crs,
        above.known_crs if crs is above.crs else None,
        _extent(own, crs, axis_order) or above.extent,
        unique(_extend(above.styles, own.styles, above.room))
        if own.styles and above.styles
        else own.styles or above.styles,
        own.times if own.times is not None else above.times,
        (low if low is not None else above.scale[0], high if high is not None else above.scale[1]),
        above.queryable if own.queryable is None else own.queryable,
        own.name or own.title or above.parent,
        above.room,
    )


def _add_crs(codes: tuple[str, ...], above: _Inherited) -> tuple[str, ...]:
    """The inherited list with what is new; the very same list where nothing is."""
    if not above.crs:
        return codes
    if above.known_crs is None:
        above.known_crs = frozenset(above.crs)
    known = above.known_crs
    added = [code for code in codes if code not in known]
    return _extend(above.crs, tuple(added), above.room)[:MAX_LIST] if added else above.crs


def _extend(inherited: tuple[str, ...], own: tuple[str, ...], room: list[int]) -> tuple[str, ...]:
    """Both lists; only the layer's own where so many long lists were made already that memory must be spared."""
    if not inherited:
        return own
    room[0] -= len(inherited)
    return (*inherited, *own) if room[0] > 0 else own


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
    # By position: naming the thirteen fields costs a third more, and there may be a hundred thousand layers.
    return Layer(
        own.name,
        own.title,
        own.abstract,
        own.keywords,
        merged.extent,
        merged.crs,
        (),
        merged.styles,
        merged.times,
        merged.scale,
        merged.queryable,
        parent,
        own.links,
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
                formats += [local(f) for f in part] if len(part) else [words(part)]
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
