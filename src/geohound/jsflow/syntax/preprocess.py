"""A script without its comments and without the blocks that can hold no address: most of a bundle goes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

# Strings come before comments, so that the slashes of an address are not taken for one. What is open runs to its end:
# no alternative fails once it has begun, or a file of openings would cost the square of its length.
_TOKEN = re.compile(
    rb"(?:[^\"'`/{}<]++|\"(?:[^\"\\\n]++|\\.)*+\"?+|'(?:[^'\\\n]++|\\.)*+'?+"
    rb"|\{[^\"'`/{}<]{0,150}+\}"  # a short block that holds nothing of interest is text like any other
    rb"|(?:(?<=[(,=:\[!&|?;+*%~^{-])|(?<=[(,=:\[!&|?;+{]\s)|(?<==>)|(?<=return)|(?<=return\s)|(?<=case\s)|(?<=typeof\s))"
    rb"/(?![/*])(?:[^/\\\[\n]++|\\.|\[(?:[^\]\\\n]++|\\.)*+\]?+)++/)*+"
    rb"(?:(?P<mark>[{}`])|(?P<comment>//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+|<!--[^\n]*+)|[/<])",
    re.DOTALL,
)
_TEMPLATE = re.compile(rb"(?:[^`\\$]++|\\.|\$(?!\{))*+(?:`|\$\{)?", re.DOTALL)
# Words that stand near addresses, strings that begin a path, and what the helpers of bundlers and compilers say.
_HINT_WORDS = (
    "http wms wfs wcs wmts wps csw /ows ows? url service location mapserv arcgis proxy tiles "
    "\"/ '/ `/ }/ \"./ './ \"../ '../"
)
_HINTS = (
    *(word.encode() for word in _HINT_WORDS.split()),
    b"exports:{",
    b"exports: {",
    b"attempt to destructure",
    b"addlayer(",
    b"addsource(",
)
# What stands near an address that is written out may call what holds it, whatever its own words are.
WRITTEN = re.compile(rb"[\"'`](?:https?:)?//(?!www\.w3\.org/)[\w.$-]{4}")
_NEAR = 3_000
_KEPT_BLOCK = 160  # shorter blocks are cheaper to parse than to cut
CUT_FROM = 40_000
MAX_NESTING = 1_000
_IN_TEMPLATE = -1


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What is left of a script, and how its places map to the original."""

    data: bytes
    starts: tuple[int, ...]  # in the cleaned data, where a kept piece begins
    origins: tuple[int, ...]  # and where that piece began before

    def origin(self, offset: int) -> int:
        at = bisect_right(self.starts, offset) - 1
        return self.origins[at] + offset - self.starts[at] if at >= 0 else offset

    def place(self, origin: int) -> int:
        """Where a place of the original stands now, or what follows it if it was cut out."""
        at = bisect_right(self.origins, origin) - 1
        end = self.starts[at + 1] if at + 1 < len(self.starts) else len(self.data)
        return min(self.starts[at] + origin - self.origins[at], end) if at >= 0 else 0


@dataclass(slots=True)
class _Cutter:
    """Walks a script once; knows the blocks that are open and what can be left out."""

    data: bytes
    hints: list[int] | None
    written: list[int] = field(default_factory=list)
    cuts: list[tuple[int, int]] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)

    def walk(self) -> None:
        at, match = 0, _TOKEN.match
        while token := match(self.data, at):
            at = token.end()
            kind = token.lastgroup
            if kind == "mark":
                at = self._mark(at)
            elif kind == "comment":
                self.cuts.append(token.span("comment"))

    def _mark(self, at: int) -> int:
        mark = self.data[at - 1]
        if mark == 123:
            self.opened.append(at)
        elif mark == 125:
            begin = self.opened.pop() if self.opened else at
            if begin == _IN_TEMPLATE:
                return self._template(at)
            if self.hints is not None and at - 1 - begin >= _KEPT_BLOCK:
                self._close(begin, at - 1, self.hints)
        else:
            return self._template(at)
        return at

    def _template(self, at: int) -> int:
        """The end of a template, or of its text before an expression."""
        found = _TEMPLATE.match(self.data, at)
        at = found.end() if found else len(self.data)
        if self.data[at - 2 : at] == b"${":
            self.opened.append(_IN_TEMPLATE)
        return at

    def _close(self, begin: int, end: int, hints: list[int]) -> None:
        if _is_any(self.written, begin - _NEAR, end + _NEAR):
            return
        at = bisect_left(hints, begin)
        if (
            at < len(hints)
            and hints[at] < end
            and not self._are_cut(begin, end, hints[at : at + 5])
        ):
            return
        while self.cuts and self.cuts[-1][0] >= begin:
            self.cuts.pop()
        self.cuts.append((begin, end))

    def _are_cut(self, begin: int, end: int, hints: list[int]) -> bool:
        """Comments speak of addresses too; a few of them are looked through."""
        for position in hints:
            if position >= end:
                return True
            i = bisect_right(self.cuts, (position, 1 << 62)) - 1
            if i < 0 or not begin <= self.cuts[i][0] <= position < self.cuts[i][1]:
                return False
        return len(hints) < 5


def clean(data: bytes) -> Cleaned:
    """Take out comments; of long scripts also every block in which nothing speaks of an address."""
    cutter = _Cutter(data, _places(data) if len(data) > CUT_FROM else None)
    cutter.written = [m.start() for m in WRITTEN.finditer(data)]
    cutter.walk()
    return _without(data, cutter.cuts)


def _is_any(places: list[int], begin: int, end: int) -> bool:
    at = bisect_left(places, begin)
    return at < len(places) and places[at] < end


def _places(data: bytes) -> list[int]:
    lowered = data.lower()
    found = []
    for word in _HINTS:
        at = lowered.find(word)
        while at >= 0:
            found.append(at)
            at = lowered.find(word, at + len(word))
    return sorted(found)


def _without(data: bytes, cuts: list[tuple[int, int]]) -> Cleaned:
    pieces: list[bytes] = []
    starts: list[int] = []
    origins: list[int] = []
    at = length = 0
    for begin, end in (*cuts, (len(data), len(data))):
        if begin > at or not starts:
            pieces.append(data[at:begin])
            starts.append(length)
            origins.append(at)
            length += begin - at
        if end > begin:
            pieces.append(b"\n" if data.find(b"\n", begin, end) >= 0 else b" ")
            length += 1
        at = end
    return Cleaned(b"".join(pieces), tuple(starts), tuple(origins))
