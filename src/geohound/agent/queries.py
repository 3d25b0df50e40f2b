"""The queries with which a hunt begins, and those of every further day (LC-8: Hou, Chen & Wu 2016, section 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from geohound.model.topic import Topic

from .subject import Subject

# Table 5: the operations of a WMS, and the libraries of pages that show maps.
MANDATORY = (
    "WMS", "getcapabilities", "getmap", "service", "getfeatureinfo",
    "JavaScript", "OpenLayers", "Arcgis", "Mapbox", "Leaflet",
)  # fmt: skip
DAY_S = 24 * 3600.0
# queries of the words that the user gave before their other names are asked for
NARROWED = 3
DAILY_TERMS = 3  # the most frequent ones, each with every mandatory word


def planned_queries(
    words: str, topic_words: Iterable[str] = (), mandatory: Sequence[str] = MANDATORY
) -> list[str]:
    """The words as they are, then with each mandatory word; then each mandatory word with each word of the topic."""
    subjects = [text for text in (" ".join(words.split()), *topic_words) if text]
    own = subjects[:1] if words.split() else []
    combined = [
        f"{subject} {word}"
        for subject in subjects
        for word in mandatory
        if word.lower() not in subject.lower().split()
    ]
    return list(dict.fromkeys([*own, *combined]))


def with_other_names(planned: Sequence[str], words: str) -> list[str]:
    """After the first few queries the other names of what the words name: mandatory words only narrow a query."""
    names = Subject(words).other_names
    return list(dict.fromkeys([*planned[:NARROWED], *names, *planned[NARROWED:]]))


def words_of(topic: Topic, language: str = "en") -> list[str]:
    """The words of a topic in one language and its product names; a star stands for endings, which providers add."""
    found = [
        word.rstrip("*")
        for each in topic.classes
        for word in each.words.get(language, ())
    ]
    return list(dict.fromkeys([*found, *topic.products]))


def daily_queries(
    terms: Mapping[str, int],
    asked: Iterable[str],
    mandatory: Sequence[str] = MANDATORY,
    count: int = DAILY_TERMS,
) -> list[str]:
    """Each mandatory word with the most frequent terms of fetched pages; without what was asked already."""
    known = set(asked)
    by_frequency = sorted(terms, key=lambda term: (-terms[term], term))
    names = {word.lower() for word in mandatory}
    fresh = (
        term
        for term in by_frequency
        if term not in names and not _is_asked(term, mandatory, known)
    )
    return [f"{term} {word}" for term in islice(fresh, count) for word in mandatory]


def _is_asked(term: str, mandatory: Sequence[str], known: set[str]) -> bool:
    return any(f"{term} {word}".lower() in known for word in mandatory)


def masked(queries: Sequence[str], mask: int) -> list[str]:
    """The queries whose bit of the mask is set, the first row being the least significant (Sidsten 2012, seedMask)."""
    return [query for place, query in enumerate(queries) if mask >> place & 1]
