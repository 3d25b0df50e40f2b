"""An application in one file with its libraries: the application is read, what the libraries carry is not theirs."""

from __future__ import annotations

import pytest
from books import analyse

from geohound.jsflow import Script

PAGE = "https://p.test/app/index.html"
LIBRARY = 'var demo = "https://library.test/geoserver/wms"; ask(demo);'
APP = 'L.tileLayer.wms("https://h.test/wms", {layers: "a"}).addTo(m); ask("https://h.test/geoserver/wfs");'
FILLING = "".join(f"function f{n}(a) {{ return a + {n}; }}\n" for n in range(2_500))

FILES = {
    "a library that looks for its loader": '!function(r,f){"object"==typeof exports?f(exports):"function"==typeof define'
    f"&&define.amd?define(f):f(r.X={{}})}}(this,function(e){{{LIBRARY}}});\n{APP}",
    "a library that looks for its loader at its end": f"(function(){{{LIBRARY} if (typeof define == 'function' && "
    f"define.amd) {{ define(function () {{ return X; }}) }} }}.call(this));\n{APP}",
    "a library inside the function of a bundle": "var x=w((e,m)=>{(function(r,f){typeof e=='object'?f(e):typeof define"
    f"=='function'&&define.amd?define(f):f(r)}})(e,function(e){{{LIBRARY}}})}});\n{APP}",
    "a bundle with paths": f"// node_modules/x/dist/x.js\n{LIBRARY}\n// src/main.js\n{APP}",
    "a bundle with paths between its modules": f";// CONCATENATED MODULE: ./node_modules/x/x.js\n{LIBRARY}\n"
    f";// CONCATENATED MODULE: ./src/main.js\n{APP}",
    "a table of modules by path": f"({{'./node_modules/x/x.js': function(m,e,r){{{LIBRARY}}}, "
    f"'./src/main.js': function(m,e,r){{{APP}}}}})",
    "a library with its banner": f"/* @preserve Leaflet 1.9.4 */ var x = (function(){{{LIBRARY}}})();\n{APP}",
    "a class with defaults in a bundle": f"{FILLING} var B = L.TileLayer.extend({{statics: {{TILES: "
    f'{{A: {{urlTemplate: "https://library.test/arcgis/rest/services/A/MapServer/tile/{{z}}/{{y}}/{{x}}"}}}}}}, '
    f'initialize: function (k) {{ var t = B.TILES[k]; t.urlTemplate += "?" + token(); draw(t); }}}});\n{APP}',
}


@pytest.mark.parametrize("name", FILES)
def test_the_application_is_read_and_the_library_is_not(name: str) -> None:
    found = analyse(PAGE, [Script("https://p.test/app/all.js", FILES[name])]).endpoints
    assert {e.endpoint for e in found} == {
        "https://h.test/wms",
        "https://h.test/geoserver/wfs",
    }


def test_an_application_that_is_built_like_a_library_is_read() -> None:
    code = f'!function(r,f){{"object"==typeof exports?f(exports):f(r.X={{}})}}(this,function(e){{{APP}}});'
    found = analyse(PAGE, [Script("https://p.test/app/all.js", code)]).endpoints
    assert {e.endpoint for e in found} == {
        "https://h.test/wms",
        "https://h.test/geoserver/wfs",
    }
