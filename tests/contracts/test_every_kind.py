"""What holds for every kind of service, ours and those of plug-ins."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st

from geohound import plugins
from geohound.contracts import Kind
from geohound.document import Document
from geohound.model.bbox import BBox
from geohound.model.service import Extent, Layer, Operation, Service
from geohound.model.visit import Response
from geohound.urls import OWS_PARAMS, canonical, params, params_lower

KINDS = plugins.discover("kinds")
KEY_VALUE = ("wms", "wfs", "wcs", "wcps", "wmts", "wps", "csw", "sos", "sps", "ows")
LOOKALIKES = {
    "feature schema": '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:wfs="http://www.opengis.net/wfs"/>',
    "catalogue records": '<csw:GetRecordsResponse xmlns:csw="http://www.opengis.net/cat/csw/2.0.2"/>',
    "layer description": '<WMS_DescribeLayerResponse version="1.1.1"/>',
    "style": '<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"/>',
    "schema of capabilities": '<schema xmlns="http://www.w3.org/2001/XMLSchema" id="WMS_Capabilities"/>',
    "ISO metadata": '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"/>',
    "features": '<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" numberOfFeatures="0"/>',
    "GeoJSON": '{"type": "FeatureCollection", "features": []}',
    "WSDL": '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" name="wfs"/>',
    "a request": '<GetCapabilities service="WFS" xmlns="http://www.opengis.net/wfs"/>',
    "a SOAP request": '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><csw:GetCapabilities'
    " "
    'xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" service="CSW"/></s:Body></s:Envelope>',
    "filter capabilities": '<fes:Filter_Capabilities xmlns:fes="http://www.opengis.net/fes/2.0"/>',
    "extended capabilities": '<i:ExtendedCapabilities xmlns:i="http://inspire.ec.europa.eu/schemas/x/1.0"/>',
    "coverage description": '<CoverageDescriptions xmlns="http://www.opengis.net/wcs/2.0"/>',
    "process description": '<ProcessDescriptions xmlns="http://www.opengis.net/wps/1.0.0" service="WPS"/>',
    "an exception": '<ServiceExceptionReport version="1.3.0"><ServiceException/></ServiceExceptionReport>',
    "a documentation page": "<html><body><h1>WMS</h1><pre>&lt;WMS_Capabilities&gt;</pre></body></html>",
    "tool configuration": '<GDAL_WMS><Service name="WMS"><Version>1.1.1</Version></Service></GDAL_WMS>',
    "prose": "WMS_Capabilities and how to read them",
    "package file": '{"name": "wms-client", "version": "1.3.0", "dependencies": {}}',
    "nothing": "",
}
URLS = st.one_of(
    st.text(max_size=80),
    st.from_regex(
        r"https?://[a-z]{1,8}\.test(/[A-Za-z0-9%._-]{0,8}){0,3}(\?[A-Za-z&=%/.]{0,30})?(#.{0,5})?",
        fullmatch=True,
    ),
)


@pytest.fixture(params=KINDS.values(), ids=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def document(text: str) -> Document:
    url = "http://x.test/answer"
    return Document(
        Response(url, url, 200, {}, text.encode(), datetime(2024, 1, 1, tzinfo=UTC))
    )


def test_it_is_named_for_people_and_programs(kind: Kind) -> None:
    assert kind.id == kind.id.lower().strip() != ""
    assert kind.title
    assert kind.protocol


def test_its_reader_is_spared_documents_that_show_nothing_of_it(kind: Kind) -> None:
    def reader(_: Document) -> Service:
        return Service(kind.id, "http://x.test/")

    eager = replace(kind, reader=reader)
    assert eager.read(document("<html><body>no service</body></html>")) is None
    assert eager.read(document("<rss/>")) is None
    assert eager.read(document('{"nothing": "known"}')) is None
    assert eager.read(document("nothing known")) is None


@fuzzed(60)
@given(url=URLS)
def test_no_address_whatever_makes_any_kind_stumble(url: str) -> None:
    for each in KINDS.values():
        assert each.suspects(url) in (True, False)
        assert len(each.probe_urls(url)) <= 3


PLACES = (None, BBox(-60.0, -10.0, -50.0, 0.0), BBox(170.0, -20.0, -170.0, 10.0))
TILES = Operation("GetTile", "https://a.example/{z}/{x}/{y}.png")
OFFERED = (
    Layer(
        "forest",
        "Forest",
        extent=Extent(BBox(-75.0, -34.0, -34.0, 6.0)),
        links=("https://a.example/forest/0",),
    ),
    Layer("plain"),
    Layer(""),
)


@pytest.mark.parametrize("box", PLACES)
@pytest.mark.parametrize("layer", OFFERED, ids=lambda layer: layer.name)
def test_something_can_be_asked_of_every_layer_and_of_the_service_itself(
    kind: Kind, layer: Layer, box: BBox | None
) -> None:
    service = Service(
        kind.id, "https://a.example/x?map=/a.map", layers=(layer,), operations=(TILES,)
    )
    asked = kind.requests(service, layer, box)
    assert asked
    for request in asked:
        assert request.url == request.url.strip()
        assert canonical(request.url), request
        assert request.title
        assert request.is_part == (box is not None)
        assert not request.box.crosses_antimeridian
    assert len({request.url for request in asked}) == len(asked)


@pytest.mark.parametrize("lookalike", LOOKALIKES)
def test_what_only_looks_like_a_service_is_claimed_by_no_kind(lookalike: str) -> None:
    answer = document(LOOKALIKES[lookalike])
    assert [
        k for k, each in KINDS.items() if isinstance(each.read(answer), Service)
    ] == []


@pytest.mark.parametrize("name", KEY_VALUE)
def test_a_key_value_probe_keeps_what_the_vendor_wants_and_drops_the_old_request(
    name: str,
) -> None:
    url = "http://x.test/cgi/serve?map=/data/a%20b.map&Service=WMS&request=GetMap&LAYERS=a&TOKEN=t"
    first = KINDS[name].probe_urls(url)[0]
    assert {("map", "/data/a b.map"), ("TOKEN", "t")} <= set(params(first))
    asked = params_lower(first)
    assert asked["request"] == "GetCapabilities"
    assert "layers" not in asked
    assert len([k for k, _ in params(first) if k.lower() in OWS_PARAMS]) == 2


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("wms", "http://x.test/geoserver/wms"),
        ("wms", "http://x.test/any?SERVICE=wms&request=GetMap"),
        ("wms", "http://x.test/arcgis/services/A/MapServer/WMSServer"),
        ("wms", "http://x.test/cgi-bin/mapserv?map=/a.map"),
        ("wfs", "http://x.test/geoserver/ows"),
        ("wfs", "http://x.test/wfs?"),
        ("wmts", "http://x.test/tiles/1.0.0/WMTSCapabilities.xml"),
        ("csw", "http://x.test/geonetwork/srv/eng/csw"),
        ("wps", "http://x.test/wps"),
        ("sos", "http://x.test/52n-sos-webapp/service"),
        ("wcs", "http://x.test/thredds/wcs/a/b.nc"),
    ],
)
def test_a_telling_address_is_suspected(name: str, url: str) -> None:
    assert KINDS[name].suspects(url)


@pytest.mark.parametrize("name", KEY_VALUE)
def test_plain_pages_are_not_suspected(name: str) -> None:
    for url in (
        "http://x.test/",
        "http://x.test/news/2024/rivers.html",
        "http://x.test/a.pdf",
        "http://x.test/?page=2",
    ):
        assert not KINDS[name].suspects(url)
