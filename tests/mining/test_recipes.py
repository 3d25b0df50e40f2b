"""Viewers are known by their fingerprint, and their configuration files by their format."""

from __future__ import annotations

import json
import time

import pytest
import webapps
from books import BOOK
from hypothesis import given
from hypothesis import strategies as st

from geohound.document import paths
from geohound.jsflow import Endpoint
from geohound.mining import recipes

VIEWERS = [app for app in webapps.load() if app.name.startswith("viewer-")]
BY_SCRIPT = {"viewer-qgis2web"}


def endpoints_of(app: webapps.App) -> list[Endpoint]:
    """What the recipes alone find, every wanted file fetched from the app."""
    found: list[Endpoint] = []
    waiting = recipes.recognise(app.files[app.page], app.page)
    done = set()
    while waiting:
        wanted = waiting.pop()
        text = app.get(wanted.url)
        if text is not None and (wanted.url, wanted.file.name) not in done:
            done.add((wanted.url, wanted.file.name))
            reading = recipes.read(wanted, text, BOOK)
            found += reading.endpoints
            waiting += reading.wanted
    return found


@pytest.mark.parametrize(
    "app", [a for a in VIEWERS if a.name not in BY_SCRIPT], ids=lambda app: app.name
)
def test_all_services_of_a_viewer_are_listed_and_nothing_else(app: webapps.App) -> None:
    found = endpoints_of(app)
    for service in app.wanted:
        assert any(service.answers(e.url, e.kind or "") for e in found), service
    for endpoint in found:
        assert any(
            s.answers(endpoint.url, endpoint.kind or "") for s in app.services
        ), endpoint
        assert endpoint.how == "recipe"
        assert endpoint.source in {
            *app.files,
            endpoint.source if app.get(endpoint.source) else "",
        }


@pytest.mark.parametrize("recipe", recipes.recipes(), ids=lambda recipe: recipe.id)
def test_a_recipe_is_whole(recipe: recipes.Recipe) -> None:
    assert recipe.title
    assert recipe.page or recipe.document
    names = {file.name for file in recipe.files}
    for file in recipe.files:
        assert file.find or file.is_script
        for find in file.find:
            assert not find.file or find.file in names
            assert (
                find.file
                or find.given
                or find.kind
                or find.pattern
                or find.url == ("#self",)
            )


def test_there_is_a_recipe_for_each_viewer_that_is_asked_for() -> None:
    assert {r.id for r in recipes.recipes()} >= {
        "terria", "masterportal", "oskari", "hajk", "mviewer", "mapstore", "qwc2", "lizmap", "geomapfish", "mapbender",
        "geomoose", "qgis2web", "arcgis-webmap", "geonode", "origo", "itowns", "context",
    }  # fmt: skip


def test_an_ordinary_page_is_no_viewer() -> None:
    html = "<html><head><title>News</title><script src='jquery.js'></script></head><body><p>Hello</p></body></html>"
    assert recipes.recognise(html, "https://news.test/2020/01/map.html") == []


def test_few_map_pages_that_are_no_known_viewer_cost_a_request() -> None:
    others = [app for app in webapps.load() if app.group not in ("config", "browser")]
    asked = [
        w.url
        for app in others
        for w in recipes.recognise(app.files[app.page], app.page)
        if w.url != app.page
    ]
    assert len(asked) <= len(others) * 0.05, asked


def test_a_blank_that_stays_empty_makes_no_address() -> None:
    html = '<link rel="stylesheet" href="/css/mviewer.css">'
    assert [w.url for w in recipes.recognise(html, "https://h.test/m/")] == [
        "https://h.test/m/apps/default.xml",
        "https://h.test/m/config.xml",
    ]
    asked = recipes.recognise(html, "https://h.test/m/?config=apps/a.xml")
    assert asked[0].url == "https://h.test/m/apps/a.xml"


def test_a_table_that_nobody_points_to_is_not_listed() -> None:
    app = next(a for a in VIEWERS if a.name == "viewer-origo")
    assert not any("gammal" in e.url for e in endpoints_of(app))


