"""How scripts write the addresses of services, one idiom each."""

from __future__ import annotations

import pytest
from books import analyse

from geohound.jsflow import Findings, Script

PAGE = "https://p.test/app/index.html"
Found = set[tuple[str, str | None]]


def read(*texts: str, page: str = PAGE, module: bool = False) -> Findings:
    scripts = [
        Script(f"https://p.test/app/s{i}.js", text, is_module=module)
        for i, text in enumerate(texts)
    ]
    return analyse(page, scripts)


def found(*texts: str, page: str = PAGE, module: bool = False) -> Found:
    return {
        (e.endpoint, e.kind) for e in read(*texts, page=page, module=module).endpoints
    }


def wms(*endpoints: str) -> Found:
    return {(endpoint, "wms") for endpoint in endpoints}


IDIOMS: dict[str, tuple[str, Found]] = {
    "a factory with several call sites": (
        'var G = "https://h.test/gs/"; const mk = (ws, l) => new T({url: G + ws + "/wms", params: {LAYERS: l}});'
        'map.add(mk("a", "x"), mk("b", "y"));',
        wms("https://h.test/gs/a/wms", "https://h.test/gs/b/wms"),
    ),
    "a minified class known by its shape": (
        'm.add(new q({url:"https://h.test/cgi",params:{LAYERS:"x"}}))',
        wms("https://h.test/cgi"),
    ),
    "MapServer's map parameter": (
        'var a="https://h.test/ms/?",b="map=/d/";m.add(new q({url:a+b+"x.map&",params:{LAYERS:"x"}}))',
        wms("https://h.test/ms/?map=/d/x.map"),
    ),
    "the address in a callback": (
        'new V({url: e => "https://h.test/x?service=WFS&bbox=" + e})',
        {("https://h.test/x", "wfs")},
    ),
    "a tile function that appends": (
        'var B = "https://h.test"; function tile(c, z) { var u = B + "/wms?"; u += "&LAYERS=" + l; return u; }'
        "new google.maps.ImageMapType({getTileUrl: tile});",
        wms("https://h.test/wms"),
    ),
    "an array of hosts": (
        'var p = "x/wms"; m.add(new q({urls: ["//one.test/" + p, "//two.test/" + p], params: {LAYERS: "x"}}))',
        wms("https://one.test/x/wms", "https://two.test/x/wms"),
    ),
    "subdomains of Leaflet": (
        'L.tileLayer.wms("https://{s}.h.test/wms", {layers: "a", subdomains: ["w1", "w2"]}).addTo(m);',
        wms("https://w1.h.test/wms"),
    ),
    "a range of subdomains": (
        'use("https://{b-d}.h.test/wms?");',
        wms("https://b.h.test/wms"),
    ),
    "a switch of subdomains": (
        'use("https://{switch:q,r}.h.test/wms?");',
        wms("https://q.h.test/wms"),
    ),
    "a RESTful WMTS behind an XYZ layer": (
        'L.tileLayer("//h.test/wmts/3857/best/" + "{layer}/{style}/{z}/{y}/{x}.jpg").addTo(m);',
        {("https://h.test/wmts/3857/best", "wmts")},
    ),
    "a RESTful WMTS whose layer only the page knows": (
        "new ol.source.XYZ({url: `https://h.test/wmts/3857/best/${name}/default/2020-01-01/g/{z}/{y}/{x}.jpg`})",
        {("https://h.test/wmts/3857/best", "wmts")},
    ),
    "a whole request as a template": (
        'map.addSource("a", {type: "raster", tiles: ["https://h.test/c?SERVICE=WMS&REQUEST=GetMap&BBOX={bbox-epsg-3857}"]})',
        wms("https://h.test/c"),
    ),
    "concat() for templates": (
        'use("https://h.test/wms?layers=".concat(name));',
        wms("https://h.test/wms"),
    ),
    "the constructor as data": (
        'go([["OpenLayers.Layer.WMS", "name", "http://h.test/cgi-bin/x", {}]]);',
        wms("http://h.test/cgi-bin/x"),
    ),
    "a source by its plug-in type": (
        'go({xtype: "gx_wmssource", url: "http://h.test/gs"});',
        wms("http://h.test/gs"),
    ),
    "wrapper APIs": (
        'map.add(new M.layer.WMS({url: "https://h.test/a"})); L.WMS.layer("https://h.test/b").addTo(m);'
        'L.nonTiledLayer.wms("https://h.test/c").addTo(m); map.addSource("q", {type: "wms", url: "https://h.test/d"});',
        wms(
            "https://h.test/a",
            "https://h.test/b",
            "https://h.test/c",
            "https://h.test/d",
        ),
    ),
    "default parameters": (
        'const C = {url: "https://h.test/data"}; const X = ({u = C.url}) => new WMSLayer({data: u}); render(X);',
        wms("https://h.test/data"),
    ),
    "endpoint and service apart": (
        '$.ajax({url: "https://h.test/data", data: {service: "WFS", request: "GetFeature"}});',
        {("https://h.test/data", "wfs")},
    ),
    "a body that names the service": (
        'var x = new XMLHttpRequest(); x.open("POST", "https://h.test/q"); x.send(\'<csw:GetRecords service="CSW">\');',
        {("https://h.test/q", "csw")},
    ),
    "a proxy with an encoded address": (
        'var w = "http://h.test/forest", q = "?SERVICE=WMS&REQUEST=GetMap";'
        'fetch("/proxy?url=" + encodeURIComponent(w + q));',
        wms("http://h.test/forest"),
    ),
    "a proxy as a prefix": (
        'use("https://cors.test/https://h.test/wms");',
        wms("https://h.test/wms"),
    ),
    "a path put together": (
        'var ws = "top"; function url() { var b = "/gs/"; b += ws + "/"; b += "wms"; return b; } use(url());',
        wms("https://p.test/gs/top/wms"),
    ),
    "a relative path": (
        'L.tileLayer.wms("../gs/wms").addTo(m);',
        wms("https://p.test/gs/wms"),
    ),
    "the branch that this page takes": (
        'var u = location.protocol === "https:" ? "https://s.test/wms" : "http://u.test/wms";'
        "L.tileLayer.wms(u).addTo(m);",
        wms("https://s.test/wms"),
    ),
    "every branch that can be": (
        'var u = night() ? "https://n.test/wms" : "https://d.test/wms"; L.tileLayer.wms(u).addTo(m);',
        wms("https://n.test/wms", "https://d.test/wms"),
    ),
    "base64": (
        'L.tileLayer.wms(atob("aHR0cHM6Ly9oLnRlc3Qvd21z")).addTo(m);',
        wms("https://h.test/wms"),
    ),
    "joined parts": (
        'use(["https://h.test", "gs", "wms"].join("/"));',
        wms("https://h.test/gs/wms"),
    ),
    "mapped parts": (
        'var ws = ["a", "b"].map(w => "https://h.test/" + w + "/wms"); ws.forEach(u => L.tileLayer.wms(u).addTo(m));',
        wms("https://h.test/a/wms", "https://h.test/b/wms"),
    ),
    "parts of one row stay together": (
        'var ls = [{h: "https://a.test", p: "/one"}, {h: "https://b.test", p: "/two"}];'
        "for (var i = 0; i < ls.length; i++) { var l = ls[i]; m.add(new TileWMS({url: l.h + l.p})); }",
        wms("https://a.test/one", "https://b.test/two"),
    ),
    "new URL and URLSearchParams": (
        'const u = new URL("/x", "https://h.test"); fetch(u + "?" + new URLSearchParams({service: "WFS"}));',
        {("https://h.test/x", "wfs")},
    ),
    "merged objects": (
        'const d = Object.assign({}, {url: "https://h.test/q"}, {params: {LAYERS: "x"}});'
        "m.add(new ol.source.TileWMS({...d}));",
        wms("https://h.test/q"),
    ),
    "class fields": (
        'class A { base = "https://h.test"; add() { m.add(new TileWMS({url: `${this.base}/x`})); } } new A().add();',
        wms("https://h.test/x"),
    ),
    "what a constructor was given": (
        'class A { constructor(b) { this.b = b; } go() { fetch(this.b + "/o?service=WFS"); } } new A("https://h.test").go();',
        {("https://h.test/o", "wfs")},
    ),
    "JSON in a string": (
        'var c = JSON.parse(\'{"wms": {"url": "https://h.test/x"}}\'); L.tileLayer.wms(c.wms.url).addTo(m);',
        wms("https://h.test/x"),
    ),
    "ArcGIS by AMD": (
        'require(["esri/layers/WMSLayer"], function (W) { map.addLayer(new W("https://h.test/x")); });',
        wms("https://h.test/x"),
    ),
    "tiles of an ArcGIS service, as Leaflet takes them": (
        "L.tileLayer('https://h.test/ArcGIS/rest/services/A/MapServer/tile/{z}/{y}/{x}', {maxZoom: 18}).addTo(map);",
        {("https://h.test/ArcGIS/rest/services/A/MapServer", "arcgis-mapserver")},
    ),
    "vector tiles of an ArcGIS service": (
        "new ol.source.VectorTile({url: 'https://h.test/arcgis/rest/services/A/VectorTileServer/tile/{z}/{y}/{x}.pbf'});",
        {
            (
                "https://h.test/arcgis/rest/services/A/VectorTileServer",
                "arcgis-vectortileserver",
            )
        },
    ),
    "the WMTS of an ArcGIS service": (
        "new ol.source.WMTS({url: 'https://h.test/arcgis/rest/services/A/MapServer/WMTS/', layer: '0'});",
        {("https://h.test/arcgis/rest/services/A/MapServer/WMTS/", "wmts")},
    ),
    "an ArcGIS layer": (
        'map.add(new MapImageLayer({url: "https://h.test/arcgis/rest/services/A/MapServer/"}));',
        {("https://h.test/arcgis/rest/services/A/MapServer", "arcgis-mapserver")},
    ),
    "a version behind the word that tells": (
        'use("https://h.test/lv/bag/wms/v1_1");',
        wms("https://h.test/lv/bag/wms/v1_1"),
    ),
    "a format string": (
        'use(Ext.String.format("{0}/wms", "https://h.test/gs"));',
        wms("https://h.test/gs/wms"),
    ),
    "Cesium": (
        'v.add(new Cesium.WebMapServiceImageryProvider({url: "https://h.test/x"}));',
        wms("https://h.test/x"),
    ),
    "Mapea's short form": (
        'map.addWMTS("WMTS*https://h.test/t*layer*EPSG:25830");',
        {("https://h.test/t", "wmts")},
    ),
    "a module in a bundle": (
        '({12:(e,t,n)=>{n.d(t,{Z:()=>r});const r="https://h.test/q"},15:(e,t,n)=>{var a=n(12);'
        'm.add(new q({url:a.Z,params:{LAYERS:"x"}}))}})',
        wms("https://h.test/q"),
    ),
    "JSX": (
        'const A = () => <WMSTileLayer url="https://h.test/x" layers="a" />; render(<A />);',
        wms("https://h.test/x"),
    ),
}


