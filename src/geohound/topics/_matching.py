"""Looks for the words of all topics in a text at once, as words and not as letters within other words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from geohound.model.service import Service
from geohound.model.topic import Topic

_BREAK = "\0"  # phrases do not run from one text into the next
_GAP = re.compile(r"\W+")
# For ASCII, which most names are, the same by a table of bytes, ten times faster.
_PLAIN = bytes(n if chr(n).isalnum() else 32 for n in range(128)).ljust(256)
_PLAIN_BUT_BREAKS = b"\0" + _PLAIN[1:]
_BETWEEN = f" {_BREAK} "
_ADDRESS = re.compile(r"\b\w{2,10}://\S+")
# Names are written landCover2010 as well as land_cover_2010.
_SEAM = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|(?<=[a-zß-ÿ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Scripts without spaces between words: Han, kana, and the marks that belong to them.
_UNSPACED = re.compile(r"[぀-ヿ㐀-䶿一-鿿豈-﫿々ー]")
_MAX_TEXT_CHARS = 20_000
_MAX_TOKEN_CHARS = 100
_BATCH_CHARS = 200_000
_MAX_KNOWN = 100_000
_LONGEST_PHRASE = 8

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    """What one token means: the classes that it names by itself, its words, and whether a phrase may begin in it."""

    classes: frozenset[int]
    words: Words
    opens: bool


def spaced(text: str) -> str:
    """The text with a blank for all that stands between words, underscores among it."""
    if text.isascii():
        return text.encode("ascii").translate(_PLAIN).decode("ascii")
    return _GAP.sub(" ", text.replace("_", " "))


def fold(text: str) -> str:
    """Lower case without accents; ß and ё as their plain letters."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(c for c in apart if not unicodedata.combining(c)))


def stem(word: str) -> str:
    """A folded word without the -s of its plural: lakes and lake, marshes and marsh, prairies and prairie."""
    if word.endswith("ie") and len(word) > 4:
        return word[:-2] + "y"
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("shes", "ches", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-1]


