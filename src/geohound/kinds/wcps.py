"""Web Coverage Processing Service: by its ServiceType, or a WCS 2 that promises the processing extension."""

from __future__ import annotations

from geohound.document import Document
from geohound.document.safe_xml import Element, children
from geohound.kinds import _ows, wcs
from geohound.kinds._elements import words
from geohound.kinds._signature import xml
from geohound.model.addresses import BESIDE, Addresses, Kvp
from geohound.model.service import Service


def _read(document: Document) -> Service | None:
    service = _ows.service_of(document)
    if service != "wcps" and (service != "wcs" or b"rocess" not in document.body):
        return None
    read = wcs.read_document("wcps", document)
    if read is None:
        return None
    root, about, version, layers = read
    has_operation = any(o.name.lower() == "processcoverages" for o in about.operations)
    if service != "wcps" and not has_operation and not _has_profile(root):
        return None
    return _ows.build(document, about, version, layers)


def _has_profile(root: Element) -> bool:
    """Does the service say that it conforms to the processing extension?"""
    profiles = (
        profile
        for section in children(root, "ServiceIdentification")
        for profile in children(section, "Profile")
    )
    return any("processing" in words(profile).lower() for profile in profiles)


_ADDRESSES = Addresses(
    rank=BESIDE,
    ends=("wcps",),
    kvp=Kvp(services=("wcps",), requests=("processcoverages",), asked_as="WCS"),
)

KINDS = (
    _ows.OwsKind(
        id="wcps",
        title="Web Coverage Processing Service",
        protocol="OGC:WCPS",
        reader=_read,
        requester=wcs.requests,
        checker=wcs.small_part,
        addresses=_ADDRESSES,
        signature=xml("Capabilities"),
        path=_ows.address_pattern("wcps", "rasdaman/ows", "petascope"),
    ),
)
