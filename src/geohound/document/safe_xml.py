"""Parse hostile XML without entities, network or exhaustion; find by local name.

The limits of libxml2 stay on (`huge_tree=False`): a text node ends at 10 MB and nesting at depth 256. Beyond
`LARGE_BYTES` a document is read as a stream, so memory holds the bytes, the items made from them, and at most
`MAX_LIVE_NODES` nodes of the tree.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from lxml import etree

Element = etree._Element
Parts = Mapping[str, list[Element]]
Item = TypeVar("Item")

LARGE_BYTES = 7_000_000
MAX_LIVE_NODES = 1_000_000
# In one tree, of some 120 bytes each: "<" is an element, or ends one and lets text follow; "=" an attribute and its text.
MAX_NODES = 700_000
MAX_ITEMS = 100_000
_MAX_NAMES = 20_000
_CHUNK_BYTES = 1 << 17
_MAX_TAGLESS_BYTES = 10_000_000
_WINDOW_BYTES = 1 << 16
_MAX_ATTRIBUTES = 2000  # to one tag, in a window
_STRETCH_BYTES = (
    1 << 12
)  # shorter than half of so many attributes, which take five bytes each
_CENSUS_MARKS = 500_000  # how many "<" may pass between two counts of the nodes alive
_KEY = "geohound-item"

CUT_OFF = "cut off; read what is there"
_MISMATCHED = "mismatched tags closed"
_TROUBLE = {
    "NS_ERR_UNDEFINED_NAMESPACE": "undeclared prefixes accepted",
    "ERR_ATTRIBUTE_REDEFINED": "duplicate attributes dropped",
    "NS_ERR_ATTRIBUTE_REDEFINED": "duplicate attributes dropped",
    "ERR_TAG_NAME_MISMATCH": _MISMATCHED,
    "ERR_TAG_NOT_FINISHED": CUT_OFF,
    "ERR_GT_REQUIRED": CUT_OFF,
    "ERR_DOCUMENT_END": "text after the end ignored",
    "ERR_UNDECLARED_ENTITY": "undeclared entities dropped",
    "WAR_UNDECLARED_ENTITY": "undeclared entities dropped",
}


@dataclass(slots=True)
class Skimmed(Generic[Item]):
    """A document read as a stream: what is left of its tree, and the items made on the way."""

    root: Element | None = None
    items: list[Item] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    seen: int = 0
    truncated: bool = False

    def item(self, element: Element) -> Item | None:
        """What was made of this element before its content was let go."""
        key = element.get(_KEY)
        return self.items[int(key)] if key is not None else None


def _options(recover: bool, encoding: str | None) -> dict[str, Any]:
    return {
        "resolve_entities": False,
        "no_network": True,
        "load_dtd": False,
        "dtd_validation": False,
        "huge_tree": False,
        "remove_blank_text": True,  # a fifth faster, and no reader wants the space between elements
        "remove_comments": True,
        "remove_pis": True,
        "recover": recover,
        "encoding": encoding,
    }


def parse(
    data: bytes, *, recover: bool = False, encoding: str | None = None
) -> Element | None:
    """The root element, or None where there is none to be had."""
    return parse_noting(data, recover=recover, encoding=encoding)[0]


def parse_noting(
    data: bytes, *, recover: bool = False, encoding: str | None = None
) -> tuple[Element | None, list[str]]:
    """The root element and, in words, the errors that were passed over to get it."""
    if not data:
        return None, []
    parser = etree.XMLParser(**_options(recover, encoding))
    try:
        root = etree.fromstring(cut(data), parser)
    except (etree.XMLSyntaxError, ValueError, LookupError):
        return None, []
    return root, name_troubles(parser.error_log) if recover else []


def name_troubles(log: Any) -> list[str]:
    """The parser's errors as sentences for a person, each once."""
    found = dict.fromkeys(
        _TROUBLE.get(entry.type_name, "XML errors skipped") for entry in log
    )
    # a tag closed by the wrong one leaves another open at the end
    if _MISMATCHED in found:
        found.pop(CUT_OFF, None)
    return list(found)


def cut(data: bytes) -> bytes:
    """The bytes up to the budget of nodes; all of them for any document that means well."""
    if len(data) <= _WINDOW_BYTES:
        return data
    seen = 0
    # No two nodes come of fewer than four bytes, such as those of <a/> or of an attribute with its text.
    may_overflow = len(data) > 2 * MAX_NODES
    for start in range(0, len(data), _WINDOW_BYTES):
        if not may_overflow and not _has_long_tag(data, start):
            continue  # neither limit can be reached; counting costs a byte as much as parsing it
        equals = data.count(b"=", start, start + _WINDOW_BYTES)
        if not may_overflow and equals <= _MAX_ATTRIBUTES:
            continue
        tags = data.count(b"<", start, start + _WINDOW_BYTES)
        seen += tags + 2 * equals
        # Attributes by the thousand in one tag cost the parser seconds, each being compared with the others.
        if seen > MAX_NODES or equals > _MAX_ATTRIBUTES * (tags + 1):
            return data[:start]
    return data


