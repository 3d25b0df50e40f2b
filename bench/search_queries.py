"""Mixed queries as people type them: words, boxes, both, with and without filters."""

from __future__ import annotations

import random

from lifelike_words import draw

from geohound.model.bbox import BBox, Relation
from geohound.model.search.query import Query
from geoweb.chance import Dice
from geoweb.services._content import vocabulary as service_vocabulary
from geoweb.words import vocabulary

LANGUAGES = (
    "en",
    "en",
    "en",
    "de",
    "de",
    "fr",
    "fr",
    "es",
    "pt",
    "nl",
    "it",
    "zh",
    "ja",
    "ru",
)
BROAD = (
    "map",
    "wms",
    "data",
    "2020",
    "water",
    "areas",
    "types",
    "Karte",
    "service",
    "land",
    "network",
    "Daten",
)


def mixed_queries(count: int, seed: int) -> list[Query]:
    chance = random.Random(seed)
    return [_query(chance) for _ in range(count)]


def _query(chance: random.Random) -> Query:
    mode = chance.choices(("words", "box", "both"), (45, 20, 35))[0]
    filters: dict[str, tuple[str, ...]] = {}
    if chance.random() < 0.25:
        filters = {chance.choice(("kind", "language", "https", "crs")): ()}
        filters = {name: (_value(name, chance),) for name in filters}
    language = chance.choice(LANGUAGES)
    return Query(
        text=_text(language, chance) if mode != "box" else "",
        bbox=_box(language, chance) if mode != "words" else None,
        relation=chance.choices(list(Relation), (80, 10, 10))[0],
        where=filters,
        limit=20,
        offset=chance.choice((0, 0, 0, 0, 20, 100)),
    )


def _value(name: str, chance: random.Random) -> str:
    values = {
        "kind": ("wms", "wfs"),
        "language": ("de", "en"),
        "https": ("yes",),
        "crs": ("EPSG:4326",),
    }
    return chance.choice(values[name])


def _text(language: str, chance: random.Random) -> str:
    themes = [
        words
        for topic in service_vocabulary()["topics"].values()
        for words in [topic.get(language, topic["en"])]
    ]
    words = chance.choice(chance.choice(themes))
    # a word that is not of the geoweb, alone or beside one that is
    if chance.random() < 0.3:
        rare = draw(language, Dice(chance.getrandbits(60)))
        words = rare if chance.random() < 0.5 else f"{words} {rare}"
    place = chance.choice(vocabulary(language).places)[0]
    drawn = chance.random()
    if drawn < 0.40:
        return words
    if drawn < 0.60:
        return f"{words} {place}"
    if drawn < 0.70:
        return f"{words} {chance.randint(2000, 2024)}"
    if drawn < 0.80:
        return chance.choice(BROAD)
    if drawn < 0.86:
        return f'"{words}"'
    if drawn < 0.92:
        return f"{words[:4]}*"
    if drawn < 0.96:
        return f"{words} -{place}"
    return words[:-2] + words[-1:] if len(words) > 5 else f"{place}x"


def _box(language: str, chance: random.Random) -> BBox:
    _, lon, lat = chance.choice(vocabulary(language).places)
    half = chance.choice((0.2, 1, 3, 10, 40))
    west, east = lon - half, lon + half
    if chance.random() < 0.05:
        return BBox(170, -30, -170, 10)
    return BBox(
        max(-180, west), max(-90, lat - half), min(180, east), min(90, lat + half)
    )
