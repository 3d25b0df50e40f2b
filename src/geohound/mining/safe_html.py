"""HTML that a parser can read in a bounded time: hostile nesting and attributes are cut off before parsing."""

from __future__ import annotations

import re
from itertools import islice

from geohound.text.pattern_scan import PatternScan

MAX_TAGS = 200_000
MAX_OPEN_TAGS = 10_000
MAX_ATTRIBUTES = 256
# For each tag the parser may walk all open elements. The sum over the page is what its time grows with; ordinary pages
# stay below a hundredth of this.
MAX_WORK = 100_000_000
_MOST_BRACKETS = 3 * MAX_TAGS  # some stand in scripts and comments
_WINDOW_BYTES = 1 << 16
_FEW_TAGS = 20_000  # all of them open take the parser a second
_FEW_FORMATS = 1_000  # all of them formatting, badly nested: a twentieth of a second
_MOST_OPENED_ANEW = 500_000  # as few formats can open in as many paragraphs
_FEW_CHARS = 20_000  # nothing but attributes of one tag: a third of a second
_LONG_TAG = 2 * MAX_ATTRIBUTES  # a shorter one cannot hold more attributes than allowed
_LOOK_BACK = 8

_SPACE = r"[ \t\n\f\r]"
_NAMED = r"[^ \t\n\f\r/>]"
_ATTRIBUTE_SOURCE = (
    rf"{_NAMED}[^ \t\n\f\r/>=]*+"
    rf"(?:{_SPACE}*+={_SPACE}*+(?:\"[^\"]*+\"?+|'[^']*+'?+|[^ \t\n\f\r>\"'][^ \t\n\f\r>]*+)?+)?+"
)
_ATTRIBUTE = re.compile(_ATTRIBUTE_SOURCE)
# Every page is looked at with the next four: as bytes, which takes half the time.
_MANY_ATTRIBUTES = re.compile(
    rf"<[a-zA-Z]{_NAMED}*+(?:[ \t\n\f\r/]*+{_ATTRIBUTE_SOURCE}){{{MAX_ATTRIBUTES + 1}}}".encode()
)
# Many tags within one make that search go over the same letters again and again: such a page is cut at once.
_LONG_PIECE = re.compile(rb">[^>]{400,}+")
_CROWD = 25
# Without one of these no page has either: such a tag is long, and only in quotes can it hold the sign that ends one.
_SIGNS_OF_MANY = PatternScan((rb"[^>]{400}", rb"=\s*\"[^\">]*>", rb"=\s*'[^'>]*>"))
_ONLY_LONG = [0]  # the first of them alone, which long paragraphs show too
_LONG_TAG_SIGN = PatternScan((rb"<[^>]{400}",))
# Formatting that is left open is opened anew by the parser in every paragraph, and wrongly nested it is sorted out by
# copying: 5,000 tags take seconds and a gigabyte. Under a name of its own an element is just an element.
_FORMATTING_NAMES = (
    rb"(?=[bBcCeEfFiInNsStTuU])"  # looked at first, it halves the time
    rb"(?=(?i:[bisu]|big|code|em|font|nobr|small|strike|strong|tt)[ \t\n\f\r/>])"
)
_FORMATTING_START = re.compile(b"<" + _FORMATTING_NAMES)
_FORMATTING_END = re.compile(b"</" + _FORMATTING_NAMES)
# Quotes count only after an equals sign, comments may end at once: the same tags as the HTML standard's tokeniser sees,
# since a closing tag that only we see would hide how deep the page is.
_TOKEN = re.compile(
    rf"<(?P<end>/?+)(?P<name>[a-zA-Z]{_NAMED}*+)(?P<attributes>(?:[ \t\n\f\r/]++|{_ATTRIBUTE_SOURCE})*+)>?+"
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))|(?P<cdata><!\[CDATA\[)|<[!?/][^>]*+>?+",
    re.DOTALL,
)
# All tags in one call; the text of scripts and the like is passed over with its element.
_ALL_TAGS = re.compile(
    rf"<(?:((?i:script|style|textarea|title|xmp|iframe|noembed|noframes))(?=[ \t\n\f\r/>])"
    rf"(?:[ \t\n\f\r/]++|{_ATTRIBUTE_SOURCE})*+>(.*?)(?=</(?i:\1)[ \t\n\f\r/>]|\Z)"
    rf"|(/?+[a-zA-Z]{_NAMED}*+)(?:>|(?:[ \t\n\f\r/]++|{_ATTRIBUTE_SOURCE})*+>?+))"
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))|<[!?/][^>]*+>?+",
    re.DOTALL,
)
_RAW_TEXT = frozenset(
    ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
)
_RAW_ENDS = {
    name: re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE) for name in _RAW_TEXT
}
_VOID = frozenset(
    (
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    )
)
_CLOSED_BY_NEXT = frozenset(("p", "li", "dt", "dd"))
_END_OPTIONAL = _CLOSED_BY_NEXT | {
    "td",
    "th",
    "tr",
    "tbody",
    "thead",
    "tfoot",
    "option",
    "optgroup",
    "colgroup",
}
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
        self.foreign += name in _FOREIGN

    def close(self, name: str) -> None:
        """Closes the tag if it is the last open one, but for those that need no end."""
        self._watch_drawing(name, is_end=True)
        for closed in _close(name, self.names):
            self.foreign -= closed in _FOREIGN
        if len(self.names) <= self._drawing_at:
            self._drawing_at = -1

    def _watch_drawing(self, name: str, *, is_end: bool) -> None:
        """A tag of HTML ends a drawing, and within a label all tags are HTML again."""
        if self._drawing_at < 0:
            return
        top = self.names[-1]
        if (top in _DRAWN and (name in _DRAWN or name in _LABELS)) or (
            is_end and top == name
        ):
            return
        self._drawing_at = -1


