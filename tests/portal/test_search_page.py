"""The search page: words, box, filters, paging, and what it says when there is nothing to show.

It has the parts of Hou, Chen & Wu 2016, section 4.3.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from geohound.model.catalogue import Observation
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.plugins import discover
from geohound.portal.app import PortalTasks, TaskEvents, create_app
from geohound.search.index import CatalogueIndex
from geohound.stores.sql.segments import SqlSegments
from geohound.stores.sqlite import open_store
from geohound.tasks.control import TaskControl


def titles(html: str) -> list[str]:
    return [
        " ".join(node.text().split()) for node in LexborHTMLParser(html).css(".hit h3")
    ]


def test_the_front_page_lists_what_the_catalogue_holds(client, samples):
    page = client.get("/")
    assert page.status_code == 200
    assert "5 services with 1,203 layers" in page.text
    assert {"Rivers and lakes of Finland", "City registers", "Reefs of Fiji"} <= set(
        titles(page.text)
    )


def test_words_find_the_service_and_its_matching_layers(client):
    """LC-7: the list of results of section 4.3."""
    page = client.get("/", params={"q": "lakes"})
    assert titles(page.text) == ["Rivers and lakes of Finland"]
    tree = LexborHTMLParser(page.text)
    assert "hy:lakes" in tree.css_first(".layer-list").text()
    assert [m.text().lower() for m in tree.css(".hit h3 mark")] == ["lakes"]
    assert tree.css_first(".why").text().strip()


def test_the_address_of_a_service_finds_that_service(client):
    """PH-10: PolarHub (Li, Wang & Bhatia 2016), section 5: "If the service already exists, there is no need to recrawl"."""
    page = client.get(
        "/",
        params={
            "q": "https://maps.water.example/wms?SERVICE=WMS&REQUEST=GetCapabilities"
        },
    )
    assert titles(page.text) == ["Rivers and lakes of Finland"]


def test_an_unknown_address_finds_nothing_that_claims_to_be_it(client):
    page = client.get("/", params={"q": "https://nobody.invalid/wms"})
    assert "this is the address you asked for" not in page.text


@pytest.mark.parametrize(
    ("relation", "box", "expected"),
    [
        ("overlaps", "25,65,40,75", ["Rivers and lakes of Finland"]),
        ("within", "25,65,40,75", []),
        ("within", "10,50,40,75", ["City registers", "Rivers and lakes of Finland"]),
        (
            "contains",
            "24.8,60.15,25.2,60.2",
            ["City registers", "Rivers and lakes of Finland"],
        ),
        ("overlaps", "179,-18,-179,-16", ["Reefs of Fiji"]),
    ],
)
def test_a_box_and_a_relation_choose_by_place(client, relation, box, expected):
    """LC-7: rectangle and spatial relation of section 4.3."""
    page = client.get("/", params={"bbox": box, "relation": relation})
    assert sorted(titles(page.text)) == expected


def test_the_four_fields_of_the_form_make_the_same_box(client):
    sides = {"west": "179", "south": "-18", "east": "-179", "north": "-16"}
    page = client.get("/", params=sides)
    assert titles(page.text) == ["Reefs of Fiji"]
    tree = LexborHTMLParser(page.text)
    assert {
        s: tree.css_first(f"input[name={s}]").attributes["value"] for s in sides
    } == sides


def test_states_of_which_there_is_one_alone_are_no_choice(client):
    def choices(address: str) -> list[str]:
        tree = LexborHTMLParser(client.get(address).text)
        return [each.attributes["value"] for each in tree.css("input[name=state]")]

    assert choices("/?q=rivers") == []
    assert set(choices("/")) == {"alive", "dead", "unknown"}
    assert "alive" in choices("/?state=alive&q=rivers")


def test_filters_of_kind_and_state_combine(client):
    assert titles(client.get("/?kind=wfs").text) == ["City registers"]
    assert titles(client.get("/?kind=wfs&state=alive").text) == []
    assert sorted(titles(client.get("/?kind=wfs&kind=ogcapi-features").text)) == [
        "City registers",
        "Reefs of Fiji",
    ]
    assert titles(client.get("/?state=dead").text) == ["City registers"]


def test_ticked_filters_stay_ticked(client):
    tree = LexborHTMLParser(client.get("/?kind=wfs&state=dead").text)
    assert [
        box.attributes["value"] for box in tree.css("input[type=checkbox][checked]")
    ] == ["wfs", "dead"]


def test_pages_of_results_link_to_each_other_and_keep_the_query(client):
    first = LexborHTMLParser(client.get("/?limit=2&kind=wms,wfs").text)
    following = first.css_first("a[rel=next]").attributes["href"]
    second = client.get(following)
    assert second.status_code == 200
    assert len(titles(second.text)) == 2
    assert not set(titles(second.text)) & {
        node.text(strip=True) for node in first.css(".hit h3")
    }
    assert (
        LexborHTMLParser(second.text).css_first("a[rel=prev]").attributes["href"]
        == "/?kind=wms&kind=wfs&limit=2"
    )


def test_an_offset_past_the_end_leads_back(client):
    page = client.get("/?q=lakes&offset=500")
    assert "No more results" in page.text
    assert 'href="/?q=lakes"' in page.text


def test_no_results_suggests_what_to_change(client):
    page = client.get("/?q=unicorns&bbox=1,1,2,2&relation=within&kind=wms")
    assert page.status_code == 200
    assert "No results" in page.text
    hrefs = [a.attributes["href"] for a in LexborHTMLParser(page.text).css(".empty a")]
    assert hrefs == [
        "/?q=unicorns&kind=wms",
        "/?q=unicorns&bbox=1%2C1%2C2%2C2&kind=wms",
        "/?q=unicorns&bbox=1%2C1%2C2%2C2&relation=within",
        "/",
    ]


def test_filters_that_could_only_find_nothing_are_not_offered(client):
    assert LexborHTMLParser(client.get("/?q=unicorns").text).css(".chip") == []
    chosen = LexborHTMLParser(client.get("/?q=unicorns&kind=wms").text).css(
        ".chip input[name=kind]"
    )
    assert [box.attributes["value"] for box in chosen] == ["wms"]


def test_an_empty_catalogue_says_how_to_fill_it(empty_catalogue, kinds):
    with TestClient(
        create_app(
            empty_catalogue,
            CatalogueIndex(empty_catalogue, SqlSegments(empty_catalogue._database)),
            kinds,
        )
    ) as client:
        page = client.get("/")
    assert page.status_code == 200
    assert "geohound crawl https://" in page.text
    assert 'href="/tasks"' not in LexborHTMLParser(page.text).css_first(".empty").html
    assert "data-map=" not in page.text, "a map of nothing"


def test_whoever_may_start_a_crawl_is_led_there_from_an_empty_catalogue(
    empty_catalogue, kinds, store
):
    index = CatalogueIndex(empty_catalogue, SqlSegments(empty_catalogue._database))
    control = TaskControl(store.tasks)
    tasks = PortalTasks(control, TaskEvents(control), ("fifo",), may_write=True)
    app = create_app(empty_catalogue, index, kinds, tasks=tasks)
    with TestClient(app) as client:
        empty = LexborHTMLParser(client.get("/").text).css_first(".empty")
    assert empty.css_first("a.button").attributes["href"] == "/tasks"


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/?bbox=1,2,3", "a box is four numbers"),
        ("/?west=1&south=2", "has no east and north side"),
        ("/?kind=gopher", "use one of ogcapi-features, wfs, wms"),
        ("/?offset=10001", "from 0 to 10,000"),
        ("/?q=" + "x" * 501, "at most 500"),
    ],
)
def test_what_cannot_be_used_is_answered_with_a_sentence_beside_the_form(
    client, address, sentence
):
    page = client.get(address)
    assert page.status_code == 400
    assert sentence in LexborHTMLParser(page.text).css_first("[role=alert]").text()


def test_a_refused_form_keeps_what_was_typed(client):
    tree = LexborHTMLParser(client.get("/?q=lakes&west=5").text)
    assert tree.css_first("#q").attributes["value"] == "lakes"
    assert tree.css_first("input[name=west]").attributes["value"] == "5"


def test_every_field_of_the_form_has_a_label(client):
    tree = LexborHTMLParser(client.get("/").text)
    for field in tree.css("input"):
        named = (
            tree.css_first(f"label[for='{field.attributes['id']}']")
            if "id" in field.attributes
            else None
        )
        assert named or field.parent.tag == "label", field.html


def test_links_to_capabilities_are_requests_that_the_service_answers(client, samples):
    """LC-7: GetCapabilities of each result (section 4.3)."""
    page = client.get("/?q=lakes").text
    assert (
        'href="https://maps.water.example/wms?SERVICE=WMS&amp;REQUEST=GetCapabilities"'
        in page
    )
    assert f'href="/services/{samples.rivers.id}"' in page
    assert 'data-copy="https://maps.water.example/wms"' in page


def test_each_hit_carries_its_box_for_the_map(client):
    tree = LexborHTMLParser(client.get("/?q=fiji").text)
    assert tree.css_first(".hit").attributes["data-bbox"] == "176.5,-21,-178,-12"


def test_a_service_without_a_title_gets_a_name(client):
    assert re.search(r"Untitled service at\s+old\.example", client.get("/").text)


def test_nothing_found_is_not_said_together_with_these_hold_some(client):
    page = client.get("/", params={"q": "zzqqa zzqqb"}).text
    assert "No results" in page
    assert "hold some of them" not in page


def test_what_is_refused_shows_no_filters_that_nobody_counted(client):
    assert not LexborHTMLParser(client.get("/?bbox=1,2,3").text).css(".filters")


def test_every_page_leads_programs_to_the_api(client):
    links = {
        a.attributes["href"]
        for a in LexborHTMLParser(client.get("/").text).css("footer a")
    }
    assert "/api" in links
    documented = {
        a.attributes["href"]
        for a in LexborHTMLParser(client.get("/api").text).css("main a")
    }
    assert "/api/v1/openapi.json" in documented
    assert client.get("/api/v1/openapi.json").json()["openapi"]


def test_the_form_switches_synonyms_off_and_keeps_the_years(client):
    page = client.get("/?q=lakes&years=2000-2010").text
    assert re.search(r'<input type="checkbox" name="expand" value="false">', page)
    assert re.search(r'name="years" value="2000-2010"', page)
    assert re.search(
        r'name="expand" value="false" checked',
        client.get("/?q=lakes&expand=false").text,
    )


def test_every_kind_that_was_found_can_be_chosen(tmp_path):
    store = open_store(tmp_path / "kinds.db", SystemClock())
    kinds = discover("kinds")
    for kind in kinds:
        service = Service(kind, f"https://{kind}.example.org/ows", title=f"A {kind}")
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
    index = CatalogueIndex(store.catalogue, store.segments)
    with TestClient(create_app(store.catalogue, index, kinds)) as client:
        chips = LexborHTMLParser(client.get("/").text).css("input[name=kind]")
    store.close()
    assert {chip.attributes["value"] for chip in chips} == set(kinds)
    assert len(kinds) > 20
