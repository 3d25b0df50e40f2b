"""Sensor Observation Service, 1.0 and 2.0: offerings are its layers."""

from __future__ import annotations

from geohound.document import Document
from geohound.kinds import _offerings, _ows
from geohound.model.service import Service


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) != "sos":
        return None
    default = "2.0.0" if "sos/2" in document.root_namespace else "1.0.0"
    return _offerings.read(document, "sos", frozenset({"ObservationOffering"}), default)


KINDS = (
    _ows.OwsKind(
        id="sos",
        title="Sensor Observation Service",
        protocol="OGC:SOS",
        reader=_read,
        service="SOS",
        path=_ows.address_pattern("sos", "52n-sos-webapp", "istsos"),
        second_version="1.0.0",
    ),
)
