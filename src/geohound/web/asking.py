"""Turns what a visitor asks for into a Query, or says in a sentence what to change."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Protocol

from starlette.datastructures import QueryParams

from geohound.model.bbox import BBox, Relation, parse_bbox
from geohound.model.health import State
from geohound.model.query import FACETS, Query

MAX_TEXT_CHARS = 500
MAX_BBOX_CHARS = 200
MAX_LIMIT = 100
MAX_OFFSET = 10_000
DEFAULT_LIMIT = 20
_SIDES = ("west", "south", "east", "north")
# Numbers as programs write them: 0.30000000000000004 and 1e-05 too.
_SMALL = r"[0-9](\.[0-9]{1,20})?[eE]-[0-9]{1,3}"
_LONGITUDE = rf"-?(180(\.0{{1,20}})?|(1[0-7][0-9]|[1-9]?[0-9])(\.[0-9]{{1,20}})?|{_SMALL})"
_LATITUDE = rf"-?(90(\.0{{1,20}})?|[1-8]?[0-9](\.[0-9]{{1,20}})?|{_SMALL})"
BOX_PATTERN = f"^{_LONGITUDE},{_LATITUDE},{_LONGITUDE},{_LATITUDE}$"
MAX_VALUES = 20
MAX_VALUE_CHARS = 200
_YEARS = re.compile(r"([0-9]{4})(?:-([0-9]{4}))?")
_OWN_FIELDS = ("kind", "state", "topic", "class", "country")


class Named(Protocol):
    @property
    def name(self) -> str: ...


class BadAskError(Exception):
    """A request that cannot be answered: which parameter, and a sentence that says what to do."""

    def __init__(self, parameter: str, sentence: str) -> None:
        super().__init__(sentence)
        self.parameter = parameter
        self.sentence = sentence


_WHOLE = re.compile(r"-?[0-9]{1,8}")


def read_query(params: QueryParams, kinds: Collection[str]) -> Query:
    """The query in these parameters; BadAskError names the first one that is wrong."""
    return Query(
        text=_read_text(params.get("q", "")),
        bbox=read_bbox(params),
        relation=_read_relation(params.get("relation", "")),
        kinds=_read_choices(params, "kind", kinds),
        states=tuple(State(s) for s in _read_choices(params, "state", [s.value for s in State])),
        limit=read_whole(params, "limit", DEFAULT_LIMIT, (1, MAX_LIMIT)),
        offset=read_whole(params, "offset", 0, (0, MAX_OFFSET)),
        topics=_read_values(params, "topic"),
        classes=_read_values(params, "class"),
        countries=_read_values(params, "country"),
        where={name: values for name in FACETS if name not in _OWN_FIELDS and (values := _read_values(params, name))},
        years=_read_years(params.get("years", "")),
        expand=_read_flag(params, "expand"),
    )


def refuse_unknown(params: QueryParams, known: Iterable[Named]) -> None:
    """A parameter that we do not know is a mistake that nobody would notice if it were passed over."""
    names = {parameter.name for parameter in known}
    for name in params:
        if name not in names:
            listed = ", ".join(sorted(names))
            raise BadAskError(_shorten(name), f"There is no parameter “{_shorten(name)}” here; use {listed}.")
    if params.get("f", "json") not in ("json", "jsonl"):
        raise BadAskError("f", "f must be json or jsonl.")


def _read_values(params: QueryParams, name: str) -> tuple[str, ...]:
    """The values of a facet, once each; unlike kinds they may hold commas, and unknown ones find nothing."""
    values = [v for v in params.getlist(name) if v]
    if len(values) > MAX_VALUES:
        raise BadAskError(name, f"{len(values)} values for {name} are too many; use at most {MAX_VALUES}.")
    for value in values:
        if len(value) > MAX_VALUE_CHARS:
            raise BadAskError(name, f"A value for {name} may have {MAX_VALUE_CHARS} characters at most.")
    return tuple(dict.fromkeys(values))


def _read_years(text: str) -> tuple[int, int] | None:
    if not text.strip():
        return None
    found = _YEARS.fullmatch(text.strip())
    if not found:
        raise BadAskError("years", "Write years as 2010 or as 2000-2010.")
    first, last = int(found[1]), int(found[2] or found[1])
    return min(first, last), max(first, last)


def _read_flag(params: QueryParams, name: str) -> bool:
    text = params.get(name, "true").strip().lower()
    if text not in ("true", "false", "1", "0"):
        raise BadAskError(name, f"{name} must be true or false.")
    return text in ("true", "1")


def _read_text(text: str) -> str:
    if len(text) > MAX_TEXT_CHARS:
        raise BadAskError("q", f"The search is {len(text)} characters long; use at most {MAX_TEXT_CHARS}.")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def read_bbox(params: QueryParams) -> BBox | None:
    """The box from `bbox=W,S,E,N`, or from the four fields that a form without JavaScript sends."""
    text = params.get("bbox", "").strip()
    if not text:
        sides = [params.get(side, "").strip() for side in _SIDES]
        if not any(sides):
            return None
        missing = [side for side, value in zip(_SIDES, sides, strict=True) if not value]
        if missing:
            raise BadAskError("bbox", f"The box lacks its {' and '.join(missing)} side: fill in all four, or none.")
        text = ",".join(sides)
    if len(text) > MAX_BBOX_CHARS:
        raise BadAskError("bbox", "Write the box as four short numbers, west,south,east,north, such as -75,-34,-34,6.")
    try:
        return parse_bbox(text)
    except ValueError as trouble:
        raise BadAskError("bbox", f"The box cannot be used: {trouble}.") from None


def _read_relation(text: str) -> Relation:
    if not text:
        return Relation.OVERLAPS
    try:
        return Relation(text.lower())
    except ValueError:
        names = ", ".join(Relation)
        raise BadAskError("relation", f"There is no relation “{_shorten(text)}”; use one of {names}.") from None


def _read_choices(params: QueryParams, name: str, known: Collection[str]) -> tuple[str, ...]:
    """The values of a parameter, repeated (`kind=wms&kind=wfs`) or joined (`kind=wms,wfs`), once each."""
    joined = ",".join(params.getlist(name)[:MAX_LIMIT])
    chosen = dict.fromkeys(v.strip().lower() for v in joined.split(",") if v.strip())
    for value in chosen:
        if value not in known:
            raise BadAskError(name, f"There is no {name} “{_shorten(value)}”; use one of {', '.join(sorted(known))}.")
    return tuple(chosen)


def read_whole(params: QueryParams, name: str, default: int, bounds: tuple[int, int]) -> int:
    """A whole number between two bounds."""
    text = params.get(name, "").strip()
    if not text:
        return default
    low, high = bounds
    # int() accepts underscores and other scripts' digits, and is slow on very long input.
    number = int(text) if _WHOLE.fullmatch(text) else None
    if number is None or not low <= number <= high:
        raise BadAskError(name, f"{name} must be a whole number from {low} to {high:,}, not “{_shorten(text)}”.")
    return number


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
