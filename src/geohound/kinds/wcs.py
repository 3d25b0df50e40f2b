"""Web Coverage Service, 1.0.0 to 2.1: coverages are its layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from geohound.document import Document
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import (
    BOXES,
    KEYWORDS,
    crs_codes,
    first,
    glean,
    href,
    read_corners,
    read_keywords,
    read_wgs84,
    said,
    texts,
    unique,
    words,
)
from geohound.kinds._licence import read_access
from geohound.kinds._ows import Common
from geohound.model.service import Extent, Layer, Operation, Provider, Service
from geohound.safe_xml import Element, child, children, index, local, text

_COVERAGE = frozenset({"CoverageSummary", "CoverageOfferingBrief"})
_SPOKEN = frozenset({"CoverageId", "Identifier", "Title", "Abstract"})
_KEPT = frozenset({*KEYWORDS, *BOXES, "SupportedCRS", "SupportedFormat", "Metadata"})


def _read(document: Document) -> Service | None:
    if document.root_name == "WCS_Capabilities":
        return _read_1_0(document)
    if _ows.service_of(document) != "wcs":
        return None
    read = read_document(document)
    if read is None:
        return None
    common, version, layers = read
    return _ows.build(document, "wcs", version, common, layers)


def read_document(document: Document) -> tuple[Common, str, list[Layer]] | None:
    """Metadata, version and coverages of WCS 1.1 and later."""
    root, digest = document.skim(_COVERAGE, _read_summary)
    if root is None:
        return None
    common = _ows.read_common(root, document.url)
    numbers = document.root_namespace.rpartition("/")[2]
    default = {"2.0": "2.0.1", "2.1": "2.1.0", "1.1": "1.1.0"}.get(numbers, numbers if numbers[:1].isdigit() else "")
    version = _ows.version_of(root, common, default or "2.0.1")
    layers = [layer for contents in children(root, "Contents") for layer in _coverages(contents, digest)]
    return common, version, layers


def _coverages(parent: Element, digest: Callable[[Element], Layer]) -> Iterator[Layer]:
    """Coverages in document order; in 1.1 a summary without identifier is only a group around others."""
    stack = list(reversed(list(children(parent, "CoverageSummary"))))
    while stack:
        element = stack.pop()
        layer = digest(element)
        if layer.name:
            yield layer
        stack.extend(reversed(list(element.iterchildren("{*}CoverageSummary"))))


def _read_summary(element: Element) -> Layer:
    if local(element) == "CoverageOfferingBrief":
        return _read_brief(element)
    heard, parts = glean(element, _SPOKEN, _KEPT)
    return Layer(
        name=heard.get("CoverageId") or heard.get("Identifier", ""),
        title=heard.get("Title", ""),
        abstract=heard.get("Abstract", ""),
        keywords=read_keywords(parts),
        extent=read_wgs84(parts),
        crs=crs_codes([e.text for e in parts.get("SupportedCRS", ())]),
        formats=texts(parts.get("SupportedFormat", ())),
        links=unique(href(m) for m in parts.get("Metadata", ())),
    )


def _read_1_0(document: Document) -> Service | None:
    root, digest = document.skim(_COVERAGE, _read_summary)
    if root is None:
        return None
    common = _read_common_1_0(root, document.url)
    version = _ows.version_of(root, common, "1.0.0")
    content = child(root, "ContentMetadata")
    found = (digest(e) for e in children(content, "CoverageOfferingBrief")) if content is not None else ()
    return _ows.build(document, "wcs", version, common, [layer for layer in found if layer.name])


def _read_brief(element: Element) -> Layer:
    parts = index(element)
    envelope = first(parts, "lonLatEnvelope")
    return Layer(
        name=said(parts, "name") or said(parts, "Name"),
        title=said(parts, "label"),
        abstract=said(parts, "description"),
        keywords=read_keywords(parts),
        extent=_read_envelope(envelope) if envelope is not None else None,
        times=_read_period(envelope) if envelope is not None else (),
        links=unique(href(m) for m in parts.get("metadataLink", ())),
    )


def _read_period(envelope: Element) -> tuple[str, ...]:
    """Two positions are the begin and the end."""
    stated = texts(children(envelope, "timePosition"))
    return ("/".join(stated),) if len(stated) == 2 else stated


def _read_envelope(envelope: Element) -> Extent:
    """Two positions, longitude first: the element is called lonLat for that."""
    corners = [(p.text or "").replace(",", " ").split()[:2] for p in children(envelope, "pos")]
    if len(corners) < 2:
        return read_corners(envelope, "CRS:84")
    return _boxes.extent([*corners[0], *corners[1]])


def _read_common_1_0(root: Element, base: str) -> Common:
    about = child(root, "Service")
    party = child(about, "responsibleParty")
    request = child(root, "Capability", "Request")
    asked = [(e, *_ows.addresses(e, base)) for e in request] if request is not None else []
    operations = tuple(Operation(local(e), get, post) for e, get, post in asked)
    return Common(
        title=words(child(about, "label")),
        abstract=words(child(about, "description")),
        keywords=read_keywords(index(about)),
        provider=Provider(
            name=text(party, "organisationName"),
            contact=text(party, "individualName") or text(party, "positionName"),
            email=text(party, "contactInfo", "address", "electronicMailAddress"),
            site=href(child(party, "contactInfo", "onlineResource")),
        ),
        access=read_access(text(about, "fees"), text(about, "accessConstraints")),
        operations=operations,
        online_resource=next((o.get for o in operations if o.name == "GetCapabilities"), ""),
    )


KINDS = (
    _ows.OwsKind(
        id="wcs",
        title="Web Coverage Service",
        protocol="OGC:WCS",
        reader=_read,
        service="WCS",
        path=_ows.address_pattern("wcs"),
        second_version="1.0.0",
        answers_anywhere=True,
    ),
)
