"""Offerings of the sensor services: what SOS and SPS list in place of layers."""

from __future__ import annotations

from geohound.document import Document
from geohound.document.safe_xml import NAMES, Element, attribute, child
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import (
    first,
    folded,
    glean,
    href,
    read_corners,
    unique,
    words,
)
from geohound.model.service import Extent, Layer, Service

_GML_IDS = ("{http://www.opengis.net/gml}id", "{http://www.opengis.net/gml/3.2}id")
_MAX_KEYWORDS = 500
_PROPERTIES = ("observedProperty", "observableProperty", "Phenomenon")
_TIMES = ("time", "phenomenonTime", "eventTime")
_POSITIONS = ("{*}beginPosition", "{*}endPosition", "{*}timePosition")
_AREAS = ("observedArea", "boundedBy", "AreaOfService", "observableArea")
_SPOKEN = frozenset(
    {"name", "Name", "identifier", "SensorID", "description", "abstract"}
)
_KEPT = frozenset({*_PROPERTIES, *_TIMES, *_AREAS})


def read(
    document: Document, kind: str, names: frozenset[str], default: str
) -> Service | None:
    """The service whose offerings are elements of these names, however deeply its lists are wrapped."""
    root, digest = document.skim(names, _read_offering)
    if root is None:
        return None
    about = _ows.read_common(kind, root, document.url)
    layers = []
    for element in root.iter(*(tag for name in names for tag in (name, "{*}" + name))):
        layer = digest(element)
        if layer.name:
            layers.append(layer)
            if len(layers) > _ows.MAX_LAYERS:
                break
    return _ows.build(document, about, _ows.version_of(root, about, default), layers)


def _read_offering(element: Element) -> Layer:
    """Identifier (or gml:id, or name), observed properties as keywords, area and time."""
    formats: list[str | None] = []
    heard, parts = glean(element, _SPOKEN, _KEPT, {"responseFormat": formats})
    title = heard.get("name") or heard.get("Name", "")
    name = heard.get("identifier") or heard.get("SensorID") or _gml_id(element) or title
    properties = [p for n in _PROPERTIES if n in parts for p in parts[n]][
        :_MAX_KEYWORDS
    ]
    period, area = first(parts, *_TIMES), first(parts, *_AREAS)
    return Layer(
        name=name,
        title=title,
        abstract=heard.get("description") or heard.get("abstract", ""),
        keywords=unique([href(p) or words(p) for p in properties]),
        extent=_read_area(area) if area is not None else None,
        formats=folded(formats),
        times=_read_period(period) if period is not None else (),
    )


def _gml_id(element: Element) -> str:
    return (
        element.get(_GML_IDS[0]) or element.get(_GML_IDS[1]) or attribute(element, "id")
    )


def _read_period(element: Element) -> tuple[str, ...]:
    """`begin/end`, with what is unknown or open left empty."""
    ends = {NAMES[e.tag]: words(e) for e in element.iter(*_POSITIONS)}
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
    lats, lons = numbers[::2], numbers[1::2]
    if len(lats) < 2 or len(lats) != len(lons):
        return None
    return _boxes.extent(
        [min(lats), min(lons), max(lats), max(lons)],
        "EPSG:4326",
        axis_order="authority",
    )
