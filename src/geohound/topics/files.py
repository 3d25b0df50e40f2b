"""Reads topics from their files: `id`, `title`, `source` and a table of classes, each with its words by language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from geohound.model.topic import Topic, TopicClass


class TopicError(Exception):
    """A topic file that cannot be used; the message says which and why."""


def read_topic(path: Path) -> Topic:
    """The topic in a file; TopicError says what is wrong with it."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        classes = tuple(_read_class(path, name, table) for name, table in data["classes"].items())
        topic = Topic(str(data["id"]), str(data["title"]), classes, str(data.get("source", "")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TopicError(f"The topic file {path} cannot be read: {error}.") from None
    except (KeyError, AttributeError):
        raise TopicError(f"The topic file {path} needs an id, a title and a table of classes.") from None
    if not topic.classes:
        raise TopicError(f"The topic file {path} has no class.")
    return topic


def _read_class(path: Path, name: str, table: Mapping[str, Any]) -> TopicClass:
    words = {k: v for k, v in table.items() if k != "title"}
    for language, listed in words.items():
        if not isinstance(listed, list) or not all(isinstance(w, str) and w.strip("* ") for w in listed):
            raise TopicError(f"In {path}, {name}.{language} must be a list of words.")
    kept = MappingProxyType({language: tuple(listed) for language, listed in words.items()})
    return TopicClass(name, str(table.get("title", name)), kept)


TOPICS = tuple(read_topic(path) for path in sorted(Path(__file__).parent.glob("*.toml")))
