"""SensorThings 1.0 and 1.1: things, their places and data streams, and what was observed."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

from geoweb.protocol import Reply, ServiceSpec

from ._content import Offering
from ._features import Feature, features_of
from ._service import Call, Kind, json_reply

VERSIONS = ("1.0", "1.1")
PATHS = (
    "/FROST-Server/{name}/v{version}",
    "/{name}/sta/v{version}",
    "/sensorthings/{name}/v{version}",
)
SETS = (
    "Things", "Locations", "HistoricalLocations", "Datastreams", "Sensors", "Observations",
    "ObservedProperties",
    "FeaturesOfInterest",
)  # fmt: skip
MAX_TOP = 1000
_ENTITY = re.compile(r"([A-Za-z]{5,20})\((\d{1,6})\)")
Entity = dict[str, object]


def answer(call: Call) -> Reply | None:
    steps = call.steps
    if not steps:
        return json_reply(_root(call))
    match = _ENTITY.fullmatch(steps[0])
    if match and match[1] in SETS:
        return _entity(call, match[1], int(match[2]), steps[1:])
    if len(steps) == 1 and steps[0] in SETS:
        return _page(call, steps[0], _entities(call, steps[0]))
    return json_reply({"code": 404, "type": "error", "message": "Nothing found."}, 404)


def _root(call: Call) -> Entity:
    found: Entity = {
        "value": [{"name": name, "url": f"{call.root}/{name}"} for name in SETS]
    }
    if call.spec.version == "1.1":
        spec = "http://www.opengis.net/spec/iot_sensing/1.1/req/"
        found["serverSettings"] = {
            "conformance": [
                spec + "datamodel",
                spec + "resource-path",
                spec + "request-data",
            ]
        }
    return found


def _page(call: Call, path: str, things: list[Entity]) -> Reply:
    top = call.number("$top", 100, MAX_TOP)
    skip = call.number("$skip", 0, 10**6)
    found: Entity = {}
    if call.text("$count").lower() == "true":
        found["@iot.count"] = len(things)
    if top and skip + top < len(things):
        kept = {"$count": "true"} if "@iot.count" in found else {}
        query = urlencode({**kept, "$top": top, "$skip": skip + top}, safe="$")
        found["@iot.nextLink"] = f"{call.root}/{path}?{query}"
    return json_reply({**found, "value": things[skip : skip + top]})


def _stations(call: Call) -> list[tuple[Offering, Feature]]:
    return [(o, features_of(call.spec, o)[0]) for o in call.content.offerings]


def _entities(call: Call, name: str) -> list[Entity]:
    if name == "Observations":
        return [
            e
            for i in range(len(call.content.offerings))
            for e in _observations(call, i)
        ]
    makers: dict[str, Callable[[Offering, Feature], Entity]] = {
        "Things": _thing,
        "Locations": _location,
        "Datastreams": _datastream,
        "Sensors": _sensor,
        "ObservedProperties": _property,
        "FeaturesOfInterest": _interest,
        "HistoricalLocations": _history,
    }
    return [
        _finish(call, name, i + 1, makers[name](o, f))
        for i, (o, f) in enumerate(_stations(call))
    ]


def _finish(call: Call, name: str, number: int, members: Entity) -> Entity:
    """The identifier, own address, and the links that the standard asks of each entity set."""
    own = f"{call.root}/{name}({number})"
    links = {
        "Things": ("Locations", "HistoricalLocations", "Datastreams"),
        "Locations": ("Things", "HistoricalLocations"),
        "HistoricalLocations": ("Thing", "Locations"),
        "Datastreams": ("Thing", "Sensor", "ObservedProperty", "Observations"),
        "Sensors": ("Datastreams",),
        "Observations": ("Datastream", "FeatureOfInterest"),
        "ObservedProperties": ("Datastreams",),
        "FeaturesOfInterest": ("Observations",),
    }[name]
    navigation = {f"{link}@iot.navigationLink": f"{own}/{link}" for link in links}
    return {"@iot.id": number, "@iot.selfLink": own, **members, **navigation}


def _point(feature: Feature) -> Entity:
    return {"type": "Point", "coordinates": list(feature.points[0])}


def _words(offering: Offering) -> Entity:
    return {"name": offering.title, "description": offering.abstract or offering.title}


def _thing(offering: Offering, feature: Feature) -> Entity:
    return {**_words(offering), "properties": {"code": feature.code}}


def _location(offering: Offering, feature: Feature) -> Entity:
    return {
        **_words(offering),
        "encodingType": "application/geo+json",
        "location": _point(feature),
    }


def _interest(offering: Offering, feature: Feature) -> Entity:
    return {
        **_words(offering),
        "encodingType": "application/geo+json",
        "feature": _point(feature),
    }


def _history(_offering: Offering, feature: Feature) -> Entity:
    return {"time": feature.date}


def _datastream(offering: Offering, _feature: Feature) -> Entity:
    kind = "http://www.opengis.net/def/observationType/OGC-OM/2.0/OM_Measurement"
    unit = {
        "name": "one",
        "symbol": "1",
        "definition": "http://www.opengis.net/def/uom/UCUM/0/1",
    }
    west, south, east, north = offering.box.as_tuple()
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    area = {"type": "Polygon", "coordinates": [ring]}
    return {
        **_words(offering),
        "observationType": kind,
        "unitOfMeasurement": unit,
        "observedArea": area,
    }


def _sensor(offering: Offering, _feature: Feature) -> Entity:
    return {
        **_words(offering),
        "encodingType": "application/pdf",
        "metadata": "manual.pdf",
    }


def _property(offering: Offering, _feature: Feature) -> Entity:
    return {
        **_words(offering),
        "definition": f"urn:ogc:def:phenomenon:OGC:{offering.slug}",
    }


def _observations(call: Call, index: int) -> list[Entity]:
    features = features_of(call.spec, call.content.offerings[index])
    return [
        _finish(
            call,
            "Observations",
            index * 1000 + n,
            {"phenomenonTime": f.date, "resultTime": f.date, "result": f.value},
        )
        for n, f in enumerate(features, 1)
    ]


_SINGULAR = {
    "Thing": "Things", "Sensor": "Sensors", "ObservedProperty": "ObservedProperties",
    "Datastream": "Datastreams",
    "FeatureOfInterest": "FeaturesOfInterest",
}  # fmt: skip


def _entity(call: Call, name: str, number: int, rest: list[str]) -> Reply:
    found = next((e for e in _entities(call, name) if e["@iot.id"] == number), None)
    if found is None or len(rest) > 1:
        return json_reply(
            {"code": 404, "type": "error", "message": "Nothing found."}, 404
        )
    if not rest:
        return json_reply(found)
    # Things, streams, sensors and places of a station share its number; its observations have a thousand.
    station = number // 1000 + 1 if name == "Observations" else number
    path = f"{name}({number})/{rest[0]}"
    if rest[0] == "Observations":
        return _page(call, path, _observations(call, station - 1))
    if rest[0] in _SINGULAR:
        return json_reply(_entities(call, _SINGULAR[rest[0]])[station - 1])
    if rest[0] in SETS:
        return _page(call, path, _entities(call, rest[0])[station - 1 : station])
    return json_reply({"code": 404, "type": "error", "message": "Nothing found."}, 404)


def _endpoint(spec: ServiceSpec) -> str:
    return spec.endpoint


def _nothing(spec: ServiceSpec) -> tuple[str, ...]:  # noqa: ARG001 - its root lists entity sets, not offerings
    return ()


def _untitled(spec: ServiceSpec) -> str:  # noqa: ARG001
    return ""


FAMILY = {
    "sensorthings": Kind(
        VERSIONS,
        tuple(p.replace("{version}", "1.1") for p in PATHS),
        answer,
        _endpoint,
        _nothing,
        _untitled,
        has_box=False,
    )
}
