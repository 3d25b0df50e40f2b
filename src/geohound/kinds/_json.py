"""JSON in whatever state it came: every value asked for has the type asked for, or is empty."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from geohound import urls
from geohound.kinds._boxes import extent
from geohound.model.service import Extent

MAX_ROWS = 100_000
MAX_CHARS = 20_000
_EMPTY: Mapping[str, Any] = {}


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _EMPTY


def rows(value: object) -> list[Mapping[str, Any]]:
    """The objects in a list."""
    return (
        [v for v in value[:MAX_ROWS] if isinstance(v, dict)]
        if isinstance(value, list)
        else []
    )


def words(value: object) -> str:
    """A text with its white space folded; a number as text; of texts by language (`{"en": …}`) the first."""
    if isinstance(value, dict):
        value = next((v for v in value.values() if isinstance(v, str) and v), "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _digits(value)
    if not isinstance(value, str):
        return ""
    text = " ".join(value[:MAX_CHARS].split())
    if text.isprintable():
        return text
    # Half a surrogate pair or a NUL, which JSON can spell, fits into no database and no XML.
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _digits(number: float) -> str:
    """A whole number without a fraction; nothing of one so long that nobody means it."""
    if isinstance(number, float) and number.is_integer() and abs(number) < 1e15:
        number = int(number)
    is_endless = isinstance(number, int) and abs(number) >= 10**30
    return "" if is_endless else str(number)


def texts(value: object) -> tuple[str, ...]:
    """The texts in a list, each once; a lone text is a list of one."""
    values = value[:MAX_ROWS] if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(t for t in map(words, values) if t))


def numbers(value: object) -> list[float]:
    """The finite numbers of a list, digits in quotes among them; empty if one of them is none."""
    found = []
    for item in value[:16] if isinstance(value, list) else ():
        number = as_number(item)
        if number is None:
            return []
        found.append(number)
    return found


def as_number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def box(value: object, crs: str = "CRS:84") -> Extent | None:
    """The extent of `[w, s, e, n]`, or of six numbers with heights; None where there is no box at all."""
    four = numbers(value)
    return extent(four, crs) if len(four) in (4, 6) else None


def spatial_extent(value: object) -> Extent | None:
    """The extent of a collection in OGC APIs and STAC, today's form and the older flat ones."""
    spatial = mapping(value).get("spatial", mapping(value).get("bbox"))
    if isinstance(spatial, dict):
        crs = words(spatial.get("crs")) or "CRS:84"
        boxes = spatial.get("bbox")
    else:
        crs, boxes = words(mapping(value).get("crs")) or "CRS:84", spatial
    first = (
        boxes[0]
        if isinstance(boxes, list) and boxes and isinstance(boxes[0], list)
        else boxes
    )
    return box(first, crs)


def tileset_extent(row: Mapping[str, Any]) -> Extent | None:
    """The `boundingBox` of a tileset (OGC 17-083r4), in its own CRS or in one that it names."""
    stated = mapping(row.get("boundingBox"))
    four = [*numbers(stated.get("lowerLeft")), *numbers(stated.get("upperRight"))]
    crs = words(stated.get("crs")) or words(row.get("crs")) or "CRS:84"
    return extent(four, crs, axis_order="authority") if len(four) == 4 else None


def temporal_extent(value: object) -> tuple[str, ...]:
    """The time intervals of a collection, open ends as `..`."""
    temporal = mapping(value).get("temporal")
    spans = temporal.get("interval") if isinstance(temporal, dict) else temporal
    if not isinstance(spans, list) or not spans:
        return ()
    if not isinstance(spans[0], list):  # one interval instead of a list of them
        spans = [spans]
    return tuple(filter(None, map(_interval, spans[:100])))


def _interval(span: object) -> str:
    ends = span[:2] if isinstance(span, list) else []
    if len(ends) < 2 or not any(isinstance(end, str) for end in ends):
        return ""
    return "/".join(words(end) or ".." for end in ends)


def absolute(href: object, base: str) -> str:
    """A link as an absolute web address; empty if it is none. Templates keep their braces."""
    text = words(href)
    if not text or len(text) > 4_000:
        return ""
    found = urls.canonical(text, base) if base else urls.canonical(text)
    return (found or "").replace("%7B", "{").replace("%7D", "}")


def links_by_rel(value: object) -> dict[str, list[Mapping[str, Any]]]:
    """The links of a document by the last part of their relation (`…/rel/ogc/1.0/data` is `data`)."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for link in rows(value):
        rel = (
            words(link.get("rel"))
            .lower()
            .rstrip("]")
            .rpartition("/")[2]
            .rpartition(":")[2]
        )
        if rel:
            found.setdefault(rel, []).append(link)
    return found
