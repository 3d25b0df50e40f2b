"""`--since`: of two records, an old and a new one, only the new one is listed, where a catalogue gives dates."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
from harvest_examples import parquet_bytes, warc_record
from harvest_rig import Answering, response

from geohound import plugins
from geohound.model.visit import Failure

SINCE = date(2026, 6, 1)
OLD, NEW = "http://old.test/wms?service=WMS", "http://new.test/wms?service=WMS"
DAYS = {OLD: "2026-05-31", NEW: "2026-06-01"}
MS = {OLD: 1_780_185_600_000, NEW: 1_780_272_000_000}  # midnight of these days


class Catalogue(NamedTuple):
    """A source that has both records, and what it answers."""

    harvester: str
    source: str
    body: Callable[[str], str | bytes]
    kind: str = "application/json"


def hub(_: str) -> str:
    rows = [
        {"id": url, "properties": {"type": "WMS", "url": url, "modified": MS[url]}}
        for url in DAYS
    ]
    return json.dumps({"features": rows})


def geonode(_: str) -> str:
    rows = [
        {"pk": url, "last_updated": f"{day}T08:00:00Z", "links": [{"link_type": "OGC:WMS", "url": url}]}
        for url, day in DAYS.items()
    ]  # fmt: skip
    return json.dumps({"datasets": rows, "links": {}})


def socrata(_: str) -> str:
    rows = [
        {"resource": {"id": url, "updatedAt": f"{day}T08:00:00.000Z"}, "link": url}
        for url, day in DAYS.items()
    ]
    return json.dumps({"results": rows, "resultSetSize": 2})


def data_json(_: str) -> str:
    rows = [
        {"@type": "dcat:Dataset", "modified": day, "distribution": [{"accessURL": url, "format": "WMS"}]}
        for url, day in DAYS.items()
    ]  # fmt: skip
    return json.dumps({"modified": "2020-01-01", "dataset": rows})


def json_ld(_: str) -> str:
    """Distributions stand beside their datasets, and are named by their ids."""
    sets = [
        {"@id": f"{url}#set", "dct:modified": {"@value": f"{day}T00:00:00"}, "dcat:distribution": [{"@id": f"{url}#d"}]}
        for url, day in DAYS.items()
    ]  # fmt: skip
    parts = [
        {"@id": f"{url}#d", "dct:format": "WMS", "dcat:accessURL": {"@id": url}}
        for url in DAYS
    ]
    top = {"@id": "top", "dcat:dataset": [{"@id": each["@id"]} for each in sets]}
    return json.dumps({"@graph": [top, *sets, *parts]})


def feed(_: str) -> str:
    entries = "".join(
        f'<entry><id>{url}</id><updated>{day}T08:00:00Z</updated><link rel="alternate" href="{url}"/></entry>'
        for url, day in DAYS.items()
    )
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'


def thredds(_: str) -> str:
    rows = "".join(
        f'<dataset urlPath="{urlsplit(url).hostname}"><serviceName>w</serviceName>'
        f'<date type="created">2026-07-01</date><date type="modified">{day}</date></dataset>'
        for url, day in DAYS.items()
    )
    service = '<service name="w" serviceType="WMS" base="/wms/"/>'
    return f"<catalog>{service}{rows}</catalog>"


def cdx(url: str) -> str:
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    if "showNumPages" in asked:
        return '{"pages": 1}'
    since = asked.get("from", "")
    found = [url for url, day in DAYS.items() if day.replace("-", "") >= since]
    return "\n".join(json.dumps({"url": url}) for url in found)


def ckan(url: str) -> str:
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    since = asked.get("fq", "").partition("[")[2][:10]
    rows = [
        {"id": url, "resources": [{"url": url, "format": "WMS"}]}
        for url, day in DAYS.items()
        if day >= since
    ]
    return json.dumps(
        {"success": True, "result": {"count": len(rows), "results": rows}}
    )


def geonetwork(url: str) -> str:
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    since = asked.get("changeDateFrom", "")
    rows = [
        {"geonet:info": {"uuid": url}, "link": f"n|d|{url}|OGC:WMS|x|0"}
        for url, day in DAYS.items()
        if day >= since
    ]
    return json.dumps({"summary": {"@count": str(len(rows))}, "metadata": rows})


def portal(url: str) -> str:
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    since = asked["q"].partition("modified:[")[2].partition(" ")[0]
    rows = [
        {"id": at, "type": "WMS", "url": at}
        for at, ms in MS.items()
        if ms >= int(since or 0)
    ]
    return json.dumps({"results": rows, "total": len(rows), "nextStart": -1})


def oai(url: str) -> str:
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    records = "".join(
        f"<record><header><identifier>{at}</identifier></header><metadata><r><identifier>{at}</identifier></r></metadata></record>"
        for at, day in DAYS.items()
        if day >= asked.get("from", "")
    )
    return f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>{records}</ListRecords></OAI-PMH>'


def records(_: str) -> str:
    rows = [
        {"id": at, "properties": {"updated": f"{day}T08:00:00Z"}, "links": [{"rel": "item", "href": at}]}
        for at, day in DAYS.items()
    ]  # fmt: skip
    return json.dumps({"type": "FeatureCollection", "features": rows})


def warc(_: str) -> bytes:
    return b"".join(warc_record(url, "<p>", day=day) for url, day in DAYS.items())


def parquet(_: str) -> bytes:
    """The last millisecond of the old day."""
    times = [datetime.fromtimestamp((MS[NEW] - 1) / 1000, UTC), datetime.fromtimestamp(MS[NEW] / 1000, UTC)]  # fmt: skip
    return parquet_bytes([OLD, NEW], times=times)


XML = "application/xml"
CATALOGUES = [
    Catalogue("arcgis-hub", "http://hub.test/", hub),
    Catalogue("geonode", "http://node.test/", geonode),
    Catalogue("socrata", "http://open.test/", socrata),
    Catalogue("dcat", "http://open.test/data.json", data_json),
    Catalogue("dcat", "http://open.test/catalog.jsonld", json_ld),
    Catalogue("opensearch", "http://open.test/feed", feed, "application/atom+xml"),
    Catalogue("thredds", "http://data.test/catalog.xml", thredds, XML),
    Catalogue("cdx", "http://index.test/CC-index?url=*.test", cdx),
    Catalogue("ckan", "http://ckan.test/", ckan),
    Catalogue("geonetwork", "http://net.test/geonetwork", geonetwork),
    Catalogue("arcgis-portal", "http://gis.test/portal/sharing/rest", portal),
    Catalogue("oai-pmh", "http://oai.test/oai", oai, XML),
    Catalogue("warc", "http://crawl.test/x.warc.gz", warc),
    Catalogue("parquet", "http://crawl.test/x.parquet", parquet),
    Catalogue("ogcapi-records", "http://api.test/collections/a/items", records),
]


def named(catalogue: Catalogue, since: date | None) -> set[str]:
    """The hosts of the records that one page lists."""
    part = plugins.discover("harvesters")[catalogue.harvester]
    web = Answering(lambda url: response(url, catalogue.body(url), catalogue.kind))
    page = asyncio.run(part.page(catalogue.source, part.start(since), web))
    assert not isinstance(page, Failure), page
    return {
        host
        for each in (*page.listed, *page.documents)
        for host in ("old.test", "new.test")
        if host in each.url
    }


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda each: each.harvester)
def test_only_what_has_changed_since_is_listed(catalogue: Catalogue) -> None:
    assert named(catalogue, None) == {"old.test", "new.test"}
    assert named(catalogue, SINCE) == {"new.test"}


def test_a_service_of_an_old_and_of_a_new_dataset_is_listed() -> None:
    """Many datasets are layers of one service."""
    shared = data_json("").replace(OLD, NEW)
    catalogue = Catalogue("dcat", "http://open.test/data.json", lambda _: shared)
    assert named(catalogue, SINCE) == {"new.test"}
