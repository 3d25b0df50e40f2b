"""The part that a link plays in its page, told from the elements above it."""

from __future__ import annotations

import re

_TAGS = {
    "nav": "nav", "menu": "nav", "header": "header", "footer": "footer", "address": "footer", "aside": "aside",
    "li": "list", "dt": "list", "dd": "list", "article": "list", "td": "table", "th": "table", "tr": "table",
    "p": "text",
}  # fmt: skip
_ROLES = {
    "navigation": "nav", "menubar": "nav", "menu": "nav", "menuitem": "nav", "tablist": "nav", "banner": "header",
    "contentinfo": "footer", "complementary": "aside", "listitem": "list", "list": "list", "row": "table",
}  # fmt: skip
_CLASSES = (  # the first that fits counts
    ("pager", re.compile(r"pag(?:er|in)|page-(?:n|l|i)|browse|prev|next")),
    ("breadcrumb", re.compile(r"crumb|pathway|trail")),
    ("footer", re.compile(r"foot|imprint|copyright")),
    ("nav", re.compile(r"nav|menu|tabs?\b|toolbar")),
    ("aside", re.compile(r"side|aside|widget|related|rail")),
    ("header", re.compile(r"header|masthead|topbar")),
    ("list", re.compile(r"list|item|card|row|result|entry|teaser|views|dataset|post")),
)
_STRONG = ("pager", "breadcrumb", "footer", "nav", "aside", "header")  # outrank what is a list or a table within them


def role(way: str) -> str:
    """One of pager, breadcrumb, footer, nav, aside, header, list, table, text; empty where nothing tells."""
    found = ""
    for step in way.split("<"):
        told = _role_of(step)
        if told in _STRONG:
            return told
        found = found or told
    return found


def _role_of(step: str) -> str:
    tag, mark, said = _parted(step.removeprefix(".."))
    if mark == "@" and said in _ROLES:
        return _ROLES[said]
    for name, words in _CLASSES if said else ():
        if words.search(said):
            return name
    return _TAGS.get(tag, "")


def _parted(step: str) -> tuple[str, str, str]:
    for at, letter in enumerate(step):
        if letter in ".#@":
            return step[:at], letter, step[at + 1 :]
    return step, "", ""
