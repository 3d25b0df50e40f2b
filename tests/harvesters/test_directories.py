"""Catalogues that are files and folders: THREDDS, ERDDAP, ArcGIS directories, sitemaps, map contexts."""

from __future__ import annotations

import gzip
from datetime import date

import pytest
from harvest_examples import text, thredds_catalogue
from harvest_rig import Answer, read_page, response

from geohound import plugins
from geohound.model.crawl.harvest import HarvestPage, Listed
from geohound.model.service import Service
from geohound.model.visit import Visit

HARVESTERS = plugins.discover("harvesters")
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'


def read(
    harvester: str, source: str, answer: Answer, cursor: bytes = b""
) -> HarvestPage:
    page = read_page(harvester, source, answer, cursor)
    assert isinstance(page, HarvestPage), page
    return page


def always(body: str | bytes, content_type: str = "application/xml") -> Answer:
    return lambda url: response(url, body, content_type)


def test_the_datasets_of_thredds_are_listed_by_the_services_whose_name_they_inherit() -> (
    None
):
    page = read(
        "thredds", "http://cat.test/thredds/catalog.html", always(thredds_catalogue(""))
    )
    assert page.listed[:2] == (
        Listed(
            "http://h1.test/thredds/wms/grid/0.nc?service=WMS&request=GetCapabilities",
            "Höhen 0",
            "OGC:WMS",
        ),
        Listed(
            "http://h2.test/thredds/dodsC/grid/0.nc.dds", "Höhen 0", "OPeNDAP:OPeNDAP"
        ),
    )
    assert len(page.listed) == 6, "HTTPServer is a download, no service"
    assert page.sources == ("http://cat.test/thredds/more/catalog.xml",)


def test_a_dataset_of_thredds_that_names_one_service_has_no_other() -> None:
    catalogue = (
        '<catalog><service name="w" serviceType="WMS" base="/wms/"/><service name="c" serviceType="WCS" base="/wcs/"/>'
        '<dataset name="A" urlPath="a.nc" serviceName="c"/></catalog>'
    )
    page = read("thredds", "http://cat.test/thredds/catalog.xml", always(catalogue))
    assert [each.url for each in page.listed] == [
        "http://cat.test/wcs/a.nc?service=WCS&request=GetCapabilities"
    ]


def test_erddap_ends_with_the_page_after_a_full_one_that_is_not_there() -> None:
    def answer(url: str) -> Visit:
        assert "page=2" in url
        return response(url, "Error: page=2 is past the last", "text/plain", 404)

    page = read("erddap", "http://cat.test/erddap/index.html", answer, b'{"page":2}')
    assert (page.listed, page.next) == ((), b"")


@pytest.mark.parametrize(
    ("source", "table"),
    [
        ("http://a.test/erddap", "http://a.test/erddap/info/index.json"),
        ("http://a.test/erddap/index.html", "http://a.test/erddap/info/index.json"),
        (
            "http://a.test/erddap/griddap/waves.dds",
            "http://a.test/erddap/info/index.json",
        ),
        (
            "http://a.test/coast/erddap/info/index.json?page=1",
            "http://a.test/coast/erddap/info/index.json",
        ),
        ("http://a.test/erddap/ocean", "http://a.test/erddap/ocean/info/index.json"),
        (
            "http://a.test/erddap/ocean/index.html",
            "http://a.test/erddap/ocean/info/index.json",
        ),
        ("http://a.test/data/", "http://a.test/data/info/index.json"),
    ],
)
def test_the_table_of_an_erddap_stands_below_its_root(source: str, table: str) -> None:
    asked = []

    def answer(url: str) -> Visit:
        asked.append(url.partition("?")[0])
        return response(
            url,
            '{"table": {"columnNames": ["Dataset ID"], "rows": []}}',
            "application/json",
        )

    read("erddap", source, answer)
    assert asked == [table]


@pytest.mark.parametrize("kind", ["thredds", "erddap", "arcgis-directory"])
def test_a_service_whose_own_links_are_followed_is_not_read_a_second_time(
    kind: str,
) -> None:
    def service(links: int) -> Service:
        return Service(
            kind,
            "http://cat.test/x",
            links=tuple(f"http://cat.test/{n}" for n in range(links)),
        )

    assert not HARVESTERS[kind].accepts(service(10), "http://cat.test/x")
    assert HARVESTERS[kind].accepts(service(5_000), "http://cat.test/x"), (
        "there may be more than its links hold"
    )


