"""Bare endpoints on neutral hosts (PH-3; Li, Wang & Bhatia 2016, Fig. 3, lines 12 to 14, and Table 1)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from geohound import app, probe
from geohound.document import Document
from geohound.model.service import Verdict
from geohound.model.visit import Response
from geoweb import Request, ServiceSpec, services

ALL_SEVEN = {
    "wms": "1.3.0",
    "wfs": "2.0.0",
    "wcs": "2.0.1",
    "wmts": "1.0.0",
    "wps": "1.0.0",
    "csw": "2.0.2",
    "sos": "2.0.0",
}
REPORT = """<?xml version="1.0"?><ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1" version="1.1.0">
<ows:Exception exceptionCode="InvalidParameterValue" locator="service"><ows:ExceptionText>{}</ows:ExceptionText>
</ows:Exception></ows:ExceptionReport>"""
Way = Callable[["Server", str], Verdict]


class Server:
    """One endpoint with some services; every other request gets the same words, as a report or as a page."""

    def __init__(
        self,
        endpoint: str,
        kinds: list[str],
        otherwise: str = "Unknown service",
        page: str = "",
    ) -> None:
        self.specs = {
            kind.upper(): ServiceSpec(kind, ALL_SEVEN[kind], 3, endpoint)
            for kind in kinds
        }
        self.otherwise = otherwise
        self.page = page
        self.asked: list[str] = []

    async def fetch(self, url: str, **_: object) -> Response:
        self.asked.append(url)
        head, _, query = url.partition("?")
        named = next(
            (kind for kind in self.specs if f"SERVICE={kind}&" in f"{query}&"), ""
        )
        if named:
            path = "/" + head.split("/", 3)[3]
            reply = services.answer(
                self.specs[named], Request("GET", "data.test", path, query)
            )
            assert reply is not None
            return _response(url, reply.status, reply.content_type, reply.body)
        if self.page:
            return _response(
                url, 200, "text/html", f"<html><body>{self.page}</body></html>".encode()
            )
        return _response(url, 200, "text/xml", REPORT.format(self.otherwise).encode())

    async def close(self) -> None: ...


def _response(url: str, status: int, content_type: str, body: bytes) -> Response:
    return Response(
        url,
        url,
        status,
        {"content-type": content_type},
        body,
        datetime(2026, 1, 1, tzinfo=UTC),
    )


def identify(server: Server, url: str) -> Verdict:
    return asyncio.run(probe.identify(url, server, app.kinds()))


def identify_page(server: Server, url: str) -> Verdict:
    """As a crawl does with what does not look like a service: the page is read first."""
    page = asyncio.run(server.fetch(url))
    return asyncio.run(probe.identify(url, server, app.kinds(), known=Document(page)))


ANYWHERE = "http://data.test/data/gateway"  # an address that says nothing; that it is read says all
WAYS = [
    pytest.param(identify, "http://data.test/ows", id="asked at ows"),
    pytest.param(identify, "http://data.test/service", id="asked at service"),
    pytest.param(identify, "http://data.test/endpoint", id="asked at endpoint"),
    pytest.param(identify, ANYWHERE, id="asked anywhere"),
    pytest.param(identify_page, "http://data.test/ows", id="crawled at ows"),
    pytest.param(identify_page, "http://data.test/service", id="crawled at service"),
    pytest.param(identify_page, "http://data.test/endpoint", id="crawled at endpoint"),
    pytest.param(identify_page, ANYWHERE, id="crawled anywhere"),
]


def asked_for_services(server: Server) -> list[str]:
    """Without the request for the page itself, Fig. 3, line 9: what lines 12 to 14 add to it."""
    return [url for url in server.asked if "SERVICE=" in url]


def kinds_of(verdict: Verdict) -> set[str]:
    return {service.kind for service in verdict.services}


@pytest.mark.parametrize(("way", "url"), WAYS)
def test_all_seven_services_of_one_endpoint_are_revealed_by_seven_requests(
    way: Way, url: str
) -> None:
    """Table 1: WMS, WFS, WPS, WCS, CSW, SOS and WMTS; the eighth, WCPS, is asked for as WCS."""
    server = Server(url, list(ALL_SEVEN))
    assert kinds_of(way(server, url)) == set(ALL_SEVEN)
    assert len(asked_for_services(server)) == 7
    assert len(server.asked) <= 8, "the page is read once at most"


@pytest.mark.parametrize("way", [identify, identify_page])
def test_mapserver_is_asked_for_what_it_can_offer(way: Way) -> None:
    url = "http://data.test/cgi-bin/mapserv?map=/srv/all.map"
    server = Server(url, list(ALL_SEVEN))
    assert kinds_of(way(server, url)) == {"wms", "wfs", "wcs", "sos"}
    assert len(asked_for_services(server)) <= 7


@pytest.mark.parametrize("kind", list(ALL_SEVEN))
@pytest.mark.parametrize(("way", "url"), WAYS)
def test_the_only_service_of_an_endpoint_is_revealed_within_seven_requests(
    way: Way, url: str, kind: str
) -> None:
    """Fig. 3, lines 12 to 14: from an endpoint alone the requests are constructed, in a crawl as by hand."""
    server = Server(url, [kind])
    assert kind in kinds_of(way(server, url))
    assert len(asked_for_services(server)) <= 7


@pytest.mark.parametrize("kind", list(ALL_SEVEN))
@pytest.mark.parametrize(
    "url", ["http://data.test/service", "http://data.test/endpoint"]
)
def test_a_service_behind_a_page_is_revealed_where_wrong_requests_get_a_report(
    url: str, kind: str
) -> None:
    class Welcome(Server):
        async def fetch(self, url: str, **more: object) -> Response:
            self.page = "" if "SERVICE=" in url else "Welcome to the server"
            return await super().fetch(url, **more)

    server = Welcome(url, [kind])
    assert kind in kinds_of(identify_page(server, url))
    assert len(asked_for_services(server)) <= 7


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Invalid value for SERVICE: WMS.  Value MUST be CSW", "csw"),  # pycsw
        (
            "The value of the mandatory parameter 'service' must be 'SOS'. Delivered value was: WMS",
            "sos",
        ),  # 52°North
    ],
)
def test_an_exception_report_that_names_the_service_costs_one_request_more(
    words: str, kind: str
) -> None:
    server = Server("http://data.test/service", [kind], words)
    assert kinds_of(identify(server, "http://data.test/service")) == {kind}
    assert f"SERVICE={kind.upper()}" in server.asked[1]


def test_the_software_says_which_services_are_worth_a_request() -> None:
    """MapServer is asked for what it can offer: WMS, WFS, WCS and SOS, and with a version where none proved itself."""
    words = "msWMSDispatch(): WMS server error. WMS request not enabled. Check wms/ows_enable_request settings."
    server = Server("http://data.test/endpoint", ["wfs"], words)
    assert kinds_of(identify(server, "http://data.test/endpoint")) == {"wfs"}
    asked = [url.partition("SERVICE=")[2].partition("&")[0] for url in server.asked]
    assert asked == ["WMS", "WFS", "WCS", "SOS"]


def test_a_page_at_such_an_address_is_asked_too() -> None:
    """The page is read, WMS and WFS are asked for; a page that names its service leads to it."""
    server = Server("http://data.test/service", ["wfs"], page="Welcome")
    assert kinds_of(identify_page(server, "http://data.test/service")) == {"wfs"}
    named = Server(
        "http://data.test/service",
        ["sos"],
        page="52N Sensor Observation Service (SOS): test client",
    )
    assert kinds_of(identify_page(named, "http://data.test/service")) == {"sos"}
    assert len(asked_for_services(named)) <= 7


def test_an_ordinary_page_costs_two_requests_more_and_no_others() -> None:
    server = Server(
        "http://shop.test/service", [], page="Our service for you: repair and delivery"
    )
    assert not identify_page(server, "http://shop.test/service").services
    assert len(server.asked) == 3
    other = Server("http://shop.test/contact", [], page="Contact")
    identify_page(other, "http://shop.test/contact")
    assert len(other.asked) == 1


@pytest.mark.parametrize(
    "root",
    [
        'wcs:Capabilities xmlns:wcs="http://www.opengis.net/wcs/2.0" version="2.0.1"',
        'sos:Capabilities xmlns:sos="http://www.opengis.net/sos/2.0" version="2.0.0"',
        'Capabilities version="1.0.0"',
    ],
)
def test_a_service_type_of_wcps_makes_it_a_wcps_whatever_its_root(root: str) -> None:
    """Table 1: WCPS is known by ows:ServiceType, unlike WCS."""
    body = f"""<{root} xmlns:ows="http://www.opengis.net/ows/2.0"><ows:ServiceIdentification>
      <ows:Title>Cubes</ows:Title><ows:ServiceType>OGC WCPS</ows:ServiceType></ows:ServiceIdentification>
      <ows:OperationsMetadata><ows:Operation name="ProcessCoverages"/></ows:OperationsMetadata>
      </{root.partition(" ")[0]}>"""
    document = Document(
        _response("http://data.test/cubes", 200, "text/xml", body.encode())
    )
    assert [
        service.kind for service in probe.recognise(document, app.kinds()).services
    ] == ["wcps"]


FEATURES = """<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" numberOfFeatures="0" xsi:schemaLocation="http://topp.test
  http://data.test/geoserver/wfs?service=WFS&amp;version=1.1.0&amp;request=DescribeFeatureType&amp;typeName=topp%3Aroads
  http://www.opengis.net/wfs http://schemas.opengis.net/wfs/1.1.0/wfs.xsd"><gml:featureMembers/></wfs:FeatureCollection>"""


