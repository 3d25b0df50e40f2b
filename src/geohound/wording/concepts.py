"""Words that mean the same, in one language or in several, from a data file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from .languages import languages, stem, stop_words
from .words import is_unspaced, split


class Phrase(NamedTuple):
    """One way to say an idea: folded words without stop words, in one language."""

    words: tuple[str, ...]
    language: str


Key = tuple[str, tuple[str, ...]]  # a language and the words or stems of a phrase


def phrases_like(words: Sequence[str]) -> tuple[int, list[Phrase], frozenset[str]]:
    """How many of the first words name a known idea, the other ways to say it, and the languages of the name.

    The longest name counts. Stems are compared only where no name is spelt like this: "flood" is not Swedish.
    """
    ideas = _ideas()
    for length in range(min(len(words), _longest()), 0, -1):
        asked = tuple(words[:length])
        for name in (lambda word, _: word, stem):
            spoken = {code: _named().get((code, tuple(name(word, code) for word in asked)), ()) for code in languages()}
            found = dict.fromkeys(phrase for named in spoken.values() for idea in named for phrase in ideas[idea])
            if found:
                own = frozenset(code for code, named in spoken.items() if named)
                return length, [phrase for phrase in found if phrase.words != asked], own
    return 0, [], frozenset()


@cache
def _ideas() -> Mapping[str, tuple[Phrase, ...]]:
    text = files(__package__).joinpath("concepts.toml").read_text("utf-8")
    ideas: dict[str, tuple[Phrase, ...]] = {}
    for idea, spoken in tomllib.loads(text).items():
        phrases = [Phrase(_meaning(name), code) for code, names in spoken.items() for name in names]
        ideas[idea] = tuple(phrase for phrase in phrases if phrase.words)
    return ideas


@cache
def _named() -> Mapping[Key, tuple[str, ...]]:
    """The ideas that a phrase names, by its words and by its stems."""
    index: dict[Key, list[str]] = {}
    for idea, phrases in _ideas().items():
        for words, code in phrases:
            index.setdefault((code, words), []).append(idea)
            index.setdefault((code, tuple(stem(word, code) for word in words)), []).append(idea)
    return {key: tuple(dict.fromkeys(found)) for key, found in index.items()}


@cache
def _longest() -> int:
    return max(len(phrase.words) for phrases in _ideas().values() for phrase in phrases)


def _meaning(name: str) -> tuple[str, ...]:
    """The words that carry the meaning; none where only a letter or two would be left to look for."""
    words = tuple(word for word in split(name) if word not in stop_words())
    if len(words) == 1 and len(words[0]) < 3 and not is_unspaced(words[0]):
        return ()
    return words
