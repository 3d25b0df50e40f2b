"""The words that tell of map services, in many languages: read from one data file per language in `words/`."""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from geohound.model.visit import Page


class Group(IntEnum):
    """What a word tells: of services, of places where services are kept, of the theme, or of nothing of use.

    Kept as plain numbers where speed counts: hashing a member of an enumeration takes Python code.
    """

    SERVICE = 0
    PORTAL = 1
    THEME = 2
    AVOID = 3


_TOKEN = re.compile(r"[^\W_]+")
_WITHOUT_SPACES = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "æ": "ae", "ß": "ss", "đ": "d", "ı": "i"})
_PART_FROM = 6  # letters of a word that counts inside a longer one, as in Wasserkartendienste
MAX_TEXT = 4_000  # characters of a page that are looked at
MAX_PHRASE = 4  # words after the first
MAX_KNOWN = 200_000  # tokens whose meaning is kept


def tokens(text: str) -> list[str]:
    """Words and numbers in lower case; scripts without spaces give runs."""
    return _TOKEN.findall(text.lower())


def fold(word: str) -> str:
    """Without accents, as words stand in URLs."""
    if word.isascii():
        return word
    plain = unicodedata.normalize("NFKD", word.translate(_LETTERS))
    return "".join(c for c in plain if not unicodedata.combining(c))


class Meaning(NamedTuple):
    """The group of a token, if it is a word of ours, and the phrases that may start with it."""

    group: int | None
    phrases: tuple[tuple[list[str], int], ...]


class Lexicon:
    """All words of all languages together: nobody trusts what a page says of its language."""

    def __init__(self, lists: Iterable[dict[str, list[str]]]) -> None:
        self._words: dict[str, int] = {}
        self._phrases: dict[str, list[tuple[list[str], int]]] = {}
        for words in lists:
            for group in Group:
                for word in words.get(group.name.lower(), ()):
                    self._enter(word, int(group))
        self._parts = _any_of(w for w in self._words if len(w) >= _PART_FROM and not _WITHOUT_SPACES.search(w))
        self._runs = _any_of(w for w in self._words if _WITHOUT_SPACES.search(w))
        self._known: dict[str, Meaning] = {}

    def _enter(self, word: str, group: int) -> None:
        for spelling in {word.lower(), word.lower().translate(_GERMAN)}:
            first, *rest = [fold(t) for t in tokens(spelling)]
            if rest:
                self._phrases.setdefault(first, []).append((rest, group))
            else:
                self._words[first] = min(group, self._words.get(first, group))

    def meaning(self, token: str) -> Meaning:
        known = self._known.get(token)
        if known is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            known = self._known[token] = self._look_up(fold(token[:60]))
        return known

    def _look_up(self, token: str) -> Meaning:
        group = self._words.get(token)
        if group is None:
            inside = (self._runs if _WITHOUT_SPACES.search(token) else self._parts).findall(token)
            group = min((self._words[w] for w in inside), default=None)
        return Meaning(group, tuple(self._phrases.get(token, ())))

    def groups(self, words: Sequence[str]) -> list[int]:
        """The group of every word and phrase of ours among these tokens."""
        found: list[int] = []
        known, look_up = self._known, self.meaning
        for at, token in enumerate(words):
            meaning = known.get(token) or look_up(token)
            group, phrases = meaning
            if phrases:
                after = [fold(word) for word in words[at + 1 : at + 1 + MAX_PHRASE]]
                for rest, whole in phrases:
                    if after[: len(rest)] == rest:
                        group = whole if group is None else min(group, whole)
            if group is not None:
                found.append(group)
        return found

    def spread(self, words: Iterable[str]) -> list[int]:
        """The groups of single words, each word once: quicker, for whole pages."""
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
    """The word lists by language; `any` holds what is the same everywhere."""
    folder = resources.files("geohound.orders").joinpath("words")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return {f.name.removesuffix(".toml"): tomllib.loads(f.read_text("utf-8")) for f in files}


@cache
def lexicon() -> Lexicon:
    return Lexicon(read_lists().values())


# Of two words one tells more: weights of the topic's vector.
_WEIGHT = {Group.SERVICE: 1.0, Group.PORTAL: 0.6, Group.THEME: 0.3}
_TOPIC_LENGTH = math.sqrt(sum(w * w for w in _WEIGHT.values()))


_last: list[tuple[Page, float]] = []


def page_similarity(page: Page) -> float:
    """Cosine between the topic and a page; asked for each of its links, worked out once."""
    if not _last or _last[0][0] is not page:
        _last[:] = [(page, similarity(f"{page.title} {page.text[:MAX_TEXT]}"))]
    return _last[0][1]


@lru_cache(maxsize=4096)
def similarity(text: str) -> float:
    """Cosine between the topic and a text, 0 to 1, in the vector space of the topic's groups and all other words."""
    words = tokens(text)
    if not words:
        return 0.0
    ours = Counter(lexicon().groups(words))
    dot = sum(weight * ours[group] for group, weight in _WEIGHT.items())
    if not dot:
        return 0.0
    length = math.sqrt(sum(n * n for n in Counter(words).values()))
    inside = math.sqrt(sum(ours[g] * ours[g] for g in _WEIGHT))
    return min(1.0, dot / (_TOPIC_LENGTH * max(length, inside)))