@pytest.mark.parametrize("name", IDIOMS)
def test_an_idiom_is_worked_out(name: str) -> None:
    script, expected = IDIOMS[name]
    assert found(script) == expected


def test_a_base_may_stand_in_another_script() -> None:
    assert found('BASE = "http://h.test";', 'show(BASE + "/gs/ws/wms");') == wms(
        "http://h.test/gs/ws/wms"
    )


@pytest.mark.parametrize(
    ("label", "kind"), [("OAF", "ogcapi-features"), ("SensorThings", "sensorthings")]
)
def test_a_layer_says_its_kind_by_the_label_that_viewers_use(
    label: str, kind: str
) -> None:
    config = f'{{"layers": [{{"id": "1", "url": "https://h.test/data/schools", "typ": "{label}"}}]}}'
    assert found(config) == {("https://h.test/data/schools", kind)}


def test_a_whole_request_counts_also_as_a_preview() -> None:
    script = 'add({name: "rain", imageUrlBase: "https://h.test/x?SERVICE=WMS&REQUEST=GetMap&LAYERS=a&TIME="});'
    assert found(script) == wms("https://h.test/x")


INHERITING = {
    "by super": "class Ice extends Layer { constructor() { super('ice'); } } show(new Ice().source());",
    "by its own parameter": "class Ice extends Layer { constructor(n) { super(n); } } show(new Ice('ice').source());",
    "without a constructor": "class Ice extends Layer { title() { return 'Ice'; } } show(new Ice('ice').source());",
}