def test_a_sitemap_of_an_arcgis_server_lists_each_service_once() -> None:
    def answer(url: str) -> Visit:
        assert url.endswith("/arcgis/rest/services?f=sitemap")
        places = (
            "A/MapServer",
            "A/MapServer/0",
            "A/MapServer/1",
            "F/B/FeatureServer/0",
            "Utilities/Geometry",
        )
        locs = "".join(
            f"<url><loc>http://cat.test/arcgis/rest/services/{at}</loc></url>"
            for at in places
        )
        return response(url, SITEMAP.format(locs), "text/xml")

    page = read("arcgis-directory", "http://cat.test/arcgis", answer)
    top = "http://cat.test/arcgis/rest/services"
    assert page.listed == (
        Listed(f"{top}/A/MapServer", "A", "ESRI:ArcGIS:MapServer"),
        Listed(f"{top}/F/B/FeatureServer", "B", "ESRI:ArcGIS:FeatureServer"),
    )
    assert not page.sources


def test_an_arcgis_server_without_a_sitemap_is_read_folder_by_folder() -> None:
    listing = text(
        {"folders": ["Land"], "services": [{"name": "Top", "type": "ImageServer"}]}
    )

    def answer(url: str) -> Visit | None:
        return (
            response(url, listing, "application/json")
            if url.endswith("?f=json")
            else None
        )

    page = read("arcgis-directory", "http://cat.test/arcgis/rest/services", answer)
    assert [each.url for each in page.listed] == [
        "http://cat.test/arcgis/rest/services/Top/ImageServer"
    ]
    assert page.sources == ("http://cat.test/arcgis/rest/services/Land",)


def test_a_packed_sitemap_index_leads_to_its_sitemaps() -> None:
    index = "<sitemapindex><sitemap><loc>http://cat.test/1.xml.gz</loc></sitemap></sitemapindex>"
    page = read(
        "sitemap",
        "http://cat.test/sitemap.xml.gz",
        always(gzip.compress(index.encode()), "application/gzip"),
    )
    assert page.sources == ("http://cat.test/1.xml.gz",)


def test_of_a_sitemap_only_what_has_changed_since_is_listed() -> None:
    entries = "".join(
        f"<url><loc>http://a.test/{name}?service=WMS</loc>{said}</url>"
        for name, said in [("old", "<lastmod>2026-01-30</lastmod>"), ("new", "<lastmod>2026-01-31T10:00:00Z</lastmod>"),
                           ("silent", "")]
    )  # fmt: skip
    start = HARVESTERS["sitemap"].start(date(2026, 1, 31))
    page = read(
        "sitemap", "http://a.test/sitemap.xml", always(SITEMAP.format(entries)), start
    )
    assert [each.url for each in page.listed] == [
        "http://a.test/new?service=WMS",
        "http://a.test/silent?service=WMS",
    ]


def test_a_sitemap_may_be_a_plain_list() -> None:
    page = read(
        "sitemap",
        "http://a.test/s.txt",
        always("http://a.test/wms\nhttp://a.test/about\n", "text/plain"),
    )
    assert len(page.listed) == 2


def test_records_that_say_they_have_not_changed_are_left_out() -> None:
    def record(name: str, updated: str | None) -> dict:
        links = [{"href": f"http://a.test/{name}/wms", "protocol": "OGC:WMS"}]
        return {
            "id": name,
            "properties": {"title": name, "updated": updated},
            "links": links,
        }

    features = [
        record("old", "2025-12-31T23:59:59Z"),
        record("new", "2026-02-01"),
        record("silent", None),
    ]
    following = [
        {"rel": "next", "href": "http://cat.test/collections/all/items?offset=3"}
    ]
    start = HARVESTERS["ogcapi-records"].start(date(2026, 1, 1))
    body = text({"features": features, "links": following})
    page = read(
        "ogcapi-records",
        "http://cat.test/collections/all/items",
        always(body, "application/json"),
        start,
    )
    assert [each.url for each in page.listed] == [
        "http://a.test/new/wms",
        "http://a.test/silent/wms",
    ]
    assert b"2026-01-01" in page.next, "the next page is asked for the same"


@pytest.mark.parametrize(
    ("what", "body"),
    [
        (
            "Web Map Context, OGC 05-005",
            '<ViewContext xmlns:xlink="http://www.w3.org/1999/xlink"><LayerList><Layer><Server service="OGC:WMS">'
            '<OnlineResource xlink:href="http://a.test/wms"/></Server><Title>Rivers</Title></Layer></LayerList>'
            "</ViewContext>",
        ),
        (
            "OWS Context in GeoJSON, OGC 14-055r2",
            text({"type": "FeatureCollection", "features": [{"properties": {"title": "Rivers", "offerings": [
                {"code": "http://www.opengis.net/spec/owc-geojson/1.0/req/wms",
                 "operations": [{"code": "GetCapabilities", "href": "http://a.test/wms"}]}]}}]}),
        ),
    ],
)  # fmt: skip
def test_a_map_context_lists_the_services_of_its_layers(what: str, body: str) -> None:
    page = read("ows-context", "http://cat.test/map", always(body, ""))
    assert page.listed == (Listed("http://a.test/wms", "Rivers", "OGC:WMS"),), what
