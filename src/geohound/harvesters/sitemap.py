"""Sitemaps, packed ones too: their pages, the addresses of services among them, and the sitemaps of an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from geohound.contracts import Fetcher
from geohound.document import Document, safe_xml
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking
from ._part import Part, from_date
from ._records import address, is_address, is_before

MAX_ENTRIES = 50_000  # the limit of the sitemap protocol itself
_ENTRIES = frozenset({"url", "sitemap"})
_SITEMAPS = ("urlset", "sitemapindex")


class _Entry(NamedTuple):
    url: str
    changed: str


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    since = str(_asking.unpack(cursor).get("since", ""))
    answer = await _asking.ask(fetcher, source)
    if isinstance(answer, Failure):
        return answer
    if answer.root_name in _SITEMAPS:
        return _of_xml(answer, source, since)
    listed = [] if answer.is_html else _read_text(answer.text)
    if not listed:
        return _asking.not_understood(answer, "a sitemap")
    return _of_pages(source, listed, len(listed))


def _of_pages(source: str, pages: Sequence[str], records: int) -> HarvestPage:
    mark = fingerprint(source, pages)
    listed = tuple(map(Listed, pages))
    return HarvestPage(listed, fingerprint=mark, records=records, names_pages=True)


def _of_xml(document: Document, source: str, since: str) -> HarvestPage:
    root, entry_of = document.skim(_ENTRIES, _read_entry)
    elements = [] if root is None else list(root)[:MAX_ENTRIES]
    entries = list(map(entry_of, elements))
    changed = (each for each in entries if each and not is_before(each.changed, since))
    addresses = (address(each.url, document.url) for each in changed)
    found = tuple(dict.fromkeys(filter(None, addresses)))
    if document.root_name != "sitemapindex":
        return _of_pages(source, found, len(entries))
    mark = fingerprint(source, found)
    return HarvestPage(sources=found, fingerprint=mark, records=len(entries))


def _read_entry(entry: safe_xml.Element) -> _Entry:
    return _Entry(safe_xml.text(entry, "loc"), safe_xml.text(entry, "lastmod"))


def _read_text(text: str) -> list[str]:
    """The protocol allows a plain list, one address a line: then every line is one."""
    lines = [line.strip() for line in text.splitlines()[:MAX_ENTRIES] if line.strip()]
    return list(dict.fromkeys(lines)) if lines and all(map(is_address, lines)) else []


HARVESTERS = (Part("sitemap", "Sitemap", page, from_date),)
