"""Where in a script it is worth looking: rare words first, found at the speed of memory, patterns only around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MAX_PLACES = 20_000  # of one word in one script


@dataclass(frozen=True, slots=True)
class Anchor:
    """A pattern, and words in lower case of which every match holds one, at most so many bytes behind its beginning."""

    words: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    before: int

    def find(self, data: bytes, lowered: bytes) -> Iterator[re.Match[bytes]]:
        """Each match once, in order of its place."""
        found: dict[int, re.Match[bytes]] = {}
        for word in self.words:
            at = lowered.find(word)
            left = _MAX_PLACES
            while at >= 0 and left:
                left -= 1
                for start in range(max(0, at - self.before), at + 1):
                    if start not in found and (
                        match := self.pattern.match(data, start)
                    ):
                        found[start] = match
                at = lowered.find(word, at + len(word))
        for start in sorted(found):
            yield found[start]


def anchor(words: str, pattern: str | bytes, before: int = 0) -> Anchor:
    expression = pattern.encode() if isinstance(pattern, str) else pattern
    return Anchor(
        tuple(word.encode() for word in words.split()), re.compile(expression), before
    )
