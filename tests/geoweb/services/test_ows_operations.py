"""The operations of the OGC Web services: versions, exceptions, features, records, observations."""

from __future__ import annotations

from urllib.parse import urlsplit

import orjson
import pytest
from lxml import etree

from geoweb import services
from geoweb.protocol import Request

OWS_KINDS = ("wms", "wfs", "wcs", "wmts", "wps", "csw", "sos", "sps", "wcps")
EXCEPTIONS = {
    ("wms", "1.0.0"): "WMTException", ("wms", "1.1.1"): "ServiceExceptionReport",
    ("wms", "1.3.0"): "{http://www.opengis.net/ogc}ServiceExceptionReport",
    ("wfs", "1.0.0"): "{http://www.opengis.net/ogc}ServiceExceptionReport",
    ("wfs", "1.1.0"): "{http://www.opengis.net/ows}ExceptionReport",
    ("wfs", "2.0.0"): "{http://www.opengis.net/ows/1.1}ExceptionReport",
    ("wcs", "1.0.0"): "{http://www.opengis.net/ogc}ServiceExceptionReport",
    ("wcs", "1.1.0"): "{http://www.opengis.net/ows/1.1}ExceptionReport",
    ("wcs", "2.0.1"): "{http://www.opengis.net/ows/2.0}ExceptionReport",
    ("wmts", "1.0.0"): "{http://www.opengis.net/ows/1.1}ExceptionReport",
    ("wps", "1.0.0"): "{http://www.opengis.net/ows/1.1}ExceptionReport",
    ("wps", "2.0.0"): "{http://www.opengis.net/ows/2.0}ExceptionReport",
    ("csw", "2.0.2"): "{http://www.opengis.net/ows}ExceptionReport",
    ("csw", "3.0.0"): "{http://www.opengis.net/ows/2.0}ExceptionReport",
    ("sos", "1.0.0"): "{http://www.opengis.net/ows/1.1}ExceptionReport",
    ("sos", "2.0.0"): "{http://www.opengis.net/ows/1.1}ExceptionReport",
    ("sps", "2.0"): "{http://www.opengis.net/ows/1.1}ExceptionReport",
}  # fmt: skip


@pytest.mark.parametrize(("kind", "version"), list(EXCEPTIONS))
@pytest.mark.parametrize(
    "query", ["", "SERVICE=NONE&REQUEST=GetCapabilities", "REQUEST=Dance"]
)
def test_a_wrong_request_gets_the_exception_report_of_the_version(
    kind, version, query, make_spec, ask_kvp
):
    statuses = set()
    # endpoints of WMTS 1 and 5 are RESTful and take no key-value pairs
    for seed in (0, 3, 4, 6, 9, 10):
        reply = ask_kvp(make_spec(kind, version, seed), f"{query}&VERSION={version}")
        assert etree.fromstring(reply.body).tag == EXCEPTIONS[kind, version]
        statuses.add(reply.status)
    assert statuses == {200, 400}


@pytest.mark.parametrize("kind", ["wms", "wfs", "wcs", "wps", "csw", "sos"])
def test_a_service_answers_in_the_version_it_is_asked_for(kind, make_spec, ask_kvp):
    spec = make_spec(kind, seed=2)
    for version in services.VERSIONS[kind]:
        body = ask_kvp(
            spec, f"service={kind}&request=getcapabilities&version={version}"
        ).body
        assert etree.fromstring(body).get("version") == version


@pytest.mark.parametrize("kind", ["wfs", "wcs", "wps", "csw", "sos"])
def test_the_first_accepted_version_that_is_spoken_wins(kind, make_spec, ask_kvp):
    spec, lowest = make_spec(kind, seed=2), services.VERSIONS[kind][0]
    query = f"SERVICE={kind.upper()}&REQUEST=GetCapabilities&ACCEPTVERSIONS="
    assert (
        etree.fromstring(ask_kvp(spec, query + f"9.9.9,{lowest}").body).get("version")
        == lowest
    )
    failed = ask_kvp(spec, query + "9.9.9").body
    assert b"VersionNegotiationFailed" in failed


