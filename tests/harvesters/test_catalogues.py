"""Each harvester by what its protocol is peculiar in; the answers are written after the documented protocols."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from books import BOOK
from harvest_examples import asked_for, csw_page, text
from harvest_rig import Answer, harvest, read_page, response

from geohound import plugins
from geohound.crawler.harvesting import named_by
from geohound.model.crawl.harvest import HarvestPage, Listed
from geohound.model.service import Service
from geohound.model.visit import Candidate, Visit

HARVESTERS = plugins.discover("harvesters")


def serving(**bodies: str) -> Answer:
    """Bodies by the end of the path; the rest is not found."""

    def answer(url: str) -> Visit | None:
        path = url.partition("?")[0].rstrip("/")
        found = next(
            (body for name, body in bodies.items() if path.endswith(name)), None
        )
        return None if found is None else response(url, found, "application/json")

    return answer


def read(
    harvester: str, source: str, answer: Answer, cursor: bytes = b""
) -> HarvestPage:
    page = read_page(harvester, source, answer, cursor)
    assert isinstance(page, HarvestPage), page
    return page


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test/", "http://a.test/index.html", "https://city.hub.arcgis.com/datasets/x", "http://a.test/catalog",
        "http://a.test/api/v2/users", "http://a.test/wafers/", "http://a.test/list.csv", "http://a.test/boai",
    ],
)  # fmt: skip
def test_other_addresses_are_nobodys(url: str) -> None:
    assert [h.id for h in HARVESTERS.values() if h.accepts(None, url)] == []


@pytest.mark.parametrize(
    ("harvester", "kind"),
    [
        ("csw", "csw"),
        ("opensearch", "opensearch"),
        ("ogcapi-records", "ogcapi-records"),
        ("stac", "stac"),
        ("stac", "stac-api"),
    ],
)
def test_services_that_list_others_are_accepted(harvester: str, kind: str) -> None:
    accepted = [
        h.id
        for h in HARVESTERS.values()
        if h.accepts(Service(kind, "http://a.test/"), "http://a.test/")
    ]
    assert accepted == [harvester]


@pytest.mark.parametrize(
    ("url", "harvester"),
    [
        ("http://a.test/api/3/action/package_search", "ckan"),
        ("http://a.test/portal/data.json", "dcat"),
        ("http://a.test/catalog.jsonld?page=2", "dcat"),
        ("http://a.test/portal/sharing/rest/search", "arcgis-portal"),
        ("https://city.hub.arcgis.com/", "arcgis-hub"),
        ("https://a.test/api/catalog/v1?domains=a.test", "socrata"),
        ("https://a.test/api/v2/datasets/", "geonode"),
        ("https://a.test/oai?verb=Identify", "oai-pmh"),
        ("https://a.test/waf/north/", "waf"),
    ],
)
def test_addresses_that_say_what_they_are_are_accepted(
    url: str, harvester: str
) -> None:
    assert [h.id for h in HARVESTERS.values() if h.accepts(None, url)] == [harvester]


def test_a_csw_that_pages_no_further_than_so_many_is_read_in_slices_of_time(
    tmp_path: Path,
) -> None:
    dates = [f"2026-01-{1 + n // 40:02d}" for n in range(240)]  # 240 records, 40 a day

    def capped(url: str) -> Visit | None:
        if not url.startswith("http://cat.test/csw"):
            return None
        asked = asked_for(url)
        since = asked.get("constraint", "").partition("'")[2].rstrip("'")
        rows = [n for n in range(240) if dates[n] >= since]
        first = int(asked["startposition"])
        if first > 100:  # as search engines behind catalogues do
            return response(
                url,
                "<ExceptionReport><Exception/></ExceptionReport>",
                "application/xml",
                400,
            )
        shown = rows[first - 1 : first + 49]
        following = first + 50 if first + 50 <= len(rows) else 0
        body = csw_page(shown[0], len(shown), following, len(rows))
        for n in shown:
            body = body.replace(
                f"<dc:title>Höhen {n}<",
                f"<dct:modified>{dates[n]}</dct:modified><dc:title>Höhen {n}<",
            )
        return response(url, body, "application/xml")

    done = harvest(tmp_path, "csw", "http://cat.test/csw", capped)
    assert {url.split("/")[2] for url in done.found} == {
        f"h{n}.test" for n in range(240)
    }
    assert [page.reason for page in done.pages if page.reason] == []


def test_an_iso_record_gives_the_protocol_beside_the_address() -> None:
    record = """<gmd:MD_Metadata xmlns:gmd="g" xmlns:gco="c">
      <gmd:fileIdentifier><gco:CharacterString>i</gco:CharacterString>
      </gmd:fileIdentifier><gmd:title><gco:CharacterString>Rivers</gco:CharacterString></gmd:title>
      <gmd:CI_OnlineResource><gmd:linkage><gmd:URL>http://a.test/ows?</gmd:URL></gmd:linkage>
      <gmd:protocol><gco:CharacterString>OGC:WFS-1.1.0-http-get-feature</gco:CharacterString></gmd:protocol>
      </gmd:CI_OnlineResource></gmd:MD_Metadata>"""
    results = f'<SearchResults numberOfRecordsMatched="1" nextRecord="0">{record}</SearchResults>'
    body = f"<GetRecordsResponse>{results}</GetRecordsResponse>"
    page = read(
        "csw", "http://a.test/csw", lambda url: response(url, body, "application/xml")
    )
    assert page.listed == (Listed("http://a.test/ows?", "Rivers", "OGC:WFS"),)


def test_what_a_record_says_of_its_use_names_no_services() -> None:
    licence = "<gmx:Anchor xlink:href='https://licences.test/by'>https://licences.test/by</gmx:Anchor>"
    record = f"""<gmd:MD_Metadata xmlns:gmd="g" xmlns:gmx="x" xmlns:xlink="http://www.w3.org/1999/xlink">
      <gmd:MD_LegalConstraints><gmd:otherConstraints>{licence}</gmd:otherConstraints></gmd:MD_LegalConstraints>
      <dct:license xmlns:dct="d">https://licences.test/zero</dct:license>
      <gmd:CI_OnlineResource><gmd:linkage><gmd:URL>http://a.test/ows?</gmd:URL></gmd:linkage>
      </gmd:CI_OnlineResource></gmd:MD_Metadata>"""
    results = f'<SearchResults numberOfRecordsMatched="1" nextRecord="0">{record}</SearchResults>'
    body = f"<GetRecordsResponse>{results}</GetRecordsResponse>"
    page = read(
        "csw", "http://a.test/csw", lambda url: response(url, body, "application/xml")
    )
    assert [each.url for each in page.listed] == ["http://a.test/ows?"]


def test_where_dublin_core_has_no_addresses_the_iso_records_are_read(
    tmp_path: Path,
) -> None:
    def without_links(url: str) -> Visit | None:
        if not url.startswith("http://cat.test/csw"):
            return None
        asked = asked_for(url)
        first = int(asked["startposition"])
        body = csw_page(first, 50, first + 50 if first < 51 else 0, 100)
        if asked.get("outputschema") != "http://www.isotc211.org/2005/gmd":
            body = re.sub("<dct:references.*?</dct:references>", "", body)
        return response(url, body, "application/xml")

    done = harvest(tmp_path, "csw", "http://cat.test/csw", without_links)
    assert {urlsplit(url).hostname for url in done.found} == {
        f"h{n}.test" for n in range(1, 101)
    }
    pages = [url for url in done.asked if "GetRecords" in url]
    assert len(pages) == 3, "Dublin Core once, then ISO page by page"


def test_a_csw_whose_records_name_nothing_in_any_schema_is_read_on_as_it_was() -> None:
    asked: list[str] = []

    def nothing(url: str) -> Visit:
        asked.append(url)
        body = csw_page(1, 50, 51, 900)
        body = re.sub("<dct:references.*?</dct:references>", "", body)
        return response(url, body, "application/xml")

    page = read("csw", "http://cat.test/csw", nothing)
    assert (page.records, page.listed, len(asked)) == (50, (), 2)
    assert b"gmd" not in page.next


def test_of_an_api_only_collections_of_records_are_read() -> None:
    collections = [
        {
            "id": "all",
            "itemType": "record",
            "links": [{"rel": "items", "href": "/collections/all/items?f=json"}],
        },
        {"id": "more", "itemType": "record"},
        {"id": "lakes", "itemType": "feature"},
        {"id": "rivers"},
    ]
    page = read(
        "ogcapi-records",
        "http://a.test/",
        serving(collections=text({"collections": collections})),
    )
    assert page.sources == (
        "http://a.test/collections/all/items",
        "http://a.test/collections/more/items",
    )


def test_a_next_page_on_another_host_is_a_source_of_its_own() -> None:
    links = [{"rel": "next", "href": "http://b.test/collections/all/items?offset=1"}]
    features = [{"id": "1", "links": [{"rel": "item", "href": "http://c.test/wms"}]}]
    page = read(
        "ogcapi-records",
        "http://a.test/collections/all/items",
        serving(items=text({"features": features, "links": links})),
    )
    assert page.next == b""
    assert page.sources == ("http://b.test/collections/all/items?offset=1",)


def test_a_static_stac_is_a_tree_of_sources_and_its_items_are_left() -> None:
    links = [
        {"rel": "root", "href": "./catalog.json"},
        {"rel": "child", "href": "./2025/collection.json"},
        {"rel": "item", "href": "./scene.json"},
        {"rel": "wmts", "href": "https://tiles.test/wmts"},
        {"rel": "about", "href": "https://a.test/page"},
    ]
    catalog = {
        "type": "Catalog",
        "stac_version": "1.0.0",
        "id": "c",
        "title": "Scenes",
        "links": links,
    }
    page = read(
        "stac",
        "http://a.test/s/catalog.json",
        serving(**{"catalog.json": text(catalog)}),
    )
    assert page.sources == ("http://a.test/s/2025/collection.json",)
    assert page.listed == (Listed("https://tiles.test/wmts", "Scenes", "OGC:WMTS"),)
    assert page.next == b""


def test_a_stac_api_is_read_by_its_list_of_collections() -> None:
    links = [
        {"rel": "data", "href": "http://a.test/stac/collections"},
        {"rel": "child", "href": "http://a.test/x"},
    ]
    landing = {
        "stac_version": "1.0.0",
        "id": "api",
        "type": "Catalog",
        "conformsTo": [],
        "links": links,
    }
    listing = {
        "collections": [{"id": "a", "links": [{"rel": "wms", "href": "/ows"}]}],
        "links": [],
    }
    web = serving(collections=text(listing), stac=text(landing))
    first = read("stac", "http://a.test/stac", web)
    assert first.sources == ()
    second = read("stac", "http://a.test/stac", web, first.next)
    assert [found.url for found in second.listed] == ["http://a.test/ows"]


def test_of_a_ckan_only_resources_that_are_services_are_taken() -> None:
    resources = [
        {"url": "http://a.test/map", "format": "WMS"},
        {"url": "http://a.test/arcgis/rest/services/X/MapServer", "format": ""},
        {"url": "http://a.test/table.csv", "format": "CSV"},
        {"url": "not an address", "format": "WMS"},
        "nonsense",
    ]
    packages = [{"id": "p", "title": "Rivers", "resources": resources}]
    body = text({"success": True, "result": {"count": 1, "results": packages}})
    asked: list[str] = []

    def answer(url: str) -> Visit:
        asked.append(url)
        return response(url, body, "application/json")

    page = read(
        "ckan",
        "http://a.test/data/dataset",
        answer,
        HARVESTERS["ckan"].start(date(2026, 1, 2)),
    )
    candidates, _ = named_by(Candidate("http://a.test/data"), page, BOOK)
    assert [found.url for found in candidates] == [
        resources[0]["url"],
        resources[1]["url"],
    ]
    assert page.next == b""
    assert asked[0].startswith("http://a.test/data/api/3/action/package_search?")
    assert asked_for(asked[0])["fq"] == "metadata_modified:[2026-01-02T00:00:00Z TO *]"


def test_json_ld_is_read_however_it_spells_its_names() -> None:
    graph = [
        {"@id": "d1", "@type": "dcat:Dataset", "dct:title": "Rivers"},
        {
            "@id": "x1",
            "@type": "http://www.w3.org/ns/dcat#Distribution",
            "http://www.w3.org/ns/dcat#accessURL": [{"@id": "http://a.test/ows"}],
            "http://purl.org/dc/terms/format": [{"@value": "WMS"}],
        },
        {
            "@id": "x2",
            "dcat:accessURL": {
                "@id": "http://b.test/service=wfs?request=GetCapabilities&service=WFS"
            },
        },
        {
            "@id": "c",
            "@type": "hydra:PagedCollection",
            "hydra:nextPage": "http://a.test/catalog.jsonld?page=2",
        },
    ]
    page = read(
        "dcat", "http://a.test/catalog.jsonld", serving(jsonld=text({"@graph": graph}))
    )
    assert [(found.url, found.protocol) for found in page.listed] == [
        ("http://a.test/ows", "OGC:WMS"),
        ("http://b.test/service=wfs?request=GetCapabilities&service=WFS", ""),
    ]
    assert b"page=2" in page.next


def test_a_portal_is_read_beyond_the_end_of_one_search(tmp_path: Path) -> None:
    made = [1_600_000_000_000 + 1000 * n for n in range(450)]

    def portal(url: str) -> Visit | None:
        if not url.startswith("http://p.test/"):
            return None
        asked = asked_for(url)
        since = int(asked["q"].partition("created:[")[2].partition(" ")[0] or 0)
        rows = [n for n in range(450) if made[n] >= since]
        first = int(asked["start"])
        shown = rows[first - 1 : first + 99]
        # 10,000 in the real one
        following = first + 100 if first + 100 <= min(len(rows), 200) else -1
        results = [
            {
                "id": f"i{n}",
                "type": "Map Service",
                "created": made[n],
                "url": f"http://h{n}.test/rest/services/X/MapServer",
            }
            for n in shown
        ]
        return response(
            url,
            text({"total": len(rows), "nextStart": following, "results": results}),
            "application/json",
        )

    done = harvest(tmp_path, "arcgis-portal", "http://p.test/sharing/rest", portal)
    assert {url.split("/")[2] for url in done.found} >= {
        f"h{n}.test" for n in range(450)
    }


def test_a_geonetwork_without_the_old_search_is_read_by_its_csw() -> None:
    def answer(url: str) -> Visit | None:
        if "/srv/eng/csw?" not in url:
            return None
        first = int(asked_for(url)["startposition"])
        return response(url, csw_page(first, 50, first + 50, 900), "application/xml")

    first = read(
        "geonetwork", "http://a.test/geonetwork/srv/ger/catalog.search", answer
    )
    assert (first.records, len(first.listed)) == (50, 50)
    second = read(
        "geonetwork",
        "http://a.test/geonetwork/srv/ger/catalog.search",
        answer,
        first.next,
    )
    assert second.listed[0].url.startswith("http://h51.test/")


def test_a_folder_is_read_downwards_and_its_files_are_records(tmp_path: Path) -> None:
    record = "<MD_Metadata><URL>http://h1.test/wms</URL></MD_Metadata>"
    pages = {
        "/waf/": '<a href="../">up</a> <a href="?C=N;O=D">Name</a> <a href="a.xml">a</a> <A HREF=/waf/sub/>sub</A> '
        '<a href="http://b.test/waf/b.xml">b</a> <a href="/elsewhere/c.xml">c</a> <a href="read me.txt">r</a>',
        "/waf/sub/": "<a href='../'>up</a><a href='../sub/'>itself</a><a href='d.xml'>d</a>",
        "/waf/a.xml": record,
        "/waf/sub/d.xml": record.replace("h1", "h2"),
    }

    def answer(url: str) -> Visit | None:
        body = pages.get(url.removeprefix("http://a.test"))
        kind = "text/xml" if url.endswith(".xml") else "text/html"
        return (
            None
            if body is None
            else response(
                url, body if kind == "text/xml" else f"<html>{body}</html>", kind
            )
        )

    done = harvest(tmp_path, "waf", "http://a.test/waf/", answer)
    assert {page.url.removeprefix("http://a.test") for page in done.pages} == set(pages)
    assert done.found == {"http://h1.test/wms", "http://h2.test/wms"}


NGINX_LIST = """<html><head><title>Index of /waf/</title></head><body><pre>
<a href="../">../</a>
<a href="old/">old/</a>                    02-Jan-2019 08:00       -
<a href="a.xml">a.xml</a>                  19-Nov-2025 10:00    1234
<a href="b.xml">b.xml</a>                  05-Feb-2026 10:00    1234
<a href="c.xml">c.xml</a>                  99-Abc-2019 10:00    1234
</pre></body></html>"""
APACHE_LIST = """<html><head><title>Index of /waf</title></head><body><table>
<tr><td><a href="old/">old/</a></td><td align="right">2019-01-02 08:00  </td></tr>
<tr><td><a href="a.xml">a.xml</a></td><td align="right">2025-11-19 10:00  </td></tr>
<tr><td><a href="b.xml">b.xml</a></td><td align="right">2026-02-05 10:00  </td></tr>
<tr><td><a href="c.xml">c.xml</a></td><td>&nbsp;</td></tr>
</table></body></html>"""


@pytest.mark.parametrize("body", [NGINX_LIST, APACHE_LIST], ids=["nginx", "apache"])
def test_of_a_folder_only_files_that_have_changed_since_are_read(body: str) -> None:
    """A folder keeps its date when a file in it is written anew; a file without a date may have changed."""
    waf = HARVESTERS["waf"]
    first = waf.start(date(2026, 1, 1))
    page = read_page(
        "waf", "http://a.test/waf/", lambda url: response(url, body), first
    )
    assert isinstance(page, HarvestPage), page
    assert [at.removeprefix("http://a.test/waf/") for at in page.sources] == [
        "old/",
        "b.xml",
        "c.xml",
    ]


def test_an_oai_repository_that_has_nothing_new_is_no_failure() -> None:
    asked: list[str] = []

    def answer(url: str) -> Visit:
        asked.append(url)
        return response(
            url,
            '<OAI-PMH><error code="noRecordsMatch">none</error></OAI-PMH>',
            "text/xml",
        )

    start = HARVESTERS["oai-pmh"].start(date(2026, 1, 2))
    page = read("oai-pmh", "http://a.test/?mode=oaipmh&verb=Identify", answer, start)
    assert (page.listed, page.next) == ((), b"")
    assert asked == [
        "http://a.test/?mode=oaipmh&verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-02"
    ]


def test_a_group_of_a_terria_catalog_is_what_it_is_a_group_of() -> None:
    catalog = [
        {
            "type": "group",
            "name": "Maps",
            "members": [
                {
                    "type": "esri-mapServer",
                    "name": "Roads",
                    "url": "https://a.test/rest/services/R/MapServer",
                },
                {"type": "csw-group", "name": "All", "url": "https://a.test/csw"},
                {"type": "csv", "name": "Table", "url": "tables/x"},
                {
                    "type": "group",
                    "items": [{"type": "wms", "name": "Deep", "url": "//b.test/ows"}],
                },
            ],
        }
    ]
    page = read(
        "terria",
        "https://a.test/init.json",
        serving(**{"init.json": text({"catalog": catalog})}),
    )
    assert [(found.url, found.protocol) for found in page.listed] == [
        ("https://a.test/rest/services/R/MapServer", "ESRI:ArcGIS:MapServer"),
        ("https://a.test/csw", "OGC:CSW"),
        ("https://a.test/tables/x", ""),
        ("https://b.test/ows", "OGC:WMS"),
    ]


def test_a_list_page_gives_all_its_addresses() -> None:
    page = """<html><h1>Servers</h1><li><a href="http://a.test/wms?map=x&amp;service=WMS">A</a>
      <li>http://b.test/ows, and (http://c.test/csw)."""
    found = read("list", "http://l.test/", lambda url: response(url, page, "text/html"))
    assert [each.url for each in found.listed] == [
        "http://a.test/wms?map=x&service=WMS", "http://b.test/ows", "http://c.test/csw",
    ]  # fmt: skip


def test_a_feed_that_needs_what_nobody_told_us_is_no_feed_for_us() -> None:
    template = "http://a.test/f?start={startIndex}&box={geo:box}"
    body = f'<OpenSearchDescription><Url type="application/atom+xml" template="{template}"/></OpenSearchDescription>'
    page = read_page(
        "opensearch", "http://a.test/osdd", lambda url: response(url, body, "text/xml")
    )
    assert not isinstance(page, HarvestPage)
