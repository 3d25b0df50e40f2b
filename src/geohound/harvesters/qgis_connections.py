"""Connection files of QGIS: the services that somebody has saved to be opened again."""

from __future__ import annotations

import re
from itertools import islice

from geohound.contracts import Fetcher
from geohound.document import Document, safe_xml
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking
from ._part import Part
from ._protocols import protocol_of
from ._records import is_address

_ROOT = re.compile(r"qgs\w*Connections")


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:  # noqa: ARG001
    answer = await _asking.ask(fetcher, source)
    if isinstance(answer, Failure):
        return answer
    if answer.root is None or not _ROOT.fullmatch(answer.root_name):
        return _asking.not_understood(answer, "a connection file of QGIS")
    elements = (each for each in answer.root if isinstance(each.tag, str))
    connections = list(islice(elements, _asking.MAX_RECORDS))
    found = [entry for entry in map(_read, connections) if is_address(entry.url)]
    mark = fingerprint(source, (entry.url for entry in found))
    return HarvestPage(
        tuple(dict.fromkeys(found)), fingerprint=mark, records=len(connections)
    )


def _read(connection: safe_xml.Element) -> Listed:
    url = str(connection.get("url") or "").strip()
    name = str(connection.get("name") or "")
    return Listed(url, name, protocol_of(str(connection.tag)))


def _front(document: Document) -> str:
    return document.url if _ROOT.fullmatch(document.root_name) else ""


HARVESTERS = (
    Part("qgis", "QGIS connection file", page, marks=(b"Connections",), front=_front),
)
