"""The XML of WCS: capabilities and descriptions in the three shapes that 1.0, 1.1 and 2.x have."""

from __future__ import annotations

from geoweb.protocol import Reply, ServiceSpec

from ._content import Content, Offering, content_of
from ._features import corners
from ._ows import (
    GML,
    GML32,
    OWS,
    XLINK,
    XSI,
    Operation,
    door,
    keywords,
    link,
    operations_metadata,
    service_identification,
    service_provider,
    wgs84_box,
    xml_reply,
)
from ._service import Call, supported_versions
from ._xml import Node, el, write

VERSIONS = ("1.0.0", "1.1.0", "1.1.1", "1.1.2", "2.0.0", "2.0.1", "2.1.0")
# The schemas of 1.1.1 have a namespace of their own, 1.1.0 and 1.1.2 share one; 2.1 was given "/gml".
NAMESPACES = {
    "1.0.0": "http://www.opengis.net/wcs", "1.1.0": "http://www.opengis.net/wcs/1.1",
    "1.1.1": "http://www.opengis.net/wcs/1.1.1", "1.1.2": "http://www.opengis.net/wcs/1.1",
    "2.0.0": "http://www.opengis.net/wcs/2.0", "2.0.1": "http://www.opengis.net/wcs/2.0",
    "2.1.0": "http://www.opengis.net/wcs/2.1/gml",
}  # fmt: skip
CRS84 = "urn:ogc:def:crs:OGC:1.3:CRS84"
EPSG4326 = "http://www.opengis.net/def/crs/EPSG/0/4326"
SUBTYPE = "RectifiedGridCoverage"
GRID_PX = 64
PROFILES = (
    "http://www.opengis.net/spec/WCS/2.0/conf/core",
    "http://www.opengis.net/spec/WCS_protocol-binding_get-kvp/1.0/conf/get-kvp",
    "http://www.opengis.net/spec/GMLCOV/1.0/conf/gml-coverage",
)
PROCESSING = (
    "http://www.opengis.net/spec/WCS_service-extension_processing/2.0/conf/processing"
)


def name_of(content: Content, offering: Offering, version: str) -> str:
    """GeoServer keeps the workspace in front; in 2.x, where a colon is no NCName, as two underscores."""
    if content.flavour.naming != "workspace:slug":
        return offering.slug
    return (
        f"{content.workspace}{'__' if version.startswith('2') else ':'}{offering.slug}"
    )


def names(spec: ServiceSpec) -> tuple[str, ...]:
    content = content_of(spec)
    return tuple(name_of(content, o, spec.version) for o in content.offerings)


def spaces_of(version: str) -> dict[str, str]:
    spaces = {
        "wcs": NAMESPACES[version],
        "gml": GML32 if version.startswith("2") else GML,
        "xlink": XLINK,
        "xsi": XSI,
    }
    if version != "1.0.0":
        spaces["ows"] = OWS["2.0" if version.startswith("2") else "1.1"]
    if version.startswith("2"):
        spaces["crs"] = "http://www.opengis.net/wcs/crs/1.0"
        spaces["gmlcov"] = "http://www.opengis.net/gmlcov/1.0"
        spaces["swe"] = "http://www.opengis.net/swe/2.0"
    return spaces


def capabilities(call: Call, version: str) -> Reply:
    if version == "1.0.0":
        root = _capabilities_10(call)
    else:
        root = (
            _capabilities_11(call, version)
            if version.startswith("1")
            else _capabilities_20(call, version)
        )
    return xml_reply(
        call, write(root, spaces_of(version), call.content.flavour.style, "wcs")
    )


def _capabilities_10(call: Call) -> Node:
    c = call.content
    address = el(
        "wcs:address",
        el("wcs:city", c.city),
        el("wcs:country", c.country),
        el("wcs:electronicMailAddress", c.email),
    )
    party = el(
        "wcs:responsibleParty",
        el("wcs:individualName", c.person),
        el("wcs:organisationName", c.organisation),
        el("wcs:contactInfo", el("wcs:phone", el("wcs:voice", c.phone)), address),
    )
    service = el(
        "wcs:Service",
        el("wcs:description", c.abstract),
        el("wcs:name", c.workspace),
        el("wcs:label", c.title),
        el("wcs:keywords", [el("wcs:keyword", k) for k in c.keywords]),
        party,
        el("wcs:fees", c.fees),
        el("wcs:accessConstraints", c.constraints),
    )
    get = el(
        "wcs:DCPType",
        el("wcs:HTTP", el("wcs:Get", link("wcs:OnlineResource", door(call)))),
    )
    operations = [
        el("wcs:" + name, get)
        for name in ("GetCapabilities", "DescribeCoverage", "GetCoverage")
    ]
    formats = el("wcs:Exception", el("wcs:Format", "application/vnd.ogc.se_xml"))
    capability = el("wcs:Capability", el("wcs:Request", operations), formats)
    briefs = [el("wcs:CoverageOfferingBrief", _brief_10(c, o)) for o in c.offerings]
    return el(
        "wcs:WCS_Capabilities",
        {"version": "1.0.0"},
        service,
        capability,
        el("wcs:ContentMetadata", briefs),
    )


