"""Turns a typed query into clauses: each word as typed, by its stem, and by its synonyms; and suggests spellings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from geohound.text import (
    Phrase,
    QueryTerm,
    QueryTerms,
    bigrams,
    closest_word,
    find_synonyms,
    is_unspaced,
    stem,
    stems,
    stop_words,
    weak_words,
)
from geohound.text.languages import languages

from . import weights
from .analysis import STEM_MARK, word_pair
from .postings import Postings

TermGroup = tuple[str, ...]  # terms of the index, one of which an entry must contain


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to match a clause: a term of each group in the same entry; `language` is set for synonyms."""

    term_groups: tuple[TermGroup, ...]
    weight: float = 1.0
    language: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the query, which any of its alternatives matches."""

    text: str
    alternatives: tuple[Alternative, ...]
    is_required: bool = True
    prefix: str = ""  # beside the alternatives, a word with this prefix is needed
    weight: float = 1.0


def parse_clauses(terms: QueryTerms, *, expand: bool) -> list[Clause]:
    """The clauses of a query."""
    included = [term for term in terms.included if not _is_stop_word(term)] or list(
        terms.included
    )
    clauses: list[Clause] = []
    plain_terms: list[QueryTerm] = []
    for term in included:
        if _is_plain(term):
            plain_terms.append(term)
            continue
        clauses += [
            *_plain_clauses(plain_terms, expand),
            _phrase_clause(term, expand=expand),
        ]
        plain_terms = []
    clauses += _plain_clauses(plain_terms, expand)
    if all(not clause.is_required for clause in clauses):
        clauses = [
            Clause(each.text, each.alternatives, True, each.prefix) for each in clauses
        ]
    return [*clauses, *_proximity_clauses(included)]


def _is_plain(term: QueryTerm) -> bool:
    return len(term.words) == 1 and not term.is_prefix and not term.is_quoted


def _is_stop_word(term: QueryTerm) -> bool:
    return (
        not term.is_quoted
        and not term.is_prefix
        and all(word in stop_words() for word in term.words)
    )


def excluded_clauses(terms: QueryTerms) -> list[Clause]:
    return [
        _phrase_clause(term)
        if len(term.words) > 1 or term.is_prefix
        else Clause(term.text, _word_alternatives(term.words[0]))
        for term in terms.excluded
    ]


def _plain_clauses(plain_terms: Sequence[QueryTerm], expand: bool) -> list[Clause]:
    """Clauses of single words; words that together name a concept are one clause."""
    words = [term.words[0] for term in plain_terms]
    clauses: list[Clause] = []
    start = 0
    while start < len(words):
        length, synonyms, matched_languages = (
            find_synonyms(words[start:]) if expand else (0, [], frozenset())
        )
        named = words[start : start + max(length, 1)]
        text = " ".join(
            term.text for term in plain_terms[start : start + max(length, 1)]
        )
        alternatives = (*_all_words(named), *_synonyms(synonyms, matched_languages))
        clauses.append(
            Clause(
                text,
                alternatives,
                is_required=not (len(named) == 1 and named[0] in weak_words()),
            )
        )
        start += len(named)
    return clauses


def _all_words(words: Sequence[str]) -> tuple[Alternative, ...]:
    """All words in one entry, as typed or by their stems."""
    if len(words) == 1:
        return _word_alternatives(words[0])
    exact_groups = tuple(group for word in words for group in _exact_groups(word))
    stemmed_groups = tuple(group for word in words for group in _stemmed_groups(word))
    return Alternative(exact_groups), Alternative(stemmed_groups, weights.STEM)


def _word_alternatives(word: str) -> tuple[Alternative, ...]:
    stemmed_groups = tuple(
        key for group in _stemmed_groups(word) for key in group if key != word
    )
    if is_unspaced(word) or not stemmed_groups:
        return (Alternative(_exact_groups(word)),)
    return Alternative(_exact_groups(word)), Alternative(
        (stemmed_groups,), weights.STEM
    )


def _exact_groups(word: str) -> tuple[TermGroup, ...]:
    return tuple((pair,) for pair in bigrams(word)) if is_unspaced(word) else ((word,),)


def _stemmed_groups(word: str) -> tuple[TermGroup, ...]:
    if is_unspaced(word):
        return _exact_groups(word)
    stemmed = [stem_ for stem_ in sorted(stems(word)) if len(stem_) > 2]
    return (
        tuple(
            dict.fromkeys((word, *(STEM_MARK + stem_ for stem_ in stemmed), *stemmed))
        ),
    )


def _synonyms(
    phrases: Sequence[Phrase], matched_languages: frozenset[str]
) -> list[Alternative]:
    """Other names of the concept; those in the language of the query count more."""
    alternatives = []
    for phrase in phrases:
        term_groups = _phrase_groups(phrase)
        if term_groups:
            weight = (
                weights.SYNONYM
                if phrase.language in matched_languages
                else weights.TRANSLATION
            )
            alternatives.append(
                Alternative(term_groups, weight, phrase.language, phrase.words)
            )
    return alternatives


def _phrase_groups(phrase: Phrase) -> tuple[TermGroup, ...]:
    term_groups: list[TermGroup] = []
    for word in phrase.words:
        if is_unspaced(word):
            term_groups += _exact_groups(word)
    spaced = [word for word in phrase.words if not is_unspaced(word)]
    stemmed = [stem(word, phrase.language) for word in spaced]
    if len(stemmed) == 1:
        term_groups.append(
            tuple(dict.fromkeys((spaced[0], STEM_MARK + stemmed[0], stemmed[0])))
        )
    return (
        *term_groups,
        *((word_pair(one, other),) for one, other in pairwise(stemmed)),
    )


def _phrase_clause(term: QueryTerm, *, expand: bool = False) -> Clause:
    """The clause of a phrase, of a compound such as land-cover, which may name a concept, or of a prefix."""
    if term.is_prefix:
        *before, prefix = term.words
        return Clause(term.text, (Alternative(_all_groups(before)),), prefix=prefix)
    words = [word for word in term.words if word not in stop_words()] or list(
        term.words
    )
    may_name_a_concept = expand and not term.is_quoted
    others = _synonyms_of_all(words) if may_name_a_concept else []
    return Clause(
        term.text, (Alternative((*_all_groups(words), *_pair_groups(words))), *others)
    )


def _all_groups(words: Sequence[str]) -> tuple[TermGroup, ...]:
    return tuple(group for word in words for group in _exact_groups(word))


def _synonyms_of_all(words: Sequence[str]) -> list[Alternative]:
    """Those of a concept that all the words together name."""
    length, synonyms, matched_languages = find_synonyms(words)
    return _synonyms(synonyms, matched_languages) if length == len(words) else []


def _pair_groups(words: Sequence[str]) -> list[TermGroup]:
    """Each pair of adjacent words, stemmed in every language."""
    return [
        tuple(
            dict.fromkeys(
                word_pair(stem(one, code), stem(other, code)) for code in languages()
            )
        )
        for one, other in pairwise(words)
        if not is_unspaced(one) and not is_unspaced(other)
    ]


def _proximity_clauses(included: Sequence[QueryTerm]) -> list[Clause]:
    """Optional clauses: words that are adjacent in the query count more where they are adjacent in the text."""
    words = [
        term.words[0]
        for term in included
        if len(term.words) == 1 and not term.is_prefix
    ]
    return [
        Clause(
            "", (Alternative((group,)),), is_required=False, weight=weights.PROXIMITY
        )
        for group in _pair_groups(words)
    ]


_MIN_CHARS = 4


def suggest_spelling(postings: Postings, terms: QueryTerms) -> str:
    """The query with misspelt words corrected; empty where there is nothing to correct."""
    corrected: list[str] = []
    changed = False
    for term in terms.included:
        correction = _correct(postings, term)
        changed = changed or bool(correction)
        corrected.append(correction or _as_typed(term))
    return (
        " ".join([*corrected, *(f"-{_as_typed(term)}" for term in terms.excluded)])
        if changed
        else ""
    )


def _as_typed(term: QueryTerm) -> str:
    text = f'"{term.text}"' if term.is_quoted else term.text
    return f"{text}*" if term.is_prefix else text


def _correct(postings: Postings, term: QueryTerm) -> str:
    word = term.words[0]
    if (
        len(term.words) > 1
        or term.is_prefix
        or len(word) < _MIN_CHARS
        or is_unspaced(word)
        or not word.isalpha()
    ):
        return ""
    if word in stop_words() or any(
        len(postings.find(key).entries)
        for stem_ in stems(word)
        for key in (word, stem_, STEM_MARK + stem_)
    ):
        return ""
    return closest_word(word, postings.vocabularies())
