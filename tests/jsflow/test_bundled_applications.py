"""What bundlers and minifiers make of common code, and what helpers of libraries in the same file do to addresses."""

from __future__ import annotations

import pytest
from books import analyse

from geohound.jsflow import Script

PAGE = "https://p.test/app/index.html"
WMS = "L.tileLayer.wms({url}, {{layers: 'a'}});"
LEAFLET = (
    "!function(t,e){'object'==typeof exports&&'undefined'!=typeof module?e(exports):'function'==typeof define&&"
    "define.amd?define(['exports'],e):e((t='undefined'!=typeof globalThis?globalThis:t||self).leaflet={})}(this,"
    "function(t){t.version='1.9.4'; t.ready=function(e){e({base:'https://wrong.test'})}; %s });"
)
NESTED = "".join(f"/* @license {n} */ var l{n} = f({n});\n" for n in range(20))

SCRIPTS = {
    "a class that the function of a module makes later": "var o,b,s=l(()=>{b=class{constructor(e){this.root=e}"
    "url(){return[this.root,this.type].join('/')}},o=class extends b{get type(){return'wms'}"
    f"show(){{{WMS.format(url='this.url()')}}}}}}});s();new o('https://h.test').show();",
    "a class with another name for itself": "var q=class e extends Base{constructor(){super();"
    f"{WMS.format(url='`https://h.test/${e.PATH}`')}}}}};q.PATH='wms';new q();",
    "a value that is made when it is first asked for": "var kept,load=()=>kept??={root:'https://h.test'},"
    f"get=async e=>e.split('.').reduce((e,t)=>e?.[t],await load());async function f(){{let t=await get('root');"
    f"{WMS.format(url='t+`/wms`')}}}f();",
    "a function that puts values into a template": "var p=/\\{ *([\\w_ -]+) *\\}/g;function fill(t,e){return t.replace(p,"
    "function(t,i){var n=e[i];if(void 0===n)throw new Error(t);return'function'==typeof n&&(n=n(e)),n})}"
    "fetch(fill('{url}?service=WMS&request=GetCapabilities',{url:'https://h.test/'+'w'+'ms'}));",
    "a class and its heir as compilers write them for old browsers": "function c(t,e){return d(t.prototype,e),t}var b=c((function t(e){u(this,t),this.root=e}),"
    "[{key:'url',value:function(){return[this.root,this.type].join('/')}}]),p=function(t){function i(){return u(this,i),"
    "o(this,i,arguments)}return a(i,t),c(i,[{key:'type',get:function(){return'wms'}},{key:'show',value:function(){var t=this;"
    f"{WMS.format(url='t.url()')}}}}}])}}(b);new p('https://h.test').show();",
    "a class whose methods stand in a list with a name": "var K=function(){return t=function t(e){!function(t,e)"
    "{if(!(t instanceof e))throw 1}(this,t),this.root=e.root},(e=[{key:'show',value:function(){"
    f"{WMS.format(url='this.root+`/wms`')}}}}}])&&d(t.prototype,e),t;var t,e}}();new K({{root:'https://h.test'}}).show();",
    "a function that is picked from a table and called by a name": "const makers={wms:({root='https://h.test',path})=>"
    f"{WMS.format(url='`${root}/w${path}`')[:-1]}}};function make(o){{let m=makers[o.type];if(!m)throw 1;return m(o)}}"
    "[{type:'wms',path:'ms'}].map(o=>make(o));",
    "an AMD module whose parameters have lost their names": "define('services',['require','exports'],function(t,e){"
    "e.host='https://h.test',e.url=function(t){return e.host+'/'+t}}),define('map',['./services'],function(t){"
    f"{WMS.format(url='t.url(`wms`)')}}});",
    "a name that a library in the same file gives to something else": LEAFLET
    % NESTED
    + "(function(){var c={start:function(){load().done(this.ready)},ready:function(t){this.gs=t.base;this.show()},"
    f"show:function(){{{WMS.format(url='this.gs+`/wms`')}}}}};c.ready({{base:'https://h.test'}});}})();",
    "a module in a string, which a library brings": "var lib='x';eval(\"module.exports = 1;//# sourceURL=webpack:///./a.js\");"
    + WMS.format(url="'https://h.test/wms'")
    + "var rest = 'what the page says beside it, which is more than the module in the string is';",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_addresses_are_followed_through(name: str) -> None:
    script = Script("https://p.test/app/main.js", SCRIPTS[name])
    found = analyse(PAGE, [script]).endpoints
    assert {e.endpoint for e in found} == {"https://h.test/wms"}


def test_a_plugin_of_the_page_is_no_library() -> None:
    plugin = (
        "(function($){var d={service:'https://h.test/wms'};$.fn.noise=function(o){"
        f"var s=$.extend({{}},d,o);{WMS.format(url='s.service')}}}}})(jQuery);"
    )
    scripts = [
        Script("https://p.test/jquery.noise.js", plugin),
        Script("https://p.test/main.js", "$('#map').noise({zoom: 3});"),
    ]
    found = analyse(PAGE, scripts).endpoints
    assert [e.endpoint for e in found] == ["https://h.test/wms"]


def test_a_globe_asks_for_heights() -> None:
    page = Script("https://p.test/globe.js", "var g = new WorldWind.WorldWindow('c');")
    found = analyse(PAGE, [page]).endpoints
    assert [e.endpoint for e in found] == ["https://worldwind26.arc.nasa.gov/elev"]


def test_requests_to_a_data_server_are_followed_to_its_root() -> None:
    code = (
        "var t = 'https://h.test/thredds'; fetch(t + '/catalog/model/catalog.xml');"
        "fetch(t + '/dodsC/model/forecast.nc' + '.ascii?time');"
    )
    found = analyse(PAGE, [Script("https://p.test/a.js", code)]).endpoints
    assert {(e.endpoint, e.kind) for e in found} == {
        ("https://h.test/thredds/catalog/model/catalog.xml", "thredds"),
        ("https://h.test/thredds/dodsC/model/forecast.nc", "opendap"),
    }


def test_a_table_of_a_data_server_is_taken_to_its_root() -> None:
    code = (
        "var root = (settings.server || 'https://h.test') + '/erddap';"
        "function ask(id, type, rest) { return fetch(`${root}/tabledap/${id}.${type}?${rest}`); }"
        "ask('buoys', 'json', 'time,height'); ask('tides', 'csv', 'time');"
        "fetch(root + '/griddap/waves.json?height[(last)]');"
    )
    found = analyse(PAGE, [Script("https://p.test/a.js", code)]).endpoints
    assert {(e.endpoint, e.kind) for e in found} == {
        ("https://h.test/erddap", "erddap")
    }


@pytest.mark.parametrize(
    "source",
    [
        "{type: 'vector', url: sources.trails}",
        "{type: 'vector', ...sources.huts}",
        "{type: 'vector', url: base + 'trails.json'}",
    ],
)
def test_a_source_of_vectors_is_described_by_its_document(source: str) -> None:
    code = (
        "const base = 'https://h.test/data/';"
        "const sources = Object.freeze({trails: base + 'trails.json', huts: {url: base + 'trails.json', maxzoom: 9}});"
        f"map.addSource('a', {source});"
    )
    found = analyse(PAGE, [Script("https://p.test/a.js", code)]).endpoints
    assert [(e.endpoint, e.kind) for e in found] == [
        ("https://h.test/data/trails.json", "tilejson")
    ]


def test_a_source_of_vectors_with_another_address_is_no_document() -> None:
    code = "var u = 'https://h.test/roads.geojson'; load({type: 'vector', url: u});"
    assert not analyse(PAGE, [Script("https://p.test/a.js", code)]).endpoints
