"""On which line of a text a value stands."""

from __future__ import annotations

import re
from bisect import bisect_left

from geohound.jsflow.step_budget import BYTES, Meter

_MAX_VALUE = 200
# characters gone back over for values that stand in another order
_MAX_RETURNS = 100_000_000
# How JSON and XML may write what addresses hold; none of it is, or holds, the end of a line.
_WRITTEN = (("\\/", "/"), ("\\u0026", "&"), ("&amp;", "&"))


class Lines:
    """Values are asked for in the order of the text, as a rule: each is looked for from the one before it on."""

    def __init__(self, text: str, meter: Meter) -> None:
        for written, meant in _WRITTEN:
            text = text.replace(written, meant)
        self._text = text
        self._meter = meter
        self._ends = [m.start() for m in re.finditer("\n", text)]
        self._at = 0
        self._returns = 0

    def of(self, value: str) -> int:
        """Counted from 0; the first line for a value that is not found."""
        sought = value[:_MAX_VALUE]
        if self._returns > _MAX_RETURNS:
            return 0
        found = self._text.find(sought, self._at)
        if found < 0:
            self._returns += len(self._text)
            self._meter.note(len(self._text) // BYTES)
            found = max(self._text.find(sought, 0, self._at + len(sought)), 0)
        else:
            self._meter.note((found - self._at) // BYTES)
            self._at = found
        return bisect_left(self._ends, found)
