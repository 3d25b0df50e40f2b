"""The vector space of best-first and shark-search: the cosine between a topic and a text.

The dimensions are the groups of the vocabulary of map services (services 1, portals 0.6, themes 0.3), where a topic is
given each of its classes (1), and each other word (0). A text counts how often each of them occurs in it.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache

from geohound.model.topic import Topic
from geohound.model.visit import Page

from ._vocabulary import MAX_TEXT, TopicVocabulary, WordGroup, tokens, topic_vocabulary

WEIGHTS = {WordGroup.SERVICE: 1.0, WordGroup.PORTAL: 0.6, WordGroup.THEME: 0.3}
CLASS_WEIGHT = 1.0
MAX_CACHED = 4096

Dimension = int | str  # a group, a class after the groups, or a word of its own


class VectorSpace:
    """Map services, or those of one topic."""

    def __init__(self, topic: Topic | None = None) -> None:
        classes = topic.classes if topic else ()
        first_class = len(WordGroup)
        words_of = {
            first_class + n: [w for listed in c.words.values() for w in listed]
            for n, c in enumerate(classes)
        }
        self._classes = TopicVocabulary([words_of]) if topic else None
        self._weights: dict[int, float] = {
            int(group): weight for group, weight in WEIGHTS.items()
        }
        self._weights |= dict.fromkeys(words_of, CLASS_WEIGHT)
        self._length = math.sqrt(
            sum(weight * weight for weight in self._weights.values())
        )
        self._last: tuple[Page, float] | None = None
        self.similarity = lru_cache(MAX_CACHED)(self._similarity)

    def page_similarity(self, page: Page) -> float:
        """Cosine between the topic and a page; cached for the links of the same page."""
        if self._last is None or self._last[0] is not page:
            self._last = page, self.similarity(f"{page.title} {page.text[:MAX_TEXT]}")
        return self._last[1]

    def _similarity(self, text: str) -> float:
        """Cosine between the topic and a text, 0 to 1."""
        vector = Counter(self._dimensions(tokens(text)))
        dot = sum(weight * vector[group] for group, weight in self._weights.items())
        if not dot:
            return 0.0
        length = math.sqrt(sum(count * count for count in vector.values()))
        return dot / (self._length * length)

    def _dimensions(self, words: list[str]) -> list[Dimension]:
        """The dimension of each word: a class of the topic, else a group of map services, else the word itself."""
        groups = topic_vocabulary().group_of_each(words)
        classes = (
            self._classes.group_of_each(words) if self._classes else [None] * len(words)
        )
        return [
            topic_class
            if topic_class is not None
            else group
            if group in self._weights
            else word
            for word, group, topic_class in zip(words, groups, classes, strict=True)
        ]
