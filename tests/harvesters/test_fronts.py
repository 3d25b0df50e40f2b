"""A page of a catalogue leads to the catalogue itself, and all addresses of a catalogue to one harvest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from harvest_examples import endless_ckan, plain, qgis_file, terria_file
from harvest_rig import crawl, response

from geohound import plugins
from geohound.crawler.harvesting import CatalogueFinder
from geohound.document import Document
from geohound.model.visit import Response, Visit

HARVESTERS = plugins.discover("harvesters")
FINDER = CatalogueFinder(HARVESTERS.values())
OAI = "http://www.openarchives.org/OAI/2.0/"


class Seen(NamedTuple):
    """An answer, and the catalogue that stands behind it."""

    url: str
    body: str
    harvester: str
    source: str
    headers: dict[str, str] = {}  # noqa: RUF012 - nobody changes it


def page(head: str = "", body: str = "") -> str:
    return (
        "<!DOCTYPE html><html><head><meta charset='utf-8'>"
        f"{head}</head>{body or '<body><p>Data</p></body>'}</html>"
    )


def folder(files: list[str]) -> str:
    links = "\n".join(f'<a href="{name}">{name}</a>' for name in files)
    title = "<title>Index of /md/</title>"
    return f"<html><head>{title}</head><body><pre>{links}</pre></body></html>"


def documents(seen: Seen) -> Document:
    answer = response(seen.url, seen.body)
    return Document(
        Response(seen.url, seen.url, 200, seen.headers, answer.body, answer.at)
    )


FOUND = [
    Seen(
        "https://data.test/about",
        page('<meta name="generator" content="ckan 2.10.4" />'),
        "ckan",
        "https://data.test/",
    ),
    Seen(
        "https://data.test/portal/en/dataset/roads",
        page(
            body='<body data-site-root="https://data.test/portal/"'
            ' data-locale-root="https://data.test/portal/en/"><p>x</p></body>'
        ),
        "ckan",
        "https://data.test/portal/",
    ),
    Seen(
        "https://meta.test/",
        page('<link href="/geonetwork/static/gn_search_default.css?v=4">'),
        "csw",
        "https://meta.test/geonetwork/srv/eng/csw",
    ),
    Seen(
        "https://meta.test/gn/srv/fre/catalog.search",
        page('<html data-ng-app="gn_search_own">'),
        "csw",
        "https://meta.test/gn/srv/eng/csw",
    ),
    Seen(
        "https://maps.test/layers/",
        page('<link href="/static/geonode/css/base.css" rel="stylesheet">'),
        "geonode",
        "https://maps.test/",
    ),
    Seen(
        "https://open.city.test/search?q=x",
        page('<script src="https://hubcdn.arcgis.com/opendata-ui/a.js"></script>'),
        "arcgis-hub",
        "https://open.city.test/",
    ),
    Seen(
        "https://data.city.test/browse",
        page("<script>window.socrata = {};</script>"),
        "socrata",
        "https://data.city.test/",
        {"x-socrata-requestid": "1"},
    ),
    Seen(
        "https://gis.test/portal/home/gallery.html",
        page("<title>ArcGIS</title>"),
        "arcgis-portal",
        "https://gis.test/portal/sharing/rest",
    ),
    Seen(
        "https://city.maps.arcgis.com/home/",
        page("<title>ArcGIS</title>"),
        "arcgis-portal",
        "https://city.maps.arcgis.com/sharing/rest",
    ),
    Seen(
        "https://repo.test/cgi/records?verb=Identify",
        f'<?xml version="1.0"?><OAI-PMH xmlns="{OAI}"><Identify/></OAI-PMH>',
        "oai-pmh",
        "https://repo.test/cgi/records",
    ),
    Seen("http://a.test/c.xml", qgis_file(""), "qgis", "http://a.test/c.xml"),
    Seen("http://a.test/m.json", terria_file(""), "terria", "http://a.test/m.json"),
    Seen(
        "http://a.test/feed?page=2",
        json.dumps({"dcat:dataset": [{"dcat:distribution": []}]}),
        "dcat",
        "http://a.test/feed?page=2",
    ),
    Seen(
        "http://a.test/md/",
        folder(["../", "a.xml", "b.xml", "readme.txt"]),
        "waf",
        "http://a.test/md/",
    ),
]


@pytest.mark.parametrize("seen", FOUND, ids=lambda seen: seen.url)
def test_a_page_leads_to_the_catalogue_behind_it(seen: Seen) -> None:
    assert FINDER.of(documents(seen)) == ((seen.harvester, seen.source),)


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("http://a.test/", page("", "<body>Our CKAN and GeoNetwork, a GeoNode</body>")),
        ("http://a.test/home/", page("", "<body>Made at home</body>")),
        ("https://www.arcgis.com/home/index.html", page("<title>ArcGIS</title>")),
        ("http://a.test/iso/", folder(["disk.iso", "sum.txt", "feed.xml"])),
        ("http://a.test/d.json", '{"catalog": [1], "distribution": "x"}'),
        ("http://a.test/x.xml", "<Connections><a/></Connections>"),
        (
            "http://blog.test/",
            page(body='<body data-locale-root="" data-site-root="http://b.test/">'),
        ),
    ],
)
def test_other_pages_lead_nowhere(url: str, body: str) -> None:
    assert FINDER.of(Document(response(url, body))) == ()


def test_no_bytes_of_a_page_break_what_looks_for_fronts() -> None:
    marks = b" ".join(mark for part in HARVESTERS.values() for mark in part.marks)
    for start in (b"", b"<html>", b"<", b"{", b"[", b"\xff\xfe", b"<OAI-PMH"):
        found = FINDER.of(Document(response("http://a.test/", start + marks + b"\x00")))
        assert all(source.startswith("http://a.test/") for _, source in found)


@pytest.mark.parametrize(
    ("harvester", "addresses"),
    [
        (
            "ckan",
            [
                "https://data.test/api/3/action/package_show?id=1",
                "https://data.test/api/action/package_list",
                "https://data.test/api/3",
                "https://data.test/",
            ],
        ),
        (
            "geonode",
            [
                "https://a.test/api/v2/datasets?page=7",
                "https://a.test/api/v2/resources",
            ],
        ),
        (
            "arcgis-hub",
            [
                "https://a.test/api/search/v1/collections/all/items?startindex=5",
                "https://a.test/api/search/v1",
            ],
        ),
        (
            "socrata",
            ["https://a.test/api/catalog/v1?offset=9", "https://a.test/api/catalog/v1"],
        ),
        (
            "arcgis-portal",
            [
                "https://a.test/portal/sharing/rest/content/items/1?f=json",
                "https://a.test/portal/sharing/rest",
            ],
        ),
        (
            "oai-pmh",
            [
                "https://a.test/oai?verb=GetRecord&identifier=1&metadataPrefix=oai_dc",
                "https://a.test/oai",
            ],
        ),
    ],
)
def test_all_addresses_of_a_catalogue_have_one_root(
    harvester: str, addresses: list[str]
) -> None:
    assert len({HARVESTERS[harvester].root(url) for url in addresses}) == 1


def ckan(url: str) -> Visit | None:
    """A portal of 200 data sets; its pages and those of its data sets name addresses of its API."""
    if url == "http://data.test/":
        links = "".join(f'<a href="/dataset/{n}">{n}</a>' for n in range(8))
        head = '<meta name="generator" content="ckan 2.10.4" />'
        return response(url, page(head, f"<body>{links}</body>"), "text/html")
    if "/dataset/" in url:
        name = url.rpartition("/")[2]
        show = f'<a href="/api/3/action/package_show?id={name}">{name * 9}</a>'
        return response(url, page("", f"<body>{show}</body>"), "text/html")
    if "package_show" in url:
        answer = {"success": True, "result": {"id": url[-1], "notes": url[-1] * 50}}
        return response(url, json.dumps(answer), "application/json")
    if "package_search" in url:
        answer = json.loads(endless_ckan(url))
        answer["result"]["count"] = 200
        return response(url, json.dumps(answer), "application/json")
    return None


@pytest.mark.parametrize("is_harvest", [True, False])
def test_a_portal_is_harvested_once_however_many_of_its_addresses_are_met(
    tmp_path: Path, is_harvest: bool
) -> None:
    asked = crawl(tmp_path, "http://data.test/", ckan, is_harvest=is_harvest)
    searches = [url for url in asked if "package_search" in url]
    assert len(searches) == len(set(searches)) == 2
    assert {plain(0), plain(199)} <= set(asked)
    met = [url for url in asked if "package_show" in url]
    assert len(met) == (0 if is_harvest else 8)


def test_of_an_organisation_of_arcgis_online_only_its_own_items_are_asked_for(
    tmp_path: Path,
) -> None:
    def online(url: str) -> Visit | None:
        if "/portals/self" in url:
            return response(url, '{"id": "AbC1", "name": "City"}', "application/json")
        if "/sharing/rest/search" in url:
            item = {"id": "1", "type": "WMS", "url": plain(1), "created": 5}
            found = json.dumps({"total": 1, "nextStart": -1, "results": [item]})
            return response(url, found, "application/json")
        if url.endswith("/home/"):
            return response(url, page("<title>ArcGIS</title>"), "text/html")
        return None

    asked = crawl(
        tmp_path, "https://city.maps.arcgis.com/home/", online, is_harvest=True
    )
    searches = [url for url in asked if "/search" in url]
    assert len(searches) == 1
    assert "orgid:AbC1" in searches[0].replace("%3A", ":")
    assert plain(1) in asked


def test_the_whole_of_arcgis_online_is_no_catalogue_that_a_crawl_meets() -> None:
    portal = HARVESTERS["arcgis-portal"]
    item = "/sharing/rest/content/items/1?f=json"
    assert not portal.accepts(None, f"https://www.arcgis.com{item}")
    assert not portal.accepts(None, f"https://arcgis.com{item}")
    assert portal.accepts(None, f"https://city.maps.arcgis.com{item}")
