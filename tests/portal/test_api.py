"""The API as a whole: its document, cursors, tags, limits, lines, and every list that programs read."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from geohound.model.catalogue import Observation
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.plugins import discover
from geohound.portal.app import create_app
from geohound.portal.json_responses import JSON_LINES
from geohound.portal.middleware.rate_limit import RateLimit, _visitor
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store
from geohound.topics import TOPICS, Classifier


@pytest.fixture(scope="module")
def api(catalogue, index, kinds):
    snippets = discover("snippets")
    app = create_app(
        catalogue, index, kinds, classifier=Classifier(TOPICS), snippets=snippets
    )
    with TestClient(app, base_url="http://test/api/v1") as client:
        yield client


def test_the_document_lists_every_address_and_each_answers(api, samples):
    document = api.get("openapi.json").json()
    assert document["openapi"].startswith("3.1")
    values = {"id": samples.rivers.id, "name": "kinds"}
    for path, methods in document["paths"].items():
        if path.startswith("/tasks") or "get" not in methods:
            continue
        answer = api.get(path.format(**values).lstrip("/"))
        assert answer.status_code == 200, path
        assert (
            answer.headers["content-type"].partition(";")[0]
            in methods["get"]["responses"]["200"]["content"]
        )


@pytest.mark.parametrize("schema", ["ResultsRecord", "FoundLayers", "FacetsRecord"])
def test_the_document_says_where_a_total_is_no_longer_exact(api, schema):
    assert (
        "20,000"
        in api.get("openapi.json").json()["components"]["schemas"][schema][
            "properties"
        ]["total"]["description"]
    )


def test_the_document_names_the_kinds_of_this_portal(api, kinds):
    parameters = api.get("openapi.json").json()["paths"]["/search"]["get"]["parameters"]
    kind = next(p for p in parameters if p["name"] == "kind")
    assert kind["schema"]["items"]["enum"] == sorted(kinds)


def test_cursors_lead_through_all_hits_once(api):
    seen, cursor = [], ""
    while cursor is not None:
        page = api.get(
            "search", params={"limit": 2, **({"cursor": cursor} if cursor else {})}
        ).json()
        seen += [hit["id"] for hit in page["hits"]]
        cursor = page["next"]
    assert len(seen) == len(set(seen)) == 5


def test_cursors_lead_through_the_layers_of_a_service(api, samples):
    address, seen, cursor = f"services/{samples.many.id}/layers", [], ""
    while cursor is not None:
        page = api.get(
            address, params={"limit": 500, **({"cursor": cursor} if cursor else {})}
        ).json()
        seen += [layer["name"] for layer in page["layers"]]
        cursor = page["next"]
    assert len(set(seen)) == page["total"] == 1200


LARGE = Service(
    "wms",
    "https://large.example/wms",
    title="Parcels",
    layers=tuple(Layer(f"parcel_{n}", f"Parcel {n}") for n in range(12_000)),
)


@pytest.fixture(scope="module")
def large(tmp_path_factory, kinds):
    store = open_store(tmp_path_factory.mktemp("large") / "large.db", SystemClock())
    store.catalogue.record_now(
        [
            Observation(
                LARGE,
                Sighting(
                    LARGE.id,
                    LARGE.endpoint,
                    "",
                    Via.SEED,
                    "",
                    datetime(2026, 5, 4, tzinfo=UTC),
                ),
            )
        ]
    )
    with TestClient(
        create_app(
            store.catalogue, CatalogueIndex(store.catalogue, store.segments), kinds
        ),
        base_url="http://test/api/v1",
    ) as client:
        yield client
    store.close()


@pytest.mark.slow
def test_cursors_lead_through_twelve_thousand_layers_to_the_end(large):
    address, seen, cursor = f"services/{LARGE.id}/layers", [], ""
    while cursor is not None:
        answer = large.get(
            address, params={"limit": 1000, **({"cursor": cursor} if cursor else {})}
        )
        assert answer.status_code == 200, answer.text
        seen += [layer["name"] for layer in answer.json()["layers"]]
        cursor = answer.json()["next"]
    assert seen == [layer.name for layer in LARGE.layers]


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked", [{"q": "parcel"}, {"q": "parcels"}, {"kind": "wms"}, {"q": LARGE.endpoint}]
)
def test_every_layer_that_matches_is_listed_once(large, asked):
    seen, cursor = [], ""
    while cursor is not None:
        answer = large.get(
            "layers",
            params={"limit": 100, **asked, **({"cursor": cursor} if cursor else {})},
        ).json()
        assert answer["total"] == 12_000
        seen += [layer["name"] for layer in answer["layers"]]
        cursor = answer["next"]
        if len(seen) == 300:  # the rest at once
            break
    assert len(set(seen)) == 300
    told = [
        json.loads(line)
        for line in large.get(
            "layers", params={"f": "jsonl", **asked}
        ).text.splitlines()
    ]
    assert [layer["name"] for layer in told[:300]] == seen
    assert {layer["name"] for layer in told} == {layer.name for layer in LARGE.layers}
    assert (len(told), told[0]["service"]) == (12_000, LARGE.id)


def test_only_layers_that_match_are_listed(large, api):
    few = large.get("layers", params={"q": "parcel_77"}).json()
    assert ([layer["name"] for layer in few["layers"]], few["total"], few["next"]) == (
        ["parcel_77"],
        1,
        None,
    )
    assert large.get("layers", params={"q": "parcel -77"}).json()["total"] == 12_000 - 1
    assert (
        large.get("layers", params={"offset": 5, "limit": 2}).json()["layers"][0][
            "name"
        ]
        == "parcel_5"
    )
    assert api.get("layers", params={"kind": "ogcapi-features"}).json()["total"] == 0


def test_layers_stand_as_the_box_asks(api):
    assert [
        layer["name"]
        for layer in api.get(
            "layers?q=finland&bbox=20,60,31,70&relation=within"
        ).json()["layers"]
    ] == ["hy:rivers"]


def test_lists_of_services_are_as_long_as_their_lines(tmp_path, kinds):
    store = open_store(tmp_path / "twins.db", SystemClock())
    for host in ("one", "two", "three"):
        twin = Service(
            "wms",
            f"https://{host}.example/wms",
            title="Roads",
            abstract="All.",
            layers=(Layer("roads"),),
        )
        store.catalogue.record_now(
            [
                Observation(
                    twin,
                    Sighting(
                        twin.id, "", "", Via.SEED, "", datetime(2026, 5, 4, tzinfo=UTC)
                    ),
                )
            ]
        )
    with TestClient(
        create_app(
            store.catalogue, CatalogueIndex(store.catalogue, store.segments), kinds
        ),
        base_url="http://test/api/v1",
    ) as client:
        assert client.get("search").json()["total"] == 1
        for asked in ("", "q=roads", "kind=wms"):
            listed = client.get(f"services?{asked}").json()
            assert (listed["total"], len(listed["services"])) == (3, 3)
            assert len(client.get(f"services?f=jsonl&{asked}").text.splitlines()) == 3
    store.close()


@pytest.mark.parametrize(
    "address",
    ["search?q=lakes", "services", "facets", "reports/kinds", "health", "openapi.json"],
)
def test_what_has_not_changed_is_not_sent_twice(api, address):
    first = api.get(address)
    again = api.get(address, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    weak = api.get(
        address, headers={"If-None-Match": f'"x", W/{first.headers["etag"]}'}
    )
    assert weak.status_code == 304
    assert api.get(address, headers={"If-None-Match": '"other"'}).status_code == 200


def test_long_lists_come_as_lines_where_one_asks_for_them(api, samples):
    by_name = api.get(f"services/{samples.many.id}/layers?f=jsonl")
    assert by_name.headers["content-type"].startswith(JSON_LINES)
    assert len([json.loads(line) for line in by_name.text.splitlines()]) == 1200
    by_header = api.get("services", headers={"Accept": JSON_LINES})
    assert {json.loads(line)["id"] for line in by_header.text.splitlines()} >= {
        samples.rivers.id,
        samples.many.id,
    }
    assert len(by_header.text.splitlines()) == 5
    hits = api.get("search?f=jsonl&q=lakes").text.splitlines()
    assert [json.loads(line)["id"] for line in hits] == [samples.rivers.id]


def test_services_of_a_kind_come_as_lines_too(api, samples):
    lines = api.get("services?f=jsonl&kind=wfs").text.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [samples.many.id]


def test_every_filter_holds_for_lines_too(api, samples):
    lines = api.get("services?f=jsonl&provider=Water+Institute").text.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [samples.rivers.id]
    assert api.get("services?f=jsonl&years=1901").text == ""


def test_layers_as_lines_are_those_of_all_hits_not_of_one_page(api):
    paged = api.get("layers?limit=1&q=-zzz").json()
    whole = [
        json.loads(line)
        for line in api.get(
            "layers?limit=1&f=jsonl&bbox=-180,-90,180,90"
        ).text.splitlines()
    ]
    assert len({layer["service"] for layer in whole}) > 1
    assert paged["total"] > 1


@pytest.mark.parametrize(
    "cursor",
    [
        "kffffffff.00000000.7fc00000.ffffffff",
        "k1.00000000.ff800000.0",
        "k1.00000000.ff800000.0.ff",
    ],
)
def test_a_cursor_that_was_tampered_with_does_no_harm(api, cursor):
    for address in ("search", "layers", "services"):
        answer = api.get(f"{address}?cursor={cursor}")
        assert answer.status_code == 200
    assert api.get(f"search?cursor={cursor}").json()["hits"] == []


def test_layers_come_with_the_service_that_offers_them(api, samples):
    found = api.get("layers?q=lakes").json()["layers"]
    assert {"name": "hy:lakes", "service": samples.rivers.id}.items() <= found[
        0
    ].items()


def test_a_service_tells_its_topics_and_facets_count_them(api, samples):
    topics = api.get(f"services/{samples.rivers.id}").json()["topics"]
    assert {"topic": "land_cover", "class": "water"} in topics
    assert {"topic": "inspire", "class": "hy"} in topics
    kinds = api.get("facets").json()["facets"]["kind"]
    assert {"value": "wms", "title": "WMS", "count": 3} in kinds


def test_a_layer_opens_with_requests_and_snippets(api, samples):
    opened = api.get(
        f"services/{samples.rivers.id}/open?layer=hy:rivers&bbox=20,60,25,65"
    ).json()
    rels = {link["rel"]: link["url"] for link in opened["links"]}
    assert "REQUEST=GetMap" in rels["map"]
    assert "LAYERS=hy:rivers" in rels["map"]
    tools = {snippet["tool"] for snippet in opened["snippets"]}
    assert tools >= {"qgis", "python", "r", "gdal", "curl", "openlayers", "leaflet"}
    assert api.get(f"services/{samples.rivers.id}/open?layer=none").status_code == 404


def test_a_list_that_is_asked_for_by_head_is_not_read(api, monkeypatch):
    monkeypatch.setattr(
        "geohound.portal.api.hit_record", lambda hit: pytest.fail("was read")
    )
    answer = api.head("search?f=jsonl")
    assert (answer.status_code, answer.headers["content-type"], answer.content) == (
        200,
        JSON_LINES,
        b"",
    )


def test_reports_and_facets_know_more_values_than_a_search_tells(tmp_path, kinds):
    """A catalogue of 24 countries is not one of 20, and what the 21st holds is not nothing."""
    store = open_store(tmp_path / "many.db", SystemClock())
    for land in re.findall("..", "aratbebrcachclczdedkesfifrgrhuieinitjpmxnlnonzpl"):
        service = Service(
            "wms", f"https://maps.example.{land}/wms", title=f"Rivers of {land}"
        )
        store.catalogue.record_now(
            [
                Observation(
                    service,
                    Sighting(
                        service.id,
                        service.endpoint,
                        "",
                        Via.SEED,
                        "",
                        datetime.now(UTC),
                    ),
                )
            ]
        )
    with TestClient(
        create_app(
            store.catalogue, CatalogueIndex(store.catalogue, store.segments), kinds
        ),
        base_url="http://test/api/v1",
    ) as client:
        assert ["countries", 24] in client.get("reports/totals").json()["rows"]
        assert len(client.get("reports/countries").json()["rows"]) == 24
        assert len(client.get("facets").json()["facets"]["country"]) == 24
        assert len(client.get("facets?country=de").json()["facets"]["country"]) == 24
        assert len(client.get("search").json()["facets"]["country"]) == 20
    store.close()


def test_reports_are_tables(api):
    assert api.get("reports").json()["reports"][0]["name"] == "totals"
    totals = {row[0]: row[1] for row in api.get("reports/totals").json()["rows"]}
    assert totals["services"] == 5
    classes = api.get("reports/classes").json()
    assert classes["columns"] == ["topic", "class", "services"]
    assert len(classes["rows"]) == 12 + 34 + 21
    candidates = api.get("reports/candidates").json()
    assert [row[0] for row in candidates["rows"][:2]] == ["total", "available"]
    assert api.get("reports/none").status_code == 404


def test_a_class_that_two_topics_name_alike_is_counted_for_each_of_them(
    tmp_path, kinds
):
    service = Service("wms", "https://a.example.de/wms", title="Lakes")
    met = Sighting(service.id, service.endpoint, "", Via.SEED, "", datetime.now(UTC))
    store = open_store(tmp_path / "two.db", SystemClock())
    store.catalogue.record_now(
        [Observation(service, met, topics=(("mine", "water"), ("mine", "snow")))]
    )
    index = CatalogueIndex(store.catalogue, store.segments)
    app = create_app(store.catalogue, index, kinds, classifier=Classifier(TOPICS))
    with TestClient(app, base_url="http://test/api/v1") as client:
        rows = client.get("reports/classes").json()["rows"]
    store.close()
    assert ["land_cover", "water", 0] in rows
    assert ["land_cover", "snow", 0] in rows


def test_a_portal_without_tasks_says_so(api):
    for path in ("tasks", "tasks/7", "tasks/7/events"):
        assert api.get(path).json()["detail"] == "This portal has no tasks."


def test_suggestions_have_the_form_that_browsers_expect(api):
    answer = api.get("suggest?q=riv")
    assert answer.headers["content-type"] == "application/x-suggestions+json"
    text, titles = answer.json()
    assert text == "riv"
    assert "Rivers" in titles


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("colour=red", "colour"), ("limit=1&limit=2", "limit"), ("limit=", "limit"), ("cursor=x", "cursor"),
        ("years=20", "years"), ("expand=perhaps", "expand"), ("f=xml", "f"), ("topic=", "topic"),
        ("bbox=1,2,3", "bbox"), ("offset=99999999999", "offset"), ("bbox=", "bbox"),
    ],
)  # fmt: skip
def test_what_the_document_does_not_allow_is_refused_by_name(api, query, parameter):
    answer = api.get(f"search?{query}")
    assert answer.status_code == 400
    assert answer.json()["parameter"] == parameter


def test_a_box_with_its_north_side_first_is_the_same_box(api, samples):
    one = api.get("search?bbox=20,60,25,65").json()
    other = api.get("search?bbox=20,65,25,60").json()
    assert [h["id"] for h in one["hits"]] == [h["id"] for h in other["hits"]]
    assert samples.rivers.id in [h["id"] for h in one["hits"]]


def test_a_filter_without_a_value_is_told_so(api):
    assert (
        api.get("search?kind=").json()["detail"]
        == "kind must be left out or have a value."
    )


def test_filters_by_facet_reach_the_catalogue(api, samples):
    found = api.get("search?provider=Water+Institute&https=yes").json()
    assert [hit["id"] for hit in found["hits"]] == [samples.rivers.id]
    assert api.get("search?provider=nobody").json()["total"] == 0


def test_whoever_asks_too_much_is_told_when_to_come_back(catalogue, index, kinds):
    with TestClient(
        create_app(catalogue, index, kinds, requests_per_minute=3)
    ) as client:
        answers = [client.get("/api/v1/health") for _ in range(4)]
        assert [a.status_code for a in answers] == [200, 200, 200, 429]
        assert answers[3].headers["content-type"] == "application/problem+json"
        assert 0 < int(answers[3].headers["retry-after"]) <= 20
        page = client.get("/?q=lakes")
        assert (page.status_code, page.headers["retry-after"]) == (
            429,
            answers[3].headers["retry-after"],
        )
        assert page.text.startswith("Rate limit of 3 requests per minute exceeded")
        assert client.get("/healthz").status_code == 200


async def _nothing(*_: object) -> None:
    return None


def test_the_bucket_fills_again_and_visitors_do_not_share_it():
    now = [0.0]
    limit = RateLimit(_nothing, per_minute=2, clock=lambda: now[0])
    assert [limit._take("a") for _ in range(3)] == [0.0, 0.0, 30.0]
    assert limit._take("b") == 0.0
    now[0] = 31.0
    assert limit._take("a") == 0.0


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        (
            "::ffff:192.0.2.1",
            "::ffff:192.0.2.2",
            False,
        ),  # two visitors of IPv4 on a socket for both families
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        (
            "2001:db8::1",
            "2001:db8::2",
            True,
        ),  # a household has a whole network to choose addresses from
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("unix", "unix", True),
    ],
)
def test_a_visitor_is_known_by_address_or_network(one, other, share):
    assert (_visitor({"client": (one, 1)}) == _visitor({"client": (other, 2)})) == share


def test_the_search_of_opensearch_counts_too(catalogue, index, kinds):
    with TestClient(
        create_app(catalogue, index, kinds, requests_per_minute=1)
    ) as client:
        assert [client.get("/opensearch.json?q=a").status_code for _ in range(2)] == [
            200,
            429,
        ]


def test_many_visitors_cost_no_more_memory_than_some():
    limit = RateLimit(_nothing, per_minute=2)
    for number in range(30_000):
        limit._take(str(number))
    assert len(limit._buckets) <= 20_000


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/search", "/api/v1/layers", "/api/v1/facets", "/api/v1/services", "/api/v1/clusters",
        "/api/v1/feed.atom", "/api/v1/reports/kinds", "/", "/map", "/statistics",
    ],
)  # fmt: skip
def test_a_topic_that_nobody_knows_is_a_mistake_and_not_an_empty_result(
    catalogue, index, kinds, path: str
) -> None:
    client = TestClient(
        create_app(catalogue, index, kinds, classifier=Classifier(TOPICS))
    )
    refused = client.get(path, params={"topic": "nope"})
    assert refused.status_code == 400
    known = "topic “nope” is not known; use one of inspire, iso19115, land_cover"
    assert known in refused.text
    assert client.get(path, params={"topic": "land_cover"}).status_code == 200
