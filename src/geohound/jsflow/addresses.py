"""From a string of a script to the endpoint of a service: placeholders, proxies, requests, kinds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from geohound import urls
from geohound.jsflow.values.domain import HOLE

from .model import words

_NAMES = {
    "wms": "wms", "wmts": "wmts", "wfs": "wfs", "wcs": "wcs", "csw": "csw", "wps": "wps", "sos": "sos", "wms-c": "wms",
    "wmsc": "wms", "wfs-t": "wfs", "cat": "csw", "getmap": "wms", "getfeatureinfo": "wms", "getlegendgraphic": "wms",
    "gettile": "wmts", "getfeature": "wfs", "describefeaturetype": "wfs", "getcoverage": "wcs", "getrecords": "csw",
    "getrecordbyid": "csw", "execute": "wps", "describeprocess": "wps", "getobservation": "sos", "map": "wms",
}  # fmt: skip
_WORD = re.compile(r"(?<![a-z])(wmts|wms|wfs|wcs|csw|wps|sos)(?![a-z])|(wmts|wms|wfs|wcs|csw|wps)server", re.IGNORECASE)
_CAMEL = re.compile(
    r"(?:^|[^A-Za-z]|(?<=[a-z]))(WMTS|WMS|WFS|WCS|CSW|WPS|SOS)(?![A-Z]{2})|(?:^|(?<=[a-z]))(Wmts|Wms|Wfs|Wcs|Csw|Wps)(?![a-z])"
    r"|(?:^|(?<=[^A-Za-z]))(wmts|wms|wfs|(?:wcs|csw|wps|sos)(?![a-z]))"
)
_GENERIC = re.compile(r"/(?:ows|owsproxy|qgis_mapserv\S*|qgisserver)/?$", re.IGNORECASE)
_ARCGIS = re.compile(
    r"^(.*/rest/services/.*?/(map|feature|image)server)(?![\w-])(?!/(?:wms|wfs|wcs|wmts)server)", re.IGNORECASE
)
_OPERATION = re.compile(r"/(?:export(?:image)?|identify|find|query|legend|generatekml|layers)$", re.IGNORECASE)
_ARCGIS_OTHER = re.compile(
    r"/(?:gp|geocode|geometry|na|vectortile|scene|globe|mobile|geodata)server(?:/|$)|/rest/services/?$|"
    r"/rest/services/(?!.*server)|/sharing/rest|/sharing/",
    re.IGNORECASE,
)
_SUBDOMAIN = re.compile(
    r"\$?\{(?:s|sub-?_?domains?|switch:\s*([^},]+)[^}]*|([a-z0-9])-[a-z0-9])\}|\[sub-?_?domain\]|%7Bs%7D", re.IGNORECASE
)
_SHOWN = re.compile(
    r"<(?:img|iframe|image|object)\b[^<>]{0,200}?\b(?:src|data)\s*=\s*[\"']?([^\"'<>\s]{8,2000})", re.IGNORECASE
)
_INNER = re.compile(r"https?(?:://|%3A%2F%2F|%253A%252F%252F)", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\$?\{[^{}/]{0,60}\}|%7B[\w-]{1,40}%7D|\[[a-z]{1,20}\]", re.IGNORECASE)
_TILE = re.compile(
    r"\$?\{-?(?:z|x|y|q|quadkey|level|col|row|tilematrix|tilecol|tilerow)\}|%7B[zxy]%7D|\[[zxy]\]", re.IGNORECASE
)
_ZXY = re.compile(rf"(?:/|=|-){HOLE}/{HOLE}/{HOLE}(?:@\dx)?(?:\.\w{{3,4}})?$|/{HOLE}_{HOLE}_{HOLE}")
_GRID = re.compile(
    r"^(?:epsg[:%\w]*|google\w*|web_?mercator\w*|g|pm|default028mm|globalgeodetic|inspirecrs84quad|nativetile\w*|"
    r"\w*(?:matrixset|compatible|3857|900913|4326|_level\d+)\w*|\d{4,6}|wgs84|\d+m|\d+km|swissimage|rd|utm\d*)$",
    re.IGNORECASE,
)
_STYLE = re.compile(r"^(?:default|normal|_null|null|raster|grey|gray|\d{4}(?:-\d\d){0,2}|current|\{.*)$", re.IGNORECASE)
# What a request adds that says nothing about where the service lives.
_REQUEST_ONLY = urls.OWS_PARAMS | words(
    "tiled cql_filter filter viewparams env format_options dpi map_resolution buffer sld sld_body angle "
    "palette opacity singletile callback jsoncallback jsonp outputformat _ rand random ts timestamp "
    "_olsalt tilesorigin legend_options rule scale strict slds nocache cache cachebuster t v typenames "
    "aliases propertyname resultformat typename storedquery_id postcode q layertitle label fontsize text "
    "ratio refresh transparency tilematrixset legend visible f json geometry geometrytype where outfields "
    "returngeometry outsr insr bboxsr imagesr size numcolorbands colorscalerange belowmincolor "
    "abovemaxcolor logscale day date datetime id featureid interpolations clip"
)
_NOWHERE = re.compile(
    r"^(?:www\.)?(?:w3\.org|opengis\.net|schemas\.\S+|example\.(?:com|org|net)|xmlns\.com|purl\.org|inspire\.ec\.europa\.eu|"
    r"json-schema\.org|docs\..*|developers?\..*|github\.com|wikipedia\.org|.*\.wikipedia\.org|localhost|127\.0\.0\.1|0\.0\.0\.0|"
    r"(?:your|my)[-_.]?(?:server|host|domain).*|ogc\.org|opengeospatial\.org|geoserver\.org|mapserver\.org|qgis\.org|osgeo\.org|"
    r"(?:forum|wiki|blog|support|faq|help)\..*|openlayers\.org|leafletjs\.com|cesium\.com|doc\..*)$",
    re.IGNORECASE,
)
_PRIVATE = re.compile(r"(?:10|127)\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+")
# Parameters of lists in other programs, and those of OGC requests.
_LISTED = re.compile(r"(?:^|&)(?:limit|page|page_size|offset|q|sort|status)=", re.IGNORECASE)
_ASKS = re.compile(r"(?:^|&)(?:request|version|layers?|type_?names?|bbox)=", re.IGNORECASE)
_WEBSPHERE = re.compile(r"/wps/(?:my)?portal\b", re.IGNORECASE)  # a portal of IBM's, no processing service
_NO_ENDING = re.compile(
    r"status|news|info|help|docs?|manual|list|config|viewer|client|demo|about|page|tutorial|examples?|legend",
    re.IGNORECASE,
)
_SLUG = re.compile(r"(?:^|-)(?:how|to|the|of|with|and|about|for|using|use|add|our|your|what|why)-", re.IGNORECASE)
_ACTION = re.compile(
    r"(?:log-?in|log-?out|sign-?in|sign-?up|auth\w*|admin|register|account|index|home|search|contact|faq|orders?|stock|run|sync|jobs?|tasks?|health|ping)"
    r"(?:\.\w{2,5})?$",
    re.IGNORECASE,
)
_SEGMENT = re.compile(r"(wmts|wms|wfs|wcs|csw|wps)(?:[-_][\w-]{1,30})?()", re.IGNORECASE)
_PROSE = re.compile(
    r"news|docs?|documentation|manual|help|tutorials?|about|blog|wiki|standards?|specs?|guide|faq|learn|tags?|"
    r"wp-content|wp-includes|node_modules|categor(?:y|ies)|posts?|articles?|glossary|questions",
    re.IGNORECASE,
)
# Addresses of newer kinds: what follows the service in them, and the kind.
_RESOURCES = (
    (
        re.compile(r"^(https?://[^?#]*?)/collections/[^/?#]+/items(?:\.\w{2,8})?(?:/[^/?#]*)?$", re.IGNORECASE),
        "ogcapi-features",
    ),
    (
        re.compile(
            r"^(https?://[^?#]*?)/collections/[^/?#]+/(?:styles/[^/?#]+/)?(?:map/)?tiles(?:/[^?#]*)?$", re.IGNORECASE
        ),
        "ogcapi-tiles",
    ),
    (re.compile(r"^(https?://[^?#]*?)/collections/[^/?#]+/(?:styles/[^/?#]+/)?map$", re.IGNORECASE), "ogcapi-maps"),
    (re.compile(r"^(https?://[^?#]*?)/collections/[^/?#]+/coverage(?:/[^?#]*)?$", re.IGNORECASE), "ogcapi-coverages"),
    (
        re.compile(
            r"^(https?://[^?#]*?)/collections/[^/?#]+/(?:position|radius|area|cube|trajectory|corridor|locations)(?:/[^?#]*)?$",
            re.IGNORECASE,
        ),
        "ogcapi-edr",
    ),
    (re.compile(r"^(https?://[^?#]*?)/processes/[^/?#]+/(?:execution|jobs)$", re.IGNORECASE), "ogcapi-processes"),
    (
        re.compile(r"^(https?://[^?#]*?/v1\.[01])/(?:Things|Datastreams|Locations|Observations|Sensors)\b[^?#]*$"),
        "sensorthings",
    ),
    (re.compile(r"^(https?://[^?#]*stac[^?#]*?)/(?:search|collections)(?:/[^?#]*)?$", re.IGNORECASE), "stac-api"),
)
_PAGE = re.compile(
    r"\.(?:html?|js|mjs|css|png|jpe?g|gif|svg|ico|woff2?|ttf|pdf|txt|md|xsd|zip|doc|docx|ts|vue|jsx)$", re.IGNORECASE
)
_DATA = re.compile(r"\.(?:geojson|json|kml|kmz|gpx|csv|topojson|shp|gml|pbf|mvt|tif|xml)$", re.IGNORECASE)
_CAPABILITIES = re.compile(r"capabilit\w*\.xml$", re.IGNORECASE)
_WMTS_FILE = re.compile(r"(?:/1\.0\.0)?/WMTSCapabilities(?:\.xml)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """A service address taken out of a string; `is_sure` if the address itself says what it is."""

    url: str
    endpoint: str
    kind: str | None
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Unclear:
    """An address with a part that only the running page knows."""

    text: str


def kind_of_name(name: str) -> str | None:
    """The kind that a name speaks of: WMSLayer, wms_url, addWfs."""
    found = _CAMEL.search(name)
    return (found[1] or found[2] or found[3]).lower() if found else None


def kind_of_service(name: str) -> str | None:
    """The kind that the parameter SERVICE names."""
    return _NAMES.get(name.strip().lower().removeprefix("ogc:"))


def read(text: str, page_url: str, hint: str | None = None, subdomains: str = "") -> Address | Unclear | None:
    """The service behind a string; None if it is none."""
    text = text.strip().strip("'\"").replace("&amp;", "&")
    if "<" in text and (shown := _SHOWN.search(text)):  # markup with a picture or frame of the service
        text = shown[1].replace("&amp;", "&")
    if not 3 <= len(text) <= 4000 or "<" in text or "\n" in text or text.startswith(("data:", "blob:", "mailto:", "#")):
        return None
    if text.count("*") > 1 and "http" in text:  # Mapea writes a layer as WMTS*name*address*layer
        hint = kind_of_name(text.partition("*")[0]) or hint
        text = next((p for p in text.split("*") if p.startswith("http")), text)
    text = _unproxied(text)
    if any(c.isspace() for c in text.partition("?")[0]):
        return None
    text = _SUBDOMAIN.sub(lambda m: m[1] or m[2] or subdomains or "a", text)
    text = re.sub(rf"^((?:https?:)?//){HOLE}(?=\.)", lambda m: m[1] + (subdomains or HOLE), text)
    return _placed(text, page_url, hint)


def _unproxied(text: str) -> str:
    """The inner address of a proxied one; an OGC request that merely names another address stays."""
    found = list(_INNER.finditer(text))
    outer_at = 0 if found and found[0].start() == 0 else -1
    inner = found[1:] if outer_at == 0 else found
    if not inner:
        return text
    at = inner[0].start()
    before = text[:at]
    if kind_in_query(before) or (_WORD.search(_path(before)) and "url=" not in before.lower()):
        return text
    if before[-1:] not in ("=", "/", "?", HOLE, "}"):
        return text
    rest = text[at:]
    if "%3a" in rest[:12].lower() or "%253a" in rest[:14].lower():
        rest = rest.partition("&")[0]
        rest = unquote(unquote(rest)) if "%253a" in rest[:14].lower() else unquote(rest)
    return rest


def _path(text: str) -> str:
    return text.partition("?")[0].partition("://")[2].partition("/")[2]


def kind_in_query(text: str) -> str | None:
    """The kind that the parameters of a request name."""
    query = text.partition("?")[2].lower() or (text.lower() if "=" in text else "")
    if "%3d" in query:
        query = unquote(query)
    for name in ("service", "request"):
        found = re.search(rf"(?:^|[?&;{HOLE}]){name}=(?:ogc:)?([a-z-]+)", query)
        if found and found[1] in _NAMES:
            return _NAMES[found[1]]
    return None


def _placed(text: str, page_url: str, hint: str | None) -> Address | Unclear | None:
    base, mark, query = text.partition("?")
    if not mark and "&" in base:
        base, _, query = base.partition("&")
    asked = kind_in_query(text)
    if asked and "/api/" in base and _LISTED.search(query) and not _ASKS.search(query):
        return None
    if re.match(rf"(?:https?:)?//[^/]*{HOLE}", base) or base.startswith(HOLE) or not base:
        return Unclear(text) if (hint or asked or _WORD.search(text)) else None
    if re.match(r"(?:https?:)?//[^/]*[{}$\[]", base):
        return Unclear(text) if hint or asked else None
    if not _is_address(base, hint or asked) or _WEBSPHERE.search(base):
        return None
    resource = _resource(base, page_url) if "/collections/" in base else None
    if resource is not None:
        return resource
    if _TILE.search(base) or _ZXY.search(base):
        return _tiled(base, query, page_url, hint)
    if HOLE in base or _PLACEHOLDER.search(base):
        at = min(
            i for i in (base.find(HOLE), base.find("{"), base.find("["), base.find("$"), base.find("%7B")) if i >= 0
        )
        known = base[:at]
        if "wmts" in known.lower() and (hint in (None, "wmts")):
            return _tiled(base, query, page_url, hint)
        if not (_last_kind(known) or _GENERIC.search(known)):
            return Unclear(text) if hint or asked or _WORD.search(base) else None
        base = known
    return _finished(base, query, page_url, asked, hint)


def _is_address(base: str, hint: str | None) -> bool:
    if base.startswith(("http://", "https://", "//", "/", "./", "../")):
        return True
    if hint is None:
        return bool(re.match(r"[\w.-]+/[\w./-]+$", base)) and bool(_last_kind(base))
    return bool(
        re.match(r"[\w~-][\w.~-]*(?:/[\w.~%:-]*)+$|[\w-]+\.(?:php|cgi|aspx?|ashx|exe|fcgi|jsp)$", base)
    ) or base in ("wms", "ows")


def _last_kind(base: str) -> str | None:
    """The kind that the end of a path names, or a part of it that only a version or a name follows: /wms/v1_0."""
    path = _path(base) if "://" in base or base.startswith("//") else base
    parts = [s for s in path.split("/") if s]
    if any(_PROSE.fullmatch(s) for s in parts):
        return None
    if parts and _SLUG.search(parts[-1]):
        return None
    found = _WORD.search(parts[-1]) if parts and not _NO_ENDING.search(parts[-1]) else None
    if not found and parts and not _ACTION.match(parts[-1]) and not _ARCGIS.match(base):
        found = next((m for s in parts[-3:-1] if (m := _SEGMENT.fullmatch(s))), None)
    return (found[1] or found[2]).lower() if found else None


def _tiled(base: str, query: str, page_url: str, hint: str | None) -> Address | Unclear | None:
    """Tiles by path: a RESTful WMTS where the path says so, otherwise plain tiles."""
    parts = base.split("/")
    at = next((i for i, p in enumerate(parts) if i > 2 and _WORD.fullmatch(p) and "wmts" in p.lower()), -1)
    if at < 0 and hint == "wmts":
        at = 2
    if at < 0 and (version := _rest_version(parts)):
        return _finished("/".join(parts[:version]), query, page_url, "wmts", None)
    if at < 0:
        url = urls.canonical(base.replace(HOLE, "{z}", 1).replace(HOLE, "{x}", 1).replace(HOLE, "{y}"), page_url)
        url = url.replace("%7B", "{").replace("%7D", "}") if url else ""
        return Address(url, url, "xyz", True) if url else None
    stop = next((i for i, p in enumerate(parts) if i > at and (HOLE in p or _PLACEHOLDER.search(p))), len(parts))
    kept = parts[at + 1 : stop]
    if "1.0.0" in kept:
        kept = kept[: kept.index("1.0.0")]
    elif stop < len(parts) and (_TILE.search(parts[stop]) or parts[stop] == HOLE):
        kept = _without_layer(kept)
    return _finished("/".join(parts[: at + 1] + kept), query, page_url, "wmts", None)


def _rest_version(parts: list[str]) -> int:
    """Where …/1.0.0/layer/style/grid/z/y/x names its version; 0 if it is no such path. TMS has no style and grid."""
    at = parts.index("1.0.0") if "1.0.0" in parts else 0
    stop = next((i for i, p in enumerate(parts) if i > at and (p == HOLE or _TILE.search(p))), 0)
    return at if at > 2 and stop - at > 3 and _GRID.match(parts[stop - 1]) else 0


def _without_layer(parts: list[str]) -> list[str]:
    """The path of a tile without tile matrix set, style, time and layer: what is left is the service's."""
    kept = list(parts)
    if kept and _GRID.match(kept[-1]):
        kept.pop()
        while len(kept) > 1 and _STYLE.match(kept[-1]):
            kept.pop()
        return kept[:-1]
    while len(kept) > 1 and _STYLE.match(kept[-1]):
        kept.pop()
    return kept[:-1]


