"""Addresses that map libraries carry in their own code: where a bundle holds the library, they are not the page's."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from geohound.jsflow import Endpoint

Library = tuple[int, tuple[str, ...]]  # so many of these addresses give it away


def of_the_page(endpoints: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
    """Without the addresses of libraries that give themselves away by the number of them."""
    places = [_place(found.endpoint) for found in endpoints]
    carried = set[int]()
    for at_least, addresses in _libraries():
        own = {
            at
            for at, place in enumerate(places)
            if any(address in place for address in addresses)
        }
        if len({places[at] for at in own}) >= at_least:
            carried |= own
    return tuple(each for at, each in enumerate(endpoints) if at not in carried)


def _place(address: str) -> str:
    """Host and path, ended by a slash, so that a name is not taken for the beginning of another."""
    return address.partition("://")[2].partition("?")[0].lower().rstrip("/") + "/"


@cache
def _libraries() -> tuple[Library, ...]:
    text = files(__package__).joinpath("library_addresses.toml").read_text("utf-8")
    tables = tomllib.loads(text).values()
    return tuple((each["at_least"], tuple(each["addresses"])) for each in tables)
