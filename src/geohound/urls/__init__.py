"""URLs: one canonical form, the endpoint behind a request, URLs inside URLs, marks of traps and media."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote

import ada_url

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

# Parameters of an OWS request itself. What is left (map=, token=, workspace …) belongs to the endpoint.
_OWS_NAMES = (
    "service request version acceptversions wmtver sections updatesequence acceptformats outputformat "
    "outputschema layers layer styles style bbox width height format transparent srs crs bgcolor "
    "exceptions time elevation typename typenames maxfeatures count featureid resulttype coverage "
    "coverageid coverageids identifier tilematrixset tilematrix tilerow tilecol x y i j info_format "
    "query_layers feature_count subset elementsetname constraint constraintlanguage "
    "constraint_language_version namespace propertyname srsname startindex sortby resultsetid "
    "startposition maxrecords procedure offering observedproperty query"
)
OWS_PARAMS = frozenset(_OWS_NAMES.split())
_SESSION_NAMES = r"phpsessid|jsessionid|sid|sessid|session_?id|aspsessionid\w*|cfid|cftoken|zenid|utm_\w+|fbclid|gclid"
_SESSION_PARAMS = re.compile(rf"(?:{_SESSION_NAMES})$", re.IGNORECASE)
_PATH_SESSION = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/?#;]*", re.IGNORECASE)
_NEEDS_CARE = re.compile(r"[#@;%]|\.(?:[:/]|$)")
_QUERY_NEEDS_CARE = re.compile(
    rf"&(?:&|$|amp;|(?:{_SESSION_NAMES})(?:=|&|$))", re.IGNORECASE
)
_AMP = re.compile(r"(?:amp;)+", re.IGNORECASE)
# Not after a stray % or %4: what decoding leaves there would read as another triplet ("%%341", "%4%31").
_TRIPLET = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%[0-9A-Fa-f]{2}")
_PORT = re.compile(r":\d+$")
_UNRESERVED = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)

_MEDIA_NAMES = (
    "png jpg jpeg jpe gif webp avif bmp ico svg tif tiff jp2 ecw sid psd ai eps heic "
    "mp3 mp4 m4a m4v ogg oga ogv wav flac aac avi mov mkv webm mpg mpeg wmv flv swf mid "
    "zip gz tgz bz2 xz 7z rar tar lz4 zst jar war iso dmg exe msi deb rpm apk bin dll pkg "
    "woff woff2 ttf otf eot css map less scss "
    "pdf ps doc docx xls xlsx ppt pptx odt ods odp rtf epub mobi djvu dwg dxf "
    "shp shx dbf prj gpkg mdb accdb sqlite parquet fgb las laz e00 hdf hdf5 h5 he5 nc nc4 cdf "
    "grb grib grb2 grib2 ics vcf torrent bib ris"
)
_MEDIA_TYPES = frozenset(_MEDIA_NAMES.split())
_TILE_PATH = re.compile(
    r"/(\d{1,2})/(\d{1,8})/(-?\d{1,8})(?:@\dx)?\.(?:png|jpe?g|webp|avif)$",
    re.IGNORECASE,
)
# A data file under these paths is the root of a protocol (.dds, .das and .html hang below it), no download.
_DATA_ACCESS = re.compile(r"/(?:dodsc|opendap|dap4?|erddap)/", re.IGNORECASE)
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_.~,:/;@*()!$-]*")  # as encode_params keeps it
_NUMBER = re.compile(r"\d+")
# the digits of %E2%82 are no id
_NUMBER_NOT_ESCAPED = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])\d+")
# What is left of a hash, a UUID or a token once its digits are gone: short letters between many numbers.
_MIXED = re.compile(r"[A-Za-z]{0,8}(?:#[A-Za-z-]{0,9}){3,}")


class ServiceHint(StrEnum):
    """What a URL alone says about being an OGC request (OSS-7)."""

    CERTAIN = "certain"
    UNCERTAIN = "uncertain"
    NO = "no"


def canonical(url: str, base: str = "") -> str | None:
    """The one spelling under which a web address is kept; None if it is not a web address.

    Parsed by the URL standard's rules, so that guard, client and frontier never disagree about the host. Of
    the ten normalisations of OSS-8 it does those that cannot change what is asked for: case of scheme and
    host, percent-encoding, no anchor, absolute form, no default port, dot segments. Links inside parameters,
    repeated slashes, a second question mark and the order of parameters mean something to some server:
    `urls.ogc.normalise_oss` does those too (decision 27 has them all).
    """
    try:
        href = (
            ada_url.join_url(base, url.strip())
            if base
            else ada_url.normalize_url(url.strip())
        )
    except ValueError:
        return None
    if not href.startswith(("http://", "https://")):
        return None
    if _NEEDS_CARE.search(href, 8):
        return _tidy(href)
    query_at = href.find("?") + 1
    return (
        _tidy(href)
        if query_at and _QUERY_NEEDS_CARE.search("&" + href[query_at:])
        else href
    )


def folder(url: str) -> str:
    """The folder in which a page stands: relative addresses without a query mean the same on all its pages."""
    return url[: url.partition("?")[0].rfind("/") + 1] or url


def _tidy(href: str) -> str | None:
    """Take credentials, anchor, sessions, a dot after the host and needless encoding off an address."""
    href = href.partition("#")[0]
    if "%" in href:
        href = _TRIPLET.sub(_settle_triplet, href)
    before, mark, query = href.partition("?")
    scheme, _, rest = before.partition("://")
    authority, _, path = rest.partition("/")
    bare = authority.rpartition("@")[2]
    if "." in bare and (bare.endswith(".") or ".:" in bare):
        name, colon, port = bare.partition(":")
        bare = name.rstrip(".") + colon + port
        if not bare.strip(":0123456789"):
            return None
    path_kept = _PATH_SESSION.sub("", path) if ";" in path else path
    if query and _QUERY_NEEDS_CARE.search("&" + query):
        query = _clean_query(query)
    clean = f"{scheme}://{bare}/{path_kept}{mark if query else ''}{query}"
    if bare != authority or path_kept != path:
        # What is left may read differently (a host of digits, a new dot segment): parse it again.
        return canonical(clean)
    return clean


def _settle_triplet(found: re.Match[str]) -> str:
    triplet = found[0]
    char = chr(int(triplet[1:], 16))
    return char if char in _UNRESERVED else triplet.upper()


def _clean_query(query: str) -> str:
    """Session and tracking parameters, empty parts and stray `amp;` removed; order and values kept."""
    parts = (
        _AMP.sub("", p, count=1) if p[:4].lower() == "amp;" else p
        for p in query.split("&")
    )
    return "&".join(
        p for p in parts if p and not _SESSION_PARAMS.match(p.partition("=")[0])
    )


@lru_cache(maxsize=65536)
def host(url: str) -> str:
    """Host name (and port where it is not the default) of a canonical URL."""
    try:
        return str(ada_url.URL(url).host)
    except ValueError:
        return ""


def origin(url: str) -> str:
    """Scheme, host and port of a URL, in lower case."""
    return "/".join(url.split("/", 3)[:3]).lower()


def params(url: str) -> list[tuple[str, str]]:
    """The query as pairs, in order, decoded."""
    query = url.partition("#")[0].partition("?")[2]
    return (
        parse_qsl(query, keep_blank_values=True, max_num_fields=None, separator="&")
        if query
        else []
    )


def params_lower(url: str) -> dict[str, str]:
    """The query with lower-case names, as OGC services read it; the first of equal names wins."""
    found: dict[str, str] = {}
    for key, value in params(url):
        found.setdefault(key.lower(), value)
    return found


def with_params(url: str, wanted: Mapping[str, str]) -> str:
    """The URL with these parameters set, whatever the case in which they stood before; all others kept."""
    drop = {k.lower() for k in wanted}
    base = url.partition("#")[0].partition("?")[0]
    kept = [(k, v) for k, v in params(url) if k.lower() not in drop]
    query = encode_params([*kept, *wanted.items()])
    return f"{base}?{query}" if query else base


def encode_params(pairs: Iterable[tuple[str, str]]) -> str:
    """Pairs as a query; what servers expect to read plain (`:`, `/`, `,`) stays plain."""
    return "&".join(f"{_encoded_name(k)}={_encoded_value(v)}" for k, v in pairs)


def _encoded_name(text: str) -> str:
    """Most are plain, and a page of results has hundreds."""
    if text.isascii() and text.isalnum():
        return text
    return quote(text, safe="", errors="replace")


def _encoded_value(text: str) -> str:
    if _PLAIN_VALUE.fullmatch(text):
        return text
    return quote(text, safe=",:/;@*()!$", errors="replace")


def endpoint(url: str) -> str:
    """The address of the service behind a request: vendor parameters (map=) kept and sorted, others off."""
    base, _, query = url.partition("#")[0].partition("?")
    if not query:
        return base
    kept = sorted(
        {(k, v) for k, v in params(url) if k.lower() not in OWS_PARAMS and (k or v)}
    )
    return f"{base}?{encode_params(kept)}" if kept else base


def without_format(url: str) -> str:
    """The address without the parameter by which ArcGIS and OGC APIs are asked for a format (f=json)."""
    base, mark, query = url.partition("#")[0].partition("?")
    if "f=" not in query.lower():
        return url
    kept = [pair for pair in query.split("&") if not pair.lower().startswith("f=")]
    return f"{base}{mark}{'&'.join(kept)}" if kept else base


def embedded(url: str) -> list[str]:
    """Web addresses carried inside a parameter of another (proxies, viewers), once decoded."""
    query = url.partition("#")[0].partition("?")[2]
    if _is_web_address(query) or _is_web_address(unquote(query)):
        # The proxy pages of map clients take the whole query as the address: proxy.php?http://…
        inner = query if _is_web_address(query) else unquote(query)
        return [clean] if (clean := canonical(inner)) else []
    found = []
    for _, value in params(url):
        for inner in (value, unquote(value)):
            if _is_web_address(inner):
                found += [clean] if (clean := canonical(inner)) else []
                break
    return found


def _is_web_address(text: str) -> bool:
    return text[:8].lower().startswith(("http://", "https://"))


def looks_like_media(url: str) -> bool:
    """True for file types that are never pages or services; a map tile by its z/x/y path is none of them."""
    path = url.partition("#")[0].partition("?")[0]
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    if dot < 0 or name[dot + 1 :].lower() not in _MEDIA_TYPES or path.count("/") < 3:
        return False
    return not is_tile_path(path) and not _DATA_ACCESS.search(path)


def is_web_page(url: str) -> bool:
    """Does its name end as that of an HTML page, outside data servers, whose pages stand for data sets?"""
    path = url.partition("#")[0].partition("?")[0]
    ending = path[path.rfind("/") + 1 :].rpartition(".")[2].lower()
    return ending in ("html", "htm", "xhtml", "shtml") and not is_data_access(url)


def is_data_access(url: str) -> bool:
    """Is it below the path of a data server, whose files are the roots of a protocol?"""
    return _DATA_ACCESS.search(url.partition("?")[0]) is not None


def is_tile_path(path: str) -> bool:
    """Does this path end in the numbers of a tile that exists: zoom, column, row?"""
    found = _TILE_PATH.search(path)
    if not found:
        return False
    zoom, column, row = int(found[1]), int(found[2]), int(found[3])
    return zoom <= 24 and column < 2**zoom and 0 <= row < 2**zoom


def shape(url: str) -> str:
    """Host, path with numbers and ids as `#`, sorted parameter names: what pages of one generator share."""
    address, _, query = url.partition("#")[0].partition("?")
    scheme_end = address.find("//") + 2
    path_start = address.find("/", scheme_end)
    if path_start < 0:
        path_start = len(address)
    host = address[scheme_end:path_start]
    path = _without_ids(address[path_start:])
    return f"{host}{path}?{_names(query)}" if query else host + path


def _without_ids(text: str) -> str:
    numbers = _NUMBER_NOT_ESCAPED if "%" in text else _NUMBER
    text = numbers.sub("#", text)
    return _MIXED.sub("#", text) if text.count("#") > 2 else text


def _names(query: str) -> str:
    given = {part.partition("=")[0].lower() for part in query.split("&") if part}
    names = "&".join(sorted(given))
    if not _NUMBER.search(names):
        return names
    return "&".join(sorted({_without_ids(name) for name in given}))


def repeats_path(url: str) -> bool:
    """True if a run of segments stands three times in a row (a/b/a/b/a/b), as relative links in a loop do."""
    path = url.partition("#")[0].partition("?")[0].partition("://")[2]
    # A path of thousands of segments is a trap whatever it says; the cap keeps the search short.
    parts = [p for p in path.split("/")[1:] if p][:120]
    if len(set(parts)) > len(parts) - 2:  # what stands three times leaves two fewer
        return False
    for size in range(1, len(parts) // 3 + 1):
        run = 0
        for i in range(size, len(parts)):
            run = run + 1 if parts[i] == parts[i - size] else 0
            if run >= 2 * size and not all(
                p.isdecimal() for p in parts[i - size + 1 : i + 1]
            ):
                return True
    return False


@cache
def _suffixes() -> PublicSuffixList:
    # The list that comes with the package: no download, no cache folder; tenants of github.io are sites.
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 - most commands never ask

    return PublicSuffixList()


@lru_cache(maxsize=65536)
def site(url: str) -> str:
    """The registered domain of a URL; an address of digits, or a name that has none, stands for itself."""
    name = _PORT.sub("", host(url))
    try:
        return str(ipaddress.ip_address(name.strip("[]")))
    except ValueError:
        return _suffixes().privatesuffix(name) or name


def top_level_domain(url: str) -> str:
    """The last part of the host's name; empty for an address of digits."""
    name = _PORT.sub("", host(url)).rstrip(".")
    last = name.rpartition(".")[2]
    return "" if last.isdigit() or last.startswith("[") else last


def country(url: str) -> str:
    """ISO code of the country of the top-level domain; empty for .org and the like, and for an address of digits."""
    last = top_level_domain(url)
    if len(last) != 2 or not last.isalpha():
        return ""
    return {"uk": "GB", "eu": "EU"}.get(last, last.upper())
