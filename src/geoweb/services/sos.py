"""SOS 1.0.0 and 2.0.0 and SPS 1.0.0 and 2.0: sensors, what they saw, and what they can be asked to do."""

from __future__ import annotations

from geoweb.protocol import Reply, ServiceSpec

from . import _sensors as sensors
from ._content import Offering
from ._features import features_of
from ._ows import (
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
TASK_VERSIONS = ("1.0.0", "2.0")
PATHS = (
    "/52n-sos-webapp/{name}/service",
    "/{name}/sos",
    "/istsos/{name}",
    "/cgi-bin/mapserv?map=/data/{name}_sos.map",
    "/deegree/services/{name}_sos",
)
TASK_PATHS = ("/52n-sps/{name}/SPS", "/{name}/sps", "/sps/{name}/service")


def answer(call: Call) -> Reply | None:
    operations: dict[str, Handler] = {
        "GetCapabilities": _capabilities,
        "DescribeSensor": _describe_sensor,
        "GetObservation": _observations,
        "GetFeatureOfInterest": _feature_of_interest,
    }
    return None if call.below else dispatch(call, "SOS", VERSIONS, operations, report)


def answer_task(call: Call) -> Reply | None:
    operations: dict[str, Handler] = {
        "GetCapabilities": _capabilities,
        "DescribeTasking": _describe_tasking,
        "GetFeasibility": _feasibility,
        "Submit": _feasibility,
        "DescribeSensor": _describe_sensor,
    }
    return (
        None if call.below else dispatch(call, "SPS", TASK_VERSIONS, operations, report)
    )


def report(call: Call, trouble: Trouble, version: str) -> Reply:
    first_sps = call.spec.kind == "sps" and version == "1.0.0"
    return ows_exception(
        call,
        trouble,
        "1.0" if first_sps else "1.1",
        "2.0.0" if version == "2.0" else version,
    )


def _write(call: Call, version: str, root: Node) -> Reply:
    spaces = sensors.spaces_of(call.spec.kind, version)
    if "Capabilities" not in root.tag:
        spaces |= {
            "sml": "http://www.opengis.net/sensorML/1.0.1",
            "sams": "http://www.opengis.net/samplingSpatial/2.0",
        }
    return xml_reply(
        call, write(root, spaces, call.content.flavour.style, call.spec.kind)
    )


def _capabilities(call: Call, version: str) -> Reply:
    c, kind = call.content, call.spec.kind
    wanted = {
        "sos": (
            "GetCapabilities",
            "DescribeSensor",
            "GetObservation",
            "GetFeatureOfInterest",
        ),
        "sps": ("GetCapabilities", "DescribeTasking", "Submit", "GetFeasibility"),
    }[kind]
    operations = [Operation(name, {}, True) for name in wanted]
    versions = supported_versions(
        VERSIONS if kind == "sos" else TASK_VERSIONS, call.spec.version
    )
    root = el(
        f"{kind}:Capabilities",
        {"version": version},
        service_identification(
            c, kind.upper() if version != "1.0.0" else f"OGC:{kind.upper()}", versions
        ),
        service_provider(c, call.root),
        operations_metadata(
            door(call), operations, plain=kind == "sps" and version == "1.0.0"
        ),
        sensors.contents(call, version),
    )
    return _write(call, version, root)


def _offering_of(call: Call) -> Offering | Trouble:
    """The offering asked for, directly or by its sensor."""
    name = (
        call.text("offering")
        or call.text("procedure").rpartition(":")[2]
        or call.text("sensorid")
    )
    if not name:
        return Trouble(
            "MissingParameterValue", "The parameter OFFERING is missing", "offering"
        )
    found = call.content.find(name.partition(",")[0].removeprefix("sensor-"))
    return found or Trouble(
        "InvalidParameterValue", f"{name[:100]} is unknown", "offering"
    )


def _describe_sensor(call: Call, version: str) -> Reply:
    offering = _offering_of(call)
    if isinstance(offering, Trouble):
        return report(call, offering, version)
    term = el(
        "sml:Term",
        {"definition": "urn:ogc:def:identifier:OGC:uniqueID"},
        el("sml:value", sensors.procedure(offering)),
    )
    identifier = el("sml:identifier", {"name": "uniqueID"}, term)
    words = el("gml:description", offering.title)
    system = el(
        "sml:System",
        words,
        el("sml:identification", el("sml:IdentifierList", identifier)),
    )
    document = el("sml:SensorML", {"version": "1.0.1"}, el("sml:member", system))
    if version == "1.0.0":
        return _write(call, version, document)
    data = el("swes:SensorDescription", el("swes:data", document))
    form = el(
        "swes:procedureDescriptionFormat", "http://www.opengis.net/sensorML/1.0.1"
    )
    return _write(
        call,
        version,
        el("swes:DescribeSensorResponse", form, el("swes:description", data)),
    )


def _observations(call: Call, version: str) -> Reply:
    offering = _offering_of(call)
    if isinstance(offering, Trouble):
        return report(call, offering, version)
    features = features_of(call.spec, offering)[:20]
    seen = [
        sensors.observation(f.id, f.date, f.value, offering, version) for f in features
    ]
    if version == "1.0.0":
        members = [el("om:member", node) for node in seen]
        return _write(
            call, version, el("om:ObservationCollection", {"gml:id": "oc1"}, members)
        )
    members = [el("sos:observationData", node) for node in seen]
    return _write(call, version, el("sos:GetObservationResponse", members))


def _feature_of_interest(call: Call, version: str) -> Reply:
    offering = call.content.offerings[0]
    features = [
        el(
            "sos:featureMember",
            el(
                "sams:SF_SpatialSamplingFeature",
                {"gml:id": f"foi{f.code}"},
                el("gml:identifier", {"codeSpace": "local"}, f.id),
                el("gml:name", f.name),
            ),
        )
        for f in features_of(call.spec, offering)[:20]
    ]
    return _write(call, version, el("sos:GetFeatureOfInterestResponse", features))


def _describe_tasking(call: Call, version: str) -> Reply:
    offering = _offering_of(call)
    if isinstance(offering, Trouble):
        return report(call, offering, version)
    if version == "1.0.0":
        parameter = el(
            "sps:InputDescriptor", {"parameterID": "duration", "use": "required"}
        )
        task = el("sps:taskingParameters", el("sps:name", offering.title), parameter)
        return _write(call, version, el("sps:DescribeTaskingRequestResponse", task))
    count = el(
        "swe:Count",
        {"definition": "http://www.opengis.net/def/property/OGC/0/duration"},
    )
    record = el("swe:DataRecord", el("swe:field", {"name": "duration"}, count))
    task = el("sps:taskingParameters", {"name": "duration"}, record)
    return _write(call, version, el("sps:DescribeTaskingResponse", task))


def _feasibility(call: Call, version: str) -> Reply:
    offering = _offering_of(call)
    if isinstance(offering, Trouble):
        return report(call, offering, version)
    name = call.text("request")
    tag = (
        "sps:GetFeasibilityResponse"
        if name.lower() == "getfeasibility"
        else "sps:SubmitResponse"
    )
    state = "FEASIBLE" if tag == "sps:GetFeasibilityResponse" else "ACCEPTED"
    status = el(
        "sps:StatusReport",
        el("sps:task", f"{call.root}/tasks/{offering.number}"),
        el("sps:estimatedToC", call.content.updated),
        el("sps:procedure", sensors.procedure(offering)),
        el("sps:requestStatus", state),
    )
    return _write(
        call,
        version,
        el(
            tag,
            el("sps:latestResponseTime", call.content.updated),
            el("sps:result", status),
        ),
    )


def request_url(spec: ServiceSpec) -> str:
    kind = spec.kind.upper()
    forms = (
        f"SERVICE={kind}&REQUEST=GetCapabilities",
        f"service={kind}&acceptversions={spec.version}&request=GetCapabilities",
    )
    return with_query(spec.endpoint, forms[spec.seed % 2])


FAMILY = {
    "sos": Kind(VERSIONS, PATHS, answer, request_url, sensors.names),
    "sps": Kind(TASK_VERSIONS, TASK_PATHS, answer_task, request_url, sensors.names),
}