@pytest.mark.parametrize("how", INHERITING)
def test_a_class_gives_its_base_what_the_address_needs(how: str) -> None:
    base = (
        "class Layer { constructor(name) { this.name = name; } "
        "source() { return new ol.source.TileWMS({url: 'https://h.test/wms/' + this.name}); } }"
    )
    assert found(base + INHERITING[how]) == wms("https://h.test/wms/ice")


def test_a_name_imported_from_another_module_is_followed() -> None:
    scripts = (
        'import {BASE as b} from "./s1.js"; map.add(new TileWMS({url: b + "/x"}));',
        'export const BASE = "https://h.test";',
    )
    assert found(*scripts, module=True) == wms("https://h.test/x")


def test_a_module_that_is_not_there_is_wanted() -> None:
    findings = read(
        'import {BASE} from "./config.js"; map.add(new TileWMS({url: BASE + "/x"}));',
        module=True,
    )
    assert findings.wanted == ("https://p.test/app/config.js",)
    assert not findings.endpoints
    assert findings.unknown


def test_an_import_map_says_where_a_bare_name_is() -> None:
    scripts = [
        Script(PAGE, '{"imports": {"conf": "/shared/conf.js"}}', is_inline=True),
        Script(
            "https://p.test/app/a.js",
            'import u from "conf"; L.tileLayer.wms(u).addTo(m);',
            is_module=True,
        ),
    ]
    assert analyse(PAGE, scripts).wanted == ("https://p.test/shared/conf.js",)


