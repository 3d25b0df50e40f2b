"""The pattern of a URL: how many of each are admitted is the brake on calendars and other traps."""

from __future__ import annotations

import re
from hashlib import blake2b

_NUMBER = re.compile(r"\d+")
_NUMBER_NOT_ESCAPED = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])\d+")  # the digits of %E2%82 are no id
# What is left of a hash, a UUID or a token once its digits are gone: short letters between many numbers.
_MIXED = re.compile(r"[A-Za-z]{0,8}(?:#[A-Za-z-]{0,9}){3,}")


def shape(url: str) -> str:
    """Host, path with ids replaced, and the sorted names of the parameters."""
    address, _, query = url.partition("?")
    scheme_end = address.find("//") + 2
    path_start = address.find("/", scheme_end)
    if path_start < 0:
        path_start = len(address)
    path = address[path_start:]
    path = (_NUMBER_NOT_ESCAPED if "%" in path else _NUMBER).sub("#", path)
    if path.count("#") > 2:
        path = _MIXED.sub("#", path)
    if query:
        names = sorted({part.partition("=")[0] for part in query.split("&")})
        path += "?" + "&".join(names)
    return address[scheme_end:path_start] + path


def shape_key(url: str) -> int:
    """40 bits that stand for the shape."""
    return int.from_bytes(blake2b(shape(url).encode(), digest_size=5).digest(), "big")