def _finished(base: str, query: str, page_url: str, asked: str | None, hint: str | None) -> Address | Unclear | None:
    url = urls.canonical(base, page_url)
    if url is None:
        return None
    host = (urlsplit(url).hostname or "").lower()
    own = (urlsplit(page_url).hostname or "").lower()
    if host != own and (_NOWHERE.match(host) or _PRIVATE.match(host)):
        return None
    if (resource := _resource(url, page_url)) is not None:
        return resource
    arcgis = _ARCGIS.match(url)
    if arcgis:
        return Address(_OPERATION.sub("", url), arcgis[1], f"arcgis-{arcgis[2].lower()}server", True)
    if _ARCGIS_OTHER.search(url) and not asked:
        return None
    url = _WMTS_FILE.sub("", url) if asked in (None, "wmts") else url
    if _WMTS_FILE.search(base):
        asked = "wmts"
    vendor = _vendor(query)
    if vendor is None:
        return Unclear(f"{base}?{query}")
    kind, is_sure = _kind(url, vendor, asked, hint)
    if (kind != "tilejson" and _is_file(url, asked, bool(vendor))) or (kind is None and not is_sure):
        return None
    endpoint = f"{url}?{urls.encode_params(vendor)}" if vendor else url
    return Address(f"{url}?{query.replace(HOLE, '')}" if query else url, endpoint, kind, is_sure)


