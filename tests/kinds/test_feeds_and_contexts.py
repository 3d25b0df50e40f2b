"""Documents that list services: OpenSearch, INSPIRE Atom, KML network links, contexts; other feeds do not."""

from __future__ import annotations

from datetime import UTC, datetime

import orjson
import pytest

from geohound.document import Document
from geohound.kinds import atom, kml, opensearch, ows_context
from geohound.model.service import Layer, Refusal, RefusalReason, Service
from geohound.model.visit import Response
from geohound.qgis_source import qgis_source

(ATOM,), (KML,), (SEARCH,) = atom.KINDS, kml.KINDS, opensearch.KINDS
WMC, OWC = ows_context.KINDS


def document(body: bytes, url: str = "http://a.test/doc.xml") -> Document:
    return Document(Response(url, url, 200, {}, body, datetime(2024, 1, 1, tzinfo=UTC)))


def describe(*urls: str) -> bytes:
    head = b'<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>Town</ShortName>'
    return head + "".join(urls).encode() + b"</OpenSearchDescription>"


HTML_URL = '<Url type="text/html" template="http://a.test/?q={searchTerms}"/>'
ATOM_URL = '<Url type="application/atom+xml" template="http://a.test/atom?q={searchTerms}&amp;bbox={geo:box?}"/>'
HINT_URL = '<Url type="application/x-suggestions+json" template="http://a.test/s?q={searchTerms}"/>'


def test_a_search_that_answers_machines_is_a_service() -> None:
    service = SEARCH.read(document(describe(HTML_URL, ATOM_URL)))
    assert isinstance(service, Service)
    assert (service.title, len(service.layers)) == ("Town", 2)
    assert (
        service.operations[1].get
        == "http://a.test/atom?q={searchTerms}&bbox={geo:box?}"
    )


def test_a_description_says_where_it_is_itself() -> None:
    own = '<Url rel="self" type="application/opensearchdescription+xml" template="/osdd.xml"/>'
    service = SEARCH.read(document(describe(ATOM_URL, own)))
    assert isinstance(service, Service)
    assert service.online_resource == "http://a.test/osdd.xml"


def test_the_search_box_of_a_website_is_none() -> None:
    assert SEARCH.read(document(describe(HTML_URL, HINT_URL))) is None


FEED = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss" xml:lang="de"
 xmlns:inspire_dls="http://inspire.ec.europa.eu/schemas/inspire_dls/1.0"><title>Downloads</title>%s<entry>%s
 <title>Lakes</title><georss:polygon>47 5 47 15 55 15 55 5 47 5</georss:polygon>
 <link rel="alternate" type="application/atom+xml" href="lakes.xml"/></entry></feed>"""
CODE = "<inspire_dls:spatial_dataset_identifier_code>LK-1</inspire_dls:spatial_dataset_identifier_code>"


def test_an_inspire_feed_lists_its_datasets() -> None:
    service = ATOM.read(
        document((FEED % ("", CODE)).encode(), "http://a.test/dls/service.xml")
    )
    assert isinstance(service, Service)
    assert [(layer.name, layer.title) for layer in service.layers] == [
        ("LK-1", "Lakes")
    ]
    assert service.links == ("http://a.test/dls/lakes.xml",)
    assert service.language == "de"
    assert service.extent is not None
    assert service.extent.box is not None
    assert service.extent.box.as_tuple() == (5, 47, 15, 55)


def test_a_feed_with_places_alone_is_news() -> None:
    assert ATOM.read(document((FEED % ("", "")).encode())) is None


def test_kml_with_network_links_leads_to_them() -> None:
    body = b"""<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Town</name>
    <NetworkLink><name>Lakes</name>
    <Region><LatLonAltBox><north>55</north><south>47</south><east>15</east><west>5</west>
    </LatLonAltBox></Region>
    <Link><href>lakes.kml</href></Link></NetworkLink><GroundOverlay><Icon>
    <href>http://b.test/wms?SERVICE=WMS&amp;REQUEST=GetMap</href></Icon></GroundOverlay></Document></kml>"""
    service = KML.read(document(body, "http://a.test/k/doc.kml"))
    assert isinstance(service, Service)
    assert (service.title, service.version, service.layers[0].name) == (
        "Town",
        "2.2",
        "Lakes",
    )
    assert service.links == (
        "http://a.test/k/lakes.kml",
        "http://b.test/wms?SERVICE=WMS&REQUEST=GetMap",
    )
    assert service.extent is not None


