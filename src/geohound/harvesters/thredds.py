"""THREDDS catalogues: the services of each dataset, and the catalogues that a catalogue refers to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple
from urllib.parse import urljoin

from geohound.contracts import Fetcher
from geohound.document import Document, safe_xml
from geohound.model.service import Service
from geohound.model.visit import Failure
from geohound.model.work.harvest import HarvestPage, Listed, fingerprint

from . import _asking, _records
from ._part import MANY_LINKS, Part

MAX_DATASETS = 50_000
_HTML = re.compile(r"\.html$", re.IGNORECASE)
_WAYS = {  # type of the service in lower case: its protocol, and the request that proves it
    "wms": ("OGC:WMS", "?service=WMS&request=GetCapabilities"),
    "wcs": ("OGC:WCS", "?service=WCS&request=GetCapabilities"),
    "opendap": ("OPeNDAP:OPeNDAP", ".dds"),
    "dods": ("OPeNDAP:OPeNDAP", ".dds"),
    "ncss": ("UNIDATA:NCSS", "/dataset.xml"),
}


class _Way(NamedTuple):
    """One way to the data, as a service element declares it."""

    base: str
    suffix: str
    protocol: str
    request: str


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:  # noqa: ARG001
    answer = await _asking.ask(fetcher, _HTML.sub(".xml", source.partition("?")[0]))
    if isinstance(answer, Failure):
        return answer
    root = answer.root
    if root is None or answer.root_name != "catalog":
        return _asking.not_understood(answer, "a THREDDS catalogue")
    ways = _ways(root)
    elements = [
        each
        for each in root.iter()
        if safe_xml.local(each) in ("dataset", "catalogRef")
    ][:MAX_DATASETS]
    listed = tuple(
        dict.fromkeys(
            found for each in elements for found in _addresses(each, ways, answer)
        )
    )
    below = (each for each in elements if safe_xml.local(each) == "catalogRef")
    sources = tuple(
        dict.fromkeys(at for each in below if (at := _referred(each, answer)))
    )
    ids = [
        safe_xml.attribute(each, "ID") or safe_xml.attribute(each, "urlPath")
        for each in elements
    ]
    mark = fingerprint(source, [*ids, *sources])
    return HarvestPage(listed, sources, fingerprint=mark, records=len(elements))


def _ways(root: safe_xml.Element) -> Mapping[str, list[_Way]]:
    """The ways that each service name stands for: a compound service has several."""
    found: dict[str, list[_Way]] = {}
    services = (each for each in root.iter() if safe_xml.local(each) == "service")
    for service in islice(services, 200):
        members = [each for each in service.iter() if safe_xml.local(each) == "service"]
        ways = [way for each in islice(members, 50) if (way := _way(each)) is not None]
        found.setdefault(safe_xml.attribute(service, "name"), ways)
    return found


def _way(service: safe_xml.Element) -> _Way | None:
    known = _WAYS.get(safe_xml.attribute(service, "serviceType").lower())
    if known is None:
        return None
    return _Way(
        safe_xml.attribute(service, "base"),
        safe_xml.attribute(service, "suffix"),
        *known,
    )


def _addresses(
    dataset: safe_xml.Element, ways: Mapping[str, list[_Way]], document: Document
) -> Iterator[Listed]:
    path = safe_xml.attribute(dataset, "urlPath")
    if not path:
        return
    title = safe_xml.attribute(dataset, "name")[: _records.MAX_TITLE_CHARS]
    named = _service_name(dataset)
    chosen = (
        ways.get(named) if named else [way for each in ways.values() for way in each]
    )
    for way in chosen or ():
        at = _records.address(urljoin(document.url, f"{way.base}{path}{way.suffix}"))
        if at:
            yield Listed(f"{at}{way.request}", title, way.protocol)


def _service_name(dataset: safe_xml.Element) -> str:
    """Said by the dataset itself, in its metadata, or in the inherited metadata of a dataset above it."""
    for element in [dataset, *islice(dataset.iterancestors(), 20)]:
        named = (
            safe_xml.attribute(element, "serviceName")
            or safe_xml.text(element, "serviceName")
            or safe_xml.text(element, "metadata", "serviceName")
        )
        if named:
            return named
    return ""


def _referred(reference: safe_xml.Element, document: Document) -> str:
    href = safe_xml.attribute(reference, "href")
    return (
        _HTML.sub(".xml", _records.address(href, document.url).partition("?")[0])
        if href
        else ""
    )


def _is_too_long(service: Service | None, url: str) -> bool:  # noqa: ARG001
    """The links of the service itself are followed; only what did not fit among them has to be read."""
    return (
        service is not None
        and service.kind == "thredds"
        and len(service.links) >= MANY_LINKS
    )


HARVESTERS = (Part("thredds", "THREDDS catalogue", page, also=_is_too_long),)
