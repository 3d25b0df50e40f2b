"""What an HTML page holds: links, addresses in text, forms and scripts, and what the page is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from html import unescape
from itertools import islice
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geohound import jsflow, urls
from geohound.model.visit import Link, LinkPlace, Page
from geohound.text.keyword_groups import keyword_group
from geohound.text.pattern_scan import WordScan
from geohound.urls.address_book import AddressBook

from . import embedded, safe_html, script_links, script_text, software, text
from .dom_path import DomPaths
from .robots_tag import meta_robots

MAX_LINKS = 6_000
MAX_TEXT = 40_000
MAX_FORMS = 500
MAX_CHOICES = 200  # fields of one form that are looked at
MAX_SCRIPTS = 5_000
MAX_INLINE = 2_000
MAX_DATA_ATTRIBUTES = 2_000
MAX_RAW_TEXT = 4_000
MAX_META_TAGS = 500
MAX_MARKED = 12  # addresses of styles, and of scripts, that may name the software
MAX_WORDS = 4_000_000  # characters read for the words of all links: nested ones would cost the square of their number
_COMMON_TAGS = ("a", "link", "meta", "script", "title")
_RARE_TAGS = (
    "area", "base", "embed", "form", "frame", "iframe", "input", "object", "pre", "textarea",
)  # fmt: skip
_TAGS = (*_COMMON_TAGS, *_RARE_TAGS)
_UNSEEN_TAGS = ("script", "style", "noscript", "template", "pre")  # no reader sees
# Without one of these no anchor asks not to be followed: any letter may be written as
# a number.
_RELS = frozenset(("nofollow", "&#"))
_WMS = "wms"
_SIGNS_OF_WMS = frozenset((_WMS, "&#"))  # in an address as the page writes it
# Names of what holds a map, and script elements in capitals.
MAP_MARKS = ('map"', "map'", 'viewer"', 'arte"')
CAPITALS = "<SCRIPT"
_LINK_RELS = frozenset(
    (
        "alternate",
        "canonical",
        "next",
        "prev",
        "search",
        "service-desc",
        "service-doc",
        "conformance",
        "data",
        "items",
    )
)
_PLACES = {  # and the attribute that holds the address
    "a": ("href", LinkPlace.ANCHOR),
    "area": ("href", LinkPlace.AREA),
    "iframe": ("src", LinkPlace.FRAME),
    "frame": ("src", LinkPlace.FRAME),
    "object": ("data", LinkPlace.FRAME),
    "embed": ("src", LinkPlace.FRAME),
    "link": ("href", LinkPlace.META),
}
_SMALL = frozenset(
    (
        "p", "li", "td", "th", "dd", "dt", "span", "label", "h1", "h2", "h3", "h4", "h5", "h6",
        "em", "strong", "b", "i", "x-em", "x-strong", "x-b", "x-i",  # the latter in long pages: see safe_html.tame
    )
)  # fmt: skip
# Viewers take their configuration and services from data-config, data-url and the like.
_DATA = re.compile(r"data-[\w-]{1,40}\s*=\s*[\"']([^\"'<>\s]{4,500})[\"']")
_FULL = ("http://", "https://")
_ELSEWHERE = re.compile(r"(?:javascript|mailto|data|tel):", re.IGNORECASE)
IsKnown = Callable[[str, str], bool]
_REFRESH = re.compile(r"url\s*=\s*[\"']?([^\"'>\s]+)", re.IGNORECASE)


def read(
    page: str | Scanned,
    url: str,
    book: AddressBook,
    tag: frozenset[str] = frozenset(),
    is_known: IsKnown | None = None,
    *,
    with_scripts: bool = True,
) -> Page:
    """The page with all its links, relative ones still relative to `base` where it gives one.

    `tag` are the rules for robots that came with the answer's headers. Links that `is_known` knows, by the folder they
    are relative to and their letters, are left out; without `with_scripts`, the code in the page is left to somebody
    else.
    """
    source, data, markup = page if isinstance(page, Scanned) else scan(page, book)
    tree = LexborHTMLParser(safe_html.tame(data))
    nodes = _by_tag(tree, _selector(markup))
    words = _Words()
    robots = _robots(nodes["meta"]) | tag
    made_with = _software(nodes)
    base = _base(nodes["base"], url)
    title = _words(nodes["title"][0])[:300] if nodes["title"] else ""
    written = _written(nodes)
    known = _Known(base, None if "nofollow" in robots else is_known)
    known.reads_rel = not _RELS.isdisjoint(markup)
    found = list(islice(_links(nodes, written, words, known, book), MAX_LINKS))
    code = _code(nodes, words)
    inline, files = _scripts(nodes["script"], base, book, with_scripts)
    if embedded.DATA_START in markup:
        for match in islice(_DATA.finditer(source), MAX_DATA_ATTRIBUTES):
            inline += script_text.address(unescape(match[1]), book)
    found += embedded.links(source, markup, book)
    visible = _leave_visible(tree, markup)
    hrefs = written["a"][:MAX_LINKS] if not _SIGNS_OF_WMS.isdisjoint(markup) else []
    found += text.links(visible, LinkPlace.TEXT)
    return Page(
        url=base,
        title=title,
        text=visible[:MAX_TEXT],
        keyword_group=keyword_group(f"{title} {visible}"),
        holds_wms=_holds_wms(hrefs, (*found, *code, *inline), book),
        language=_language(tree),
        software=made_with,
        links=tuple((found + code)[:MAX_LINKS]) + tuple(inline[:MAX_LINKS]),
        nofollow="nofollow" in robots,
        script_files=tuple(files),
    )


def script_links_of(source: str, url: str, book: AddressBook) -> list[Link]:
    """What the scripts in a page hold, without anything else of it."""
    tree = LexborHTMLParser(safe_html.tame(source.encode("utf-8", "replace")))
    base = _base(tree.css("base"), url)
    return _scripts(tree.css("script"), base, book, with_code=True)[0][:MAX_LINKS]


class Scanned(NamedTuple):
    """A page, the same in UTF-8, and the words in it that show what it may have."""

    source: str
    data: bytes
    words: frozenset[str]


def scan(source: str, book: AddressBook) -> Scanned:
    """One scan, since a page is walked for each name of an element that is asked for."""
    data = source.encode("utf-8", "replace")
    return Scanned(source, data, _words_of(book).found(data))


@lru_cache(maxsize=4)
def _words_of(book: AddressBook) -> WordScan:
    tags = [f"<{tag}" for tag in dict.fromkeys((*_RARE_TAGS, *_UNSEEN_TAGS))]
    words = (*tags, *_RELS, _WMS, *embedded.words(book))
    return WordScan(words, any_case=True, exact=(*MAP_MARKS, CAPITALS))


def _holds_wms(hrefs: list[str], links: Iterable[Link], book: AddressBook) -> bool:
    """Does the address of a WMS stand in the page, whether other pages have brought it already or not?"""
    return any(
        _WMS in address.lower() and book.looks_like_service(address)
        for address in (*hrefs, *(link.url for link in links))
    )


def _written(nodes: Mapping[str, list[LexborNode]]) -> dict[str, list[str]]:
    """The addresses of all that may be linked to, as the page writes them."""
    return {
        tag: [node.attrs.get(name) or "" for node in nodes[tag]]
        for tag, (name, _) in _PLACES.items()
    }


@lru_cache(maxsize=256)
def _selector(markup: frozenset[str]) -> str:
    """Of all that is looked at, and that a page with this markup may have."""
    rare = [tag for tag in _RARE_TAGS if f"<{tag}" in markup]
    return ", ".join([*_COMMON_TAGS, *rare])


def _by_tag(tree: LexborHTMLParser, selector: str) -> dict[str, list[LexborNode]]:
    """All that is looked at, found in one walk over the page."""
    found: dict[str, list[LexborNode]] = {tag: [] for tag in _TAGS}
    for node in tree.css(selector):
        found[node.tag or ""].append(node)
    return found


def _links(
    nodes: Mapping[str, list[LexborNode]],
    written: Mapping[str, list[str]],
    words: _Words,
    known: _Known,
    book: AddressBook,
) -> Iterator[Link]:
    yield from _forms(nodes["form"], book)
    yield from _anchors(nodes, written, words, known, book).values()
    for node in nodes["meta"]:
        attributes = node.attributes
        if (attributes.get("http-equiv") or "").lower() == "refresh":
            match = _REFRESH.search(attributes.get("content") or "")
            if match:
                yield Link(match[1], place=LinkPlace.META)


def _anchors(
    nodes: Mapping[str, list[LexborNode]],
    written: Mapping[str, list[str]],
    words: _Words,
    known: _Known,
    book: AddressBook,
) -> dict[str, Link]:
    """Each address once, with the first words that stand for it; one anchor that may be followed is enough."""
    found: dict[str, Link] = {}
    passed: set[str] = {""}
    dom_paths = DomPaths()
    for node, place, href in _linking(nodes, written):
        address = href.partition("#")[0].strip()
        if address in passed:
            continue
        is_meta = place is LinkPlace.META
        reads_rel = is_meta or known.reads_rel
        rel = (node.attrs.get("rel") or "").lower() if reads_rel else ""
        if is_meta and not _is_linked(address, rel, book):
            continue
        nofollow = "nofollow" in rel
        before = found.get(address)
        if before is None and _is_passed(address, nofollow, known):
            passed.add(address)
        elif before is None or _is_better(before, nofollow):
            found[address] = _anchor(node, address, place, nofollow, words, dom_paths)
        if len(found) >= MAX_LINKS:
            break
    return found


def _linking(
    nodes: Mapping[str, list[LexborNode]], written: Mapping[str, list[str]]
) -> Iterator[tuple[LexborNode, LinkPlace, str]]:
    """All that may be linked to: its element, its place, and its address as it is written."""
    for tag, (_, place) in _PLACES.items():
        for node, href in zip(nodes[tag], written[tag], strict=True):
            yield node, place, href


def _is_linked(address: str, rel: str, book: AddressBook) -> bool:
    """Does a link element name a page or a service?"""
    return not _LINK_RELS.isdisjoint(rel.split()) or book.looks_like_service(address)


def _is_passed(address: str, nofollow: bool, known: _Known) -> bool:
    """An address that is no web page's, or that other pages have brought already."""
    if address.startswith(_FULL):  # most of many sites
        return not nofollow and known.has_full(address)
    is_elsewhere = ":" in address and bool(_ELSEWHERE.match(address))
    return is_elsewhere or (not nofollow and known.has(address))


