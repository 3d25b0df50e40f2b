"""Results as files: the search in every export format, and a layer for QGIS."""

from __future__ import annotations

import csv
import io

import pytest
from lxml import etree
from starlette.testclient import TestClient

from geohound.plugins import discover
from geohound.portal.app import create_app
from geohound.stores.memory.data_files import MemoryDataFiles

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("operation", ["search", "services"])
def test_a_search_is_downloaded_in_the_format_asked_for(client, samples, operation):
    answer = client.get(f"/api/v1/{operation}?q=rivers&f=csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert (
        answer.headers["content-disposition"] == 'attachment; filename="geohound.csv"'
    )
    assert [row["id"] for row in csv.DictReader(io.StringIO(answer.text))] == [
        samples.rivers.id
    ]


def test_a_download_has_all_results_and_not_a_page_of_them(client):
    rows = list(
        csv.DictReader(io.StringIO(client.get("/api/v1/services?f=csv&limit=1").text))
    )
    assert len(rows) == client.get("/api/v1/services").json()["total"] == 5


def test_every_format_of_the_registry_is_offered_and_answers(client):
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    operation = next(
        value for key, value in paths.items() if key.endswith("/services")
    )["get"]
    formats = next(p for p in operation["parameters"] if p["name"] == "f")["schema"][
        "enum"
    ]
    assert {"csv", "geojson", "json", "jsonl", "qgis", "geoparquet"} <= set(formats)
    for each in formats:
        assert client.get(f"/api/v1/services?f={each}").status_code == 200, each


def test_a_format_that_there_is_not_is_a_problem(client):
    answer = client.get("/api/v1/search?f=shapefile")
    assert (answer.status_code, answer.json()["parameter"]) == (400, "f")


def test_one_layer_is_downloaded_for_qgis(client, samples):
    answer = client.get(f"/services/{samples.rivers.id}/layers.qlr?layer=hy:lakes")
    assert answer.headers["content-disposition"].endswith('.qlr"')
    names = [
        each.text
        for each in etree.fromstring(answer.content).iterfind(
            "maplayers/maplayer/layername"
        )
    ]
    assert names == ["Lakes"]
    assert client.get("/services/0123456789abcdef/layers.qlr").status_code == 404


@pytest.mark.parametrize("operation", ["search", "services"])
@pytest.mark.parametrize("f", ["csv", "qlr", "qgis", "geojson", "owc", "terria"])
def test_downloads_have_the_addresses_that_the_visitor_reaches(
    catalogue, index, samples, operation: str, f: str
) -> None:
    """As in the demo, whose web has names that no other program finds."""

    def reach(url: str) -> str:
        maps = url.replace("https://maps.water.example", "http://127.0.0.1:8123")
        return maps.replace("https://water.example", "http://127.0.0.1:8123/water")

    app = create_app(
        catalogue, index, discover("kinds"), exporters=discover("exporters"),
        snippets=discover("snippets"), files=MemoryDataFiles(), reach=reach,
    )  # fmt: skip
    with TestClient(app) as client:
        answer = client.get(f"/api/v1/{operation}?q=rivers&kind=wms&f={f}")
        page = client.get(f"/services/{samples.rivers.id}").text
        one = client.get(f"/services/{samples.rivers.id}/layers.qlr")
    assert answer.status_code == 200
    assert b"127.0.0.1:8123/wms" in answer.content
    assert b"127.0.0.1:8123/wms" in one.content
    if f == "csv":
        assert samples.rivers.id in answer.text
    assert 'href="http://127.0.0.1:8123/water/"' in page  # the site of the provider
