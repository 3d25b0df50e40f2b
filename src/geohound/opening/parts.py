"""What opening a layer consists of: requests that work, snippets for programs, and what a map needs to draw it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import quote

from geohound.model.bbox import BBox
from geohound.model.service import Layer, Service
from geohound.urls import canonical


class Rel(StrEnum):
    """What a request brings."""

    CAPABILITIES = "capabilities"
    DESCRIPTION = "description"
    MAP = "map"
    FEATURES = "features"
    COVERAGE = "coverage"
    TILE = "tile"
    RECORDS = "records"
    DATA = "data"


@dataclass(frozen=True, slots=True)
class Link:
    """One request, ready to be sent by GET."""

    rel: Rel
    title: str
    url: str
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A few lines for one program."""

    tool: str  # qgis, python, r, gdal, curl, openlayers, leaflet
    title: str
    language: str
    code: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What a map in the browser needs: wms, xyz, arcgis or geojson, with the address and its parameters."""

    type: str
    url: str
    params: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opening:
    """All ways into one layer (or a whole service) at one box."""

    box: BBox
    links: tuple[Link, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    preview: Preview | None = None

    def first(self, *rels: Rel) -> str:
        """The address of the first request that brings one of these."""
        return next((link.url for link in self.links if link.rel in rels), "")


@dataclass(frozen=True, slots=True)
class Ask:
    """What is to be opened: a layer, at a box within it; `is_asked` where the user named the box."""

    service: Service
    layer: Layer
    box: BBox
    is_asked: bool

    @property
    def title(self) -> str:
        return plain(self.layer.title or self.layer.name or self.service.title)[:100] or "layer"

    def operation(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Where an operation is asked and its formats; an address on another host is not believed.

        Servers behind a proxy tell the names that they have at home; the endpoint is the one that answered.
        """
        endpoint = self.service.endpoint
        for operation in self.service.operations:
            if operation.name.lower() == name.lower():
                address = canonical(operation.get) if operation.get else None
                near = address is not None and origin(address) == origin(endpoint)
                return (address if near and address else endpoint), operation.formats
        return endpoint, ()


TITLES = {
    "qgis": "QGIS",
    "python": "Python",
    "r": "R",
    "gdal": "GDAL",
    "curl": "curl",
    "openlayers": "OpenLayers",
    "leaflet": "Leaflet",
}
_LANGUAGES = {"qgis": "python", "python": "python", "r": "r", "openlayers": "javascript", "leaflet": "javascript"}


def snippet(tool: str, *lines: str) -> Snippet:
    kept = ("".join(c if c.isprintable() else " " for c in line) for line in lines)
    return Snippet(tool, TITLES[tool], _LANGUAGES.get(tool, "sh"), "\n".join(kept) + "\n")


def origin(url: str) -> str:
    return "/".join(url.split("/", 3)[:3]).lower()


def plain(text: str) -> str:
    """One line without control characters: names come from strangers and end up in shells and notebooks."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def sh(text: str) -> str:
    return shlex.quote(plain(text))


def sh_layer(name: str) -> str:
    """A layer in the words of ogr2ogr, who would take a name with a dash in front for an option."""
    if not plain(name).startswith("-"):
        return sh(name)
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    query = f'SELECT * FROM "{escaped}"'  # noqa: S608 - shown to people, for their own files
    return f"-nln layer -sql {sh(query)}"


def py(text: str) -> str:
    """A Python string literal, in double quotes."""
    return json.dumps(plain(text), ensure_ascii=False).replace("\u2028", " ").replace("\u2029", " ")


def js(text: str) -> str:
    """A JavaScript string literal that may also stand inside a page."""
    return py(text).replace("<", "\\u003c")


def r(text: str) -> str:
    """An R string literal."""
    return '"' + plain(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def encoded(text: str) -> str:
    """A value inside a QGIS connection text."""
    return quote(text, safe=":/", errors="replace")


def quoted(text: str) -> str:
    """A value of a QGIS data source text."""
    return "'" + plain(text).replace("\\", "\\\\").replace("'", "\\'") + "'"


def numbers(values: Sequence[float], separator: str = ", ") -> str:
    """Short numbers: a ten-millionth of a degree, a centimetre of a metre."""
    digits = 7 if all(abs(v) <= 360 for v in values) else 2
    return separator.join(f"{v:.{digits}f}".rstrip("0").rstrip(".") if v else "0" for v in values)
