"""A page with all that belongs to it: which files are fetched, within which bounds, and what is told of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from books import BOOK

from geohound.jsflow import Endpoint
from geohound.mining import application, saved_page
from geohound.mining.application import Fetched


class Web:
    """A web of a few files that remembers what was asked."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.asked: list[str] = []

    async def fetch(self, url: str) -> Fetched | None:
        self.asked.append(url)
        text = self.files.get(url)
        return (
            Fetched(url, text, "text/html" if text.startswith("<html") else "")
            if text is not None
            else None
        )

    def mine(
        self, url: str = "https://h.test/", rules: str = "static"
    ) -> application.Mined:
        return asyncio.run(application.mine(url, self.fetch, BOOK, rules))


def test_scripts_of_a_page_are_fetched_once_and_libraries_never() -> None:
    web = Web({
        "https://h.test/": "<html><script src=leaflet.js></script><script src=a.js></script><script src=a.js></script>",
        "https://h.test/a.js": 'L.tileLayer.wms("https://ows.test/wms", {layers: "x"}).addTo(map);',
    })  # fmt: skip
    mined = web.mine()
    assert web.asked == ["https://h.test/", "https://h.test/a.js"]
    assert [(e.endpoint, e.kind, e.source, e.line) for e in mined.endpoints] == [
        ("https://ows.test/wms", "wms", "https://h.test/a.js", 1)
    ]
    assert mined.requests == 2
    assert mined.scripts_skipped >= 1


def test_the_line_of_an_inline_script_is_that_of_the_page() -> None:
    html = '<html>\n<body>\n<script>\nL.tileLayer.wms("https://ows.test/wms", {layers: "x"}).addTo(map);\n</script>'
    (found,) = Web({"https://h.test/": html}).mine().endpoints
    assert (found.source, found.line) == ("https://h.test/", 4)


def test_a_configuration_file_that_a_script_asks_for_is_read_too() -> None:
    web = Web({
        "https://h.test/": "<html><script>fetch('c.json').then(r => r.json()).then(c => "
        "L.tileLayer.wms(c.wms, {layers: 'x'}).addTo(map));</script>",
        "https://h.test/c.json": '{"wms": "https://ows.test/wms"}',
    })  # fmt: skip
    assert "https://ows.test/wms" in {e.endpoint for e in web.mine().endpoints}


def test_a_known_viewer_is_read_by_its_recipe() -> None:
    web = Web({
        "https://h.test/": '<html class="terria"><script src="build/TerriaMap.js"></script>',
        "https://h.test/config.json": '{"initializationUrls": ["a"]}',
        "https://h.test/init/a.json": '{"catalog": [{"type": "wms", "url": "https://ows.test/one"}]}',
    })  # fmt: skip
    (found,) = web.mine().endpoints
    assert (found.endpoint, found.kind, found.how) == (
        "https://ows.test/one",
        "wms",
        "recipe",
    )


def test_of_several_places_for_a_file_only_the_first_that_has_it_is_asked() -> None:
    config = '<config><themes><theme><layer url="https://ows.test/wms"/></theme></themes></config>'
    web = Web(
        {
            "https://h.test/": '<html><link href="/css/mviewer.css">',
            "https://h.test/apps/default.xml": config,
        }
    )
    assert len(web.mine().endpoints) == 1
    assert "https://h.test/config.xml" not in web.asked


def test_the_published_rules_read_only_the_scripts_that_their_judgements_allow() -> (
    None
):
    files = {
        "https://h.test/": '<html><script src="OpenLayers.js"></script><script src="viewer.js"></script>'
        '<script src="map.js"></script>',
        "https://h.test/viewer.js": 'var x = "https://other.test/wms";',
        "https://h.test/map.js": 'new OpenLayers.Layer.WMS("n", "https://ows.test/wms", {});',
    }
    web = Web(files)
    mined = web.mine(rules="hou2016")
    assert web.asked == ["https://h.test/", "https://h.test/map.js"]
    assert [(e.endpoint, e.kind, e.how) for e in mined.endpoints] == [
        ("https://ows.test/wms", "wms", "rule 1")
    ]
    assert (mined.scripts_read, mined.scripts_skipped) == (1, 2)


def test_a_page_that_names_no_known_library_is_empty_by_the_published_rules() -> None:
    html = '<html><script>new Cesium.WebMapServiceImageryProvider({url: "https://ows.test/wms"})</script>'
    assert Web({"https://h.test/": html}).mine(rules="hou2016").endpoints == ()