def _resource(base: str, page_url: str) -> Address | None:
    """A resource below a newer kind of service, whose other parts may be placeholders."""
    url = urls.canonical(base, page_url) or ""
    for pattern, kind in _RESOURCES:
        found = pattern.match(url)
        if found and HOLE not in found[1] and "%EE%80%80" not in found[1] and "{" not in found[1]:
            return Address(url, found[1], kind, True)
    return None


def _is_file(url: str, asked: str | None, has_vendor: bool) -> bool:
    path = urlsplit(url).path
    if _PAGE.search(path):
        return True
    return bool(_DATA.search(path)) and not asked and not has_vendor and not _CAPABILITIES.search(path)


def _kind(url: str, vendor: list[tuple[str, str]], asked: str | None, hint: str | None) -> tuple[str | None, bool]:
    """The kind, and whether the address alone says that it is a service."""
    by_end = _last_kind(url)
    generic = bool(_GENERIC.search(urlsplit(url).path)) or any(k.lower() == "map" and "." in v for k, v in vendor)
    if asked:
        return asked, True
    if by_end and re.search(r"geocod|nominatim|gazet", url, re.IGNORECASE):
        by_end = None
    if hint:
        return hint, bool(by_end) or generic
    return by_end, bool(by_end) or generic


def _vendor(query: str) -> list[tuple[str, str]] | None:
    """The parameters that belong to the endpoint, sorted; None if one of them is not known."""
    kept: set[tuple[str, str]] = set()
    for part in query.split("&"):
        name, _, value = part.partition("=")
        name = name.lstrip("?").removeprefix("amp;")
        if not name or name.lower() in _REQUEST_ONLY or HOLE in name:
            continue
        if HOLE in value or _PLACEHOLDER.search(value):
            if name.lower() == "map":
                return None
            continue
        if not value and "=" not in part:
            continue
        kept.add((unquote(name), unquote(value)))
    return sorted(kept)
