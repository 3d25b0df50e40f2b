"""What SOS and SPS write about sensors: their offerings and observations."""

from __future__ import annotations

from geoweb.protocol import ServiceSpec

from ._content import Offering, content_of
from ._features import corners
from ._ows import GML, GML32, OWS, XLINK, XSI
from ._service import Call
from ._xml import Node, el

EPSG4326 = "http://www.opengis.net/def/crs/EPSG/0/4326"


def names(spec: ServiceSpec) -> tuple[str, ...]:
    """SOS goes by its offerings, SPS 1.0 by its sensors."""
    offerings = content_of(spec).offerings
    if spec.kind == "sps" and spec.version == "1.0.0":
        return tuple(f"sensor-{o.slug}" for o in offerings)
    return tuple(o.slug for o in offerings)


def spaces_of(kind: str, version: str) -> dict[str, str]:
    first = version == "1.0.0"
    spaces = {
        kind: f"http://www.opengis.net/{kind}/{'1.0' if first else '2.0'}",
        "ows": OWS["1.0" if first and kind == "sps" else "1.1"],
        "gml": GML if first else GML32,
        "xlink": XLINK,
        "xsi": XSI,
        "swe": "http://www.opengis.net/swe/1.0.1"
        if first
        else "http://www.opengis.net/swe/2.0",
        "om": "http://www.opengis.net/om/1.0"
        if first
        else "http://www.opengis.net/om/2.0",
    }
    if not first:
        spaces["swes"] = "http://www.opengis.net/swes/2.0"
        spaces.setdefault("sos", "http://www.opengis.net/sos/2.0")
        spaces["fes"] = "http://www.opengis.net/fes/2.0"
    return spaces


def procedure(offering: Offering) -> str:
    return f"urn:ogc:object:feature:Sensor:{offering.slug}"


def observed_property(offering: Offering) -> str:
    return f"urn:ogc:def:phenomenon:OGC:{offering.slug}"


def _period(offering: Offering, first: bool) -> Node:
    begin, end = offering.times or ("2010-01-01T00:00:00Z", "2020-12-31T00:00:00Z")
    mark = None if first else {"gml:id": f"time-{offering.number}"}
    positions = el("gml:beginPosition", begin), el("gml:endPosition", end)
    return el(
        "gml:TimePeriod",
        {"xsi:type": "gml:TimePeriodType"} if first else mark,
        positions,
    )


def _envelope(offering: Offering, srs: str) -> Node:
    """EPSG:4326 by URN or URL: the latitude first."""
    west, south, east, north = corners(offering.box)
    lower = el("gml:lowerCorner", f"{south} {west}")
    upper = el("gml:upperCorner", f"{north} {east}")
    return el("gml:Envelope", {"srsName": srs}, lower, upper)


def contents(call: Call, version: str) -> Node:
    offerings = call.content.offerings
    if call.spec.kind == "sps":
        return _tasks_1(offerings) if version == "1.0.0" else _tasks_2(offerings)
    if version == "1.0.0":
        listed = [_offering_1(o) for o in offerings]
        return el("sos:Contents", el("sos:ObservationOfferingList", listed))
    nodes = [el("swes:offering", _offering_2(o)) for o in offerings]
    return el("sos:contents", el("sos:Contents", nodes))


def _offering_1(offering: Offering) -> Node:
    stations = [
        el("sos:featureOfInterest", {"xlink:href": f"{offering.slug}.{n}"})
        for n in range(1, 6)
    ]
    return el(
        "sos:ObservationOffering",
        {"gml:id": offering.slug},
        el("gml:description", offering.abstract or offering.title),
        el("gml:name", offering.title),
        el("gml:boundedBy", _envelope(offering, "urn:ogc:def:crs:EPSG::4326")),
        el("sos:time", _period(offering, True)),
        el("sos:procedure", {"xlink:href": procedure(offering)}),
        el("sos:observedProperty", {"xlink:href": observed_property(offering)}),
        stations,
        el("sos:responseFormat", 'text/xml;subtype="om/1.0.0"'),
        el("sos:resultModel", "om:Observation"),
        el("sos:responseMode", "inline"),
    )


