"""Parses the parameters of all interfaces into typed structs, and reports invalid ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_type_hints

import msgspec

from geohound.model.bbox import BBox
from geohound.model.user_error import UserError

IDS = ("kind", "state", "topic", "class", "country")  # may be joined by commas
_LOWER = ("kind", "state")  # others are matched by the index regardless of case
_MAX_BOX_CHARS = 200
_BOX = "west,south,east,north, for example -75,-34,-34,6"
_YEARS = re.compile(r"([0-9]{4})(?:\s*[-/]\s*([0-9]{4}))?")

Texts = Mapping[str, Sequence[str]]  # arguments by name; some may be repeated
# the valid values, where only the caller knows them
Choices = Mapping[str, Collection[str]]
# names of parameters in an interface, where they differ
ParameterNames = Mapping[str, str]
P = TypeVar("P", bound=msgspec.Struct)


class ParameterError(UserError, ValueError):
    """An invalid parameter: its name in the interface, and a sentence with the remedy."""

    def __init__(self, parameter: str, sentence: str) -> None:
        super().__init__(sentence)
        self.parameter = parameter
        self.sentence = sentence


class ParamField(NamedTuple):
    """One parameter: its name in code, its type, and the same as a JSON schema; of a list, those of its items."""

    attribute: str
    type: Any
    schema: Mapping[str, Any]
    description: str
    max_values: int = 0  # 0 where it may not be repeated


@cache
def fields(kind: type[msgspec.Struct]) -> Mapping[str, ParamField]:
    """The parameters of a kind, by name."""
    _, components = msgspec.json.schema_components((kind,), ref_template="{name}")
    properties = components[kind.__name__]["properties"]
    types = get_type_hints(kind, include_extras=True)
    return {
        each.encode_name: _field(
            each.name, types[each.name], properties[each.encode_name], components
        )
        for each in msgspec.structs.fields(kind)
    }


def _field(
    attribute: str, type_: Any, schema: Mapping[str, Any], components: Mapping[str, Any]
) -> ParamField:
    is_list = schema.get("type") == "array"
    items = schema["items"] if is_list else schema
    allowed = components[items["$ref"]] if "$ref" in items else items
    details = {"type": "string", **allowed} if "enum" in allowed else allowed
    kept = {
        k: v
        for k, v in details.items()
        if k not in ("title", "description") and (k, v) != ("default", "")
    }
    return ParamField(
        attribute,
        type_,
        kept,
        schema.get("description", ""),
        schema["maxItems"] if is_list else 0,
    )


def read(
    kind: type[P],
    arguments: Texts,
    choices: Choices | None = None,
    names: ParameterNames | None = None,
) -> P:
    """The parameters of this kind; ParameterError reports the first invalid one."""
    known = fields(kind)
    values: dict[str, Any] = {}
    for name, texts in arguments.items():
        field = known.get(name)
        shown = (names or {}).get(name, shorten(name))
        if field is None:
            allowed = ", ".join(sorted(known))
            raise ParameterError(
                shown, f"There is no parameter “{shown}” here; use {allowed}."
            )
        if field.max_values:
            allowed_values = (choices or {}).get(name) or field.schema.get("enum", ())
            _check_count(shown, texts, field)
            values[field.attribute] = _read_list(
                shown, _split(name, texts), field, allowed_values
            )
        else:
            values[field.attribute] = _read_one(shown, texts, field)
    return kind(**values)


def _split(name: str, texts: Sequence[str]) -> list[str]:
    """The values of a list, each once; ids may be repeated or joined by commas."""
    if name not in IDS:
        return [text for text in dict.fromkeys(texts) if text]
    return split_ids(texts, is_lower=name in _LOWER)


def split_ids(texts: Sequence[str], *, is_lower: bool = True) -> list[str]:
    """Ids, each once, repeated or joined by commas."""
    parts = [part.strip() for text in texts for part in text.split(",")]
    return list(
        dict.fromkeys(part.lower() if is_lower else part for part in parts if part)
    )


def check_choice(shown: str, value: str, known: Collection[str]) -> None:
    """Raise an error that lists the valid values, unless it is one of them; regardless of case."""
    if value.casefold() not in {each.casefold() for each in known}:
        allowed = ", ".join(sorted(set(known)))
        raise ParameterError(
            shown, f"{shown} “{shorten(value)}” is not known; use one of {allowed}."
        )


def _read_list(
    shown: str, texts: Sequence[str], field: ParamField, known: Collection[str]
) -> Any:
    _check_not_empty(shown, texts)
    _check_count(shown, texts, field)
    for text in texts:
        if known:
            check_choice(shown, text, known)
        _check_length(shown, text, field)
    return msgspec.convert(texts, field.type, strict=False)


def _read_one(shown: str, texts: Sequence[str], field: ParamField) -> Any:
    if len(texts) != 1:
        raise ParameterError(
            shown, f"{shown} may be given once, not {len(texts):,} times."
        )
    text = texts[0]
    schema = field.schema
    if schema["type"] == "string" and "enum" not in schema and "pattern" not in schema:
        _check_length(shown, text, field)
        return text
    text = text.strip()
    _check_not_empty(shown, text)
    if "enum" in schema:
        check_choice(shown, text, schema["enum"])
        return msgspec.convert(text.lower(), field.type)
    try:
        if schema["type"] == "string":
            return msgspec.convert(text, field.type)
        # numbers and booleans as in JSON
        return msgspec.json.decode(text, type=field.type)
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise ParameterError(
            shown, f"{shown} must be {_expected(field)}, not “{shorten(text)}”."
        ) from None


def _check_count(shown: str, texts: Sequence[str], field: ParamField) -> None:
    if len(texts) > field.max_values:
        raise ParameterError(
            shown,
            f"{shown} may have at most {field.max_values} values, not {len(texts):,}.",
        )


def _check_length(shown: str, text: str, field: ParamField) -> None:
    max_chars = field.schema.get("maxLength", len(text))
    if len(text) > max_chars:
        raise ParameterError(
            shown,
            f"{shown} may have at most {max_chars} characters, not {len(text):,}.",
        )


def _check_not_empty(shown: str, value: Sequence[str]) -> None:
    if not value:
        raise ParameterError(shown, f"{shown} must be left out or have a value.")


def _expected(field: ParamField) -> str:
    """Describes valid values."""
    schema = field.schema
    if schema["type"] == "integer":
        return f"a whole number from {schema['minimum']:,} to {schema['maximum']:,}"
    if schema["type"] == "number":
        return f"a number from {schema['minimum']:,} to {schema['maximum']:,}"
    return "true or false" if schema["type"] == "boolean" else field.description


def read_box(text: str, shown: str = "bbox") -> BBox | None:
    """A box as people and programs write it; None for an empty text.

    North before south, as in GDAL's -projwin, is accepted.
    """
    if not text:
        return None
    if len(text) > _MAX_BOX_CHARS:
        raise ParameterError(shown, f"{shown} must be four short numbers: {_BOX}.")
    try:
        west, south, east, north = _edges(text)
        return (
            BBox(west, north, east, south)
            if south > north
            else BBox(west, south, east, north)
        )
    except ValueError as reason:
        raise ParameterError(
            shown, f"{shown} “{shorten(text)}” cannot be used: {reason}."
        ) from None


def _edges(text: str) -> tuple[float, ...]:
    parts = text.replace(";", " ").replace(",", " ").split()
    try:
        edges = tuple(float(part) for part in parts)
    except ValueError:
        edges = ()
    if len(edges) != 4:
        raise ValueError(f"a box is four numbers, {_BOX}")
    return edges


def read_years(text: str, shown: str = "years") -> tuple[int, int] | None:
    """A year, or the first and the last of several; None for an empty text."""
    if not text:
        return None
    found = _YEARS.fullmatch(text)
    if not found:
        expected = "a year such as 2010, or the first and the last such as 1990-2010"
        raise ParameterError(
            shown, f"{shown} must be {expected}, not “{shorten(text)}”."
        )
    first, last = int(found[1]), int(found[2] or found[1])
    return min(first, last), max(first, last)


def shorten(text: str) -> str:
    """The beginning of a text for a message, without control characters."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in text[:40])
    return shown if len(text) <= 40 else f"{shown}…"
