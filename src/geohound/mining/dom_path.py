"""The DOM path of a link: the elements above it with their classes, `li.row<ul.list<article<main`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from selectolax.lexbor import LexborNode

MAX_PATH = 110
STEPS = 4  # elements above a link in its path
MAX_CLIMB = 16  # elements that are searched for the region of the page, which ends the path at any distance
MAX_LABEL = 24
_MAX_READ = 60  # characters of a class: some are as long as a page
_PARTS = frozenset(
    ("nav", "header", "footer", "aside", "main", "article", "table", "form", "address")
)
_PART_CLASS = re.compile(
    r"nav|menu|crumb|pag(?:er|in)|foot|head|side|main|content|result"
)
_PART_ROLES = frozenset(
    ("navigation", "banner", "contentinfo", "complementary", "main", "search")
)
_DIGITS = re.compile(r"\d+")
_TOP = frozenset(("body", "html", "-undef"))
Traits = tuple[str, str, str, str]  # tag, classes, id, role


class DomPlace:
    """A place in the DOM of a page; elements with the same traits below elements with the same traits share one."""

    __slots__ = ("_below", "_own", "_part", "_steps", "path")

    def __init__(self, steps: tuple[str, ...] = (), part: str = "") -> None:
        self._steps, self._part = steps, part
        self.path = _written(steps, part)
        self._below: dict[Traits, DomPlace] = {}
        self._own: dict[str, str] = {}

    def below(self, traits: Traits) -> DomPlace:
        position = self._below.get(traits)
        if position is None:
            name, is_part = _label(*traits)
            position = self._below[traits] = DomPlace(
                (name, *self._steps[: STEPS - 1]), name if is_part else self._part
            )
        return position

    def path_of(self, classes: str) -> str:
        """The path of a link that has classes itself."""
        path = self._own.get(classes)
        if path is None:
            steps = (_label("a", classes, "", "")[0], *self._steps[: STEPS - 1])
            path = self._own[classes] = _written(steps, self._part)
        return path


class DomPaths:
    """The DOM paths of the links of one page; siblings share them, so each element is read once."""

    def __init__(self) -> None:
        self._top = DomPlace()
        self._known: dict[int, DomPlace] = {}

    def path(self, parent: LexborNode | None, own_classes: str | None) -> str:
        """Up from the element above a link; the classes of the link itself come first, if it has some."""
        position = (
            self._top
            if parent is None
            else self._known.get(parent.mem_id) or self._beside(parent)
        )
        return (
            position.path_of(own_classes[:_MAX_READ]) if own_classes else position.path
        )

    def _beside(self, node: LexborNode) -> DomPlace:
        """The position of a new element; mostly that of its parent is known."""
        above = node.parent
        position = self._known.get(above.mem_id) if above is not None else None
        if position is None:
            return self._climb(node)
        given = node.attributes
        traits = (
            _traits(node.tag or "", given) if given else (node.tag or "", "", "", "")
        )
        found = self._known[node.mem_id] = position.below(traits)
        return found

    def _climb(self, node: LexborNode) -> DomPlace:
        known, position = self._known, self._top
        fresh: list[tuple[int, Traits]] = []
        at: LexborNode | None = node
        while at is not None and len(fresh) < MAX_CLIMB:
            key, tag = at.mem_id, at.tag
            if key in known:
                position = known[key]
                break
            if tag is None or tag in _TOP:
                break
            given = at.attributes
            fresh.append((key, _traits(tag, given) if given else (tag, "", "", "")))
            at = at.parent
        for key, traits in reversed(fresh):
            position = known[key] = position.below(traits)
        return position


def _traits(tag: str, given: Mapping[str, str | None]) -> Traits:
    ident, role = given.get("id") or "", given.get("role") or ""
    return (
        tag,
        (given.get("class") or "")[:_MAX_READ],
        ident[:MAX_LABEL],
        role[:MAX_LABEL],
    )


def _written(steps: tuple[str, ...], part: str) -> str:
    return "<".join((*steps, f"..{part}") if part and part not in steps else steps)[
        :MAX_PATH
    ]


@lru_cache(maxsize=8192)
def _label(tag: str, classes: str, ident: str, role: str) -> tuple[str, bool]:
    """An element as one word, and whether it is a part of the page with a use of its own."""
    tag = tag.removeprefix("x-")[:12]  # which long pages have: see markup.tame
    mark, said = next(
        (
            (mark, said)
            for mark, said in (("@", role), (".", classes), ("#", ident))
            if said
        ),
        ("", ""),
    )
    if mark == "#" and any(map(str.isdigit, ident)):
        mark = said = ""  # the number of one element, not a kind
    said = _DIGITS.sub("#", ".".join(said.lower().replace("<", "").split()))
    is_part = tag in _PARTS or role in _PART_ROLES or bool(_PART_CLASS.search(said))
    return f"{tag}{mark}{said}"[:MAX_LABEL], is_part
