"""The hash under which a URL is known."""

from __future__ import annotations

from hashlib import blake2b

from geohound.model.visit import Candidate, Purpose


def candidate_key(candidate: Candidate) -> int:
    """Where it is known: to harvest a catalogue is another thing than to ask what lives at its address."""
    if candidate.purpose is Purpose.HARVEST:
        return url_key(f"{candidate.url}#harvest={candidate.harvester}")  # canonical URLs have no anchor
    return url_key(candidate.url)


def url_key(url: str) -> int:
    """A signed 64-bit number, as SQLite keeps it."""
    return int.from_bytes(blake2b(url.encode(), digest_size=8).digest(), "big", signed=True)
