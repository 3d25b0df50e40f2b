"""Words that mean the same, in one language or in several, from a data file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from .languages import languages, stem, stop_words
from .words import fold, is_unspaced, split


class Phrase(NamedTuple):
    """One way to say an idea: folded words without stop words, in one language."""

    words: tuple[str, ...]
    language: str


Key = tuple[str, tuple[str, ...]]  # a language and the stems of a phrase


def phrases_like(words: Sequence[str]) -> tuple[int, list[Phrase]]:
    """How many of the first words name a known idea, and the other ways to say it; the longest name counts."""
    index, ideas = _ideas()
    for length in range(min(len(words), _longest()), 0, -1):
        asked = tuple(words[:length])
        found: dict[Phrase, None] = {}
        for code in languages():
            for idea in index.get((code, tuple(stem(word, code) for word in asked)), ()):
                found |= dict.fromkeys(phrase for phrase in ideas[idea] if phrase.words != asked)
        if found:
            return length, list(found)
    return 0, []


@cache
def _ideas() -> tuple[Mapping[Key, tuple[str, ...]], Mapping[str, tuple[Phrase, ...]]]:
    text = files(__package__).joinpath("concepts.toml").read_text("utf-8")
    index: dict[Key, list[str]] = {}
    ideas: dict[str, tuple[Phrase, ...]] = {}
    for idea, spoken in tomllib.loads(text).items():
        phrases = [Phrase(_meaning(name), code) for code, names in spoken.items() for name in names]
        ideas[idea] = tuple(phrase for phrase in phrases if phrase.words)
        for phrase in ideas[idea]:
            index.setdefault((phrase.language, tuple(stem(w, phrase.language) for w in phrase.words)), []).append(idea)
    return {key: tuple(dict.fromkeys(found)) for key, found in index.items()}, ideas


@cache
def _longest() -> int:
    return max(len(phrase.words) for phrases in _ideas()[1].values() for phrase in phrases)


def _meaning(name: str) -> tuple[str, ...]:
    """The words that carry the meaning; none where only a letter or two would be left to look for."""
    words = tuple(word for word in split(fold(name)) if word not in stop_words())
    if len(words) == 1 and len(words[0]) < 3 and not is_unspaced(words[0]):
        return ()
    return words
