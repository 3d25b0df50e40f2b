"""The JSON answers: the fields that programs rely on, and troubles as problem documents."""

from __future__ import annotations

import pytest
from lxml import etree
from starlette.testclient import TestClient

from geohound.portal.app import create_app


def test_a_search_answers_with_the_promised_fields(client, samples):
    answer = client.get("/api/v1/search", params={"q": "lakes"})
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert {"hits", "total", "elapsed_ms", "facets"} <= set(body)
    assert body["total"] == 1
    hit = body["hits"][0]
    assert {
        "id",
        "kind",
        "endpoint",
        "title",
        "score",
        "bbox",
        "layers",
        "state",
        "why",
    } <= set(hit)
    assert hit["id"] == samples.rivers.id
    assert hit["bbox"] == [19.1, 59.3, 31.6, 70.1]
    assert hit["state"] == "alive"
    assert {"name": "hy:lakes", "title": "Lakes", "bbox": None} in hit["layers"]
    assert body["facets"]["kind"] == {"wms": 1}


def test_limit_and_offset_walk_through_all_hits_once(client):
    seen = [
        client.get(f"/api/v1/search?limit=1&offset={n}").json()["hits"][0]["id"]
        for n in range(5)
    ]
    assert len(set(seen)) == 5
    assert client.get("/api/v1/search?limit=1&offset=5").json()["hits"] == []


def test_a_hit_lists_some_of_its_layers_and_counts_all(client, samples):
    hit = client.get("/api/v1/search?q=register").json()["hits"][0]
    assert hit["id"] == samples.many.id
    assert len(hit["layers"]) == 20
    assert (hit["match_count"], hit["layer_count"]) == (1200, 1200)


@pytest.mark.parametrize(
    ("query", "parameter", "sentence"),
    [
        ("bbox=0,0,200,10", "bbox", "longitudes go from -180 to 180"),
        ("limit=0", "limit", "from 1 to 100"),
        (
            "kind=wms,gopher",
            "kind",
            "kind “gopher” is not known; use one of ogcapi-features, wfs, wms.",
        ),
    ],
)
def test_a_bad_parameter_is_a_problem_document_that_says_what_to_do(
    client, query, parameter, sentence
):
    answer = client.get(f"/api/v1/search?{query}")
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == 400
    assert problem["parameter"] == parameter
    assert sentence in problem["detail"]


def test_a_service_record_holds_layers_health_and_sightings(client, samples):
    record = client.get(f"/api/v1/services/{samples.rivers.id}").json()
    assert record["title"] == "Rivers and lakes of Finland"
    assert record["bbox"] == [19.1, 59.3, 31.6, 70.1]
    assert record["provider"]["name"] == "Water Institute"
    assert (record["health"]["state"], record["health"]["checks"]) == ("alive", 2)
    assert record["health"]["latency_ms"] == {"p50": 250.0, "p95": 350.0}
    assert record["sightings"][0]["found_on"] == "https://portal.example/maps.html"
    lakes = record["layers"][1]
    assert lakes["extent"] == {
        "bbox": None,
        "declared": [59.3, 19.1, 700.0, 31.6],
        "crs": "EPSG:4326",
        "faults": ["out of range"],
    }


def test_the_layers_of_a_record_come_in_pages(client, samples):
    record = client.get(f"/api/v1/services/{samples.many.id}?limit=3&offset=10").json()
    assert [layer["name"] for layer in record["layers"]] == [
        "reg:layer_11",
        "reg:layer_12",
        "reg:layer_13",
    ]
    assert record["layer_count"] == 1200


@pytest.mark.parametrize(
    "address",
    ["/api/v1/services/ffffffffffffffff", "/api/v1/nothing", "/api/v2/search"],
)
def test_what_is_not_there_is_a_problem_document(client, address):
    answer = client.get(address)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"].endswith(".")


@pytest.fixture
def portal_for(catalogue, index, kinds):
    return lambda *origins: TestClient(
        create_app(catalogue, index, kinds, origins=origins)
    )


