"""The hashes under which a URL and its shape are known."""

from __future__ import annotations

from hashlib import blake2b

from geohound import urls
from geohound.model.visit import Candidate, Purpose


def candidate_key(candidate: Candidate) -> int:
    """Where it is known: each page of a catalogue is another thing than what lives at its address."""
    if candidate.purpose is not Purpose.HARVEST:
        return url_key(candidate.url)
    page = f"#{candidate.cursor.hex()}" if candidate.cursor else ""
    # canonical URLs have no anchor
    return url_key(f"{candidate.url}#harvest={candidate.harvester}{page}")


def url_key(url: str) -> int:
    """A signed 64-bit number, as SQLite keeps it."""
    return int.from_bytes(
        blake2b(url.encode(), digest_size=8).digest(), "big", signed=True
    )


def shape_key(url: str) -> int:
    """40 bits that stand for the shape: how many of each are admitted is the brake on calendars and other traps."""
    return _short_key(urls.shape(url))


def candidate_shape(candidate: Candidate) -> int:
    """The shape of its URL; the pages of one harvest are a shape of their own, whose budget is another."""
    if candidate.purpose is Purpose.HARVEST:
        return _short_key(f"{candidate.url}#harvest={candidate.harvester}")
    return shape_key(candidate.url)


def _short_key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=5).digest(), "big")
