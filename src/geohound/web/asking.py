"""Turns what a visitor asks for into a Query, or says in a sentence what to change."""

from __future__ import annotations

import re
from collections.abc import Collection

from starlette.datastructures import QueryParams

from geohound.model.bbox import BBox, Relation, parse_bbox
from geohound.model.health import State
from geohound.model.query import Query

MAX_TEXT_CHARS = 500
MAX_BBOX_CHARS = 200
MAX_LIMIT = 100
MAX_OFFSET = 10_000
DEFAULT_LIMIT = 20
_SIDES = ("west", "south", "east", "north")


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
    )


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