def test_no_page_of_another_site_may_read_anything_unless_that_is_asked_for(client):
    asked = {"Origin": "https://maps.example", "Access-Control-Request-Method": "GET"}
    answers = [
        client.get("/api/v1/search", headers=asked),
        client.get("/", headers=asked),
    ]
    answers += [
        client.options("/api/v1/search", headers=asked),
        client.get("/api/v1/nothing", headers=asked),
    ]
    for answer in answers:
        assert not [
            name for name in answer.headers if name.startswith("access-control-")
        ]


def test_pages_of_other_sites_may_read_the_api_but_not_the_portal_where_that_is_asked_for(
    portal_for,
):
    with portal_for("*") as client:
        assert (
            client.get("/api/v1/search").headers["access-control-allow-origin"] == "*"
        )
        assert (
            client.get("/api/v1/search?limit=0").headers["access-control-allow-origin"]
            == "*"
        )
        assert "access-control-allow-origin" not in client.get("/").headers


def test_only_pages_of_the_named_sites_may_read_the_api(portal_for):
    with portal_for("https://maps.example") as client:
        theirs = client.get(
            "/api/v1/search", headers={"Origin": "https://maps.example"}
        )
        assert theirs.headers["access-control-allow-origin"] == "https://maps.example"
        assert "Origin" in theirs.headers["vary"]
        for origin in (
            "https://evil.example",
            "https://maps.example.evil.example",
            "null",
        ):
            other = client.get("/api/v1/search", headers={"Origin": origin})
            assert "access-control-allow-origin" not in other.headers


def test_pages_of_other_sites_may_ask_whether_what_they_hold_is_still_right(portal_for):
    with portal_for("*") as client:
        _check_preflight(client)


def _check_preflight(client):
    asked = {"Origin": "https://maps.example", "Access-Control-Request-Method": "GET"}
    answer = client.options(
        "/api/v1/search",
        headers={**asked, "Access-Control-Request-Headers": "if-none-match"},
    )
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "if-none-match" in answer.headers["access-control-allow-headers"].lower()
    assert client.post("/api/v1/search").status_code == 405


def test_suggestions_say_what_is_being_typed(client):
    typed, titles = client.get("/api/v1/suggest?q=rive").json()
    assert typed == "rive"
    assert titles
    assert all("rive" in title.lower() for title in titles)


def test_the_opensearch_description_names_addresses_that_answer(client, samples):
    answer = client.get("/opensearch.xml")
    assert answer.headers["content-type"].startswith(
        "application/opensearchdescription+xml"
    )
    root = etree.fromstring(answer.content)
    urls = root.findall("{http://a9.com/-/spec/opensearch/1.1/}Url")
    kinds_of_answer = [
        "text/html",
        "application/json",
        "application/x-suggestions+json",
    ]
    assert [u.get("type") for u in urls] == kinds_of_answer
    assert client.get(urls[2].get("template").replace("{searchTerms}", "lak")).json()[1]
    for url in urls[:2]:
        filled = (
            url.get("template")
            .replace("{searchTerms}", "lakes")
            .replace("{geo:box?}", "0,50,40,80")
        )
        for optional in ("{geo:relation?}", "{count?}", "{startIndex?}"):
            filled = filled.replace(optional, "")
        found = client.get(filled)
        assert found.status_code == 200
        assert samples.rivers.id in found.text


def test_opensearch_clients_speak_of_intersecting(client, samples):
    asked = {"q": "lakes", "bbox": "0,50,40,80", "limit": ""}
    for relation in ("intersects", "overlaps", "within", ""):
        found = client.get(
            "/opensearch.json", params={**asked, "relation": relation}
        ).json()
        assert [hit["id"] for hit in found["hits"]] == [samples.rivers.id], relation
    assert (
        client.get("/opensearch.json", params={**asked, "relation": "contains"}).json()[
            "total"
        ]
        == 0
    )


@pytest.mark.parametrize("asked", ["relation=disjoint", "limit=many", "colour=red"])
def test_what_opensearch_clients_ask_wrongly_is_a_problem_document(client, asked):
    answer = client.get(f"/opensearch.json?{asked}")
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["parameter"] == asked.partition("=")[0]
