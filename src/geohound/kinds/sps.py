"""Sensor Planning Service, 1.0 and 2.0: sensors that can be tasked are its layers."""

from __future__ import annotations

from geohound.document import Document
from geohound.kinds import _offerings, _ows
from geohound.model.service import Service


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) != "sps":
        return None
    default = "2.0.0" if "sps/2" in document.root_namespace else "1.0.0"
    return _offerings.read(document, "sps", frozenset({"SensorOffering"}), default)


KINDS = (
    _ows.OwsKind(
        id="sps",
        title="Sensor Planning Service",
        protocol="OGC:SPS",
        reader=_read,
        service="SPS",
        path=_ows.address_pattern("sps"),
        second_version="1.0.0",
    ),
)
