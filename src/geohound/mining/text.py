"""Addresses written out in running text, code samples, scripts and data."""

from __future__ import annotations

import re

from geohound.model.visit import Link, LinkPlace

# Stops where prose goes on: white space, quotes, brackets, pipes. Trailing punctuation is cut afterwards.
_URL = re.compile(r"https?://[^\s<>\"'`|\\^\]\[]{4,2000}", re.IGNORECASE)
_TRAILING = ".,;:!?'\"*"
_MAX_TAIL = 50  # nobody's address ends in more brackets and stops than these: then they are not weighed one by one
# Names that look like addresses: nobody lives there.
_NAMESPACES = re.compile(
    r"\s(?:xmlns(?::[\w.-]{1,40})?|(?:[\w.-]{1,40}:)?(?:noNamespaceS|s)chemaLocation)\s{0,9}=\s{0,9}(?:\"[^\"]*+\"|'[^']*+')"
    r"|<!DOCTYPE[^>\[]*+"
)
_ESCAPES = (
    ("\\/", "/"),
    ("\\u0026", "&"),
    ("\\u003d", "="),
    ("\\u003D", "="),
    ("&amp;", "&"),
)
MAX_LINKS = 5_000


def links(text: str, place: LinkPlace) -> list[Link]:
    """Every web address that stands in the text, with a little of what stands before it."""
    if "http" not in text and "HTTP" not in text:
        return []
    if place is LinkPlace.XML:
        text = _NAMESPACES.sub(" ", text)
    if place is not LinkPlace.TEXT:
        for escape, meant in _ESCAPES:
            text = text.replace(escape, meant)
    found = []
    for match in _URL.finditer(text):
        address = trim(match[0])
        context = " ".join(text[max(0, match.start() - 80) : match.start()].split())
        found.append(Link(address, context=context, place=place))
        if len(found) >= MAX_LINKS:
            break
    return found


def trim(address: str) -> str:
    """Without the punctuation and closing brackets that belong to the sentence around it."""
    bare = address.rstrip(_TRAILING + ")}")
    if len(address) - len(bare) > _MAX_TAIL:
        return bare
    surplus = {
        ")": address.count(")") - address.count("("),
        "}": address.count("}") - address.count("{"),
    }
    end = len(address)
    for last in reversed(address):
        if surplus.get(last, 0) > 0:
            surplus[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return address[:end]
