"""The layers of a WMS: what each says itself, and what it inherits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from geohound.document.safe_xml import NAMES, Element, Parts, child, children
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import (
    KEYWORDS,
    MAX_LIST,
    crs_codes,
    glean,
    href,
    read_keywords,
    unique,
    words,
)
from geohound.model.service import Extent, Layer

LAYER = frozenset({"Layer"})
_MAX_TIMES = 100
_MANY = 40
_MAX_BOXES = 20
_TIMES = ("Dimension", "Extent")
_SCALES = ("ScaleHint", "MinScaleDenominator", "MaxScaleDenominator")
_LINKS = ("MetadataURL", "DataURL")
_BOXES = ("EX_GeographicBoundingBox", "LatLonBoundingBox", "BoundingBox")
_CRS = ("CRS", "SRS")
# entries of the lists that layers copy from above, in one document
_MAX_INHERITED = 3_000_000
_SPOKEN = frozenset({"Name", "Title", "Abstract"})
_KEPT = frozenset({*KEYWORDS, *_TIMES, *_SCALES, *_LINKS, *_BOXES, "Style", "Layer"})
_ALL_BUT_CRS = tuple(["{*}" + name for name in sorted(_SPOKEN | _KEPT)])
# the standardised rendering pixel: ScaleHint is its diagonal on the ground
_PIXEL_M = 0.00028
_SIDES = (
    "westBoundLongitude",
    "southBoundLatitude",
    "eastBoundLongitude",
    "northBoundLatitude",
)
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


class _Lists:
    """The lists that the layers of one document pass on: how many more may be copied, and the last one as a set."""

    def __init__(self) -> None:
        self._room = _MAX_INHERITED
        self._list: tuple[str, ...] = ()
        self._set: frozenset[str] = frozenset()

    def extend(
        self, inherited: tuple[str, ...], own: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Both lists; only the layer's own where so many long lists were made already that memory must be saved."""
        if not inherited:
            return own
        self._room -= len(inherited)
        return (*inherited, *own) if self._room > 0 else own

    def add_crs(
        self, inherited: tuple[str, ...], codes: tuple[str, ...]
    ) -> tuple[str, ...]:
        """The inherited list with what is new; the very same list where nothing is."""
        if not inherited:
            return codes
        if inherited is not self._list:
            self._list, self._set = inherited, frozenset(inherited)
        known = self._set
        added = [code for code in codes if code not in known]
        return self.extend(inherited, tuple(added))[:MAX_LIST] if added else inherited


def walk(
    top: Element, digested: Callable[[Element], _Own], version: str
) -> Iterator[Layer]:
    """Named layers in document order; those without a name only pass on what they say."""
    axis_order: _boxes.AxisOrder = "authority" if version >= "1.3" else "xy"
    lists = _Lists()
    nothing = Layer("")
    stack = [(e, nothing) for e in _filled(children(top, "Layer"))]
    visited = 0
    while stack and visited <= _ows.MAX_LAYERS * 5 // 4:
        element, above = stack.pop()
        visited += 1
        own = digested(element)
        if not own.name and not own.inner:
            continue
        layer = _inherit(own, above, lists, axis_order)
        if own.name:
            yield layer
        if own.inner:
            stack.extend([(c, layer) for c in _filled(own.inner)])


def _filled(layers: Iterable[Element]) -> list[Element]:
    """Last first, for the stack; those that say nothing at all left out."""
    return [layer for layer in layers if layer.attrib or len(layer)][::-1]


