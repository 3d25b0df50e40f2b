"""Results as files: the search in every export format, and a layer for QGIS."""

from __future__ import annotations

import csv
import io

import pytest
from lxml import etree


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
