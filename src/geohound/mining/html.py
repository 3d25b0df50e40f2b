"""What an HTML page holds: links, addresses in text, forms and scripts, and what the page is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geohound.model.visit import Link, Page, Place

from . import js, markup, script, scripts, text

MAX_LINKS = 6_000
MAX_TEXT = 40_000
MAX_FORMS = 500
MAX_CHOICES = 200  # fields of one form that are looked at
MAX_SCRIPTS = 5_000
MAX_INLINE = 2_000
MAX_DATA_ATTRIBUTES = 2_000
MAX_NODES = 200  # read for the words of one link: nested links would otherwise cost the square of their number
MAX_RAW_TEXT = 4_000
_ANCHORS = "a[href], area[href], iframe[src], frame[src], link[href]"
_LINK_RELS = frozenset(
    ("alternate", "canonical", "next", "prev", "search", "service-desc", "service-doc", "conformance", "data", "items")
)
_PLACES = {
    "a": Place.ANCHOR,
    "area": Place.AREA,
    "iframe": Place.FRAME,
    "frame": Place.FRAME,
    "link": Place.META,
}
_SMALL = frozenset(
    ("p", "li", "td", "th", "dd", "dt", "span", "label", "em", "strong", "b", "i", "h1", "h2", "h3", "h4", "h5", "h6")
)
# Viewers take their configuration and services from data-config, data-url and the like.
_DATA = re.compile(r"\bdata-[\w-]{1,40}\s*=\s*[\"']([^\"'<>\s]{4,500})[\"']", re.IGNORECASE)
_REFRESH = re.compile(r"url\s*=\s*[\"']?([^\"'>\s]+)", re.IGNORECASE)


def read(source: str, url: str) -> Page:
    """The page with all its links, relative ones still relative to `base` where it gives one."""
    tree = LexborHTMLParser(markup.tame(source))
    robots = _robots(tree)
    base = _base(tree.css_first("base[href]"), url)
    title = _words(tree.css_first("title"))[:300]
    found = list(islice(_links(tree), MAX_LINKS))
    code = _code(tree.body)
    inline, files = _scripts(tree, base)
    for match in islice(_DATA.finditer(source), MAX_DATA_ATTRIBUTES):
        inline += script.address(unescape(match[1]))
    visible = _leave_visible(tree)
    found += text.links(visible, Place.TEXT)
    return Page(
        url=base,
        title=title,
        text=visible[:MAX_TEXT],
        language=_language(tree),
        links=tuple((found + code)[:MAX_LINKS]) + tuple(inline[:MAX_LINKS]),
        nofollow="nofollow" in robots,
        noindex="noindex" in robots,
        script_files=tuple(files),
    )


def _links(tree: LexborHTMLParser) -> Iterator[Link]:
    contexts: dict[int, str] = {}
    yield from _forms(tree)
    for node in tree.css(_ANCHORS):
        tag = node.tag or ""
        attributes = node.attributes
        rel = (attributes.get("rel") or "").lower()
        if tag == "link" and not _LINK_RELS & set(rel.split()):
            continue
        address = attributes.get("href") or attributes.get("src") or ""
        if (
            not address
            or address[0] == "#"
            or address[:11].lower().startswith(("javascript:", "mailto:", "data:", "tel:"))
        ):
            continue
        words = _words(node) or attributes.get("title") or attributes.get("alt") or ""
        yield Link(address, words[:300], _context(node, contexts)[:200], _PLACES[tag], "nofollow" in rel)
    for node in tree.css("meta[http-equiv][content]"):
        if (node.attributes.get("http-equiv") or "").lower() == "refresh":
            match = _REFRESH.search(node.attributes.get("content") or "")
            if match:
                yield Link(match[1], place=Place.META)


def _forms(tree: LexborHTMLParser) -> Iterator[Link]:
    """Forms cannot be nested but in drawings, where each would be read as often as it is deep: there the outermost."""
    nested: set[int] = set()
    for node in islice(tree.css("form[action]"), MAX_FORMS):
        if node.mem_id not in nested:
            nested.update(inner.mem_id for inner in node.css("form"))
            yield from _form(node)


def _form(node: LexborNode) -> Iterator[Link]:
    """A GET form whose hidden fields already spell an OGC request, and its bare action; log-in forms are left alone."""
    if node.css_first("input[type=password]") is not None:
        return
    action = node.attributes.get("action") or ""
    if not action or (node.attributes.get("method") or "get").lower() != "get":
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
    tree.strip_tags(["script", "style", "noscript", "template", "pre", "code"])
    body = tree.body
    return " ".join(body.text(separator=" ").split()) if body is not None else ""


def _code(body: LexborNode | None) -> list[Link]:
    if body is None:
        return []
    found: list[Link] = []
    taken: set[int] = set()
    for node in body.css("pre, code, textarea, input[value]"):
        if node.tag == "input":
            found += text.links(node.attributes.get("value") or "", Place.CODE)
        elif node.mem_id not in taken:
            taken.update(inner.mem_id for inner in node.css("pre, code, textarea"))
            found += text.links(node.text(), Place.CODE)
        if len(found) >= MAX_LINKS:
            break
    return found


def _scripts(tree: LexborHTMLParser, url: str) -> tuple[list[Link], list[str]]:
    inline: list[js.Script] = []
    files: list[str] = []
    for node in islice(tree.css("script"), MAX_SCRIPTS):
        source = node.attributes.get("src")
        if source:
            if not script.is_library(source):
                files.append(source)
        elif (words := node.text()) and len(inline) < MAX_INLINE:
            is_module = (node.attributes.get("type") or "").lower() == "module"
            inline.append(js.Script(url, words, is_module, is_inline=True))
    return scripts.links(inline, url) if inline else [], files


def _base(node: LexborNode | None, url: str) -> str:
    if node is None:
        return url
    href = node.attributes.get("href") or ""
    return href if href.lower().startswith(("http://", "https://")) else url


def _robots(tree: LexborHTMLParser) -> str:
    for node in tree.css("meta[name][content]"):
        if (node.attributes.get("name") or "").lower() in ("robots", "geohound"):
            return (node.attributes.get("content") or "").lower().replace("none", "noindex,nofollow")
    return ""


def _language(tree: LexborHTMLParser) -> str:
    root = tree.root
    language = (root.attributes.get("lang") or "") if root is not None else ""
    return language[:2].lower()


def _context(node: LexborNode, known: dict[int, str]) -> str:
    """The words of the paragraph, list item or cell around a link; `known` keeps them for its other links."""
    parent = node.parent
    if parent is None or parent.tag not in _SMALL:
        return ""
    if parent.mem_id not in known:
        known[parent.mem_id] = _words(parent)
    return known[parent.mem_id]


def _words(node: LexborNode | None) -> str:
    """The first words in a node, as many as anybody looks at."""
    if node is None:
        return ""
    parts: list[str] = []
    room = MAX_RAW_TEXT
    for part in islice(node.traverse(include_text=True), MAX_NODES):
        words = part.text_content or ""
        parts.append(words[:room])
        room -= len(words)
        if room <= 0:
            break
    return " ".join(" ".join(parts).split())
