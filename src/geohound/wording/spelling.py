"""Which known word did they mean?"""

from __future__ import annotations

from collections.abc import Iterable

_MAX_COMPARED = 20_000


def closest(word: str, known: Iterable[tuple[str, int]]) -> str:
    """The known word with the fewest slips away, among equals the most frequent; empty where none is near.

    One slip is a letter too many, too few, wrong, or two in the wrong order; long words may have two.
    """
    most = 1 if len(word) < 6 else 2
    best: tuple[int, int, str] | None = None
    for number, (other, count) in enumerate(known):
        if number >= _MAX_COMPARED:
            break
        if abs(len(other) - len(word)) > most or other == word:
            continue
        slips = distance(word, other, best[0] if best else most)
        if slips <= most and (best is None or (slips, -count) < best[:2]):
            best = (slips, -count, other)
    return best[2] if best else ""


def distance(one: str, other: str, most: int) -> int:
    """Slips between two words (optimal string alignment); `most` + 1 where there are more than `most`."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, counterpart in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != counterpart))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == counterpart:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
