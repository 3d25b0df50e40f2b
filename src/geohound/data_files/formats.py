"""The formats, from their data file, and which of them a name stands for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class DataFormat:
    """How files of one format are named, sent and begun."""

    id: str
    title: str
    endings: tuple[str, ...]
    types: frozenset[str] = frozenset()
    magic: tuple[bytes, ...] = ()
    check: str = ""
    archives: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def _read(name: str, table: Mapping[str, Any]) -> DataFormat:
    return DataFormat(
        name,
        table["title"],
        tuple(table["endings"]),
        frozenset(table.get("types", ())),
        tuple(map(bytes.fromhex, table.get("magic", ()))),
        table.get("check", ""),
        tuple(table.get("archives", ())),
        tuple(table.get("words", ())),
    )


def _load() -> dict[str, DataFormat]:
    text = files(__package__).joinpath("formats.toml").read_text("utf-8")
    return {name: _read(name, table) for name, table in tomllib.loads(text).items()}


FORMATS: Mapping[str, DataFormat] = MappingProxyType(_load())
_BY_ENDING = {ending: each.id for each in FORMATS.values() for ending in each.endings}
_LONGEST_FIRST = sorted(_BY_ENDING, key=len, reverse=True)
_ENDINGS = tuple(_LONGEST_FIRST)
_ARCHIVES = tuple(ending for each in FORMATS.values() for ending in each.archives)


def format_named(url: str, text: str = "") -> str:
    """The id of the format that the name in an address stands for, with the text of its link; empty if it is none."""
    path = url.partition("#")[0].partition("?")[0].lower()
    name = path[path.rfind("/") + 1 :]
    if path.count("/") < 3:
        return ""
    if name.endswith(_ENDINGS):
        ending = next(ending for ending in _LONGEST_FIRST if name.endswith(ending))
        return _BY_ENDING[ending] if name != ending else ""
    if name.endswith(_ARCHIVES):
        return _archive_named(name, text.lower())
    return ""


def _archive_named(name: str, text: str) -> str:
    for each in FORMATS.values():
        if name.endswith(each.archives) and any(
            word in name or word in text for word in each.words
        ):
            return each.id
    return ""
