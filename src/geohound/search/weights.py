"""All numbers that decide the order of hits; what is written into segments names FORMAT, which must grow with it."""

from __future__ import annotations

from typing import NamedTuple

from geohound.model.health import State


class Field(NamedTuple):
    """Weight of a field, its usual length in words, and how much of its weight the length decides."""

    weight: float
    usual: float
    length_part: float
    manner: str = "plain"  # see Lexicon.read


# BM25F over the fields of an entry; baked into segments, as SATURATION and QUALITY are: changed, they need a new
# segments.FORMAT.
FIELDS = (
    Field(10, 5, 0.6), Field(6, 4, 0.4, "name"), Field(5, 8, 0.7), Field(2.5, 30, 0.5, "long"), Field(3, 4, 0.3),
    Field(1.2, 8, 0.2), Field(16, 1, 0),
)  # fmt: skip
TITLE, NAME, KEYWORDS, ABSTRACT, PROVIDER, ADDRESS, KIND = range(len(FIELDS))
SATURATION = 5.0

# What a service says of itself, in points that add up to 100.
QUALITY = {
    "title": 15, "abstract": 15, "keywords": 10, "provider": 10, "contact": 5, "licence": 10, "box": 10, "layers": 5,
    "https": 5, "sound": 5, "layer titles": 10,
}  # fmt: skip

# Ways to say a word, against the word as typed.
STEM = 0.8
SYNONYM = 0.75
TRANSLATION = 0.6
TRANSLATION_ELSEWHERE = 0.4  # of that, in a text that seems to be in another language
NEIGHBOURS = 0.3  # words typed side by side, where they stand side by side

# Layers and their service.
OF_SERVICE = 0.5  # what a layer gains from what its service says
OF_SERVICE_ALONE = 0.8  # and what it has where only the service says it

# A box asked for beside words scales the worth of the words: a layer that hardly fits keeps this share.
BOX_FLOOR = 0.25

# Among equals: what is known to work, what describes itself, what others point to.
STATE = {State.ALIVE: 0.06, State.DEAD: -0.35, State.UNSURE: -0.03, State.UNKNOWN: 0.0}
QUALITY_BONUS = 0.06
POPULARITY_BONUS = 0.04
MUCH_SEEN = 50.0  # sightings, beyond which more gain nothing
