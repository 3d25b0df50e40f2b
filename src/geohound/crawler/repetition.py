"""Pages that say again what their host has said before: mirrors of themselves, calendars, friendly error pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from geohound import urls
from geohound.model.compact import HashSet, Recent, Tally

from .sameness import family

MAX_SAME_WORDS = 3  # pages of one host with the same words, numbers apart
MAX_DULL = 8  # repetitions in a row under one shape of URL: the rest of the shape is a trap
MAX_ALIKE = 30  # pages in a row that say nearly the same, and nothing new: they may differ in a word that matters
MAX_MISSED = 100  # in a row, of what looks like services: many may be gone, all with the same words, and the next not
MAX_SHAPES = 200_000
_DIGITS = b"0123456789"


def body_mark(host: str, body: bytes) -> int:
    """What stands for the content of a page on its host."""
    return _digest(host, body)


def words_mark(host: str, text: str, told: Sequence[str] = ()) -> int:
    """What stands for its words, numbers apart; 0 where it has none."""
    words = text.encode("utf-8", "replace").translate(None, _DIGITS)
    if told:
        words += " ".join(told).encode("utf-8", "replace")
    return _digest(host, words) if words else 0


class Repetition:
    """What a crawl remembers of the contents it has seen: nine bytes a page, and four megabytes."""

    def __init__(self, marks: Iterable[tuple[int, int]] = ()) -> None:
        self._bodies = HashSet()
        self._wordings = Tally()
        self._dull: Recent[str, int] = Recent(MAX_SHAPES)
        self._alike: Recent[str, int] = Recent(MAX_SHAPES)
        for body, _ in marks:  # words count anew: what their pages led to is not known any more
            self._bodies.add(body)

    def is_trap(self, url: str, *, is_probe: bool = False) -> bool:
        """Has this shape of URL brought nothing but repetitions of late?"""
        if not self._dull and not self._alike:
            return False
        dull, alike = self._dull.get(urls.shape(url)) or 0, self._alike.get(family(url)) or 0
        return max(dull, alike) >= MAX_MISSED if is_probe else dull >= MAX_DULL or alike >= MAX_ALIKE

    def repeats(self, url: str, body: int, words: int, *, promises: bool = False) -> bool:
        """Remember the marks of a page; True if its host has said the same before.

        Pages that differ in numbers alone, as those of map sheets do, may lead to different services.
        """
        same = not self._bodies.add(body)
        if words:
            key = words & 0xFF_FFFF_FFFF
            self._wordings.add(key)
            same = same or (self._wordings.count(key) > MAX_SAME_WORDS and not promises)
        _count(self._dull, urls.shape(url), counts=same)
        return same

    def note(self, url: str, *, is_dull: bool) -> None:
        """A page was read that says nearly what others of its shape say, or one that does not."""
        _count(self._alike, family(url), counts=is_dull)


def _count(rows: Recent[str, int], shape: str, *, counts: bool) -> None:
    """How many in a row, by shape of the URL; one that does not count ends the row."""
    if counts:
        rows.put(shape, (rows.get(shape) or 0) + 1)
    elif rows:
        rows.discard(shape)


def _digest(host: str, content: bytes) -> int:
    digest = blake2b(content, digest_size=8, key=host.encode("utf-8", "replace")[:64]).digest()
    return int.from_bytes(digest, "big", signed=True)
