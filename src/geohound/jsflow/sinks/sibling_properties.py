"""What stands beside an address and belongs to it: subdomains, MapServer's map file, values for its placeholders."""

from __future__ import annotations

import re

from tree_sitter import Node

from geohound.jsflow import addresses
from geohound.jsflow.values.domain import Arr, BoundScope, Obj, Value
from geohound.jsflow.values.resolver import Resolver
from geohound.urls.address_book import AddressBook

from .finds import SinkValue
from .idioms import idioms_of

_MAPFILE = re.compile(r"\.(?:map|qgs|qgz)$|^/?[\w.-]*/[\w./-]+$", re.IGNORECASE)
HOSTS = ("host", "server", "base", "baseUrl", "baseURL", "domain")
_FILL = re.compile(r"\{(\w{3,40})\}")


def subdomain(ev: Resolver, holder: Obj) -> str:
    """The first of the subdomains in these options."""
    lazies = holder.fields.get("subdomains") or holder.fields.get("subDomains")
    given = ev.any_of(lazies)[0] if lazies else None
    if isinstance(given, Arr):
        given = ev.lazy(given.items[0])[0] if given.items else None
    elif isinstance(given, str):  # each letter is one
        given = given[:1]
    return given if isinstance(given, str) else ""


def mapfile(ev: Resolver, holder: Obj) -> str:
    """MapServer's `map`, where it stands among the parameters instead of in the address."""
    for table in (holder, *_nested(ev, holder)):
        given = [
            ev.any_of(table.fields[name])[0]
            for name in ("map", "MAP")
            if name in table.fields
        ]
        files = (v for v in given if isinstance(v, str) and _MAPFILE.search(v))
        if file := next(files, ""):
            return file
    return ""


def _nested(ev: Resolver, holder: Obj) -> list[Obj]:
    """The objects with parameters among these options."""
    values = (
        v
        for name in idioms_of(ev.book).nested
        if name in holder.fields
        for v in ev.any_of(holder.fields[name])
    )
    return [v for v in values if isinstance(v, Obj)]


def at(address: Value, file: str) -> Value:
    """The address with its map file."""
    if not file or not isinstance(address, str) or "map=" in address.lower():
        return address
    return f"{address}{'' if address.endswith(('?', '&')) else '&' if '?' in address else '?'}map={file}"


def below_host(ev: Resolver, holder: Obj) -> list[str] | None:
    """The addresses of an entry that writes host and path apart; none where the host is a mere name, None if it is not
    such an entry."""
    host = next((name for name in HOSTS if name in holder.fields), None)
    if host is None or "path" not in holder.fields:
        return None
    hosts = [text for text in _texts(ev, holder, host) if "://" in text[:8]]
    paths = _texts(ev, holder, "path")
    return [joined(h, p, ev.book) for h in hosts for p in paths]


def _texts(ev: Resolver, holder: Obj, key: str) -> list[str]:
    return [v for v in ev.any_of(holder.fields[key]) if isinstance(v, str)]


def joined(host: str, path: str, book: AddressBook) -> str:
    """The path below the host; what is called a path beside the address of a service is no part of it."""
    place = addresses.read(host, "http://page.invalid/", book)
    is_service = isinstance(place, addresses.Address) and place.is_sure
    return host if is_service else f"{host.rstrip('/')}/{path.lstrip('/')}"


def with_options(
    ev: Resolver, found: list[SinkValue], given: list[Obj]
) -> list[SinkValue]:
    """Addresses with the subdomain and the map file that options beside them give."""
    for options in given:
        part, file = subdomain(ev, options), mapfile(ev, options)
        found = [
            h._replace(value=at(h.value, file), subdomain=part or h.subdomain)
            for h in found
        ]
    return found


def options(node: Node) -> list[Node]:
    """Of a template in a call, the options given with it."""
    up = node.parent
    if (
        up is None
        or up.type != "arguments"
        or node.type not in ("string", "template_string", "binary_expression")
    ):
        return []
    return [
        c
        for c in up.named_children[1:3]
        if c.type in ("object", "identifier") and c.start_byte > node.start_byte
    ]


def filled(
    ev: Resolver, found: list[SinkValue], given: list[Node], place: BoundScope
) -> list[SinkValue]:
    """Templates with what the options beside them give: subdomains, and values for the other placeholders."""
    for value in (v for node in given for v in ev.values(node, place)):
        if isinstance(value, Obj):
            part = subdomain(ev, value)
            found = [
                h._replace(
                    value=_put(ev, h.value, value), subdomain=part or h.subdomain
                )
                for h in found
            ]
    return found


def _put(ev: Resolver, text: Value, given: Obj) -> Value:
    if not isinstance(text, str):
        return text

    def held(m: re.Match[str]) -> str:
        value = ev.any_of(given.fields[m[1]])[0] if m[1] in given.fields else None
        return value if isinstance(value, str) else m[0]

    return _FILL.sub(held, text)
