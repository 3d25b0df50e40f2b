"""THREDDS catalogues: the services of each dataset, and the catalogues that a catalogue refers to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote, urljoin

from geohound.contracts import Fetcher
from geohound.document import Document, safe_xml
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking, _records
from ._part import Part, from_date
from ._protocols import protocol_of

MAX_DATASETS = 50_000
_HTML = re.compile(r"\.html$", re.IGNORECASE)
# signs in a path of a file that mean nothing else in an address
_PLAIN = "/%:@!$&'()*+,;=~"
_REQUESTS = {  # of each protocol the request that proves a service
    "OGC:WMS": "?service=WMS&request=GetCapabilities",
    "OGC:WCS": "?service=WCS&request=GetCapabilities",
    "OPeNDAP:OPeNDAP": ".dds",
    "UNIDATA:NCSS": "/dataset.xml",
}


class _Way(NamedTuple):
    """One way to the data, as a service element declares it."""

    base: str
    suffix: str
    protocol: str
    request: str


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    since = str(_asking.unpack(cursor).get("since", ""))
    answer = await _asking.ask(fetcher, _HTML.sub(".xml", source.partition("?")[0]))
    if isinstance(answer, Failure):
        return answer
    root = answer.root
    if root is None or answer.root_name != "catalog":
        return _asking.not_understood(answer, "a THREDDS catalogue")
    ways = _ways(root)
    datasets = safe_xml.descendants(root, "dataset", "catalogRef")
    elements = list(islice(datasets, MAX_DATASETS))
    listed = dict.fromkeys(
        found
        for each in elements
        if not _records.is_before(_changed(each), since)
        for found in _addresses(each, ways, answer)
    )
    below = (each for each in elements if safe_xml.local(each) == "catalogRef")
    referred = (_referred(each, answer) for each in below)
    sources = dict.fromkeys(filter(None, referred))
    mark = fingerprint(source, [*map(_id, elements), *sources])
    return HarvestPage(
        tuple(listed), tuple(sources), fingerprint=mark, records=len(elements)
    )


def _changed(dataset: safe_xml.Element) -> str:
    """When its data were; a date has other meanings, too."""
    dates = safe_xml.children(dataset, "date")
    said = (each for each in dates if safe_xml.attribute(each, "type") == "modified")
    return next((str(each.text or "").strip() for each in said), "")


def _id(dataset: safe_xml.Element) -> str:
    return safe_xml.attribute(dataset, "ID") or safe_xml.attribute(dataset, "urlPath")


def _ways(root: safe_xml.Element) -> Mapping[str, list[_Way]]:
    """The ways that each service name stands for: a compound service has several."""
    found: dict[str, list[_Way]] = {}
    for service in islice(safe_xml.descendants(root, "service"), 200):
        members = islice(safe_xml.descendants(service, "service"), 50)
        ways = [way for each in members if (way := _way(each)) is not None]
        found.setdefault(safe_xml.attribute(service, "name"), ways)
    return found


def _way(service: safe_xml.Element) -> _Way | None:
    protocol = protocol_of(safe_xml.attribute(service, "serviceType"))
    if protocol not in _REQUESTS:
        return None
    base = safe_xml.attribute(service, "base")
    suffix = safe_xml.attribute(service, "suffix")
    return _Way(base, suffix, protocol, _REQUESTS[protocol])


def _addresses(
    dataset: safe_xml.Element, ways: Mapping[str, list[_Way]], document: Document
) -> Iterator[Listed]:
    path = quote(safe_xml.attribute(dataset, "urlPath"), safe=_PLAIN)
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
    address = _records.address(href, document.url)
    return _HTML.sub(".xml", address.partition("?")[0])


HARVESTERS = (Part("thredds", "THREDDS catalogue", page, from_date, only_long=True),)
