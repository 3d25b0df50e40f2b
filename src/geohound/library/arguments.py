"""Collects the arguments of library calls as texts by name, which `views` parses for all interfaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from geohound.model.bbox import BBox
from geohound.model.search.query import FACETS
from geohound.views.parsing import Texts, shorten

Box = BBox | str | Sequence[float] | None
Values = str | bool | Iterable[str]  # True is yes, as in https=True
Years = int | str | tuple[int, int] | None


def collect_arguments(
    text: str, arguments: Mapping[str, Any], filters: Mapping[str, Values]
) -> Texts:
    """All arguments as texts; class_ stands for class, which is a keyword of Python."""
    if not isinstance(text, str):
        raise TypeError(
            f"The words to search for must be a text such as 'land cover', not {shorten(repr(text))}."
        )
    texts = {
        "q": [text],
        **{
            name: [as_text(value)]
            for name, value in arguments.items()
            if value is not None
        },
    }
    for name, value in filters.items():
        facet = name.rstrip("_")
        if facet not in FACETS:
            raise TypeError(
                f"There is no filter {name!r}; filters are {', '.join(FACETS)} (class_ for class)."
            )
        texts[facet] = as_texts(value)
    return texts


def as_text(value: object) -> str:
    """A value as it is written in a URL: 5, true, -75.0,-34.0,-34.0,6.0."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, BBox):
        return ",".join(map(str, value.as_tuple()))
    return ",".join(map(str, value)) if isinstance(value, Iterable) else str(value)


def years_as_text(years: Years) -> str | None:
    if years is None or isinstance(years, str):
        return years
    return str(years) if isinstance(years, int) else "-".join(map(str, years))


def as_texts(value: Values) -> list[str]:
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable):
        raise TypeError(
            f"{shorten(repr(value))} must be a text such as 'wms', or a list of them."
        )
    return [str(each) for each in value]
