"""The topic vocabulary: words of map services in many languages, from one data file per language in `words/`."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from functools import cache
from importlib import resources
from typing import NamedTuple


class WordGroup(IntEnum):
    """The groups of words: for services, for portals that list services, for the theme, and words to avoid.

    Stored as plain numbers where speed counts: hashing a member of an enumeration takes Python code.
    """

    SERVICE = 0
    PORTAL = 1
    THEME = 2
    AVOID = 3


_TOKEN = re.compile(r"[^\W_]+")
_WITHOUT_SPACES = re.compile(
    r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "æ": "ae", "ß": "ss", "đ": "d", "ı": "i"})
# letters of a word that is found inside compounds such as Wasserkartendienste
_PART_FROM = 6
MAX_TEXT = 4_000  # characters of a page that are analysed
MAX_PHRASE = 4  # words after the first
MAX_CACHED_WORDS = 200_000  # tokens


def tokens(text: str) -> list[str]:
    """Words and numbers in lower case; scripts without spaces give runs."""
    return _TOKEN.findall(text.lower())


def fold(word: str) -> str:
    """Without diacritics, as words are written in URLs."""
    if word.isascii():
        return word
    plain = unicodedata.normalize("NFKD", word.translate(_LETTERS))
    return "".join(c for c in plain if not unicodedata.combining(c))


class TokenMeaning(NamedTuple):
    """The group of a token, if it is in the vocabulary, and the phrases that may start with it."""

    group: int | None
    phrases: tuple[tuple[list[str], int], ...]


class TopicVocabulary:
    """The words of all languages together: the declared language of a page is unreliable."""

    def __init__(self, lists: Iterable[Mapping[int, Sequence[str]]]) -> None:
        self._words: dict[str, int] = {}
        self._phrases: dict[str, list[tuple[list[str], int]]] = {}
        for words in lists:
            for group, listed in words.items():
                for word in listed:
                    self._add(word, group)
        self._parts = _any_of(
            w
            for w in self._words
            if len(w) >= _PART_FROM and not _WITHOUT_SPACES.search(w)
        )
        self._runs = _any_of(w for w in self._words if _WITHOUT_SPACES.search(w))
        self._known: dict[str, TokenMeaning] = {}

    def _add(self, word: str, group: int) -> None:
        for spelling in {word.lower(), word.lower().translate(_GERMAN)}:
            first, *rest = [fold(t) for t in tokens(spelling)]
            if rest:
                self._phrases.setdefault(first, []).append((rest, group))
            else:
                self._words[first] = min(group, self._words.get(first, group))

    def meaning(self, token: str) -> TokenMeaning:
        known = self._known.get(token)
        if known is None:
            if len(self._known) >= MAX_CACHED_WORDS:
                self._known.clear()
            known = self._known[token] = self._look_up(fold(token[:60]))
        return known

    def _look_up(self, token: str) -> TokenMeaning:
        group = self._words.get(token)
        if group is None:
            inside = (
                self._runs if _WITHOUT_SPACES.search(token) else self._parts
            ).findall(token)
            group = min((self._words[w] for w in inside), default=None)
        return TokenMeaning(group, tuple(self._phrases.get(token, ())))

    def groups(self, words: Sequence[str]) -> list[int]:
        """The group of every word and phrase of the vocabulary among these tokens."""
        return [group for group in self.group_of_each(words) if group is not None]

    def group_of_each(self, words: Sequence[str]) -> list[int | None]:
        """For each token the group of the word, or of the phrase that begins there; None for other words."""
        found: list[int | None] = []
        known, look_up = self._known, self.meaning
        for at, token in enumerate(words):
            meaning = known.get(token) or look_up(token)
            group, phrases = meaning
            if phrases:
                after = [fold(word) for word in words[at + 1 : at + 1 + MAX_PHRASE]]
                for rest, whole in phrases:
                    if after[: len(rest)] == rest:
                        group = whole if group is None else min(group, whole)
            found.append(group)
        return found

    def distinct_groups(self, words: Iterable[str]) -> list[int]:
        """The groups of distinct single words: faster, for whole pages."""
        known, look_up = self._known, self.meaning
        found = [(known.get(word) or look_up(word))[0] for word in set(words)]
        return [group for group in found if group is not None]

    @property
    def size(self) -> int:
        return len(self._words) + sum(map(len, self._phrases.values()))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def read_lists() -> dict[str, dict[str, list[str]]]:
    """The word lists by language; `any` has the words that are the same in all."""
    folder = resources.files("geohound.orders").joinpath("words")
    files = sorted(
        (f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name
    )
    return {
        f.name.removesuffix(".toml"): tomllib.loads(f.read_text("utf-8")) for f in files
    }


@cache
def topic_vocabulary() -> TopicVocabulary:
    names = {group.name.lower(): int(group) for group in WordGroup}
    return TopicVocabulary(
        {names[name]: words for name, words in lists.items()}
        for lists in read_lists().values()
    )
