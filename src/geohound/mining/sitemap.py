"""Links of a sitemap or a sitemap index."""

from __future__ import annotations

from geohound.document import Document, safe_xml
from geohound.model.visit import Link, LinkPlace

MAX_LINKS = 50_000  # the limit of the sitemap protocol itself
_ENTRIES = frozenset({"url", "sitemap"})


def is_sitemap(document: Document) -> bool:
    return document.root_name in ("urlset", "sitemapindex")


def links(document: Document) -> list[Link]:
    """Every <loc>, in document order."""
    root, address_of = document.skim(_ENTRIES, _address)
    if root is None:
        return []
    found = []
    for entry in root:
        address = address_of(entry)
        if address:
            found.append(Link(address, place=LinkPlace.SITEMAP))
        if len(found) >= MAX_LINKS:
            break
    return found


def _address(entry: safe_xml.Element) -> str:
    return safe_xml.text(entry, "loc")
