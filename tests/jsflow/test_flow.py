"""How values reach a map in the ways that real applications hand them on."""

from __future__ import annotations

import pytest
from books import analyse

from geohound.jsflow import Script

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
        "!function(){function d(c,l){} var M=function(){function M(){} return d(M,[{key:'u',value:function(w){return'https://h.test/'+w+'/map'}},"
        "{key:'add',value:function(w){"
        + LAYER.replace("URL", "this.u(w)")
        + "}},{key:'go',value:function(){this.add('a')}}]),M}();new M().go()}();",
        "!function(m){m[0]()}([function(){var t={},o=function(){function e(e){this.config=e}"
        "return e.prototype.build=function(){"
        + LAYER.replace("URL", "'https://h.test/'+this.config.id+'/map'")
        + "},e}();"
        "t.Factory=o;[{id:'a'}].forEach(function(e){new t.Factory(e).build()})}]);",
        "var n=(i=>(i.Wells='a',i))(n||{}); const at=i=>`https://h.test/${i}/map`; "
        + LAYER.replace("URL", "at(n.Wells)"),
        "class Urls { constructor() { this.base = 'https://h.test/a'; } addressOf(n) { return `${this.base}/${n}`; } } "
        "class View { constructor(urls) { this.urls = urls; } draw() { "
        + LAYER.replace("URL", "this.urls.addressOf('map')")
        + " } } start(View, [Urls]);",
    ],
)
def test_an_address_is_followed_to_the_map(script: str) -> None:
    assert endpoints(script) == WMS


def test_a_row_comes_only_to_the_branch_of_its_kind() -> None:
    rows = "[{k: 'wms', u: 'https://h.test/one'}, {k: 'wfs', u: 'https://h.test/two'}]"
    code = f"""{rows}.forEach(d => {{ switch (d.k) {{
        case 'wms': map.addLayer(L.tileLayer.wms(d.u, {{layers: 'x'}})); break;
        case 'wfs': map.addLayer(L.Geoserver.wfs(d.u, {{layers: 'x'}})); break; }} }});"""
    assert endpoints(code) == {
        ("wms", "https://h.test/one"),
        ("wfs", "https://h.test/two"),
    }


def test_the_map_file_among_the_parameters_belongs_to_the_endpoint() -> None:
    code = "map.addLayer(new ol.source.ImageWMS({url: '/cgi/mapserv', params: {MAP: '/d/a.map', LAYERS: 'x'}}));"
    assert endpoints(code) == {("wms", "https://app.test/cgi/mapserv?map=/d/a.map")}


def test_costly_expressions_leave_time_for_what_comes_behind_them() -> None:
    costly = "".join(
        f"f{n}('http://h{n}.test/wms?' + [{','.join(['a'] * 300)}].map(x => [1,2,3].map(y => x + y).join()).join());"
        for n in range(60)
    )
    assert ("wms", "https://h.test/a/map") in endpoints(
        costly + LAYER.replace("URL", "'https://h.test/a/map'")
    )


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


def test_a_name_that_stands_twice_is_the_same_at_both_places() -> None:
    code = """function region(y) { if (y > 50) return 'north'; if (y < 40) return 'south'; return 'mid'; }
        const r = region(map.getCenter().lat);
        const u = `https://h.test/${r}/${r}_rain/ows?service=WMS&request=GetMap&layers=${r}`;
        map.addSource('rain', {type: 'raster', tiles: [u + '&bbox={bbox-epsg-3857}']});"""
    assert endpoints(code) == {
        ("wms", f"https://h.test/{r}/{r}_rain/ows") for r in ("north", "south", "mid")
    }


def test_a_transaction_that_a_library_writes_goes_to_a_wfs() -> None:
    code = """function save(f) { var node = new ol.format.WFS().writeTransaction([f], null, null, {featureType: 'a'});
        $.ajax('https://h.test/cgi-bin/store', {type: 'POST', data: new XMLSerializer().serializeToString(node)}); }"""
    assert endpoints(code) == {("wfs", "https://h.test/cgi-bin/store")}


