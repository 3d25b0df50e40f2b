"""What components of React and Vue keep between their calls, and what loops and helpers of pages make, reaches the map."""

from __future__ import annotations

import pytest
from books import analyse

from geohound.jsflow import Script

PAGE = "https://app.test/map/"
WRITTEN = {
    "state that a component begins with": "import {r as r, i as i, s as s} from './vendor.js'; function u(t) { let [a, b] = "
    "r.useState('https://h.test/' + 'one'); return i(s, {layers: 'x:' + t.crop, url: a, format: 'image/png'}); }",
    "a value that is worked out once": "import L from 'leaflet'; import {useMemo} from 'react'; const B = 'https://h.test'; "
    "function V({layer}) { const url = useMemo(() => `${B}/one`, []); L.tileLayer.wms(url, {layers: layer}); }",
    "a context": "import React from 'react'; const C = React.createContext({wms: 'https://h.test/one'}); "
    "function V() { const {wms} = React.useContext(C); return <WMSTileLayer url={wms} layers='x'/>; }",
    "data of a component": "new Vue({data: {base: 'https://h.test'}, mounted() { L.tileLayer.wms(this.base + '/one', {layers: 'x'}); }});",
    "what a component computes": "export default {data() { return {gs: 'https://h.test'}; }, computed: {wms() { return `${this.gs}/one`; }}, "
    "mounted() { this.add('x'); }, methods: {add(n) { L.tileLayer.wms(this.wms, {layers: n}); }}};",
    "references of Vue": "import {ref, computed} from 'vue'; const b = ref('https://h.test'); const w = computed(() => b.value + '/one'); "
    "L.tileLayer.wms(w.value, {layers: 'x'});",
    "a text with numbers for its blanks": "L.tileLayer.wms('https://h.test/{0}'.format('one'), {layers: 'x'});",
    "a text with names for its blanks": "L.tileLayer.wms('https://h.test/{name}'.supplant({name: 'one'}), {layers: 'x'});",
    "the options of a jQuery plugin": "(function ($) { var defaults = {service: 'https://h.test/one'}; function P(e, o) { "
    "this.settings = $.extend({}, defaults, $(e).data(), o); } $.extend(P.prototype, {draw: function () { "
    "L.tileLayer.wms(this.settings.service, {layers: 'x'}); }}); $.fn.shown = function (o) { new P(this, o).draw(); }; })(jQuery);",
    "a loop that counts by itself": "var n = ['none', 'one'], i = 0; while (i < n.length) { "
    "L.tileLayer.wms('https://h.test/' + n[i], {layers: 'x'}); i++; }",
    "options whose layers are put together": "var w = 'x'; add({url: 'https://h.test/one', layers: w + ':roads', format: 'image/png'});",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_an_address_reaches_the_map_through(name: str) -> None:
    code = f"/* the WMS of the office */ {WRITTEN[name]}"
    is_module = "import " in code or "export " in code
    found = analyse(PAGE, [Script(f"{PAGE}app.js", code, is_module=is_module)])
    assert ("wms", "https://h.test/one") in {
        (e.kind, e.endpoint) for e in found.endpoints
    }
