"""WFS 1.0.0 to 2.0.2: feature types, their schema, and features as GML and GeoJSON."""

from __future__ import annotations

from geoweb.protocol import Reply, ServiceSpec

from ._content import Content, Offering, content_of
from ._features import Feature, as_geojson, as_gml, corners, features_of, inside
from ._ows import (
    GML,
    GML32,
    OWS,
    XLINK,
    XSI,
    Handler,
    Operation,
    Trouble,
    dispatch,
    door,
    keywords,
    ogc_exception,
    operations_metadata,
    ows_exception,
    service_identification,
    service_provider,
    wgs84_box,
    xml_reply,
)  # fmt: skip
from ._service import Call, Kind, json_reply, read_box, supported_versions, with_query
from ._xml import Node, el, write

VERSIONS = ("1.0.0", "1.1.0", "2.0.0", "2.0.2")
PATHS = (
    "/geoserver/{name}/ows",
    "/cgi-bin/mapserv?map=/data/{name}_wfs.map",
    "/deegree/services/{name}_wfs",
    "/arcgis/services/{folder}/{Name}/MapServer/WFSServer",
    "/cgi-bin/qgis_mapserv.fcgi?MAP=/srv/{name}_wfs.qgs",
    "/geoserver/{name}/wfs",
    "/wfs/{name}",
)
WFS1, WFS2 = "http://www.opengis.net/wfs", "http://www.opengis.net/wfs/2.0"
MAX_FEATURES = 1000


def answer(call: Call) -> Reply | None:
    operations: dict[str, Handler] = {
        "GetCapabilities": _capabilities,
        "DescribeFeatureType": _describe,
        "GetFeature": _features,
        "GetPropertyValue": _features,
        "ListStoredQueries": _stored_queries,
    }
    return None if call.below else dispatch(call, "WFS", VERSIONS, operations, report)


def report(call: Call, trouble: Trouble, version: str) -> Reply:
    if version == "1.0.0":
        return ogc_exception(call, trouble)
    return (
        ows_exception(call, trouble, "1.0", "1.0.0")
        if version == "1.1.0"
        else ows_exception(call, trouble, "1.1", "2.0.0")
    )


def workspace_prefix(content: Content) -> str:
    """The prefix of feature types; some software writes none."""
    prefixes = {
        "workspace:slug": content.workspace,
        "app:Camel": "app",
        "number": content.workspace,
        "slug": "ms",
    }
    return prefixes.get(content.flavour.naming, "")


def type_name(content: Content, offering: Offering) -> str:
    prefix = workspace_prefix(content)
    return f"{prefix}:{offering.slug}" if prefix else offering.slug


def type_names(spec: ServiceSpec) -> tuple[str, ...]:
    content = content_of(spec)
    return tuple(type_name(content, o) for o in content.offerings)


def _namespaces(call: Call, version: str) -> dict[str, str]:
    second = version.startswith("2")
    spaces = {
        "wfs": WFS2 if second else WFS1,
        "ogc": "http://www.opengis.net/ogc",
        "gml": GML32 if second else GML,
        "xlink": XLINK,
        "xsi": XSI,
    }
    if version != "1.0.0":
        spaces["ows"] = OWS["1.1" if second else "1.0"]
    if second:
        spaces["fes"] = "http://www.opengis.net/fes/2.0"
    prefix = workspace_prefix(call.content)
    return (
        {**spaces, prefix: f"http://{prefix}.example.test/schema"} if prefix else spaces
    )


def _capabilities(call: Call, version: str) -> Reply:
    root = (
        _old_capabilities(call)
        if version == "1.0.0"
        else _new_capabilities(call, version)
    )
    return xml_reply(
        call, write(root, _namespaces(call, version), call.content.flavour.style, "wfs")
    )


