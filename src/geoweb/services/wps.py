"""WPS 1.0.0 and 2.0.0: processes that take a number and a geometry and give a number back."""

from __future__ import annotations

from geoweb.protocol import Reply, ServiceSpec

from ._content import Offering, content_of
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
)
from ._service import Call, Kind, supported_versions, with_query
from ._xml import Node, el, write

VERSIONS = ("1.0.0", "2.0.0")
PATHS = (
    "/geoserver/{name}/ows",
    "/wps/{name}/WebProcessingService",
    "/cgi-bin/pywps.cgi?map={name}",
    "/deegree/services/{name}_wps",
    "/zoo/{name}/zoo_loader.cgi",
)
ACTIONS = ("buffer", "clip", "intersect", "statistics", "interpolate")


def identifier(offering: Offering) -> str:
    return f"{ACTIONS[offering.number % len(ACTIONS)]}_{offering.slug}"


def names(spec: ServiceSpec) -> tuple[str, ...]:
    return tuple(identifier(o) for o in content_of(spec).offerings)


def answer(call: Call) -> Reply | None:
    operations: dict[str, Handler] = {
        "GetCapabilities": _capabilities,
        "DescribeProcess": _describe,
        "Execute": _execute,
    }
    return None if call.below else dispatch(call, "WPS", VERSIONS, operations, report)


def report(call: Call, trouble: Trouble, version: str) -> Reply:
    return ows_exception(call, trouble, "1.1" if version == "1.0.0" else "2.0", version)


def _write(call: Call, version: str, root: Node) -> Reply:
    first = version == "1.0.0"
    spaces = {
        "wps": "http://www.opengis.net/wps/1.0.0"
        if first
        else "http://www.opengis.net/wps/2.0",
        "ows": OWS["1.1" if first else "2.0"],
        "xlink": XLINK,
        "xsi": XSI,
    }
    return xml_reply(call, write(root, spaces, call.content.flavour.style, "wps"))


def _head(call: Call, offering: Offering) -> list[Node]:
    title = el(
        "ows:Title",
        f"{ACTIONS[offering.number % len(ACTIONS)].capitalize()}: {offering.title}",
    )
    name = el("ows:Identifier", identifier(offering))
    abstract = el("ows:Abstract", offering.abstract or call.content.abstract)
    return [name, title, abstract]


def _capabilities(call: Call, version: str) -> Reply:
    c, first = call.content, version == "1.0.0"
    operations = [
        Operation(n, {}, True)
        for n in ("GetCapabilities", "DescribeProcess", "Execute")
    ]
    if first:
        marks = {"wps:processVersion": "1.0.0"}
        processes = [el("wps:Process", marks, _head(call, o)) for o in c.offerings]
        language = el("ows:Language", c.language)
        languages = el(
            "wps:Languages", el("wps:Default", language), el("wps:Supported", language)
        )
        contents = [el("wps:ProcessOfferings", processes), languages]
    else:
        marks = {
            "jobControlOptions": "sync-execute async-execute",
            "processVersion": "1.0.0",
        }
        processes = [
            el("wps:ProcessSummary", marks, _swapped(_head(call, o)))
            for o in c.offerings
        ]
        contents = [el("wps:Contents", processes)]
    root = el(
        "wps:Capabilities",
        {"service": "WPS", "version": version, "xml:lang": c.language},
        service_identification(
            c, "WPS", supported_versions(VERSIONS, call.spec.version)
        ),
        service_provider(c, call.root),
        operations_metadata(door(call), operations),
        contents,
    )
    return _write(call, version, root)


def _swapped(head: list[Node]) -> list[Node]:
    """OWS 2.0 descriptions open with title and abstract; the identifier follows."""
    return [head[1], head[2], head[0]]


def _asked(call: Call) -> Offering | Trouble:
    name = call.text("identifier").partition(",")[0]
    if not name:
        return Trouble(
            "MissingParameterValue", "The parameter IDENTIFIER is missing", "identifier"
        )
    found = next((o for o in call.content.offerings if identifier(o) == name), None)
    return found or Trouble(
        "InvalidParameterValue", f"Process {name[:100]} is unknown", "identifier"
    )