def test_a_configuration_file_that_is_fetched_is_wanted_and_then_used() -> None:
    script = 'fetch("conf.json").then(r => r.json()).then(c => L.tileLayer.wms(c.host + "/x").addTo(m));'
    asked = [Script("https://p.test/app/a.js", script)]
    assert analyse(PAGE, asked).wanted == ("https://p.test/app/conf.json",)
    given = [
        *asked,
        Script("https://p.test/app/conf.json", '{"host": "https://h.test"}'),
    ]
    assert {e.endpoint for e in analyse(PAGE, given).endpoints} == {"https://h.test/x"}


def test_evidence_tells_script_line_and_call() -> None:
    script = Script(
        PAGE,
        '\n\nL.tileLayer.wms("https://h.test/wms").addTo(m);',
        is_inline=True,
        line_offset=10,
    )
    (endpoint,) = analyse(PAGE, [script]).endpoints
    assert (endpoint.source, endpoint.line, endpoint.call, endpoint.how) == (
        PAGE,
        13,
        "L.tileLayer.wms",
        "call",
    )
    assert endpoint.confidence > 0.9


def test_services_in_configuration_are_known_by_their_keys() -> None:
    text = """{"layers": [{"type": "WMS", "url": "https://h.test/one"}, {"wfsUrl": "https://h.test/two"},
      {"id": "a", "source": "s", "type": "wmts"}], "sources": {"s": {"url": "https://h.test/three"}}, "help": {"url": "https://h.test/help"}}"""
    found_in = {
        (e.endpoint, e.kind)
        for e in analyse(PAGE, [Script("https://p.test/c.json", text)]).endpoints
    }
    assert found_in == {
        ("https://h.test/one", "wms"),
        ("https://h.test/two", "wfs"),
        ("https://h.test/three", "wmts"),
    }