def test_an_operation_is_no_part_of_an_arcgis_service() -> None:
    base = "https://h.test/arcgis/rest/services/a/MapServer"
    code = f"map.addSource('a', {{type: 'raster', tiles: ['{base}/export?bbox={{bbox-epsg-3857}}&f=image']}});"
    (endpoint,) = analyse(PAGE, [Script(f"{PAGE}a.js", code)]).endpoints
    assert (endpoint.url, endpoint.endpoint) == (base, base)


def test_a_link_in_an_entry_that_names_its_service_is_an_address() -> None:
    text = """{"layers": [{"protocol": "OGC:WMS", "href": "https://h.test/maps/a", "name": "a"},
        {"title": "Read more", "href": "https://h.test/about/wms"}]}"""
    assert endpoints(text) == {("wms", "https://h.test/maps/a")}


def test_a_row_comes_only_to_the_function_that_its_key_picks() -> None:
    code = """const hosts = {h: 'https://h.test'};
        const make = {wms: o => L.tileLayer.wms(hosts[o.host] + o.path, {layers: 'x'}),
                      wfs: o => fetch(`${hosts[o.host]}${o.path}?service=WFS&request=GetFeature`)};
        for (const row of [{type: 'wms', host: 'h', path: '/one'}, {type: 'wfs', host: 'h', path: '/two'}]) make[row.type](row);"""
    assert endpoints(code) == {
        ("wms", "https://h.test/one"),
        ("wfs", "https://h.test/two"),
    }


def test_a_path_in_a_configuration_stands_below_its_host() -> None:
    text = """{"layers": [{"type": "wms", "host": "https://h.test/gs", "path": "/one/ows"},
        {"type": "wms", "host": "main", "path": "/two/ows"}]}"""
    assert endpoints(text) == {("wms", "https://h.test/gs/one/ows")}


def test_what_is_called_a_path_beside_a_service_is_no_part_of_it() -> None:
    text = '{"layers": [{"type": "wms", "server": "https://h.test/gs/wms", "path": "roads/main"}]}'
    assert endpoints(text) == {("wms", "https://h.test/gs/wms")}
    code = "add({type: 'wms', server: 'https://h.test/gs/wms', path: 'roads/main'});"
    assert endpoints(code) == {("wms", "https://h.test/gs/wms")}


def test_rows_that_are_put_into_an_array_one_by_one_are_its_elements() -> None:
    code = """var rows = new Array(); rows[0] = new Array('One', 'one'); rows[1] = new Array('Two', 'two');
        for (var i = 0; i < rows.length; i++) { var r = rows[i];
            map.addLayer(new OpenLayers.Layer.WMS(r[0], 'https://h.test/' + r[1], {layers: 'x'})); }"""
    assert endpoints(code) == {
        ("wms", "https://h.test/one"),
        ("wms", "https://h.test/two"),
    }


def test_files_that_a_list_names_are_asked_for() -> None:
    code = "['a.json', 'b.json'].forEach(f => $.ajax({url: 'https://h.test/' + f, success: add})); use('wms');"
    code += "var files = ['./c.json']; files.forEach(f => $.getJSON(f, add));"
    assert f"{PAGE}c.json" in analyse(PAGE, [Script(f"{PAGE}x.js", code)]).wanted


def test_a_relative_address_that_asks_needs_no_telling_end() -> None:
    code = "new ol.source.Vector({url: e => 'geoserver/plan/ows?service=WFS&request=GetFeature&bbox=' + e});"
    assert endpoints(code) == {("wfs", f"{PAGE}geoserver/plan/ows")}


def test_options_in_a_data_attribute_are_read_as_configuration() -> None:
    text = """<div data-options='{"layers": [{"type": "wms", "url": "https://h.test/one", "layers": "a"}]}'></div>"""
    (endpoint,) = analyse(PAGE, [Script(PAGE, text)]).endpoints
    assert (endpoint.kind, endpoint.endpoint) == ("wms", "https://h.test/one")