def _describe(call: Call, version: str) -> Reply:
    if call.text("identifier").lower() == "all":
        offerings = list(call.content.offerings)
    else:
        asked = _asked(call)
        if isinstance(asked, Trouble):
            return report(call, asked, version)
        offerings = [asked]
    if version == "1.0.0":
        described = [_description_1(call, o) for o in offerings]
        marks = {
            "service": "WPS",
            "version": version,
            "xml:lang": call.content.language,
        }
        return _write(call, version, el("wps:ProcessDescriptions", marks, described))
    described = [_description_2(call, o) for o in offerings]
    return _write(call, version, el("wps:ProcessOfferings", described))


def _description_1(call: Call, offering: Offering) -> Node:
    # WPS 1.0.0 leaves the elements of a description without a namespace (its schema is unqualified).
    off = {"xmlns": ""}
    kind = el(
        "ows:DataType",
        {"ows:reference": "http://www.w3.org/TR/xmlschema-2/#double"},
        "double",
    )
    given = el(
        "Input",
        {"minOccurs": "1", "maxOccurs": "1"},
        el("ows:Identifier", "distance"),
        el("ows:Title", "Distance"),
        el("LiteralData", kind, el("ows:AnyValue")),
    )
    literal = el("LiteralOutput", kind)
    result = el(
        "Output", el("ows:Identifier", "result"), el("ows:Title", "Result"), literal
    )
    marks = {
        "wps:processVersion": "1.0.0",
        "statusSupported": "false",
        "storeSupported": "false",
        **off,
    }
    inputs, outputs = el("DataInputs", given), el("ProcessOutputs", result)
    return el("ProcessDescription", marks, _head(call, offering), inputs, outputs)


def _description_2(call: Call, offering: Offering) -> Node:
    form = el("wps:Format", {"mimeType": "text/plain", "default": "true"})
    domain = el(
        "LiteralDataDomain",
        {"xmlns": ""},
        el("ows:AnyValue"),
        el("ows:DataType", "double"),
    )
    literal = el("wps:LiteralData", form, domain)
    given = el(
        "wps:Input",
        el("ows:Title", "Distance"),
        el("ows:Identifier", "distance"),
        literal,
    )
    result = el(
        "wps:Output", el("ows:Title", "Result"), el("ows:Identifier", "result"), literal
    )
    process = el("wps:Process", _swapped(_head(call, offering)), given, result)
    return el(
        "wps:ProcessOffering",
        {"jobControlOptions": "sync-execute", "processVersion": "1.0.0"},
        process,
    )


def _execute(call: Call, version: str) -> Reply:
    asked = _asked(call)
    if isinstance(asked, Trouble):
        return report(call, asked, version)
    value = str(asked.number * 10 + call.spec.seed % 10)
    if call.text("rawdataoutput") or call.text("response").lower() == "raw":
        return Reply(200, "text/plain; charset=UTF-8", value.encode())
    if version == "1.0.0":
        literal = el("wps:Data", el("wps:LiteralData", {"dataType": "double"}, value))
        output = el(
            "wps:Output",
            el("ows:Identifier", "result"),
            el("ows:Title", "Result"),
            literal,
        )
        marks = {
            "service": "WPS",
            "version": version,
            "xml:lang": call.content.language,
        }
        instance = {"serviceInstance": call.root + "?"}
        status = el(
            "wps:Status",
            {"creationTime": call.content.updated},
            el("wps:ProcessSucceeded", "Done"),
        )
        process = el("wps:Process", {"wps:processVersion": "1.0.0"}, _head(call, asked))
        outputs = el("wps:ProcessOutputs", output)
        return _write(
            call,
            version,
            el("wps:ExecuteResponse", marks, instance, process, status, outputs),
        )
    output = el(
        "wps:Output",
        {"id": "result"},
        el("wps:Data", {"mimeType": "text/plain"}, value),
    )
    return _write(
        call,
        version,
        el("wps:Result", el("wps:JobID", f"job-{call.spec.seed}"), output),
    )


def request_url(spec: ServiceSpec) -> str:
    forms = (
        "SERVICE=WPS&REQUEST=GetCapabilities",
        f"service=WPS&acceptversions={spec.version}&request=GetCapabilities",
    )
    return with_query(spec.endpoint, forms[spec.seed % 2])


FAMILY = {"wps": Kind(VERSIONS, PATHS, answer, request_url, names, has_box=False)}
