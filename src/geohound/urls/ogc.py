"""OGC requests by URL alone: is it invalid, are two the same (OSS-8, OSS-9)?"""

from __future__ import annotations

import ipaddress
import re
from enum import StrEnum
from urllib.parse import unquote_plus

import ada_url

from . import OWS_PARAMS, ServiceHint, embedded, encode_params
from .address_book import AddressBook

__all__ = [
    "InvalidUrl", "invalid_link", "invalid_reason", "is_reserved", "newer", "normalise_oss", "request_key",
    "same_but_for_www_or_version",
]  # fmt: skip


class InvalidUrl(StrEnum):
    """The six reasons for which the filter F drops a URL."""

    SCHEME = "neither http nor https"
    NO_QUESTION_MARK = "parameters without a question mark"
    ONLY_SCHEME = "nothing but a scheme"
    RESERVED_ADDRESS = "reserved IP address"
    PORT = "port out of range"
    CHARACTERS = "invalid characters"


_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_HOST_AND_PORT = re.compile(
    r"https?:[/\\]*(?:[^/\\?#@]*@)?(\[[^\]/]*\]|[^/\\?#:]*)(?::([^/\\?#]*))?",
    re.IGNORECASE,
)
# Only what no server ever gets. RFC 3986, which the paper follows, also forbids spaces, backslashes and
# letters beyond ASCII, yet browsers encode them by the URL standard, and false negatives cost services.
# Braces are unfilled templates.
_FOREIGN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f<>\"{}\ufffd]")
_PARAMS_IN_PATH = re.compile(r"&[^/&=?#]+=|/[^/&=?#]+=[^/&?#]*&")


def invalid_reason(url: str) -> InvalidUrl | None:
    """Why this URL can be no OGC request (filter F, OSS-8); None if nothing speaks against it."""
    url = url.strip()
    scheme = _SCHEME.match(url)
    if not scheme or scheme[1].lower() not in ("http", "https"):
        return InvalidUrl.SCHEME
    found = _HOST_AND_PORT.match(url)
    name, port = (found[1], found[2]) if found else ("", None)
    if not name:
        return InvalidUrl.ONLY_SCHEME
    if port and not (
        port.isascii() and port.isdigit() and int(port[:9]) <= 65535 and len(port) < 9
    ):
        return InvalidUrl.PORT
    if _FOREIGN.search(url):
        return InvalidUrl.CHARACTERS
    try:
        parsed = ada_url.parse_url(url, attributes=("hostname", "pathname", "search"))
    except ValueError:
        return InvalidUrl.CHARACTERS
    if is_reserved(parsed["hostname"]):
        return InvalidUrl.RESERVED_ADDRESS
    if not parsed["search"] and _PARAMS_IN_PATH.search(parsed["pathname"]):
        return InvalidUrl.NO_QUESTION_MARK
    return None


def is_reserved(name: str) -> bool:
    """Is this host the machine itself, or an address that leads nowhere on the Internet?"""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    if not (name.endswith("]") or name[-1:].isdigit()):
        return False
    try:
        address = ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    inner = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return not (inner or address).is_global or address.is_multicast


def invalid_link(href: str, address: str) -> InvalidUrl | None:
    """As `invalid_reason`, for a link as its page writes it and the absolute address that is meant."""
    if _SCHEME.match(href.strip()):
        return invalid_reason(href)
    return InvalidUrl.CHARACTERS if _FOREIGN.search(href) else invalid_reason(address)


_MANY_SLASHES = re.compile(r"/{2,}")


def normalise_oss(url: str, book: AddressBook) -> str:
    """The standard format of filter F, true to the paper: all ten normalisations, and the two for OGC.

    It loses information (a proxy's own address, empty path segments, the order of parameters), so only the order of
    the thesis asks in this form; `urls.canonical` is the form in which all others ask. An invalid URL comes back as
    it is.
    """
    text = url.strip()
    if "://" not in text[:12]:
        text = f"http://{text.lstrip('/')}"
    inside = embedded(text)
    try:
        href = ada_url.normalize_url(inside[0] if inside else text)
    except ValueError:
        return url
    before, _, query = href.partition("#")[0].partition("?")
    scheme, mark, rest = before.partition("://")
    if not mark:
        return url
    pairs = (
        _ogc_pairs(_split(query))
        if book.classify(href)[0] is not ServiceHint.NO
        else _split(query)
    )
    tail = encode_params(sorted(pairs, key=lambda pair: pair[0]))
    authority, _, path = rest.partition("/")
    path = _MANY_SLASHES.sub("/", "/" + encode_path(path))
    return f"{scheme}://{authority.rpartition('@')[2]}{path}{'?' if tail else ''}{tail}"


def encode_path(path: str) -> str:
    """Percent-encoding in one form: unreserved characters plain, hex digits in upper case."""
    return re.sub(r"%[0-9A-Fa-f]{2}", _settle, path)


def _settle(found: re.Match[str]) -> str:
    char = chr(int(found[0][1:], 16))
    return (
        char
        if char.isascii() and (char.isalnum() or char in "-._~")
        else found[0].upper()
    )


def _split(query: str) -> list[tuple[str, str]]:
    """Pairs of a query in which a second question mark stands for an ampersand (normalisation 9)."""
    parts = (p.removeprefix("amp;") for p in query.replace("?", "&").split("&"))
    return [
        (unquote_plus(k), unquote_plus(v))
        for k, _, v in (p.partition("=") for p in parts)
        if k
    ]


def _ogc_pairs(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of the OGC parameters only service and version, the request set to GetCapabilities; all others stay."""
    kept = []
    for key, value in pairs:
        name = key.lower()
        if name in ("service", "version"):
            kept.append((name, value.upper() if name == "service" else value))
        elif name not in OWS_PARAMS:
            kept.append((key, value))
    return [*dict.fromkeys(kept), ("request", "GetCapabilities")]


_WWW = re.compile(r"^(https?://)www\d?\.", re.IGNORECASE)
_VERSION = re.compile(r"(?<=[?&])version=[^&]*&?", re.IGNORECASE)


def request_key(url: str, book: AddressBook) -> str:
    """What R1 compares: the standard format without a leading www and without the version."""
    key = _WWW.sub(r"\1", normalise_oss(url, book), count=1)
    return _VERSION.sub("", key).rstrip("?&")


def same_but_for_www_or_version(a: str, b: str, book: AddressBook) -> bool:
    """R1: are these two the same request, but for a leading www or the version asked for?"""
    return a == b or request_key(a, book) == request_key(b, book)


def newer(a: str, b: str) -> str:
    """Of two URLs that R1 calls the same, the one to keep: the higher version, else the first."""
    return b if _version(b) > _version(a) else a


def _version(url: str) -> tuple[int, ...]:
    found = re.search(r"[?&]version=([\d.]{1,20})", url, re.IGNORECASE)
    return tuple(int(n) for n in found[1].split(".") if n) if found else ()