def tame(source: bytes) -> bytes:
    """A page in UTF-8 up to where reading it would cost too much; in a long one `b` is `x-b`, as is all formatting."""
    brackets = source.count(b"<")
    if brackets > _MOST_BRACKETS:
        source = _start(source)
    if brackets > _FEW_FORMATS and _may_open_many_anew(source, brackets):
        source = _FORMATTING_END.sub(b"</x-", _FORMATTING_START.sub(b"<x-", source))
    if len(source) > _FEW_CHARS and _may_have_many_attributes(source):
        return _cut(source.decode()).encode()
    if brackets > _FEW_TAGS:
        text = source.decode()
        if brackets > MAX_TAGS or _may_nest_deep(text):
            return _cut(text).encode()
    return source


def _may_open_many_anew(source: bytes, tags: int) -> bool:
    """Each formatting that is left open may be opened anew by every other tag."""
    formats = len(_FORMATTING_START.findall(source))
    return formats * tags > _MOST_OPENED_ANEW


def _start(source: bytes) -> bytes:
    """Up to so many brackets, and a few more: each may become an object of its own while the page is looked at."""
    seen = 0
    for at in range(0, len(source), _WINDOW_BYTES):
        seen += source.count(b"<", at, at + _WINDOW_BYTES)
        if seen > _MOST_BRACKETS:
            return source[: source.rfind(b"<", 0, at + _WINDOW_BYTES)]
    return source


def _may_have_many_attributes(source: bytes) -> bool:
    first = source[: source.find(b">")]
    if first.count(b"<") > _CROWD:
        return True
    signs = _SIGNS_OF_MANY.numbers(source)
    if not signs or (signs == _ONLY_LONG and not _LONG_TAG_SIGN.numbers(source)):
        return False
    is_crowded = any(
        piece[0].count(b"<") > _CROWD for piece in _LONG_PIECE.finditer(source)
    )
    return is_crowded or bool(_MANY_ATTRIBUTES.search(source))


def _may_nest_deep(source: str) -> bool:
    """A quick look that takes more tags for open than `_cut` would: what it finds harmless needs no other."""
    if "<![CDATA[" in source:
        return True
    opened: list[str] = []
    drawings = most = 0
    tags = _ALL_TAGS.findall(source)
    for raw, words, tag in tags:
        name = tag.lower()
        if raw:
            # within a drawing these are elements like any other
            if drawings and "<" in words:
                return True
        elif name[:1] == "/":
            most = max(most, len(opened))
            _close(name[1:], opened)
        elif _stays_open(name, opened):
            opened.append(name)
            drawings += name in _FOREIGN
    most = max(most, len(opened))
    return most > MAX_OPEN_TAGS or len(tags) * most > MAX_WORK


def _stays_open(name: str, opened: list[str]) -> bool:
    """Is this a tag below which others can stand, and none that takes the place of the one before?"""
    if name in _VOID:
        return False
    return not (opened and opened[-1] == name and name in _CLOSED_BY_NEXT)


def _close(name: str, opened: list[str]) -> list[str]:
    """What an end tag closes: the last open tag, and those above it that need no end; nothing where it is stray."""
    if opened and opened[-1] == name:
        return [opened.pop()]
    for back in range(1, min(_LOOK_BACK, len(opened)) + 1):
        if opened[-back] == name:
            closed = opened[-back:]
            del opened[-back:]
            return closed
        if opened[-back] not in _END_OPTIONAL:
            break
    return []


def _cut(source: str) -> str:
    """Tag by tag: without the attributes of tags that have too many, and the end of a page that nests too deep."""
    pieces: list[str] = []
    kept = at = work = 0
    opened = _OpenTags()
    for _ in range(MAX_TAGS):
        match = _TOKEN.search(source, at)
        if match is None:
            return "".join(pieces) + source[kept:] if pieces else source
        at = match.end()
        if match["name"]:
            if at - match.start() > _LONG_TAG and _has_too_many_attributes(
                match["attributes"]
            ):
                pieces.append(source[kept : match.end("name")])
                kept = match.end("attributes")
            at = _follow(match, opened)
        elif match[
            "cdata"
        ]:  # text in a drawing and a comment elsewhere: taken out, it is neither
            pieces.append(source[kept : match.start()] + " ")
            kept = at
        work += len(opened.names)
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
    return (
        sum(1 for _ in islice(_ATTRIBUTE.finditer(attributes), MAX_ATTRIBUTES + 1))
        > MAX_ATTRIBUTES
    )
