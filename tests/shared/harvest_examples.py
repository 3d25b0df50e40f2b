"""A small catalogue for every harvester, whose pages never end where the protocol has pages.

The answers are written after the documented protocols; real servers are asked in tests/lab.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
from pyarrow import parquet

PER_PAGE = 50


class Example(NamedTuple):
    """An endless catalogue; each record names a WMS of a host of its own."""

    source: str
    body: Callable[[str], str | bytes | None]  # from an address to an answer
    content_type: str
    is_paged: bool = True


def asked_for(url: str) -> dict[str, str]:
    return {
        name.lower(): values[-1]
        for name, values in parse_qs(urlsplit(url).query).items()
    }


def plain(number: int) -> str:
    return f"http://h{number}.test/wms?service=WMS&request=GetCapabilities"


def wms(number: int) -> str:
    return plain(number).replace("&", "&amp;")


def text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def csw_page(first: int, count: int, following: int, total: int) -> str:
    records = "".join(
        f"<csw:Record><dc:identifier>id-{n}</dc:identifier><dc:title>Höhen {n}</dc:title>"
        f'<dct:references scheme="OGC:WMS">{wms(n)}</dct:references></csw:Record>'
        for n in range(first, first + count)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><csw:GetRecordsResponse xmlns:csw="http://www.opengis.net/cat/csw/2.0.2"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/">'
        f'<csw:SearchResults numberOfRecordsMatched="{total}" numberOfRecordsReturned="{count}"'
        f' nextRecord="{following}">{records}</csw:SearchResults></csw:GetRecordsResponse>'
    )


def endless_csw(url: str) -> str:
    first = int(asked_for(url)["startposition"])
    return csw_page(first, PER_PAGE, first + PER_PAGE, 1_000_000)


def numbers(url: str, name: str, count: int) -> range:
    """The records of the page that an address asks for by an offset."""
    first = int(asked_for(url).get(name, "0"))
    return range(first, first + count)


def endless_records(url: str) -> str:
    """OGC 20-004: a FeatureCollection of records with links."""
    ns = numbers(url, "offset", PER_PAGE)
    features = [
        {
            "type": "Feature",
            "id": f"id-{n}",
            "properties": {"title": f"Höhen {n}"},
            "links": [
                {
                    "rel": "self",
                    "href": f"http://cat.test/collections/all/items/id-{n}",
                },
                {
                    "rel": "item",
                    "href": plain(n),
                    "type": "application/xml",
                    "protocol": "OGC:WMS",
                },
            ],
        }
        for n in ns
    ]
    following = [
        {
            "rel": "next",
            "href": f"http://cat.test/collections/all/items?offset={ns.stop}",
        }
    ]
    return text({"type": "FeatureCollection", "features": features, "links": following})


def endless_stac(url: str) -> str:
    """STAC API 1.0, collections, with the web map links extension."""
    ns = numbers(url, "offset", PER_PAGE)
    collections = [
        {
            "type": "Collection",
            "stac_version": "1.0.0",
            "id": f"c{n}",
            "title": f"Höhen {n}",
            "links": [
                {
                    "rel": "items",
                    "href": f"http://cat.test/stac/collections/c{n}/items",
                },
                {"rel": "wms", "href": plain(n), "title": "Map"},
            ],
        }
        for n in ns
    ]
    following = [
        {"rel": "next", "href": f"http://cat.test/stac/collections?offset={ns.stop}"}
    ]
    return text({"collections": collections, "links": following})


def endless_ckan(url: str) -> str:
    """CKAN's action API, version 3: package_search."""
    ns = numbers(url, "start", 100)
    results = [
        {
            "id": f"id-{n}",
            "title": f"Höhen {n}",
            "resources": [
                {"url": plain(n), "format": "WMS"},
                {"url": f"http://files.test/{n}.csv", "format": "CSV"},
            ],
        }
        for n in ns
    ]
    return text({"success": True, "result": {"count": 10**6, "results": results}})


def dcat_us(_: str) -> str:
    """Project Open Data metadata, 1.1."""
    datasets = [
        {
            "@type": "dcat:Dataset",
            "identifier": f"id-{n}",
            "title": f"Höhen {n}",
            "distribution": [
                {
                    "@type": "dcat:Distribution",
                    "accessURL": plain(n),
                    "format": "OGC WMS",
                },
                {
                    "@type": "dcat:Distribution",
                    "downloadURL": f"http://files.test/{n}.csv",
                    "mediaType": "text/csv",
                },
            ],
        }
        for n in range(PER_PAGE)
    ]
    return text(
        {
            "conformsTo": "https://project-open-data.cio.gov/v1.1/schema",
            "dataset": datasets,
        }
    )