def _old_capabilities(call: Call) -> Node:
    c, url = call.content, door(call)
    http = el("wfs:DCPType", el("wfs:HTTP", el("wfs:Get", {"onlineResource": url})))
    post = el("wfs:DCPType", el("wfs:HTTP", el("wfs:Post", {"onlineResource": url})))
    requests = el(
        "wfs:Request",
        el("wfs:GetCapabilities", http, post),
        el(
            "wfs:DescribeFeatureType",
            el("wfs:SchemaDescriptionLanguage", el("wfs:XMLSCHEMA")),
            http,
            post,
        ),
        el("wfs:GetFeature", el("wfs:ResultFormat", el("wfs:GML2")), http, post),
    )
    service = el(
        "wfs:Service",
        el("wfs:Name", "WFS"),
        el("wfs:Title", c.title),
        el("wfs:Abstract", c.abstract),
        el("wfs:Keywords", ", ".join(c.keywords)),
        el("wfs:OnlineResource", url),
        el("wfs:Fees", c.fees),
        el("wfs:AccessConstraints", c.constraints),
    )
    types = [_old_type(c, o) for o in c.offerings]
    types_node = el("wfs:FeatureTypeList", el("wfs:Operations", el("wfs:Query")), types)
    comparisons = el("ogc:Comparison_Operators", el("ogc:Simple_Comparisons"))
    scalar = el("ogc:Scalar_Capabilities", el("ogc:Logical_Operators"), comparisons)
    spatial = el(
        "ogc:Spatial_Capabilities", el("ogc:Spatial_Operators", el("ogc:BBOX"))
    )
    filters = el("ogc:Filter_Capabilities", spatial, scalar)
    return el(
        "wfs:WFS_Capabilities",
        {"version": "1.0.0"},
        service,
        el("wfs:Capability", requests),
        types_node,
        filters,
    )


def _old_type(content: Content, offering: Offering) -> Node:
    west, south, east, north = corners(offering.box)
    box = {"minx": west, "miny": south, "maxx": east, "maxy": north}
    return el(
        "wfs:FeatureType",
        el("wfs:Name", type_name(content, offering)),
        el("wfs:Title", offering.title),
        el("wfs:Abstract", offering.abstract) if offering.abstract else None,
        el("wfs:Keywords", ", ".join(offering.keywords)),
        el("wfs:SRS", "EPSG:4326"),
        el("wfs:LatLongBoundingBox", box),
    )


def _new_capabilities(call: Call, version: str) -> Node:
    c, second = call.content, version.startswith("2")
    versions = [
        v for v in supported_versions(VERSIONS, call.spec.version) if v != "1.0.0"
    ]
    formats = [
        "application/gml+xml; version=3.2" if second else "text/xml; subtype=gml/3.1.1",
        "application/json",
    ]
    operations = [
        Operation("GetCapabilities", {"AcceptVersions": versions}, True),
        Operation("DescribeFeatureType", {"outputFormat": formats[:1]}, True),
        Operation(
            "GetFeature",
            {"resultType": ["results", "hits"], "outputFormat": formats},
            True,
        ),
    ]
    if second:
        operations.append(Operation("ListStoredQueries", {}))
    constraint = el(
        "ows:Constraint",
        {"name": "KVPEncoding"},
        el("ows:NoValues"),
        el("ows:DefaultValue", "TRUE"),
    )
    return el(
        "wfs:WFS_Capabilities",
        {"version": version, "updateSequence": str(call.spec.seed % 900)},
        service_identification(
            c, "WFS", [version] if c.flavour.id == "qgis" else versions
        ),
        service_provider(c, call.root),
        operations_metadata(
            door(call), operations, *([constraint] if second else []), plain=not second
        ),
        el(
            "wfs:FeatureTypeList",
            [_new_type(c, o, second, formats) for o in c.offerings],
        ),
        _filter_capabilities(second),
    )


def _new_type(
    content: Content, offering: Offering, second: bool, formats: list[str]
) -> Node:
    crs = "CRS" if second else "SRS"
    return el(
        "wfs:FeatureType",
        el("wfs:Name", type_name(content, offering)),
        el("wfs:Title", offering.title),
        el("wfs:Abstract", offering.abstract) if offering.abstract else None,
        keywords(offering.keywords),
        el(f"wfs:Default{crs}", "urn:ogc:def:crs:EPSG::4326"),
        el(f"wfs:Other{crs}", "urn:ogc:def:crs:EPSG::3857"),
        el("wfs:OutputFormats", [el("wfs:Format", f) for f in formats]),
        wgs84_box(offering.box),
    )


