"""What single elements of capabilities say: words, lists, addresses, keywords, CRS and boxes."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urljoin

from geohound.kinds import _boxes
from geohound.model.service import Extent
from geohound.safe_xml import NAMES, Element, Parts, name_of

MAX_WORDS = 20_000  # characters of one text; longer abstracts are clipped
MAX_LIST = 10_000  # entries of one list: CRS, formats, keywords
_KEYWORDS = ("KeywordList", "Keywords", "keywords")
_KEYWORD = frozenset({"Keyword", "keyword"})
_LOWER = frozenset({"LowerCorner", "lowerCorner"})
_UPPER = frozenset({"UpperCorner", "upperCorner"})
_HREFS = frozenset({"href", "onlineResource"})
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


def first(parts: Parts, name: str) -> Element | None:
    """The first child of this name in an index."""
    found = parts.get(name)
    return found[0] if found else None


def texts(elements: Iterable[Element]) -> tuple[str, ...]:
    """The words of each, empty ones and repetitions left out."""
    return unique([words(e) for e in elements])


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Empty ones and repetitions left out, order kept."""
    found = [v for v in values if v]
    return tuple(found) if len(found) < 2 else tuple(dict.fromkeys(found))[:MAX_LIST]


def crs_codes(names: Iterable[str | None]) -> tuple[str, ...]:
    """The codes of the CRS named in these texts, one or several in each."""
    codes = [_boxes.crs_list(name) for name in dict.fromkeys(names) if name]
    return tuple(dict.fromkeys([code for several in codes for code in several]))[:MAX_LIST]


def href(element: Element | None) -> str:
    """The address an element points to, whatever the spelling of the attribute."""
    if element is None:
        return ""
    found = element.get(_XLINK_HREF)
    if found is not None:
        return str(found).strip()
    return next((str(value).strip() for name, value in element.items() if name_of(name) in _HREFS), "")


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
    found: list[str] = []
    for name in _KEYWORDS:
        for group in parts.get(name, ()):
            if len(group):
                found += [words(k) for k in group if NAMES[k.tag] in _KEYWORD]
            else:
                plain = words(group)
                found += [w.strip() for w in plain.split(",")] if "," in plain else plain.split()
    return unique(found) if found else ()


def read_corners(element: Element, crs: str = "", *, axis_order: _boxes.AxisOrder = "xy") -> Extent:
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