BUILT = {
    "a default in a pattern": "const E = 'https://h.test'; function f({t, s = E + '/one'}) { L.tileLayer.wms(s, {layers: t}); } f({t: 1});",
    "the entries of a map": "const c = new Map([['g', {h: 'h.test', p: 'one'}]]); "
    "c.forEach((v, k) => L.tileLayer.wms(`https://${v.h}/${v.p}`, {layers: k}).addTo(m));",
    "an entry of a map by its key": "const c = new Map(); c.set('g', {u: 'https://h.test/one'}); L.tileLayer.wms(c.get('g').u, {});",
    "the entries of a map in a loop": "const c = new Map([['g', 'https://h.test/one']]); for (const [k, v] of c) L.tileLayer.wms(v, {});",
    "a loop that counts": "for (var i = 1; i < 2; i++) { L.tileLayer.wms('https://h.test/' + (i > 0 ? 'one' : 'none'), {}); }",
    "parameters that are set on an address": "const u = new URL('https://h.test/ms'); u.searchParams.set('map', '/d/one.map'); "
    "L.tileLayer.wms(u.href.replace('ms?map=/d/one.map', 'one'), {});",
    "what a base class asks of its heir": "class A { constructor(t) { this.o = Object.assign({}, this.d(), t); } } class W extends A { "
    "d() { return {host: 'h.test'}; } s() { return L.tileLayer.wms('https://' + this.o.host + '/one', {}); } } new W({}).s();",
    "a field that a compiler defines by a call": "var d = Object.defineProperty, p = (o, k, v) => d(o, k, {value: v}); var o = class o { "
    "u(t) { return L.tileLayer.wms(`${o.root}/${t}`, {}); } }; p(o, 'root', 'https://h.test'); new o().u('one');",
    "a heir of a class under another name": "var o = class { constructor(t) { this.t = t; } u() { return L.tileLayer.wms("
    "'https://h.test/' + this.t, {}); } }; var r = o, c = class extends r { constructor() { super('one'); } }; new c().u();",
    "an element that was compiled": "import {jsx as e} from 'react/jsx-runtime'; import {WMSTileLayer as l} from 'react-leaflet'; "
    "function n({name: t, url: s = 'https://h.test/one'}) { return e(l, {url: s, params: p(t)}); } e(n, {name: 'a'});",
    "a module that exports by name": "define('cfg', function (require, exports, module) { var h = 'https://h.test'; exports.g = h + '/one'; "
    "exports.rows = [{k: 'wms', at: exports.g}]; }); require(['cfg'], function (c) { c.rows.forEach(function (r) { "
    "L.tileLayer.wms(r.at, {layers: 'x'}); }); });",
    "modules of SystemJS": "System.register('a', [], function (e) { var B = 'https://h.test'; return {execute: function () { e('W', B + '/one'); }}; }); "
    "System.register('b', ['a'], function (e) { var W; return {setters: [function (m) { W = m.W; }], execute: function () { "
    "L.tileLayer.wms(W, {layers: 'x'}); }}; });",
}


@pytest.mark.parametrize("name", BUILT)
def test_an_address_is_followed_through(name: str) -> None:
    found = analyse(
        PAGE, [Script(f"{PAGE}app.js", BUILT[name], is_module="import" in BUILT[name])]
    ).endpoints
    assert ("wms", "https://h.test/one") in {(e.kind, e.endpoint) for e in found}


def test_parameters_set_on_an_address_belong_to_it() -> None:
    code = "const u = new URL('https://h.test/cgi'); u.searchParams.set('map', '/d/a.map'); L.tileLayer.wms(u.href, {});"
    assert endpoints(code) == {("wms", "https://h.test/cgi?map=/d/a.map")}


def test_numbered_mirrors_of_one_service_are_one_candidate() -> None:
    code = """var s = []; for (var i = 1; i <= 3; i++) s.push('http://ms' + i + '.h.test/wms');
        map.addLayer(new OpenLayers.Layer.WMS('a', s, {layers: 'r'}));"""
    assert endpoints(code) == {("wms", "http://ms1.h.test/wms")}


def test_mirrors_written_out_in_a_list_are_one_candidate() -> None:
    urls = "['http://ms1.h.test/wms', 'http://ms2.h.test/wms']"
    code = f"map.addLayer(new OpenLayers.Layer.WMS('a', {urls}, {{layers: 'r'}}));"
    assert endpoints(code) == {("wms", "http://ms1.h.test/wms")}


def test_numbered_hosts_of_several_calls_on_one_line_are_no_mirrors() -> None:
    code = "".join(
        LAYER.replace("URL", f"'https://gis{n}.h.test/wms'") for n in range(3)
    )
    assert {address for _, address in endpoints(code.replace("\n", " "))} == {
        f"https://gis{n}.h.test/wms" for n in range(3)
    }


