"""What an HTML page holds: links, addresses in text, forms and scripts, and what the page is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geohound import jsflow, urls
from geohound.model.visit import Link, Page, Place
from geohound.urls.clue import looks_like_service

from . import embedded, markup, script, scripts, software, text
from .robots_tag import meta_robots
from .standing import Standing

MAX_LINKS = 6_000
MAX_TEXT = 40_000
MAX_FORMS = 500
MAX_CHOICES = 200  # fields of one form that are looked at
MAX_SCRIPTS = 5_000
MAX_INLINE = 2_000
MAX_DATA_ATTRIBUTES = 2_000
MAX_RAW_TEXT = 4_000
MAX_META_TAGS = 500
MAX_MARKED = 12  # addresses of styles, and of scripts, that may tell the software
MAX_WORDS = 4_000_000  # characters read for the words of all links: nested ones would cost the square of their number
_TAGS = (
    "a", "area", "base", "embed", "form", "frame", "iframe", "input", "link", "meta", "object", "pre", "script",
    "textarea", "title",
)  # fmt: skip
_SELECTOR = ", ".join(_TAGS)
_LINK_RELS = frozenset(
    ("alternate", "canonical", "next", "prev", "search", "service-desc", "service-doc", "conformance", "data", "items")
)
_PLACES = {  # and the attribute that holds the address
    "a": ("href", Place.ANCHOR),
    "area": ("href", Place.AREA),
    "iframe": ("src", Place.FRAME),
    "frame": ("src", Place.FRAME),
    "object": ("data", Place.FRAME),
    "embed": ("src", Place.FRAME),
    "link": ("href", Place.META),
}
_SMALL = frozenset(
    (
        "p", "li", "td", "th", "dd", "dt", "span", "label", "h1", "h2", "h3", "h4", "h5", "h6",
        "em", "strong", "b", "i", "x-em", "x-strong", "x-b", "x-i",  # the latter in long pages: see markup.tame
    )
)  # fmt: skip
# Viewers take their configuration and services from data-config, data-url and the like.
_DATA = re.compile(r"data-[\w-]{1,40}\s*=\s*[\"']([^\"'<>\s]{4,500})[\"']")
_ELSEWHERE = re.compile(r"(?:javascript|mailto|data|tel):", re.IGNORECASE)
Told = Callable[[str, str], bool]
_REFRESH = re.compile(r"url\s*=\s*[\"']?([^\"'>\s]+)", re.IGNORECASE)


def read(
    source: str,
    url: str,
    tag: frozenset[str] = frozenset(),
    is_told: Told | None = None,
    *,
    with_scripts: bool = True,
) -> Page:
    """The page with all its links, relative ones still relative to `base` where it gives one.

    `tag` are the rules for robots that came with the answer's headers. Links that `is_told` knows, by the folder they
    are relative to and their letters, are left out; without `with_scripts`, the code in the page is left to somebody
    else.
    """
    data = source.encode("utf-8", "replace")
    tree = LexborHTMLParser(markup.tame(data))
    nodes = _by_tag(tree)
    words = _Words()
    robots = _robots(nodes["meta"]) | tag
    made_with = _software(nodes)
    base = _base(nodes["base"], url)
    title = _words(nodes["title"][0])[:300] if nodes["title"] else ""
    found = list(islice(_links(nodes, words, _Known(base, None if "nofollow" in robots else is_told)), MAX_LINKS))
    code = _code(nodes, words)
    inline, files = _scripts(nodes["script"], base, with_scripts)
    if b"data-" in data:
        for match in islice(_DATA.finditer(source), MAX_DATA_ATTRIBUTES):
            inline += script.address(unescape(match[1]))
    found += embedded.links(source, data)
    visible = _leave_visible(tree)
    found += text.links(visible, Place.TEXT)
    return Page(
        url=base,
        title=title,
        text=visible[:MAX_TEXT],
        language=_language(tree),
        software=made_with,
        links=tuple((found + code)[:MAX_LINKS]) + tuple(inline[:MAX_LINKS]),
        nofollow="nofollow" in robots,
        script_files=tuple(files),
    )


def _by_tag(tree: LexborHTMLParser) -> dict[str, list[LexborNode]]:
    """All that is looked at, found in one walk over the page."""
    found: dict[str, list[LexborNode]] = {tag: [] for tag in _TAGS}
    for node in tree.css(_SELECTOR):
        found[node.tag or ""].append(node)
    return found


def _links(nodes: Mapping[str, list[LexborNode]], words: _Words, known: _Known) -> Iterator[Link]:
    yield from _forms(nodes["form"])
    yield from _anchors(nodes, words, known).values()
    for node in nodes["meta"]:
        attributes = node.attributes
        if (attributes.get("http-equiv") or "").lower() == "refresh":
            match = _REFRESH.search(attributes.get("content") or "")
            if match:
                yield Link(match[1], place=Place.META)


def _anchors(nodes: Mapping[str, list[LexborNode]], words: _Words, known: _Known) -> dict[str, Link]:
    """Each address once, with the first words that stand for it; one anchor that may be followed is enough."""
    found: dict[str, Link] = {}
    passed: set[str] = {""}
    standing = Standing()
    for tag, (name, place) in _PLACES.items():
        for node in nodes[tag]:
            attributes = node.attributes
            address = (attributes.get(name) or "").partition("#")[0].strip()
            if address in passed:
                continue
            rel = (attributes.get("rel") or "").lower()
            if tag == "link" and _LINK_RELS.isdisjoint(rel.split()) and not looks_like_service(address):
                continue
            nofollow = "nofollow" in rel
            before = found.get(address)
            if before is None:
                if (":" in address and _ELSEWHERE.match(address)) or (not nofollow and known.has(address)):
                    passed.add(address)
                    continue
            elif before.text and (nofollow or not before.nofollow):
                continue
            said = words.of(node)[:300] or attributes.get("title") or attributes.get("alt") or ""
            parent = node.parent
            way = standing.way(parent, attributes.get("class"))
            found[address] = Link(address, said[:300], words.around(parent)[:200], place, nofollow, way=way)
            if len(found) >= MAX_LINKS:
                return found
    return found


class _Known:
    """The links that were told of other pages in the same letters."""

    def __init__(self, base: str, is_told: Told | None) -> None:
        self._is_told = is_told
        self._origin = "/".join(base.split("/", 3)[:3])
        self._folder = urls.folder(base)

    def has(self, address: str) -> bool:
        if self._is_told is None or address[0] == "?":  # which belongs to its page alone
            return False
        if address[0] == "/":
            return self._is_told(self._origin, address)
        is_full = ":" in address and address[:8].lower().startswith(("http://", "https://"))
        return self._is_told("" if is_full else self._folder, address)


def _forms(nodes: list[LexborNode]) -> Iterator[Link]:
    """Forms cannot be nested but in drawings, where each would be read as often as it is deep: there the outermost."""
    nested: set[int] = set()
    for node in nodes[:MAX_FORMS]:
        if node.mem_id not in nested:
            nested.update(inner.mem_id for inner in node.css("form"))
            yield from _form(node)


def _form(node: LexborNode) -> Iterator[Link]:
    """A GET form whose hidden fields already spell an OGC request, and its bare action; log-in forms are left alone."""
    if node.css_first("input[type=password]") is not None:
        return
    action = node.attributes.get("action") or ""
    if not action:
        return
    if (node.attributes.get("method") or "get").lower() != "get":
        if looks_like_service(action):  # which answers to a plain question too
            yield Link(action, _words(node)[:100], place=Place.FORM)
        return
    fields: list[str] = []
    for item in islice(node.css("input[name], select[name]"), MAX_CHOICES):
        value = item.attributes.get("value")
        if item.tag == "select":
            option = item.css_first("option[selected]") or item.css_first("option")
            value = (option.attributes.get("value") or _words(option)) if option is not None else None
        if value and len(fields) < 20:
            fields.append(f"{item.attributes['name']}={value}")
    joint = "&" if "?" in action else "?"
    yield Link(action + (joint + "&".join(fields) if fields else ""), _words(node)[:100], place=Place.FORM)


def _leave_visible(tree: LexborHTMLParser) -> str:
    """Words a reader sees; script, style and the like are taken out of the tree, so nothing else is read after this.

    No clone of the tree: selectolax cannot make one of a page that opens with <!DOCTYPE html SYSTEM "...">.
    """
    tree.strip_tags(["script", "style", "noscript", "template", "pre"])
    body = tree.body
    return " ".join(body.text(separator=" ").split()) if body is not None else ""


def _code(nodes: Mapping[str, list[LexborNode]], words: _Words) -> list[Link]:
    found: list[Link] = []
    for tag in ("pre", "textarea"):
        for node in nodes[tag]:
            found += text.links(words.raw(node), Place.CODE)
            if len(found) >= MAX_LINKS:
                return found
    for node in nodes["input"]:
        found += text.links(node.attributes.get("value") or "", Place.CODE)
    return found


def _scripts(nodes: list[LexborNode], url: str, with_code: bool) -> tuple[list[Link], list[str]]:
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
    return scripts.links(inline, url) if inline else [], files


def _base(nodes: list[LexborNode], url: str) -> str:
    href = next(filter(None, (node.attributes.get("href") for node in nodes)), "")
    return (urls.canonical(href, url) if href else None) or url


def _robots(nodes: list[LexborNode]) -> frozenset[str]:
    attributes = (node.attributes for node in nodes[:MAX_META_TAGS])
    return meta_robots((each.get("name") or "", each.get("content") or "") for each in attributes)


def _software(nodes: Mapping[str, list[LexborNode]]) -> str:
    for node in nodes["meta"][:MAX_META_TAGS]:
        attributes = node.attributes
        if (attributes.get("name") or "").lower() == "generator":
            said = software.named(attributes.get("content") or "")
            if said:
                return said
    named = ((nodes["link"], "href"), (nodes["script"], "src"))
    return software.of_addresses(n.attributes.get(at) or "" for of, at in named for n in of[:MAX_MARKED])


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
    return " ".join(node.text(separator=" ")[:MAX_RAW_TEXT].split()) if node is not None else ""