def test_a_feature_collection_leads_to_its_wfs() -> None:
    """Table 1 counts wfs:FeatureCollection as a sign of a WFS; the schema is where GeoServer names itself."""
    document = Document(
        _response("http://files.test/roads.gml", 200, "text/xml", FEATURES.encode())
    )
    verdict = probe.recognise(document, app.kinds())
    assert not verdict.services
    assert verdict.refusal is not None
    (listed,) = verdict.refusal.lists
    assert (
        listed == "http://data.test/geoserver/wfs?SERVICE=WFS&REQUEST=GetCapabilities"
    )


def test_identifying_features_asks_their_wfs() -> None:
    class Wfs(Server):
        async def fetch(self, url: str, **_: object) -> Response:
            if url.startswith("http://files.test/"):
                return _response(url, 200, "text/xml", FEATURES.encode())
            return await super().fetch(url)

    server = Wfs("http://data.test/geoserver/wfs", ["wfs"])
    assert kinds_of(identify(server, "http://files.test/roads.gml")) == {"wfs"}


def test_a_server_that_asks_for_a_pause_gets_it() -> None:
    class Busy(Server):
        async def fetch(self, url: str, **_: object) -> Response:
            self.asked.append(url)
            return _response(url, 503, "text/html", b"<html>busy</html>")

    server = Busy("http://data.test/ows", [])
    assert not identify(server, "http://data.test/ows").services
    assert len(server.asked) == 1
