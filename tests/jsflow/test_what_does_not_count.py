"""Addresses in scripts that lead to no service of the page."""

from __future__ import annotations

import pytest
from books import analyse

from geohound.jsflow import Script

PAGE = "https://p.test/app/index.html"


def endpoints(text: str, url: str = "https://p.test/app/a.js") -> list[str]:
    return [e.endpoint for e in analyse(PAGE, [Script(url, text)]).endpoints]


DECOYS = {
    "a commented-out layer": '// L.tileLayer.wms("https://h.test/wms").addTo(m);\n/* f("https://h.test/ows") */',
    "a dead branch": 'if (false) { L.tileLayer.wms("https://h.test/wms").addTo(m); }',
    "a link for people": '$("#a").html(\'<a href="https://h.test/wms">our WMS</a>\');',
    "a namespace": 'use({xmlns: "http://h.test/wms"}, "http://www.opengis.net/wfs");',
    "a table of namespaces": 'var NS = {own: "http://h.test/ns/wfs"}; use(NS);',
    "a schema": 'use({schemaLocation: "http://h.test/schemas/wfs"});',
    "a manual": 'use({help: "https://h.test/docs/wms"}); use("https://h.test/manual/wms.html");',
    "an address of somebody's own net": 'L.tileLayer.wms("http://192.168.1.7:8080/geoserver/wms").addTo(m);',
    "an article": 'use("https://h.test/news/wms");',
    "a message": 'alert("The service at https://h.test/wms is down");',
    "plain tiles": 'L.tileLayer("https://{s}.tile.test/{z}/{x}/{y}.png").addTo(m); say("wms");',
    "a branch that a switch turns off": "var c = Object.freeze({old: false}); (function (o) { "
    "if (o.old) { L.tileLayer.wms('https://h.test/wms').addTo(m); } })(c);",
    "a plug-in of a site": 'use({plugin: "https://h.test/wp-content/plugins/wms-maps/"});',
    "the page that was looked at": 'gtag("config", {page_location: "https://h.test/visit/?service=wms"});',
    "a service that is only called alike": '$.post("https://h.test/ajax", {service: "WMS-Shop", request: "list"});',
    "help under a telling key": 'use({wmsHelp: "https://h.test/gis/wms-help", wfsGuideUrl: "https://h.test/wfs"});',
    "an own list": 'fetch("https://h.test/api/incidents?service=wms&limit=5");',
    "a job": 'fetch("https://h.test/wfs-sync/v1/run", {method: "POST"});',
    "a request beside an address with a service": "function ask() { location.href = base() + '/x?service=WFS&request=a'; "
    "fetch('https://h.test/list', {method: 'GET'}); } ask();",
    "a portal of another product": 'use({wps: {endpoint: "https://h.test/wps/portal/forms"}});',
    "a name that is told to a counter": 'navigator.sendBeacon("https://h.test/c", {service: "wms", page: location.href});',
    "a request beside a function that asks a service": "fetch('https://h.test/limits'); function more() { "
    "var u = base(); u += 'service=WFS&request=GetFeature'; fetch(u); } more();",
    "the path of a module": "requirejs.config({baseUrl: '../lib', paths: {'leaflet.wms': '../dist/leaflet.wms'}});",
    "a folder of pictures": 'use({wfsImgPath: "https://h.test/config/img/"});',
    "types of media": 'use({mimeTypes: ["application/vnd.ogc.wms_xml", "text/wfs"]});',
    "another product's own interface": 'var API = "https://h.test/wms/api/v2"; fetch(API + "/stock?warehouse=3");',
    "things that are no sensors": 'fetch("https://h.test/v1.1/things");',
    "a row of another kind": "const g = b => `${b}?service=WMS&request=GetMap&layers=x`; const rows = {p: {b: "
    "'https://h.test/pois', k: 'vector'}}; for (const [id, d] of Object.entries(rows)) { "
    "if (d.k === 'wms') m.addSource(id, {type: 'raster', tiles: [g(d.b)]}); }",
    "an ArcGIS service without a name": "const app = query.get('app') || ''; "
    "new MapImageLayer({url: 'https://h.test/arcgis/rest/services/APPS/' + app + '/MapServer'});",
    "a test of a string": 'if (u.indexOf("/wms") > 0) { go(); }',
}


