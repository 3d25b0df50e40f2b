"""What is wrong with a field of a request for a task, in a sentence that says what to send instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from geohound.views.parsing import ParameterError, shorten

_UNKNOWN = re.compile(r"unknown field `(.*)`", re.DOTALL)
_PLACE = re.compile(r"`\$\.(\w+)(?:\[(\d+)\])?`")
_ADDRESSES = (
    "a list of at most {items:,} web addresses that begin with http:// or https:// "
    "and have at most {chars:,} characters"
)
# What a number is like comes from the schema of the request; {items} and {chars} do too.
_EXPECTED = {
    "kind": '"monitor", or left out for a crawl, a hunt or a harvest',
    "once": "true or false",
    "deep": "true or false",
    "keywords": 'a list of at most {items:,} texts of 1 to {chars:,} characters, such as ["land cover"]',
    "seeds": _ADDRESSES,
    "harvest": _ADDRESSES,
    "kinds": 'a list of kinds of service, such as ["wms", "wfs"]',
    "bbox": "four numbers in degrees, west, south, east, north, such as [-75, -34, -34, 6]",
    "topic": 'the id of a topic, such as "land_cover"',
    "order": 'the id of an order, such as "adaptive"',
    "thrift": 'a number from 0 to 1, or "auto"',
}


def explained(
    error: msgspec.ValidationError, given: Mapping[str, Any], kind: type[msgspec.Struct]
) -> ParameterError:
    """The first thing that does not fit a struct of this kind."""
    unknown = _UNKNOWN.search(str(error))
    if unknown:
        name, known = unknown[1], ", ".join(kind.__struct_fields__)
        return ParameterError(
            name, f"There is no field “{shorten(name)}” here; use {known}."
        )
    place = _PLACE.search(str(error))
    if place is None or place[1] not in given:
        return ParameterError("", "Send a JSON object with the fields of a task.")
    name, value = place[1], given[place[1]]
    if place[2] is None:
        return mistaken(name, value, kind)
    wrong = f"item {int(place[2]) + 1} is {_shown(value[int(place[2])])}"
    return ParameterError(name, f"{name} must be {expected(name, kind)}; {wrong}.")


def mistaken(name: str, value: object, kind: type[msgspec.Struct]) -> ParameterError:
    sentence = f"{name} must be {expected(name, kind)}, not {_shown(value)}."
    return ParameterError(name, sentence)


def expected(name: str, kind: type[msgspec.Struct]) -> str:
    """What the field has to be, as the middle of a sentence."""
    _, components = msgspec.json.schema_components((kind,), ref_template="{name}")
    schema = components[kind.__name__]["properties"][name]
    if name in _EXPECTED:
        items = schema.get("items", {})
        return _EXPECTED[name].format(
            items=schema.get("maxItems", 0), chars=items.get("maxLength", 0)
        )
    number = next(each for each in schema["anyOf"] if "minimum" in each)
    word = "whole number" if number["type"] == "integer" else "number"
    return f"a {word} from {number['minimum']:,} to {number['maximum']:,}"


def _shown(value: object) -> str:
    """As it was sent, but short."""
    if isinstance(value, str):
        return f"“{shorten(value)}”"
    return shorten(msgspec.json.encode(value).decode("utf-8", "replace"))
