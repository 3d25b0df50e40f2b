"""Classifies services by topic: finds the words of all topics in their texts in one pass, as whole words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from geohound.model.service import Service
from geohound.model.topic import Topic

_SEPARATOR = "\0"  # phrases do not span texts
_NON_WORD = re.compile(r"\W+")
# The same for ASCII, which most names are, by a table of bytes: ten times faster.
_ASCII_TABLE = bytes(n if chr(n).isalnum() else 32 for n in range(128)).ljust(256)
_PLAIN_BUT_SEPARATORS = b"\0" + _ASCII_TABLE[1:]
_TEXT_SEPARATOR = f" {_SEPARATOR} "
_ADDRESS = re.compile(r"\b\w{2,10}://\S+")
# Names are written landCover2010 as well as land_cover_2010.
_WORD_BOUNDARY = re.compile(
    r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|(?<=[a-zß-ÿ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
)
# Scripts without spaces between words: Han, kana, and the marks that belong to them.
_UNSPACED = re.compile(r"[぀-ヿ㐀-䶿一-鿿豈-﫿々ー]")
_MAX_TEXT_CHARS = 20_000
_MAX_TOKEN_CHARS = 100
_BATCH_CHARS = 200_000
_MAX_CACHED = 100_000
_LONGEST_PHRASE = 8

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    """The classes that a token names by itself, its words, and whether a phrase may start in it."""

    classes: frozenset[int]
    words: Words
    starts_phrase: bool


def blank_separators(text: str) -> str:
    """The text with a blank in place of everything between words, including underscores."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_TABLE).decode("ascii")
    return _NON_WORD.sub(" ", text.replace("_", " "))


