"""From a string of a script to the endpoint of a service: placeholders, proxies, requests, kinds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from geohound import urls
from geohound.jsflow.values.domain import HOLE
from geohound.model.addresses import Clarity
from geohound.urls.address_book import AddressBook

from .model import words

_SUBDOMAIN = re.compile(
    r"\$?\{(?:s|sub-?_?domains?|switch:\s*+([^{},]++)[^{}]*+|([a-z0-9])-[a-z0-9])\}|\[sub-?_?domain\]|%7Bs%7D",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"<(?:img|iframe|image|object)\b[^<>]{0,200}?\b(?:src|data)\s*=\s*[\"']?([^\"'<>\s]{8,2000})",
    re.IGNORECASE,
)
_INNER = re.compile(r"https?(?:://|%3A%2F%2F|%253A%252F%252F)", re.IGNORECASE)
_MIRRORS = re.compile(r"(?<=\w),\s?(?=https?://)")  # hosts that show the same
_PLACEHOLDER = re.compile(
    r"\$?\{[^{}/]{0,60}\}|%7B[\w-]{1,40}%7D|\[[a-z]{1,20}\]", re.IGNORECASE
)
_TILE = re.compile(
    r"\$?\{-?(?:z|x|y|q|quadkey|level|col|row|tilematrix|tilecol|tilerow)\}|%7B[zxy]%7D|\[[zxy]\]",
    re.IGNORECASE,
)
_ZXY = re.compile(
    rf"(?:/|=|-){HOLE}/{HOLE}/{HOLE}(?:@\dx)?(?:\.\w{{3,4}})?$|/{HOLE}_{HOLE}_{HOLE}"
)
_GRID = re.compile(
    r"^(?:epsg[:%\w]*|google\w*|web_?mercator\w*|g|pm|default028mm|globalgeodetic|inspirecrs84quad|nativetile\w*|"
    r"\w*(?:matrixset|compatible|3857|900913|4326|_level\d+)\w*|\d{4,6}|wgs84|\d+m|\d+km|swissimage|rd|utm\d*)$",
    re.IGNORECASE,
)
_STYLE = re.compile(
    r"^(?:default|normal|_null|null|raster|grey|gray|\d{4}(?:-\d\d){0,2}|current|\{.*)$",
    re.IGNORECASE,
)
_FROM_LAYER = 6  # steps of a tile's path: layer, style, grid, level, row, column
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
_PRIVATE = re.compile(
    r"(?:10|127)\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+"
)
# Parameters of lists in other programs, and those of OGC requests.
_LISTED = re.compile(
    r"(?:^|&)(?:limit|page|page_size|offset|q|sort|status)=", re.IGNORECASE
)
_ASKS = re.compile(
    r"(?:^|&)(?:request|version|layers?|type_?names?|bbox)=", re.IGNORECASE
)
_NO_ENDING = re.compile(
    r"status|news|info|help|docs?|manual|list|config|viewer|client|demo|about|page|tutorial|examples?|legend",
    re.IGNORECASE,
)
_SLUG = re.compile(
    r"(?:^|-)(?:how|to|the|of|with|and|about|for|using|use|add|our|your|what|why)-",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"(?:log-?in|log-?out|sign-?in|sign-?up|auth\w*|admin|register|account|index|home|search|contact|faq|orders?|stock|run|sync|jobs?|tasks?|health|ping)"
    r"(?:\.\w{2,5})?$",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"news|docs?|documentation|manual|help|tutorials?|about|blog|wiki|standards?|specs?|guide|faq|learn|tags?|"
    r"wp-content|wp-includes|node_modules|categor(?:y|ies)|posts?|articles?|glossary|questions",
    re.IGNORECASE,
)
_PAGE = re.compile(
    r"\.(?:html?|js|mjs|css|png|jpe?g|gif|svg|ico|woff2?|ttf|pdf|txt|md|xsd|zip|doc|docx|ts|vue|jsx)$",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"\.(?:geojson|json|kml|kmz|gpx|csv|topojson|shp|gml|pbf|mvt|tif|xml)$",
    re.IGNORECASE,
)
_MEDIA_TYPE = re.compile(
    r"(?:application|text|image|multipart|model|video|audio)/[\w.+*-]+\s*(?:;|,|$)",
    re.IGNORECASE,
)
_CAPABILITIES = re.compile(r"capabilit\w{0,40}\.xml$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """A service address taken out of a string; `is_sure` if the address itself says what it is."""

    url: str
    endpoint: str
    kind: str | None
    is_sure: bool
    is_template: bool = False  # of tiles, with blanks for their numbers


@dataclass(frozen=True, slots=True)
class Unclear:
    """An address with a part that only the running page knows."""

    text: str


def read(
    text: str,
    page_url: str,
    book: AddressBook,
    hint: str | None = None,
    subdomains: str = "",
) -> Address | Unclear | None:
    """The service behind a string; None if it is none."""
    text = text.strip().strip("'\"").replace("&amp;", "&")
    # markup with a picture or frame of the service
    if "<" in text and (shown := _SHOWN.search(text)):
        text = shown[1].replace("&amp;", "&")
    if _MEDIA_TYPE.match(text):
        return None
    if (
        not 3 <= len(text) <= 4000
        or "<" in text
        or "\n" in text
        or text.startswith(("data:", "blob:", "mailto:", "#"))
    ):
        return None
    # Mapea writes a layer as WMTS*name*address*layer
    if text.count("*") > 1 and "http" in text:
        hint = book.kind_of_name(text.partition("*")[0]) or hint
        text = next((p for p in text.split("*") if p.startswith("http")), text)
    text = _unproxied(_MIRRORS.split(text)[0], book)
    if any(c.isspace() for c in text.partition("?")[0]):
        return None
    text = _SUBDOMAIN.sub(lambda m: m[1] or m[2] or subdomains or "a", text)
    text = re.sub(
        rf"^((?:https?:)?//){HOLE}(?=\.)", lambda m: m[1] + (subdomains or HOLE), text
    )
    return _placed(text, page_url, book, hint)


def _unproxied(text: str, book: AddressBook) -> str:
    """The inner address of a proxied one; an OGC request that merely names another address stays."""
    found = list(_INNER.finditer(text))
    outer_at = 0 if found and found[0].start() == 0 else -1
    inner = found[1:] if outer_at == 0 else found
    if not inner:
        return text
    at = inner[0].start()
    before = text[:at]
    if book.kind_in_query(before) or (
        book.kind_of_word(_path(before)) and "url=" not in before.lower()
    ):
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


def _placed(
    text: str, page_url: str, book: AddressBook, hint: str | None
) -> Address | Unclear | None:
    base, mark, query = text.partition("?")
    if hint in book.file_kinds and not base.endswith(".json"):
        hint = None
    if not mark and "&" in base:
        base, _, query = base.partition("&")
    asked = book.kind_in_query(text)
    if asked and "/api/" in base and _LISTED.search(query) and not _ASKS.search(query):
        return None
    if (
        re.match(rf"(?:https?:)?//[^/]*{HOLE}", base)
        or base.startswith(HOLE)
        or not base
    ):
        return Unclear(text) if (hint or asked or book.kind_of_word(text)) else None
    if re.match(r"(?:https?:)?//[^/]*[{}$\[]", base):
        return Unclear(text) if hint or asked else None
    if not _is_address(base, book, hint or asked):
        return None
    resource = _resource(base, page_url, book) if book.may_have_blanks(base) else None
    if resource is not None:
        return resource
    if _TILE.search(base) or _ZXY.search(base):
        return _tiled(base, query, page_url, book, hint)
    if HOLE in base or _PLACEHOLDER.search(base):
        at = min(
            i
            for i in (
                base.find(HOLE),
                base.find("{"),
                base.find("["),
                base.find("$"),
                base.find("%7B"),
            )
            if i >= 0
        )
        known = base[:at]
        tiled = next(
            (kind for name, kind in book.tile_paths.items() if name in known.lower()),
            None,
        )
        if tiled and hint in (None, tiled):
            return _tiled(base, query, page_url, book, hint)
        if not (_last_kind(known, book) or book.is_generic(known)):
            return Unclear(text) if hint or asked or book.kind_of_word(base) else None
        base = known
    return _finished(base, query, page_url, book, asked, hint)


def _is_address(base: str, book: AddressBook, hint: str | None) -> bool:
    if base.startswith(("http://", "https://", "//", "/", "./", "../")):
        return True
    if hint is None:
        return bool(re.match(r"[\w.-]+/[\w./-]+$", base)) and bool(
            _last_kind(base, book)
        )
    return bool(
        re.match(
            r"[\w~-][\w.~-]*(?:/[\w.~%:-]*)+$|[\w-]+\.(?:php|cgi|aspx?|ashx|exe|fcgi|jsp)$",
            base,
        )
    ) or base in book.names(Clarity.ANYWHERE, Clarity.FAMILY)


def _last_kind(base: str, book: AddressBook) -> str | None:
    """The kind that the end of a path names, or a part of it that only a version or a name follows: /wms/v1_0."""
    path = _path(base) if "://" in base or base.startswith("//") else base
    parts = [s for s in path.split("/") if s]
    if not parts or any(_PROSE.fullmatch(s) for s in parts) or _SLUG.search(parts[-1]):
        return None
    kind = book.kind_of_word(parts[-1]) if not _NO_ENDING.search(parts[-1]) else None
    if kind and "api" in parts and not parts[-1].isalpha():
        return None  # a record of another program
    if kind or _ACTION.match(parts[-1]) or "api" in parts or book.resource(base):
        return kind
    return next(filter(None, map(book.kind_of_segment, parts[-3:-1])), None)


def _tiled(
    base: str, query: str, page_url: str, book: AddressBook, hint: str | None
) -> Address | Unclear | None:
    """Tiles by path: of a service where the path or its surroundings say so, otherwise plain tiles."""
    parts = base.split("/")
    at, kind = _service_of_tiles(parts, book, hint)
    if kind is None:
        return _template(base, page_url, book)
    stop = next(
        (
            i
            for i, p in enumerate(parts)
            if i > at and (HOLE in p or _PLACEHOLDER.search(p))
        ),
        len(parts),
    )
    kept = parts[at + 1 : stop]
    if "1.0.0" in kept:
        kept = kept[: kept.index("1.0.0")]
    elif 0 < len(parts) - stop < _FROM_LAYER and (
        _TILE.search(parts[stop]) or parts[stop].lower() in (HOLE, "{tilematrixset}")
    ):
        kept = _without_layer(kept)
    return _finished(
        "/".join(parts[: at + 1] + kept), query, page_url, book, kind, None
    )


def _service_of_tiles(
    parts: list[str], book: AddressBook, hint: str | None
) -> tuple[int, str | None]:
    """Where the path of a tile names its service, and the kind of that: by its name, its hint or its version."""
    for i, part in enumerate(parts[3:], 3):
        if kind := book.tile_paths.get(part.lower().removesuffix("server")):
            return i, kind
    if hint in book.tile_paths.values():
        return 2, hint
    version = _rest_version(parts)
    return (
        (version - 1, next(iter(book.tile_paths.values()), None))
        if version
        else (-1, None)
    )


def _template(base: str, page_url: str, book: AddressBook) -> Address | None:
    url = urls.canonical(
        base.replace(HOLE, "{z}", 1).replace(HOLE, "{x}", 1).replace(HOLE, "{y}"),
        page_url,
    )
    if not url or not book.templates:
        return None
    url = url.replace("%7B", "{").replace("%7D", "}")
    return Address(url, url, book.templates[0], is_sure=True, is_template=True)


def _rest_version(parts: list[str]) -> int:
    """Where …/1.0.0/layer/style/grid/z/y/x names its version; 0 if it is no such path. TMS has no style and grid."""
    at = parts.index("1.0.0") if "1.0.0" in parts else 0
    stop = next(
        (i for i, p in enumerate(parts) if i > at and (p == HOLE or _TILE.search(p))), 0
    )
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


def _finished(
    base: str,
    query: str,
    page_url: str,
    book: AddressBook,
    asked: str | None,
    hint: str | None,
) -> Address | Unclear | None:
    url = urls.canonical(base, page_url)
    if url is None or _is_nowhere(url, page_url):
        return None
    resource = _resource(base, page_url, book)
    if resource is not None:
        return resource
    if not asked and book.is_no_service(url):
        return None
    for kind, document in book.documents.items():
        if document.search(base):
            url = document.sub("", url) if asked in (None, kind) else url
            asked = kind
    vendor = _vendor(query)
    if vendor is None:
        return Unclear(f"{base}?{query}")
    final_kind, is_sure = _kind(url, vendor, book, asked, hint)
    if (final_kind not in book.file_kinds and _is_file(url, asked, bool(vendor))) or (
        final_kind is None and not is_sure
    ):
        return None
    endpoint = f"{url}?{urls.encode_params(vendor)}" if vendor else url
    return Address(
        f"{url}?{query.replace(HOLE, '')}" if query else url,
        endpoint,
        final_kind,
        is_sure,
    )


def _is_nowhere(url: str, page_url: str) -> bool:
    """A host that only examples and manuals name, or that nobody but the page's own network reaches."""
    host = (urlsplit(url).hostname or "").lower()
    own = (urlsplit(page_url).hostname or "").lower()
    return host != own and bool(_NOWHERE.match(host) or _PRIVATE.match(host))


