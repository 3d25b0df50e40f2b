"""How values reach a map in the ways that real applications hand them on."""

from __future__ import annotations

import pytest

from geohound.mining.js import analyse
from geohound.mining.js.model import Script

PAGE = "https://app.test/map/"


def endpoints(*scripts: str) -> set[tuple[str | None, str]]:
    parts = [Script(f"{PAGE}{n}.js", text) for n, text in enumerate(scripts)]
    return {(e.kind, e.endpoint) for e in analyse(PAGE, parts).endpoints}


WMS = {("wms", "https://h.test/a/map")}
LAYER = "map.addLayer(new ol.layer.Tile({source: new ol.source.TileWMS({url: URL, params: {LAYERS: 'x'}})}));"


@pytest.mark.parametrize(
    "script",
    [
        "function load(c) { window.cfg = c; } load({u: 'https://h.test/a/map'}); "
        + LAYER.replace("URL", "window.cfg.u"),
        "function M() {} M.prototype = {host: 'https://h.test', add: function () { "
        + LAYER.replace("URL", "this.host + '/a/map'")
        + " }}; new M().add();",
        "function join() { return Array.prototype.slice.call(arguments).join('/'); } "
        + LAYER.replace("URL", "join('https://h.test', 'a', 'map')"),
        "Ext.define('A.Config', {singleton: true, config: {path: '/a/map'}, full: function (p) { return 'https://h.test' + p; }}); "
        + LAYER.replace("URL", "A.Config.full(A.Config.getPath())"),
        "angular.module('m').factory('Urls', function () { return {wms: () => 'https://h.test/a/map'}; }); "
        "angular.module('m').controller('C', ['Urls', function (Urls) { "
        + LAYER.replace("URL", "Urls.wms()")
        + " }]);",
        "const all = [{u: ['https://h.test/a/map']}].flatMap(t => t.u); for (const u of all) { "
        + LAYER.replace("URL", "u")
        + " }",
        "const urls = Object.fromEntries(['a'].map(t => [t, `https://h.test/${t}/map`])); "
        + LAYER.replace("URL", "urls.a"),
        "const source = new ol.source.TileWMS({params: {LAYERS: 'x'}}); use(source); source.setUrl('https://h.test/a/map');",
        "const client = axios.create({baseURL: 'https://h.test'}); client.get('/a/map', {params: {service: 'WMS'}});",
    ],
)
def test_an_address_is_followed_to_the_map(script: str) -> None:
    assert endpoints(script) == WMS


def test_a_row_comes_only_to_the_branch_of_its_kind() -> None:
    rows = "[{k: 'wms', u: 'https://h.test/one'}, {k: 'wfs', u: 'https://h.test/two'}]"
    code = f"""{rows}.forEach(d => {{ switch (d.k) {{
        case 'wms': map.addLayer(L.tileLayer.wms(d.u, {{layers: 'x'}})); break;
        case 'wfs': map.addLayer(L.Geoserver.wfs(d.u, {{layers: 'x'}})); break; }} }});"""
    assert endpoints(code) == {("wms", "https://h.test/one"), ("wfs", "https://h.test/two")}


def test_the_map_file_among_the_parameters_belongs_to_the_endpoint() -> None:
    code = "map.addLayer(new ol.source.ImageWMS({url: '/cgi/mapserv', params: {MAP: '/d/a.map', LAYERS: 'x'}}));"
    assert endpoints(code) == {("wms", "https://app.test/cgi/mapserv?map=/d/a.map")}


def test_costly_expressions_leave_time_for_what_comes_behind_them() -> None:
    costly = "".join(
        f"f{n}('http://h{n}.test/wms?' + [{','.join(['a'] * 300)}].map(x => [1,2,3].map(y => x + y).join()).join());"
        for n in range(60)
    )
    assert ("wms", "https://h.test/a/map") in endpoints(costly + LAYER.replace("URL", "'https://h.test/a/map'"))


@pytest.mark.parametrize(
    "script",
    [
        "var w = 'https://depot.test/wms/login.do'; go(w);",
        "$.ajax({url: 'https://api.test/cart', data: {service: 'delivery', layers: 2}});",
        "push({page: '/how-to-add-wms'}); open('https://forum.test/c/wms');",
        "cfg({url: 'https://api.test/v2/products', layers: ['modal'], version: '2', format: 'json'});",
    ],
)
def test_words_of_other_trades_are_no_services(script: str) -> None:
    assert endpoints(script) == set()
