"""What a service says about itself and offers: titles, layers, boxes, times, provider; all from its spec."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from geoweb.box import Box, around
from geoweb.protocol import ServiceSpec

from ._flavour import Flavour, flavour_of

SHAPES = ("point", "line", "polygon")
MAX_OFFERINGS = 5000


@dataclass(frozen=True, slots=True)
class Offering:
    """Any named thing that a service offers: layer, feature type, coverage, collection, process, dataset."""

    number: int
    slug: str  # plain ASCII, fit for an XML name, unique in its service
    title: str
    abstract: str
    keywords: tuple[str, ...]
    box: Box
    shape: str
    years: tuple[int, int] | None  # the first and last it covers; None: timeless
    group: int  # number of the group it stands in, -1 outside
    scale: tuple[int, int] | None  # denominators, smallest and largest
    style: str
    queryable: bool

    @property
    def times(self) -> tuple[str, str] | None:
        return (
            (f"{self.years[0]}-01-01T00:00:00Z", f"{self.years[1]}-12-31T00:00:00Z")
            if self.years
            else None
        )


@dataclass(frozen=True, slots=True)
class Content:
    """All that a service says about itself."""

    title: str
    abstract: str
    keywords: tuple[str, ...]
    topic: str
    language: str
    organisation: str
    person: str
    email: str
    phone: str
    city: str
    country: str
    fees: str
    constraints: str
    updated: str  # an instant, RFC 3339
    workspace: str
    groups: tuple[str, ...]
    offerings: tuple[Offering, ...]
    box: Box
    flavour: Flavour

    def find(self, name: str) -> Offering | None:
        """The offering of that name, with or without a workspace before it."""
        slug = name.rpartition(":")[2]
        return next((o for o in self.offerings if o.slug == slug), None)


@cache
def vocabulary() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text("utf-8"))


def draw(spec: ServiceSpec, purpose: str) -> random.Random:
    """Chance for one purpose; seeded with text, hence the same in every process."""
    return random.Random(
        f"{spec.kind}|{spec.seed}|{spec.language}|{spec.topic}|{purpose}"
    )


@lru_cache(maxsize=4096)
def content_of(spec: ServiceSpec) -> Content:
    """Everything a service says, drawn from its spec alone."""
    chance = draw(spec, "content")
    words, language = _words_in(spec.language)
    topic, themes = topic_words(spec.topic, language)
    slugs = [slugify(theme) for theme in topic_words(spec.topic, "en")[1]]
    place, person = chance.choice(words["places"]), chance.choice(words["people"])
    licence = chance.choice(words["licences"])
    offerings = tuple(
        _offering(spec, chance, number, (themes, slugs, words))
        for number in range(offering_count(spec))
    )
    family = slugify(topic_words(spec.topic, "en")[0])
    host = (
        spec.endpoint.split("/")[2].partition(":")[0]
        if spec.endpoint.count("/") > 1
        else "example.test"
    )
    return Content(
        title=chance.choice(words["titles"]).format(topic=topic, place=place),
        abstract=chance.choice(words["abstracts"]).format(topic=topic, place=place),
        keywords=(
            topic,
            *chance.sample(themes, min(2, len(themes))),
            *chance.sample(words["keywords"], 2),
        ),
        topic=topic,
        language=language,
        organisation=chance.choice(words["organisations"]).format(place=place),
        person=person,
        email=f"gis{spec.seed % 90 + 10}@{host}",
        phone=f"+{chance.randint(30, 99)} {chance.randint(100, 999)} {chance.randint(10000, 99999)}",
        city=place,
        country=words["country"],
        fees=licence[0],
        constraints=licence[1],
        updated=f"20{chance.randint(15, 25)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T"
        f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}:00Z",
        workspace=family[:12].strip("_"),
        groups=tuple(words["groups"]),
        offerings=offerings,
        box=around([o.box for o in offerings]) if offerings else spec.bbox,
        flavour=flavour_of(spec.endpoint, spec.seed),
    )


def offering_count(spec: ServiceSpec) -> int:
    return min(max(1, spec.layers), MAX_OFFERINGS)


def _words_in(language: str) -> tuple[Mapping[str, Any], str]:
    languages = vocabulary()["languages"]
    code = language.lower().partition("-")[0]
    code = code if code in languages else "en"
    return languages[code], code


def topic_words(topic: str, language: str) -> tuple[str, list[str]]:
    """The topic's name and the themes of its layers; a topic out of the vocabulary goes by its own words."""
    known = vocabulary()["topics"].get(topic.lower().strip())
    if known is None:
        name = " ".join(topic.split()) or "Geodata"
        return name[:1].upper() + name[1:], [name, f"{name} 1:50000", f"{name} index"]
    title, *themes = known.get(language, known["en"])
    return title, themes


def slugify(text: str) -> str:
    """An ASCII name fit for XML and paths."""
    kept = "".join(c if c.isascii() and c.isalnum() else " " for c in text.lower())
    slug = "_".join(kept.split()) or "data"
    return slug if slug[0].isalpha() else "n" + slug


Wording = tuple[list[str], list[str], Mapping[str, Any]]


def _offering(
    spec: ServiceSpec, chance: random.Random, number: int, wording: Wording
) -> Offering:
    themes, slugs, words = wording
    turn, theme = divmod(number, len(themes))
    year = 2024 - 3 * (turn % 12) - spec.seed % 3
    edition = f"_v{turn // 12}" if turn >= 12 else ""
    dated = turn > 0
    title = themes[theme] + (f" {year}" if dated else "") + edition.replace("_v", " ")
    largest = chance.choice((25_000, 100_000, 500_000, 2_000_000))
    return Offering(
        number=number,
        slug=f"{slugs[theme]}_{year}{edition}" if dated else slugs[theme],
        title=title,
        abstract=chance.choice(words["layer_abstracts"]).format(title=title),
        keywords=tuple(
            dict.fromkeys((themes[theme], chance.choice(words["keywords"])))
        ),
        box=spec.bbox if number == 0 else inner_box(spec.bbox, chance),
        shape=SHAPES[chance.randrange(3)],
        years=(year - chance.randint(0, 5), year) if chance.random() < 0.3 else None,
        group=-1 if number == 0 else chance.randrange(-1, len(words["groups"])),
        scale=(chance.choice((500, 1000, 5000)), largest)
        if chance.random() < 0.4
        else None,
        style=chance.choice(("default", "simple", "outline", "thematic")),
        queryable=chance.random() < 0.7,
    )


def inner_box(box: Box, chance: random.Random) -> Box:
    """A box inside another, also across the antimeridian; at least a tenth of its sides."""
    wide = chance.uniform(0.1, 0.9) * box.width
    high = chance.uniform(0.1, 0.9) * box.height
    west = box.west + chance.uniform(0.0, box.width - wide)
    south = box.south + chance.uniform(0.0, box.height - high)
    far = box.west + box.width
    west, east = round(max(west, box.west), 4), round(min(west + wide, far), 4)
    west, east = max(west, box.west), min(east, far)
    south, north = (
        max(round(south, 4), box.south),
        min(round(south + high, 4), box.north),
    )
    if east <= west or north <= south:
        return box
    return Box(
        west - 360 if west > 180 else west,
        south,
        east - 360 if east > 180 else east,
        north,
    )
