"""Synonyms and translations: concepts and the phrases that name each of them, from a data file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from .languages import languages, stem, stop_words
from .tokenizer import fold, is_unspaced, tokenize

MAX_WORDS = 6  # of a phrase
START_CHARS = 3  # of words and stems, by which the lines that may hold them are chosen


class Phrase(NamedTuple):
    """A name of a concept in one language: its folded words without stop words, and as people write it."""

    words: tuple[str, ...]
    language: str
    written: str


Key = tuple[str, tuple[str, ...]]  # a language and the words or stems of a phrase


def find_synonyms(words: Sequence[str]) -> tuple[int, list[Phrase], frozenset[str]]:
    """How many of the first words name a known concept, its other names, and the languages in which the words name it.

    The longest match counts. Stems are compared only where no name is spelt like this: "flood" is not Swedish.
    """
    for length in range(min(len(words), MAX_WORDS), 0, -1):
        typed = tuple(words[:length])
        for form in (lambda word, _: word, stem):
            matched = _concepts_by_language(typed, form)
            if matched:
                concepts = chain.from_iterable(matched.values())
                names = dict.fromkeys(chain.from_iterable(map(phrases, concepts)))
                synonyms = [phrase for phrase in names if phrase.words != typed]
                return length, synonyms, frozenset(matched)
    return 0, [], frozenset()


def _concepts_by_language(
    typed: Sequence[str], form: Callable[[str, str], str]
) -> dict[str, tuple[str, ...]]:
    """The concepts that are called so, by the languages that call them so."""
    found = {}
    for code in languages():
        key = tuple(form(word, code) for word in typed)
        if ids := concepts_named((code, key)):
            found[code] = ids
    return found


@cache
def _written_lines() -> Mapping[str, str]:
    """Each concept's line of the file; a search parses few of them."""
    text = Path(__file__).with_name("concepts.toml").read_text("utf-8")
    defined = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {line.partition(" = ")[0]: line for line in defined}


@cache
def lines() -> Mapping[str, str]:
    """The same folded."""
    return {concept: fold(line) for concept, line in _written_lines().items()}


@cache
def phrases(concept: str) -> tuple[Phrase, ...]:
    """All the names of a concept."""
    by_language = tomllib.loads(_written_lines()[concept])[concept]
    named: dict[Key, Phrase] = {}
    for code, names in by_language.items():
        for name in names:
            phrase = Phrase(_content_words(name), code, name)
            named.setdefault((code, phrase.words), phrase)
    return tuple(phrase for phrase in named.values() if phrase.words)


def concepts_named(key: Key) -> tuple[str, ...]:
    """The concepts that these words or stems name."""
    _, words = key
    return _index(words[0][:START_CHARS]).get(key, ())


@lru_cache(maxsize=1_000)
def _index(start: str) -> Mapping[Key, tuple[str, ...]]:
    """Concepts by the words and by the stems of their phrases; of those lines only that may have such a start."""
    index: dict[Key, list[str]] = {}
    for concept, line in lines().items():
        for words, code, _ in phrases(concept) if _may_hold(line, start) else ():
            index.setdefault((code, words), []).append(concept)
            index.setdefault(
                (code, tuple(stem(word, code) for word in words)), []
            ).append(concept)
    return {key: tuple(dict.fromkeys(found)) for key, found in index.items()}


def _may_hold(line: str, start: str) -> bool:
    """May a word or stem of this line begin so? A stem begins as its word does, or further on (Dutch: without ge-)."""
    first = start[:2]
    return start in line or f'"{first}' in line or f" {first}" in line


def _content_words(name: str) -> tuple[str, ...]:
    """The words that are no stop words; none where only one word of one or two letters would be left."""
    words = tuple(word for word in tokenize(name) if word not in stop_words())
    if len(words) == 1 and len(words[0]) < 3 and not is_unspaced(words[0]):
        return ()
    return words