def test_a_document_is_known_by_itself() -> None:
    text = (
        '<ViewContext><LayerList><Layer><Server service="OGC:WMS"><OnlineResource href="http://h.test/wms?"/></Server>'
        "</Layer></LayerList></ViewContext>"
    )
    (wanted,) = recipes.of_document(text, "http://h.test/a.xml")
    (endpoint,) = recipes.read(wanted, text, BOOK).endpoints
    assert (endpoint.endpoint, endpoint.kind) == ("http://h.test/wms", "wms")


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("WMS", "wms"), ("wms-group", "wms"), ("TILEWMS", "wms"), ("OGC:WMTS", "wmts"),
        ("esri-mapServer", "arcgis-mapserver"),
        ("ArcGISFeatureLayer", "arcgis-featureserver"), ("OSM", ""), ("something new", None), ("", None),
    ],
)  # fmt: skip
def test_viewers_have_many_words_for_one_kind(word: str, kind: str | None) -> None:
    assert recipes.kind_of_label(word, None, BOOK) == kind


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", [{"a": [{"u": 1}, {"u": 2, "b": {"u": 3}}], "c": {"x": {"u": 4}}}]),
        ("a[].u", [1, 2]),
        ("a.u", [1, 2]),
        ("a.**.u", [1, 2, 3]),
        ("c.*.u", [4]),
        ("**.u", [1, 2, 3, 4]),
        ("a.b.u", [3]),
        ("nothing.**", []),
    ],
)
def test_a_path_finds_what_it_says(path: str, found: list[object]) -> None:
    document = {"a": [{"u": 1}, {"u": 2, "b": {"u": 3}}], "c": {"x": {"u": 4}}}
    assert list(paths.select(document, path)) == found


def test_xml_is_walked_with_the_same_paths() -> None:
    document = paths.parse(
        '<m:config xmlns:m="urn:x"><layer url="a"><name>A</name></layer><layer url="b"/></m:config>'
    )
    assert list(paths.select(document, "config.layer.@url")) == ["a", "b"]
    assert [paths.words(v) for v in paths.select(document, "config.**.name")] == ["A"]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000, '{"a":' * 50_000, "<a>" * 100_000,
        '{"layers": [' + '{"url": "http://h.test/wms", "type": "wms"},' * 200_000,
        "[" * 900 + "]" * 900, '"params":{"repository":"' * 100_000, '"type":"wms"' * 100_000,
        "data-protocol-value=" * 100_000, "\x00" * 1_000_000,
        '{"a": [' + ",".join(['{"layers": [{}]}'] * 100_000) + "]}",
    ],
    ids=range(10),
)  # fmt: skip
def test_a_hostile_file_costs_little(text: str) -> None:
    start = time.perf_counter()
    page = f"<html class='terria'>lizUrls Mapbender.configuration geoblacklight geonode.js itowns.js {text}"
    for wanted in recipes.recognise(page, "https://h.test/"):
        recipes.read(wanted, text, BOOK)
    assert time.perf_counter() - start < 8


ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.text()
    | st.sampled_from(["http://h.test/wms", "wms", "//", "{a}"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "url",
                    "type",
                    "layers",
                    "source",
                    "catalog",
                    "themes",
                    "items",
                    "typ",
                    "map",
                    "*",
                    "#text",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(ANY_JSON)
def test_any_json_is_survived_by_every_recipe(value: object) -> None:
    text = json.dumps(value)
    for recipe in recipes.recipes():
        for file in recipe.files:
            for endpoint in recipes.read(
                recipes.WantedFile(recipe, file, "https://h.test/a"), text, BOOK
            ).endpoints:
                assert endpoint.url.startswith(("http://", "https://"))


def test_a_catalogue_beside_a_layer_of_mviewer_is_one_and_plain_tiles_of_mapstore_are_none() -> (
    None
):
    xml = (
        "<config><themes><theme><layer id='a' url='https://h.test/wms' metadata-csw='https://h.test/csw?request=x'/>"
        "</theme></themes></config>"
    )
    (wanted,) = recipes.recognise(
        '<script src="js/mviewer.js"></script>', "https://h.test/"
    )[:1]
    found = {(e.kind, e.endpoint) for e in recipes.read(wanted, xml, BOOK).endpoints}
    assert found == {("wms", "https://h.test/wms"), ("csw", "https://h.test/csw")}
    layers = '{"map": {"layers": [{"type": "tileprovider", "url": "https://t.test/wms/{z}/{x}/{y}.png"}]}}'
    (wanted,) = recipes.recognise(
        '<script src="dist/mapstore2.js"></script>', "https://h.test/"
    )[:1]
    assert recipes.read(wanted, layers, BOOK).endpoints == ()
