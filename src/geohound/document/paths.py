"""A small path language over JSON and XML: where in a configuration or a catalogue something stands.

Steps are parted by dots. A name is a member of an object, or a child element; `@name` is an attribute, `#text` the
words of an element; `*` is each member, `**` the value itself and all that is below it. A list is taken item by item,
so `layers[].url` and `layers.url` are the same. The empty path is the document itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from geohound.document import repair, safe_xml

MAX_VALUES = 10_000  # looked at for one path
MAX_DEPTH = 60
MAX_CHARACTERS = 20_000_000
MAX_XML_CHARACTERS = 1_000_000  # its objects cost ten times as much


def parse(text: str) -> Any:
    """The document as objects and lists, XML too; None where it is neither."""
    text = text[:MAX_CHARACTERS].lstrip("\ufeff \t\r\n")
    if text.startswith("<"):
        root = safe_xml.parse(
            text[:MAX_XML_CHARACTERS].encode("utf-8", "replace"),
            recover=True,
            encoding="utf-8",
        )
        return {safe_xml.local(root): _from_xml(root)} if root is not None else None
    try:
        return orjson.loads(text.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        pass
    try:
        return orjson.loads(repair.mend_json(text)[0].encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return None


def _from_xml(root: safe_xml.Element) -> dict[str, Any]:
    """An element as an object: attributes with an @, children as lists by their names, its own words as #text."""
    top: dict[str, Any] = {}
    waiting = [(root, top)]
    while waiting:
        element, value = waiting.pop()
        for name, said in element.attrib.items():
            value[f"@{safe_xml.name_of(name)}"] = str(said)
        if element.text and element.text.strip():
            value["#text"] = element.text.strip()
        for below in element:
            if isinstance(below.tag, str):
                inner: dict[str, Any] = {}
                value.setdefault(safe_xml.local(below), []).append(inner)
                waiting.append((below, inner))
    return top


def select(value: Any, path: str) -> Iterator[Any]:
    """The values at the path, lists taken apart, in the order of the document."""
    steps = [step for step in path.replace("[]", "").split(".") if step]
    return islice(_walk(value, steps), MAX_VALUES)


def _walk(value: Any, steps: list[str]) -> Iterator[Any]:
    if isinstance(value, list):
        for item in _flat(value):
            yield from _walk(item, steps)
        return
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if step == "**":
        for below in _all_below(value):
            yield from _walk(below, rest)
    elif isinstance(value, dict):
        if step == "*":
            for member in value.values():
                yield from _walk(member, rest)
        elif step in value:
            yield from _walk(value[step], rest)


def _flat(value: list[Any]) -> Iterator[Any]:
    """The items of a list, and of the lists in it."""
    waiting = value[::-1]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item[::-1]
        else:
            yield item


def _all_below(value: Any) -> Iterator[Any]:
    """The value and every object below it, each once, in the order of the document."""
    waiting: list[tuple[Any, int]] = [(value, 0)]
    while waiting:
        here, depth = waiting.pop()
        if isinstance(here, dict):
            yield here
            below: list[Any] = list(here.values())
        elif isinstance(here, list):
            below = here
        else:
            continue
        if depth < MAX_DEPTH:
            waiting += [
                (item, depth + 1)
                for item in reversed(below)
                if isinstance(item, dict | list)
            ]


def words(value: Any) -> str:
    """The text that a value is, an element's own words included; empty for anything else."""
    if isinstance(value, dict):
        value = value.get("#text", "")
    return (
        value.strip()
        if isinstance(value, str)
        else str(value)
        if isinstance(value, int | float)
        else ""
    )