def digest(element: Element) -> _Own:
    """What one Layer element says, from one pass over its children."""
    heard, parts, crs = _glean(element)
    own = _Own(
        parts.get("Layer", ()),
        heard.get("Name", ""),
        heard.get("Title", ""),
        heard.get("Abstract", ""),
    )
    own.crs = crs_codes(crs) if crs else ()
    own.keywords = read_keywords(parts)
    queryable = element.get("queryable")
    if queryable is not None:
        own.queryable = queryable.strip().lower() not in ("0", "false", "")
    if "Style" in parts:
        own.styles = unique(map(_name, parts["Style"]))
    _digest_boxes(parts, own)
    _digest_times(parts, own)
    for name in _SCALES:
        if name in parts:
            own.scale = _read_scale(parts[name][0], name, own.scale)
    links = [link for name in _LINKS if name in parts for link in parts[name]]
    if links:
        own.links = unique(
            [href(child(part, "OnlineResource")) or href(part) for part in links]
        )
    return own


def _digest_times(parts: Parts, own: _Own) -> None:
    for name in _TIMES:
        for part in parts.get(name, ()):
            if (part.get("name") or "").lower() == "time" and words(part):
                own.times = _split_times(words(part))


def _glean(element: Element) -> tuple[dict[str, str], Parts, list[str | None]]:
    """Words, children, and the CRS texts: where a layer names thousands, they are picked out without their tags."""
    crs: list[str | None] = []
    if len(element) <= _MANY:
        listed = dict.fromkeys(_CRS, crs)
        return *glean(element, _SPOKEN, _KEPT, listed), crs
    for name in _CRS:
        crs += [e.text for e in element.iterchildren("{*}" + name)]
    return *glean(element.iterchildren(*_ALL_BUT_CRS), _SPOKEN, _KEPT), crs


def _name(style: Element) -> str:
    """The first name in it; there may be more styles than layers."""
    for part in style:
        if NAMES[part.tag] == "Name":
            stated = part.text if not len(part) else words(part)
            return " ".join(stated.split()) if stated else ""
    return ""


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
    own.boxes = tuple(
        [(b.get("CRS") or b.get("SRS") or "", tuple(map(b.get, _EDGES))) for b in boxes]
    )


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
    return (
        f"{parts[0].partition('/')[0]}/{parts[-1].split('/')[min(1, parts[-1].count('/'))]}",
    )


def _inherit(
    own: _Own, above: Layer, lists: _Lists, axis_order: _boxes.AxisOrder
) -> Layer:
    """The layer with all that the one above it passes on."""
    crs = lists.add_crs(above.crs, own.crs) if own.crs else above.crs
    styles = own.styles or above.styles
    if own.styles and above.styles:
        styles = unique(lists.extend(above.styles, own.styles))
    low = own.scale[0] if own.scale[0] is not None else above.scale[0]
    high = own.scale[1] if own.scale[1] is not None else above.scale[1]
    # By position: naming the thirteen fields costs a third more, and there may be a hundred thousand layers.
    return Layer(
        own.name,
        own.title,
        own.abstract,
        own.keywords,
        _extent(own, crs, axis_order) or above.extent,
        crs,
        (),
        styles,
        own.times if own.times is not None else above.times,
        (low, high),
        above.queryable if own.queryable is None else own.queryable,
        above.name or above.title or above.parent,
        own.links,
    )


def _extent(
    own: _Own, crs: tuple[str, ...], axis_order: _boxes.AxisOrder
) -> Extent | None:
    """The geographic box; where it is missing or useless, what the boxes in other CRS cover together."""
    first = own.extent
    if first is not None and first.box is None:
        hints = [code for code, _ in own.boxes] or crs[:8]
        first = _boxes.extent(own.geographic or (), hints=hints)
    has_box = first is not None and first.box is not None
    if has_box or not own.boxes:
        return first
    other = _extent_elsewhere(own, crs, axis_order)
    if first is None or other.box is None:
        return first or other
    return Extent(other.box, first.declared, first.crs, (*first.faults, *other.faults))


def _extent_elsewhere(
    own: _Own, crs: tuple[str, ...], axis_order: _boxes.AxisOrder
) -> Extent:
    default = crs[0] if crs else "CRS:84"
    extents = [
        _boxes.extent(numbers, code or default, axis_order=axis_order)
        for code, numbers in own.boxes
    ]
    return _boxes.best(extents)
