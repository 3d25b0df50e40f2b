"""What a document holds: links, addresses in text, meaning. `mine` picks the reader by what the document is."""

from __future__ import annotations

from geohound import jsflow
from geohound.document import Document
from geohound.model.visit import Link, LinkPlace, Page
from geohound.urls.address_book import AddressBook

from . import charset, html, recipes, script_links, sitemap, text
from .robots_tag import robots_tag

_NOT_HTML = (b"<?xml", b"{", b"[")  # whatever the header says
_SNIFF_BYTES = 65_536
_SPACE = b"\xef\xbb\xbf \t\r\n"
# read of scripts, data and text; of pages less, see charset.decode
_MAX_BYTES = 10_000_000
_SCRIPT_TYPES = ("javascript", "ecmascript")


def mine(
    document: Document, book: AddressBook, is_known: html.IsKnown | None = None
) -> Page:
    """All that can be followed from this document, but for links that are known (see `html.read`)."""
    kind = document.response.content_type.lower()
    tag = robots_tag(document.response.headers)
    if document.is_image:
        return Page(document.url)
    if is_page(document):
        return html.read(
            charset.decode(document.body, kind), document.url, book, tag, is_known
        )
    unsure = ""
    if _is_data(document):
        links, unsure = _of_data(document, kind, book)
    else:
        links = _links(document, kind, book)
    is_nofollow = "nofollow" in tag
    return Page(document.url, links=tuple(links), nofollow=is_nofollow, unsure=unsure)


def of_script(document: Document, book: AddressBook) -> tuple[list[Link], bool]:
    """What a script holds, and whether it would hold nothing wherever it lay."""
    kind = document.response.content_type.lower()
    words = charset.decode(document.body, kind, _MAX_BYTES)
    code = [jsflow.Script(document.url, words, is_module=_is_module(document.url))]
    found = script_links.analyse(code, document.url, book)
    links = script_links.of_findings(found, code, document.url, book)
    return links, found.is_barren and not links


def is_script(document: Document) -> bool:
    """Is it read as a script?"""
    if document.is_image or is_page(document) or sitemap.is_sitemap(document):
        return False
    return _is_script(document, document.response.content_type.lower())


def is_page(document: Document) -> bool:
    """Is it HTML, whatever the header says?"""
    kind = document.response.content_type.lower()
    return document.is_html or (
        "html" in kind
        and not document.body[:_SNIFF_BYTES].lstrip().startswith(_NOT_HTML)
    )


def _is_script(document: Document, kind: str) -> bool:
    path = document.url.partition("?")[0]
    return any(t in kind for t in _SCRIPT_TYPES) or path.endswith((".js", ".mjs"))


def _is_data(document: Document) -> bool:
    """Is it JSON, be it cut off or too long to be read as a whole?"""
    kind = document.response.content_type.lower()
    if sitemap.is_sitemap(document) or _is_script(document, kind):
        return False
    return document.json is not None or (
        document.is_truncated
        and document.body[:_SNIFF_BYTES].lstrip(_SPACE)[:1] in (b"{", b"[")
    )


def _of_data(
    document: Document, kind: str, book: AddressBook
) -> tuple[list[Link], str]:
    """What a document of data lists, and why some of it may be missing."""
    document.let_go()  # what is read as text needs as much room again
    words = charset.decode(document.body, kind, _MAX_BYTES)
    said, unsure = script_links.of_data(words, document.url, book)
    return [*_listed(words, document.url, book), *said], unsure


def _links(document: Document, kind: str, book: AddressBook) -> list[Link]:
    if sitemap.is_sitemap(document):
        return sitemap.links(document)
    if _is_script(document, kind):
        return of_script(document, book)[0]
    # the root itself would cost a large document its whole tree
    if document.head is not None:
        words = charset.decode(document.body, kind, _MAX_BYTES)
        return [*_listed(words, document.url, book), *text.links(words, LinkPlace.XML)]
    if kind.startswith("text/") or not kind:
        return text.links(
            charset.decode(document.body, kind, _MAX_BYTES), LinkPlace.TEXT
        )
    return []


def _listed(words: str, url: str, book: AddressBook) -> list[Link]:
    """The services in a viewer's configuration that is known by its own beginning."""
    found = [
        e
        for wanted in recipes.of_document(words, url)
        for e in recipes.read(wanted, words, book).endpoints
    ]
    return script_links.computed(found, book, LinkPlace.RECIPE)


def _is_module(url: str) -> bool:
    return url.partition("?")[0].endswith(".mjs")
