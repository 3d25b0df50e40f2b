"""The hash under which a URL is known."""

from __future__ import annotations

from hashlib import blake2b


def url_key(url: str) -> int:
    """A signed 64-bit number, as SQLite keeps it."""
    return int.from_bytes(blake2b(url.encode(), digest_size=8).digest(), "big", signed=True)
