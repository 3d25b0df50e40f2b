"""Scores of words and pairs of words as search queries: Sidsten 2012, sections 3.3.2 and 3.3.3."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .rules import ScoreRules


class Occurrences(NamedTuple):
    """Of a word in one place: C(S_O, w) with services, C(S, w) in all."""

    positive: int
    all: int

    @property
    def value(self) -> float:
        """C(S_O, w)² / C(S, w)"""
        return self.positive**2 / self.all if self.all else 0.0


NOWHERE = Occurrences(0, 0)


def time_factor(hours: float, half_life_h: float) -> float:
    """t_f = 1 - e^(-λ·h) with λ = -ln(0.5) / t_h: 0 just after a query was asked, 1 where it never was (h = ∞)."""
    decay = math.log(2) / half_life_h
    return 1.0 - math.exp(-decay * hours)


def word_score(
    urls: Occurrences,
    texts: Occurrences,
    titles: Occurrences,
    factor: float,
    rules: ScoreRules,
) -> float:
    """p(w), with `factor` = t_f(w)."""
    found = (
        rules.url_weight * urls.value
        + rules.text_weight * texts.value
        + rules.title_weight * titles.value
    )
    return found * factor


def pair_score(
    scores: tuple[float, float],
    factor: float,
    others: tuple[Iterable[float], Iterable[float]],
    pair_divisor: float,
) -> float:
    """p(w1, w2); `others` are the time factors of the pairs of w1, and of w2, with each other word."""
    first, second = (sum(1.0 - each for each in factors) for factors in others)
    return factor * sum(scores) / (pair_divisor + max(first, second))


def inverse_correlation(
    word: str, others: Iterable[str], urls: Sequence[frozenset[str]], share: float
) -> float:
    """c_w: 1 where the word never stands in a URL together with one of the others, 0 where another never does without.

    `share` is m: 1 for a word asked alone, c_F for one of a pair.
    """
    with_word = [words for words in urls if word in words]
    lowest = 1.0
    for other in others:
        if other == word:
            continue
        both = sum(other in words for words in with_word)
        of_other = sum(other in words for words in urls) if both else 0
        if of_other:
            lowest = min(lowest, 1.0 - both * share / of_other)
    return lowest
