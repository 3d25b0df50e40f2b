"""Web-accessible folders: lists of metadata files that a web server shows, with the folders below them."""

from __future__ import annotations

import re

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.visit import Failure
from geohound.model.work.harvest import HarvestPage, fingerprint

from . import _asking, _records
from ._part import FRONT_BYTES, Part

_ADDRESS = re.compile(r"/waf/(?:[^?]*/)?$", re.IGNORECASE)

# As nginx and Apache, Python and Node write it.
_INDEX = re.compile(
    rb"<title>\s*(?:Index of|Directory listing (?:for|of)) /", re.IGNORECASE
)
_FILE = re.compile(r"^[^?#]*\.\w{1,8}$")


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


def _front(document: Document) -> str:
    """A list that a web server made of a folder, most of whose files are metadata."""
    if not document.is_html or not _INDEX.search(document.body[:FRONT_BYTES]):
        return ""
    files = [at for at in _records.hrefs(document) if _FILE.search(at)]
    metadata = [at for at in files if at.lower().endswith(".xml")]
    return document.url if metadata and 2 * len(metadata) >= len(files) else ""


HARVESTERS = (
    Part(
        "waf",
        "Web-accessible folder",
        page,
        address=_ADDRESS,
        marks=(b"<title>Index of", b"<title>Directory"),
        front=_front,
    ),
)