def test_a_page_with_hundreds_of_scripts_costs_a_bounded_number_of_requests() -> None:
    html = "<html>" + "".join(f'<script src="map{n}.js"></script>' for n in range(1000))
    web = Web(
        {"https://h.test/": html}
        | {f"https://h.test/map{n}.js": "var a = 1;" for n in range(1000)}
    )
    web.mine()
    assert len(web.asked) <= application.MiningLimits().files + 1


def test_a_page_that_cannot_be_had_says_so() -> None:
    assert Web({}).mine().trouble


def test_one_service_is_told_once_under_its_best_evidence() -> None:
    def endpoint(kind: str | None, confidence: float) -> Endpoint:
        return Endpoint(
            "https://o.test/wms?x",
            "https://o.test/wms",
            kind,
            "call",
            "s",
            1,
            "c",
            confidence,
        )

    merged = application.merged(
        [
            endpoint(None, 0.9),
            endpoint("wms", 0.5),
            endpoint("wms", 0.8),
            endpoint("wfs", 0.3),
        ]
    )
    assert [(e.kind, e.confidence) for e in merged] == [("wms", 0.8), ("wfs", 0.3)]


@pytest.mark.parametrize(
    "said",
    [
        "<!-- saved from url=(0024)https://h.test/maps/a.html -->",
        '<link rel="canonical" href="https://h.test/maps/a.html">',
        '<base href="https://h.test/maps/a.html">',
        '<meta property="og:url" content="https://h.test/maps/a.html">',
    ],
)
def test_a_saved_page_may_tell_where_it_stood(said: str, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text(f"<html><head>{said}</head></html>")
    assert saved_page.address_of(page) == "https://h.test/maps/a.html"


def test_files_beside_a_saved_page_are_read_and_none_outside_its_folder(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "app"
    (folder / "js").mkdir(parents=True)
    (folder / "cdn.test").mkdir()
    (folder / "index.html").write_text("<html></html>")
    (folder / "js" / "a.js").write_text("inside")
    (folder / "cdn.test" / "b.js").write_text("other host")
    (tmp_path / "secret.js").write_text("outside")
    (folder / "link.js").symlink_to(tmp_path / "secret.js")
    fetch = saved_page.fetch_from(
        folder / "index.html", "https://h.test/maps/index.html", {}
    )

    def text(url: str) -> str | None:
        found = asyncio.run(fetch(url))
        return found.text if found else None

    assert text("https://h.test/maps/js/a.js?v=2") == "inside"
    assert text("https://cdn.test/b.js") == "other host"
    assert text("https://h.test/maps/missing.js") is None
    assert text("https://h.test/maps/link.js") is None
    assert text("https://h.test/maps/..%2Fsecret.js") is None
    assert text("https://h.test/maps/%2e%2e/secret.js") is None


def test_a_script_that_cannot_be_had_makes_a_page_unsure_whatever_else_it_holds() -> (
    None
):
    layer = '<script>L.tileLayer.wms("https://ows.test/wms", {layers: "x"}).addTo(map);</script>'
    mined = Web(
        {"https://h.test/": f"<html><script src=main.js></script>{layer}"}
    ).mine()
    assert [e.endpoint for e in mined.endpoints] == ["https://ows.test/wms"]
    assert mined.unsure == "https://h.test/main.js: could not be read"
    assert mined.unknown == (mined.unsure,)


def test_a_configuration_that_another_one_names_is_read() -> None:
    web = Web({
        "https://h.test/": '<html><script>load({configFile: "config.json"}); use("wms");</script>',
        "https://h.test/config.json": '{"widgets": [{"uri": "w/W", "config": "configs/w.json"}]}',
        "https://h.test/configs/w.json": '{"url": "https://ags.test/arcgis/rest/services/A/FeatureServer/0"}',
    })  # fmt: skip
    assert [e.endpoint for e in web.mine().endpoints] == [
        "https://ags.test/arcgis/rest/services/A/FeatureServer"
    ]


def test_a_layer_of_a_library_with_a_service_of_its_own_is_one_of_the_page() -> None:
    code = "<html><script>wwd.addLayer(new WorldWind.BMNGLayer()); wwd.addLayer(new WorldWind.CompassLayer());</script>"
    (found,) = Web({"https://h.test/": code}).mine().endpoints
    assert (found.kind, found.endpoint) == (
        "wms",
        "https://worldwind25.arc.nasa.gov/wms",
    )


def test_a_key_that_names_the_layers_of_a_protocol_says_what_stands_beside_it() -> None:
    web = Web({
        "https://h.test/": '<html><script>fetch("themes.json").then(show); use("wms");</script>',
        "https://h.test/themes.json": '{"items": [{"url": "/q/roads", "wms_name": "roads"}]}',
    })  # fmt: skip
    assert [(e.kind, e.endpoint) for e in web.mine().endpoints] == [
        ("wms", "https://h.test/q/roads")
    ]
