"""CSW 2.0.2 and 3.0.0: a catalogue whose records describe other services and data sets."""

from __future__ import annotations

from geoweb.protocol import Reply, ServiceSpec

from ._ows import (
    OWS,
    XLINK,
    XSI,
    Handler,
    Operation,
    Trouble,
    dispatch,
    door,
    operations_metadata,
    ows_exception,
    service_identification,
    service_provider,
    xml_reply,
)  # fmt: skip
from ._records import GMD_SPACES, Record, as_csw, as_gmd, records_of
from ._service import Call, Kind, supported_versions, with_query
from ._xml import Node, el, write

VERSIONS = ("2.0.2", "3.0.0")
PATHS = (
    "/geonetwork/{name}/eng/csw",
    "/{name}/csw",
    "/pycsw/{name}/csw.py",
    "/geoserver/{name}/csw",
    "/deegree/services/{name}_csw",
    "/geoportal/{name}/csw",
)
CSW = {
    "2.0.2": "http://www.opengis.net/cat/csw/2.0.2",
    "3.0.0": "http://www.opengis.net/cat/csw/3.0",
}
GMD = "http://www.isotc211.org/2005/gmd"
MAX_RECORDS = 100


def answer(call: Call) -> Reply | None:
    operations: dict[str, Handler] = {
        "GetCapabilities": _capabilities,
        "DescribeRecord": _description,
        "GetRecords": _records,
        "GetRecordById": _by_id,
        "GetDomain": _domain,
    }
    return None if call.below else dispatch(call, "CSW", VERSIONS, operations, report)


def report(call: Call, trouble: Trouble, version: str) -> Reply:
    return (
        ows_exception(call, trouble, "2.0", "3.0.0")
        if version == "3.0.0"
        else ows_exception(call, trouble, "1.0", "1.2.0")
    )


def _write(call: Call, version: str, root: Node) -> Reply:
    third = version == "3.0.0"
    spaces = {
        "csw": CSW[version],
        "ows": OWS["2.0" if third else "1.0"],
        "ogc": "http://www.opengis.net/ogc",
        "dc": "http://purl.org/dc/elements/1.1/",
        "dct": "http://purl.org/dc/terms/",
        "xlink": XLINK,
        "xsi": XSI,
        **GMD_SPACES,
    }
    if third:
        spaces["fes"] = "http://www.opengis.net/fes/2.0"
    return xml_reply(
        call,
        write(root, spaces, call.content.flavour.style, "csw"),
        200,
        "application/xml",
    )


def _capabilities(call: Call, version: str) -> Reply:
    c, third = call.content, version == "3.0.0"
    schemas = [CSW[version], GMD]
    sets = ["brief", "summary", "full"]
    operations = [
        Operation(
            "GetCapabilities",
            {"sections": ["ServiceIdentification", "Filter_Capabilities"]},
            True,
        ),
        Operation(
            "DescribeRecord", {"typeName": ["csw:Record", "gmd:MD_Metadata"]}, True
        ),
        Operation(
            "GetRecords",
            {
                "resultType": ["hits", "results"],
                "outputSchema": schemas,
                "ElementSetName": sets,
            },
            True,
        ),
        Operation(
            "GetRecordById", {"outputSchema": schemas, "ElementSetName": sets}, True
        ),
    ]
    if third:
        operations = [o for o in operations if o.name != "DescribeRecord"]
    versions = supported_versions(VERSIONS, call.spec.version)
    root = el(
        "csw:Capabilities",
        {"version": version, "updateSequence": str(call.spec.seed)},
        service_identification(c, "CSW", versions),
        service_provider(c, call.root),
        operations_metadata(door(call), operations, plain=not third),
        _filter_capabilities(third),
    )
    return _write(call, version, root)


def _filter_capabilities(third: bool) -> Node:
    if third:
        constraint = el(
            "fes:Constraint",
            {"name": "ImplementsQuery"},
            el("ows:NoValues"),
            el("ows:DefaultValue", "TRUE"),
        )
        return el("fes:Filter_Capabilities", el("fes:Conformance", constraint))
    operands = el("ogc:GeometryOperands", el("ogc:GeometryOperand", "gml:Envelope"))
    operators = el("ogc:SpatialOperators", el("ogc:SpatialOperator", {"name": "BBOX"}))
    comparisons = el(
        "ogc:ComparisonOperators",
        [el("ogc:ComparisonOperator", o) for o in ("EqualTo", "Like")],
    )
    return el(
        "ogc:Filter_Capabilities",
        el("ogc:Spatial_Capabilities", operands, operators),
        el("ogc:Scalar_Capabilities", el("ogc:LogicalOperators"), comparisons),
        el("ogc:Id_Capabilities", el("ogc:EID"), el("ogc:FID")),
    )