@pytest.mark.parametrize("name", DECOYS)
def test_it_is_no_service(name: str) -> None:
    assert endpoints(DECOYS[name]) == []


def test_an_arcgis_path_whose_name_holds_wms_is_no_wms() -> None:
    (endpoint,) = analyse(
        PAGE,
        [
            Script(
                PAGE,
                'use("https://h.test/arcgis/rest/services/WMS_base/MapServer");',
                is_inline=True,
            )
        ],
    ).endpoints
    assert endpoint.kind == "arcgis-mapserver"


@pytest.mark.parametrize(
    "name",
    [
        "ol.js",
        "leaflet-src.js",
        "OpenLayers.js",
        "vendor/jquery.min.js",
        "chunk-vendors.3f2a91bc.js",
    ],
)
def test_a_library_is_not_read(name: str) -> None:
    assert (
        endpoints(
            'L.tileLayer.wms("https://h.test/wms").addTo(m);', f"https://p.test/{name}"
        )
        == []
    )


def test_plain_tiles_are_kept_apart() -> None:
    findings = analyse(
        PAGE,
        [
            Script(
                PAGE,
                'L.tileLayer("https://t.test/{z}/{x}/{y}.png").addTo(m); say("wms");',
            )
        ],
    )
    assert [t.endpoint for t in findings.tiles] == ["https://t.test/{z}/{x}/{y}.png"]


def test_a_lone_file_keeps_what_another_script_may_call() -> None:
    text = 'function init() { L.tileLayer.wms("https://h.test/wms").addTo(m); }'
    assert [
        e.endpoint
        for e in analyse(PAGE, [Script("https://p.test/a.js", text)]).endpoints
    ] == ["https://h.test/wms"]


def test_the_beginning_of_an_address_is_not_tested_beside_the_whole() -> None:
    text = 'var b = "https://h.test/ows"; L.tileLayer.wms(b + "/city").addTo(m);'
    assert endpoints(text) == ["https://h.test/ows/city"]


def test_one_service_under_several_requests_is_one_candidate() -> None:
    text = 'use("https://h.test/wms?service=WMS&request=GetMap&layers=a"); use("https://h.test/wms?service=WMS&layers=b");'
    assert endpoints(text) == ["https://h.test/wms"]


def test_a_script_without_a_word_of_maps_is_not_read() -> None:
    findings = analyse(
        PAGE, [Script("https://p.test/a.js", 'console.log("hello");')] * 200
    )
    assert (findings.scripts_read, findings.scripts_skipped) == (0, 200)


@pytest.mark.parametrize(
    "other",
    [
        '$.getJSON("https://h.test/reverse", {lon: x, lat: y}, show);',
        'fetch("https://h.test/species?format=json&limit=0");',
        'Ext.Ajax.request({url: "https://h.test/find", params: {any: text, from: 1}});',
        'fetch(proxied("https://h.test/weather?lat=1")); function proxied(u) { return "/proxy?" + encodeURIComponent(u); }',
        'fetch("https://h.test/v1/stations");',
    ],
)
def test_a_request_with_parameters_of_its_own_is_not_what_stands_beside_it(
    other: str,
) -> None:
    wfs = '$.get("https://w.test/features", {service: "WFS", request: "GetFeature", typeName: "a"}, show);'
    assert endpoints(
        f"function ask(x, y, text) {{ {other} {wfs} }} map.on('click', ask);"
    ) == ["https://w.test/features"]


def test_a_switch_that_is_set_somewhere_turns_nothing_off() -> None:
    text = "var c = {old: false}; go.onclick = function () { c.old = true; draw(); }; function draw() { "
    text += "if (c.old) { L.tileLayer.wms('https://h.test/wms').addTo(m); } }"
    assert endpoints(text) == ["https://h.test/wms"]


def test_a_module_behind_a_switch_that_is_off_is_not_asked_for() -> None:
    text = "const c = {wms: false, wfs: true}; if (c.wms) import('./a.js'); if (c.wfs) import('./b.js');"
    assert analyse(PAGE, [Script(PAGE, text, is_inline=True)]).wanted == (
        "https://p.test/app/b.js",
    )