def test_a_module_of_systemjs_in_another_file_is_asked_for_and_read() -> None:
    page = Script(PAGE, '{"imports": {"svc": "./svc.js"}}', is_inline=True)
    main = Script(
        f"{PAGE}app.js",
        """System.register(['svc'], function (e) { var S, f; return {setters: [function (m) {
        S = m.ROWS; f = m.default; }], execute: function () { for (const s of S) L.tileLayer.wms(f(s.path), {}); }}; });""",
    )
    assert f"{PAGE}svc.js" in analyse(PAGE, [page, main]).wanted
    other = Script(
        f"{PAGE}svc.js",
        """System.register([], function (e) { var H = 'https://h.test', R; return {execute: function () {
        e('ROWS', R = [{path: '/one'}]); e('default', function (p) { return H + p; }); }}; });""",
    )
    found = analyse(PAGE, [page, main, other]).endpoints
    assert [(e.kind, e.endpoint) for e in found] == [("wms", "https://h.test/one")]


def test_modules_that_one_file_defines_by_name_find_each_other_and_are_not_asked_for() -> (
    None
):
    code = """define('conf/svc', [], function () { return {base: 'https://h.test/gs'}; });
        define('app/layers', ['conf/svc', 'leaflet'], function (c, L) { return {add: function (m) {
            L.tileLayer.wms(c.base + '/ows', {layers: 'a'}).addTo(m); }}; });
        require(['app/layers'], function (l) { l.add(map); });"""
    findings = analyse(PAGE, [Script(f"{PAGE}all.js", code)])
    assert [(e.kind, e.endpoint) for e in findings.endpoints] == [
        ("wms", "https://h.test/gs/ows")
    ]
    assert findings.wanted == ()


@pytest.mark.parametrize(
    "call",
    [
        "wms.overlay('https:' + place, OPTIONS)",
        "new Identified('https:' + place, OPTIONS)",
        "a.b('Roads', 'https:' + place, OPTIONS)",
    ],
)
def test_an_address_before_the_options_of_a_map_is_asked_with_them(call: str) -> None:
    options = "{layers: 'zones', transparent: true, format: 'image/png'}"
    rest = call.replace("OPTIONS", options)
    script = f"/* The WMS of the office */ const place = '//h.test/a/map'; {rest};"
    assert endpoints(script) == WMS


@pytest.mark.parametrize(
    "call",
    [
        "legend.add('Zones', {layers: 'zones', transparent: true, format: 'image/png'})",
        "open('https://h.test/a/map', {layers: 'zones'})",
        "load({layers: 'zones', format: 'image/png'}, 'https://h.test/a/map')",
    ],
)
def test_options_make_no_address_of_what_is_none(call: str) -> None:
    assert endpoints(f"/* The WMS of the office */ {call};") == set()


ASKED = {
    "options of a class that nobody knows": "class S { constructor(m) { this.m = m; } at(p) { return `https://h.test/ms?map=${this.m}&` + "
    "Object.entries(p).map(([k, v]) => k + '=' + v).join('&'); } layer() { return new q({url: e => this.at({SERVICE: 'WFS', BBOX: e})}); } } "
    "new S('/d/a.map').layer();",
    "a request that a function is given the parameters of": "const at = (s, p) => 'https://h.test/ms?map=/d/a.map&' + Object.keys(p).map(k => k + '=' + p[k])"
    ".join('&'); const r = new XMLHttpRequest(); r.open('GET', at('x', {service: `WFS`, request: `GetFeature`}));",
    "a picture or a link": "const B = 'https://h.test/ms?map=/d/a.map'; const link = n => `${B}&SERVICE=WFS&TYPENAME=${n}`; "
    "document.createElement('a').href = link('x');",
}


@pytest.mark.parametrize("name", ASKED)
def test_an_address_that_says_itself_what_it_is_counts_where_it_is_asked_by(
    name: str,
) -> None:
    assert endpoints(ASKED[name]) == {("wfs", "https://h.test/ms?map=/d/a.map")}