def test_programs_open_what_a_network_link_loads_and_not_the_file_of_links() -> None:
    """QGIS showed nothing: the file of links has no features."""
    lakes = Layer("Lakes", links=("http://a.test/k/lakes.kml",))
    service = Service("kml", "http://a.test/k/doc.kml", layers=(lakes,))
    sources = [
        found.uri
        for each in KML.requests(service, lakes, None)
        if (found := qgis_source(service, each))
    ]
    assert sources == ["/vsicurl/http://a.test/k/lakes.kml"]


def test_kml_with_its_features_inside_is_data() -> None:
    assert (
        KML.read(
            document(
                b"<kml><Document><Placemark><name>a</name></Placemark></Document></kml>"
            )
        )
        is None
    )


def test_a_map_context_leads_to_the_services_of_its_layers() -> None:
    body = b"""<ViewContext xmlns="http://www.opengis.net/context" version="1.1.0"
    xmlns:xlink="http://www.w3.org/1999/xlink">
    <General><Title>Map</Title><BoundingBox SRS="EPSG:4326" minx="5" miny="47" maxx="15" maxy="55"/></General>
    <LayerList>
    <Layer queryable="1"><Server service="OGC:WMS" version="1.1.1">
    <OnlineResource xlink:href="http://b.test/wms?map=x"/>
    </Server><Name>lakes</Name><Title>Lakes</Title></Layer></LayerList></ViewContext>"""
    refusal = WMC.read(document(body))
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.kind) == (RefusalReason.OTHER_KIND, "wmc")
    assert refusal.lists == (
        "http://b.test/wms?map=x&SERVICE=WMS&REQUEST=GetCapabilities",
    )
    assert "“Map” with 1 layers" in refusal.detail


def context_json(profile: str) -> bytes:
    operation = {
        "code": "GetMap",
        "href": "http://b.test/wms?service=WMS&request=GetMap&layers=lakes",
    }
    resource = {
        "type": "Feature",
        "id": "r1",
        "properties": {"title": "Lakes", "offerings": [{"operations": [operation]}]},
    }
    properties = {"title": "Map", "links": {"profiles": [{"href": profile}]}}
    return orjson.dumps(
        {"type": "FeatureCollection", "properties": properties, "features": [resource]}
    )


def test_an_ows_context_in_geojson_is_known_by_its_profile() -> None:
    refusal = OWC.read(
        document(context_json("http://www.opengis.net/spec/owc-geojson/1.0/req/core"))
    )
    assert isinstance(refusal, Refusal)
    assert "“Map”" in refusal.detail
    assert refusal.lists == ("http://b.test/wms?SERVICE=WMS&REQUEST=GetCapabilities",)
    assert OWC.read(document(context_json("http://other.test/profile"))) is None


def test_an_ows_context_in_atom_is_known_by_its_offerings() -> None:
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom" xmlns:owc="http://www.opengis.net/owc/1.0">
    <title>Map</title>
    <entry><title>Lakes</title><owc:offering code="x"><owc:operation code="GetCapabilities" method="GET"
    href="http://b.test/wms?SERVICE=WMS&amp;REQUEST=GetCapabilities"/></owc:offering></entry></feed>"""
    refusal = OWC.read(document(body))
    assert isinstance(refusal, Refusal)
    assert refusal.lists == ("http://b.test/wms?SERVICE=WMS&REQUEST=GetCapabilities",)
    assert ATOM.read(document(body)) is None


@pytest.mark.parametrize(
    "body",
    [
        b"<feed/>",
        b"<ViewContextual/>",
        b'{"type":"FeatureCollection","features":[]}',
        b"<rss/>",
    ],
)
def test_ordinary_feeds_and_features_are_no_context(body: bytes) -> None:
    assert WMC.read(document(body)) is None
    assert OWC.read(document(body)) is None


def test_a_search_page_by_box_is_a_geographic_catalogue_though_it_answers_people() -> (
    None
):
    template = "http://a.test/search?q={searchTerms}&amp;box={geo:box?}"
    service = SEARCH.read(
        document(describe(f'<Url type="text/html" template="{template}"/>'))
    )
    assert isinstance(service, Service)
    assert service.layers[0].links == (
        "http://a.test/search?q={searchTerms}&box={geo:box?}",
    )


def test_extensions_of_opensearch_are_known_by_their_names_under_any_prefix() -> None:
    """OGC 10-032r8: the parameters are those of a namespace, not of a prefix."""
    url = '<Url type="text/html" template="http://a.test/?b={g:box?}" xmlns:g="%s"/>'
    geo = "http://a9.com/-/opensearch/extensions/geo/1.0/"
    assert isinstance(SEARCH.read(document(describe(url % geo))), Service)
    assert SEARCH.read(document(describe(url % "http://shop.test/goods/"))) is None