def test_a_wms_asked_for_a_version_beyond_its_highest_answers_in_its_highest(
    make_spec, ask_kvp
):
    spec = make_spec("wms", "1.1.1", 2)
    body = ask_kvp(spec, "SERVICE=WMS&REQUEST=GetCapabilities&VERSION=1.3.0").body
    assert etree.fromstring(body).get("version") == "1.1.1"


def test_names_of_parameters_may_be_written_in_any_case(make_spec, ask_kvp):
    spec = make_spec("wms", seed=2)
    plain = ask_kvp(spec, "SERVICE=WMS&REQUEST=GetCapabilities")
    assert ask_kvp(spec, "sErViCe=WMS&reQUEST=GetCapabilities") == plain


def test_a_vendor_parameter_belongs_to_the_address(make_spec):
    spec = make_spec("wms", seed=1)
    assert "?map=" in spec.endpoint
    path = urlsplit(spec.endpoint).path
    request = Request(
        "GET",
        "gis.example.test",
        path,
        "map=/other.map&SERVICE=WMS&REQUEST=GetCapabilities",
    )
    assert services.answer(spec, request) is None


def test_in_wms_1_3_0_the_box_in_epsg_4326_has_the_latitude_first(make_spec, ask):
    spec = make_spec("wms", "1.3.0", 1)
    root = etree.fromstring(ask(spec, services.request_url(spec)).body)
    top = root.find(".//{*}Capability/{*}Layer")
    boxes = {
        b.get("CRS"): [float(b.get(k)) for k in ("minx", "miny", "maxx", "maxy")]
        for b in top.findall("{*}BoundingBox")
    }
    assert boxes["CRS:84"] == [5.5, 45.25, 15.0, 55.0]
    assert boxes["EPSG:4326"] == [45.25, 5.5, 55.0, 15.0]
    assert boxes["EPSG:3857"][0] == pytest.approx(612257.2, abs=1)


def test_wms_1_1_1_has_its_doctype_and_1_3_0_has_none(make_spec, ask):
    for version, expected in (("1.1.1", True), ("1.3.0", False)):
        spec = make_spec("wms", version, 3)
        assert (
            b"<!DOCTYPE WMT_MS_Capabilities SYSTEM"
            in ask(spec, services.request_url(spec)).body
        ) is expected


def test_layers_stand_in_groups_and_inherit_the_reference_systems(make_spec, ask):
    spec = make_spec("wms", "1.3.0", 3, layers=12)
    root = etree.fromstring(ask(spec, services.request_url(spec)).body)
    layers = root.findall(".//{*}Layer")
    assert max(len(list(layer.iterancestors("{*}Layer"))) for layer in layers) >= 2
    assert [bool(layer.findall("{*}CRS")) for layer in layers] == [True] + [False] * (
        len(layers) - 1
    )


@pytest.mark.parametrize("version", ["1.0.0", "1.1.0", "2.0.0"])
def test_get_feature_counts_pages_and_filters_the_same_in_gml_and_geojson(
    version, make_spec, ask_kvp
):
    spec = make_spec("wfs", seed=2)
    base = f"SERVICE=WFS&VERSION={version}&REQUEST=GetFeature&TYPENAME={services.facts(spec).layers[0]}"
    everything = orjson.loads(
        ask_kvp(spec, base + "&OUTPUTFORMAT=application/json").body
    )["features"]
    assert len(everything) > 3
    limit = "COUNT" if version == "2.0.0" else "MAXFEATURES"
    root = etree.fromstring(ask_kvp(spec, f"{base}&{limit}=3").body)
    members = root.findall("{*}member" if version == "2.0.0" else "{*}featureMember")
    mark = "fid" if version == "1.0.0" else "{*}id"
    ids = [
        m[0].get("fid") or next(v for k, v in m[0].attrib.items() if k.endswith("}id"))
        for m in members
    ]
    assert ids == [f["id"] for f in everything[:3]], mark
    nothing = orjson.loads(
        ask_kvp(spec, base + "&BBOX=-10,-10,-9,-9&OUTPUTFORMAT=application/json").body
    )
    assert nothing["features"] == []


