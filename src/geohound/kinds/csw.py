"""Catalogue Service for the Web, 2.0.0 to 3.0: it lists other services."""

from __future__ import annotations

from dataclasses import replace

from geohound import urls
from geohound.document import Document
from geohound.kinds import _ows
from geohound.kinds._layer_query import LayerQuery, capabilities
from geohound.kinds._signature import xml
from geohound.model.addresses import DISCOVERY_LIMIT_S, Addresses, Kvp, ScriptIdioms
from geohound.model.bbox import BBox, short_numbers
from geohound.model.layer_request import LayerRequest, Rel, ServerType
from geohound.model.service import Service

_FILTER = (
    '<ogc:Filter xmlns:ogc="http://www.opengis.net/ogc" xmlns:gml="http://www.opengis.net/gml"><ogc:BBOX>'
    "<ogc:PropertyName>ows:BoundingBox</ogc:PropertyName>"
    '<gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>{}</gml:lowerCorner>'
    "<gml:upperCorner>{}</gml:upperCorner></gml:Envelope></ogc:BBOX></ogc:Filter>"
)
_DEFAULT = {"3.0": "3.0.0"}


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) != "csw" or document.root is None:
        return None
    about = _ows.read_common("csw", document.root, document.url)
    default = _DEFAULT.get(document.root_namespace.rpartition("/")[2], "2.0.2")
    version = _ows.version_of(document.root, about, default)
    service = _ows.build(document, about, version, ())
    schemas = _ows.parameter_values(document.root, "GetRecords", "outputschema")
    return replace(service, formats=service.formats or schemas)


def _requests(query: LayerQuery) -> list[LayerRequest]:
    version = query.service.version or "2.0.2"
    common = {"SERVICE": "CSW", "VERSION": version}
    server = capabilities(
        query, ServerType.CSW, version, {**common, "REQUEST": "GetCapabilities"}
    )
    asked = {
        **common,
        "REQUEST": "GetRecords",
        "TYPENAMES": "csw:Record",
        "ELEMENTSETNAME": "summary",
        "RESULTTYPE": "results",
        "MAXRECORDS": "10",
        **(_box_filter(query.box, version) if query.is_part else {}),
    }
    url = urls.with_params(query.service.endpoint, asked)
    records = replace(server, rel=Rel.RECORDS, title="GetRecords", url=url)
    return [server, records]


def _box_filter(box: BBox, version: str) -> dict[str, str]:
    """CSW 3 has a parameter for a box; before that it is a filter, latitude first as the CRS says."""
    if version.startswith("3"):
        return {"BBOX": short_numbers(box.as_tuple(), ",")}
    low = short_numbers((box.south, box.west), " ")
    high = short_numbers((box.north, box.east), " ")
    return {
        "CONSTRAINTLANGUAGE": "FILTER",
        "CONSTRAINT_LANGUAGE_VERSION": "1.1.0",
        "CONSTRAINT": _FILTER.format(low, high),
    }


_ADDRESSES = Addresses(
    response_limit_s=DISCOVERY_LIMIT_S,
    lives_anywhere=True,
    name="csw",
    ends=("csw",),
    kvp=Kvp(
        services=("csw", "cat"),
        requests=("getrecords", "getrecordbyid"),
        asked_as="CSW",
    ),
    labels=("csw", "ogccsw", "cswgroup", "catalogue"),
    scripts=ScriptIdioms(
        calls="OpenLayers.Protocol.CSW|0.url OpenLayers.Protocol.CSW.v2_0_2|0.url",
        keys=frozenset(["outputschema", "elementsetname"]),
        posted=("GetRecords",),
        words=("csw", "getrecords"),
    ),
)

KINDS = (
    _ows.OwsKind(
        id="csw",
        title="Catalogue Service for the Web",
        protocol="OGC:CSW",
        reader=_read,
        requester=_requests,
        addresses=_ADDRESSES,
        signature=xml("Capabilities"),
        path=_ows.address_pattern("csw", "pycsw"),
        second_version="2.0.2",
    ),
)