def _brief_10(content: Content, offering: Offering) -> list[Node]:
    west, south, east, north = corners(offering.box)
    times = [el("gml:timePosition", t) for t in offering.times or ()]
    positions = [el("gml:pos", f"{west} {south}"), el("gml:pos", f"{east} {north}")]
    return [
        el("wcs:description", offering.abstract or offering.title),
        el("wcs:name", name_of(content, offering, "1.0.0")),
        el("wcs:label", offering.title),
        el("wcs:lonLatEnvelope", {"srsName": CRS84}, positions, times),
        el("wcs:keywords", [el("wcs:keyword", k) for k in offering.keywords]),
    ]


def _operations(call: Call) -> list[Operation]:
    wanted = ["GetCapabilities", "DescribeCoverage", "GetCoverage"]
    if call.spec.kind == "wcps":
        wanted.append("ProcessCoverages")
    return [Operation(name, {}, name != "GetCoverage") for name in wanted]


def _capabilities_11(call: Call, version: str) -> Node:
    c = call.content
    versions = [
        v
        for v in supported_versions(VERSIONS, call.spec.version)
        if v.startswith("1.1")
    ]
    summaries = [
        el(
            "wcs:CoverageSummary",
            el("ows:Title", o.title),
            el("ows:Abstract", o.abstract) if o.abstract else None,
            keywords(o.keywords),
            wgs84_box(o.box),
            el("wcs:SupportedCRS", "urn:ogc:def:crs:EPSG::4326"),
            el("wcs:SupportedFormat", "image/tiff"),
            el("wcs:Identifier", name_of(c, o, version)),
        )
        for o in c.offerings
    ]
    return el(
        "wcs:Capabilities",
        {"version": version, "updateSequence": str(call.spec.seed)},
        service_identification(c, "WCS", versions),
        service_provider(c, call.root),
        operations_metadata(door(call), _operations(call)),
        el("wcs:Contents", summaries),
    )


def _capabilities_20(call: Call, version: str) -> Node:
    c = call.content
    versions = [
        v for v in supported_versions(VERSIONS, call.spec.version) if v.startswith("2")
    ]
    systems = el("crs:CrsMetadata", el("crs:crsSupported", EPSG4326))
    metadata = el(
        "wcs:ServiceMetadata",
        el("wcs:formatSupported", "image/tiff"),
        el("wcs:Extension", systems),
    )
    profiles = (*PROFILES, PROCESSING) if call.spec.kind == "wcps" else PROFILES
    summaries = [
        el(
            "wcs:CoverageSummary",
            el("ows:Title", o.title),
            el("ows:Abstract", o.abstract) if o.abstract else None,
            keywords(o.keywords),
            wgs84_box(o.box),
            el("wcs:CoverageId", name_of(c, o, version)),
            el("wcs:CoverageSubtype", SUBTYPE),
        )
        for o in c.offerings
    ]
    return el(
        "wcs:Capabilities",
        {"version": version, "updateSequence": str(call.spec.seed)},
        service_identification(c, "OGC WCS", versions, *profiles),
        service_provider(c, call.root),
        operations_metadata(door(call), _operations(call)),
        metadata,
        el("wcs:Contents", summaries),
    )


def description(
    call: Call, version: str, offerings: list[Offering]
) -> tuple[Node, dict[str, str]]:
    """The answer to DescribeCoverage."""
    c, spaces = call.content, spaces_of(version)
    if version == "1.0.0":
        return el(
            "wcs:CoverageDescription",
            {"version": version},
            [_describe_10(c, o) for o in offerings],
        ), spaces
    describe = _describe_11 if version.startswith("1") else _describe_20
    return el(
        "wcs:CoverageDescriptions", [describe(c, o, version) for o in offerings]
    ), spaces


