"""Where in its page a link stands: the tags above it with their classes, `li.row<ul.list<article<main`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from selectolax.lexbor import LexborNode

MAX_WAY = 110
STEPS = 4  # elements above a link that are named
MAX_CLIMB = 16  # that are looked at for the part of the page, which is named however far away it is
MAX_LABEL = 24
_MAX_READ = 60  # characters of a class: some are as long as a page
_PARTS = frozenset(("nav", "header", "footer", "aside", "main", "article", "table", "form", "address"))
_PART_CLASS = re.compile(r"nav|menu|crumb|pag(?:er|in)|foot|head|side|main|content|result")
_PART_ROLES = frozenset(("navigation", "banner", "contentinfo", "complementary", "main", "search"))
_DIGITS = re.compile(r"\d+")
_TOP = frozenset(("body", "html", "-undef"))
Traits = tuple[str, str, str, str]  # tag, classes, id, role


class Spot:
    """A kind of place in a page; elements that are marked alike below elements marked alike are the same."""

    __slots__ = ("_below", "_own", "_part", "_steps", "way")

    def __init__(self, steps: tuple[str, ...] = (), part: str = "") -> None:
        self._steps, self._part = steps, part
        self.way = _written(steps, part)
        self._below: dict[Traits, Spot] = {}
        self._own: dict[str, str] = {}

    def below(self, traits: Traits) -> Spot:
        spot = self._below.get(traits)
        if spot is None:
            name, is_part = _label(*traits)
            spot = self._below[traits] = Spot((name, *self._steps[: STEPS - 1]), name if is_part else self._part)
        return spot

    def way_of(self, classes: str) -> str:
        """Of a link that has classes itself."""
        way = self._own.get(classes)
        if way is None:
            steps = (_label("a", classes, "", "")[0], *self._steps[: STEPS - 1])
            way = self._own[classes] = _written(steps, self._part)
        return way


class Standing:
    """The ways above the links of one page; neighbours share them, so each element is read once."""

    def __init__(self) -> None:
        self._top = Spot()
        self._known: dict[int, Spot] = {}

    def way(self, parent: LexborNode | None, own_classes: str | None) -> str:
        """Up from the element above a link; the classes of the link itself come first, if it has some."""
        spot = self._top if parent is None else self._known.get(parent.mem_id) or self._beside(parent)
        return spot.way_of(own_classes[:_MAX_READ]) if own_classes else spot.way

    def _beside(self, node: LexborNode) -> Spot:
        """An element met for the first time; mostly its neighbours were met before it."""
        above = node.parent
        spot = self._known.get(above.mem_id) if above is not None else None
        if spot is None:
            return self._climb(node)
        given = node.attributes
        traits = _traits(node.tag or "", given) if given else (node.tag or "", "", "", "")
        found = self._known[node.mem_id] = spot.below(traits)
        return found

    def _climb(self, node: LexborNode) -> Spot:
        known, spot = self._known, self._top
        fresh: list[tuple[int, Traits]] = []
        at: LexborNode | None = node
        while at is not None and len(fresh) < MAX_CLIMB:
            key, tag = at.mem_id, at.tag
            if key in known:
                spot = known[key]
                break
            if tag is None or tag in _TOP:
                break
            given = at.attributes
            fresh.append((key, _traits(tag, given) if given else (tag, "", "", "")))
            at = at.parent
        for key, traits in reversed(fresh):
            spot = known[key] = spot.below(traits)
        return spot


def _traits(tag: str, given: Mapping[str, str | None]) -> Traits:
    ident, role = given.get("id") or "", given.get("role") or ""
    return tag, (given.get("class") or "")[:_MAX_READ], ident[:MAX_LABEL], role[:MAX_LABEL]


def _written(steps: tuple[str, ...], part: str) -> str:
    return "<".join((*steps, f"..{part}") if part and part not in steps else steps)[:MAX_WAY]


@lru_cache(maxsize=8192)
def _label(tag: str, classes: str, ident: str, role: str) -> tuple[str, bool]:
    """An element as one word, and whether it is a part of the page with a use of its own."""
    tag = tag.removeprefix("x-")[:12]  # which long pages have: see markup.tame
    said = role or classes or ident
    mark = "@" if role else "." if classes else "#" if ident else ""
    if not (role or classes) and any(map(str.isdigit, ident)):
        said = mark = ""  # the number of one element, not a kind
    said = _DIGITS.sub("#", ".".join(said.lower().replace("<", "").split()))
    is_part = tag in _PARTS or role in _PART_ROLES or bool(_PART_CLASS.search(said))
    return f"{tag}{mark}{said}"[:MAX_LABEL], is_part
