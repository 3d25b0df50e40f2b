"""What an HTML page holds: links, addresses in text, forms and scripts, and what the page is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geohound.model.visit import Link, Page, Place

from . import script, text

MAX_LINKS = 6_000
MAX_TEXT = 40_000
MAX_OPEN_TAGS = 10_000
MAX_DATA_ATTRIBUTES = 2_000
MAX_CONTEXT = 500_000  # characters read around links in all, so that nesting cannot make it quadratic
_ANCHORS = "a[href], area[href], iframe[src], frame[src], link[href], form[action]"
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
_TAG = re.compile(r"</|<[a-zA-Z]")
# Viewers take their configuration and services from data-config, data-url and the like.
_DATA = re.compile(r"\bdata-[\w-]{1,40}\s*=\s*[\"']([^\"'<>\s]{4,500})[\"']", re.IGNORECASE)
_REFRESH = re.compile(r"url\s*=\s*[\"']?([^\"'>\s]+)", re.IGNORECASE)


def read(source: str, url: str) -> Page:
    """The page with all its links, relative ones still relative to `base` where it gives one."""
    tree = LexborHTMLParser(_shallow(source))
    robots = _robots(tree)
    base = tree.css_first("base[href]")
    found = list(_links(tree))
    body = tree.body
    visible = _visible(tree)
    found += text.links(visible, Place.TEXT)
    found += _code(body)
    inline, files = _scripts(tree)
    for match in islice(_DATA.finditer(source), MAX_DATA_ATTRIBUTES):
        inline += script.address(unescape(match[1]))
    return Page(
        url=_base(base, url),
        title=_words(tree.css_first("title"))[:300],
        text=visible[:MAX_TEXT],
        language=_language(tree),
        links=tuple(found[:MAX_LINKS]) + tuple(inline),
        nofollow="nofollow" in robots,
        noindex="noindex" in robots,
        script_files=tuple(files),
    )


def _shallow(source: str) -> str:
    """The source up to where tags that nobody closes pile up: the parser's time grows with the square of the depth."""
    if source.count("<") - 2 * source.count("</") <= MAX_OPEN_TAGS:
        return source
    open_tags = 0
    for match in _TAG.finditer(source):
        open_tags += -1 if match[0] == "</" else 1
        if open_tags > MAX_OPEN_TAGS:
            return source[: match.start()]
    return source


def _links(tree: LexborHTMLParser) -> Iterator[Link]:
    room = MAX_CONTEXT
    for node in tree.css(_ANCHORS):
        tag = node.tag or ""
        attributes = node.attributes
        rel = (attributes.get("rel") or "").lower()
        if tag == "form":
            yield from _form(node)
            continue
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
        context = _context(node) if room > 0 else ""
        room -= len(context)
        yield Link(address, words[:300], context[:200], _PLACES[tag], "nofollow" in rel)
    for node in tree.css("meta[http-equiv][content]"):
        if (node.attributes.get("http-equiv") or "").lower() == "refresh":
            match = _REFRESH.search(node.attributes.get("content") or "")
            if match:
                yield Link(match[1], place=Place.META)


def _form(node: LexborNode) -> Iterator[Link]:
    """A GET form whose hidden fields already spell an OGC request, and its bare action; log-in forms are left alone."""
    if node.css_first("input[type=password]") is not None:
        return
    action = node.attributes.get("action") or ""
    if not action or (node.attributes.get("method") or "get").lower() != "get":
        return
    fields: list[str] = []
    for item in node.css("input[name], select[name]"):
        value = item.attributes.get("value")
        if item.tag == "select":
            option = item.css_first("option[selected]") or item.css_first("option")
            value = (option.attributes.get("value") or _words(option)) if option is not None else None
        if value and len(fields) < 20:
            fields.append(f"{item.attributes['name']}={value}")
    joint = "&" if "?" in action else "?"
    yield Link(action + (joint + "&".join(fields) if fields else ""), _words(node)[:100], place=Place.FORM)


def _visible(tree: LexborHTMLParser) -> str:
    """Words a reader sees; script, style and the like are left out."""
    body = tree.body
    if body is None:
        return ""
    clone = tree.clone() if hasattr(tree, "clone") else tree
    clone.strip_tags(["script", "style", "noscript", "template", "pre", "code"])
    body = clone.body
    return " ".join(body.text(separator=" ").split()) if body is not None else ""


def _code(body: LexborNode | None) -> list[Link]:
    if body is None:
        return []
    found: list[Link] = []
    for node in body.css("pre, code, textarea, input[value]"):
        words = node.attributes.get("value") or "" if node.tag == "input" else node.text()
        found += text.links(words, Place.CODE)
    return found


def _scripts(tree: LexborHTMLParser) -> tuple[list[Link], list[str]]:
    inline: list[Link] = []
    files: list[str] = []
    for node in tree.css("script"):
        source = node.attributes.get("src")
        if source:
            if not script.is_library(source):
                files.append(source)
        else:
            inline += script.links(node.text())
    return inline, files


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


def _context(node: LexborNode) -> str:
    """The words of the paragraph, list item or cell around a link."""
    parent = node.parent
    if parent is None or parent.tag not in _SMALL:
        return ""
    return " ".join(parent.text(separator=" ").split())


def _words(node: LexborNode | None) -> str:
    return " ".join(node.text(separator=" ").split()) if node is not None else ""
