"""Pages of one shape of URL that say nearly the same and lead nowhere new: calendars, endless searches."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from zlib import crc32

from geohound.model import url as urls
from geohound.model.clue import looks_like_service
from geohound.model.compact import Recent
from geohound.model.visit import Link

MANY_PAGES = 8  # of one shape: fewer are worth no look
MAX_OTHER = 4  # parts of its words in which a page may differ from another that it repeats
MAX_SHAPES = 20_000  # under watch, those of late
MAX_LEADS = 1_000  # shapes of links that are remembered of one shape of pages
_PARTS = 32
_NO_DIGITS = str.maketrans("", "", "0123456789")
_LONG, _LONG_ASCII = 8, 24


class Sameness:
    """Compares each page with an earlier one of its shape, once there have been many of them."""

    def __init__(self) -> None:
        self._watched: Recent[int, _Shape] = Recent(MAX_SHAPES)

    def is_dull(self, url: str, text: str, links: Sequence[Link], services: int) -> bool:
        """Does this page say what another of its shape has said, but for a few words, and lead where that one led?

        A handful of words is little enough that no two descriptions of datasets differ so little, whatever frame
        they stand in; and whoever shows a service, or a way to a new place, is not dull.
        """
        key = hash(urls.shape(url))
        shape = self._watched.get(key) or _Shape()
        self._watched.put(key, shape)
        shape.pages += 1
        if shape.pages < MANY_PAGES:
            return False
        is_new = shape.leads_elsewhere(links) or services > 0
        return shape.repeats(text) and not is_new


class _Shape:
    __slots__ = ("leads", "pages", "words")

    def __init__(self) -> None:
        self.pages = 0
        self.words: array[int] | None = None  # of the page that others are compared with
        self.leads: set[int] = set()

    def leads_elsewhere(self, links: Sequence[Link]) -> bool:
        if any(looks_like_service(link.url) for link in links):
            return True
        before = len(self.leads)
        self.leads.update(hash(urls.shape(link.url)) for link in links)
        is_new = len(self.leads) > before
        if len(self.leads) > MAX_LEADS:
            self.leads.clear()
        return is_new

    def repeats(self, text: str) -> bool:
        words = _parts(text)
        if self.words is not None:
            other = sum(map(int.__ne__, words, self.words))
            if other <= MAX_OTHER:
                return True
        self.words = words
        return False


def _parts(text: str) -> array[int]:
    """The set of its words, numbers apart, in 32 parts: a word that only one of two pages has changes one part."""
    words: set[str] = set()
    for word in text.lower().translate(_NO_DIGITS).split():
        if len(word) <= _LONG or (word.isascii() and len(word) <= _LONG_ASCII):
            words.add(word)
        else:  # of a script without spaces: each pair of letters says something
            words.update(word[at : at + 2] for at in range(len(word) - 1))
    parts = array("I", bytes(4 * _PARTS))
    for word in words:
        mark = crc32(word.encode("utf-8", "replace"))
        parts[mark % _PARTS] ^= mark
    return parts
