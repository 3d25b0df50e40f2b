"""Web-accessible folders: lists of metadata files that a web server shows, with the folders below them."""

from __future__ import annotations

import re

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.visit import Failure
from geohound.model.work.harvest import HarvestPage, fingerprint

from . import _asking, _records
from ._part import Part

_ADDRESS = re.compile(r"/waf/(?:[^?]*/)?$", re.IGNORECASE)


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:  # noqa: ARG001
    """Of a folder, its files and folders as further sources; of a metadata file, the addresses in it."""
    answer = await _asking.ask(fetcher, source)
    if isinstance(answer, Failure):
        return answer
    if answer.root is not None and not answer.is_html:
        listed = tuple(_records.of_xml(answer.root))
        return HarvestPage(
            listed,
            fingerprint=fingerprint(source, [_records.record_id(answer.root)]),
            records=1,
        )
    below = _below(answer)
    if not below:
        return _asking.not_understood(answer, "a folder of metadata files")
    return HarvestPage(
        sources=tuple(below), fingerprint=fingerprint(source, below), records=len(below)
    )


def _below(document: Document) -> list[str]:
    """Folders and XML files in this folder; never upwards, nor the same list in another order."""
    path = document.url.partition("?")[0].rpartition("/")[0]
    folder = urls.canonical(f"{path}/") or ""
    clean = (urls.canonical(href, folder) for href in _records.hrefs(document))
    links = dict.fromkeys(filter(None, clean))
    return [at for at in links if _is_below(folder, at)]


def _is_below(folder: str, url: str) -> bool:
    if url == folder or not url.startswith(folder):
        return False
    return "?" not in url and url.lower().endswith(("/", ".xml"))


HARVESTERS = (Part("waf", "Web-accessible folder", page, address=_ADDRESS),)
