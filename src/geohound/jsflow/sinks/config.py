"""Service addresses in configuration: JSON and XML of any viewer, by the keys around them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice, repeat
from typing import Any

from geohound.jsflow.model import AnalysisBudget
from geohound.jsflow.step_budget import NODES, Exhausted, Meter

from . import calls, sibling_properties
from .idioms import Idioms

_MAX_NODES = 200_000
_MAX_INSIDE = 100_000  # steps that a document inside a script or an attribute may take
_OBJECT = 2  # steps that an object takes
_MAX_TEXT = 10_000_000
_MAX_MARKS = 1_500_000  # of a document; an object costs some 100 bytes for each
_TAG = re.compile(
    # Nothing is given back, or each attribute of a tag with thousands would be remembered.
    r"<([\w:.-]{1,60})((?:\s++[\w:.-]{1,60}+\s*+=\s*+(?:\"[^\"]{0,2000}+\"|'[^']{0,2000}+'))++)\s*+/?>"
)
_ATTRIBUTE = re.compile(
    r"(?<![\w:.-])([\w:.-]{1,60})\s*+=\s*+(?:\"([^\"]{0,2000})\"|'([^']{0,2000})')"
)
_ELEMENT = re.compile(
    r"<([\w:.-]{1,60})[^<>]{0,300}>\s*+(?:<!\[CDATA\[\s*+)?((?:https?://|/)[^<>\s\]]{3,1000})"
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# A string that never ends is passed over whole, or each quote in it would begin another. What is skipped belongs to
# the match of what comes after it, be it the end: a match for each string would cost several times as much.
_STRING = r"\"(?:[^\"\\]++|\\.)*+\"?+"
_JSON_COMMENT = re.compile(
    rf"(?:[^\",/]++|{_STRING}|/(?![/*])|,(?!\s*+[}}\]]))*+"
    r"(//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+|,|\Z)",
    re.DOTALL,
)
_MARK = re.compile(rf"(?:[^\"\[\]{{}},]++|{_STRING})*+([\[\]{{}},]|\Z)", re.DOTALL)
_REFERENCES = (
    "source",
    "sourceId",
    "source_id",
    "service",
    "serviceId",
    "server",
    "serverId",
    "ref",
    "datasource",
)
_PAIR = re.compile(r"^(\s*)(-\s+)?([\w.-]{1,60})\s*:\s*(.*?)\s*$")

Row = tuple[str, str | None, str]


def addresses_in_json(text: str, idioms: Idioms) -> Iterator[Row]:
    """Strings that may be addresses, with the kind their object speaks of and their key."""
    data = parse(text)
    if data is not None:
        with suppress(Exhausted):
            yield from rows(data, idioms, Meter(AnalysisBudget(steps=_MAX_INSIDE)))


def parse(text: str) -> Any:
    """JSON, also with the comments and trailing commas that people leave in it."""
    text = text[:_MAX_TEXT].lstrip("\ufeff")
    if _marks(text) > _MAX_MARKS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    plain = _without_comments(text)
    if plain == text:
        return None
    try:
        # A comment may have stood between a trailing comma and its bracket.
        return json.loads(_without_comments(plain))
    except (ValueError, RecursionError):
        return None


def parse_start(text: str) -> Any:
    """What is whole of a document whose end is missing, or that is too long."""
    text = text[:_MAX_TEXT].lstrip("\ufeff")
    if (marks := _marks(text)) > _MAX_MARKS:
        text = text[: len(text) * _MAX_MARKS // marks]
    try:
        return json.loads(_closed(_without_comments(text)))
    except (ValueError, RecursionError):
        return None


def _marks(text: str) -> int:
    """How many values it holds, roughly: of objects each costs twice."""
    return 2 * text.count("{") + text.count("[") + text.count(",")


def _closed(text: str) -> str:
    """Up to the last value that is whole, with what stands around it closed."""
    around: list[str] = []
    end = depth = 0
    for found in _MARK.finditer(text):
        mark = found[1]
        if mark == ",":
            end, depth = found.start(1), len(around)
        elif mark and mark in "[{":
            around.append("}" if mark == "{" else "]")
        elif mark and around:
            around.pop()
            end, depth = found.end(), len(around)
    return text[:end] + "".join(reversed(around[:depth]))


def _without_comments(text: str) -> str:
    """Without comments and trailing commas; strings, which may look like them, stay."""
    pieces, end = [], 0
    for found in _JSON_COMMENT.finditer(text):
        if found[1]:
            pieces.append(text[end : found.start(1)])
            end = found.end()
    return "".join((*pieces, text[end:])) if pieces else text


def rows(data: Any, idioms: Idioms, meter: Meter) -> Iterator[Row]:
    """Walks a document; objects are judged by their shape, single keys by their name.

    Raises Exhausted where the page's budget ends.
    """
    kinds_by_id = _kinds_by_id(data, idioms, meter)
    waiting: list[Iterator[tuple[Any, str, str | None]]] = [iter([(data, "", None)])]
    while waiting:
        for value, key, kind in waiting[-1]:
            if isinstance(value, dict):
                meter.share(_OBJECT)
                waiting.append(iter(_opened(value, key, kind, kinds_by_id, idioms)))
                break
            if isinstance(value, list):
                meter.share(1 + len(value) // NODES)
                waiting.append(zip(value, repeat(key), repeat(kind), strict=False))
                break
            if (
                isinstance(value, str)
                and 3 < len(value) < 2000
                and not calls.is_ignored(key, value)
            ):
                yield value, _kind_for(key, kind, idioms), key
        else:
            waiting.pop()


def _kinds_by_id(data: Any, idioms: Idioms, meter: Meter) -> dict[str, str]:
    """Kinds by id: a layer that says its kind and names an entry of a table of sources speaks for that entry."""
    found: dict[str, str] = {}
    stack = [data] if isinstance(data, dict | list) else []
    while stack:
        value = stack.pop()
        meter.share(1 + len(value) // NODES)
        if isinstance(value, dict):
            for target, kind in _references(value, idioms):
                found.setdefault(target, kind)
        stack += [v for v in _inner(value) if isinstance(v, dict | list)]
    return found


def _inner(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _references(value: dict[str, Any], idioms: Idioms) -> list[tuple[str, str]]:
    stated = [value[name] for name in _REFERENCES if name in value]
    targets = [str(target) for target in stated if isinstance(target, str | int)]
    kind = _shape(value, idioms) if targets else None
    return [(target, kind) for target in targets] if kind is not None else []


def _shape(value: dict[str, Any], idioms: Idioms) -> str | None:
    fields = _texts(value, 200)
    nested: dict[str, str | None] = {}
    for name in idioms.nested:
        inner = value.get(name)
        if isinstance(inner, dict):
            nested.update(_texts(inner, 50))
    return idioms.kind_of_shape(fields, nested)


def _texts(value: dict[str, Any], limit: int) -> dict[str, str | None]:
    """Keys in lower case with those of their values that are strings."""
    return {
        str(k).lower(): (v if isinstance(v, str) else None)
        for k, v in list(value.items())[:limit]
    }


def _opened(
    value: dict[str, Any],
    key: str,
    outer: str | None,
    kinds_by_id: dict[str, str],
    idioms: Idioms,
) -> list[tuple[Any, str, str | None]]:
    """What an object holds, each with its key and the kind that it may be."""
    own = _shape(value, idioms)
    kind = (
        own
        or _kind_by_id(kinds_by_id, key, value.get("id"))
        or outer
        or idioms.kind_of_name(key)
    )
    fields = dict(value)
    joined: list[tuple[Any, str, str | None]] = []
    apart = _host_and_path(value)
    if apart is not None:
        host, path = fields.pop(apart), fields.pop("path")
        if "://" in host[:8]:
            address = sibling_properties.joined(host, path, idioms.book)
            joined = [(address, "url", kind)]
    # Links are for people, but for those in an entry that says itself which service it is.
    links = ("href",) if own else ()
    held = [
        (inner, "url" if name in links else str(name), kind)
        for name, inner in fields.items()
    ]
    return held + joined


def _host_and_path(value: dict[str, Any]) -> str | None:
    """The key of the host, in an entry that writes host and path apart."""
    if not isinstance(value.get("path"), str):
        return None
    return next(
        (key for key in sibling_properties.HOSTS if isinstance(value.get(key), str)),
        None,
    )


def _kind_by_id(kinds_by_id: dict[str, str], key: str, own_id: Any) -> str | None:
    by_id = kinds_by_id.get(str(own_id)) if own_id is not None else None
    return kinds_by_id.get(key) or by_id


def _kind_for(key: str, kind: str | None, idioms: Idioms) -> str | None:
    """The kind of the object counts for keys that hold addresses; otherwise the string must speak for itself."""
    own = idioms.kind_of_name(key)
    if own:
        return own
    return (
        kind
        if key in calls.URL_KEYS
        or re.search(r"ur[li]|href|server|endpoint|host", key, re.IGNORECASE)
        else None
    )


def addresses_in_xml(text: str, idioms: Idioms) -> Iterator[Row]:
    """Attributes and texts of elements; namespaces, schemas and comments left out."""
    text = _COMMENT.sub("", text[:_MAX_TEXT])
    last: str | None = None
    for tag in islice(_TAG.finditer(text), _MAX_NODES):
        pairs = {
            k: (a or b).replace("&amp;", "&") for k, a, b in _ATTRIBUTE.findall(tag[2])
        }
        kind = idioms.kind_of_shape(
            {k.lower(): v for k, v in pairs.items()}, {}
        ) or idioms.kind_of_name(tag[1])
        last = kind or last
        if tag[1].rpartition(":")[2] == "OnlineResource" and "xlink:href" in pairs:
            yield pairs["xlink:href"], last, tag[1]
        held = (
            (name, value)
            for name, value in pairs.items()
            if "/" in value and _is_own(name)
        )
        yield from (
            (value, _kind_for(name, kind, idioms), name) for name, value in held
        )
    yield from _texts_of_elements(text, idioms)


def _texts_of_elements(text: str, idioms: Idioms) -> Iterator[Row]:
    for element in _ELEMENT.finditer(text):
        if not calls.IGNORED_KEYS.match(element[1]):
            yield (
                element[2].replace("&amp;", "&"),
                idioms.kind_of_name(element[1]),
                element[1],
            )


def _is_own(name: str) -> bool:
    """An attribute of the configuration itself, not of XML, and not for people."""
    return (
        ":" not in name and "xmlns" not in name and not calls.IGNORED_KEYS.match(name)
    )


def addresses_in_yaml(text: str, idioms: Idioms) -> Iterator[Row]:
    """Plain YAML: the keys of one entry of a list are judged together."""
    entry: dict[str, str] = {}
    for line in [*text[:_MAX_TEXT].splitlines()[:_MAX_NODES], "- end: x"]:
        pair = _PAIR.match(line)
        if pair is None:
            continue
        if pair[2]:
            yield from _entry(entry, idioms)
            entry = {}
        entry[pair[3]] = pair[4].strip("\"'")
    yield from _entry(entry, idioms)


def _entry(entry: dict[str, str], idioms: Idioms) -> Iterator[Row]:
    kind = idioms.kind_of_shape({k.lower(): v for k, v in entry.items()}, {})
    for key, value in entry.items():
        if "/" in value and not calls.IGNORED_KEYS.match(key):
            yield value, _kind_for(key, kind, idioms), key