def _offering_2(offering: Offering) -> Node:
    text = "http://www.opengis.net/def/observationType/OGC-OM/2.0/OM_Measurement"
    related = [
        el(
            "swes:relatedFeature",
            el(
                "swes:FeatureRelationship",
                el("swes:target", {"xlink:href": f"{offering.slug}.{n}"}),
            ),
        )
        for n in (1, 2)
    ]
    return el(
        "sos:ObservationOffering",
        el("swes:description", offering.abstract or offering.title),
        el("swes:identifier", offering.slug),
        el("swes:name", offering.title),
        el("swes:procedure", procedure(offering)),
        el("swes:procedureDescriptionFormat", "http://www.opengis.net/sensorML/1.0.1"),
        el("swes:observableProperty", observed_property(offering)),
        related,
        el("sos:observedArea", _envelope(offering, EPSG4326)),
        el("sos:phenomenonTime", _period(offering, False)),
        el("sos:responseFormat", "http://www.opengis.net/om/2.0"),
        el("sos:observationType", text),
    )


def _tasks_1(offerings: tuple[Offering, ...]) -> Node:
    sensors = [
        el(
            "sps:SensorOffering",
            el("sps:AreaOfService", _envelope(o, "urn:ogc:def:crs:EPSG::4326")),
            el("sps:Phenomenon", observed_property(o)),
            el("sps:SensorDefinition", procedure(o)),
            el("sps:SensorID", f"sensor-{o.slug}"),
        )
        for o in offerings
    ]
    phenomena = [
        el("sps:PhenomenonOffering", el("sps:Phenomenon", observed_property(o)))
        for o in offerings
    ]
    lists = (
        el("sps:SensorOfferingList", sensors),
        el("sps:PhenomenonOfferingList", phenomena),
    )
    return el("sps:Contents", lists)


def _tasks_2(offerings: tuple[Offering, ...]) -> Node:
    nodes = [
        el(
            "swes:offering",
            el(
                "sps:SensorOffering",
                el("swes:description", o.abstract or o.title),
                el("swes:identifier", o.slug),
                el("swes:name", o.title),
                el("swes:procedure", procedure(o)),
                el(
                    "swes:procedureDescriptionFormat",
                    "http://www.opengis.net/sensorML/1.0.1",
                ),
                el("swes:observableProperty", observed_property(o)),
                el("sps:observableArea", el("sps:byPolygon", _polygon(o))),
            ),
        )
        for o in offerings
    ]
    encoding = el(
        "sps:supportedEncoding", "http://www.opengis.net/swe/2.0/TextEncoding"
    )
    return el("sps:contents", el("sps:SPSContents", nodes, encoding))


def _polygon(offering: Offering) -> Node:
    west, south, east, north = corners(offering.box)
    ring = f"{south} {west} {south} {east} {north} {east} {north} {west} {south} {west}"
    mark = {"gml:id": f"area-{offering.number}", "srsName": EPSG4326}
    return el(
        "gml:Polygon",
        mark,
        el("gml:exterior", el("gml:LinearRing", el("gml:posList", ring))),
    )


def observation(
    station: str, date: str, value: float, offering: Offering, version: str
) -> Node:
    """One measurement in O&M 1.0 or 2.0."""
    number = station.rpartition(".")[2]
    who = el("om:procedure", {"xlink:href": procedure(offering)})
    what = el("om:observedProperty", {"xlink:href": observed_property(offering)})
    where = el("om:featureOfInterest", {"xlink:href": station})
    if version == "1.0.0":
        instant = el("gml:TimeInstant", el("gml:timePosition", date))
        result = el(
            "om:result", {"xsi:type": "gml:MeasureType", "uom": "1"}, str(value)
        )
        return el(
            "om:Observation", el("om:samplingTime", instant), who, what, where, result
        )
    instant = el(
        "gml:TimeInstant", {"gml:id": f"t{number}"}, el("gml:timePosition", date)
    )
    result = el("om:result", {"xsi:type": "gml:MeasureType", "uom": "1"}, str(value))
    kind = {
        "xlink:href": "http://www.opengis.net/def/observationType/OGC-OM/2.0/OM_Measurement"
    }
    times = (
        el("om:phenomenonTime", instant),
        el("om:resultTime", {"xlink:href": f"#t{number}"}),
    )
    return el(
        "om:OM_Observation",
        {"gml:id": f"o{number}"},
        el("om:type", kind),
        times,
        who,
        what,
        where,
        result,
    )
