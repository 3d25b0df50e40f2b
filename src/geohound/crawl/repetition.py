"""Pages that say again what their host has said before: mirrors of themselves, calendars, friendly error pages."""

from __future__ import annotations

import hashlib
from collections import Counter

from geohound.model import url as urls
from geohound.model.visit import Page

MAX_SAME_WORDS = 3  # pages of one host with the same words, numbers apart
MAX_DULL = 8  # repetitions in a row under one shape of URL: the rest of the shape is a trap
_NO_DIGITS = str.maketrans("", "", "0123456789")


class Repetition:
    """What a crawl remembers of the contents it has seen: eight bytes a page."""

    def __init__(self) -> None:
        self._bodies: set[bytes] = set()
        self._wordings: Counter[bytes] = Counter()
        self._dull: Counter[str] = Counter()

    def is_trap(self, url: str) -> bool:
        """Has this shape of URL brought nothing but repetitions of late?"""
        return self._dull[urls.shape(url)] >= MAX_DULL

    def repeats(self, url: str, body: bytes, page: Page) -> bool:
        """Remember a page; True if its host has said the same before."""
        host = urls.host(url)
        same = self._known_body(host, body) or self._worn_out(host, page.text)
        shape = urls.shape(url)
        self._dull[shape] = self._dull[shape] + 1 if same else 0
        return same

    def _known_body(self, host: str, body: bytes) -> bool:
        digest = _digest(host, body)
        known = digest in self._bodies
        self._bodies.add(digest)
        return known

    def _worn_out(self, host: str, text: str) -> bool:
        words = text.translate(_NO_DIGITS)
        if not words:
            return False
        digest = _digest(host, words.encode("utf-8", "replace"))
        self._wordings[digest] += 1
        return self._wordings[digest] > MAX_SAME_WORDS


def _digest(host: str, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=8, key=host.encode("utf-8", "replace")[:64]).digest()