def _is_better(before: Link, nofollow: bool) -> bool:
    """May an anchor take the place of one before it: which had no words, or was not to be followed?"""
    return not before.text or (before.nofollow and not nofollow)


def _anchor(
    node: LexborNode,
    address: str,
    place: LinkPlace,
    nofollow: bool,
    words: _Words,
    dom_paths: DomPaths,
) -> Link:
    attributes = node.attributes
    said = (
        words.of(node)[:300] or attributes.get("title") or attributes.get("alt") or ""
    )
    parent = node.parent
    dom_path = dom_paths.path(parent, attributes.get("class"))
    return Link(
        address,
        said[:300],
        words.around(parent)[:200],
        place,
        nofollow,
        dom_path=dom_path,
    )


class _Known:
    """The links that other pages have in the same letters."""

    def __init__(self, base: str, is_known: IsKnown | None) -> None:
        self._is_known = is_known
        self.reads_rel = True  # may an anchor of this page ask not to be followed?
        self._origin = "/".join(base.split("/", 3)[:3])
        self._folder = urls.folder(base)

    def has_full(self, address: str) -> bool:
        return self._is_known is not None and self._is_known("", address)

    def has(self, address: str) -> bool:
        # which belongs to its page alone
        if self._is_known is None or address[0] == "?":
            return False
        if address[0] == "/":
            return self._is_known(self._origin, address)
        is_full = ":" in address and address[:8].lower().startswith(_FULL)
        return self._is_known("" if is_full else self._folder, address)


