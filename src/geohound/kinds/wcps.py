"""Web Coverage Processing Service: a WCS 2 whose capabilities promise the processing extension."""

from __future__ import annotations

from geohound.document import Document
from geohound.kinds import _ows, wcs
from geohound.model.service import Service


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) != "wcs" or b"rocess" not in document.body:
        return None
    read = wcs.read_document(document)
    if read is None:
        return None
    common, version, layers = read
    has_operation = any(o.name.lower() == "processcoverages" for o in common.operations)
    has_profile = any("processing" in p.lower() for p in common.profiles)
    if not has_operation and not has_profile:
        return None
    return _ows.build(document, "wcps", version, common, layers)


KINDS = (
    _ows.OwsKind(
        id="wcps",
        title="Web Coverage Processing Service",
        protocol="OGC:WCPS",
        reader=_read,
        service="WCPS",
        path=_ows.address_pattern("wcps", "rasdaman/ows", "petascope"),
        asks_as="WCS",
    ),
)
