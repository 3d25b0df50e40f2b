"""What the wild web says: themes of everyday life and of maps in twelve languages, titles, slugs and paragraphs."""

from __future__ import annotations

import random
import tomllib
import unicodedata
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

LANGUAGES = {
    "en": 28, "de": 11, "es": 9, "sv": 8, "cs": 8, "tr": 7, "uk": 7, "fi": 5, "hu": 5, "ko": 5, "el": 4, "id": 3,
}  # fmt: skip
GEO = "geo"
STOCK = 48
_FOLDER = Path(__file__).parent / "words"
_LETTERS = str.maketrans({"ß": "ss", "ı": "i", "ł": "l", "đ": "d"})


@cache
def vocabulary(language: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{language}.toml").read_text("utf-8"))


def words_of(language: str, theme: str) -> list[str]:
    """The words of a theme, its name first; those of maps are the subjects and the trade's own words."""
    found = vocabulary(language)
    return (
        [found["geo"][0], *found["subjects"], *found["geo"]]
        if theme == GEO
        else list(found[theme])
    )


@cache
def slug(text: str) -> str:
    plain = (
        unicodedata.normalize("NFKD", text.lower().translate(_LETTERS))
        .encode("ascii", "ignore")
        .decode()
    )
    return "-".join("".join(c if c.isalnum() else " " for c in plain).split())


@cache
def sentences(language: str, theme: str) -> tuple[str, ...]:
    """A stock of sentences about a theme, escaped for HTML."""
    rng = random.Random(f"{language} {theme}")
    found, words = vocabulary(language), words_of(language, theme)[1:]
    made = (
        rng.choice(found["say"]).format(
            a=rng.choice(words), b=rng.choice(words), p=rng.choice(found["places"])
        )
        for _ in range(STOCK)
    )
    return tuple(escape(text[:1].upper() + text[1:]) for text in made)


def title(rng: random.Random, language: str, theme: str) -> str:
    """What a page about a theme is called, escaped for HTML."""
    found, words = vocabulary(language), words_of(language, theme)
    first, second = rng.choice(words[1:]), rng.choice(words[1:])
    place, year = rng.choice(found["places"]), rng.randrange(1996, 2026)
    mould = rng.randrange(5)
    made = (
        f"{first}, {place}",
        f"{first} / {second}",
        f"{place}: {first} {year}",
        f"{first} {year}",
        first,
    )[mould]
    return escape(made[:1].upper() + made[1:])


def service_title(rng: random.Random, language: str) -> str:
    """What a page that owns up to services is called."""
    found = vocabulary(language)
    return escape(f"{rng.choice(found['service'])}: {rng.choice(found['subjects'])}")


def pick_language(rng: random.Random) -> str:
    return rng.choices(list(LANGUAGES), list(LANGUAGES.values()))[0]
