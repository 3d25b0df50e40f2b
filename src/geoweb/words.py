"""Vocabulary of the geoweb's languages, and titles, slugs and sentences made of it."""

from __future__ import annotations

import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from importlib import resources
from typing import NamedTuple

from geoweb.chance import Dice, Salt, text_number

LANGUAGES = ("en", "de", "fr", "es", "pt", "nl", "it", "pl", "ru", "zh", "ja")
STOCK = 64
CARDS = 512
OFF_TOPIC = 100  # topics from here on are no geography
_LETTERS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ł": "l", "ø": "o", "æ": "ae"}
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """One language; `off` holds groups of words, the group's name first."""

    slugs: bool  # may its words appear in paths and host names?
    ui: dict[str, str]
    topics: list[str]
    geo: list[str]
    types: list[str]
    geo_sections: list[str]
    off: list[list[str]]
    places: list[tuple[str, float, float]]
    titles: list[str]
    service_titles: list[str]
    geo_sentences: list[str]
    sentences: list[str]


@cache
def vocabulary(language: str) -> Vocabulary:
    text = (
        resources.files("geoweb")
        .joinpath("vocabulary", f"{language}.toml")
        .read_text("utf-8")
    )
    return Vocabulary(**tomllib.loads(text))


@lru_cache(maxsize=8192)
def slug(text: str) -> str:
    """The words of a path: plain letters, digits and hyphens."""
    plain = (
        unicodedata.normalize("NFKD", text.lower().translate(_LETTERS))
        .encode("ascii", "ignore")
        .decode()
    )
    return "-".join("".join(c if c.isalnum() else " " for c in plain).split())


def subject(language: str, topic: int, number: int) -> str:
    """What a page of this topic is about."""
    words = vocabulary(language)
    if topic >= OFF_TOPIC:
        group = words.off[topic - OFF_TOPIC]
        return group[1 + number % (len(group) - 1)]
    return words.topics[topic]


@cache
def sentences(language: str, topic: int) -> tuple[str, ...]:
    """A stock of sentences about one topic; teasers and paragraphs are taken from it."""
    words = vocabulary(language)
    dice = Dice(text_number(language), topic, Salt.WORDS)
    moulds = words.sentences if topic >= OFF_TOPIC else words.geo_sentences
    return tuple(
        _capital(
            dice.pick(moulds).format(
                s=subject(language, topic, dice.below(60)),
                p=dice.pick(words.places)[0],
                y=1998 + dice.below(29),
                g=dice.pick(words.geo),
            )
        )
        for _ in range(STOCK)
    )


@cache
def paragraphs(language: str, topic: int) -> tuple[str, ...]:
    """A stock of paragraphs: joining sentences anew for each page would cost more than all the rest."""
    stock = sentences(language, topic)
    dice = Dice(text_number(language), topic, Salt.BODY)
    joint = "" if language in {"zh", "ja"} else " "
    return tuple(
        joint.join(dice.pick(stock) for _ in range(2 + dice.below(4)))
        for _ in range(STOCK)
    )


class Card(NamedTuple):
    """What a link to a leaf says, and the slug in its path."""

    title: str  # escaped for HTML
    slug: str


@cache
def cards(language: str, topic: int) -> tuple[Card, ...]:
    """A stock of titles about one topic."""
    words = vocabulary(language)
    slug_language = language if words.slugs else "en"
    dice = Dice(text_number(language), topic, Salt.TITLE)
    made = []
    for _ in range(CARDS):
        number = dice.below(60)
        title = dice.pick(words.titles).format(
            s=subject(language, topic, number),
            p=dice.pick(words.places)[0],
            t=dice.pick(words.types),
            y=1998 + dice.below(29),
        )
        made.append(
            Card(escape(_capital(title)), slug(subject(slug_language, topic, number)))
        )
    return tuple(made)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
