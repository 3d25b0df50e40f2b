"""One host of the geoweb: its name, language, look, size, topics and troubles, all drawn from its number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from geoweb.chance import Dice, Salt, mix, unit
from geoweb.layout import Layout, Sort, Spot, make_layout
from geoweb.trouble import UNREADABLE, WALLS, Trouble
from geoweb.words import CARDS, OFF_TOPIC, Card, cards, slug, vocabulary

TOPIC_COUNT, OFF_COUNT = 15, 6
FAMILY_COUNT, SCHEME_COUNT = 10, 10


class Role(StrEnum):
    """What a host has to do with geography."""

    PROVIDER = "provider"  # has services
    DECOY = "decoy"  # speaks of maps all day and has none
    NEIGHBOUR = "neighbour"  # touches geography now and then: universities, newspapers
    ELSEWHERE = "elsewhere"


class Genre(StrEnum):
    PORTAL = "portal"
    CATALOGUE = "catalogue"
    PROJECT = "project"
    NEWS = "news"
    BLOG = "blog"
    FORUM = "forum"
    PAPERS = "papers"
    SHOP = "shop"


class Charset(StrEnum):
    """Where a page says which encoding it is in."""

    HEADER = "header"
    META = "meta"
    BOTH = "both"


ROLE_SHARES = ((Role.PROVIDER, 0.12), (Role.DECOY, 0.08), (Role.NEIGHBOUR, 0.1))
TOPICAL_SECTIONS = {
    Role.PROVIDER: 0.6,
    Role.DECOY: 0.85,
    Role.NEIGHBOUR: 0.25,
    Role.ELSEWHERE: 0.015,
}
GENRES: dict[Role, tuple[tuple[Genre, float], ...]] = {
    Role.PROVIDER: (
        (Genre.PORTAL, 4),
        (Genre.CATALOGUE, 3),
        (Genre.PROJECT, 2),
        (Genre.PAPERS, 1),
    ),
    Role.DECOY: (
        (Genre.SHOP, 2),
        (Genre.BLOG, 2),
        (Genre.NEWS, 2),
        (Genre.FORUM, 1),
        (Genre.PORTAL, 1),
    ),
    Role.NEIGHBOUR: (
        (Genre.PAPERS, 3),
        (Genre.NEWS, 2),
        (Genre.BLOG, 2),
        (Genre.FORUM, 2),
        (Genre.PROJECT, 1),
    ),
    Role.ELSEWHERE: (
        (Genre.NEWS, 3),
        (Genre.BLOG, 3),
        (Genre.SHOP, 3),
        (Genre.FORUM, 2),
        (Genre.PAPERS, 1),
    ),
}
_LANGUAGE_SHARES = (
    ("en", 34), ("de", 14), ("fr", 9), ("es", 9), ("pt", 6), ("nl", 5),
    ("it", 5), ("pl", 4), ("ru", 6), ("zh", 5), ("ja", 4),
)  # fmt: skip
_WESTERN = (
    ("utf-8", 75.0),
    ("iso-8859-1", 11.0),
    ("iso-8859-15", 7.0),
    ("windows-1252", 6.0),
    ("utf-16", 1.0),
)
_ENCODINGS: dict[str, tuple[tuple[str, float], ...]] = {
    "pl": (("utf-8", 80.0), ("iso-8859-2", 19.0), ("utf-16", 1.0)),
    "ru": (("utf-8", 64.0), ("windows-1251", 30.0), ("koi8-r", 5.0), ("utf-16", 1.0)),
    "zh": (("utf-8", 60.0), ("gb2312", 29.0), ("gb18030", 10.0), ("utf-16", 1.0)),
    "ja": (("utf-8", 60.0), ("shift_jis", 29.0), ("euc-jp", 10.0), ("utf-16", 1.0)),
}
_STEMS = {
    Role.PROVIDER: (
        "survey", "environment", "city", "county", "water", "uni", "forestry", "geodata", "planning",
    ),
    Role.DECOY: (
        "map-shop", "gps-forum", "geo-world", "atlas-club", "gis-jobs", "mapfans", "geo-news", "hiking-maps",
    ),
    Role.NEIGHBOUR: ("university", "institute", "gazette", "journal", "research", "observer"),
    Role.ELSEWHERE: (
        "kitchen", "sports", "cars", "music", "clinic", "school", "fashion", "news", "garden", "hotel",
    ),
}  # fmt: skip
_PREFIXES = {
    Role.PROVIDER: ("geoportal.", "gis.", "maps.", "data.", "www.", "www.", "www.", ""),
    Role.DECOY: ("www.", "", "maps."),
}
_SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ra",
    "tes",
    "nor",
    "vel",
    "su",
    "ban",
    "dri",
    "mor",
    "pe",
    "zan",
    "qui",
    "hal",
)


@dataclass(frozen=True, slots=True, eq=False)
class Host:
    """All that decides the pages of one host, but for mentions; compared by identity, for speed."""

    index: int
    seed: int
    name: str
    service_name: str  # where its services answer: the same host or a sister of it
    role: Role
    language: str
    genre: Genre
    family: int
    scheme: int
    encoding: str
    charset: Charset
    place: tuple[str, float, float]
    layout: Layout
    section_topics: tuple[int, ...]
    troubles: frozenset[Trouble]

    @property
    def is_walled(self) -> bool:
        return bool(self.troubles & WALLS)

    @property
    def is_readable(self) -> bool:
        """Can services and the way to other hosts be found on it?"""
        return not self.troubles & (WALLS | UNREADABLE)


@dataclass(frozen=True, slots=True)
class Frame:
    """What the world decides about a host before the host itself is made."""

    seed: int
    role: Role
    pages: int
    troubles: frozenset[Trouble] = frozenset()


def draw_names(frame: Frame, index: int) -> tuple[str, str]:
    """The host's name and the name its services answer under, before clashes are settled."""
    dice = Dice(frame.seed, index, Salt.HOST)
    words = vocabulary(dice.pick_weighted(_LANGUAGE_SHARES))
    place = slug(dice.pick(words.places)[0])
    syllables = "".join(dice.pick(_SYLLABLES) for _ in range(2 + dice.below(2)))
    stem = place if words.slugs and dice.unit() < 0.5 else syllables
    own = dice.pick(_STEMS[frame.role])
    domain = f"{own}-{stem}" if dice.unit() < 0.5 else f"{stem}-{own}"
    if frame.role is Role.PROVIDER and dice.unit() < 0.35:
        domain = stem  # a name that gives nothing away
    prefix = dice.pick(_PREFIXES.get(frame.role, ("www.", "www.", "", "blog.")))
    sister = dice.pick(("gis.", "ows.", "services.", "mapserver.", "wms.", "apps."))
    apart = frame.role is Role.PROVIDER and prefix != sister and dice.unit() < 0.5
    return f"{prefix}{domain}", f"{sister if apart else prefix}{domain}"


