"""Service addresses in configuration: JSON and XML of any viewer, by the keys around them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from geohound.jsflow import addresses

from . import beside, calls

_MAX_NODES = 200_000
_MAX_TEXT = 10_000_000
_TAG = re.compile(r"<([\w:.-]{1,60})((?:\s+[\w:.-]{1,60}\s*=\s*(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'))+)\s*/?>")
_ATTRIBUTE = re.compile(r"([\w:.-]{1,60})\s*=\s*(?:\"([^\"]{0,2000})\"|'([^']{0,2000})')")
_ELEMENT = re.compile(r"<([\w:.-]{1,60})[^<>]{0,300}>\s*(?:<!\[CDATA\[)?\s*((?:https?://|/)[^<>\s\]]{3,1000})")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_JSON_COMMENT = re.compile(
    r"\"(?:[^\"\\]++|\\.)*+\"|(?P<comment>//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+)|(?P<comma>,(?=\s*[}\]]))",
    re.DOTALL,
)

_REFERENCES = ("source", "sourceId", "source_id", "service", "serviceId", "server", "serverId", "ref", "datasource")
_PAIR = re.compile(r"^(\s*)(-\s+)?([\w.-]{1,60})\s*:\s*(.*?)\s*$")

Row = tuple[str, str | None, str]


def addresses_in_json(text: str) -> Iterator[Row]:
    """Strings that may be addresses, with the kind their object speaks of and their key."""
    data = parse(text)
    if data is not None:
        yield from rows(data)


def parse(text: str) -> Any:
    """JSON, also with the comments and trailing commas that people leave in it."""
    text = text[:_MAX_TEXT].lstrip("\ufeff")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(_JSON_COMMENT.sub(lambda m: m[0] if m.lastgroup is None else "", text))
    except (ValueError, RecursionError):
        return None


def rows(data: Any) -> Iterator[Row]:
    """Walks a document; objects are judged by their shape, single keys by their name."""
    stack: list[tuple[Any, str, str | None]] = [(data, "", None)]
    told = _told_elsewhere(data)
    for _ in range(_MAX_NODES):
        if not stack:
            return
        value, key, kind = stack.pop()
        if isinstance(value, dict):
            _open(value, key, kind, stack, told)
        elif isinstance(value, list):
            stack += [(v, key, kind) for v in reversed(value[:20_000])]
        elif isinstance(value, str) and 3 < len(value) < 2000 and not calls.IGNORED_KEYS.match(key):
            yield value, _kind_for(key, kind), key


def _told_elsewhere(data: Any) -> dict[str, str]:
    """Kinds by id: a layer that says its kind and names an entry of a table of sources speaks for that entry."""
    found: dict[str, str] = {}
    stack = [data]
    for _ in range(_MAX_NODES):
        if not stack:
            break
        value = stack.pop()
        if isinstance(value, dict):
            kind = _shape(value)
            for name in _REFERENCES if kind else ():
                if isinstance(target := value.get(name), str | int) and kind:
                    found.setdefault(str(target), kind)
            stack += [v for v in value.values() if isinstance(v, dict | list)]
        elif isinstance(value, list):
            stack += [v for v in value[:20_000] if isinstance(v, dict | list)]
    return found


def _shape(value: dict[str, Any]) -> str | None:
    fields = {str(k).lower(): (v if isinstance(v, str) else None) for k, v in list(value.items())[:200]}
    nested: dict[str, str | None] = {}
    for name in ("params", "parameters", "options", "wms", "wmsParameters", "query", "baseParams"):
        inner = value.get(name)
        if isinstance(inner, dict):
            nested.update({str(k).lower(): (v if isinstance(v, str) else None) for k, v in list(inner.items())[:50]})
    return calls.kind_of_shape(fields, nested)


def _open(
    value: dict[str, Any], key: str, outer: str | None, stack: list[tuple[Any, str, str | None]], told: dict[str, str]
) -> None:
    own_id = value.get("id")
    own = _shape(value)
    kind = own or told.get(key) or (told.get(str(own_id)) if own_id is not None else None)
    kind = kind or outer or addresses.kind_of_name(key)
    host = next((k for k in beside.HOSTS if isinstance(value.get(k), str)), "")
    path = value.get("path")
    is_apart = bool(host) and isinstance(path, str)
    if is_apart and "://" in value[host][:8]:
        stack.append((beside.joined(value[host], str(path)), "url", kind))
    for name, inner in reversed(list(value.items())):
        if is_apart and name in (host, "path"):
            continue
        # Links are for people, but for those in an entry that says itself which service it is.
        stack.append((inner, "url" if own and name == "href" else str(name), kind))


def _kind_for(key: str, kind: str | None) -> str | None:
    """The kind of the object counts for keys that hold addresses; otherwise the string must speak for itself."""
    own = addresses.kind_of_name(key)
    if own:
        return own
    return kind if key in calls.URL_KEYS or re.search(r"ur[li]|href|server|endpoint|host", key, re.IGNORECASE) else None


def addresses_in_xml(text: str) -> Iterator[Row]:
    """Attributes and texts of elements; namespaces, schemas and comments left out."""
    text = _COMMENT.sub("", text[:_MAX_TEXT])
    last: str | None = None
    for count, tag in enumerate(_TAG.finditer(text)):
        if count > _MAX_NODES:
            return
        pairs = [(k, (a or b).replace("&amp;", "&")) for k, a, b in _ATTRIBUTE.findall(tag[2])]
        kind = calls.kind_of_shape({k.lower(): v for k, v in pairs}, {}) or addresses.kind_of_name(tag[1])
        last = kind or last
        for name, value in pairs:
            if name == "xlink:href" and tag[1].rpartition(":")[2] == "OnlineResource":
                yield value, last, tag[1]
            elif ":" not in name and "xmlns" not in name and not calls.IGNORED_KEYS.match(name) and "/" in value:
                yield value, _kind_for(name, kind), name
    for element in _ELEMENT.finditer(text):
        if not calls.IGNORED_KEYS.match(element[1]):
            yield element[2].replace("&amp;", "&"), addresses.kind_of_name(element[1]), element[1]


def addresses_in_yaml(text: str) -> Iterator[Row]:
    """Plain YAML: the keys of one entry of a list are judged together."""
    entry: dict[str, str] = {}
    for line in [*text[:_MAX_TEXT].splitlines()[:_MAX_NODES], "- end: x"]:
        pair = _PAIR.match(line)
        if pair is None:
            continue
        if pair[2]:
            yield from _entry(entry)
            entry = {}
        entry[pair[3]] = pair[4].strip("\"'")
    yield from _entry(entry)


def _entry(entry: dict[str, str]) -> Iterator[Row]:
    kind = calls.kind_of_shape({k.lower(): v for k, v in entry.items()}, {})
    for key, value in entry.items():
        if "/" in value and not calls.IGNORED_KEYS.match(key):
            yield value, _kind_for(key, kind), key
