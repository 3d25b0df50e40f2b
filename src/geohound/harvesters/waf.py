"""Web-accessible folders: lists of metadata files that a web server shows, with the folders below them."""

from __future__ import annotations

import re

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.crawl.harvest import HarvestPage, fingerprint
from geohound.model.visit import Failure

from . import _asking, _records
from ._part import FRONT_BYTES, Part, from_date

_ADDRESS = re.compile(r"/waf/(?:[^?]*/)?$", re.IGNORECASE)

# As nginx and Apache, Python and Node write it.
_INDEX = re.compile(
    rb"<title>\s*(?:Index of|Directory listing (?:for|of)) /", re.IGNORECASE
)
_FILE = re.compile(r"^[^?#]*\.\w{1,8}$")


# 2026-11-19 as Apache writes it, 19-Nov-2026 as nginx.
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
_DAY = re.compile(r"\b(\d{4}-\d\d-\d\d|\d\d-[A-Z][a-z]{2}-\d{4})\b")


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """Of a folder, its files and folders as further sources; of a metadata file, the addresses in it."""
    since = str(_asking.unpack(cursor).get("since", ""))
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
    # A folder keeps its date when a file in it is written anew.
    changed = [
        at
        for at, day in below.items()
        if at.endswith("/") or not _records.is_before(day, since)
    ]
    return HarvestPage(
        sources=tuple(changed),
        fingerprint=fingerprint(source, below),
        records=len(below),
    )


def _below(document: Document) -> dict[str, str]:
    """Folders and XML files in this folder, with the day that the list gives each.

    Never upwards, nor the same list in another order.
    """
    path = document.url.partition("?")[0].rpartition("/")[0]
    folder = urls.canonical(f"{path}/") or ""
    found: dict[str, str] = {}
    for href, note in _records.hrefs_with_notes(document):
        at = urls.canonical(href, folder)
        if at and _is_below(folder, at):
            found[at] = found.get(at) or _day(note)
    return found


def _day(note: str) -> str:
    """As ISO 8601 has it; empty where the list gives none."""
    said = _DAY.search(note)
    if said is None:
        return ""
    if said[1][:4].isdecimal():
        return said[1]
    day, month, year = said[1].split("-")
    place = _MONTHS.find(month) // 3 + 1 if month in _MONTHS else 0
    return f"{year}-{place:02d}-{day}" if place else ""


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
        from_date,
        address=_ADDRESS,
        marks=(b"<title>Index of", b"<title>Directory"),
        front=_front,
    ),
)
