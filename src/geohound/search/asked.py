"""What is asked for, word by word: each as typed, by its stem, and by other words that mean the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from geohound.wording import Phrase, Term, Terms, is_unspaced, pairs, phrases_like, stem, stems, stop_words, weak_words
from geohound.wording.languages import languages

from . import weights
from .lexicon import STEM, pair

Factor = tuple[str, ...]  # keys of the index, one of which an entry must hold


@dataclass(frozen=True, slots=True)
class Way:
    """One way to say a thing: all factors in one entry; in a language, where it is a translation."""

    factors: tuple[Factor, ...]
    weight: float = 1.0
    language: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing asked for: in any of these ways."""

    text: str
    ways: tuple[Way, ...]
    is_required: bool = True
    beginning: str = ""  # any word that begins so will do
    weight: float = 1.0


def wishes_of(terms: Terms, *, expand: bool) -> list[Wish]:
    """The wishes that a typed query amounts to."""
    wanted = [term for term in terms.wanted if not _is_empty(term)] or list(terms.wanted)
    wishes: list[Wish] = []
    run: list[Term] = []
    for term in wanted:
        if len(term.words) == 1 and not term.is_prefix and not term.is_quoted:
            run.append(term)
            continue
        wishes += [*_plain(run, expand), _special(term, expand=expand)]
        run = []
    wishes += _plain(run, expand)
    if all(not wish.is_required for wish in wishes):
        wishes = [Wish(w.text, w.ways, True, w.beginning) for w in wishes]
    return [*wishes, *_neighbours(wanted)]


def _is_empty(term: Term) -> bool:
    return not term.is_quoted and not term.is_prefix and all(word in stop_words() for word in term.words)


def unwanted_of(terms: Terms) -> list[Wish]:
    return [
        _special(term) if len(term.words) > 1 or term.is_prefix else Wish(term.text, _ways(term.words[0]))
        for term in terms.unwanted
    ]


def _plain(run: Sequence[Term], expand: bool) -> list[Wish]:
    """Single words; those that together name an idea are one wish."""
    words = [term.words[0] for term in run]
    wishes: list[Wish] = []
    place = 0
    while place < len(words):
        length, synonyms, own = phrases_like(words[place:]) if expand else (0, [], frozenset())
        named = words[place : place + max(length, 1)]
        text = " ".join(term.text for term in run[place : place + max(length, 1)])
        ways = (*_together(named), *_synonyms(synonyms, own))
        wishes.append(Wish(text, ways, is_required=not (len(named) == 1 and named[0] in weak_words())))
        place += len(named)
    return wishes


def _together(words: Sequence[str]) -> tuple[Way, ...]:
    """All words in one entry: as typed, or by their stems."""
    if len(words) == 1:
        return _ways(words[0])
    exact = tuple(factor for word in words for factor in _exactly(word))
    loose = tuple(factor for word in words for factor in _loosely(word))
    return Way(exact), Way(loose, weights.STEM)


def _ways(word: str) -> tuple[Way, ...]:
    loose = tuple(key for factor in _loosely(word) for key in factor if key != word)
    if is_unspaced(word) or not loose:
        return (Way(_exactly(word)),)
    return Way(_exactly(word)), Way((loose,), weights.STEM)


def _exactly(word: str) -> tuple[Factor, ...]:
    return tuple((piece,) for piece in pairs(word)) if is_unspaced(word) else ((word,),)


def _loosely(word: str) -> tuple[Factor, ...]:
    if is_unspaced(word):
        return _exactly(word)
    roots = [root for root in sorted(stems(word)) if len(root) > 2]
    return (tuple(dict.fromkeys((word, *(STEM + root for root in roots), *roots))),)


def _synonyms(phrases: Sequence[Phrase], own: frozenset[str]) -> list[Way]:
    """Other words for the same; those of the asker's language count more."""
    ways = []
    for phrase in phrases:
        factors = _phrase_factors(phrase)
        if factors:
            weight = weights.SYNONYM if phrase.language in own else weights.TRANSLATION
            ways.append(Way(factors, weight, phrase.language, phrase.words))
    return ways


def _phrase_factors(phrase: Phrase) -> tuple[Factor, ...]:
    factors: list[Factor] = []
    for word in phrase.words:
        if is_unspaced(word):
            factors += _exactly(word)
    spaced = [word for word in phrase.words if not is_unspaced(word)]
    roots = [stem(word, phrase.language) for word in spaced]
    if len(roots) == 1:
        factors.append(tuple(dict.fromkeys((spaced[0], STEM + roots[0], roots[0]))))
    return (*factors, *((pair(one, other),) for one, other in pairwise(roots)))


def _special(term: Term, *, expand: bool = False) -> Wish:
    """A phrase, a word of several parts such as land-cover, which may name an idea, or a beginning."""
    words = [word for word in term.words if word not in stop_words()] or list(term.words)
    if term.is_prefix:
        *words, beginning = term.words
        factors = tuple(factor for word in words for factor in _exactly(word))
        return Wish(term.text, (Way(factors),), beginning=beginning)
    factors = tuple(factor for word in words for factor in _exactly(word))
    length, synonyms, own = phrases_like(words) if expand and not term.is_quoted else (0, [], frozenset())
    others = _synonyms(synonyms, own) if length == len(words) else []
    return Wish(term.text, (Way((*factors, *_neighbour_factors(words))), *others))


def _neighbour_factors(words: Sequence[str]) -> list[Factor]:
    """Each word after the one before, in whatever language the text was taken to be."""
    return [
        tuple(dict.fromkeys(pair(stem(one, code), stem(other, code)) for code in languages()))
        for one, other in pairwise(words)
        if not is_unspaced(one) and not is_unspaced(other)
    ]


def _neighbours(wanted: Sequence[Term]) -> list[Wish]:
    """Words that were typed side by side are worth more where they stand side by side."""
    words = [term.words[0] for term in wanted if len(term.words) == 1 and not term.is_prefix]
    return [
        Wish("", (Way((factor,)),), is_required=False, weight=weights.NEIGHBOURS)
        for factor in _neighbour_factors(words)
    ]
