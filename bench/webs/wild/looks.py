"""The markup of a site: one of a few skeletons under class names that belong to its software alone."""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_WORD = re.compile(r"@(\w+)@")


@dataclass(frozen=True, slots=True)
class Look:
    """Templates for the % operator."""

    page: str
    nav: str
    nav_item: str
    crumb: str
    heading: str
    para: str
    items: str
    item: str
    pager: str
    pager_item: str
    side: str
    side_item: str
    box: str


@cache
def _skeletons() -> list[dict[str, str]]:
    found: list[dict[str, str]] = tomllib.loads(
        (Path(__file__).parent / "looks.toml").read_text("utf-8")
    )["look"]
    return found


@cache
def look(software: int) -> Look:
    """The look that a software gives its sites; equal numbers, equal looks."""
    rng = random.Random(software)
    skeleton = rng.choice(_skeletons())
    manner = rng.randrange(4)
    prefix = "".join(rng.choice("bcdfgklmnprstvx") for _ in range(3))
    names: dict[str, str] = {}

    def private(found: re.Match[str]) -> str:
        word = found[1]
        if word not in names:
            names[word] = (
                word,
                f"{prefix}-{word}",
                f"{prefix}{rng.randrange(100, 999)}",
                f"_{rng.getrandbits(24):06x}",
            )[manner]
        return names[word]

    return Look(
        **{name: _WORD.sub(private, template) for name, template in skeleton.items()}
    )
