"""What a hunt is about, and whether a service is: words, stems and synonyms are compared as search compares them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, zip_longest

from geohound.model.service import Service
from geohound.text import find_synonyms, stems, stop_words, tokenize, tokenize_name

MAX_LAYERS = 200  # of a service that are looked at
MAX_CHARS = 500  # of a title or a keyword
MAX_KEYWORDS = 50
MAX_NAMES = 20

Name = tuple[str, ...]  # words that together name something


class Subject:
    """The words that the user gave; without any, every service is on the subject."""

    def __init__(self, text: str = "") -> None:
        self.words: Name = tuple(text.lower().split())
        self._content = [word for word in tokenize(text) if word not in stop_words()]

    def is_about(self, service: Service) -> bool:
        """Are all its words, or other names of what they name, in the title, the keywords or one layer of a service?"""
        return not self._names or any(self._is_in(entry) for entry in _entries(service))

    def is_asked_in(self, query: Sequence[str]) -> bool:
        """Does a query hold all the words, or other names of what they name?"""
        return self._is_in(tokenize(" ".join(query)))

    @property
    def other_names(self) -> list[str]:
        """What the words name together in other words and languages, one of each language after the other."""
        if len(self._names) != 1:
            return []
        by_language: dict[str, list[str]] = {}
        for phrase in find_synonyms(self._content)[1]:
            by_language.setdefault(phrase.language, []).append(phrase.written)
        turns = zip_longest(*by_language.values())
        return [name for names in turns for name in names if name][:MAX_NAMES]

    @cached_property
    def _names(self) -> list[list[Name]]:
        """The words one by one, where several name a concept together; each with its synonyms."""
        found = []
        left = self._content
        while left:
            count, synonyms, _ = find_synonyms(left)
            length = max(1, count)
            found.append([tuple(left[:length]), *(phrase.words for phrase in synonyms)])
            left = left[length:]
        return found

    def _is_in(self, words: Iterable[str]) -> bool:
        held = frozenset(chain.from_iterable(map(stems, words)))
        return all(
            any(_is_named(name, held) for name in names) for names in self._names
        )


def _is_named(name: Name, held: frozenset[str]) -> bool:
    return all(stems(word) & held for word in name)


def _entries(service: Service) -> Iterator[list[str]]:
    """The words of the service itself, and of each of its layers."""
    yield _words(service.title, service.name, service.keywords)
    for layer in service.layers[:MAX_LAYERS]:
        yield _words(layer.title, layer.name, layer.keywords)


def _words(title: str, name: str, keywords: Sequence[str]) -> list[str]:
    said = " ".join(keyword[:MAX_CHARS] for keyword in keywords[:MAX_KEYWORDS])
    return [
        *tokenize(title[:MAX_CHARS]),
        *tokenize_name(name[:MAX_CHARS]),
        *tokenize(said),
    ]
