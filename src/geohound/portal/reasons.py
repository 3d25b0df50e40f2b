"""Why a service was found, as the search says it, in the language of the page."""

from __future__ import annotations

import re
from collections.abc import Callable

Translate = Callable[..., str]

FIELDS = (
    "title", "name", "layer title", "layer name", "keywords", "abstract", "provider", "address", "kind",
)  # fmt: skip
_FIELD = f"^(?P<field>{'|'.join(FIELDS)})"
# As the search words them; what is in none of these shapes is shown as it is.
_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(f"{shape}$"), text)
    for shape, text in (
        ("^this is the address you asked for", "this is the address you asked for"),
        ("^inside the box asked for", "inside the box asked for"),
        ("^covers all of the box asked for", "covers all of the box asked for"),
        ("^box fits by (?P<share>[0-9.]{1,8} %)", "box fits by {share}"),
        (f"{_FIELD} match '(?P<words>.{{0,1000}})'", "{field} match '{words}'"),
        (f"{_FIELD} matches '(?P<words>.{{0,1000}})'", "{field} matches '{words}'"),
        (
            f"{_FIELD} say '(?P<other>.{{0,200}})' for '(?P<words>.{{0,200}})'",
            "{field} say '{other}' for '{words}'",
        ),
        (
            f"{_FIELD} says '(?P<other>.{{0,200}})' for '(?P<words>.{{0,200}})'",
            "{field} says '{other}' for '{words}'",
        ),
        ("^does not say '(?P<words>.{0,1000})'", "does not say '{words}'"),
    )
)
_FILTER = re.compile(r"^[a-z]{1,20} is .+")  # the form shows already what was chosen
TEXTS = tuple(text for _, text in _SHAPES)


def reason(why: str, translate: Translate) -> str:
    """The reasons, each in the language that `translate` speaks; without the filters, which the form shows."""
    return "; ".join(
        _one(part, translate) for part in why.split("; ") if not _FILTER.match(part)
    )


def _one(part: str, translate: Translate) -> str:
    for shape, text in _SHAPES:
        found = shape.match(part)
        if found is not None:
            values = found.groupdict()
            if "field" in values:
                values["field"] = translate(values["field"])
            return translate(text, **values) if values else translate(text)
    return part