def _filter_capabilities(second: bool) -> Node:
    if not second:
        spatial = el(
            "ogc:Spatial_Capabilities",
            el("ogc:GeometryOperands", el("ogc:GeometryOperand", "gml:Envelope")),
            el("ogc:SpatialOperators", el("ogc:SpatialOperator", {"name": "BBOX"})),
        )
        scalar = el("ogc:Scalar_Capabilities", el("ogc:LogicalOperators"))
        return el(
            "ogc:Filter_Capabilities",
            spatial,
            scalar,
            el("ogc:Id_Capabilities", el("ogc:FID")),
        )
    names = ("ImplementsQuery", "ImplementsAdHocQuery", "ImplementsMinSpatialFilter")
    constraints = [
        el(
            "fes:Constraint",
            {"name": n},
            el("ows:NoValues"),
            el("ows:DefaultValue", "TRUE"),
        )
        for n in names
    ]
    spatial = el(
        "fes:Spatial_Capabilities",
        el("fes:GeometryOperands", el("fes:GeometryOperand", {"name": "gml:Envelope"})),
        el("fes:SpatialOperators", el("fes:SpatialOperator", {"name": "BBOX"})),
    )
    identifier = el(
        "fes:Id_Capabilities", el("fes:ResourceIdentifier", {"name": "fes:ResourceId"})
    )
    return el(
        "fes:Filter_Capabilities",
        el("fes:Conformance", constraints),
        identifier,
        spatial,
    )


def _asked_types(call: Call) -> tuple[list[Offering], Trouble | None]:
    text = call.text("typenames") or call.text("typename") or call.text("typeName")
    found: list[Offering] = []
    for name in [n.strip("()") for n in text.split(",") if n][:50]:
        offering = call.content.find(name)
        if offering is None:
            return [], Trouble(
                "InvalidParameterValue",
                f"Feature type {name[:100]} is unknown",
                "typename",
            )
        found.append(offering)
    return found, None


def _describe(call: Call, version: str) -> Reply:
    offerings, trouble = _asked_types(call)
    if trouble:
        return report(call, trouble, version)
    spaces = {**_namespaces(call, version), "xsd": "http://www.w3.org/2001/XMLSchema"}
    gml = {"1.0.0": "2.1.2/feature.xsd", "1.1.0": "3.1.1/base/gml.xsd"}.get(
        version, "3.2.1/gml.xsd"
    )
    prefix = workspace_prefix(call.content)
    target = {"targetNamespace": spaces[prefix]} if prefix else {}
    reference = {
        "namespace": spaces["gml"],
        "schemaLocation": f"http://schemas.opengis.net/gml/{gml}",
    }
    types = [
        _schema_of(o, prefix, version) for o in offerings or call.content.offerings
    ]
    root = el(
        "xsd:schema",
        {"elementFormDefault": "qualified"},
        target,
        el("xsd:import", reference),
        types,
    )
    return xml_reply(call, write(root, spaces, call.content.flavour.style))


def _schema_of(offering: Offering, prefix: str, version: str) -> list[Node]:
    kinds = {"point": "Point", "line": "LineString", "polygon": "Polygon"}
    if version != "1.0.0":
        kinds = {"point": "Point", "line": "Curve", "polygon": "Surface"}
    fields = [
        ("geom", f"gml:{kinds[offering.shape]}PropertyType"), ("name", "xsd:string"), ("code", "xsd:int"),
        ("value", "xsd:double"), ("date", "xsd:dateTime"),
    ]  # fmt: skip
    sequence = el(
        "xsd:sequence",
        [
            el("xsd:element", {"name": n, "type": t, "minOccurs": "0"})
            for n, t in fields
        ],
    )
    above = "gml:AbstractFeatureType"
    own = f"{prefix}:{offering.slug}Type" if prefix else f"{offering.slug}Type"
    group = "gml:AbstractFeature" if version.startswith("2") else "gml:_Feature"
    return [
        el(
            "xsd:complexType",
            {"name": f"{offering.slug}Type"},
            el("xsd:complexContent", el("xsd:extension", {"base": above}, sequence)),
        ),
        el(
            "xsd:element",
            {"name": offering.slug, "type": own, "substitutionGroup": group},
        ),
    ]


