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

    def __init__(
        self,
        expressions: Sequence[bytes],
        *,
        any_case: bool = False,
        exact: Sequence[bytes] = (),
    ) -> None:
        """The places of those in `exact`, whose case counts anyhow, come after the others."""
        expressions = (*expressions, *exact)
        self._count = len(expressions)
        self._database = hyperscan.Database()
        if expressions:
            usual = _EACH_ONCE | _ANY_CASE if any_case else _EACH_ONCE
            inexact = self._count - len(exact)
            flags = [usual] * inexact + [_EACH_ONCE] * len(exact)
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

    def __init__(
        self, words: Sequence[str], *, any_case: bool = False, exact: Sequence[str] = ()
    ) -> None:
        """Of those in `exact` the case counts anyhow."""
        # The bytes of other letters say nothing about their case: such words are never ruled out.
        self._unsought = frozenset(
            word for word in (*words, *exact) if not word or not word.isascii()
        )
        in_any_case, in_this_case = (
            [word for word in dict.fromkeys(given) if word not in self._unsought]
            for given in (words, exact)
        )
        self._sought = in_any_case + in_this_case
        self._scan = PatternScan(
            _literal(in_any_case), any_case=any_case, exact=_literal(in_this_case)
        )

    def found(self, data: bytes) -> frozenset[str]:
        """Those that stand in it, and those that are not plain ASCII; `data` is in UTF-8."""
        return self._unsought.union(
            [self._sought[number] for number in self._scan.numbers(data)]
        )


def _literal(words: Sequence[str]) -> list[bytes]:
    return [re.escape(word).encode() for word in words]
