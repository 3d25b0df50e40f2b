"""Connection files of QGIS: the services that somebody has saved to be opened again."""

from __future__ import annotations

import re
from itertools import islice

from geohound.contracts import Fetcher
from geohound.model.visit import Failure
from geohound.model.work.harvest import HarvestPage, Listed, fingerprint

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
    connections = list(
        islice(
            (each for each in answer.root if isinstance(each.tag, str)),
            _asking.MAX_RECORDS,
        )
    )
    found = [
        Listed(at, str(each.get("name") or ""), protocol_of(str(each.tag)))
        for each in connections
        if is_address(at := str(each.get("url") or "").strip())
    ]
    mark = fingerprint(source, (entry.url for entry in found))
    return HarvestPage(
        tuple(dict.fromkeys(found)), fingerprint=mark, records=len(connections)
    )


HARVESTERS = (Part("qgis", "QGIS connection file", page),)
