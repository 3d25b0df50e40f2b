"""Builds hits: the service, the best of its matching layers, and the explanation of the match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.contracts import CatalogueStore
from geohound.model.bbox import Relation
from geohound.model.health import HealthState
from geohound.model.search.query import Hit, Query
from geohound.model.service import Layer, Service
from geohound.text import (
    is_unspaced,
    parse_query_terms,
    stems,
    stop_words,
    tokenize,
    tokenize_name,
)

from .query_parser import Clause

MAX_LAYERS, MIN_LAYERS = 20, 5  # shown per hit
_LAYERS_PER_PAGE = 100
_LAYERS_EXPLAINED = 3
_MANY_WORDS = 300
_SHORT_CHARS = 4


class MatchingLayers(NamedTuple):
    """The layers of a service that match: by their index in it, best first."""

    best: npt.NDArray[np.int64]
    has_all_layers: bool  # the others match too, because the service itself does

    def count(self, size: int) -> int:
        return size if self.has_all_layers else len(self.best)

    def indices(self, size: int, first: int, last: int) -> list[int]:
        """From the first to before the last of them; `size` is the number of all layers."""
        indices: list[int] = self.best[first:last].tolist()
        if self.has_all_layers and last > len(self.best):
            others = np.setdiff1d(np.arange(size), self.best, assume_unique=True)
            indices += others[
                max(first - len(self.best), 0) : last - len(self.best)
            ].tolist()
        return indices


@dataclass(frozen=True, slots=True)
class ChosenHit:
    """A service on the page, and the results of its ranking."""

    num: int
    state: HealthState
    rank: float
    ratio: float | None
    layers: MatchingLayers
    size: int  # how many layers it has
    shown: int  # at most so many of them are shown
    duplicates: Sequence[str]  # ids of near-duplicates
    is_address: bool  # the query is its address


def layers_per_hit(hits: int) -> int:
    """How many layers each of so many hits shows: fewer on longer pages."""
    return max(MIN_LAYERS, min(MAX_LAYERS, _LAYERS_PER_PAGE // max(hits, 1)))


def build_hits(
    catalogue: CatalogueStore,
    query: Query,
    clauses: Sequence[Clause],
    page: Sequence[ChosenHit],
) -> list[Hit]:
    """The services of a page from the catalogue, with the layers that are shown of each."""
    # then the query is not about layers
    is_listed = not query.text.strip() and query.bbox is None
    counts = [0 if is_listed else chosen.layers.count(chosen.size) for chosen in page]
    shown = {
        chosen.num: chosen.layers.indices(chosen.size, 0, chosen.shown) if count else []
        for chosen, count in zip(page, counts, strict=True)
    }
    found = catalogue.excerpts(shown)
    return [
        _hit(query, clauses, found[chosen.num], chosen, count)
        for chosen, count in zip(page, counts, strict=True)
        if chosen.num in found
    ]


def _hit(
    query: Query,
    clauses: Sequence[Clause],
    found: Service,
    chosen: ChosenHit,
    count: int,
) -> Hit:
    service, layers = (
        (replace(found, layers=()), found.layers) if found.layers else (found, ())
    )
    words = (
        _explain_words(clauses, service, layers[:_LAYERS_EXPLAINED]) if clauses else ""
    )
    address = "this is the address you asked for" if chosen.is_address else ""
    why = "; ".join(
        filter(None, (address, words, _explain_box(query, chosen)))
    ) or _explain_filters(query)
    return Hit(
        service,
        layers,
        chosen.rank,
        why,
        chosen.state,
        chosen.size,
        count,
        tuple(chosen.duplicates),
    )


def _explain_words(
    clauses: Sequence[Clause], service: Service, layers: Sequence[Layer]
) -> str:
    """The field that matches most clauses, and with which words."""
    fields = {
        "title": [service.title],
        "name": [service.name],
        "layer title": [layer.title for layer in layers],
        "layer name": [layer.name for layer in layers],
        "keywords": [
            *service.keywords[:200],
            *(k for layer in layers for k in layer.keywords[:50]),
        ],
        "abstract": [
            service.abstract[:4000],
            *(layer.abstract[:1000] for layer in layers),
        ],
        "provider": [
            service.provider.name,
            service.provider.contact,
            service.provider.site,
        ],
        "address": [service.endpoint],
        "kind": [service.kind],
    }
    best: tuple[str, list[str], list[str]] = ("", [], [])
    clause_count = sum(bool(clause.text) for clause in clauses)
    for label, texts in fields.items():
        if len(best[1]) + len(best[2]) == clause_count:
            break
        typed, synonyms = _matched_clauses(
            clauses, texts, is_name=label in ("name", "layer name")
        )
        if (len(typed) + len(synonyms), len(typed)) > (
            len(best[1]) + len(best[2]),
            len(best[1]),
        ):
            best = (label, typed, synonyms)
    label, typed, synonyms = best
    matches, verb = ("match", "say") if label == "keywords" else ("matches", "says")
    reasons = [f"{label} {matches} '{' '.join(dict.fromkeys(typed))}'"] if typed else []
    reasons += [f"{label} {verb} {words}" for words in dict.fromkeys(synonyms)]
    return "; ".join(reasons)


def _matched_clauses(
    clauses: Sequence[Clause], texts: Iterable[str], *, is_name: bool
) -> tuple[list[str], list[str]]:
    """The clauses that some texts contain: as typed, and by synonyms."""
    tokenized = [tokenize_name(text) if is_name else tokenize(text) for text in texts]
    words = {word for parts in tokenized for word in parts}
    joined = _padded(tokenized)
    content = _padded(
        [part for part in parts if part not in stop_words()] for parts in tokenized
    )
    typed, synonyms = [], []
    for clause in filter(lambda clause: clause.text, clauses):
        if _contains_clause(clause, words, joined):
            typed.append(clause.text)
        elif synonym := _synonym_in(clause, content):
            synonyms.append(f"'{synonym}' for '{clause.text}'")
    return typed, synonyms


def _padded(tokenized: Iterable[Sequence[str]]) -> str:
    """The words of all texts with spaces around each; no phrase reaches from one text into the next."""
    return "".join(f" {' '.join(parts)} " for parts in tokenized)


def _synonym_in(clause: Clause, content: str) -> str:
    """The first alternative of a clause that a text contains."""
    phrases = (
        " ".join(alternative.words)
        for alternative in clause.alternatives
        if alternative.words
    )
    return next((phrase for phrase in phrases if _contains_phrase(phrase, content)), "")


def _contains_phrase(phrase: str, text: str) -> bool:
    """Does a word of the text begin with the phrase? Without spaces, anywhere; short phrases must be whole words."""
    if is_unspaced(phrase):
        return phrase in text
    return (f" {phrase}" if len(phrase) > _SHORT_CHARS else f" {phrase} ") in text


def _is_part_of(part: str, clause: Clause, joined: str) -> bool:
    """In scripts without spaces a word stands within others; a prefix begins one."""
    return (is_unspaced(part) and part in joined) or (
        part == clause.prefix and f" {part}" in joined
    )


def _contains_clause(clause: Clause, words: set[str], joined: str) -> bool:
    parts, stem_sets = _clause_stems(clause.text)
    if all(part in words or _is_part_of(part, clause, joined) for part in parts):
        return True
    if len(words) >= _MANY_WORDS:
        return False
    return all(
        any(
            word[0] in initials and not word_stems.isdisjoint(stems(word))
            for word in words
        )
        for word_stems, initials in stem_sets
    )


@lru_cache(maxsize=1_000)
def _clause_stems(
    text: str,
) -> tuple[list[str], list[tuple[frozenset[str], frozenset[str]]]]:
    """The words of a clause; the stems of each, and the letters that words with such a stem begin with."""
    parts = tokenize(text)
    stem_sets = [stems(part) for part in parts]
    # A stem begins as its word does, except in Dutch, where a prefix is stripped: gebouw and bouw.
    return parts, [
        (word_stems, frozenset(each[:1] for each in word_stems) | {"g"})
        for word_stems in stem_sets
    ]


_NOTICEABLE = 0.0005  # a box that fits by 0.0 % is no reason


def _explain_box(query: Query, chosen: ChosenHit) -> str:
    if query.bbox is None:
        return ""
    if query.relation is Relation.OVERLAPS and (chosen.ratio or 0) < _NOTICEABLE:
        return ""
    return {
        Relation.WITHIN: "inside the box asked for",
        Relation.CONTAINS: "covers all of the box asked for",
        Relation.OVERLAPS: f"box fits by {chosen.ratio or 0:.1%}".replace("%", " %"),
    }[query.relation]


def _explain_filters(query: Query) -> str:
    """The filters and excluded words, for queries without other words or a box."""
    reasons = [
        f"does not say '{term.text}'" for term in parse_query_terms(query.text).excluded
    ]
    reasons += [
        f"{name} is {' or '.join(values)}" for name, values in query.filters().items()
    ]
    if query.years:
        reasons.append(
            f"covers some of {'-'.join(map(str, dict.fromkeys(query.years)))}"
        )
    return "; ".join(reasons)
