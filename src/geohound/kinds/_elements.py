"""What single elements of capabilities say: words, lists, addresses, keywords, CRS and boxes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from urllib.parse import urljoin

from geohound.document.safe_xml import NAMES, Element, Parts, name_of
from geohound.kinds import _boxes
from geohound.model.service import Extent

MAX_WORDS = 20_000  # characters of one text; longer abstracts are clipped
MAX_LIST = 10_000  # entries of one list: CRS, formats, keywords
BOXES = ("WGS84BoundingBox", "BoundingBox")
KEYWORDS = ("KeywordList", "Keywords", "keywords")
_EDGE = 20
_KEYWORD = frozenset({"Keyword", "keyword"})
_LOWER = frozenset({"LowerCorner", "lowerCorner"})
_UPPER = frozenset({"UpperCorner", "upperCorner"})
_HREFS = frozenset({"href", "onlineResource"})
_NOTHING: Mapping[str, list[str | None]] = {}
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"


def words(element: Element | None) -> str:
    """Text with white space folded, clipped."""
    if element is None:
        return ""
    found = "".join(map(str, element.itertext())) if len(element) else element.text
    return " ".join(found.split())[:MAX_WORDS] if found else ""


def said(parts: Parts, name: str) -> str:
    """The words of the first child of this name."""
    if name not in parts:
        return ""
    element = parts[name][0]
    if len(element):
        return words(element)
    found = element.text
    return " ".join(found.split())[:MAX_WORDS] if found else ""


def glean(
    elements: Iterable[Element],
    spoken: frozenset[str],
    kept: frozenset[str],
    listed: Mapping[str, list[str | None]] = _NOTHING,
) -> tuple[dict[str, str], Parts]:
    """In one pass: the words of the first element of each `spoken` name, and all elements of each `kept` name.

    The text of each element of a `listed` name goes to its list. All these but the kept ones are let go at once,
    for an element that is held costs several times one that is only looked at.
    """
    heard: dict[str, str] = {}
    found: dict[str, list[Element]] = {}
    names = NAMES
    for element in elements:
        name = names[element.tag]
        if name in spoken:
            if name not in heard:
                text = element.text if not len(element) else words(element)
                heard[name] = " ".join(text.split())[:MAX_WORDS] if text else ""
        elif name in kept:
            if name in found:
                found[name].append(element)
            else:
                found[name] = [element]
        elif name in listed:
            listed[name].append(words(element) if len(element) else element.text)
    return heard, found


def first(parts: Parts, *names: str) -> Element | None:
    """The first child of this name in an index, or of the first of these names that is there."""
    for name in names:
        if name in parts:
            return parts[name][0]
    return None


def texts(elements: Iterable[Element]) -> tuple[str, ...]:
    """The words of each, empty ones and repetitions left out."""
    found: dict[str, None] = {}
    for element in elements:
        text = element.text if not len(element) else words(element)
        if text:
            found[" ".join(text.split())[:MAX_WORDS]] = None
    found.pop("", None)
    return tuple(found)[:MAX_LIST]


def folded(stated: Iterable[str | None]) -> tuple[str, ...]:
    """White space folded and clipped, empty ones and repetitions left out."""
    return unique([" ".join(each.split())[:MAX_WORDS] for each in stated if each])


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Empty ones and repetitions left out, order kept."""
    found = dict.fromkeys(values)
    found.pop("", None)
    return tuple(found)[:MAX_LIST]


def crs_codes(names: Iterable[str | None]) -> tuple[str, ...]:
    """The codes of the CRS named in these texts, one or several in each."""
    stated = dict.fromkeys(filter(None, names))
    if len(stated) == 1:
        (only,) = stated
        return tuple(dict.fromkeys(_boxes.CODE_LISTS[only]))[:MAX_LIST]
    listed = list(stated)[:MAX_LIST]  # more would be cut off below
    # Some servers list thousands, with those of other authorities first and last.
    middle = listed[_EDGE:-_EDGE]
    if _are_epsg_codes(middle):
        codes = [*_codes(listed[:_EDGE]), *middle, *_codes(listed[-_EDGE:])]
    else:
        codes = [*_codes(listed)]
    return tuple(dict.fromkeys(codes))[:MAX_LIST]


def _codes(names: Iterable[str]) -> Iterable[str]:
    return chain.from_iterable(map(_boxes.CODE_LISTS.__getitem__, names))


def _are_epsg_codes(names: Collection[str]) -> bool:
    """True if all are written as we write them; some servers list thousands, too many to look up one by one."""
    # no XML holds that character
    numbers = "\0".join(["", *names]).replace("\0EPSG:", "")
    # which means CRS:84
    return numbers.isascii() and numbers.isdecimal() and "EPSG:84" not in names


def href(element: Element | None) -> str:
    """The address an element points to, whatever the spelling of the attribute."""
    if element is None:
        return ""
    found = element.get(_XLINK_HREF)
    if found is not None:
        return str(found).strip()
    for name, value in element.items():
        if name_of(name) in _HREFS:
            return str(value).strip()
    return ""


def resolve(address: str, base: str) -> str:
    """An address of the document, absolute, spaces escaped; empty if there is none."""
    if not address:
        return ""
    if address.startswith(("http://", "https://")):
        return address.replace(" ", "%20")
    try:
        return urljoin(base, address.strip()).replace(" ", "%20")
    except ValueError:
        return ""


def read_keywords(parts: Parts) -> tuple[str, ...]:
    """Keyword elements in lists of either spelling; before those lists existed, words in one element."""
    found: tuple[str, ...] = ()
    names = NAMES
    for name in KEYWORDS:
        for group in parts.get(name, ()):
            if len(group):
                stated = texts(k for k in group if names[k.tag] in _KEYWORD)
            else:
                plain = words(group)
                stated = unique(
                    [w.strip() for w in plain.split(",")]
                    if "," in plain
                    else plain.split()
                )
            found = unique((*found, *stated)) if found else stated
    return found


def read_corners(
    element: Element, crs: str = "", *, axis_order: _boxes.AxisOrder = "xy"
) -> Extent:
    """A box of two corners, `LowerCorner` and `UpperCorner`; in WGS84BoundingBox x stands first."""
    low = high = ""
    for corner in element:
        name = NAMES[corner.tag]
        if name in _LOWER:
            low = corner.text or ""
        elif name in _UPPER:
            high = corner.text or ""
    stated = crs or element.get("crs") or element.get("srsName") or "CRS:84"
    return _boxes.between(low, high, str(stated), axis_order)


def read_wgs84(parts: Parts) -> Extent | None:
    """The first WGS84BoundingBox of a description, else its first BoundingBox."""
    if "WGS84BoundingBox" in parts:
        return read_corners(parts["WGS84BoundingBox"][0], "CRS:84")
    other = first(parts, "BoundingBox")
    return read_corners(other, axis_order="authority") if other is not None else None
