"""Sensor Planning Service, 1.0 and 2.0: sensors that can be tasked are its layers."""

from __future__ import annotations

from geohound import urls
from geohound.document import Document
from geohound.kinds import _ows, _sensor_offerings
from geohound.kinds._layer_query import XML, LayerQuery
from geohound.kinds._signature import xml
from geohound.model.addresses import Addresses, Kvp
from geohound.model.layer_request import LayerRequest, Rel
from geohound.model.service import Service


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) != "sps":
        return None
    default = "2.0.0" if "sps/2" in document.root_namespace else "1.0.0"
    return _sensor_offerings.read(
        document, "sps", frozenset({"SensorOffering"}), default
    )


def _requests(query: LayerQuery) -> list[LayerRequest]:
    version = query.service.version or "2.0.0"
    request = {
        "SERVICE": "SPS",
        "ACCEPTVERSIONS": version,
        "REQUEST": "GetCapabilities",
    }
    url = urls.with_params(query.service.endpoint, request)
    return [LayerRequest(Rel.CAPABILITIES, "GetCapabilities", url, XML)]


_ADDRESSES = Addresses(ends=("sps",), kvp=Kvp(services=("sps",), asked_as="SPS"))

KINDS = (
    _ows.OwsKind(
        id="sps",
        title="Sensor Planning Service",
        protocol="OGC:SPS",
        reader=_read,
        requester=_requests,
        addresses=_ADDRESSES,
        signature=xml("Capabilities"),
        path=_ows.address_pattern("sps"),
        second_version="1.0.0",
    ),
)