def fold(text: str) -> str:
    """Lower case without accents; ß and ё as their plain letters."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize(
        "NFC", "".join(c for c in apart if not unicodedata.combining(c))
    )


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
    """Finds all topics in one pass over a text; tokens are analysed once and cached."""

    def __init__(self, topics: Iterable[Topic]) -> None:
        self.topics = tuple(topics)
        self._labels = [
            (topic.id, topic_class.id)
            for topic in self.topics
            for topic_class in topic.classes
        ]
        self._single: dict[str, set[int]] = {}
        self._prefixes: dict[str, set[int]] = {}  # by word
        self._phrases: dict[str, list[tuple[Words, int]]] = {}  # by first word
        self._unspaced: dict[str, set[int]] = {}
        self._tokens: dict[str, _Token | None] = {}
        self._phrase_starts: dict[Words, bool] = {}
        label = 0
        for topic in self.topics:
            for topic_class in topic.classes:
                for word in dict.fromkeys(
                    w for listed in topic_class.words.values() for w in listed
                ):
                    self._add_word(word, label)
                label += 1
        long_first = sorted(self._unspaced, key=len, reverse=True)
        self._find_unspaced = re.compile(
            "|".join(map(re.escape, long_first)) or r"(?!)"
        )

    def classify(self, service: Service) -> list[tuple[str, str]]:
        """Topic and class of all words of a service and its layers, in the order of the topics."""
        found: set[int] = set()
        # texts of layers repeat
        for text in _batches(dict.fromkeys(texts_of(service))):
            found |= self._find(text)
        return [self._labels[n] for n in sorted(found)]

    def classify_text(self, text: str) -> list[tuple[str, str]]:
        return [self._labels[n] for n in sorted(self._find(blank_separators(text)))]

    def _add_word(self, word: str, label: int) -> None:
        if _UNSPACED.search(word):
            self._unspaced.setdefault(fold(word), set()).add(label)
            return
        is_prefix = word.endswith("*")
        tokens = blank_separators(word).split()
        whole = fold("".join(tokens))
        if is_prefix and len(tokens) == 1:
            self._prefixes.setdefault(whole, set()).add(label)
            return
        # Names of layers write two words as one: landuse, builtup.
        self._single.setdefault(stem(whole), set()).add(label)
        words = tuple(part for token in tokens for part in _words(token))
        if len(words) > 1:
            suffix = "*" if is_prefix else ""
            self._phrases.setdefault(words[0], []).append(
                ((*words[1:-1], words[-1] + suffix), label)
            )

    def _find(self, text: str) -> set[int]:
        tokens = text.split()
        cached = self._tokens
        found: set[int] = set()
        phrase_tokens: set[str] = set()
        for token in set(tokens):
            try:
                meaning = cached[token]
            except KeyError:
                meaning = self._look_up(token)
            if meaning is not None:
                found |= meaning.classes
                if meaning.starts_phrase:
                    phrase_tokens.add(token)
        return (
            found | self._find_phrases(tokens, phrase_tokens)
            if phrase_tokens
            else found
        )

    def _look_up(self, token: str) -> _Token | None:
        """The meaning of a token; None for most, which name no class."""
        meaning = self._read(token)
        if len(token) <= _MAX_TOKEN_CHARS:
            if len(self._tokens) >= _MAX_CACHED:
                self._tokens.clear()
            self._tokens[token] = meaning
        return meaning

    def _read(self, token: str) -> _Token | None:
        if _UNSPACED.search(token):
            whole = fold(token)
            classes = frozenset[int]().union(
                *(self._unspaced[m] for m in self._find_unspaced.findall(whole))
            )
            return _Token(classes, (whole,), False) if classes else None
        words = _words(token)
        classes = frozenset[int]().union(
            *(
                self._by_word(part)
                for part in {token[:_MAX_TOKEN_CHARS], *_parts(token)}
            )
        )
        starts_phrase = any(word in self._phrases for word in words)
        return (
            _Token(classes, words, starts_phrase) if classes or starts_phrase else None
        )

    def _by_word(self, word: str) -> set[int]:
        folded = fold(word)
        found = set(self._single.get(stem(folded), ()))
        for end in range(3, len(folded) + 1):
            found |= self._prefixes.get(folded[:end], set())
        return found

    def _may_start_phrase(self, pair: Words) -> bool:
        """Do two tokens contain the first two words of some phrase?"""
        may_start = self._phrase_starts.get(pair)
        if may_start is None:
            words = [word for token in pair for word in _words(token)]
            may_start = any(
                _follows(words, at + 1, rest[:1] if len(rest) > 1 else rest)
                for at, word in enumerate(words)
                for rest, _ in self._phrases.get(word, ())
            )
            if len(self._phrase_starts) >= _MAX_CACHED:
                self._phrase_starts.clear()
            self._phrase_starts[pair] = may_start
        return may_start

    def _find_phrases(self, tokens: list[str], phrase_tokens: set[str]) -> set[int]:
        found: set[int] = set()
        # Most starts are followed by no phrase: pairs of tokens are cached.
        tokens = [*tokens, _SEPARATOR]
        for at in [at for at, token in enumerate(tokens) if token in phrase_tokens]:
            if not self._may_start_phrase((tokens[at], tokens[at + 1])):
                continue
            following = [
                word
                for token in tokens[at : at + _LONGEST_PHRASE]
                for word in _words(token)
            ]
            for start in range(len(_words(tokens[at]))):
                for rest, label in self._phrases.get(following[start], ()):
                    if label not in found and _follows(following, start + 1, rest):
                        found.add(label)
        return found


def _parts(token: str) -> list[str]:
    return _WORD_BOUNDARY.sub(" ", token[:_MAX_TOKEN_CHARS]).split(" ")


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


def texts_of(service: Service) -> Iterator[str]:
    """Names, titles, abstracts and keywords of a service and its layers."""
    yield from (service.name, service.title, service.abstract, *service.keywords)
    for layer in service.layers:
        yield from (layer.name, layer.title, layer.abstract, *layer.keywords)


def _batches(texts: Iterable[str]) -> Iterator[str]:
    """The texts joined into a few large ones: much faster than one by one, and bounded in memory."""
    ascii_texts: list[str] = []
    other_texts: list[str] = []
    size = 0
    for text in texts:
        if not text:
            continue
        cut = text[:_MAX_TEXT_CHARS]
        if "://" in cut:
            cut = _ADDRESS.sub(" ", cut)
        if cut.isascii():
            ascii_texts.append(cut)
        else:
            other_texts.append(blank_separators(cut))
        size += len(cut)
        if size > _BATCH_CHARS:
            yield _joined(ascii_texts, other_texts)
            ascii_texts, other_texts, size = [], [], 0
    yield _joined(ascii_texts, other_texts)


def _joined(ascii_texts: list[str], other_texts: list[str]) -> str:
    """ASCII texts are translated all at once."""
    text = _TEXT_SEPARATOR.join(ascii_texts)
    # a text contains the separator
    if text.count(_SEPARATOR) >= max(len(ascii_texts), 1):
        text = _TEXT_SEPARATOR.join(one.replace(_SEPARATOR, " ") for one in ascii_texts)
    return _TEXT_SEPARATOR.join(
        (
            text.encode("ascii").translate(_PLAIN_BUT_SEPARATORS).decode("ascii"),
            *other_texts,
        )
    )
