"""Servers of scientific data and sensors: THREDDS, OPeNDAP, ERDDAP and SensorThings."""

from __future__ import annotations

from datetime import UTC, datetime

import orjson
import pytest

from geohound.document import Document
from geohound.kinds import erddap, opendap, sensorthings, thredds
from geohound.model.service import Refusal, RefusalReason, Service
from geohound.model.visit import Response

(THREDDS,) = thredds.KINDS
(OPENDAP,) = opendap.KINDS
(ERDDAP,) = erddap.KINDS
(STA,) = sensorthings.KINDS


def document(body: bytes | object, url: str) -> Document:
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    return Document(Response(url, url, 200, {}, raw, datetime(2024, 1, 1, tzinfo=UTC)))


CATALOG = b"""<catalog name="Ocean" version="1.2"
 xmlns="http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0"
 xmlns:xlink="http://www.w3.org/1999/xlink"><service name="all" serviceType="Compound" base="">
 <service name="odap" serviceType="OPENDAP" base="/thredds/dodsC/"/>
 <service name="wms" serviceType="WMS" base="/thredds/wms/"/>
 <service name="http" serviceType="HTTPServer" base="/thredds/fileServer/"/></service>
 <dataset name="Waves"><dataset name="2020" ID="w/2020" urlPath="w/2020.nc"><geospatialCoverage>
 <northsouth><start>47</start><size>8</size></northsouth>
 <eastwest><start>5</start><size>10</size></eastwest>
 </geospatialCoverage></dataset></dataset>
 <catalogRef xlink:href="more/catalog.xml" xlink:title="More"/></catalog>"""


def test_a_thredds_catalogue_reveals_the_doors_of_its_datasets() -> None:
    service = THREDDS.read(document(CATALOG, "http://a.test/thredds/catalog.xml"))
    assert isinstance(service, Service)
    assert [(layer.name, layer.parent) for layer in service.layers] == [
        ("Waves", ""),
        ("2020", "Waves"),
        ("More", ""),
    ]
    assert set(service.links) == {
        "http://a.test/thredds/dodsC/w/2020.nc.dds",
        "http://a.test/thredds/wms/w/2020.nc?service=WMS&request=GetCapabilities",
        "http://a.test/thredds/more/catalog.xml",
    }
    assert service.extent is not None
    assert service.extent.box is not None
    assert service.extent.box.as_tuple() == (5, 47, 15, 55)


@pytest.mark.parametrize(
    "body",
    [
        b'<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"><public uri="b"/></catalog>',
        b"<catalog><book/></catalog>",
        b'<dataset xmlns="http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0"/>',
    ],
)
def test_other_catalogues_in_xml_are_no_thredds(body: bytes) -> None:
    assert THREDDS.read(document(body, "http://a.test/catalog.xml")) is None


def test_the_html_view_of_a_catalogue_is_asked_for_in_xml() -> None:
    assert THREDDS.probe_urls(
        "http://a.test/thredds/catalog/x/catalog.html?dataset=y"
    ) == ("http://a.test/thredds/catalog/x/catalog.xml",)
    assert THREDDS.probe_urls("http://a.test/thredds/dodsC/x.nc") == (
        "http://a.test/thredds/catalog.xml",
    )


DDS = b"""Dataset {
    Float64 time[time = 2];
    Grid { ARRAY: Float32 temp[time = 2][lat = 3]; MAPS: Float64 time[time = 2]; Float64 lat[lat = 3]; } temp;
    Sequence { String station; Float32 depth; } s;
} ocean.nc;"""


def test_a_dds_names_variables_grids_and_fields_of_sequences() -> None:
    service = OPENDAP.read(document(DDS, "http://a.test/thredds/dodsC/ocean.nc.dds"))
    assert isinstance(service, Service)
    assert service.endpoint == "http://a.test/thredds/dodsC/ocean.nc"
    assert [layer.name for layer in service.layers] == [
        "time",
        "temp",
        "station",
        "depth",
    ]
    assert service.companions == ("http://a.test/thredds/dodsC/ocean.nc.das",)


