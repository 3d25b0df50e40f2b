"""Sensor Observation Service, 1.0 and 2.0: offerings are its layers."""

from __future__ import annotations

from dataclasses import replace

from geohound import urls
from geohound.document import Document
from geohound.kinds import _ows, _sensor_offerings
from geohound.kinds._layer_query import LayerQuery, capabilities
from geohound.kinds._signature import xml
from geohound.model.addresses import Addresses, Clarity, Kvp, ScriptIdioms
from geohound.model.layer_request import LayerRequest, Rel, ServerType
from geohound.model.service import Service


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) != "sos":
        return None
    default = "2.0.0" if "sos/2" in document.root_namespace else "1.0.0"
    return _sensor_offerings.read(
        document, "sos", frozenset({"ObservationOffering"}), default
    )


def _is_identifier(word: str) -> bool:
    """Properties are asked for by identifier; of some offerings only the words for people are known."""
    return ":" in word and " " not in word


def _requests(query: LayerQuery) -> list[LayerRequest]:
    version = query.service.version or "2.0.0"
    layer = query.layer
    request = {
        "SERVICE": "SOS",
        "ACCEPTVERSIONS": version,
        "REQUEST": "GetCapabilities",
    }
    server = capabilities(query, ServerType.SOS, version, request)
    properties = [word for word in layer.keywords if _is_identifier(word)]
    if not layer.name or (version < "2" and not properties):
        return [server]
    asked = {
        "SERVICE": "SOS",
        "VERSION": version,
        "REQUEST": "GetObservation",
        "OFFERING": layer.name,
    }
    if properties:
        asked["OBSERVEDPROPERTY"] = properties[0]
    if version < "2":
        asked["RESPONSEFORMAT"] = (
            layer.formats[0] if layer.formats else 'text/xml; subtype="om/1.0.0"'
        )
    url = urls.with_params(query.service.endpoint, asked)
    return [server, replace(server, rel=Rel.DATA, title="GetObservation", url=url)]


_ADDRESSES = Addresses(
    lives_anywhere=True,
    name="sos",
    clarity=Clarity.PROSE,
    ends=("sos",),
    kvp=Kvp(
        services=("sos",),
        requests=("getobservation", "describesensor", "getfeatureofinterest"),
        asked_as="SOS",
    ),
    labels=("sos", "ogcsos"),
    scripts=ScriptIdioms(
        calls="OpenLayers.Protocol.SOS|0.url", posted=("GetObservation",)
    ),
)

KINDS = (
    _ows.OwsKind(
        id="sos",
        title="Sensor Observation Service",
        protocol="OGC:SOS",
        reader=_read,
        requester=_requests,
        addresses=_ADDRESSES,
        signature=xml("Capabilities"),
        path=_ows.address_pattern("sos", "52n-sos-webapp", "istsos"),
        second_version="1.0.0",
    ),
)
