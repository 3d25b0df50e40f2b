"""Many words or expressions looked for in one pass over a text, at the speed of memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import hyperscan

_EACH_ONCE = hyperscan.HS_FLAG_SINGLEMATCH
_ANY_CASE = hyperscan.HS_FLAG_CASELESS


class PatternScan:
    """Which of these expressions match somewhere in the bytes of a text; time grows with its length alone."""

    def __init__(self, expressions: Sequence[bytes], *, any_case: bool = False) -> None:
        self._count = len(expressions)
        self._database = hyperscan.Database()
        if expressions:
            flags = _EACH_ONCE | _ANY_CASE if any_case else _EACH_ONCE
            numbers = list(range(self._count))
            self._database.compile(
                expressions=expressions, ids=numbers, elements=self._count, flags=flags
            )

    def numbers(self, data: bytes) -> list[int]:
        """The places of the expressions that match, in no order."""
        found: list[int] = []
        if self._count and data:
            self._database.scan(data, match_event_handler=partial(_note, found))
        return found


def _note(
    found: list[int], number: int, _start: int, _end: int, _flags: int, _context: object
) -> None:
    found.append(number)


class WordScan:
    """Which of these words stand in a text."""

    def __init__(self, words: Sequence[str], *, any_case: bool = False) -> None:
        # The bytes of other letters say nothing about their case: such words are never ruled out.
        self._unsought = frozenset(
            word for word in words if not word or not word.isascii()
        )
        self._sought = [
            word for word in dict.fromkeys(words) if word not in self._unsought
        ]
        self._scan = PatternScan(
            [re.escape(word).encode() for word in self._sought], any_case=any_case
        )

    def found(self, data: bytes) -> frozenset[str]:
        """Those that stand in it, and those that are not plain ASCII; `data` is in UTF-8."""
        return self._unsought.union(
            [self._sought[number] for number in self._scan.numbers(data)]
        )
