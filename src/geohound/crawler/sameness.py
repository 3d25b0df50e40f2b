"""Pages of one family of URLs that say nearly the same and lead nowhere new: calendars, endless searches."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from geohound import urls
from geohound.model.compact import HashSet, Recent
from geohound.model.visit import Link
from geohound.urls.clue import looks_like_service

MANY_PAGES = 8  # of one shape: fewer are worth no look
MAX_OTHER = 4  # parts of its words in which a page may differ from another that it repeats
MAX_SHAPES = 20_000  # under watch, those of late
MAX_LEADS = 1_000  # shapes of links that are remembered of one shape of pages
MAX_BARREN = 30  # pages of a shape in a row with no way to a service: who leads there leads to nothing
MAX_HOPED = 100  # links of a host in a row for which pages were kept that say nothing, and nothing was found there
MAX_SEEN = 200_000
_FEW_PAGES = 2  # before any of them can have been compared
_CREDITED = 3  # pages on the way to one that shows a service
_PARTS = 32
_DIGITS = b"0123456789"
_LONG, _LONG_ASCII = 16, 24  # bytes of a word
_ENDS = 6_000  # letters at both ends that are compared
_MAX_LONGER = 200  # letters: a few words and numbers


class Novelty(NamedTuple):
    """What a page adds to others of its shape."""

    is_dull: bool  # nothing: it says what another has said, but for a few words, and leads where that one led
    is_promising: bool  # whatever it says: it leads to a service, or to pages of a kind that may


NOTHING_KNOWN = Novelty(is_dull=False, is_promising=False)


class Sameness:
    """Compares each page with an earlier one of its shape, once there have been many of them."""

    def __init__(self) -> None:
        self._watched: Recent[int, _Shape] = Recent(MAX_SHAPES)
        self._seen = HashSet()  # links: those in the frame of a page stand on all its neighbours
        self._hoped: Recent[str, int] = Recent(MAX_SHAPES)

    def judge(self, url: str, found_on: str, text: str, links: Sequence[Link], services: int = 0) -> Novelty:
        """A handful of words is so little that few descriptions of datasets differ in no more, whatever frame they
        stand in. Those that do are told from a calendar by what they lead to, once pages there have been read.
        """
        key, host = _key(url), urls.host(url)
        shape = self._watch(key)
        shape.pages += 1
        shape.parent = _key(found_on) if found_on else 0
        if shape.pages < MANY_PAGES:
            shape.length = len(text)
        fresh = [link.url for link in links if self._is_fresh(link.url)]
        shows = services > 0 or any(map(looks_like_service, fresh))
        if shows:
            self._credit(key, host)
        else:
            shape.barren += 1
        leads = {target: _key(target) for target in fresh}
        near = {lead for target, lead in leads.items() if urls.host(target) == host}
        hopes = not shows and (self._hoped.get(host) or 0) < MAX_HOPED and self._may_lead_on(shape, near - {key})
        is_new = shape.leads_elsewhere(set(leads.values()))
        may_repeat = hopes or not (shows or is_new or shape.pages < MANY_PAGES)
        repeats = may_repeat and shape.repeats(text)
        if hopes and repeats:
            shape.is_hoped = True
            self._hope(host, len(fresh))
        is_dull = repeats and shape.pages >= MANY_PAGES and not (shows or hopes or is_new)
        return Novelty(is_dull, shows or (hopes and shape.pages > _FEW_PAGES))

    def found_nothing(self, url: str) -> None:
        """There is no page at this address, or none for us."""
        self._watch(_key(url)).barren += 1

    def _watch(self, key: int) -> _Shape:
        shape = self._watched.get(key) or _Shape()
        self._watched.put(key, shape)
        return shape

    def _is_fresh(self, url: str) -> bool:
        if len(self._seen) >= MAX_SEEN:
            self._seen = HashSet()
        return self._seen.add(hash(url))

    def _may_lead_on(self, shape: _Shape, leads: set[int]) -> bool:
        """Do they go where others of its shape went, and is that not known to be in vain?"""
        tried = (self._watched.get(lead) for lead in leads & shape.leads)
        return any(other is None or other.barren < MAX_BARREN for other in tried)

    def _hope(self, host: str, links: int) -> None:
        self._hoped.put(host, (self._hoped.get(host) or 0) + links)

    def _credit(self, key: int, host: str) -> None:
        """A page shows a service: those on which it was found were worth it."""
        for shape in self._way_to(key):
            shape.barren = 0
            if shape.is_hoped:
                self._hoped.discard(host)

    def _way_to(self, key: int) -> Iterator[_Shape]:
        for _ in range(_CREDITED + 1):
            shape = self._watched.get(key)
            if shape is None:
                return
            yield shape
            key = shape.parent


class _Shape:
    __slots__ = ("barren", "is_hoped", "leads", "length", "pages", "parent", "words")

    def __init__(self) -> None:
        self.pages = 0
        self.words: array[int] | None = None  # of the page that others are compared with
        self.length = 0  # of its text: pages that say the same are of much the same length
        self.leads: set[int] = set()
        self.parent = 0  # the shape of the page on which the last one was found
        self.barren = 0  # pages since the last from which there was a way to a service
        self.is_hoped = False  # has a page been kept for where it leads alone?

    def leads_elsewhere(self, leads: set[int]) -> bool:
        is_new = not leads <= self.leads
        self.leads |= leads
        if len(self.leads) > MAX_LEADS:
            self.leads.clear()
        return is_new

    def repeats(self, text: str) -> bool:
        length = len(text)
        if abs(length - self.length) > _MAX_LONGER:
            self.length, self.words = length, None
            return False
        words = _parts(text)
        if self.words is not None:
            other = sum(map(int.__ne__, words, self.words))
            if other <= MAX_OTHER:
                return True
        self.length, self.words = length, words
        return False


def family(url: str) -> str:
    """Its shape, but for the last name below a folder: searches and tags have words there, not numbers."""
    if "?" in url:
        path, mark, query = urls.shape(url).partition("?")
        folder = path.rstrip("/").rpartition("/")[0]
        return f"{folder}/*{mark}{query}" if "/" in folder else path + mark + query
    folder = url.rstrip("/").rpartition("/")[0]
    return f"{_shape_of_folder(folder)}/*" if folder.count("/") > 2 else urls.shape(url)


@lru_cache(maxsize=16384)
def _shape_of_folder(folder: str) -> str:
    return urls.shape(folder)


def _key(url: str) -> int:
    return hash(family(url))


def _parts(text: str) -> array[int]:
    """The set of its words, numbers apart, in 32 parts: a word that only one of two pages has changes one part."""
    if len(text) > 2 * _ENDS:
        text = f"{text[:_ENDS]} {text[-_ENDS:]}"
    words: set[bytes] = set()
    for word in set(text.lower().encode("utf-8", "replace").translate(None, _DIGITS).split()):
        if len(word) <= (_LONG_ASCII if word.isascii() else _LONG):
            words.add(word)
        else:  # of a script without spaces: each pair of letters says something
            letters = word.decode("utf-8", "replace")
            words.update(letters[at : at + 2].encode() for at in range(len(letters) - 1))
    parts = array("I", bytes(4 * _PARTS))
    for word in words:
        mark = crc32(word)
        parts[mark % _PARTS] ^= mark
    return parts
