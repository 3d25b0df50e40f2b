"""What a document holds: links, addresses in text, meaning. `mine` picks the reader by what the document is."""

from __future__ import annotations

from geohound.document import Document
from geohound.model.visit import Page, Place

from . import charset, html, script, sitemap, text

_NOT_HTML = (b"<?xml", b"{", b"[")  # whatever the header says
_SCRIPT_TYPES = ("javascript", "ecmascript")


def mine(document: Document) -> Page:
    """All that can be followed from this document."""
    kind = document.response.content_type.lower()
    if document.is_image:
        return Page(document.url)
    if document.is_html or ("html" in kind and not document.body.lstrip().startswith(_NOT_HTML)):
        return html.read(charset.decode(document.body, kind), document.url)
    if sitemap.is_sitemap(document):
        return Page(document.url, links=tuple(sitemap.links(document)))
    if any(t in kind for t in _SCRIPT_TYPES) or document.url.partition("?")[0].endswith((".js", ".mjs")):
        return Page(document.url, links=tuple(script.links(document.text)))
    if document.json is not None:
        return Page(document.url, links=tuple(script.links(document.text)))
    if document.root is not None:
        return Page(document.url, links=tuple(text.links(document.text, Place.XML)))
    if kind.startswith("text/") or not kind:
        return Page(document.url, links=tuple(text.links(charset.decode(document.body, kind), Place.TEXT)))
    return Page(document.url)