def endless_portal(url: str) -> str:
    """ArcGIS REST API, users, groups and items: search."""
    first = int(asked_for(url)["start"])
    results = [
        {
            "id": f"id-{n}",
            "title": f"Höhen {n}",
            "type": "WMS",
            "url": plain(n),
            "created": 1_600_000_000_000 + n,
        }
        for n in range(first, first + 100)
    ]
    return text(
        {
            "total": 10**6,
            "start": first,
            "num": 100,
            "nextStart": first + 100,
            "results": results,
        }
    )


def endless_hub(url: str) -> str:
    """The search API of ArcGIS Hub, which follows OGC API Records."""
    ns = numbers(url, "startindex", 100)
    features = [
        {
            "id": f"id-{n}",
            "properties": {"title": f"Höhen {n}", "type": "WMS", "url": plain(n)},
        }
        for n in ns
    ]
    following = f"http://cat.test/api/search/v1/collections/all/items?limit=100&startindex={ns.stop}"
    return text(
        {
            "type": "FeatureCollection",
            "features": features,
            "links": [{"rel": "next", "href": following}],
        }
    )


def endless_socrata(url: str) -> str:
    """Socrata's discovery API."""
    results = [
        {
            "resource": {"id": f"id-{n}", "name": f"Höhen {n}"},
            "metadata": {"custom": {"Map": plain(n)}},
        }
        for n in numbers(url, "offset", 100)
    ]
    return text({"results": results, "resultSetSize": 10**6})


def endless_geonode(url: str) -> str:
    """Version 2 of GeoNode's API: datasets."""
    at = int(asked_for(url).get("page", "1"))
    datasets = [
        {
            "pk": n,
            "title": f"Höhen {n}",
            "links": [{"link_type": "OGC:WMS", "url": plain(n)}, {"link_type": "data"}],
        }
        for n in range(at * 100, at * 100 + 100)
    ]
    following = f"http://cat.test/api/v2/datasets?page={at + 1}&page_size=100"
    return text(
        {"links": {"next": following}, "total": 10**6, "page": at, "datasets": datasets}
    )


def endless_oai(url: str) -> str:
    """OAI-PMH 2.0 with Dublin Core."""
    first = int(asked_for(url).get("resumptiontoken", "0"))
    records = "".join(
        f"<record><header><identifier>id-{n}</identifier></header><metadata><dc><title>Höhen {n}</title>"
        f"<identifier>{wms(n)}</identifier></dc></metadata></record>"
        for n in range(first, first + PER_PAGE)
    )
    token = f"<resumptionToken>{first + PER_PAGE}</resumptionToken>"
    return f"<OAI-PMH><ListRecords>{records}{token}</ListRecords></OAI-PMH>"


def endless_opensearch(url: str) -> str:
    """OpenSearch 1.1 with an Atom feed."""
    if url.endswith("/osdd.xml"):
        template = "http://cat.test/feed?q={searchTerms}&amp;start={startIndex?}&amp;box={geo:box?}"
        kind = "application/atom+xml"
        return f'<OpenSearchDescription><Url type="{kind}" template="{template}"/></OpenSearchDescription>'
    entries = "".join(
        f'<entry><id>id-{n}</id><title>Höhen {n}</title><link rel="related" href="{wms(n)}"/></entry>'
        for n in numbers(url, "start", PER_PAGE)
    )
    return f"<feed>{entries}</feed>"


def waf_file(_: str) -> str:
    """ISO 19139, as in a folder of such files."""
    resources = "".join(
        f"<CI_OnlineResource><linkage><URL>{wms(n)}</URL></linkage><protocol>OGC:WMS</protocol></CI_OnlineResource>"
        for n in range(3)
    )
    return f"<MD_Metadata><fileIdentifier>x</fileIdentifier><title>Höhen</title>{resources}</MD_Metadata>"