def _grid(offering: Offering, grid: dict[str, str], axes: tuple[str, str]) -> Node:
    """A rectified grid in longitude and latitude (1.0) or, by the axes given, the other way round (2.x)."""
    west, south, east, north = corners(offering.box)
    step_x, step_y = (east - west) / GRID_PX, (north - south) / GRID_PX
    limits = el(
        "gml:GridEnvelope",
        el("gml:low", "0 0"),
        el("gml:high", f"{GRID_PX - 1} {GRID_PX - 1}"),
    )
    if axes[0] == "Lat":
        labels = [el("gml:axisLabels", "Lat Long")]
        place, offsets = f"{north} {west}", (f"0 {step_x}", f"{-step_y} 0")
        origin = el(
            "gml:Point",
            {"gml:id": offering.slug + "-origin", "srsName": EPSG4326},
            el("gml:pos", place),
        )
    else:
        labels = [el("gml:axisName", a) for a in axes]
        place, offsets = f"{west} {north}", (f"{step_x} 0", f"0 {-step_y}")
        origin = el("gml:pos", place)
    vectors = [
        el("gml:offsetVector", {"srsName": EPSG4326} if axes[0] == "Lat" else None, o)
        for o in offsets
    ]
    return el(
        "gml:RectifiedGrid",
        grid,
        el("gml:limits", limits),
        labels,
        el("gml:origin", origin),
        vectors,
    )


def _describe_10(content: Content, offering: Offering) -> Node:
    west, south, east, north = corners(offering.box)
    envelope = el(
        "gml:Envelope",
        {"srsName": "EPSG:4326"},
        el("gml:pos", f"{west} {south}"),
        el("gml:pos", f"{east} {north}"),
    )
    domain = el(
        "wcs:spatialDomain", envelope, _grid(offering, {"dimension": "2"}, ("x", "y"))
    )
    band = el("wcs:RangeSet", el("wcs:name", "Band"), el("wcs:label", offering.title))
    return el(
        "wcs:CoverageOffering",
        _brief_10(content, offering),
        el("wcs:domainSet", domain),
        el("wcs:rangeSet", band),
        el("wcs:supportedCRSs", el("wcs:requestResponseCRSs", "EPSG:4326")),
        el("wcs:supportedFormats", el("wcs:formats", "GeoTIFF")),
    )


def _describe_11(content: Content, offering: Offering, version: str) -> Node:
    west, south, east, north = corners(offering.box)
    box = el(
        "ows:BoundingBox",
        {"crs": CRS84, "dimensions": "2"},
        el("ows:LowerCorner", f"{west} {south}"),
        el("ows:UpperCorner", f"{east} {north}"),
    )
    field = el(
        "wcs:Field",
        el("wcs:Identifier", "Band"),
        el("wcs:Definition", el("ows:AnyValue")),
    )
    return el(
        "wcs:CoverageDescription",
        el("ows:Title", offering.title),
        el("wcs:Identifier", name_of(content, offering, version)),
        el("wcs:Domain", el("wcs:SpatialDomain", box)),
        el("wcs:Range", field),
        el("wcs:SupportedCRS", "urn:ogc:def:crs:EPSG::4326"),
        el("wcs:SupportedFormat", "image/tiff"),
    )


def _describe_20(content: Content, offering: Offering, version: str) -> Node:
    west, south, east, north = corners(offering.box)
    name = name_of(content, offering, version)
    marks = {
        "srsName": EPSG4326,
        "axisLabels": "Lat Long",
        "uomLabels": "deg deg",
        "srsDimension": "2",
    }
    envelope = el(
        "gml:Envelope",
        marks,
        el("gml:lowerCorner", f"{south} {west}"),
        el("gml:upperCorner", f"{north} {east}"),
    )
    quantity = el(
        "swe:Quantity",
        el("swe:description", offering.title),
        el("swe:uom", {"code": "1"}),
    )
    grid = _grid(
        offering, {"gml:id": "grid-" + name, "dimension": "2"}, ("Lat", "Long")
    )
    return el(
        "wcs:CoverageDescription",
        {"gml:id": name},
        el("gml:boundedBy", envelope),
        el("wcs:CoverageId", name),
        el("gml:domainSet", grid),
        el(
            "gmlcov:rangeType",
            el("swe:DataRecord", el("swe:field", {"name": "band1"}, quantity)),
        ),
        el(
            "wcs:ServiceParameters",
            el("wcs:CoverageSubtype", SUBTYPE),
            el("wcs:nativeFormat", "image/tiff"),
        ),
    )


def inventory(version: str, offering: Offering) -> tuple[Node, dict[str, str]]:
    """The first part of a WCS 1.1 coverage: what the other parts are."""
    reference = link("ows:Reference", "cid:coverage/0.tif")
    coverage = el("wcs:Coverage", el("ows:Title", offering.title), reference)
    return el("wcs:Coverages", coverage), spaces_of(version)
