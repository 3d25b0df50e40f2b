"""What somebody types in a notebook, turned into a Query; what cannot be meant is answered with what can."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from geohound.model.bbox import BBox, Relation, parse_bbox
from geohound.model.health import State
from geohound.model.query import FACETS, Query

Box = BBox | str | Sequence[float] | None
Words = str | bool | Iterable[str]  # True is yes, as in https=True
Years = int | tuple[int, int] | None
_OWN = {"kind": "kinds", "topic": "topics", "class": "classes", "country": "countries", "state": "states"}
_BOX = "a box is four numbers in degrees, west, south, east, north, for example (-75, -34, -34, 6)"


def read_query(text: str, bbox: Box, relation: str, window: tuple[int, int], years: Years, *, expand: bool) -> Query:
    """The query without its filters; ValueError or TypeError says in a sentence what to change."""
    if not isinstance(text, str):
        raise TypeError(f"The words to search for must be a text such as 'land cover', not {_short(text)}.")
    limit, offset = (whole(name, value) for name, value in zip(("limit", "offset"), window, strict=True))
    return Query(
        text,
        read_box(bbox),
        Relation(choose("relation", relation, list(Relation))),
        limit=limit,
        offset=offset,
        years=read_years(years),
        expand=expand,
    )


def read_box(box: Box) -> BBox | None:
    """A box from a text, a tuple, a list, an array."""
    if box is None or isinstance(box, BBox):
        return box
    try:
        if isinstance(box, str):
            return parse_bbox(box)
        edges = [float(edge) for edge in box]
    except (TypeError, ValueError) as trouble:
        raise ValueError(f"The box {_short(box)} cannot be used: {_why(trouble)}.") from None
    if len(edges) != 4:
        raise ValueError(f"The box {_short(box)} has {len(edges)} numbers: {_BOX}.")
    try:
        return BBox(*edges)
    except ValueError as trouble:
        raise ValueError(f"The box {_short(box)} cannot be used: {trouble}; {_BOX}.") from None


def _why(trouble: Exception) -> str:
    return f"{trouble}; {_BOX}" if "go from" in str(trouble) or "finite" in str(trouble) else _BOX


def read_years(years: Years) -> tuple[int, int] | None:
    if years is None:
        return None
    pair = (years, years) if isinstance(years, int) else tuple(years)
    if len(pair) != 2 or not all(isinstance(year, int) for year in pair):
        raise ValueError(
            f"years must be one year or the first and the last, such as (2000, 2010), not {_short(years)}."
        )
    return min(pair), max(pair)


def whole(name: str, number: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"{name} must be a whole number from 0 on, not {_short(number)}.")
    return number


def read_filters(given: Mapping[str, Words], known: Mapping[str, Collection[str]]) -> dict[str, Any]:
    """Filters by facet as the fields of a query; class_ stands for class, which Python keeps for itself.

    Of some facets the values are known: another one is a mistake, not a search that finds nothing.
    """
    found: dict[str, Any] = {}
    where: dict[str, tuple[str, ...]] = {}
    for name, value in given.items():
        facet = name.rstrip("_")
        if facet not in FACETS:
            raise TypeError(f"There is no filter {name!r}; filters are {', '.join(FACETS)} (class_ for class).")
        words = read_words(value)
        if facet in known:
            words = tuple(choose(facet, word, known[facet]) for word in words)
        if facet == "state":
            found["states"] = tuple(State(word) for word in words)
        elif facet in _OWN:
            found[_OWN[facet]] = words
        else:
            where[facet] = words
    return {**found, "where": where}


def choose(name: str, value: str, known: Collection[str]) -> str:
    """One of the known values, in whatever case it was written."""
    chosen = str(value).strip().lower()
    if chosen not in known:
        raise ValueError(f"There is no {name} {_short(value)}; use one of {', '.join(known)}.")
    return chosen


def read_words(value: Words) -> tuple[str, ...]:
    if isinstance(value, bool):
        return ("yes" if value else "no",)
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable):
        raise TypeError(f"{_short(value)} must be a text such as 'wms', or a list of them.")
    return tuple(dict.fromkeys(str(v) for v in value))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