def qgis_file(_: str) -> str:
    """As QGIS writes it."""
    saved = "".join(
        f'<wms name="Höhen {n}" url="{wms(n)}" dpiMode="7"/>' for n in range(3)
    )
    return f'<!DOCTYPE connections><qgsWMSConnections version="1.0">{saved}</qgsWMSConnections>'


def terria_file(_: str) -> str:
    """Version 8 of the catalog of TerriaJS."""
    members = [{"type": "wms", "name": f"Höhen {n}", "url": plain(n)} for n in range(3)]
    return text({"catalog": [{"type": "group", "name": "Maps", "members": members}]})


def list_file(_: str) -> str:
    return "name;address\n" + "\n".join(f"Höhen {n};{plain(n)}" for n in range(3))


def endless_geonetwork(url: str) -> str:
    """The search of GeoNetwork 3: fast=index."""
    first = int(asked_for(url)["from"])
    records = [
        {
            "geonet:info": {"uuid": f"id-{n}"},
            "title": f"Höhen {n}",
            "link": [f"n|d|{plain(n)}|OGC:WMS|g|0"],
        }
        for n in range(first, first + 100)
    ]
    return text({"summary": {"@count": "1000000"}, "metadata": records})


def thredds_catalogue(_: str) -> str:
    """THREDDS client catalogue, version 1.0.1: a compound service, and datasets that inherit its name."""
    datasets = "".join(
        f'<dataset name="Höhen {n}" ID="d{n}" urlPath="grid/{n}.nc"/>' for n in range(3)
    )
    return (
        '<catalog xmlns="http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink">'
        '<service name="all" serviceType="Compound" base="">'
        '<service name="w" serviceType="WMS" base="http://h1.test/thredds/wms/"/>'
        '<service name="d" serviceType="OPENDAP" base="http://h2.test/thredds/dodsC/"/>'
        '<service name="h" serviceType="HTTPServer" base="/thredds/fileServer/"/></service>'
        '<dataset name="Grids"><metadata inherited="true"><serviceName>all</serviceName></metadata>'
        f'{datasets}<catalogRef xlink:href="more/catalog.xml" xlink:title="More" name=""/></dataset></catalog>'
    )


def endless_erddap(url: str) -> str:
    """ERDDAP's info/index.json: a thousand datasets a page, few of them with a WMS."""
    first = 1_000 * int(asked_for(url).get("page", "1"))
    rows = [
        [plain(n) if n % 100 == 0 else "", f"Höhen {n}", f"d{n}"]
        for n in range(first, first + 1_000)
    ]
    return text(
        {"table": {"columnNames": ["wms", "Title", "Dataset ID"], "rows": rows}}
    )


def sitemap_file(_: str) -> str:
    """sitemaps.org, 0.9."""
    entries = "".join(
        f"<url><loc>{wms(n)}</loc><lastmod>2026-0{n + 1}-01</lastmod></url>"
        for n in range(3)
    )
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


def arcgis_services(url: str) -> str:
    """The services directory of ArcGIS REST in JSON; this server has no sitemap, and answers as if asked for JSON."""
    services = [{"name": f"Land/Hoehen_{n}", "type": "MapServer"} for n in range(2)]
    return text(
        {
            "currentVersion": 11.1,
            "folders": ["Land"] if url.count("/") == 6 else [],
            "services": services,
        }
    )


def context_file(_: str) -> str:
    """OWS Context in Atom, OGC 12-084r2."""
    entries = "".join(
        f'<entry><title>Höhen {n}</title><owc:offering code="http://www.opengis.net/spec/owc-atom/1.0/req/wms">'
        f'<owc:operation code="GetCapabilities" method="GET" href="{wms(n)}"/></owc:offering></entry>'
        for n in range(3)
    )
    spaces = (
        'xmlns="http://www.w3.org/2005/Atom" xmlns:owc="http://www.opengis.net/owc/1.0"'
    )
    return f"<feed {spaces}>{entries}</feed>"


def warc_record(
    url: str,
    body: str,
    content_type: str = "text/html",
    kind: str = "response",
    day: str = "2026-01-01",
) -> bytes:
    """One record by ISO 28500, packed by itself as Common Crawl does."""
    answer = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n{body}".encode()
    about = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {day}T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:0>\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(answer)}\r\n\r\n"
    )
    return gzip.compress(about.encode() + answer + b"\r\n\r\n")


def warc_file(_: str) -> bytes:
    return b"".join(
        warc_record(f"http://a.test/{n}", f'<a href="{wms(n)}">Höhen {n}</a>')
        for n in range(3)
    )


