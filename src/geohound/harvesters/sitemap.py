"""Sitemaps, packed ones too: their pages, the addresses of services among them, and the sitemaps of an index."""

from __future__ import annotations

from typing import NamedTuple

from geohound.contracts import Fetcher
from geohound.document import safe_xml
from geohound.model.visit import Failure
from geohound.model.work.harvest import HarvestPage, Listed, fingerprint

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
    if answer.root_name not in _SITEMAPS:
        listed = _read_text(answer.text) if not answer.is_html else []
        if not listed:
            return _asking.not_understood(answer, "a sitemap")
        mark = fingerprint(source, listed)
        return HarvestPage(
            tuple(map(Listed, listed)),
            fingerprint=mark,
            records=len(listed),
            names_pages=True,
        )
    root, entry_of = answer.skim(_ENTRIES, _read_entry)
    entries = (
        [entry_of(each) for each in list(root)[:MAX_ENTRIES]]
        if root is not None
        else []
    )
    changed = [
        each
        for each in entries
        if each and each.url and not is_before(each.changed, since)
    ]
    found = tuple(
        dict.fromkeys(at for each in changed if (at := address(each.url, answer.url)))
    )
    mark = fingerprint(source, found)
    if answer.root_name == "sitemapindex":
        return HarvestPage(sources=found, fingerprint=mark, records=len(entries))
    listed_in = tuple(map(Listed, found))
    return HarvestPage(
        listed_in, fingerprint=mark, records=len(entries), names_pages=True
    )


def _read_entry(entry: safe_xml.Element) -> _Entry:
    return _Entry(safe_xml.text(entry, "loc"), safe_xml.text(entry, "lastmod"))


def _read_text(text: str) -> list[str]:
    """The protocol allows a plain list, one address a line: then every line is one."""
    lines = [line.strip() for line in text.splitlines()[:MAX_ENTRIES] if line.strip()]
    return list(dict.fromkeys(lines)) if lines and all(map(is_address, lines)) else []


HARVESTERS = (Part("sitemap", "Sitemap", page, from_date),)
