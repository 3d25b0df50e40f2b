"""The published rules, held to Hou, Chen & Wu 2016: judgements of section 3.1, rules of figures 3 to 5."""

from __future__ import annotations

import time

import pytest

from geohound.mining import hou2016


def found(source: str) -> list[str]:
    return [f.url for f in hou2016.candidates(source)]


@pytest.mark.parametrize(
    "link",
    [
        "../OpenLayers.js", "../OpenLayers.debug.js", "../ol.js", "../ol-debug.js", "http://js.arcgis.com/3.14",
        "../arcgis_js_api/library/3.9/arcgis_compact", "http://cdn.test/leaflet/v0.7.7/leaflet.js",
        "https://api.test/mapbox.js/v2.2.3/mapbox.js",
    ],
)  # fmt: skip
def test_a_page_with_a_link_of_the_papers_first_table_is_judged_to_use_a_wms(
    link: str,
) -> None:
    """LC-1: table 1."""
    assert hou2016.is_judged(["jquery.js", link])


def test_a_page_without_a_known_library_is_not_read() -> None:
    assert not hou2016.is_judged(["Cesium.js", "bundle.js", "require.js"])


def test_only_scripts_with_a_keyword_in_their_name_are_read_and_libraries_never() -> (
    None
):
    """LC-1: section 3.1."""
    assert hou2016.is_read("js/initialise.js")
    assert hou2016.is_read("js/MyLayers.js")
    assert not hou2016.is_read("js/viewer.js")
    assert not hou2016.is_read("leaflet.map.js")  # it names a library


@pytest.mark.parametrize(
    "keyword",
    ["map", "initial", "wms", "layer", "conus", "capabilities", "demo", "query", "content"],
)  # fmt: skip
def test_each_keyword_of_section_3_1_makes_a_script_worth_reading(keyword: str) -> None:
    assert hou2016.is_read(f"js/x{keyword}1.js")
    assert hou2016.is_read(f"js/{keyword.upper()}.js")


@pytest.mark.parametrize(
    "link",
    ["js/jquery.js", "jquery.min.js", "jquery-ui.min.js?v=2", "http://maps.h.test/js/viewer.js", "content/js/viewer.js",
     "app.js?file=map", "http://js.arcgis.com/3.14/esri/layers/WMSLayer.js", "ol.js", "ol-debug.js"],
)  # fmt: skip
def test_section_3_1_reads_no_library_and_no_script_for_what_its_host_folder_or_parameters_are_called(
    link: str,
) -> None:
    assert not hou2016.is_read(link)


@pytest.mark.parametrize(
    "link", ["js/mapcontrol.js", "../tool.js", "protocol.js", "symbol-debug.js"]
)
def test_ol_js_of_table_1_is_the_name_of_a_file_and_not_the_end_of_another(
    link: str,
) -> None:
    assert not hou2016.is_judged([link])


def test_a_script_of_the_application_is_read_although_its_name_ends_like_a_library() -> (
    None
):
    assert hou2016.is_read("js/mapcontrol.js")
    assert hou2016.is_read("http://maps.h.test/js/querytools.js")


@pytest.mark.parametrize(
    "call",
    [
        'new OpenLayers.Layer.WMS("Name", "http://h.test/wms", {layers: "a"})',
        "new ol.source.TileWMS({params: {}, url: 'http://h.test/wms', serverType: 'x'})",
        "new ol.source.ImageWMS({url: 'http://h.test/wms'})",
        'new esri.layers.WMSLayer("http://h.test/wms", {})',
        "L.tileLayer.wms( 'http://h.test/wms', {layers: 'a'})",
    ],
)
def test_rule_one_takes_the_address_out_of_a_known_call(call: str) -> None:
    """LC-2: rule 1, figure 4 and figure 5."""
    assert found(f"var other = 'http://other.test/page'; {call};") == [
        "http://h.test/wms"
    ]


@pytest.mark.parametrize(
    "call",
    [
        'new OpenLayers.Layer.WMS("Land cover (2010)", "http://h.test/wms", {})',
        "new OpenLayers.Layer.WMS('Roads :)', 'http://h.test/wms')",
        'new OpenLayers.Layer.WMS("Say \\")\\"", "http://h.test/wms")',
        "new OpenLayers.Layer.WMS(OpenLayers.i18n('Soil'), 'http://h.test/wms', {})",
        "new ol.source.TileWMS({attributions: [credit('(c)')], url: 'http://h.test/wms'})",
    ],
)
def test_steps_8_to_21_of_figure_5_cut_the_address_out_of_the_whole_call_brackets_in_a_title_do_not_end_it(
    call: str,
) -> None:
    assert found(f"var other = 'http://other.test/page'; {call};") == [
        "http://h.test/wms"
    ]


def test_a_variable_is_evaluated_by_its_own_statement() -> None:
    assert found('var u = "http://h.test/" + "wms";\nL.tileLayer.wms(u, {})') == [
        "http://h.test/wms"
    ]


def test_a_statement_that_needs_another_variable_stays_unknown_and_rule_two_steps_in() -> (
    None
):
    source = 'var b = "http://h.test/base"; var u = b + "/wms"; L.tileLayer.wms(u, {})'
    assert found(source) == ["http://h.test/base"]


def test_one_hit_of_rule_one_hides_what_rule_two_would_find() -> None:
    """LC-2: rule 2 only where rule 1 finds nothing (figure 3)."""
    source = 'L.tileLayer.wms("http://a.test/wms", {}); fetch("http://b.test/wfs");'
    assert found(source) == ["http://a.test/wms"]


def test_rule_two_takes_every_web_address_even_of_a_call_that_the_paper_shows() -> None:
    source = 'GeoNetwork.WMSList.push("Demo (WMS)-2", "http://demo.test/cubeserv/cubeserv.cgi")'
    assert found(source) == ["http://demo.test/cubeserv/cubeserv.cgi"]


def test_the_line_of_a_hit_is_told() -> None:
    assert hou2016.candidates('\n\nL.tileLayer.wms("http://a.test/wms")')[0].line == 3


@pytest.mark.parametrize(
    "piece",
    ["tileLayer.wms(", "http://a.b", "var a =", 'Layer.WMS("', "http://" + "a-" * 50],
)
def test_a_hostile_script_costs_little(piece: str) -> None:
    start = time.process_time()
    hou2016.candidates(piece * (2_000_000 // len(piece)))
    assert time.process_time() - start < 2