def _forms(nodes: list[LexborNode], book: AddressBook) -> Iterator[Link]:
    """Forms cannot be nested but in drawings, where each would be read as often as it is deep: there the outermost."""
    nested: set[int] = set()
    for node in nodes[:MAX_FORMS]:
        if node.mem_id not in nested:
            nested.update(inner.mem_id for inner in node.css("form"))
            yield from _form(node, book)


def _form(node: LexborNode, book: AddressBook) -> Iterator[Link]:
    """A GET form whose hidden fields already spell an OGC request, and its bare action; log-in forms are left alone."""
    action = node.attributes.get("action") or ""
    if not action or node.css_first("input[type=password]") is not None:
        return
    if (node.attributes.get("method") or "get").lower() != "get":
        if book.looks_like_service(action):  # which answers to a plain question too
            yield Link(action, _words(node)[:100], place=LinkPlace.FORM)
        return
    query = _query(node)
    joint = "&" if "?" in action else "?"
    yield Link(
        f"{action}{joint}{query}" if query else action,
        _words(node)[:100],
        place=LinkPlace.FORM,
    )


def _query(form: LexborNode) -> str:
    """What a form sends if nobody touches it."""
    items = islice(form.css("input[name], select[name]"), MAX_CHOICES)
    given = ((item.attributes["name"], _value(item)) for item in items)
    return "&".join([f"{name}={value}" for name, value in given if value][:20])


