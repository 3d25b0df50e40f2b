"""Modules of one bundle reach each other, however the bundler wraps and names them."""

from __future__ import annotations

import pytest
from books import analyse

from geohound.jsflow import Script

PAGE = "https://app.test/map/"
RUNTIME = (
    "function n(r){if(c[r])return c[r].exports;var o=c[r]={exports:{}};"
    "return e[r].call(o.exports,o,o.exports,n),o.exports}"
)
LATER = "var e=(e,t)=>()=>(t||e((t={exports:{}}).exports,t),t.exports);"
MAKE = "return L.tileLayer.wms(e+'/wms',{layers:t})"

FUNCTION_ELSEWHERE = {
    "webpack 5": f"(()=>{{var e={{123:(e,t,n)=>{{n.d(t,{{A:()=>r}});function r(e,t){{{MAKE}}}}},456:(e,t,n)=>{{var r=n(123);"
    f"(0,r.A)('https://h.test/gs','x')}}}},c={{}};{RUNTIME}n(456)}})();",
    "webpack 5 with classes": "(()=>{var e={10:(e,t,n)=>{n.d(t,{Z:()=>r});class r{constructor(e){this.base=e}build(e){"
    "return L.tileLayer.wms(this.base+'/wms',{layers:e})}}},30:(e,t,n)=>{var r=n(10);new r.Z('https://h.test/gs').build('x')}},"
    f"c={{}};{RUNTIME}n(30)}})();",
    "webpack in development": "(() => { var __webpack_modules__ = ({\n'./src/config.js': ((__unused, __webpack_exports__, __webpack_require__) => {\n"
    "__webpack_require__.d(__webpack_exports__, { 'BASE': () => (/* binding */ BASE) });\nconst BASE = 'https://h.test/gs';\n}),\n"
    "'./src/main.js': ((__unused, __webpack_exports__, __webpack_require__) => {\nvar _config = __webpack_require__('./src/config.js');\n"
    "L.tileLayer.wms(_config.BASE + '/wms', {layers: 'x'});\n})\n}); })();",
    "webpack 4": f"!function(e){{var c={{}};{RUNTIME}n(n.s=0)}}([function(e,t,n){{var r=n(1);Object(r.a)('https://h.test/gs','x')}},"
    f"function(e,t,n){{n.d(t,'a',function(){{return r}});function r(e,t){{{MAKE}}}}}]);",
    "CommonJS by Babel": f"!function(e){{var c={{}};{RUNTIME}n(n.s=0)}}([function(e,t,n){{var r=n(1);(0,r.make)('https://h.test/gs','x')}},"
    f"function(e,t,n){{t.make=function(e,t){{{MAKE}}}}}]);",
    "a module that is a function": f"!function(e){{var c={{}};{RUNTIME}n(n.s=0)}}([function(t,e,n){{var r=n(2);r('https://h.test/gs','x')}},"
    f"function(){{}},function(n,r,o){{n.exports=function(e,t){{{MAKE}}}}}]);",
    "Browserify": "(function e(t,n,r){})({1:[function(e,t,n){var r=e('./layers');(0,r.make)('https://h.test/gs','x')},{'./layers':2}],"
    f"2:[function(e,t,n){{function r(e,t){{{MAKE}}}n.make=r}},{{}}]}},{{}},[1]);",
    "Browserify, a module that is a function": "(function e(t,n,r){})({1:[function(require,module,exports){var make=require('./make');"
    f"make('https://h.test/gs','x')}},{{'./make':2}}],2:[function(require,module,exports){{module.exports=function(e,t){{{MAKE}}}}},{{}}]}},{{}},[1]);",
    "esbuild": f"(()=>{{{LATER}var n=e((e,t)=>{{t.exports=function(e,t){{{MAKE}}}}});var i=n();i('https://h.test/gs','x')}})();",
    "Rolldown": f"{LATER}n=e(((e,t)=>{{t.exports={{base:'https://h.test/gs'}}}})),r=e((e=>{{e.make=function(e,t){{{MAKE}}}}})),i=n();r().make(i.base,'x');",
    "Rollup": "(function(){function standard(x){return x&&x.__esModule&&Object.prototype.hasOwnProperty.call(x,'default')?x['default']:x}"
    f"var make=function(e,t){{{MAKE}}};var make$1=standard(make);make$1('https://h.test/gs','x')}})();",
    "Parcel": "(function(){var parcelRequire=$parcel$global['parcelRequire94c2'];parcelRequire.register('cfgA1',function(module,exports){"
    "$parcel$export(module.exports,'BASE',()=>$a1$b);const $a1$b='https://h.test/gs'});parcelRequire.register('makB2',function(module,exports){"
    "$parcel$export(module.exports,'make',()=>$b2$m);var $cfgA1=parcelRequire('cfgA1');function $b2$m(t){return L.tileLayer.wms("
    "(0,$cfgA1.BASE)+'/wms',{layers:t})}});var $makB2=parcelRequire('makB2');(0,$makB2.make)('x')})();",
    "an object that a function returns": f"var maps=(function(){{function r(e,t){{{MAKE}}}return{{make:r}}}})();maps.make('https://h.test/gs','x');",
    "a class that calls itself by another name": "var a=class e{static BASE='https://h.test/gs';layer(){return L.tileLayer.wms(e.BASE+'/wms',{})}};new a().layer();",
}


@pytest.mark.parametrize("bundler", FUNCTION_ELSEWHERE)
def test_what_one_module_is_given_or_exports_reaches_the_map_in_another(
    bundler: str,
) -> None:
    found = analyse(PAGE, [Script(f"{PAGE}app.js", FUNCTION_ELSEWHERE[bundler])])
    assert {(e.kind, e.endpoint) for e in found.endpoints} == {
        ("wms", "https://h.test/gs/wms")
    }


def test_a_handler_under_a_long_name_is_no_module_of_a_bundle() -> None:
    code = """function add(name, make) { make({base: 'https://h.test/gs'}, 'x'); }
        add('rivers and lakes', function (c, t) { L.tileLayer.wms(c.base + '/wms', {layers: t}); });"""
    found = analyse(PAGE, [Script(f"{PAGE}app.js", code)]).endpoints
    assert {(e.kind, e.endpoint) for e in found} == {("wms", "https://h.test/gs/wms")}


def test_exports_of_one_letter_are_not_taken_for_those_of_other_modules() -> None:
    code = f"""!function(e){{var c={{}};{RUNTIME}n(n.s=0)}}([function(e,t,n){{var r=n(1),o=n(2);
        Object(r.a)('https://h.test/gs','x');Object(o.a)('https://h.test/news','y')}},
        function(e,t,n){{n.d(t,'a',function(){{return r}});function r(e,t){{{MAKE}}}}},
        function(e,t,n){{n.d(t,'a',function(){{return r}});function r(e,t){{return e+t}}}}]);"""
    found = analyse(PAGE, [Script(f"{PAGE}app.js", code)]).endpoints
    assert {(e.kind, e.endpoint) for e in found} == {("wms", "https://h.test/gs/wms")}
