"""The files that scripts of a page ask for, and what is in those that are there."""

from __future__ import annotations

import json
import re

from geohound import urls
from geohound.jsflow.syntax.source import Source
from geohound.jsflow.values.domain import (
    HOLE,
    NOTHING,
    FetchedFile,
    Value,
    Values,
    from_json,
)
from geohound.jsflow.values.resolver import Resolver

CONFIG = re.compile(
    r"\.(?:json|json5|jsonc|xml|yml|yaml|txt|cfg|conf)(?:$|[?#])", re.IGNORECASE
)
_DATA = re.compile(
    r"(?:licen[sc]e|readme|robots|changelog|humans)\w{0,40}\.txt|geojson|topojson|package\.json|manifest\.json|locale|i18n|/lang/|translat|tileset\.json",
    re.IGNORECASE,
)


def find(ev: Resolver, address: str) -> Source | None:
    """The script at an address, its ending given or not."""
    bare = address.partition("?")[0]
    for spelling in (
        address,
        bare,
        f"{bare}.js",
        f"{bare}/index.js",
        f"{bare}.mjs",
        f"{bare}.ts",
        f"{bare}.jsx",
    ):
        if spelling in ev.by_url:
            return ev.by_url[spelling]
    return None


def request(ev: Resolver, address: Value, *, is_config: bool = True) -> Values:
    """A request for a file; a configuration file that is not there yet is wanted."""
    if not isinstance(address, str):
        return NOTHING
    path, _, query = address.partition("?")
    address = path if HOLE in query else address  # a clock or a number against caches
    if HOLE in address or not address:
        return NOTHING
    full = urls.canonical(address, ev.base_url)
    if full is None:
        return NOTHING
    if (
        is_config
        and find(ev, full) is None
        and CONFIG.search(address)
        and not _DATA.search(address)
    ):
        ev.wanted.setdefault(full)
    return (FetchedFile(full),)


def contents(ev: Resolver, address: str) -> Values:
    """The JSON at an address, if the file was given."""
    there = find(ev, address)
    if there is None:
        return NOTHING
    key = ("json", there.index)
    if key not in ev.known:
        try:
            ev.known[key] = (from_json(json.loads(there.script.text)),)
        except (ValueError, RecursionError):
            ev.known[key] = NOTHING
    known = ev.known[key]
    return known if isinstance(known, tuple) else NOTHING


def settled(ev: Resolver, values: Values) -> Values:
    """What a promise or request hands on: an address becomes the answer to it."""
    found: list[Values] = []
    for value in values:
        if isinstance(value, str):
            found.append(request(ev, value) if CONFIG.search(value) else NOTHING)
        else:
            found.append((value,))
    return ev.union(*found)


def opened(ev: Resolver, values: Values) -> Values:
    """Answers replaced by what is in them."""
    return ev.union(
        *(contents(ev, v.url) if isinstance(v, FetchedFile) else (v,) for v in values)
    )
