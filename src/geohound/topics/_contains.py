"""Classifies services as Hou, Chen & Wu 2016 did: by texts that contain a word anywhere, in English (LC-14)."""

from __future__ import annotations

from collections.abc import Iterable

from geohound.model.service import Service
from geohound.model.topic import Topic

from ._classifier import texts_of

_MAX_TEXT_CHARS = 20_000


class ContainsClassifier:
    """Finds `port` in transport and `ice` in service: matching as published, to compare numbers with the paper's."""

    def __init__(self, topics: Iterable[Topic]) -> None:
        self.topics = tuple(topics)
        self._words = [
            (
                topic.id,
                topic_class.id,
                tuple(
                    word.rstrip("*").lower() for word in topic_class.words.get("en", ())
                ),
            )
            for topic in self.topics
            for topic_class in topic.classes
        ]

    def classify(self, service: Service) -> list[tuple[str, str]]:
        """Topic and class of all words that a name, title, abstract or keyword of service or layers contains."""
        texts = dict.fromkeys(
            text[:_MAX_TEXT_CHARS].lower() for text in texts_of(service) if text
        )
        whole = "\0".join(texts)
        return [
            (topic, class_)
            for topic, class_, words in self._words
            if any(word in whole for word in words)
        ]
