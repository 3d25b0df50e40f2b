"""Which addresses may be contacted: asked of the URL first, of the address when a socket is opened."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import NamedTuple
from unicodedata import category, normalize

import ada_url

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address

WEB_PORTS = frozenset(
    {
        80,
        81,
        443,
        6080,
        6443,
        8000,
        8001,
        8008,
        8010,
        8080,
        8081,
        8082,
        8083,
        8084,
        8085,
        8088,
        8090,
        8181,
        8399,
        8443,
    }
    | {8888, 9080, 9090, 9443}
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
# Categories of characters that show nothing. What this Python does not know yet may be a letter of a later Unicode.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"})
_MAX_URL_CHARS = 8192

# `ipaddress.is_global` of Python 3.11 lets NAT64, 6to4, site-local and IPv4-compatible addresses through, so
# the lists are our own, after IANA's special-purpose registries.
_REFUSED_V4 = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "carrier-grade NAT",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "cloud metadata",  # a public address by number, Azure's host by use
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.88.99.0/24": "6to4 relay",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
}
# Only 2000::/3 is handed out as global unicast; these parts of it are not ordinary hosts either.
_GLOBAL_V6 = IPv6Network("2000::/3")
_REFUSED_V6 = {
    "2001::/23": "protocol assignments (Teredo, ORCHID, benchmarking)",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "3fff::/20": "documentation",
}
_V4_NETS = tuple((IPv4Network(net), name) for net, name in _REFUSED_V4.items())
_V6_NETS = tuple((IPv6Network(net), name) for net, name in _REFUSED_V6.items())


@lru_cache(maxsize=4096)
def special_use(address: Address) -> str | None:
    """What an address is reserved for; None if it is an ordinary one on the Internet."""
    if isinstance(address, IPv4Address):
        return next((name for net, name in _V4_NETS if address in net), None)
    if address not in _GLOBAL_V6:
        return "not global unicast"
    return next((name for net, name in _V6_NETS if address in net), None)


class Target(NamedTuple):
    """A web address taken apart once, by the URL standard's rules: guard and client see the same host."""

    url: str  # without fragment
    path: str  # with the query
    origin: str
    scheme: str
    hostname: str  # IPv6 in brackets
    port: int
    host: str  # name and, where it is not the usual one, port: whom politeness counts as one


# Addresses that the URL standard's parser would return as they are; nearly all that a crawl keeps. No user information,
# no port, no name in punycode or digits; the marks that could begin a dot segment are looked for apart.
_AS_IT_IS = re.compile(
    r"(https?://(?:[a-z0-9][a-z0-9_-]*\.)+[a-z]+)(/[\w~+,=:@&;!$()*./%-]*(?:\?[\w~+,=:@&;!$()*./%?-]*)?)",
    re.ASCII,
)


def _is_as_it_is(url: str) -> bool:
    return "/." not in url and "--" not in url and "/%2" not in url


def parse_target(url: str, base: str = "") -> Target | str:
    """The target behind a URL, or what is wrong with it."""
    if len(url) > _MAX_URL_CHARS:
        return "too long"
    plain = _AS_IT_IS.fullmatch(url)
    if plain is not None and _is_as_it_is(url):
        origin, path = plain.groups()
        href = url
    else:
        try:
            href = ada_url.join_url(base, url) if base else ada_url.normalize_url(url)
        except ValueError:
            return "not a URL"
        # In the form that ada-url writes, these marks can mean nothing else; asking it for each part costs more.
        href, _, _ = href.partition("#")
        if not href.startswith(("http://", "https://")):
            return f"scheme {href.partition(':')[0][:20]}"
        path_at = href.index("/", 8)
        origin, path = href[:path_at], href[path_at:]
    known = _read_origin(origin)
    return known if isinstance(known, str) else Target(href, path, origin, *known)


@lru_cache(maxsize=16384)
def _read_origin(origin: str) -> tuple[str, str, int, str] | str:
    """Scheme, host name, port and host of an origin as ada-url writes it, or what is wrong with it."""
    scheme, _, authority = origin.partition("://")
    if "@" in authority:
        return "user information in the URL"
    hostname, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        hostname, port = authority, ""
    if not hostname.strip("."):
        return "no host"
    if "xn--" in hostname and not all(map(_is_sound, hostname.split("."))):
        return "not a URL"
    return scheme, hostname, int(port or _DEFAULT_PORTS[scheme]), authority


def _is_sound(label: str) -> bool:
    """The URL standard refuses a label in punycode that means nothing, or nothing beyond ASCII; ada-url does not."""
    if not label.startswith("xn--"):
        return True
    try:
        meaning = label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError):  # ValueError: code points that do not exist
        return False
    # joiners stand in Persian and Indian names
    visible = meaning.replace("\u200c", "").replace("\u200d", "")
    is_seen = not any(category(char) in _UNSEEN for char in visible)
    if meaning.isascii() or not is_seen or normalize("NFC", meaning) != meaning:
        return False
    return meaning.encode("punycode").decode("ascii").lower() == label[4:]


@lru_cache(maxsize=16384)
def literal_address(hostname: str) -> Address | None:
    """The address, if the host is one; ada-url has already turned 0x7f.1 and 2130706433 into 127.0.0.1."""
    try:
        return ip_address(hostname.strip("[]").partition("%")[0].rstrip("."))
    except ValueError:
        return None


@dataclass(frozen=True)
class Guard:
    """The rule: ordinary Internet addresses on web ports, and whatever the operator opened."""

    allow_nets: tuple[Network, ...] = ()
    ports: frozenset[int] = field(default=WEB_PORTS)

    @classmethod
    def opening(cls, nets: Iterable[str], extra_ports: Iterable[int] = ()) -> Guard:
        """A guard with these nets (CIDR) open on any port, these ports open everywhere; ValueError if bad."""
        return cls(
            tuple(ip_network(net, strict=False) for net in nets),
            WEB_PORTS | frozenset(extra_ports),
        )

    def objection_to_address(self, host: str, port: int) -> str | None:
        """Why no connection to this numeric address may be opened; None if it may."""
        address = literal_address(host)
        if address is None:
            return f"not an address: {host[:60]}"
        if any(
            address in net for net in self.allow_nets if net.version == address.version
        ):
            return None
        use = special_use(address)
        if use:
            return f"{address} is {use}"
        return self._objection_to_port(port)

    def _objection_to_port(self, port: int) -> str | None:
        return (
            None
            if port in self.ports
            else f"port {port}, which the setting allow_ports can open"
        )

    def objection_to_host(self, hostname: str, port: int) -> str | None:
        """What can be refused before any name is looked up; the rest is refused when the socket is opened."""
        if literal_address(hostname) is not None:
            return self.objection_to_address(hostname, port)
        return None if self.allow_nets else self._objection_to_port(port)
