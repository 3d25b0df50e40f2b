"""OWSLib, written by others, reads what the geoweb's services write."""

from __future__ import annotations

import pytest
from owslib import ows
from owslib.catalogue import csw2, csw3
from owslib.coverage.wcs100 import WebCoverageService_1_0_0
from owslib.coverage.wcs200 import WebCoverageService_2_0_0
from owslib.coverage.wcs201 import WebCoverageService_2_0_1
from owslib.etree import etree
from owslib.iso import MD_Metadata
from owslib.map.wms111 import WebMapService_1_1_1
from owslib.map.wms130 import WebMapService_1_3_0
from owslib.sos import SensorObservationService
from owslib.wfs import WebFeatureService
from owslib.wmts import WebMapTileService
from owslib.wps import WebProcessingService

from geoweb import services

SEEDS = range(8)


@pytest.mark.parametrize(
    ("version", "reader"),
    [("1.1.1", WebMapService_1_1_1), ("1.3.0", WebMapService_1_3_0)],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_wms_is_read(version, reader, seed, make_spec, ask):
    spec = make_spec("wms", version, seed)
    facts = services.facts(spec)
    read = reader(spec.endpoint, version=version, xml=ask(spec, facts.proof_url).body)
    assert read.identification.title == facts.title
    assert tuple(read.contents) == facts.layers
    for layer in read.contents.values():
        west, south, east, north = layer.boundingBoxWGS84
        assert 5.5 <= west < east <= 15
        assert 45.25 <= south < north <= 55
        assert "EPSG:3857" in layer.crsOptions


@pytest.mark.parametrize("version", ["1.0.0", "1.1.0", "2.0.0"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_wfs_is_read(version, seed, make_spec, ask):
    spec = make_spec("wfs", version, seed)
    facts = services.facts(spec)
    read = WebFeatureService(
        spec.endpoint, version=version, xml=ask(spec, facts.proof_url).body
    )
    assert read.identification.title == facts.title
    assert tuple(read.contents) == facts.layers
    assert {"GetCapabilities", "DescribeFeatureType", "GetFeature"} <= {
        o.name for o in read.operations
    }
    for feature_type in read.contents.values():
        west, south, east, north = feature_type.boundingBoxWGS84
        assert 5.5 <= west < east <= 15
        assert 45.25 <= south < north <= 55


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wcs_1_0_is_read(seed, make_spec, ask):
    spec = make_spec("wcs", "1.0.0", seed)
    facts = services.facts(spec)
    read = WebCoverageService_1_0_0(
        spec.endpoint, ask(spec, facts.proof_url).body, None
    )
    assert read.identification.title == facts.title
    assert tuple(read.contents) == facts.layers
    assert all(
        5.5 <= c.boundingBoxWGS84[0] < c.boundingBoxWGS84[2] <= 15
        for c in read.contents.values()
    )


@pytest.mark.parametrize(
    ("kind", "version", "reader"),
    [
        ("wcs", "2.0.0", WebCoverageService_2_0_0),
        ("wcs", "2.0.1", WebCoverageService_2_0_1),
        ("wcps", "2.0.1", WebCoverageService_2_0_1),
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_wcs_2_is_read(kind, version, reader, seed, make_spec, ask):
    spec = make_spec(kind, version, seed)
    facts = services.facts(spec)
    read = reader(spec.endpoint, ask(spec, facts.proof_url).body, None)
    assert read.identification.title == facts.title
    assert tuple(read.contents) == facts.layers
    assert ("ProcessCoverages" in {o.name for o in read.operations}) == (kind == "wcps")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wmts_is_read(seed, make_spec, ask):
    spec = make_spec("wmts", seed=seed)
    facts = services.facts(spec)
    read = WebMapTileService(spec.endpoint, xml=ask(spec, facts.proof_url).body)
    assert read.identification.title == facts.title
    assert tuple(read.contents) == facts.layers
    assert "GoogleMapsCompatible" in read.tilematrixsets


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wps_is_read(seed, make_spec, ask):
    spec = make_spec("wps", "1.0.0", seed)
    facts = services.facts(spec)
    read = WebProcessingService(spec.endpoint, version="1.0.0", skip_caps=True)
    read.getcapabilities(xml=ask(spec, facts.proof_url).body)
    assert read.identification.title == facts.title
    assert tuple(p.identifier for p in read.processes) == facts.layers


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wps_process_description_is_read(seed, make_spec, ask_kvp):
    spec = make_spec("wps", "1.0.0", seed)
    name = services.facts(spec).layers[0]
    read = WebProcessingService(spec.endpoint, version="1.0.0", skip_caps=True)
    body = ask_kvp(
        spec, f"SERVICE=WPS&VERSION=1.0.0&REQUEST=DescribeProcess&IDENTIFIER={name}"
    ).body
    process = read.describeprocess(name, xml=body)
    assert process.identifier == name
    assert [i.identifier for i in process.dataInputs] == ["distance"]
    assert [o.identifier for o in process.processOutputs] == ["result"]


@pytest.mark.parametrize(
    ("version", "space"),
    [
        ("2.0.2", "http://www.opengis.net/ows"),
        ("3.0.0", "http://www.opengis.net/ows/2.0"),
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_identification_of_a_csw_is_read(version, space, seed, make_spec, ask):
    spec = make_spec("csw", version, seed)
    facts = services.facts(spec)
    root = etree.fromstring(ask(spec, facts.proof_url).body)
    found = ows.ServiceIdentification(
        root.find(f"{{{space}}}ServiceIdentification"), space
    )
    assert found.title == facts.title
    assert version in found.versions
    operations = [
        ows.OperationsMetadata(o, space) for o in root.iter(f"{{{space}}}Operation")
    ]
    assert {"GetCapabilities", "GetRecords", "GetRecordById"} <= {
        o.name for o in operations
    }
    assert all(o.methods[0]["url"].startswith(spec.endpoint) for o in operations)


@pytest.mark.parametrize(
    ("version", "reader"), [("2.0.2", csw2.CswRecord), ("3.0.0", csw3.Csw30Record)]
)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_records_of_a_csw_tell_of_the_services_listed(
    version, reader, seed, make_spec, ask_kvp
):
    catalogue = make_spec("csw", version, seed)
    listed = (make_spec("wms", seed=7), make_spec("wfs", seed=8))
    query = f"SERVICE=CSW&VERSION={version}&REQUEST=GetRecords&RESULTTYPE=results"
    query += "&ELEMENTSETNAME=full&MAXRECORDS=2"
    root = etree.fromstring(ask_kvp(catalogue, query, listed).body)
    records = [reader(node) for node in root.iter("{*}Record")]
    assert [r.title for r in records] == [services.facts(s).title for s in listed]
    assert [r.type for r in records] == ["service", "service"]
    assert [r.references[0]["url"] for r in records] == [
        services.request_url(listed[0]),
        listed[1].endpoint,
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_iso_records_of_a_csw_are_read(seed, make_spec, ask_kvp):
    catalogue, listed = make_spec("csw", "2.0.2", seed), (make_spec("wms", seed=7),)
    query = (
        "SERVICE=CSW&VERSION=2.0.2&REQUEST=GetRecords&RESULTTYPE=results&ELEMENTSETNAME=full&MAXRECORDS=1"
        "&OUTPUTSCHEMA=http://www.isotc211.org/2005/gmd"
    )
    root = etree.fromstring(ask_kvp(catalogue, query, listed).body)
    record = MD_Metadata(
        next(root.iter("{http://www.isotc211.org/2005/gmd}MD_Metadata"))
    )
    assert record.hierarchy == "service"
    assert record.identification[0].title == services.facts(listed[0]).title
    assert [(o.protocol, o.url) for o in record.distribution.online] == [
        ("OGC:WMS", services.request_url(listed[0]))
    ]


@pytest.mark.parametrize("version", ["1.0.0", "2.0.0"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_sos_is_read(version, seed, make_spec, ask):
    spec = make_spec("sos", version, seed)
    facts = services.facts(spec)
    read = SensorObservationService(
        spec.endpoint, version=version, xml=ask(spec, facts.proof_url).body
    )
    assert read.identification.title == facts.title
    assert tuple(o.id for o in read.offerings) == facts.layers
    for offering in read.offerings:
        assert offering.begin_position < offering.end_position
