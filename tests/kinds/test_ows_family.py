"""Each OGC kind reads its own capabilities, and what only looks like them belongs to none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from geohound import plugins
from geohound.document import Document
from geohound.model.bbox import BBox
from geohound.model.service import Service
from geohound.model.visit import Response

OWS11 = 'xmlns:ows="http://www.opengis.net/ows/1.1" xmlns:xlink="http://www.w3.org/1999/xlink"'
BOX = (
    "<ows:WGS84BoundingBox><ows:LowerCorner>5 47</ows:LowerCorner>"
    "<ows:UpperCorner>15 55</ows:UpperCorner></ows:WGS84BoundingBox>"
)
ABOUT = (
    "<ows:ServiceIdentification><ows:Title>T</ows:Title><ows:ServiceType>{type}</ows:ServiceType>"
    "<ows:ServiceTypeVersion>{version}</ows:ServiceTypeVersion>{more}</ows:ServiceIdentification>"
)


def capabilities(
    space: str, version: str, contents: str, kind: str = "X", more: str = ""
) -> str:
    about = ABOUT.format(type=kind, version=version or "1.0.0", more=more)
    stated = f'version="{version}"' if version else ""
    declared = f'xmlns="{space}"' if space else ""
    return f"<Capabilities {stated} {declared} {OWS11}>{about}{contents}</Capabilities>"


def read_all(text: str) -> dict[str, Service]:
    url = "http://x.test/ows"
    document = Document(
        Response(url, url, 200, {}, text.encode(), datetime(2024, 1, 1, tzinfo=UTC))
    )
    answers = (
        (k, kind.read(document)) for k, kind in plugins.discover("kinds").items()
    )
    return {k: found for k, found in answers if isinstance(found, Service)}


WCS = "http://www.opengis.net/wcs/2.0"
COVERAGE = f"<Contents><CoverageSummary><CoverageId>dem</CoverageId>{BOX}</CoverageSummary></Contents>"
GROUPED = (
    f"<Contents><CoverageSummary><ows:Title>g</ows:Title><CoverageSummary><ows:Title>c</ows:Title>{BOX}"
    "<Identifier>dem</Identifier></CoverageSummary></CoverageSummary></Contents>"
)
TILES = (
    f"<Contents><Layer><ows:Title>L</ows:Title>{BOX}<ows:Identifier>dem</ows:Identifier><Format>image/png</Format>"
    "<TileMatrixSetLink><TileMatrixSet>g</TileMatrixSet></TileMatrixSetLink>"
    '<ResourceURL format="image/png" resourceType="tile" template="http://x.test/{TileMatrix}.png"/></Layer>'
    "<TileMatrixSet><ows:Identifier>g</ows:Identifier><ows:SupportedCRS>urn:ogc:def:crs:EPSG::3857</ows:SupportedCRS>"
    "</TileMatrixSet></Contents>"
)
PROCESS = (
    "<Process><ows:Identifier>dem</ows:Identifier><ows:Title>p</ows:Title></Process>"
)
OFFERING = (
    '<ObservationOffering xmlns:gml="http://www.opengis.net/gml" gml:id="dem"><gml:boundedBy>'
    '<gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>47 5</gml:lowerCorner>'
    "<gml:upperCorner>55 15</gml:upperCorner></gml:Envelope></gml:boundedBy></ObservationOffering>"
)
SENSOR = (
    '<swes:offering xmlns:swes="http://www.opengis.net/swes/2.0"><SensorOffering><swes:identifier>dem'
    "</swes:identifier></SensorOffering></swes:offering>"
)
CASES = {
    "wcs 2.0.1": ("wcs", capabilities(WCS, "2.0.1", COVERAGE)),
    "wcs 2.1": (
        "wcs",
        capabilities("http://www.opengis.net/wcs/2.1", "2.1.0", COVERAGE),
    ),
    "wcs 1.1.1": (
        "wcs",
        capabilities("http://www.opengis.net/wcs/1.1.1", "1.1.1", GROUPED),
    ),
    "wmts": ("wmts", capabilities("http://www.opengis.net/wmts/1.0", "1.0.0", TILES)),
    "wmts without namespace": ("wmts", capabilities("", "1.0.0", TILES, "OGC WMTS")),
    "wmts without namespace and type": ("wmts", capabilities("", "1.0.0", TILES)),
    "wmts with an undeclared prefix": (
        "wmts",
        capabilities("", "1.0.0", TILES).replace("Capabilities", "wmts:Capabilities"),
    ),
    "wps 1.0": (
        "wps",
        capabilities(
            "http://www.opengis.net/wps/1.0.0",
            "1.0.0",
            f"<ProcessOfferings>{PROCESS}</ProcessOfferings>",
        ),
    ),
    "wps 2.0": (
        "wps",
        capabilities(
            "http://www.opengis.net/wps/2.0",
            "2.0.0",
            f"<Contents>{PROCESS.replace('Process>', 'ProcessSummary>')}</Contents>",
        ),
    ),
    "sos 1.0": (
        "sos",
        capabilities(
            "http://www.opengis.net/sos/1.0",
            "1.0.0",
            f"<Contents><ObservationOfferingList>{OFFERING}</ObservationOfferingList></Contents>",
        ),
    ),
    "sps 2.0": (
        "sps",
        capabilities(
            "http://www.opengis.net/sps/2.0",
            "2.0.0",
            f"<contents><SPSContents>{SENSOR}</SPSContents></contents>",
        ),
    ),
    "another service": (
        "ows",
        capabilities(
            "http://www.opengis.net/wns/0.0.9",
            "0.0.9",
            "<Contents><X><Identifier>dem</Identifier></X></Contents>",
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_kind_reads_it_with_its_offerings(case: str) -> None:
    kind, text = CASES[case]
    found = read_all(text)
    assert list(found) == [kind]
    service = found[kind]
    assert service.title == "T"
    assert [layer.name for layer in service.layers] == ["dem"]
    if kind in ("wcs", "wmts", "sos"):
        assert service.extent is not None
        assert service.extent.box == BBox(5, 47, 15, 55)


@pytest.mark.parametrize(
    ("space", "version", "kind"),
    [
        ("http://www.opengis.net/cat/csw/2.0.2", "2.0.2", "csw"),
        ("http://www.opengis.net/cat/csw", "2.0.1", "csw"),
        ("http://www.opengis.net/cat/csw/3.0", "3.0.0", "csw"),
    ],
)
def test_catalogues_of_every_version_are_read(
    space: str, version: str, kind: str
) -> None:
    operations = (
        '<ows:OperationsMetadata><ows:Operation name="GetRecords"><ows:DCP><ows:HTTP>'
        '<ows:Get xlink:href="/csw"/>'
        '<ows:Post xlink:href="http://x.test/post"/></ows:HTTP></ows:DCP></ows:Operation></ows:OperationsMetadata>'
    )
    service = read_all(capabilities(space, version, operations))[kind]
    assert service.version == version
    assert [(o.name, o.get, o.post) for o in service.operations] == [
        ("GetRecords", "http://x.test/csw", "http://x.test/post")
    ]


@pytest.mark.parametrize(
    ("space", "version"),
    [
        ("http://www.opengis.net/wcs/2.0", "2.0.1"),
        ("http://www.opengis.net/wps/1.0.0", "1.0.0"),
        ("http://www.opengis.net/sos/2.0", "2.0.0"),
        ("http://www.opengis.net/cat/csw/2.0.2", "2.0.2"),
    ],
)
def test_a_version_left_out_is_taken_from_service_type_version_or_namespace(
    space: str, version: str
) -> None:
    text = capabilities(space, "", "").replace(
        "<ows:ServiceTypeVersion>1.0.0</ows:ServiceTypeVersion>", ""
    )
    (service,) = read_all(text).values()
    assert service.version == version
    stated = capabilities(space, "", "").replace(
        "1.0.0</ows:ServiceTypeVersion>", "9.9.9</ows:ServiceTypeVersion>"
    )
    assert next(iter(read_all(stated).values())).version == "9.9.9"


def test_wcps_is_seen_beside_wcs_by_operation_or_profile() -> None:
    operation = '<ows:OperationsMetadata><ows:Operation name="ProcessCoverages"/></ows:OperationsMetadata>'
    profile = "<ows:Profile>http://www.opengis.net/spec/WCS_service-extension_processing/2.0/conf/x</ows:Profile>"
    assert set(read_all(capabilities(WCS, "2.0.1", operation + COVERAGE))) == {
        "wcs",
        "wcps",
    }
    assert set(read_all(capabilities(WCS, "2.0.1", COVERAGE, more=profile))) == {
        "wcs",
        "wcps",
    }
    assert set(read_all(capabilities(WCS, "2.0.1", COVERAGE))) == {"wcs"}


def test_a_restful_tile_service_without_operations_has_its_template() -> None:
    service = read_all(CASES["wmts"][1])["wmts"]
    assert service.layers[0].links == ("http://x.test/{TileMatrix}.png",)
    assert service.layers[0].crs == ("EPSG:3857",)
    assert service.operations[0].get == "http://x.test/{TileMatrix}.png"


def test_two_feature_type_lists_are_one() -> None:
    types = (
        "<FeatureTypeList><FeatureType><Name>{}</Name></FeatureType></FeatureTypeList>"
    )
    text = f'<WFS_Capabilities version="1.1.0" {OWS11}>{types.format("a")}{types.format("b")}</WFS_Capabilities>'
    assert [layer.name for layer in read_all(text)["wfs"].layers] == ["a", "b"]


def test_the_answer_of_a_wfs_1_0_is_read_with_its_empty_format_elements() -> None:
    text = """<WFS_Capabilities version="1.0.0" xmlns="http://www.opengis.net/wfs"><Service><Title>T</Title>
    <Keywords>a, b c</Keywords><OnlineResource>http://x.test/wfs</OnlineResource><Fees>none</Fees></Service>
    <Capability><Request><GetFeature><ResultFormat><GML2/><SHAPE-ZIP/></ResultFormat><DCPType><HTTP>
    <Get onlineResource="http://x.test/get?"/></HTTP></DCPType></GetFeature></Request></Capability>
    <FeatureTypeList><FeatureType><Name>n</Name><SRS>EPSG:4326</SRS>
    <LatLongBoundingBox minx="5" miny="47" maxx="15" maxy="55"/></FeatureType></FeatureTypeList>
    </WFS_Capabilities>"""
    service = read_all(text)["wfs"]
    assert service.keywords == ("a", "b c")
    assert service.formats == ("GML2", "SHAPE-ZIP")
    assert service.operations[0].get == "http://x.test/get?"
    assert service.extent is not None
    assert service.extent.box == BBox(5, 47, 15, 55)
