"""What the elements of a page themselves say: web components with an address, data attributes, handlers of events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from selectolax.lexbor import LexborHTMLParser

from geohound.model import url as urls
from geohound.model.clue import looks_like_service

from .js.model import Endpoint
from .recipes import kinds

MAX_ELEMENTS = 30_000
MAX_FOUND = 500
_KIND = re.compile(r"(?:^|[^a-z])(wms|wmts|wfs|wcs|wps|csw|sos)(?:$|[^a-z])")
_CONFIG = re.compile(r"[\w./-]{1,300}\.(?:json|xml|ya?ml|geojson)(?:\?[^\s]{0,200})?", re.IGNORECASE)
_CONFIG_NAMES = ("config", "settings", "context", "mapbook", "map-url", "layers-url")
_NO_ADDRESS = frozenset({"href", "action", "src", "srcset", "poster", "style", "class", "id"})


@dataclass(frozen=True, slots=True)
class Said:
    """All that elements tell."""

    endpoints: tuple[Endpoint, ...] = ()
    files: tuple[str, ...] = ()  # configuration files
    handlers: tuple[str, ...] = ()  # the code of onclick and the like


def read(tree: LexborHTMLParser, page: str, base: str) -> Said:
    """Look through the elements once."""
    endpoints: list[Endpoint] = []
    files: list[str] = []
    handlers: list[str] = []
    for tag, name, value in islice(_attributes(tree), MAX_FOUND * 20):
        if name.startswith("on"):
            handlers.append(value)
        elif any(word in name for word in _CONFIG_NAMES) and _CONFIG.fullmatch(value):
            files += [full] if (full := urls.canonical(value, base)) else []
        elif found := _endpoint(tag, name, value, page, base):
            endpoints.append(found)
    return Said(tuple(endpoints[:MAX_FOUND]), tuple(dict.fromkeys(files))[:MAX_FOUND], tuple(handlers[:MAX_FOUND]))


def _attributes(tree: LexborHTMLParser) -> Iterator[tuple[str, str, str]]:
    """Tag, name and value of what may tell: any attribute of a web component, data attributes, handlers."""
    for node in islice(tree.css("*"), MAX_ELEMENTS):
        tag = node.tag or ""
        for name, value in node.attributes.items():
            if value and ("-" in tag or name.startswith(("data-", "on"))):
                yield tag, name, value.strip()


def _endpoint(tag: str, name: str, value: str, page: str, base: str) -> Endpoint | None:
    if name in _NO_ADDRESS or not value.startswith(("http://", "https://", "//", "/", "./", "../")) or " " in value:
        return None
    full = urls.canonical(value, base)
    if full is None:
        return None
    named = _KIND.search(f"{tag} {name.removeprefix('data-')}")
    kind = kinds.by_address(full) or (named[1] if named else None)
    if kind is None and not looks_like_service(full):
        return None
    confidence = 0.85 if kind else 0.6
    return Endpoint(full, urls.endpoint(full), kind, "attribute", page, 0, f"<{tag} {name}>", confidence)