def _resource(base: str, page_url: str, book: AddressBook) -> Address | None:
    """What an address below a service says, whose other parts may be placeholders."""
    url = urls.canonical(base, page_url) or ""
    found = book.resource(url)
    if found is None or _has_blanks(found.service) or _is_nowhere(url, page_url):
        return None
    asked = found.service if _has_blanks(found.url) else found.url
    return Address(asked, found.service, found.kind, is_sure=True)


def _has_blanks(url: str) -> bool:
    return any(blank in url for blank in (HOLE, "%EE%80%80", "{", "%7B"))


def _is_file(url: str, asked: str | None, has_vendor: bool) -> bool:
    path = urlsplit(url).path
    if _PAGE.search(path):
        return True
    return (
        bool(_DATA.search(path))
        and not asked
        and not has_vendor
        and not _CAPABILITIES.search(path)
    )


def _kind(
    url: str,
    vendor: list[tuple[str, str]],
    book: AddressBook,
    asked: str | None,
    hint: str | None,
) -> tuple[str | None, bool]:
    """The kind, and whether the address alone says that it is a service."""
    if asked:
        return asked, True
    by_end = _last_kind(url, book)
    is_generic = book.is_generic(urlsplit(url).path) or any(
        k.lower() == "map" and "." in v for k, v in vendor
    )
    if by_end and re.search(r"geocod|nominatim|gazet", url, re.IGNORECASE):
        by_end = None
    return hint or by_end, bool(by_end) or is_generic


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