@pytest.mark.parametrize(
    "code",
    [
        "const a = 'https://h.test/api/checks/'; fetch(a + ['wms-base'].pop()); // the WMS",
        "const b = 'https://h.test/api'; add({url: b + '/wms/pick', name: 'the WMS'});",
        "const c = 'https://h.test/news'; document.createElement('a').href = c + '/wms-is-here'; // WMS",
    ],
)
def test_a_request_for_a_record_about_a_service_is_none_of_the_service(
    code: str,
) -> None:
    assert endpoints(code) == set()


def test_a_base_of_the_configuration_that_the_page_goes_on_from_is_no_candidate() -> (
    None
):
    code = """fetch('c.json').then(r => r.json()).then(c => c.themes.forEach(
        t => L.tileLayer.wms(c.root + t.id, {layers: t.id}).addTo(map)));"""
    config = '{"root": "https://h.test/ows/", "themes": [{"id": "roads"}], "other": "https://h.test/ows"}'
    scripts = [Script(f"{PAGE}x.js", code), Script(f"{PAGE}c.json", config)]
    found = analyse(PAGE, scripts).endpoints
    assert {e.endpoint for e in found} == {"https://h.test/ows/roads"}
    alone = analyse(PAGE, scripts[1:]).endpoints
    assert {e.endpoint for e in alone} == {"https://h.test/ows/"}


def test_a_key_that_a_user_may_change_stands_for_every_row_of_its_table() -> None:
    script = (
        "const soil = {ph: {slug: 'phh2o'}, clay: {slug: 'clay'}}; let chosen = 'ph'; "
        "function draw() { const row = soil[chosen]; "
        + LAYER.replace("URL", "`https://h.test/${row.slug}/wms`")
        + " } select.onchange = e => { chosen = e.target.value; draw(); }; draw();"
    )
    assert endpoints(script) == {
        ("wms", "https://h.test/phh2o/wms"),
        ("wms", "https://h.test/clay/wms"),
    }


@pytest.mark.parametrize("declared", ["var", "let", "const"])
def test_a_script_may_call_a_variable_like_something_of_the_browser(
    declared: str,
) -> None:
    setting = f"{declared} URL = window.location.hostname;"
    assert endpoints(
        setting, LAYER.replace("url: URL", "url: 'http://' + URL + ':8080/ows'")
    ) == {("wms", "http://app.test:8080/ows")}


@pytest.mark.parametrize(
    "step", ["this.u += w + '/'", "this.u = this.u + w + '/'", "this.u = this.u.concat(w, '/')"]
)  # fmt: skip
def test_a_property_that_grows_step_by_step_is_what_it_is_at_the_end(step: str) -> None:
    script = (
        "var urls = {u: '', init: function (w) { this.u = 'https://h.test/gs/'; if (w) { STEP; } this.u += 'wms'; }, "
        "get: function () { return this.u; }}; urls.init('a'); "
    ).replace("STEP", step) + LAYER.replace("URL", "urls.get()")
    assert endpoints(script) == {("wms", "https://h.test/gs/a/wms")}


def test_a_choice_that_depends_on_another_is_the_same_wherever_it_is_used() -> None:
    script = (
        "function region(i) { return i > 5 ? 'a' : 'b'; } "
        "function tile(r, p) { const layer = `${r}_${p}`; return `https://h.test/${r}/${layer}/ows`; } "
        "function draw(t) { const r = region(t.lat); ['P', 'Q'].forEach(p => { "
        + LAYER.replace("URL", "tile(r, p)")
        + " }); } locate(p => draw(p.coords));"
    )
    assert endpoints(script) == {
        ("wms", f"https://h.test/{r}/{r}_{p}/ows") for r in "ab" for p in "PQ"
    }


def test_another_script_may_set_what_the_methods_of_an_object_read() -> None:
    page = "var page = {layer: function () { return this.server + '/wms?service=WMS&request=GetMap&layers=x'; }};"
    setting = "onReady(function () { page.server = 'https://h.test/gs'; show(page.layer()); });"
    assert endpoints(page, setting) == {("wms", "https://h.test/gs/wms")}


def test_a_list_of_mirrors_is_one_service() -> None:
    urls = "'http://a.h.test/wms,http://b.h.test/wms'"
    assert endpoints(LAYER.replace("URL", urls)) == {("wms", "http://a.h.test/wms")}
