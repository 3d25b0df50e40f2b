"""Which kind of service viewers mean by the type of a layer or source."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib import resources

from geohound.urls.ogc import classify_ogc

NONE = ""  # certainly no service of ours
_PLAIN = re.compile(r"[^a-z0-9]")
_WORDS: dict[str, str] = tomllib.loads(resources.files(__package__).joinpath("_kinds.toml").read_text("utf-8"))
_KINDS = {word: "" if kind == "none" else kind for kind, words in _WORDS.items() for word in words.split()}
_ARCGIS = re.compile(r"/rest/services/.{1,300}/(map|feature|image)server\b", re.IGNORECASE)
_PATH = re.compile(r"/(wms|wfs|wcs|wmts|wps|csw|sos)(?:server)?/?(?:$|[?#])", re.IGNORECASE)


def of(said: str, own: Mapping[str, str] | None = None) -> str | None:
    """The kind behind a viewer's word; None where the word says nothing, NONE where it is no service."""
    if own is not None and said in own:
        return own[said]
    return _KINDS.get(_PLAIN.sub("", said.lower())) if said else None


def by_address(url: str) -> str | None:
    """The kind that an address itself tells."""
    if arcgis := _ARCGIS.search(url):
        return f"arcgis-{arcgis[1].lower()}server"
    kind = classify_ogc(url)[1]
    if kind:
        return kind
    path = _PATH.search(url.partition("?")[0])
    return path[1].lower() if path else None
