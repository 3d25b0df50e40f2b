"""One hit: the service, the best of its layers that match, and why it is here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.contracts import Catalogue
from geohound.model.bbox import Relation
from geohound.model.health import State
from geohound.model.query import Hit, Query
from geohound.model.service import Layer, Service
from geohound.wording import is_unspaced, parse_terms, split, split_name, stems, stop_words

from .asked import Wish

MAX_LAYERS, MIN_LAYERS = 20, 5  # told of one hit
_LAYERS_PER_PAGE = 100
_LAYERS_ASKED_WHY = 3
_MANY_WORDS = 300
_SHORT_CHARS = 4


class Matching(NamedTuple):
    """The layers of a service that match: by their place in it, best first."""

    best: npt.NDArray[np.int64]
    is_whole: bool  # all others do too, for the service itself says all that was asked

    def count(self, size: int) -> int:
        return size if self.is_whole else len(self.best)

    def some(self, size: int, first: int, last: int) -> list[int]:
        """From the first to before the last of them, out of so many layers."""
        told: list[int] = self.best[first:last].tolist()
        if self.is_whole and last > len(self.best):
            others = np.setdiff1d(np.arange(size), self.best, assume_unique=True)
            told += others[max(first - len(self.best), 0) : last - len(self.best)].tolist()
        return told


@dataclass(frozen=True, slots=True)
class Chosen:
    """A service on the page, and what the search knows of it."""

    num: int
    state: State
    rank: float
    ratio: float | None
    layers: Matching
    size: int  # how many layers it has
    shown: int  # how many of them at most are told
    twins: Sequence[str]  # ids of near-duplicates
    is_address: bool  # it is at the very address that was asked for


def layers_shown(hits: int) -> int:
    """How many layers each of so many hits may tell of; who sees a long page looks at few of each."""
    return max(MIN_LAYERS, min(MAX_LAYERS, _LAYERS_PER_PAGE // max(hits, 1)))


def build_hits(catalogue: Catalogue, query: Query, wishes: Sequence[Wish], page: Sequence[Chosen]) -> list[Hit]:
    """The services of a page as they are in the catalogue, with the layers that are shown of each."""
    is_listed = not query.text.strip() and query.bbox is None  # then layers were not asked for
    counts = [0 if is_listed else chosen.layers.count(chosen.size) for chosen in page]
    shown = {
        chosen.num: chosen.layers.some(chosen.size, 0, chosen.shown) if count else []
        for chosen, count in zip(page, counts, strict=True)
    }
    found = catalogue.excerpts(shown)
    return [
        _hit(query, wishes, found[chosen.num], chosen, count)
        for chosen, count in zip(page, counts, strict=True)
        if chosen.num in found
    ]


def _hit(query: Query, wishes: Sequence[Wish], found: Service, chosen: Chosen, count: int) -> Hit:
    service, layers = (replace(found, layers=()), found.layers) if found.layers else (found, ())
    words = _why_words(wishes, service, layers[:_LAYERS_ASKED_WHY]) if wishes else ""
    address = "this is the address you asked for" if chosen.is_address else ""
    why = "; ".join(filter(None, (address, words, _why_box(query, chosen)))) or _why_filters(query)
    return Hit(service, layers, chosen.rank, why, chosen.state, chosen.size, count, tuple(chosen.twins))


def _why_words(wishes: Sequence[Wish], service: Service, layers: Sequence[Layer]) -> str:
    """The field that grants most of what was asked for, and in which words."""
    fields = {
        "title": [service.title],
        "layer title": [layer.title for layer in layers],
        "layer name": [layer.name for layer in layers],
        "keywords": [*service.keywords[:200], *(k for layer in layers for k in layer.keywords[:50])],
        "abstract": [service.abstract[:4000], *(layer.abstract[:1000] for layer in layers)],
        "provider": [service.provider.name, service.provider.contact, service.provider.site],
        "address": [service.endpoint],
        "kind": [service.kind],
    }
    best: tuple[str, list[str], list[str]] = ("", [], [])
    asked = sum(bool(wish.text) for wish in wishes)
    for label, texts in fields.items():
        if len(best[1]) + len(best[2]) == asked:
            break
        typed, meant = _granted(wishes, texts, is_name=label == "layer name")
        if (len(typed) + len(meant), len(typed)) > (len(best[1]) + len(best[2]), len(best[1])):
            best = (label, typed, meant)
    label, typed, meant = best
    matches, says = ("match", "say") if label == "keywords" else ("matches", "says")
    told = [f"{label} {matches} '{' '.join(dict.fromkeys(typed))}'"] if typed else []
    told += [f"{label} {says} {words}" for words in dict.fromkeys(meant)]
    return "; ".join(told)


def _granted(wishes: Sequence[Wish], texts: Iterable[str], *, is_name: bool) -> tuple[list[str], list[str]]:
    """What was asked for that some texts say: as typed, and in other words."""
    words: set[str] = set()
    joined = meaning = ""
    for text in texts:
        parts = split_name(text) if is_name else split(text)
        words.update(parts)
        joined += f" {' '.join(parts)} "
        meaning += f" {' '.join(part for part in parts if part not in stop_words())} "
    typed, meant = [], []
    for wish in wishes:
        if not wish.text:
            continue
        if _says(wish, words, joined):
            typed.append(wish.text)
            continue
        other = next((w for way in wish.ways if way.words and _begins(w := " ".join(way.words), meaning)), "")
        if other:
            meant.append(f"'{other}' for '{wish.text}'")
    return typed, meant


def _begins(said: str, text: str) -> bool:
    """Does a word of the text begin so? Where there are no spaces, some place; a short word is all or nothing."""
    if is_unspaced(said):
        return said in text
    return (f" {said}" if len(said) > _SHORT_CHARS else f" {said} ") in text


def _says(wish: Wish, words: set[str], joined: str) -> bool:
    parts, roots = _sought(wish.text)
    if all(
        part in words or (is_unspaced(part) and part in joined) or (part == wish.beginning and f" {part}" in joined)
        for part in parts
    ):
        return True
    if len(words) >= _MANY_WORDS:
        return False
    # A stem begins with the letter that its word begins with.
    return all(
        any(word[0] in initials and not some.isdisjoint(stems(word)) for word in words) for some, initials in roots
    )


@lru_cache(maxsize=1_000)
def _sought(asked: str) -> tuple[list[str], list[tuple[frozenset[str], frozenset[str]]]]:
    """The words of what was asked for; the stems of each, and the letters that these begin with."""
    parts = split(asked)
    roots = [stems(part) for part in parts]
    return parts, [(some, frozenset(root[:1] for root in some)) for some in roots]


def _why_box(query: Query, chosen: Chosen) -> str:
    if query.bbox is None:
        return ""
    return {
        Relation.WITHIN: "inside the box asked for",
        Relation.CONTAINS: "covers all of the box asked for",
        Relation.OVERLAPS: f"box fits by {chosen.ratio or 0:.1%}".replace("%", " %"),
    }[query.relation]


def _why_filters(query: Query) -> str:
    """Where nothing but filters was asked for, or words that are not wanted: those."""
    told = [f"does not say '{term.text}'" for term in parse_terms(query.text).unwanted]
    told += [f"{name} is {' or '.join(values)}" for name, values in query.filters().items()]
    if query.years:
        told.append(f"covers some of {'-'.join(map(str, dict.fromkeys(query.years)))}")
    return "; ".join(told)