def _description(call: Call, version: str) -> Reply:
    schema = el(
        "xs:schema",
        {
            "xmlns:xs": "http://www.w3.org/2001/XMLSchema",
            "targetNamespace": CSW[version],
        },
    )
    marks = {
        "schemaLanguage": "http://www.w3.org/XML/Schema",
        "targetNamespace": CSW[version],
    }
    return _write(
        call,
        version,
        el("csw:DescribeRecordResponse", el("csw:SchemaComponent", marks, schema)),
    )


def _domain(call: Call, version: str) -> Reply:
    name = (
        call.text("parametername")
        or call.text("propertyname")
        or "GetRecords.resultType"
    )[:100]
    values = el("csw:ListOfValues", el("csw:Value", "hits"), el("csw:Value", "results"))
    domain = el(
        "csw:DomainValues",
        {"type": "csw:Record"},
        el("csw:ParameterName", name),
        values,
    )
    return _write(call, version, el("csw:GetDomainResponse", domain))


def _element_set(call: Call) -> str:
    asked = call.text("elementsetname").lower()
    return asked if asked in ("brief", "summary", "full") else "summary"


def _as_asked(call: Call, record: Record) -> Node:
    if "gmd" in call.text("outputschema"):
        return as_gmd(record, call.content)
    return as_csw(record, _element_set(call))


def _by_id(call: Call, version: str) -> Reply:
    asked = (call.text("id") or call.text("identifier")).split(",")[:MAX_RECORDS]
    if asked == [""]:
        return report(
            call,
            Trouble("MissingParameterValue", "The parameter ID is missing", "id"),
            version,
        )
    found = [_as_asked(call, r) for r in records_of(call) if r.id in asked]
    if version == "3.0.0":
        if not found:
            return report(
                call,
                Trouble("InvalidParameterValue", "No record has that id", "id", 404),
                version,
            )
        return _write(call, version, found[0])
    return _write(call, version, el("csw:GetRecordByIdResponse", found))


def matching(call: Call) -> list[Record]:
    """The records that the words of CONSTRAINT or q ask for; all where there are none."""
    words = [w.lower() for w in call.text("q").split()[:10]]
    text = call.text("constraint")
    if "%" in text:
        words += [w.strip().lower() for w in text.split("%")[1::2] if w.strip()][:10]
    elif (
        call.text("constraint")
        and "dc:type" in text.lower()
        and "service" in text.lower()
    ):
        return [r for r in records_of(call) if r.type == "service"]
    return [r for r in records_of(call) if all(w in r.text for w in words)]


def _records(call: Call, version: str) -> Reply:
    third = version == "3.0.0"
    records = matching(call)
    start = max(1, call.number("startposition", 1, 10**6))
    limit = call.number("maxrecords", 10, MAX_RECORDS)
    # CSW 2.0.2 counts only where resultType is not given; many servers do as CSW 3 and answer with results.
    hits = call.text("resulttype").lower() == "hits"
    shown = [] if hits else records[start - 1 : start - 1 + limit]
    following = start + len(shown)
    marks = {
        "numberOfRecordsMatched": len(records),
        "numberOfRecordsReturned": len(shown),
        "nextRecord": 0 if hits or following > len(records) else following,
        "recordSchema": GMD if "gmd" in call.text("outputschema") else CSW[version],
        "elementSet": _element_set(call),
    }
    if third:
        marks |= {"elapsedTime": 3}
    root = el(
        "csw:GetRecordsResponse",
        None if third else {"version": version},
        el("csw:SearchStatus", {"timestamp": call.content.updated}),
        el("csw:SearchResults", marks, [_as_asked(call, r) for r in shown]),
    )
    return _write(call, version, root)


def request_url(spec: ServiceSpec) -> str:
    forms = (
        "SERVICE=CSW&REQUEST=GetCapabilities",
        f"service=CSW&version={spec.version}&request=GetCapabilities",
    )
    return with_query(spec.endpoint, forms[spec.seed % 2])


def _no_layers(spec: ServiceSpec) -> tuple[str, ...]:  # noqa: ARG001
    return ()


FAMILY = {"csw": Kind(VERSIONS, PATHS, answer, request_url, _no_layers, has_box=False)}
