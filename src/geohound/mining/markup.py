"""HTML that a parser can read in a bounded time: hostile nesting and attributes are cut off before parsing."""

from __future__ import annotations

import re
from itertools import islice

MAX_TAGS = 200_000
MAX_OPEN_TAGS = 10_000
MAX_ATTRIBUTES = 256
# For each tag the parser may walk all open elements, and open anew all formatting that is still in force. The sum of
# both over the page is what its time and memory grow with; ordinary pages stay below a hundredth of this.
MAX_WORK = 100_000_000
_FORMATTING_WORK = 100
_LONG_TAG = 2 * MAX_ATTRIBUTES  # a shorter one cannot hold more attributes than allowed
_LOOK_BACK = 8

_SPACE = r"[ \t\n\f\r]"
_NAMED = r"[^ \t\n\f\r/>]"
_ATTRIBUTE_SOURCE = (
    rf"{_NAMED}[^ \t\n\f\r/>=]*+"
    rf"(?:{_SPACE}*+={_SPACE}*+(?:\"[^\"]*+\"?+|'[^']*+'?+|[^ \t\n\f\r>\"'][^ \t\n\f\r>]*+)?+)?+"
)
_ATTRIBUTE = re.compile(_ATTRIBUTE_SOURCE)
# Quotes count only after an equals sign, comments may end at once: the same tags as the HTML standard's tokeniser sees,
# since a closing tag that only we see would hide how deep the page is.
_TOKEN = re.compile(
    rf"<(?P<end>/?+)(?P<name>[a-zA-Z]{_NAMED}*+)(?P<attributes>(?:[ \t\n\f\r/]++|{_ATTRIBUTE_SOURCE})*+)>?+"
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))|(?P<cdata><!\[CDATA\[)|<[!?/][^>]*+>?+",
    re.DOTALL,
)
_RAW_TEXT = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"))
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE) for name in _RAW_TEXT}
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
_FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)
_CLOSED_BY_NEXT = frozenset(("p", "li", "dt", "dd"))
_END_OPTIONAL = _CLOSED_BY_NEXT | {"td", "th", "tr", "tbody", "thead", "tfoot", "option", "optgroup", "colgroup"}
_FOREIGN = frozenset(("svg", "math"))
_DRAWN = _FOREIGN | {
    "a", "circle", "clippath", "defs", "ellipse", "g", "image", "line", "lineargradient", "marker", "mask", "path",
    "pattern", "polygon", "polyline", "radialgradient", "rect", "stop", "style", "switch", "symbol", "text", "textpath",
    "tspan", "use",
}  # fmt: skip
_LABELS = frozenset(("title", "desc"))


class _OpenTags:
    """What is open at a place of a page. Where in doubt it takes a tag for open, so the parser is never deeper."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.formatting = 0
        self.foreign = 0
        self._drawing_at = -1  # where the drawing began in which "/>" surely closes; outside of one it closes nothing

    def open(self, name: str, *, closes_itself: bool) -> None:
        self._watch_drawing(name, is_end=False)
        if name in _VOID or (closes_itself and self._drawing_at >= 0):
            return
        if name in _CLOSED_BY_NEXT and self.names and self.names[-1] == name:
            return
        if name in _FOREIGN and self._drawing_at < 0:
            self._drawing_at = len(self.names)
        self.names.append(name)
        self._count(name, 1)

    def close(self, name: str) -> None:
        """Closes the tag if it is the last open one, but for those that need no end."""
        self._watch_drawing(name, is_end=True)
        for back in range(1, min(_LOOK_BACK, len(self.names)) + 1):
            if self.names[-back] == name:
                for closed in self.names[-back:]:
                    self._count(closed, -1)
                del self.names[-back:]
                break
            if self.names[-back] not in _END_OPTIONAL:
                break
        if len(self.names) <= self._drawing_at:
            self._drawing_at = -1

    def _count(self, name: str, change: int) -> None:
        self.formatting += change * (name in _FORMATTING)
        self.foreign += change * (name in _FOREIGN)

    def _watch_drawing(self, name: str, *, is_end: bool) -> None:
        """A tag of HTML ends a drawing, and within a label all tags are HTML again."""
        if self._drawing_at < 0:
            return
        top = self.names[-1]
        if (top in _DRAWN and (name in _DRAWN or name in _LABELS)) or (is_end and top == name):
            return
        self._drawing_at = -1


def tame(source: str) -> str:
    """The source up to where reading it would cost too much, without the attributes of tags that have too many."""
    pieces: list[str] = []
    kept = at = work = 0
    opened = _OpenTags()
    for _ in range(MAX_TAGS):
        match = _TOKEN.search(source, at)
        if match is None:
            return "".join(pieces) + source[kept:] if pieces else source
        at = match.end()
        if match["name"]:
            if at - match.start() > _LONG_TAG and _has_too_many_attributes(match["attributes"]):
                pieces.append(source[kept : match.end("name")])
                kept = match.end("attributes")
            at = _follow(match, opened)
        elif match["cdata"]:  # text in a drawing and a comment elsewhere: taken out, it is neither
            pieces.append(source[kept : match.start()] + " ")
            kept = at
        work += len(opened.names) + _FORMATTING_WORK * opened.formatting
        if work > MAX_WORK or len(opened.names) > MAX_OPEN_TAGS:
            break
    return "".join(pieces) + source[kept : max(kept, at)]


def _follow(match: re.Match[str], opened: _OpenTags) -> int:
    """Open or close the tag; where to read on, which is behind the text of scripts and the like."""
    name, at = match["name"].lower(), match.end()
    if match["end"]:
        opened.close(name)
    elif name in _RAW_TEXT and not opened.foreign:
        end = _RAW_ENDS[name].search(match.string, at)
        return end.start() if end else len(match.string)
    else:
        opened.open(name, closes_itself=match[0].endswith("/>"))
    return at


def _has_too_many_attributes(attributes: str) -> bool:
    return sum(1 for _ in islice(_ATTRIBUTE.finditer(attributes), MAX_ATTRIBUTES + 1)) > MAX_ATTRIBUTES
