"""A map page met in a crawl: its scripts and configuration files are read together with it, within narrow bounds."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from geohound import urls
from geohound.document import Document
from geohound.jsflow import AnalysisBudget
from geohound.model.compact_sets import HashSet
from geohound.model.visit import Link, LinkPlace, Page, Response
from geohound.urls.address_book import AddressBook

from . import (
    application,
    charset,
    html,
    is_page,
    is_script,
    mine,
    of_script,
    recipes,
    script_links,
    script_text,
    text,
)
from .application import Fetched, MiningLimits
from .robots_tag import robots_tag

Fetch = Callable[[str], Awaitable[Response | None]]
# A crawl meets thousands of such pages: what one may cost is far less than when a person asks about it.
BOUNDS = MiningLimits(
    files=30,
    rounds=3,
    steps=650_000,
    bytes=16_000_000,
    budget=AnalysisBudget(
        steps=400_000, bytes_per_script=6_000_000, bytes_parsed=5_000_000
    ),
    is_thrifty=True,
)
_MAX_HEAD = 300_000
_MAX_KNOWN = 500_000
_SHELL_CHARS = 20_000
_SHELL_ANCHORS = 3
_MAX_KINDS = 20_000
_MAX_CODE = 50_000
_SCRIPT = re.compile(r"<script", re.IGNORECASE)
_VARYING = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|\d+")  # what differs from page to page
_NEXT = "\0"
# Looked for one by one in lower case: a tenth of the time that one expression of all of them takes.
_LIBRARIES = (
    "openlayers", "leaflet", "mapbox", "maplibre", "cesium", "arcgis", "esri", "worldwind", "itowns", "deck.gl",
    "deckgl", "geoext", "mapea", "ol.js", "ol.map",
)  # fmt: skip
_STYLES = ("leaflet.css", "ol.css", "mapbox-gl", "maplibre-gl", "esri/themes")
_NAMED = re.compile(
    r"(?<=[\s\"'])src\s{0,9}=\s{0,9}[\"']?[^\"'\s>]{0,200}?(?:map|viewer|wms|gis|geo|layer)",
    re.IGNORECASE,
)
_ELEMENT = re.compile(r"<[a-z]+-[\w-]{0,60}?(?:map|layer|wms)", re.IGNORECASE)
# An element <map> is a picture with links: it holds no map.
_HOLDER = re.compile(
    r"\b(?<!<map )(?:id|class|data-main)\s{0,9}=\s{0,9}[\"']?[^\"'<>]{0,80}?(?:map|viewer|kart|carte|kaart|mapa|globe)",
    re.IGNORECASE,
)


def _mentions_map(source: str, code: str, is_marked: bool) -> bool:
    """Do the scripts, style sheets or elements of a page speak of a map?"""
    lowered = code.lower()
    if (
        any(name in lowered for name in _LIBRARIES)
        or any(name in source for name in _STYLES)
        or _NAMED.search(code)
    ):
        return True
    head = source[:_MAX_HEAD]
    if is_marked and _HOLDER.search(head):
        return True
    return any(mark in head for mark in ("-map", "-layer", "-wms")) and bool(
        _ELEMENT.search(head)
    )


class Explorer:
    """Remembers which sets of scripts it has read: a site has the same ones on all its pages."""

    def __init__(self, book: AddressBook) -> None:
        self._book = book
        self._known = HashSet()
        self._barren = HashSet()  # scripts, by their bytes
        self._is_app: dict[int, bool] = {}

    def forget(self) -> None:
        """Read all scripts once more: they may be others by now."""
        self._known = HashSet()

    async def explore(
        self, document: Document, fetch: Fetch, is_known: html.IsKnown | None = None
    ) -> Page:
        """All that can be followed from this document; of a map page, with all that its files hold."""
        if not is_page(document):
            if is_script(document):
                return self._of_script(document)
            return mine(document, self._book, is_known)
        source = charset.decode(document.body, document.response.content_type.lower())
        document.let_go()
        tag = robots_tag(document.response.headers)
        scanned = html.scan(source, self._book)
        code, host = _code(source, scanned.words), urls.host(document.url)
        is_marked = not scanned.words.isdisjoint(html.MAP_MARKS)
        shows_map = self._shows_map(source, code, document.url, is_marked=is_marked)
        is_new = False
        if not shows_map:  # else all its scripts are read together
            inline = _inline(code)
            is_new = bool(inline) and (
                "location" in inline or self._is_new(host, inline)
            )
        page = html.read(
            scanned, document.url, self._book, tag, is_known, with_scripts=is_new
        )
        del scanned  # the files of the page may take long
        if not shows_map or page.nofollow:
            return page
        viewers = recipes.recognise(source, document.url)
        wanted = tuple(viewer.url for viewer in viewers)
        if not self._is_new(host, page.script_files, wanted, code):
            return replace(page, script_files=())
        own = Fetched(document.url, source, "text/html")
        return await _read(page, own, viewers, fetch, self._book)

    def _of_script(self, document: Document) -> Page:
        """Most scripts hold no address, and many sites have the same ones."""
        links: list[Link] = []
        mark = hash((document.body, document.response.content_type))
        if mark not in self._barren:
            links, is_barren = of_script(document, self._book)
            if is_barren and len(self._barren) < _MAX_KNOWN:
                self._barren.add(mark)
        is_nofollow = "nofollow" in robots_tag(document.response.headers)
        return Page(document.url, links=tuple(links), nofollow=is_nofollow)

    def _is_new(self, *what: object) -> bool:
        """Was this set of scripts and configuration files not read before on this host?"""
        if len(self._known) > _MAX_KNOWN:
            self._known = HashSet()
        return self._known.add(hash(what))

    def _shows_map(self, source: str, code: str, url: str, *, is_marked: bool) -> bool:
        """Does this page show a map, or is it the shell of an application that may? Asked once per kind of page."""
        if not code:
            return False
        is_shell = len(source) < _SHELL_CHARS and source.count("<a ") <= _SHELL_ANCHORS
        kind = hash((_VARYING.sub("", code[:_MAX_CODE]), is_shell, is_marked))
        known = self._is_app.get(kind)
        if known is None:
            known = (
                is_shell
                or _mentions_map(source, code, is_marked)
                or bool(recipes.recognise(source, url))
            )
            if len(self._is_app) >= _MAX_KINDS:
                self._is_app.clear()
            self._is_app[kind] = known
        return known


def _code(source: str, words: frozenset[str]) -> str:
    """The script elements of a page, attributes and text."""
    pieces = (
        source.split("<script") if html.CAPITALS not in words else _SCRIPT.split(source)
    )
    return _NEXT.join(piece[: piece.find("</")] for piece in pieces[1:])


def _inline(code: str) -> str:
    """The text of script elements alone."""
    return "".join(piece.partition(">")[2] for piece in code.split(_NEXT)).strip()


async def _read(
    page: Page,
    source: Fetched,
    viewers: Sequence[recipes.WantedFile],
    fetch: Fetch,
    book: AddressBook,
) -> Page:
    """The page with the links of all its files in place of the files themselves."""
    site = urls.site(source.url)
    left: list[str] = []
    got: list[Fetched] = []

    async def get(url: str) -> Fetched | None:
        # Another process keeps the pace of another site: its files are candidates like any other.
        answer = await fetch(url) if urls.site(url) == site else None
        if answer is None:
            left.append(url)
        if answer is None or answer.status >= 400:
            return None
        kind = answer.content_type
        got.append(
            Fetched(
                answer.final_url, charset.decode(answer.body, kind, BOUNDS.bytes), kind
            )
        )
        return got[-1]

    found = await application.read(source, get, book, BOUNDS, viewers)
    had = set(found.files)
    links = [
        link
        for link in _named(found, source, book)
        if _full(link, source.url) not in had
    ]
    links += [
        Link(url, place=LinkPlace.CONFIG)
        for url in left
        if not script_links.is_script(url)
    ]
    # a configuration that nobody knows may still name addresses
    if not found.listed and not found.findings.endpoints:
        links += [link for file in got for link in _written(file, book)]
    unread = tuple(
        f for f in page.script_files if urls.canonical(f, page.url) not in had
    )
    return replace(
        page,
        links=(*links[: html.MAX_LINKS], *page.links),
        script_files=unread,
        unsure=found.uncertainty(source.text),
    )


def _named(
    found: application.PageReading, source: Fetched, book: AddressBook
) -> list[Link]:
    """What viewers' configuration lists, what scripts hold, and what the page asks for and the bounds left unread."""
    listed = script_links.computed(found.listed, book, LinkPlace.RECIPE)
    said = script_links.of_findings(found.findings, found.scripts[1:], source.url, book)
    return [*listed, *said, *html.script_links_of(source.text, source.url, book)]


def _written(file: Fetched, book: AddressBook) -> list[Link]:
    """The addresses written out in a file that is no script."""
    if script_links.is_script(file.url):
        return []
    is_xml = file.text[:200].lstrip("\ufeff \t\r\n").startswith("<")
    found = (
        text.links(file.text, LinkPlace.XML)
        if is_xml
        else script_text.links(file.text, book)
    )
    return [link._replace(place=LinkPlace.CONFIG) for link in found]


def _full(link: Link, base: str) -> str:
    return urls.canonical(link.url, base) or ""
