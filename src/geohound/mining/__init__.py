"""What a document holds: links, addresses in text, meaning. `mine` picks the reader by what the document is."""

from __future__ import annotations

from geohound import jsflow
from geohound.document import Document
from geohound.model.visit import Link, Page, Place

from . import charset, html, recipes, scripts, sitemap, text
from .robots_tag import robots_tag

_NOT_HTML = (b"<?xml", b"{", b"[")  # whatever the header says
_SNIFF_BYTES = 65_536
_MAX_BYTES = 10_000_000  # read of scripts, data and text; of pages less, see charset.decode
_SCRIPT_TYPES = ("javascript", "ecmascript")


def mine(document: Document, is_told: html.Told | None = None) -> Page:
    """All that can be followed from this document, but for links that were told before (see `html.read`)."""
    kind = document.response.content_type.lower()
    tag = robots_tag(document.response.headers)
    if document.is_image:
        return Page(document.url)
    if is_page(document):
        return html.read(charset.decode(document.body, kind), document.url, tag, is_told)
    links = tuple(_links(document, kind))
    return Page(document.url, links=links, nofollow="nofollow" in tag)


def is_page(document: Document) -> bool:
    """Is it HTML, whatever the header says?"""
    kind = document.response.content_type.lower()
    return document.is_html or ("html" in kind and not document.body[:_SNIFF_BYTES].lstrip().startswith(_NOT_HTML))


def _links(document: Document, kind: str) -> list[Link]:
    if sitemap.is_sitemap(document):
        return sitemap.links(document)
    is_script = any(t in kind for t in _SCRIPT_TYPES) or document.url.partition("?")[0].endswith((".js", ".mjs"))
    if is_script:
        words = charset.decode(document.body, kind, _MAX_BYTES)
        return scripts.links([jsflow.Script(document.url, words, is_module=_is_module(document.url))], document.url)
    if document.json is not None:
        words = charset.decode(document.body, kind, _MAX_BYTES)
        return [*_listed(words, document.url), *scripts.links([jsflow.Script(document.url, words)], document.url)]
    if document.head is not None:  # the root itself would cost a large document its whole tree
        words = charset.decode(document.body, kind, _MAX_BYTES)
        return [*_listed(words, document.url), *text.links(words, Place.XML)]
    if kind.startswith("text/") or not kind:
        return text.links(charset.decode(document.body, kind, _MAX_BYTES), Place.TEXT)
    return []


def _listed(words: str, url: str) -> list[Link]:
    """The services in a viewer's configuration that is known by its own beginning."""
    found = [e for wanted in recipes.of_document(words, url) for e in recipes.read(wanted, words).endpoints]
    return scripts.computed(found, Place.RECIPE)


def _is_module(url: str) -> bool:
    return url.partition("?")[0].endswith(".mjs")
