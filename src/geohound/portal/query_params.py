"""Collects what visitors and programs ask for, as texts by name; what they mean is read in one place for all."""

from __future__ import annotations

from starlette.datastructures import QueryParams

from geohound.views.params import SearchParams
from geohound.views.parsing import ParameterError, Texts, fields

SIDES = ("west", "south", "east", "north")


def from_api(params: QueryParams) -> Texts:
    """All that was sent: a parameter that is not known is a mistake that nobody would notice if it were passed over."""
    return {name: params.getlist(name) for name in params}


def from_page(params: QueryParams) -> Texts:
    """What a form sent: fields that were left empty say nothing, and of others' parameters in an address no more."""
    known = fields(SearchParams)
    filled = {
        name: [text for text in params.getlist(name) if text.strip()] for name in known
    }
    given = {
        name: texts if known[name].max_values else texts[-1:]
        for name, texts in filled.items()
        if texts
    }
    box = _joined_sides(params)
    return {"bbox": [box], **given} if box else given


def _joined_sides(params: QueryParams) -> str:
    """The box of the four fields that a form without JavaScript sends."""
    sides = {side: params.get(side, "").strip() for side in SIDES}
    missing = [side for side, text in sides.items() if not text]
    if len(missing) == len(SIDES):
        return ""
    if missing and not params.get("bbox", "").strip():
        lacking = " and ".join(missing)
        raise ParameterError(
            "bbox", f"The box has no {lacking} side: fill in all four, or none."
        )
    return ",".join(sides.values())
