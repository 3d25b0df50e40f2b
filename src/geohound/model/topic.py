"""What services are about: topics, each with classes that are distinguished by words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TopicClass:
    """One class of a topic, and the words of each language that give it away."""

    id: str
    title: str
    words: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Topic:
    """A subject that services are sorted by; its classes stand in the order in which reports ask for them."""

    id: str
    title: str
    classes: tuple[TopicClass, ...]
    source: str = ""  # where the classes come from
    # names of data products, by which pages about it are found
    products: tuple[str, ...] = ()