def _value(item: LexborNode) -> str | None:
    """What a field of a form sends if nobody touches it."""
    if item.tag != "select":
        return item.attributes.get("value")
    option = item.css_first("option[selected]") or item.css_first("option")
    return (
        (option.attributes.get("value") or _words(option))
        if option is not None
        else None
    )


def _leave_visible(tree: LexborHTMLParser, markup: frozenset[str]) -> str:
    """Words a reader sees; script, style and the like are taken out of the tree, so nothing else is read after this.

    No clone of the tree: selectolax cannot make one of a page that opens with <!DOCTYPE html SYSTEM "...">.
    """
    tree.strip_tags([tag for tag in _UNSEEN_TAGS if f"<{tag}" in markup])
    body = tree.body
    return " ".join(body.text(separator=" ").split()) if body is not None else ""


def _code(nodes: Mapping[str, list[LexborNode]], words: _Words) -> list[Link]:
    found: list[Link] = []
    for tag in ("pre", "textarea"):
        for node in nodes[tag]:
            found += text.links(words.raw(node), LinkPlace.CODE)
            if len(found) >= MAX_LINKS:
                return found
    for node in nodes["input"]:
        found += text.links(node.attributes.get("value") or "", LinkPlace.CODE)
    return found


def _scripts(
    nodes: list[LexborNode], url: str, book: AddressBook, with_code: bool
) -> tuple[list[Link], list[str]]:
    inline: list[jsflow.Script] = []
    files: list[str] = []
    for node in nodes[:MAX_SCRIPTS]:
        source = node.attributes.get("src")
        if source:
            if not jsflow.is_well_known_library(source):
                files.append(source)
        elif with_code and len(inline) < MAX_INLINE and (words := node.text()):
            is_module = (node.attributes.get("type") or "").lower() == "module"
            inline.append(jsflow.Script(url, words, is_module, is_inline=True))
    return script_links.links(inline, url, book) if inline else [], files


def _base(nodes: list[LexborNode], url: str) -> str:
    href = next(filter(None, (node.attributes.get("href") for node in nodes)), "")
    return (urls.canonical(href, url) if href else None) or url


def _robots(nodes: list[LexborNode]) -> frozenset[str]:
    attributes = (node.attributes for node in nodes[:MAX_META_TAGS])
    return meta_robots(
        (each.get("name") or "", each.get("content") or "") for each in attributes
    )


def _software(nodes: Mapping[str, list[LexborNode]]) -> str:
    for node in nodes["meta"][:MAX_META_TAGS]:
        attributes = node.attributes
        if (attributes.get("name") or "").lower() == "generator":
            said = software.named(attributes.get("content") or "")
            if said:
                return said
    named = ((nodes["link"], "href"), (nodes["script"], "src"))
    return software.of_addresses(
        n.attributes.get(at) or "" for of, at in named for n in of[:MAX_MARKED]
    )


def _language(tree: LexborHTMLParser) -> str:
    root = tree.root
    language = (root.attributes.get("lang") or "") if root is not None else ""
    return language[:2].lower()


class _Words:
    """What stands in and around links, read within a budget for the page."""

    def __init__(self) -> None:
        self._room = MAX_WORDS
        self._around: dict[int, str] = {}

    def raw(self, node: LexborNode, separator: str = "") -> str:
        if self._room <= 0:
            return ""
        words = node.text(separator=separator)
        self._room -= len(words)
        return words

    def of(self, node: LexborNode) -> str:
        return " ".join(self.raw(node, " ")[:MAX_RAW_TEXT].split())

    def around(self, parent: LexborNode | None) -> str:
        """The words of the paragraph, list item or cell around a link, which its other links share."""
        if parent is None or parent.tag not in _SMALL:
            return ""
        known = self._around.get(parent.mem_id)
        if known is None:
            known = self._around[parent.mem_id] = self.of(parent)
        return known


def _words(node: LexborNode | None) -> str:
    """The words in a node that stands alone in its page."""
    return (
        " ".join(node.text(separator=" ")[:MAX_RAW_TEXT].split())
        if node is not None
        else ""
    )
