"""The records of a catalogue: one for each service it lists and one for each data set of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from geoweb.box import Box
from geoweb.protocol import ServiceSpec

from ._content import Content, content_of, draw
from ._ows import GML
from ._service import Call, Listed
from ._xml import Node, el

GMD_SPACES = {
    "gmd": "http://www.isotc211.org/2005/gmd",
    "gco": "http://www.isotc211.org/2005/gco",
    "srv": "http://www.isotc211.org/2005/srv",
    "gml": GML,
}
PROTOCOLS = {
    "wms": "OGC:WMS", "wfs": "OGC:WFS", "wcs": "OGC:WCS", "wmts": "OGC:WMTS", "wps": "OGC:WPS",
    "csw": "OGC:CSW",
    "sos": "OGC:SOS", "wcps": "OGC:WCPS", "sps": "OGC:SPS", "ogcapi-features": "OGC API - Features",
    "ogcapi-tiles": "OGC API - Tiles", "ogcapi-maps": "OGC API - Maps", "ogcapi-records": "OGC API - Records",
    "ogcapi-edr": "OGC API - Environmental Data Retrieval", "arcgis-mapserver": "ESRI:ArcGIS:MapServer",
    "arcgis-featureserver": "ESRI:ArcGIS:FeatureServer", "arcgis-imageserver": "ESRI:ArcGIS:ImageServer",
    "sensorthings": "OGC:SensorThings", "opendap": "OPeNDAP:OPeNDAP", "thredds": "UNIDATA:THREDDS",
    "erddap": "ERDDAP:tabledap", "atom": "INSPIRE Atom", "tms": "OSGeo:TMS", "kml": "OGC:KML", "stac": "STAC",
    "stac-api": "STAC API",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Record:
    """What a catalogue knows of one resource."""

    id: str
    type: str  # service, dataset
    title: str
    abstract: str
    subjects: tuple[str, ...]
    box: Box
    date: str
    rights: str
    links: tuple[tuple[str, str, str], ...]  # protocol, name, address

    @property
    def text(self) -> str:
        return f"{self.title} {self.abstract} {' '.join(self.subjects)}".lower()


def records_of(call: Call) -> tuple[Record, ...]:
    return _records(call.spec, call.listed)


@lru_cache(maxsize=256)
def _records(spec: ServiceSpec, listed: tuple[Listed, ...]) -> tuple[Record, ...]:
    services = [
        service_record(spec, other, number) for number, other in enumerate(listed)
    ]
    return (*services, *_own_records(spec))


def service_record(catalogue: ServiceSpec, listed: Listed, number: int) -> Record:
    spec = listed.spec
    content = content_of(spec)
    return Record(
        id=str(
            UUID(
                int=draw(catalogue, f"record {number} {spec.endpoint}").getrandbits(
                    128
                ),
                version=4,
            )
        ),
        type="service",
        title=content.title,
        abstract=content.abstract,
        subjects=content.keywords,
        box=content.box,
        date=content.updated[:10],
        rights=content.constraints,
        links=(
            (
                PROTOCOLS.get(spec.kind, "WWW:LINK-1.0-http--link"),
                content.offerings[0].slug,
                listed.url,
            ),
        ),
    )


def _own_records(spec: ServiceSpec) -> list[Record]:
    content = content_of(spec)
    site = spec.endpoint.partition("?")[0]
    return [
        Record(
            id=str(UUID(int=draw(spec, f"own {o.number}").getrandbits(128), version=4)),
            type="dataset",
            title=o.title,
            abstract=o.abstract or content.abstract,
            subjects=o.keywords,
            box=o.box,
            date=content.updated[:10],
            rights=content.constraints,
            links=(("WWW:LINK-1.0-http--link", o.slug, f"{site}/about/{o.slug}.html"),),
        )
        for o in content.offerings
    ]


def as_csw(record: Record, element_set: str) -> Node:
    """A csw:BriefRecord, csw:SummaryRecord or csw:Record."""
    tag = {"brief": "csw:BriefRecord", "full": "csw:Record"}.get(
        element_set, "csw:SummaryRecord"
    )
    brief, full = element_set == "brief", element_set == "full"
    box = el(
        "ows:BoundingBox",
        {"crs": "urn:ogc:def:crs:EPSG::4326"},
        el("ows:LowerCorner", f"{record.box.south} {record.box.west}"),
        el("ows:UpperCorner", f"{record.box.north} {record.box.east}"),
    )
    return el(
        tag,
        el("dc:identifier", record.id),
        el("dc:title", record.title),
        el("dc:type", record.type),
        None if brief else [el("dc:subject", s) for s in record.subjects],
        None if brief else el("dct:modified", record.date),
        None if brief else el("dct:abstract", record.abstract),
        [el("dc:rights", record.rights)] if full else None,
        None
        if brief
        else [el("dct:references", {"scheme": p}, url) for p, _, url in record.links],
        [el("dc:URI", {"protocol": p, "name": n}, url) for p, n, url in record.links]
        if full
        else None,
        box,
    )


def _string(tag: str, text: str) -> Node:
    return el(tag, el("gco:CharacterString", text))


def _code(tag: str, value: str) -> Node:
    codes = (
        "http://www.isotc211.org/2005/resources/codeList.xml#" + tag.partition(":")[2]
    )
    return el(tag, {"codeList": codes, "codeListValue": value}, value)


def as_gmd(record: Record, content: Content) -> Node:
    """An ISO 19139 record."""
    service = record.type == "service"
    party = el(
        "gmd:CI_ResponsibleParty",
        _string("gmd:organisationName", content.organisation),
        el("gmd:role", _code("gmd:CI_RoleCode", "pointOfContact")),
    )
    stamp = el("gmd:date", el("gco:Date", record.date))
    date = el(
        "gmd:CI_Date",
        stamp,
        el("gmd:dateType", _code("gmd:CI_DateTypeCode", "revision")),
    )
    citation = el(
        "gmd:CI_Citation", _string("gmd:title", record.title), el("gmd:date", date)
    )
    words = el("gmd:MD_Keywords", [_string("gmd:keyword", s) for s in record.subjects])
    limits = el(
        "gmd:MD_LegalConstraints", _string("gmd:otherConstraints", record.rights)
    )
    body = [
        el("gmd:citation", citation),
        _string("gmd:abstract", record.abstract),
        el("gmd:descriptiveKeywords", words),
        el("gmd:resourceConstraints", limits),
    ]
    extent = el(
        "srv:extent" if service else "gmd:extent",
        el("gmd:EX_Extent", _extent(record.box)),
    )
    identification = el(
        "srv:SV_ServiceIdentification" if service else "gmd:MD_DataIdentification",
        body,
        extent,
    )
    return el(
        "gmd:MD_Metadata",
        _string("gmd:fileIdentifier", record.id),
        el("gmd:hierarchyLevel", _code("gmd:MD_ScopeCode", record.type)),
        el("gmd:contact", party),
        el("gmd:dateStamp", el("gco:Date", record.date)),
        el("gmd:identificationInfo", identification),
        el("gmd:distributionInfo", el("gmd:MD_Distribution", _transfer(record))),
    )


def _extent(box: Box) -> Node:
    sides = (
        ("westBoundLongitude", box.west), ("eastBoundLongitude", box.east), ("southBoundLatitude", box.south),
        ("northBoundLatitude", box.north),
    )  # fmt: skip
    edges = [el("gmd:" + tag, el("gco:Decimal", str(value))) for tag, value in sides]
    return el("gmd:geographicElement", el("gmd:EX_GeographicBoundingBox", edges))


def _transfer(record: Record) -> Node:
    resources = [
        el(
            "gmd:onLine",
            el(
                "gmd:CI_OnlineResource",
                el("gmd:linkage", el("gmd:URL", url)),
                _string("gmd:protocol", protocol),
                _string("gmd:name", name),
            ),
        )
        for protocol, name, url in record.links
    ]
    return el("gmd:transferOptions", el("gmd:MD_DigitalTransferOptions", resources))
