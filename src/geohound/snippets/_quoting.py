"""Names and addresses as literals of each language: they come from strangers, and end up in shells and notebooks."""

from __future__ import annotations

import json
import shlex

from geohound.model.bbox import BBox, short_numbers
from geohound.model.service import Layer, Service


def lines(*parts: str) -> str:
    """The code, line by line; whatever a name holds, it adds none."""
    kept = ("".join(c if c.isprintable() else " " for c in part) for part in parts)
    return "\n".join(kept) + "\n"


def plain(text: str) -> str:
    """One line without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def title_of(service: Service, layer: Layer) -> str:
    return plain(layer.title or layer.name or service.title)[:100] or "layer"


def sh(text: str) -> str:
    """A word of a shell command."""
    return shlex.quote(plain(text))


def py(text: str) -> str:
    """A Python string literal, in double quotes."""
    return json.dumps(plain(text), ensure_ascii=False)


def js(text: str) -> str:
    """A JavaScript string literal that may also stand inside a page."""
    return py(text).replace("<", "\\u003c")


def r(text: str) -> str:
    """An R string literal."""
    return '"' + plain(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def corners(box: BBox) -> str:
    """South-west and north-east, latitude first."""
    return f"[{short_numbers((box.south, box.west))}], [{short_numbers((box.north, box.east))}]"
