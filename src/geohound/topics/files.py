"""Reads topics from their files: `id`, `title`, `source`, `products`, and classes with their words by language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from geohound.model.topic import Topic, TopicClass


class TopicError(Exception):
    """An invalid topic file; the message names the file and the reason."""


def read_topic(path: Path) -> Topic:
    """The topic in a file; raises TopicError."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        classes = tuple(
            _read_class(path, name, table) for name, table in data["classes"].items()
        )
        names = str(data["id"]), str(data["title"])
        topic = Topic(
            *names, classes, str(data.get("source", "")), _read_products(path, data)
        )
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TopicError(f"The topic file {path} cannot be read: {error}.") from None
    except (KeyError, AttributeError):
        raise TopicError(
            f"The topic file {path} needs an id, a title and a table of classes."
        ) from None
    if not topic.classes:
        raise TopicError(f"The topic file {path} has no class.")
    return topic


def _read_products(path: Path, data: Mapping[str, Any]) -> tuple[str, ...]:
    listed = data.get("products", [])
    if not isinstance(listed, list) or not all(
        isinstance(name, str) and name.strip() for name in listed
    ):
        raise TopicError(f"In {path}, products must be a list of names.")
    return tuple(listed)


def _read_class(path: Path, name: str, table: Mapping[str, Any]) -> TopicClass:
    words = {k: v for k, v in table.items() if k != "title"}
    for language, listed in words.items():
        if not isinstance(listed, list) or not all(
            isinstance(w, str) and w.strip("* ") for w in listed
        ):
            raise TopicError(f"In {path}, {name}.{language} must be a list of words.")
    kept = MappingProxyType(
        {language: tuple(listed) for language, listed in words.items()}
    )
    return TopicClass(name, str(table.get("title", name)), kept)


TOPICS = tuple(
    read_topic(path) for path in sorted(Path(__file__).parent.glob("*.toml"))
)
