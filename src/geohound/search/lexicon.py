"""The keys under which texts are found: words, stems where they differ, pairs of neighbours; each known by a number.

Much is said again and again, by layers of one service most of all: what a word and what a text comes to is worked
out once and remembered, and all of it is forgotten together when it has become too much.
"""

from __future__ import annotations

import string
import zlib
from array import array

from geohound.wording import is_unspaced, pieces, split, split_name, stem, stop_words

STEM = "~"
PAIR = "\x7f"
_MAX_WORDS = 400
_MAX_KEYS = 400_000
_MAX_TEXT_CHARS = 8_000_000
_LONG_TEXT_CHARS = 2_000  # seldom said twice

# A word: its keys; its root, empty for what stands in no pair; by the root of the next word the pair that both make.
_Word = tuple[tuple[int, ...], str, dict[str, int]]
# What some texts of one field come to: keys of four bytes, each once, and how many words there are. Bytes in a plain
# tuple, because the garbage collector passes these over, and very many are remembered.
Said = tuple[bytes, int]
Texts = str | tuple[str, ...]


class Lexicon:
    """For one thread at a time."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.keys: list[str] = []
        self._numbers: dict[str, int] = {}
        self._words: dict[str, dict[str, _Word]] = {}
        self._followers: dict[str, dict[str, int]] = {}
        self._texts: dict[tuple[str, str], dict[Texts, Said]] = {}
        self._chars = 0

    def begin(self) -> None:
        """Numbers stay what they are until this is called again."""
        if len(self.keys) > _MAX_KEYS:
            self._forget()

    def read(self, texts: Texts, language: str, manner: str) -> Said:
        """The keys of texts; a manner is `plain`, `name` (parts of LandCover2010 count) or `long` (no stop words)."""
        said = self.known(language, manner).get(texts)
        return self._learn(texts, language, manner) if said is None else said

    def known(self, language: str, manner: str) -> dict[Texts, Said]:
        """What `read` knows without reading."""
        return self._texts.setdefault((language, manner), {})

    def _learn(self, texts: Texts, language: str, manner: str) -> Said:
        said = self._read((texts,) if isinstance(texts, str) else texts, language, manner)
        chars = len(texts) if isinstance(texts, str) else sum(map(len, texts))
        if chars < _LONG_TEXT_CHARS:
            if self._chars > _MAX_TEXT_CHARS:
                for known in self._texts.values():
                    known.clear()
                self._chars = 0
            self._texts[language, manner][texts] = said
            self._chars += chars + 100
        return said

    def _read(self, texts: tuple[str, ...], language: str, manner: str) -> Said:
        known = self._words.setdefault(language, {})
        ignored = stop_words() if manner == "long" else frozenset()
        keys: set[int] = set()
        length = 0
        for text in texts:
            words = split_name(text) if manner == "name" else split(text)
            length += len(words)
            followers: dict[str, int] = {}
            before = ""
            for word in words[:_MAX_WORDS]:
                numbers, root, own = known.get(word) or self._study(word, language)
                if root:
                    keys.update(numbers)
                    if before:
                        pair_number = followers.get(root)
                        if pair_number is None:
                            pair_number = followers[root] = self._number(pair(before, root))
                        keys.add(pair_number)
                    before, followers = root, own
                elif word not in ignored:
                    keys.update(numbers)
                    if own is _BREAK:
                        before = ""
        return array("i", keys).tobytes(), length

    def _study(self, word: str, language: str) -> _Word:
        if word in stop_words():
            told: _Word = ((self._number(word),), "", _NO_PAIR)
        elif not word.isascii() and is_unspaced(word):
            told = tuple(map(self._number, dict.fromkeys(pieces((word,))))), "", _BREAK
        else:
            root = stem(word, language)
            keys = (word,) if root == word else (word, STEM + root)
            told = tuple(map(self._number, keys)), root, self._followers.setdefault(root, {})
        self._words[language][word] = told
        return told

    def _number(self, key: str) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.keys)
            self.keys.append(key)
        return number


_NO_PAIR: dict[str, int] = {}  # the followers of what stands in no pair
_BREAK: dict[str, int] = {}  # and of what no pair runs across


# As base64.b85encode writes four bytes, ten times faster.
_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase + "!#$%&()*+-;<=>?@^_`{|}~"
_TWO_DIGITS = [one + other for one in _DIGITS for other in _DIGITS]


def pair(one: str, other: str) -> str:
    """The key of two stems that follow each other; short, for there are many."""
    value = zlib.crc32(f"{one} {other}".encode("utf-8", "replace"))
    high, low = divmod(value, 85**3)
    return f"{PAIR}{_TWO_DIGITS[high]}{_TWO_DIGITS[low // 85]}{_DIGITS[low % 85]}"
