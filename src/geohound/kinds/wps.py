"""Web Processing Service, 1.0 and 2.0: processes are its layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from geohound import urls
from geohound.document import Document
from geohound.document.safe_xml import Element, local
from geohound.kinds import _ows
from geohound.kinds._elements import KEYWORDS, glean, href, read_keywords, unique
from geohound.kinds._layer_query import LayerQuery, capabilities
from geohound.kinds._signature import xml
from geohound.model.addresses import Addresses, Kvp, ScriptIdioms
from geohound.model.layer_request import LayerRequest, Rel, ServerType
from geohound.model.service import Layer, Service

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
    about = _ows.read_common("wps", root, document.url)
    default = "2.0.0" if "wps/2" in document.root_namespace else "1.0.0"
    layers = [layer for layer in map(digest, _processes(root)) if layer.name]
    return _ows.build(document, about, _ows.version_of(root, about, default), layers)


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
        links=unique(
            x for x in map(href, parts.get("Metadata", ())) if x.startswith("http")
        ),
    )


def _requests(query: LayerQuery) -> list[LayerRequest]:
    version = query.service.version or "1.0.0"
    request = {
        "SERVICE": "WPS",
        "ACCEPTVERSIONS": version,
        "REQUEST": "GetCapabilities",
    }
    server = capabilities(query, ServerType.WPS, version, request)
    if not query.layer.name:
        return [server]
    asked = {
        "SERVICE": "WPS",
        "VERSION": version,
        "REQUEST": "DescribeProcess",
        "IDENTIFIER": query.layer.name,
    }
    url = urls.with_params(query.service.endpoint, asked)
    return [
        server,
        replace(server, rel=Rel.DESCRIPTION, title="DescribeProcess", url=url),
    ]


_ADDRESSES = Addresses(
    lives_anywhere=True,
    name="wps",
    ends=("wps",),
    kvp=Kvp(services=("wps",), requests=("describeprocess", "execute"), asked_as="WPS"),
    no_service=(r"/wps/(?:my)?portal\b",),  # of IBM's WebSphere
    labels=("wps", "ogcwps", "wpsgetcapabilities"),
    scripts=ScriptIdioms(
        calls="OpenLayers.WPSClient|0.servers",
        keys=frozenset(["processid", "processidentifier"]),
        posted=("Execute", "DescribeProcess"),
        words=("wps",),
    ),
)

KINDS = (
    _ows.OwsKind(
        id="wps",
        title="Web Processing Service",
        protocol="OGC:WPS",
        reader=_read,
        requester=_requests,
        addresses=_ADDRESSES,
        signature=xml("Capabilities"),
        path=_ows.address_pattern("wps", "pywps", "zoo_loader"),
        second_version="1.0.0",
    ),
)