def parquet_bytes(
    addresses: list[str],
    statuses: list[int] | None = None,
    rows_per_group: int = 1_000,
    times: list[datetime | None] | None = None,
) -> bytes:
    """Columns of Common Crawl's index, as its documentation lists them."""
    columns = {
        "url_surtkey": [f"key {n}" for n in range(len(addresses))],
        "url": addresses,
        "fetch_time": pa.array(
            times or [None] * len(addresses), pa.timestamp("ms", "UTC")
        ),
        "fetch_status": pa.array(statuses or [200] * len(addresses), pa.int16()),
        "warc_filename": ["crawl-data/x.warc.gz"] * len(addresses),
    }
    file = io.BytesIO()
    parquet.write_table(
        pa.table(columns), file, row_group_size=rows_per_group, compression="gzip"
    )
    return file.getvalue()


def parquet_file(_: str) -> bytes:
    return parquet_bytes([plain(n) for n in range(3)])


def endless_cdx(url: str) -> str:
    """pywb's CDX server, as Common Crawl runs it: JSON lines."""
    asked = asked_for(url)
    if asked.get("shownumpages"):
        return text({"pages": 10**6, "pageSize": 5, "blocks": 10**7})
    first = PER_PAGE * int(asked["page"])
    return "".join(
        text({"url": plain(n)}) + "\n" for n in range(first, first + PER_PAGE)
    )


EXAMPLES = {
    "csw": Example("http://cat.test/csw", endless_csw, "application/xml"),
    "ogcapi-records": Example(
        "http://cat.test/collections/all/items", endless_records, "application/geo+json"
    ),
    "stac": Example(
        "http://cat.test/stac/collections", endless_stac, "application/json"
    ),
    "ckan": Example("http://cat.test/api/3/action/", endless_ckan, "application/json"),
    "dcat": Example(
        "http://cat.test/data.json", dcat_us, "application/json", is_paged=False
    ),
    "arcgis-portal": Example(
        "http://cat.test/portal/sharing/rest", endless_portal, "application/json"
    ),
    "arcgis-hub": Example(
        "http://cat.test/api/search/v1", endless_hub, "application/json"
    ),
    "socrata": Example(
        "http://cat.test/api/catalog/v1", endless_socrata, "application/json"
    ),
    "geonode": Example(
        "http://cat.test/api/v2/datasets", endless_geonode, "application/json"
    ),
    "oai-pmh": Example("http://cat.test/oai", endless_oai, "text/xml"),
    "opensearch": Example(
        "http://cat.test/osdd.xml", endless_opensearch, "application/atom+xml"
    ),
    "waf": Example("http://cat.test/waf/a.xml", waf_file, "text/xml", is_paged=False),
    "qgis": Example(
        "http://cat.test/connections.xml", qgis_file, "text/xml", is_paged=False
    ),
    "terria": Example(
        "http://cat.test/init/main.json",
        terria_file,
        "application/json",
        is_paged=False,
    ),
    "list": Example("http://cat.test/list.csv", list_file, "text/csv", is_paged=False),
    "geonetwork": Example(
        "http://cat.test/geonetwork", endless_geonetwork, "application/json"
    ),
    "thredds": Example(
        "http://cat.test/thredds/catalog.xml",
        thredds_catalogue,
        "application/xml",
        is_paged=False,
    ),
    "erddap": Example("http://cat.test/erddap", endless_erddap, "application/json"),
    "sitemap": Example(
        "http://cat.test/sitemap.xml", sitemap_file, "application/xml", is_paged=False
    ),
    "arcgis-directory": Example(
        "http://cat.test/arcgis/rest/services",
        arcgis_services,
        "application/json",
        is_paged=False,
    ),
    "warc": Example(
        "http://cat.test/x.warc.gz",
        warc_file,
        "application/octet-stream",
        is_paged=False,
    ),
    "parquet": Example(
        "http://cat.test/x.parquet",
        parquet_file,
        "application/octet-stream",
        is_paged=False,
    ),
    "cdx": Example(
        "http://cat.test/CC-MAIN-2026-01-index?url=*.test", endless_cdx, "text/x-ndjson"
    ),
    "ows-context": Example(
        "http://cat.test/map.atom", context_file, "application/atom+xml", is_paged=False
    ),
}