def _stored_queries(call: Call, version: str) -> Reply:  # noqa: ARG001 - WFS 2.0 alone has them
    query = el(
        "wfs:StoredQuery",
        {"id": "urn:ogc:def:query:OGC-WFS::GetFeatureById"},
        el("wfs:Title", "Get feature by identifier"),
        [el("wfs:ReturnFeatureType", n) for n in type_names(call.spec)],
    )
    root = el("wfs:ListStoredQueriesResponse", query)
    return xml_reply(
        call, write(root, _namespaces(call, "2.0.0"), call.content.flavour.style, "wfs")
    )


def _asked_box(call: Call, version: str) -> tuple[float, float, float, float] | None:
    text = call.text("bbox")
    box = read_box(text)
    # A URN names EPSG:4326 with the latitude first; the short name of WFS 1.0 has the longitude first.
    if box and "urn:" in text.lower() and "4326" in text and version != "1.0.0":
        return box[1], box[0], box[3], box[2]
    return box


def _features(call: Call, version: str) -> Reply:
    offerings, trouble = _asked_types(call)
    if not offerings and not trouble:
        trouble = Trouble(
            "MissingParameterValue", "The parameter TYPENAME is missing", "typename"
        )
    if trouble:
        return report(call, trouble, version)
    box = _asked_box(call, version)
    found = [(o, f) for o in offerings for f in inside(features_of(call.spec, o), box)]
    limit = min(
        call.number("count", MAX_FEATURES, MAX_FEATURES),
        call.number("maxfeatures", MAX_FEATURES, MAX_FEATURES),
    )
    start = call.number("startindex", 0, 10**6)
    hits = call.text("resulttype").lower() == "hits"
    shown = [] if hits else found[start : start + limit]
    if "json" in call.text("outputformat").lower():
        features = [as_geojson(f) for _, f in shown]
        crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
        counts = {
            "totalFeatures": len(found),
            "numberMatched": len(found),
            "numberReturned": len(shown),
        }
        return json_reply(
            {"type": "FeatureCollection", "features": features, **counts, "crs": crs}
        )
    return _collection(call, version, shown, len(found))


def _collection(
    call: Call, version: str, shown: list[tuple[Offering, Feature]], matched: int
) -> Reply:
    prefix = workspace_prefix(call.content)
    members = [as_gml(f, version, prefix, o.slug) for o, f in shown]
    if version == "1.0.0":
        bounds = el("gml:boundedBy", el("gml:null", "unknown"))
        root = el(
            "wfs:FeatureCollection",
            bounds,
            [el("gml:featureMember", m) for m in members],
        )
    elif version == "1.1.0":
        count = matched if call.text("resulttype").lower() == "hits" else len(shown)
        root = el(
            "wfs:FeatureCollection",
            {"numberOfFeatures": count},
            [el("gml:featureMember", m) for m in members],
        )
    else:
        marks = {
            "timeStamp": call.content.updated,
            "numberMatched": matched,
            "numberReturned": len(shown),
        }
        root = el(
            "wfs:FeatureCollection", marks, [el("wfs:member", m) for m in members]
        )
    body = write(root, _namespaces(call, version), call.content.flavour.style, "wfs")
    return xml_reply(
        call,
        body,
        200,
        "application/gml+xml" if version.startswith("2") else "text/xml",
    )


def request_url(spec: ServiceSpec) -> str:
    forms = (
        "SERVICE=WFS&REQUEST=GetCapabilities",
        f"service=wfs&version={spec.version}&request=GetCapabilities",
        f"request=GetCapabilities&service=WFS&acceptversions={spec.version}",
    )
    return with_query(spec.endpoint, forms[spec.seed % 3])


FAMILY = {"wfs": Kind(VERSIONS, PATHS, answer, request_url, type_names)}
