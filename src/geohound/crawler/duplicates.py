"""Pages that say what others have said, and families of URLs that lead nowhere new: mirrors, calendars, searches.

The engine judges every page here (decision 19); workers send a `Sketch` of what they read.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from struct import Struct
from typing import NamedTuple
from zlib import crc32

from geohound import urls
from geohound.model.compact_sets import CountMinSketch, HashSet, Recent
from geohound.model.crawl.frontier import Memo
from geohound.model.crawl.job import Sketch

from .page_sketch import family_key, name_key, shape_key

MAX_SAME_WORDS = 3  # pages of one host with the same words, numbers apart
# repetitions in a row under one shape of URL: the rest of the shape is a trap
MAX_DULL = 8
MAX_ALIKE = 30  # pages in a row that say nearly the same, and nothing new: they may differ in a word that matters
MAX_MISSED = 100  # in a row, of what looks like services: many may be gone, all with the same words, and the next not
MAX_ROWS = 200_000  # shapes and families of which the last pages in a row are counted
MANY_PAGES = 8  # of one family: fewer are worth no look
# parts of its words in which a page may differ from another that it repeats
MAX_OTHER = 4
MAX_FAMILIES = 20_000  # under watch, those of late
MAX_LEADS = 1_000  # families of links that are remembered of one family of pages
MAX_BARREN = 30  # pages of a family in a row with no way to a service: who leads there leads to nothing
MAX_HOPED = 100  # links of a host in a row for which pages were kept that say nothing, and nothing was found there
MAX_SEEN = 800_000
MAX_SEEN_BEFORE = 200_000  # links of earlier runs that a resumed crawl takes up again
_KEPT_PAGES = 4  # of a family: fewer are not kept for a resume
_FEW_PAGES = 2  # before any of them can have been compared
_CREDITED = 3  # pages on the way to one that shows a service
_PARTS = 32
_DIGITS = b"0123456789"
_LONG, _LONG_ASCII = 16, 24  # bytes of a word
_MAX_LONGER = 200  # letters: a few words and numbers
_WORDS_BITS = 0xFF_FFFF_FFFF
_DULL, _ALIKE, _HOPED, _FAMILY = range(4)  # kinds of memos
_NUMBER = Struct("<I")
_NUMBERS = Struct("<IIqI??")


class Novelty(NamedTuple):
    """What a page adds to others of its family."""

    is_dull: bool  # nothing: it says what another has said, but for a few words, and leads where that one led
    # whatever it says: it leads to a service, or to pages of a kind that may
    is_promising: bool


class NearDuplicateDetector:
    """What a crawl remembers of the contents it has seen: nine bytes a page, and some megabytes."""

    def __init__(
        self,
        marks: Iterable[tuple[int, int]] = (),
        memos: Iterable[Memo] = (),
        links: Iterable[str] = (),
    ) -> None:
        """As an earlier run of the crawl has left it: the marks of its pages, its memos, and links of late."""
        self._bodies = HashSet()
        self._wordings = CountMinSketch()
        self._dull = _Counts(MAX_ROWS)  # repetitions in a row, by shape of the URL
        self._alike = _Counts(MAX_ROWS)  # dull pages in a row, by family
        self._hoped = _Counts(MAX_FAMILIES)  # links for which pages were kept, by host
        self._families: Recent[int, _Family] = Recent(MAX_FAMILIES)
        self._changed: set[int] = set()  # families
        # links: those in the frame of a page stand on all its neighbours
        self._seen = HashSet()
        for kind, key, state in memos:
            if kind == _FAMILY:
                self._families.put(key, _Family.unpacked(state))
            else:
                self._counts[kind].restore(key, state)
        for body, words in marks:
            self._bodies.add(body)
            # else nobody knows any more what these pages led to
            if words and self._families:
                self._wordings.add(words & _WORDS_BITS)
        for url in links:
            self._seen.add(hash(url))

    @property
    def _counts(self) -> tuple[_Counts, _Counts, _Counts]:
        return self._dull, self._alike, self._hoped

    def take_memos(self) -> list[Memo]:
        """What has changed since this was last asked, for a crawl that is resumed."""
        memos = [
            memo
            for kind, counts in enumerate(self._counts)
            for memo in counts.take_memos(kind)
        ]
        changed = ((key, self._families.get(key)) for key in self._changed)
        memos += [
            Memo(_FAMILY, key, found.packed())
            for key, found in changed
            if found and found.is_worth_keeping
        ]
        self._changed.clear()
        return memos

    def is_trap(self, url: str, *, is_probe: bool = False) -> bool:
        """Has this shape of URL brought nothing but repetitions of late?"""
        if not self._dull and not self._alike:
            return False
        dull, alike = self._dull.get(shape_key(url)), self._alike.get(family_key(url))
        return (
            max(dull, alike) >= MAX_MISSED
            if is_probe
            else dull >= MAX_DULL or alike >= MAX_ALIKE
        )

    def repeats(
        self, url: str, body: int, words: int, *, promises: bool = False
    ) -> bool:
        """Remember the marks of a page; True if its host has said the same before.

        Pages that differ in numbers alone, as those of map sheets do, may lead to different services.
        """
        same = not self._bodies.add(body)
        if words:
            key = words & _WORDS_BITS
            self._wordings.add(key)
            same = same or (self._wordings.count(key) > MAX_SAME_WORDS and not promises)
        self._dull.count(shape_key(url), is_one=same)
        return same

    def is_repeated(self, mark: int) -> bool:
        """Remember what stands for a page of a catalogue; True if it has been read before."""
        return mark != 0 and not self._bodies.add(mark)

    def note(self, url: str, *, is_dull: bool) -> None:
        """A page was read that says nearly what others of its family say, or one that does not."""
        self._alike.count(family_key(url), is_one=is_dull)

    def judge(
        self,
        url: str,
        found_on: str,
        links: Sequence[str],
        sketch: Sketch,
        services: int = 0,
    ) -> Novelty:
        """Compare a page with an earlier one of its family, once there have been many of them.

        A handful of words is so little that few descriptions of datasets differ in no more, whatever frame they
        stand in. Those that do are distinguished from a calendar by what they lead to, once pages there have been read.
        """
        key, host = family_key(url), urls.host(url)
        hoped_for = name_key(host)
        page_family = self._watch(key)
        page_family.pages += 1
        page_family.parent = family_key(found_on) if found_on else 0
        if page_family.pages < MANY_PAGES:
            page_family.length = sketch.length
        fresh = {
            at: lead
            for at, lead in zip(links, sketch.leads, strict=False)
            if self._is_fresh(at)
        }
        shows = services > 0 or not sketch.suspects.isdisjoint(fresh)
        if shows:
            self._credit(key, hoped_for)
        else:
            page_family.barren += 1
        near = {lead for target, lead in fresh.items() if urls.host(target) == host}
        may_hope = not shows and self._hoped.get(hoped_for) < MAX_HOPED
        hopes = may_hope and self._may_lead_on(page_family, near - {key})
        is_new = page_family.leads_elsewhere(set(fresh.values()))
        may_repeat = hopes or not (shows or is_new or page_family.pages < MANY_PAGES)
        repeats = may_repeat and page_family.repeats(sketch)
        if hopes and repeats:
            page_family.is_hoped = True
            self._hoped.add(hoped_for, len(fresh))
        is_dull = (
            repeats
            and page_family.pages >= MANY_PAGES
            and not (shows or hopes or is_new)
        )
        return Novelty(is_dull, shows or (hopes and page_family.pages > _FEW_PAGES))

    def found_nothing(self, url: str) -> None:
        """There is no page at this address, or none for us."""
        self._watch(family_key(url)).barren += 1

    def _watch(self, key: int) -> _Family:
        watched = self._families.get(key) or _Family()
        self._families.put(key, watched)
        self._changed.add(key)
        return watched

    def _is_fresh(self, url: str) -> bool:
        if len(self._seen) >= MAX_SEEN:
            self._seen = HashSet()
        return self._seen.add(hash(url))

    def _may_lead_on(self, page_family: _Family, leads: set[int]) -> bool:
        """Do they go where others of its family went, and is that not known to be in vain?"""
        tried = (self._families.get(lead) for lead in leads & page_family.leads)
        return any(other is None or other.barren < MAX_BARREN for other in tried)

    def _credit(self, key: int, hoped_for: int) -> None:
        """A page shows a service: those on which it was found were worth it."""
        for _ in range(_CREDITED + 1):
            watched = self._families.get(key)
            if watched is None:
                return
            watched.barren = 0
            self._changed.add(key)
            if watched.is_hoped:
                self._hoped.clear(hoped_for)
            key = watched.parent


class _Counts:
    """Numbers by key, those of late; what has changed is remembered until somebody takes it."""

    def __init__(self, most: int) -> None:
        self._numbers: Recent[int, int] = Recent(most)
        self._changed: set[int] = set()

    def get(self, key: int) -> int:
        return self._numbers.get(key) or 0

    def add(self, key: int, number: int = 1) -> None:
        self._numbers.put(key, self.get(key) + number)
        self._changed.add(key)

    def clear(self, key: int) -> None:
        if self.get(key):
            self._numbers.discard(key)
            self._changed.add(key)

    def count(self, key: int, *, is_one: bool) -> None:
        """How many in a row; one that does not count ends the row."""
        if is_one:
            self.add(key)
        elif self._numbers:
            self.clear(key)

    def take_memos(self, kind: int) -> Iterator[Memo]:
        for key in self._changed:
            yield Memo(kind, key, _NUMBER.pack(self.get(key)))
        self._changed.clear()

    def restore(self, key: int, state: bytes) -> None:
        (number,) = _NUMBER.unpack(state)
        if number:
            self._numbers.put(key, number)

    def __bool__(self) -> bool:
        return bool(self._numbers)


class _Family:
    __slots__ = ("barren", "is_hoped", "leads", "length", "pages", "parent", "words")

    def __init__(self) -> None:
        self.pages = 0
        # of the page that others are compared with
        self.words: array[int] | None = None
        # of its text: pages that say the same are of much the same length
        self.length = 0
        self.leads: set[int] = set()
        self.parent = 0  # the family of the page on which the last one was found
        self.barren = 0  # pages since the last from which there was a way to a service
        self.is_hoped = False  # has a page been kept for where it leads alone?

    @property
    def is_worth_keeping(self) -> bool:
        return max(self.pages, self.barren) >= _KEPT_PAGES

    def packed(self) -> bytes:
        numbers = (
            self.pages,
            self.length,
            self.parent,
            self.barren,
            self.is_hoped,
            self.words is not None,
        )
        words = self.words if self.words is not None else array("I")
        return (
            _NUMBERS.pack(*numbers) + words.tobytes() + array("q", self.leads).tobytes()
        )

    @classmethod
    def unpacked(cls, state: bytes) -> _Family:
        found = cls()
        (
            found.pages,
            found.length,
            found.parent,
            found.barren,
            found.is_hoped,
            has_words,
        ) = _NUMBERS.unpack_from(state)
        leads_at = _NUMBERS.size
        if has_words:
            leads_at += 4 * _PARTS
            found.words = array("I", state[_NUMBERS.size : leads_at])
        found.leads = set(array("q", state[leads_at:]))
        return found

    def leads_elsewhere(self, leads: set[int]) -> bool:
        is_new = not leads <= self.leads
        self.leads |= leads
        if len(self.leads) > MAX_LEADS:
            self.leads.clear()
        return is_new

    def repeats(self, sketch: Sketch) -> bool:
        if abs(sketch.length - self.length) > _MAX_LONGER:
            self.length, self.words = sketch.length, None
            return False
        words = _parts(sketch.text)
        if self.words is not None:
            other = sum(map(int.__ne__, words, self.words))
            if other <= MAX_OTHER:
                return True
        self.length, self.words = sketch.length, words
        return False


def _parts(text: str) -> array[int]:
    """The set of its words, numbers apart, in 32 parts: a word that only one of two pages has changes one part."""
    words = set(
        text.lower().encode("utf-8", "replace").translate(None, _DIGITS).split()
    )
    for word in [word for word in words if len(word) > _LONG]:
        # of a script without spaces: each pair of letters counts
        if len(word) > _LONG_ASCII or not word.isascii():
            words.discard(word)
            letters = word.decode("utf-8", "replace")
            words.update(
                letters[at : at + 2].encode() for at in range(len(letters) - 1)
            )
    parts = [0] * _PARTS
    for mark in map(crc32, words):
        parts[mark % _PARTS] ^= mark
    return array("I", parts)