class Classifier:
    """All topics in one pass over a text; what a token means is worked out once and remembered."""

    def __init__(self, topics: Iterable[Topic]) -> None:
        self.topics = tuple(topics)
        self._labels = [(topic.id, each.id) for topic in self.topics for each in topic.classes]
        self._single: dict[str, set[int]] = {}
        self._starts: dict[str, set[int]] = {}  # words that match everything they begin
        self._phrases: dict[str, list[tuple[Words, int]]] = {}  # by first word
        self._unspaced: dict[str, set[int]] = {}
        self._known: dict[str, _Token | None] = {}
        self._hopeful: dict[Words, bool] = {}
        label = 0
        for topic in self.topics:
            for each in topic.classes:
                for word in dict.fromkeys(w for listed in each.words.values() for w in listed):
                    self._learn(word, label)
                label += 1
        long_first = sorted(self._unspaced, key=len, reverse=True)
        self._find_unspaced = re.compile("|".join(map(re.escape, long_first)) or r"(?!)")

    def classify(self, service: Service) -> list[tuple[str, str]]:
        """Topic and class of all that the words of a service and its layers name, in the order of the topics."""
        found: set[int] = set()
        for text in _batches(dict.fromkeys(_texts(service))):  # layers say much the same as each other
            found |= self._find(text)
        return [self._labels[n] for n in sorted(found)]

    def classify_text(self, text: str) -> list[tuple[str, str]]:
        return [self._labels[n] for n in sorted(self._find(spaced(text)))]

    def _learn(self, word: str, label: int) -> None:
        if _UNSPACED.search(word):
            self._unspaced.setdefault(fold(word), set()).add(label)
            return
        opened = word.endswith("*")
        tokens = spaced(word).split()
        whole = fold("".join(tokens))
        if opened and len(tokens) == 1:
            self._starts.setdefault(whole, set()).add(label)
            return
        # Names of layers write two words as one: landuse, builtup.
        self._single.setdefault(stem(whole), set()).add(label)
        words = tuple(each for token in tokens for each in _words(token))
        if len(words) > 1:
            mark = "*" if opened else ""
            self._phrases.setdefault(words[0], []).append(((*words[1:-1], words[-1] + mark), label))

    def _find(self, text: str) -> set[int]:
        tokens = text.split()
        known = self._known
        found: set[int] = set()
        opening: set[str] = set()
        for token in set(tokens):
            try:
                meaning = known[token]
            except KeyError:
                meaning = self._study(token)
            if meaning is not None:
                found |= meaning.classes
                if meaning.opens:
                    opening.add(token)
        return found | self._find_phrases(tokens, opening) if opening else found

    def _study(self, token: str) -> _Token | None:
        """What a token means; None where it means nothing, which is the rule."""
        meaning = self._read(token)
        if len(token) <= _MAX_TOKEN_CHARS:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            self._known[token] = meaning
        return meaning

    def _read(self, token: str) -> _Token | None:
        if _UNSPACED.search(token):
            whole = fold(token)
            classes = frozenset[int]().union(*(self._unspaced[m] for m in self._find_unspaced.findall(whole)))
            return _Token(classes, (whole,), False) if classes else None
        words = _words(token)
        classes = frozenset[int]().union(*(self._by_word(part) for part in {token[:_MAX_TOKEN_CHARS], *_parts(token)}))
        opens = any(word in self._phrases for word in words)
        return _Token(classes, words, opens) if classes or opens else None

    def _by_word(self, word: str) -> set[int]:
        folded = fold(word)
        found = set(self._single.get(stem(folded), ()))
        for end in range(3, len(folded) + 1):
            found |= self._starts.get(folded[:end], set())
        return found

    def _may_begin(self, pair: Words) -> bool:
        """Do two tokens hold the first two words of some phrase?"""
        known = self._hopeful.get(pair)
        if known is None:
            words = [word for token in pair for word in _words(token)]
            known = any(
                _follows(words, at + 1, rest[:1] if len(rest) > 1 else rest)
                for at, word in enumerate(words)
                for rest, _ in self._phrases.get(word, ())
            )
            if len(self._hopeful) >= _MAX_KNOWN:
                self._hopeful.clear()
            self._hopeful[pair] = known
        return known

    def _find_phrases(self, tokens: list[str], opening: set[str]) -> set[int]:
        found: set[int] = set()
        # Most openings lead nowhere, and of each pair of tokens one look is enough to tell.
        tokens = [*tokens, _BREAK]
        for at in [at for at, token in enumerate(tokens) if token in opening]:
            if not self._may_begin((tokens[at], tokens[at + 1])):
                continue
            near = [word for each in tokens[at : at + _LONGEST_PHRASE] for word in _words(each)]
            for start in range(len(_words(tokens[at]))):
                for rest, label in self._phrases.get(near[start], ()):
                    if label not in found and _follows(near, start + 1, rest):
                        found.add(label)
        return found


def _parts(token: str) -> list[str]:
    return _SEAM.sub(" ", token[:_MAX_TOKEN_CHARS]).split(" ")


@lru_cache(maxsize=50_000)
def _words(token: str) -> Words:
    """The words in a token, folded and stemmed."""
    return tuple(stem(fold(part)) for part in _parts(token))


def _follows(words: list[str], at: int, rest: Words) -> bool:
    if len(words) < at + len(rest):
        return False
    *middle, last = rest
    if words[at : at + len(middle)] != middle:
        return False
    word = words[at + len(middle)]
    return word.startswith(last[:-1]) if last.endswith("*") else word == last


def _texts(service: Service) -> Iterator[str]:
    yield from (service.title, service.abstract, *service.keywords)
    for layer in service.layers:
        yield from (layer.name, layer.title, layer.abstract, *layer.keywords)


def _batches(texts: Iterable[str]) -> Iterator[str]:
    """The texts joined into few, large ones: much faster than one by one, and bounded in memory."""
    plain: list[str] = []
    others: list[str] = []
    size = 0
    for text in texts:
        if not text:
            continue
        cut = text[:_MAX_TEXT_CHARS]
        if "://" in cut:
            cut = _ADDRESS.sub(" ", cut)
        if cut.isascii():
            plain.append(cut)
        else:
            others.append(spaced(cut))
        size += len(cut)
        if size > _BATCH_CHARS:
            yield _joined(plain, others)
            plain, others, size = [], [], 0
    yield _joined(plain, others)


def _joined(plain: list[str], others: list[str]) -> str:
    """ASCII texts are spaced all at once."""
    text = _BETWEEN.join(plain)
    if text.count(_BREAK) >= max(len(plain), 1):  # somebody wrote a break of his own
        text = _BETWEEN.join(one.replace(_BREAK, " ") for one in plain)
    return _BETWEEN.join((text.encode("ascii").translate(_PLAIN_BUT_BREAKS).decode("ascii"), *others))
