"""Which scripts are libraries: asked before anything is parsed."""

from __future__ import annotations

import re
from functools import lru_cache

_WELL_KNOWN = re.compile(
    r"(?:^|[/._-])(?:jquery|bootstrap|openlayers|ol|ol-debug|leaflet|mapbox-gl|maplibre-gl|cesium|proj4|d3|lodash|moment|"
    r"react|vue|angular|ext-all|dojo|require|modernizr|polyfill|analytics|gtag|gtm|matomo|piwik|fontawesome)"
    r"(?:[-_.]?v?\d[\d.]*)?(?:[.-](?:min|all|core|slim|bundle|src|full))*\.js(?:$|\?)",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?:^|[/._-])(?:openlayers|ol|ol-debug|ol\d|ol-cesium|ol-ext|ol-layerswitcher|"
    r"leaflet(?:[.-][\w.-]{1,60})?|esri-leaflet[\w-]{0,60}|"
    r"mapbox(?:-gl)?|maplibre-gl|cesium|worldwind|itowns|deck\.gl|deckgl|three|proj4(?:js)?|"
    r"geoext(?:-\w{1,60})?|gxp|ext-all(?:-debug)?|"
    r"ext-base|ext-core|ext|jquery(?:[.-](?:ui|migrate|mobile|cookie|validate|mousewheel)[\w.-]{0,40})?|bootstrap[\w.-]{0,60}|dojo|mootools[\w-]{0,60}|prototype|scriptaculous|yui[\w-]{0,60}|d3|"
    r"lodash|underscore|moment[\w-]{0,60}|react(?:-dom)?[\w.-]{0,60}|vue(?:-\w{1,60})?|vuex|angular[\w-]{0,60}|ember|"
    r"backbone|knockout|require|r|"
    r"polyfills?|core-js|runtime|zone|modernizr|raphael|highcharts[\w-]{0,60}|chart|plotly[\w-]{0,60}|echarts|"
    r"turf|jsts|jszip|filesaver|"
    r"html2canvas|jspdf|xlsx|tinymce|ckeditor|codemirror|ace|swfobject|fontawesome|gtag|gtm|analytics|matomo|piwik|"
    r"chunk-vendors|vendors?(?:~[\w~]{1,60})?|swiper|slick|select2|datatables|popper|handlebars|mustache|i18next|axios|"
    r"socket\.io|signalr|hammer|fancybox|lightbox|owl\.carousel|wp-embed|wp-emoji-release)"
    r"(?:[-_.]?v?\d[\d.]{0,20}(?:[a-z]{1,4}\d{1,3})?)?(?:[.-](?:min|all|core|slim|bundle|src|full|prod|esm|umd|debug|legacy|global|"
    r"production|development))*"
    r"(?:[.-][0-9a-f]{6,32})?(?:\.min)?\.m?js(?:$|\?)",
    re.IGNORECASE,
)
_SHELF = re.compile(
    r"//(?:unpkg\.com|cdn\.jsdelivr\.net|cdnjs\.cloudflare\.com|ajax\.googleapis\.com|code\.jquery\.com|"
    r"maps\.google(?:apis)?\.com|"
    r"js\.arcgis\.com|serverapi\.arcgisonline\.com|api\.(?:tiles\.)?mapbox\.com/mapbox|"
    r"www\.googletagmanager\.com|esm\.sh|"
    r"cdn\.skypack\.dev|cdn\.polyfill\.io|polyfill\.io|stackpath\.bootstrapcdn\.com|"
    r"maxcdn\.bootstrapcdn\.com)/|/node_modules/|"
    r"/(?:bower_components|wp-includes/js)/",
    re.IGNORECASE,
)
_BANNER = re.compile(
    rb"Leaflet \d|a JS library for interactive maps|OpenLayers(?: Contributors|\.js|\s+\d|, )|"
    rb"jQuery (?:JavaScript Library )?v\d|Bootstrap v\d|"
    rb"Mapbox GL JS|MapLibre GL JS|Cesium -|CesiumJS|Ext JS|Ext Core|GeoExt|Proj4js|esri-leaflet|"
    rb"Copyright \(c\) Microsoft|"
    rb"AngularJS v|Vue\.js v|React v|RequireJS|Dojo Foundation|deck\.gl|three\.js|Esri|@license|Lodash|Underscore\.js",
)
_FULL_BUILDS = (  # fingerprints of whole libraries: each stands in the build of one and in no application
    (
        b"OpenLayers.Format.WMSCapabilities.v1_1_1=",
        b"OpenLayers.Util.getParameterString=",
    ),
    (b"OpenLayers.Format.WMSCapabilities.v1_1_1 =", b"OpenLayers.Layer.WMS ="),
    (b"ol.source.TileWMS", b"ol.format.WMSCapabilities", b"ol.inherits"),
    (b"defaultWmsParams", b"L.TileLayer.WMS", b"Leaflet"),
    (b"GeoExt.data.WMSCapabilitiesReader", b"Ext.namespace"),
)
_DEFINITION = re.compile(
    rb"\s*(?:var\s+)?(?:OpenLayers|ol|goog|GeoExt|Ext|L|Proj4js)(?:[.=]|\s=|\()"
)
_MAX_ADDRESS = 500


def is_library(address: str) -> bool:
    """By its name or the folder it stands in."""
    return bool(
        _NAME.search(address[:_MAX_ADDRESS])
        or _SHELF.search(address)
        or is_well_known_library(address)
    )


def is_well_known_library(address: str) -> bool:
    """True for the files of well-known libraries: their addresses are examples, not services."""
    return _is_well_known(address[:_MAX_ADDRESS])


@lru_cache(maxsize=2048)  # a site has the same files on all its pages
def _is_well_known(address: str) -> bool:
    return bool(_WELL_KNOWN.search(address))


def is_library_text(data: bytes) -> bool:
    """By a fingerprint that only the whole library has."""
    return any(all(mark in data for mark in marks) for marks in _FULL_BUILDS)


def is_banner(comment: bytes) -> bool:
    """A comment with which a library begins."""
    return bool(_BANNER.search(comment))


def is_definition(statement: bytes) -> bool:
    """The beginning of a statement that puts a part of a library in its place."""
    return bool(_DEFINITION.match(statement))
