"""A site in the making: pages with paths, titles, themes and links among themselves."""

from __future__ import annotations

import random
from array import array
from dataclasses import dataclass, field
from enum import IntEnum

from . import prose

# a link is kept as one number: the part of the page times this, plus the page it leads to
_SHIFT = 1 << 28


class Part(IntEnum):
    """The part of a page that a link stands in."""

    CRUMB = 0
    ITEM = 1
    PAGER = 2
    SIDE = 3
    BODY = 4  # inside a sentence
    OUT = 5  # another host
    FOOT = 6  # another host of the same cluster


@dataclass(slots=True)
class Page:
    """One page; links inside a sketch hold local numbers until the web moves them."""

    path: str
    title: str
    theme: str
    links: array[int] = field(default_factory=lambda: array("q"))

    def link(self, part: Part, target: int) -> None:
        self.links.append(part * _SHIFT + target)

    def targets(self) -> list[tuple[Part, int]]:
        return [(_PARTS[code // _SHIFT], code % _SHIFT) for code in self.links]

    def move(self, by: int) -> None:
        for i, code in enumerate(self.links):
            self.links[i] = code + by


_PARTS = tuple(Part)


@dataclass(slots=True)
class Sketch:
    """What a shape draws on: the first page is the home page, `nav` stands on every page."""

    rng: random.Random
    language: str
    theme: str
    wanted: int
    # how addresses hide what pages are about: 0 words, 1 numbers, 2 hashes
    opaque: int = 0
    geo: float = 0.0  # share of the pages that talk of maps
    pages: list[Page] = field(default_factory=list)
    nav: list[int] = field(default_factory=list)
    spots: list[int] = field(default_factory=list)  # where services may stand
    # where filters may be laid over a listing
    lists: list[int] = field(default_factory=list)

    @property
    def left(self) -> int:
        return self.wanted - len(self.pages)

    def add(self, path: str, title: str, theme: str = "") -> int:
        self.pages.append(Page(path, title, theme or self.theme))
        return len(self.pages) - 1

    def leaf(self, shape: str, theme: str = "") -> int:
        """A page of words: `shape` is its path with {slug}, {n} or {x} left open."""
        theme = theme or (prose.GEO if self.rng.random() < self.geo else self.theme)
        title = prose.title(self.rng, self.language, theme)
        return self.add(self.address(shape, title), title, theme)

    def address(self, shape: str, title: str) -> str:
        number = len(self.pages)
        words = prose.slug(title)[:40] or "p"
        return shape.format(
            slug=f"{words}-{number}",
            n=number * 7 + 103,
            x=f"{self.rng.getrandbits(40):010x}",
        )

    def link(self, source: int, part: Part, target: int) -> None:
        if source != target:
            self.pages[source].link(part, target)

    def ui(self, name: str) -> str:
        return str(prose.vocabulary(self.language)["ui"][name])

    def page_through(
        self, first: int, leaves: list[int], per: int, shape: str
    ) -> list[int]:
        """Spread leaves over a listing that starts on `first` and goes on over further pages."""
        chunks = [leaves[i : i + per] for i in range(0, len(leaves), per)] or [[]]
        head = self.pages[first]
        more = (
            self.add(shape.format(k=k), f"{head.title} ({k})", head.theme)
            for k in range(2, len(chunks) + 1)
        )
        listing = [first, *more]
        for at, (page, chunk) in enumerate(zip(listing, chunks, strict=True)):
            for leaf in chunk:
                self.link(page, Part.ITEM, leaf)
            for near in {0, at - 1, at + 1, at + 2, len(listing) - 1}:
                if 0 <= near < len(listing):
                    self.link(page, Part.PAGER, listing[near])
        self.lists += listing[:1]
        return listing
