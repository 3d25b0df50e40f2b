"""Map contexts: OWS Context in XML, Atom and GeoJSON, and Web Map Context; the services of their layers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from geohound.contracts import Fetcher
from geohound.document import Document, safe_xml
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking
from ._part import Part
from ._protocols import protocol_of
from ._records import MAX_TITLE_CHARS, address, mapping, rows, words

MAX_LAYERS = 20_000
_OWC = "opengis.net/owc"
_ROOTS = ("OWSContext", "ViewContext", "WMS_Viewer_Context")
_XLINK = "{http://www.w3.org/1999/xlink}href"


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:  # noqa: ARG001
    answer = await _asking.ask(fetcher, source)
    if isinstance(answer, Failure):
        return answer
    found = _read(answer)
    if found is None:
        return _asking.not_understood(answer, "a map context")
    listed = [each for each in found if each.url]
    mark = fingerprint(source, (f"{each.url} {each.title}" for each in listed))
    return HarvestPage(
        tuple(dict.fromkeys(listed)), fingerprint=mark, records=len(listed)
    )


def _read(document: Document) -> list[Listed] | None:
    """The services that a context names; None where the document is none."""
    root = document.root
    if root is not None and document.root_name in _ROOTS:
        return list(islice(_of_map(root, document.url), MAX_LAYERS))
    if root is not None and document.root_name == "feed":
        return _of_feed(root, document.url)
    features = rows(mapping(document.json).get("features"))
    offered = [each for each in features if _has_offerings(each)]
    found = [each for feature in offered for each in _of_feature(feature, document.url)]
    return found if offered else None


def _of_feed(feed: safe_xml.Element, url: str) -> list[Listed] | None:
    offerings = list(islice(safe_xml.descendants(feed, "offering"), MAX_LAYERS))
    is_context = any(_OWC in safe_xml.namespace(each) for each in offerings)
    found = [each for offering in offerings for each in _of_offering(offering, url)]
    return found if is_context else None


def _has_offerings(feature: Mapping[str, Any]) -> bool:
    return isinstance(mapping(feature.get("properties")).get("offerings"), list)


def _of_map(root: safe_xml.Element, url: str) -> Iterator[Listed]:
    """A Server element with the address below it, in layers of both kinds of context."""
    for server in safe_xml.descendants(root, "Server"):
        label = protocol_of(safe_xml.attribute(server, "service"))
        above = safe_xml.text(server.getparent(), "Title")
        title = above or safe_xml.attribute(server, "title")
        for place in islice(server.iter(), 50):
            href = place.get(_XLINK) or place.get("href")
            if safe_xml.local(place) == "OnlineResource" and href:
                yield Listed(address(str(href), url), title[:MAX_TITLE_CHARS], label)


def _of_offering(offering: safe_xml.Element, url: str) -> list[Listed]:
    """By its code, such as http://www.opengis.net/spec/owc-atom/1.0/req/wms, and its operations."""
    label = protocol_of(_last(safe_xml.attribute(offering, "code")))
    title = safe_xml.text(offering.getparent(), "title")[:MAX_TITLE_CHARS]
    operations = islice(safe_xml.children(offering, "operation"), 20)
    return [
        Listed(address(safe_xml.attribute(each, "href"), url), title, label)
        for each in operations
    ]


def _of_feature(feature: Mapping[str, Any], url: str) -> list[Listed]:
    properties = mapping(feature.get("properties"))
    title = words(properties.get("title"))
    found = []
    for offering in rows(properties.get("offerings"))[:50]:
        label = protocol_of(_last(words(offering.get("code"))))
        found += [
            Listed(address(each.get("href"), url), title, label)
            for each in rows(offering.get("operations"))[:20]
        ]
    return found


def _last(code: str) -> str:
    return code.rstrip("/").rpartition("/")[2]


HARVESTERS = (Part("ows-context", "OWS Context and Web Map Context", page),)