def test_features_lie_inside_the_box_of_their_type(make_spec, ask_kvp):
    spec = make_spec("wfs", seed=2)
    for name in services.facts(spec).layers:
        url = f"SERVICE=WFS&REQUEST=GetFeature&TYPENAMES={name}&OUTPUTFORMAT=application/json"
        for feature in orjson.loads(ask_kvp(spec, url).body)["features"]:
            for x, y in _positions(feature["geometry"]["coordinates"]):
                assert 5.5 <= x <= 15
                assert 45.25 <= y <= 55


def _positions(coordinates):
    if isinstance(coordinates[0], float | int):
        yield coordinates
    else:
        for inner in coordinates:
            yield from _positions(inner)


def test_gml_of_wfs_2_has_the_latitude_first_and_of_wfs_1_0_the_longitude(
    make_spec, ask_kvp
):
    spec = make_spec("wfs", seed=2)
    name = services.facts(spec).layers[0]
    query = (
        f"SERVICE=WFS&REQUEST=GetFeature&TYPENAME={name}&COUNT=1&MAXFEATURES=1&VERSION="
    )
    new = etree.fromstring(ask_kvp(spec, query + "2.0.0").body)
    old = etree.fromstring(ask_kvp(spec, query + "1.0.0").body)
    latitude, longitude = (
        float(v)
        for v in next(
            iter(new.xpath("//*[local-name()='pos' or local-name()='posList']"))
        ).text.split()[:2]
    )
    west_first = old.find(".//{http://www.opengis.net/gml}coordinates").text.split()[0]
    assert west_first == f"{longitude},{latitude}"


@pytest.mark.parametrize("version", ["1.0.0", "1.1.0", "2.0.0"])
def test_the_schema_of_a_feature_type_compiles_but_for_its_imports(
    version, make_spec, ask_kvp
):
    spec = make_spec("wfs", seed=2)
    name = services.facts(spec).layers[0]
    root = etree.fromstring(
        ask_kvp(
            spec,
            f"SERVICE=WFS&VERSION={version}&REQUEST=DescribeFeatureType&TYPENAME={name}",
        ).body
    )
    assert root.tag == "{http://www.w3.org/2001/XMLSchema}schema"
    assert [e.get("name") for e in root.findall("{*}element")] == [
        name.rpartition(":")[2]
    ]
    assert {e.get("name") for e in root.iter("{*}element")} >= {"geom", "code", "value"}


def test_records_are_paged_to_the_end_without_loss(make_spec, ask_kvp):
    catalogue = make_spec("csw", "2.0.2", 2)
    listed = tuple(make_spec("wms", seed=s) for s in range(11))
    start, seen = 1, []
    while start:
        query = "SERVICE=CSW&VERSION=2.0.2&REQUEST=GetRecords&resultType=results&maxRecords=4"
        query += f"&startPosition={start}"
        results = etree.fromstring(ask_kvp(catalogue, query, listed).body).find(
            "{*}SearchResults"
        )
        seen += [
            r.findtext("{http://purl.org/dc/elements/1.1/}identifier") for r in results
        ]
        assert int(results.get("numberOfRecordsReturned")) == len(results) <= 4
        start = int(results.get("nextRecord"))
    assert (
        len(seen)
        == len(set(seen))
        == int(results.get("numberOfRecordsMatched"))
        == 11 + 6
    )


