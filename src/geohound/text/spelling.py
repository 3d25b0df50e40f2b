"""Spelling correction: the known word that is closest to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Vocabulary:
    """Known words and their frequencies, grouped by length."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = counts
        self._by_length: dict[int, list[str]] = {}
        for word in counts:
            self._by_length.setdefault(len(word), []).append(word)

    def closest_word(self, word: str) -> tuple[int, int, str] | None:
        """The known word at the smallest edit distance, among equals the most frequent: distance, count, word.

        An edit inserts, deletes or replaces a letter, or transposes two; words of six letters and more may have two.
        """
        from rapidfuzz.distance import OSA  # noqa: PLC0415 - only misspelt queries need it
        from rapidfuzz.process import extract  # noqa: PLC0415

        max_edits = 1 if len(word) < 6 else 2
        found: list[tuple[int, int, str]] = []
        for length in range(len(word) - max_edits, len(word) + max_edits + 1):
            words = self._by_length.get(length, ())
            candidates = extract(
                word, words, scorer=OSA.distance, score_cutoff=max_edits, limit=None
            )
            found += [
                (int(edits), self.counts[other], other)
                for other, edits, _ in candidates
                if other != word
            ]
        return min(found, key=_nearest_then_frequent, default=None)


def closest_word(word: str, vocabularies: Iterable[Vocabulary]) -> str:
    """The closest word of all vocabularies; empty where none is close enough."""
    found = [
        match
        for vocabulary in vocabularies
        if (match := vocabulary.closest_word(word)) is not None
    ]
    best = min(found, key=_nearest_then_frequent, default=None)
    return best[2] if best else ""


def _nearest_then_frequent(match: tuple[int, int, str]) -> tuple[int, int]:
    edits, count, _ = match
    return edits, -count
