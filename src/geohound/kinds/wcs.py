"""Web Coverage Service, 1.0.0 to 2.1: coverages are its layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from geohound.document import Document
from geohound.document.safe_xml import Element, child, children, index, local, text
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import (
    BOXES,
    KEYWORDS,
    crs_codes,
    first,
    folded,
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
from geohound.kinds._layer_query import XML, LayerQuery, capabilities
from geohound.kinds._licence import read_access
from geohound.kinds._request_boxes import size
from geohound.kinds._signature import xml
from geohound.model.addresses import Addresses, Kvp, ScriptIdioms
from geohound.model.bbox import BBox, short_numbers
from geohound.model.layer_request import LayerRequest, Rel, ServerType, WcsCoverage
from geohound.model.service import Extent, Layer, Operation, Provider, Service
from geohound.urls import endpoint, with_params

_COVERAGE = frozenset({"CoverageSummary", "CoverageOfferingBrief"})
_SPOKEN = frozenset({"CoverageId", "Identifier", "Title", "Abstract"})
_KEPT = frozenset({*KEYWORDS, *BOXES, "Metadata"})
_TIFF = (
    "image/tiff",
    "image/geotiff",
    "geotiff",
    "gtiff",
    "image/x-geotiff",
    "image/tiff;application=geotiff",
)


def _read(document: Document) -> Service | None:
    if document.root_name == "WCS_Capabilities":
        return _read_1_0(document)
    if _ows.service_of(document) != "wcs":
        return None
    read = read_document("wcs", document)
    if read is None:
        return None
    _, about, version, layers = read
    return _ows.build(document, about, version, layers)


def read_document(
    kind: str, document: Document
) -> tuple[Element, Service, str, list[Layer]] | None:
    """Root, metadata, version and coverages of WCS 1.1 and later."""
    root, digest = document.skim(_COVERAGE, _read_summary)
    if root is None:
        return None
    about = _ows.read_common(kind, root, document.url)
    numbers = document.root_namespace.rpartition("/")[2]
    default = {"2.0": "2.0.1", "2.1": "2.1.0", "1.1": "1.1.0"}.get(
        numbers, numbers if numbers[:1].isdigit() else ""
    )
    version = _ows.version_of(root, about, default or "2.0.1")
    layers = [
        layer
        for contents in children(root, "Contents")
        for layer in _coverages(contents, digest)
    ]
    return root, about, version, layers


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
    crs: list[str | None] = []
    formats: list[str | None] = []
    listed = {"SupportedCRS": crs, "SupportedFormat": formats}
    heard, parts = glean(element, _SPOKEN, _KEPT, listed)
    return Layer(
        name=heard.get("CoverageId") or heard.get("Identifier", ""),
        title=heard.get("Title", ""),
        abstract=heard.get("Abstract", ""),
        keywords=read_keywords(parts),
        extent=read_wgs84(parts),
        crs=crs_codes(crs),
        formats=folded(formats),
        links=unique(href(m) for m in parts.get("Metadata", ())),
    )


def _read_1_0(document: Document) -> Service | None:
    root, digest = document.skim(_COVERAGE, _read_summary)
    if root is None:
        return None
    about = _read_about_1_0(root, document.url)
    version = _ows.version_of(root, about, "1.0.0")
    content = child(root, "ContentMetadata")
    found = (
        (digest(e) for e in children(content, "CoverageOfferingBrief"))
        if content is not None
        else ()
    )
    return _ows.build(
        document, about, version, [layer for layer in found if layer.name]
    )


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
    corners = [
        (p.text or "").replace(",", " ").split()[:2] for p in children(envelope, "pos")
    ]
    if len(corners) < 2:
        return read_corners(envelope, "CRS:84")
    return _boxes.extent([*corners[0], *corners[1]])


def _read_about_1_0(root: Element, base: str) -> Service:
    about = child(root, "Service")
    party = child(about, "responsibleParty")
    request = child(root, "Capability", "Request")
    asked = (
        [(e, *_ows.addresses(e, base)) for e in request] if request is not None else []
    )
    operations = tuple(Operation(local(e), get, post) for e, get, post in asked)
    return Service(
        "wcs",
        endpoint(base),
        name=words(child(about, "name")),
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
        online_resource=next(
            (o.get for o in operations if o.name == "GetCapabilities"), ""
        ),
    )


def requests(query: LayerQuery) -> list[LayerRequest]:
    version = _spoken_version(query.service)
    common = {"SERVICE": "WCS", "VERSION": version}
    server = capabilities(
        query, ServerType.WCS, version, {**common, "REQUEST": "GetCapabilities"}
    )
    name = query.layer.name
    if not name:
        return [server]
    base, formats = query.operation("GetCoverage")
    described = with_params(
        base, {**common, "REQUEST": "DescribeCoverage", **_identifier(name, version)}
    )
    media = _tiff(query.layer.formats or formats or query.service.formats, version)
    url = with_params(
        base, {**common, "REQUEST": "GetCoverage", **_coverage(query, version, media)}
    )
    answer = "multipart/related" if version.startswith("1.1") else "image/tiff"
    return [
        server,
        LayerRequest(Rel.DESCRIPTION, "DescribeCoverage", described, XML),
        WcsCoverage(
            Rel.COVERAGE, "GetCoverage", url, answer, version=version, name=name
        ),
    ]


_CHECKED_SHARE = 0.02  # of the sides of a coverage, around its middle: nobody knows how many bytes all of it has


def small_part(query: LayerQuery) -> list[LayerRequest]:
    """GetCoverage of a small part of it."""
    box = query.box
    x, y = (box.west + box.east) / 2, (box.south + box.north) / 2
    half_x, half_y = box.width * _CHECKED_SHARE / 2, box.height * _CHECKED_SHARE / 2
    part = BBox(x - half_x, y - half_y, x + half_x, y + half_y)
    return requests(replace(query, box=part, is_part=True))


def _spoken_version(service: Service) -> str:
    """The version to speak: 1.0.0 lists the names of its formats nowhere, and these servers speak 2.0.1 as well."""
    version = service.version or "2.0.1"
    is_known = (
        service.software.startswith(("MapServer", "GeoServer")) and not service.formats
    )
    return "2.0.1" if version < "1.1" and is_known else version


def _identifier(name: str, version: str) -> dict[str, str]:
    if version >= "2":
        return {"COVERAGEID": name}
    # Identifiers by the standard; EOxServer reads the other.
    return (
        {"IDENTIFIERS": name, "IDENTIFIER": name}
        if version >= "1.1"
        else {"COVERAGE": name}
    )


def _tiff(formats: tuple[str, ...], version: str) -> str:
    """How this server calls GeoTIFF; 1.0.0 knows the names of formats only layer by layer."""
    offered = {f.lower().replace(" ", ""): f for f in formats}
    return next(
        (offered[f] for f in _TIFF if f in offered),
        "GeoTIFF" if version < "1.1" else "image/tiff",
    )


def _coverage(query: LayerQuery, version: str, media: str) -> dict[str, str]:
    """The parameters of GetCoverage, which no two versions have in common."""
    name = query.layer.name
    west, south, east, north = query.box.as_tuple()
    has_box = query.is_part or bool(query.layer.extent and query.layer.extent.box)
    if version >= "2":
        # Axis labels are known from DescribeCoverage only: the whole coverage.
        return {"COVERAGEID": name, "FORMAT": media}
    if version >= "1.1":
        box = f"{short_numbers((south, west, north, east), ',')},urn:ogc:def:crs:EPSG::4326"
        return {"IDENTIFIER": name, "FORMAT": media, "BOUNDINGBOX": box}
    width, height = size((west, south, east, north), min(400, query.longest_px))
    request = {
        "COVERAGE": name,
        "FORMAT": media,
        "CRS": "EPSG:4326",
        "WIDTH": str(width),
        "HEIGHT": str(height),
    }
    return request | (
        {"BBOX": short_numbers((west, south, east, north), ",")} if has_box else {}
    )


_ADDRESSES = Addresses(
    rank=4,
    lives_anywhere=True,
    name="wcs",
    ends=("wcs", r"wcsserver(?:\.\w+)?"),
    kvp=Kvp(
        services=("wcs",), requests=("getcoverage", "describecoverage"), asked_as="WCS"
    ),
    labels=("wcs", "ogcwcs", "urnogcservicetypewcs"),
    scripts=ScriptIdioms(calls="WCSLayer|0,0.url", words=("wcs",)),
)

KINDS = (
    _ows.OwsKind(
        id="wcs",
        title="Web Coverage Service",
        protocol="OGC:WCS",
        reader=_read,
        requester=requests,
        checker=small_part,
        addresses=_ADDRESSES,
        signature=xml("Capabilities", "WCS_Capabilities"),
        path=_ows.address_pattern("wcs"),
        second_version="1.0.0",
    ),
)