def make_host(frame: Frame, index: int, names: tuple[str, str]) -> Host:
    """The whole host; the first draws repeat those of its name so that both agree on the language."""
    first = Dice(frame.seed, index, Salt.HOST)
    language = first.pick_weighted(_LANGUAGE_SHARES)
    place = first.pick(vocabulary(language).places)
    seed = mix(frame.seed, index, Salt.LAYOUT)
    dice = Dice(seed, 1)
    encoding = dice.pick_weighted(_ENCODINGS.get(language, _WESTERN))
    layout = make_layout(frame.pages, seed)
    return Host(
        index=index,
        seed=seed,
        name=names[0],
        service_name=names[1],
        role=frame.role,
        language=language,
        genre=dice.pick_weighted(GENRES[frame.role]),
        family=dice.below(FAMILY_COUNT),
        scheme=dice.below(SCHEME_COUNT),
        encoding=encoding,
        charset=Charset.BOTH if encoding == "utf-16" else dice.pick(tuple(Charset)),
        place=place,
        layout=layout,
        section_topics=tuple(
            _draw_section_topic(frame.role, seed, s) for s in range(layout.sections)
        ),
        troubles=frame.troubles,
    )


def _draw_section_topic(role: Role, seed: int, section: int) -> int:
    topical = unit(seed, section, Salt.TOPIC) < TOPICAL_SECTIONS[role]
    if role is Role.PROVIDER and section == 0:
        topical = True
    number = mix(seed, section, Salt.WORDS)
    return number % TOPIC_COUNT if topical else OFF_TOPIC + number % OFF_COUNT


class Gist(NamedTuple):
    """What is asked about a page again and again; `number` is the page's own chance."""

    spot: Spot
    topic: int
    number: int
    card: Card  # title and slug, should it be a leaf


@lru_cache(maxsize=16384)
def gist_of(host: Host, page: int) -> Gist:
    """Mostly a page is about what its section is about."""
    spot = host.layout.spot(page)
    number = mix(host.seed, page, Salt.TITLE)
    topic = host.section_topics[spot.section] if host.section_topics else OFF_TOPIC
    if spot.sort is Sort.LEAF and number % 100 >= 85:
        other = number >> 40
        topic = (
            other % TOPIC_COUNT if topic < OFF_TOPIC else OFF_TOPIC + other % OFF_COUNT
        )
    return Gist(
        spot, topic, number, cards(host.language, topic)[(number >> 16) % CARDS]
    )


def share_pages(pages: int, hosts: int, seed: int) -> list[int]:
    """Host sizes after Zipf (exponent 1.1, the very first ranks left out), in an order drawn by chance."""
    by_rank = sorted(range(hosts), key=lambda i: mix(seed, i, Salt.SIZE))
    weights = [(rank + 3) ** -1.1 for rank in range(hosts)]
    scale = pages / math.fsum(weights)
    sizes = [0] * hosts
    for rank, index in enumerate(by_rank):
        sizes[index] = max(8, round(weights[rank] * scale))
    return sizes