def _has_long_tag(data: bytes, start: int) -> bool:
    """True if a stretch of the window may be the inside of one tag with attributes by the thousand."""
    end = min(start + _WINDOW_BYTES, len(data))
    return any(
        data.find(b"<", at, at + _STRETCH_BYTES) < 0
        for at in range(start, end, _STRETCH_BYTES)
    )


def skim(
    data: bytes,
    names: frozenset[str],
    digest: Callable[[Element], Item],
    *,
    encoding: str | None = None,
) -> Skimmed[Item]:
    """Read a large document as a stream: each innermost element of these names is digested, then emptied."""
    result: Skimmed[Item] = Skimmed()
    tags = [tag for name in names for tag in (name, "{*}" + name)]
    parser = etree.XMLPullParser(events=("end",), tag=tags, **_options(True, encoding))
    try:
        for piece in _pieces(data, result):
            parser.feed(piece)
            _digest_finished(parser, tags, digest, result)
        result.root = parser.close()
        _digest_finished(parser, tags, digest, result)
    except (etree.XMLSyntaxError, ValueError):
        result.repairs.append(CUT_OFF)
    result.repairs += name_troubles(parser.feed_error_log)
    result.truncated = result.truncated or CUT_OFF in result.repairs
    return result


def _pieces(data: bytes, result: Skimmed[Any]) -> Iterator[bytes]:
    """The document piece by piece, as long as the budgets of items, live nodes and text without tags last."""
    marks = tagless_bytes = 0
    for start in range(0, len(data), _CHUNK_BYTES):
        piece = data[start : start + _CHUNK_BYTES]
        found = piece.count(b"<")
        marks += found
        tagless_bytes = 0 if found else tagless_bytes + len(piece)
        is_full = (
            result.seen >= MAX_ITEMS
            or tagless_bytes > _MAX_TAGLESS_BYTES
            or len(cut(piece)) < len(piece)
        )
        if is_full or (marks > _CENSUS_MARKS and _is_overfull(result.root)):
            result.truncated = True
            return
        marks = 0 if marks > _CENSUS_MARKS else marks
        yield piece


def _digest_finished(
    parser: Any,
    tags: list[str],
    digest: Callable[[Element], Item],
    result: Skimmed[Item],
) -> None:
    for _, element in parser.read_events():
        if result.root is None:
            result.root = element.getroottree().getroot()
        if (
            result.seen >= MAX_ITEMS
            or next(element.iterchildren(*tags), None) is not None
        ):
            continue
        result.seen += 1
        if not len(element) and not element.attrib:
            continue
        result.items.append(digest(element))
        element.clear()
        element.set(_KEY, str(len(result.items) - 1))


def _is_overfull(root: Element | None) -> bool:
    if root is None:
        return True  # half a million tags and not one item finished
    return float(root.xpath("count(//*) + count(//@*)")) > MAX_LIVE_NODES  # type: ignore[arg-type]


def local(element: Element) -> str:
    """Tag without namespace or undeclared prefix; empty for entities, comments and instructions."""
    return NAMES[element.tag]


class _Names(dict[object, str]):
    """Local names by tag; a dictionary because every element of every document is looked up here."""

    def __missing__(self, tag: object) -> str:
        if len(self) > _MAX_NAMES:
            self.clear()
        name = tag.rpartition("}")[2].rpartition(":")[2] if isinstance(tag, str) else ""
        self[tag] = name = sys.intern(name)
        return name


NAMES = _Names()


def name_of(tag: object) -> str:
    """The local name in a tag, whether its prefix was declared or not."""
    return NAMES[tag]


def namespace(element: Element) -> str:
    tag = element.tag
    return tag[1:].partition("}")[0] if isinstance(tag, str) and tag[:1] == "{" else ""


def index(element: Element | None) -> Parts:
    """The children by local name, in one pass: what a reader that wants many of them should ask for."""
    found: defaultdict[str, list[Element]] = defaultdict(list)
    if element is not None:
        names = NAMES
        for part in element:
            found[names[part.tag]].append(part)
    return found


def children(element: Element, name: str) -> Iterator[Element]:
    """Direct children by local name, in whatever namespace."""
    names = NAMES
    return (c for c in element if names[c.tag] == name)


def descendants(element: Element, *names: str) -> Iterator[Element]:
    """The element itself and all below it that have one of these local names, in the order of the document."""
    known = NAMES
    return (each for each in element.iter() if known[each.tag] in names)


def child(element: Element | None, *path: str) -> Element | None:
    """Down a path of local names, the first match at each step."""
    names = NAMES
    for name in path:
        if element is None:
            return None
        for part in element:
            if names[part.tag] == name:
                element = part
                break
        else:
            return None
    return element


def text(element: Element | None, *path: str) -> str:
    """The words of an element (or of the one at the end of the path), white space folded."""
    found = child(element, *path) if path else element
    if found is None:
        return ""
    words = "".join(map(str, found.itertext())) if len(found) else found.text
    return " ".join(words.split()) if words else ""


def attribute(element: Element | None, name: str) -> str:
    """An attribute by local name."""
    if element is None:
        return ""
    value = element.get(name)
    if value is not None:
        return str(value)
    return next((str(v) for k, v in element.attrib.items() if name_of(k) == name), "")
