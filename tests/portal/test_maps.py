"""Places by name, counts for the map, suggestions, and layers that an address puts on the map."""

from __future__ import annotations

import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from geohound.portal.maps.gazetteer import find_places, places
from geohound.portal.middleware.policy import POLICY


@pytest.fixture(scope="module", autouse=True)
def _needs() -> None:
    if not places():
        pytest.fail("The portal's pages are not built: run make frontend")


@pytest.mark.parametrize(
    ("typed", "name", "country", "inside"),
    [
        ("berlin", "Berlin", "Germany", (13.4, 52.5)),
        ("Finland", "Finland", "", (25.0, 62.0)),
        ("rivers in finland", "Finland", "", (25.0, 62.0)),
        ("zurich", "Zürich", "Switzerland", (8.55, 47.37)),
        ("paris, united states", "Paris", "United States", (-95.5, 33.66)),
    ],
)
def test_places_are_found_by_name(typed, name, country, inside):
    place = find_places(typed)[0]
    assert (place.name, place.country) == (name, country)
    west, south, east, north = place.bbox
    assert west < inside[0] < east
    assert south < inside[1] < north


def test_the_box_of_a_country_leaves_out_its_far_parts_and_may_cross_the_antimeridian():
    france, fiji = find_places("France")[0].bbox, find_places("Fiji")[0].bbox
    assert (france[0] > -6, france[2] < 11) == (True, True)
    assert fiji[0] > fiji[2]


def test_the_api_names_places_and_what_a_text_may_become(client, samples):
    found = client.get("/api/v1/complete?q=riv").json()
    named = {
        "id": samples.rivers.id,
        "title": samples.rivers.title,
        "kind": "wms",
        "kind_title": "WMS",
    }
    assert {**named, "host": "maps.water.example"} in found["services"]
    assert "Rivers" in found["words"]
    assert found["address"] is False
    assert client.get("/api/v1/complete?q=https://x.example/").json()["address"] is True
    assert client.get("/api/v1/places?q=fiji").json()["places"][0]["name"] == "Fiji"


def test_the_map_gets_counts_for_the_search_of_the_page(client, samples):
    page = LexborHTMLParser(client.get("/?q=rivers&kind=wms").text)
    address = page.css_first("[data-clusters]").attributes["data-clusters"]
    placed = client.get(f"{address}&cell=5").json()
    assert [(group["count"], group["service"]) for group in placed["groups"]] == [
        (1, samples.rivers.id)
    ]
    assert client.get("/api/v1/clusters?cell=0").status_code == 400


def test_an_address_puts_layers_on_the_map_and_the_policy_lets_them_in(client, samples):
    page = client.get(
        "/",
        params={
            "q": "reefs",
            "map": [f"{samples.rivers.id}~hy:lakes~40", "0123456789abcdef~x~1", "junk"],
        },
    )
    tree = LexborHTMLParser(page.text)
    (drawn,) = json.loads(tree.css_first("[data-drawn]").attributes["data-drawn"])
    assert (drawn["type"], drawn["layer"], drawn["opacity"]) == ("wms", "hy:lakes", 40)
    assert drawn["params"]["LAYERS"] == "hy:lakes"
    assert "LAYER=hy" in drawn["legend"]
    assert "https://maps.water.example" in page.headers["content-security-policy"]
    kept = [field.attributes["value"] for field in tree.css("#ask input[name=map]")]
    assert kept[0] == f"{samples.rivers.id}~hy:lakes~40"


def test_a_page_without_layers_loads_from_here_alone(client):
    assert client.get("/?q=unicorns").headers["content-security-policy"] == POLICY


def test_hostile_layer_names_stay_text_on_their_way_to_the_map(client, samples):
    page = client.get("/?q=danger").text
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_words_or_the_box_alone_can_be_searched_by(client, samples):
    """LC-16, section 4.2: "three search modes", by keywords, by bounding box, and by both."""

    def found(**params: str) -> list[str]:
        tree = LexborHTMLParser(
            client.get("/", params={"q": "reefs", "bbox": "19,59,32,71", **params}).text
        )
        return [each.attributes["data-hit"] for each in tree.css(".hit")]

    assert found() == []
    assert found(mode="words") == [samples.fiji.id]
    assert set(found(mode="box")) == {samples.rivers.id, samples.many.id}


def test_layers_can_be_listed_in_place_of_services(client, samples):
    tree = LexborHTMLParser(client.get("/?q=register&what=layers&limit=5").text)
    titles = [" ".join(each.text().split()) for each in tree.css(".hit h3")]
    assert len(titles) == 5
    assert all(title.startswith("Register number") for title in titles)
    assert "1,200 layers" in tree.css_first(".found-head h2").text()
    assert tree.css_first(".of-service a").text() == "City registers"
    (following,) = [a.attributes["href"] for a in tree.css("a[rel=next]")]
    later = LexborHTMLParser(client.get(following).text)
    assert later.css_first(".pager-at").text() == "6 to 10 of 1,200"
    assert not {*titles} & {each.text().strip() for each in later.css(".hit h3")}


def test_the_results_page_offers_every_download(client):
    tree = LexborHTMLParser(client.get("/?q=rivers").text)
    links = [a.attributes["href"] for a in tree.css(".menu a")]
    assert any(link.endswith("q=rivers&f=csv") for link in links)
    assert all(client.get(link).status_code == 200 for link in links)


def test_a_search_has_an_address_that_shows_the_same_and_a_feed(client):
    tree = LexborHTMLParser(client.get("/?q=rivers&kind=wms").text)
    (feed,) = [
        a.attributes["href"]
        for a in tree.css(".found-tools a[type='application/atom+xml']")
    ]
    assert feed == "/api/v1/feed.atom?q=rivers&kind=wms"


def test_the_front_page_counts_services_checks_and_answers(client):
    tree = LexborHTMLParser(client.get("/").text)
    shown = dict(
        zip(
            [e.text() for e in tree.css("[data-figures] dt")],
            [e.text() for e in tree.css("[data-figures] dd")],
            strict=True,
        )
    )
    # Two of five answered when they were last asked, in May: none was asked today.
    assert shown == {"services": "5", "checked today": "0", "answering now": "2"}