def test_hits_count_records_without_sending_them_and_a_record_is_had_by_its_id(
    make_spec, ask_kvp
):
    catalogue, listed = make_spec("csw", "2.0.2", 2), (make_spec("wms", seed=7),)
    base = "SERVICE=CSW&VERSION=2.0.2&REQUEST=GetRecords"
    hits = etree.fromstring(
        ask_kvp(catalogue, base + "&resultType=hits", listed).body
    ).find("{*}SearchResults")
    assert (hits.get("numberOfRecordsMatched"), len(hits)) == ("7", 0)
    first = (
        etree.fromstring(ask_kvp(catalogue, base + "&resultType=results", listed).body)
        .find(".//{*}identifier")
        .text
    )
    query = f"SERVICE=CSW&VERSION=2.0.2&REQUEST=GetRecordById&ELEMENTSETNAME=full&ID={first}"
    record = etree.fromstring(ask_kvp(catalogue, query, listed).body)
    assert [
        r.text for r in record.iter("{http://purl.org/dc/elements/1.1/}identifier")
    ] == [first]


def test_a_request_posted_as_xml_is_understood(make_spec, ask):
    catalogue = make_spec("csw", "2.0.2", 2)
    body = (
        b'<?xml version="1.0"?><csw:GetRecords xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" '
        b'service="CSW" version="2.0.2" resultType="results" startPosition="3" maxRecords="2">'
        b'<csw:Query typeNames="csw:Record">'
        b"<csw:ElementSetName>brief</csw:ElementSetName></csw:Query></csw:GetRecords>"
    )
    reply = ask(
        catalogue,
        catalogue.endpoint,
        method="POST",
        body=body,
        headers={"content-type": "text/xml"},
    )
    results = etree.fromstring(reply.body).find("{*}SearchResults")
    assert len(results.findall("{*}BriefRecord")) == 2
    assert results.get("nextRecord") == "5"


@pytest.mark.parametrize("version", ["1.0.0", "2.0.0"])
def test_a_sensor_tells_what_it_saw_and_what_it_is(version, make_spec, ask_kvp):
    spec = make_spec("sos", version, 2)
    name = services.facts(spec).layers[1]
    query = f"SERVICE=SOS&VERSION={version}&REQUEST="
    seen = etree.fromstring(
        ask_kvp(spec, f"{query}GetObservation&OFFERING={name}").body
    )
    assert (
        len(
            seen.xpath(
                "//*[local-name()='Observation' or local-name()='OM_Observation']"
            )
        )
        >= 12
    )
    sensor = f"urn:ogc:object:feature:Sensor:{name}"
    described = ask_kvp(spec, f"{query}DescribeSensor&PROCEDURE={sensor}").body
    assert sensor.encode() in described


def test_a_process_is_executed(make_spec, ask_kvp):
    spec = make_spec("wps", "1.0.0", 2)
    name = services.facts(spec).layers[0]
    body = ask_kvp(
        spec, f"SERVICE=WPS&VERSION=1.0.0&REQUEST=Execute&IDENTIFIER={name}"
    ).body
    root = etree.fromstring(body)
    assert root.find(".//{*}ProcessSucceeded") is not None
    assert float(root.findtext(".//{*}LiteralData")) >= 0


def test_restful_capabilities_name_tiles_that_are_there(make_spec, ask):
    spec = make_spec("wmts", seed=1)
    root = etree.fromstring(ask(spec, services.request_url(spec)).body)
    template = root.find(".//{*}ResourceURL").get("template")
    style = root.findtext(".//{*}Style/{http://www.opengis.net/ows/1.1}Identifier")
    values = {
        "Style": style,
        "TileMatrixSet": "GoogleMapsCompatible",
        "TileMatrix": "3",
        "TileRow": "2",
        "TileCol": "4",
    }
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", value)
    assert ask(spec, template).body.startswith(b"\x89PNG")
    beyond = ask(spec, template.replace("/3/2/4.png", "/3/2/8.png"))
    assert b"TileOutOfRange" in beyond.body


def test_the_legends_that_capabilities_name_are_there(make_spec, ask):
    for seed in range(8):
        spec = make_spec("wms", "1.3.0", seed)
        root = etree.fromstring(ask(spec, services.request_url(spec)).body)
        links = root.findall(".//{*}LegendURL/{*}OnlineResource")
        assert len(links) == 6
        for link in links:
            url = link.get("{http://www.w3.org/1999/xlink}href")
            assert url.isascii()
            assert ask(spec, url).body.startswith(b"\x89PNG")
