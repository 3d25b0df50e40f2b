"""Web Processing Service, 1.0 and 2.0: processes are its layers."""

from __future__ import annotations

from collections.abc import Iterator

from geohound.document import Document
from geohound.kinds import _ows
from geohound.kinds._elements import KEYWORDS, glean, href, read_keywords, unique
from geohound.model.service import Layer, Service
from geohound.safe_xml import Element, local

_PROCESS = frozenset({"Process", "ProcessSummary"})
_SPOKEN = frozenset({"Identifier", "Title", "Abstract"})
_KEPT = frozenset({*KEYWORDS, "Metadata"})
_HOLDERS = frozenset({"ProcessOfferings", "Contents"})


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) != "wps":
        return None
    root, digest = document.skim(_PROCESS, _read_process)
    if root is None:
        return None
    common = _ows.read_common(root, document.url)
    default = "2.0.0" if "wps/2" in document.root_namespace else "1.0.0"
    layers = [layer for layer in map(digest, _processes(root)) if layer.name]
    return _ows.build(document, "wps", _ows.version_of(root, common, default), common, layers)


def _processes(root: Element) -> Iterator[Element]:
    for holder in root:
        if local(holder) in _HOLDERS:
            yield from (p for p in holder if local(p) in _PROCESS)


def _read_process(element: Element) -> Layer:
    heard, parts = glean(element, _SPOKEN, _KEPT)
    return Layer(
        name=heard.get("Identifier", ""),
        title=heard.get("Title", ""),
        abstract=heard.get("Abstract", ""),
        keywords=read_keywords(parts),
        links=unique(x for x in map(href, parts.get("Metadata", ())) if x.startswith("http")),
    )


KINDS = (
    _ows.OwsKind(
        id="wps",
        title="Web Processing Service",
        protocol="OGC:WPS",
        reader=_read,
        service="WPS",
        path=_ows.address_pattern("wps", "pywps", "zoo_loader"),
        second_version="1.0.0",
    ),
)
