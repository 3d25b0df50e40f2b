"""By what software a page was made, as it says itself or as the addresses of its scripts and styles show."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources

MAX_NAME = 24
_MAX_ADDRESS = 200
# no versions, which begin with a number or v1
_WORDS = re.compile(r"(?<!\S)[^\W\d_](?![\d.])[^\s/,;:(|]*")


def named(generator: str) -> str:
    """The name in a page's `generator`, without version and address."""
    words = _WORDS.findall(generator[:_MAX_ADDRESS].lower())
    return " ".join(
        words[:1] if words and words[0] in _marks().values() else words[:2]
    )[:MAX_NAME]


def of_addresses(addresses: Iterable[str]) -> str:
    """What the first address with a mark of some software says."""
    return next(
        filter(None, (_named_by(address[:_MAX_ADDRESS]) for address in addresses)), ""
    )


@lru_cache(maxsize=16_384)
def _named_by(address: str) -> str:
    marks = _marks()
    parts = address.lower().partition("?")[0].split("/")
    return next((marks[part] for part in parts if part in marks), "")


@cache
def _marks() -> dict[str, str]:
    """Parts of addresses, and the software that they belong to."""
    file = resources.files("geohound.mining").joinpath("software.toml")
    listed: dict[str, list[str]] = tomllib.loads(file.read_text("utf-8"))
    return {part: name for name, parts in listed.items() for part in parts}
