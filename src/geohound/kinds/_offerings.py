"""Offerings of the sensor services: what SOS and SPS list in place of layers."""

from __future__ import annotations

from geohound.document import Document
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import href, read_corners, said, texts, unique, words
from geohound.model.service import Extent, Layer, Service
from geohound.safe_xml import NAMES, Element, attribute, child, index

_GML_IDS = ("{http://www.opengis.net/gml}id", "{http://www.opengis.net/gml/3.2}id")
_MAX_KEYWORDS = 500
_PROPERTIES = ("observedProperty", "observableProperty", "Phenomenon")
_TIMES = ("time", "phenomenonTime", "eventTime")
_AREAS = ("observedArea", "boundedBy", "AreaOfService", "observableArea")


def read(document: Document, kind: str, names: frozenset[str], default: str) -> Service | None:
    """The service whose offerings are elements of these names, however deeply its lists are wrapped."""
    root, digest = document.skim(names, _read_offering)
    if root is None:
        return None
    common = _ows.read_common(root, document.url)
    layers = []
    for element in root.iter(*(tag for name in names for tag in (name, "{*}" + name))):
        layer = digest(element)
        if layer.name:
            layers.append(layer)
            if len(layers) > _ows.MAX_LAYERS:
                break
    return _ows.build(document, kind, _ows.version_of(root, common, default), common, layers)


def _read_offering(element: Element) -> Layer:
    """Identifier (or gml:id, or name), observed properties as keywords, area and time."""
    parts = index(element)
    title = said(parts, "name") or said(parts, "Name")
    name = said(parts, "identifier") or said(parts, "SensorID") or _gml_id(element) or title
    properties = [p for n in _PROPERTIES for p in parts.get(n, ())][:_MAX_KEYWORDS]
    periods = (parts[n][0] for n in _TIMES if n in parts)
    areas = (parts[n][0] for n in _AREAS if n in parts)
    return Layer(
        name=name,
        title=title,
        abstract=said(parts, "description") or said(parts, "abstract"),
        keywords=unique(href(p) or words(p) for p in properties),
        extent=next((_read_area(a) for a in areas), None),
        formats=texts(parts.get("responseFormat", ())),
        times=next((_read_period(p) for p in periods), ()),
    )


def _gml_id(element: Element) -> str:
    return next((str(i) for i in map(element.get, _GML_IDS) if i), "") or attribute(element, "id")


def _read_period(element: Element) -> tuple[str, ...]:
    """`begin/end`, with what is unknown or open left empty."""
    ends = {NAMES[e.tag]: words(e) for e in element.iter("{*}beginPosition", "{*}endPosition", "{*}timePosition")}
    begin = ends.get("beginPosition") or ends.get("timePosition") or ""
    if "endPosition" in ends:
        return (f"{begin}/{ends['endPosition']}",)
    return (begin,) if begin else ()


def _read_area(element: Element) -> Extent | None:
    """The envelope, in the axis order of its CRS: sensor services write latitude first where EPSG does."""
    envelope = child(element, "Envelope")
    if envelope is None:
        polygons = element.iter("{*}posList")
        return _read_positions(next(polygons, None))
    crs = envelope.get("srsName") or "EPSG:4326"
    return read_corners(envelope, str(crs), axis_order="authority")


def _read_positions(positions: Element | None) -> Extent | None:
    values = (positions.text or "").split()[:2000] if positions is not None else []
    try:
        numbers = [float(v) for v in values]
    except ValueError:
        return None
    first, second = numbers[::2], numbers[1::2]
    if len(first) < 2 or len(first) != len(second):
        return None
    return _boxes.extent([min(first), min(second), max(first), max(second)], "EPSG:4326", axis_order="authority")
