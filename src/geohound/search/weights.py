"""All numbers that decide the order of hits; where those of the segments change, segments.FORMAT must increase."""

from __future__ import annotations

from typing import NamedTuple

from geohound.model.health import HealthState


class Field(NamedTuple):
    """Weight of a field, its usual length in words, and the share of length normalisation (BM25's b)."""

    weight: float
    usual_length: float
    length_norm: float
    analyzer: str = "plain"  # see TermCache.analyse_text


# BM25F over the fields of an entry; stored in segments, as SATURATION and QUALITY are: a change needs a new
# segments.FORMAT.
FIELDS = (
    Field(10, 5, 0.6), Field(6, 4, 0.4, "name"), Field(5, 8, 0.7), Field(2.5, 30, 0.5, "long"), Field(3, 4, 0.3),
    Field(1.2, 8, 0.2), Field(16, 1, 0),
)  # fmt: skip
TITLE, NAME, KEYWORDS, ABSTRACT, PROVIDER, ADDRESS, KIND = range(len(FIELDS))
SATURATION = 5.0

# How well a service describes itself, in points that add up to 100.
QUALITY = {
    "title": 15, "abstract": 15, "keywords": 10, "provider": 10, "contact": 5, "licence": 10, "box": 10, "layers": 5,
    "https": 5, "sound": 5, "layer titles": 10,
}  # fmt: skip

# Alternatives to a word, relative to the word as typed.
STEM = 0.8
SYNONYM = 0.75
TRANSLATION = 0.6
TRANSLATION_ELSEWHERE = 0.4  # of that, in texts of another language
PROXIMITY = 0.3  # for adjacent words of the query that are adjacent in the text

# Layers and their service.
SERVICE_SHARE = 0.5  # of the service's score, added to its layers
# of the service's score, for layers that do not match themselves
SERVICE_ONLY_SHARE = 0.8

# With words and a box, the overlap ratio scales the score: the smallest overlap keeps this share.
BOX_FLOOR = 0.25

# Boosts: health, description, popularity.
STATE = {
    HealthState.ALIVE: 0.06,
    HealthState.DEAD: -0.35,
    HealthState.UNSURE: -0.03,
    HealthState.UNKNOWN: 0.0,
}
QUALITY_BONUS = 0.06
POPULARITY_BONUS = 0.04
POPULARITY_SATURATION = 50.0  # sightings; more gain nothing