def test_a_das_has_title_and_box() -> None:
    body = b"""Attributes {
    temp { String units "K"; }
    NC_GLOBAL { String title "Ocean of the town"; String institution "Town"; Float64 geospatial_lat_min 47.0;
    Float64 geospatial_lat_max 55.0; Float64 geospatial_lon_min 5.0; Float64 geospatial_lon_max 15.0; }
}"""
    service = OPENDAP.read(document(body, "http://a.test/opendap/ocean.nc.das"))
    assert isinstance(service, Service)
    assert (service.title, service.provider.name) == ("Ocean of the town", "Town")
    assert [layer.name for layer in service.layers] == ["temp"]
    assert service.extent is not None
    assert service.extent.box is not None
    assert service.extent.box.as_tuple() == (5, 47, 15, 55)


def test_an_opendap_error_is_a_refusal_only_at_an_opendap_address() -> None:
    body = b'Error { code = 404; message = "ocean.nc"; };'
    found = OPENDAP.read(document(body, "http://a.test/opendap/ocean.nc.dds"))
    assert isinstance(found, Refusal)
    assert (found.reason, found.kind) == (RefusalReason.NOT_FOUND, "opendap")
    assert OPENDAP.read(document(body, "http://a.test/log.txt")) is None


@pytest.mark.parametrize(
    "body",
    [b"Dataset { in a sentence", b"dataset = {}", b"<Dataset/>", b"Attributes of data"],
)
def test_texts_that_merely_begin_alike_are_no_dataset(body: bytes) -> None:
    assert OPENDAP.read(document(body, "http://a.test/opendap/x.dds")) is None


def test_erddap_tells_its_version_and_lists_its_datasets() -> None:
    version = ERDDAP.read(
        document(b"ERDDAP_version=2.23\n", "http://a.test/erddap/version")
    )
    assert isinstance(version, Service)
    assert (version.version, version.endpoint) == ("2.23", "http://a.test/erddap")
    columns = [
        "datasetID",
        "title",
        "minLongitude",
        "maxLongitude",
        "minLatitude",
        "maxLatitude",
        "griddap",
        "wms",
    ]
    rows = [
        ["allDatasets", "All", None, None, None, None, "", ""],
        [
            "sst",
            "Surface",
            5,
            15,
            47,
            55,
            "http://a.test/erddap/griddap/sst",
            "http://a.test/erddap/wms/sst/request",
        ],
    ]
    table = {"table": {"columnNames": columns, "rows": rows}}
    service = ERDDAP.read(
        document(table, "http://a.test/erddap/tabledap/allDatasets.json")
    )
    assert isinstance(service, Service)
    assert [layer.name for layer in service.layers] == ["sst"]
    assert service.links == (
        "http://a.test/erddap/wms/sst/request",
        "http://a.test/erddap/griddap/sst.dds",
    )
    assert service.extent is not None


@pytest.mark.parametrize(
    "value",
    [
        {"table": {"columnNames": ["a"], "rows": [[1]]}},
        {"table": {"columnNames": ["Resource", "URL"], "rows": []}},
    ],
)
def test_other_tables_are_no_erddap(value: object) -> None:
    assert ERDDAP.read(document(value, "http://a.test/table.json")) is None


def entity_sets(*names: str) -> list[dict[str, str]]:
    return [{"name": n, "url": f"http://a.test/FROST/v1.1/{n}"} for n in names]


def test_the_root_of_sensorthings_lists_its_entity_sets() -> None:
    value = {
        "value": entity_sets("Things", "Datastreams", "Observations"),
        "serverSettings": {},
    }
    service = STA.read(document(value, "http://a.test/FROST/v1.1/"))
    assert isinstance(service, Service)
    assert (service.endpoint, service.version) == ("http://a.test/FROST/v1.1", "1.1")
    assert [layer.name for layer in service.layers] == [
        "Things",
        "Datastreams",
        "Observations",
    ]
    assert STA.probe_urls("http://a.test/FROST/v1.1/Things(1)/Datastreams?$top=1")[
        0
    ].startswith("http://a.test/FROST/v1.1")


@pytest.mark.parametrize(
    "value",
    [
        {"value": [{"@iot.id": 1, "name": "Datastreams"}]},
        {"value": entity_sets("Things", "Sensors", "Locations")},
        {
            "@odata.context": "x",
            "value": [{"name": "Products", "kind": "EntitySet", "url": "Products"}],
        },
        {"value": 3},
    ],
)
def test_data_and_other_odata_services_are_no_sensorthings(value: object) -> None:
    assert STA.read(document(value, "http://a.test/odata/")) is None
