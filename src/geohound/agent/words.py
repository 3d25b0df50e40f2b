"""The words of addresses, link texts and titles, from which the agent makes its queries."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import unquote_plus, urlsplit

from geohound.text.languages import languages
from geohound.text.tokenizer import tokenize

MAX_WORDS = 100  # of one text
_MIN_CHARS, _MAX_CHARS = 3, 40
_PLAIN = re.compile(r"[a-z0-9]{2,20}=[a-z0-9.]{2,20}")
_MAX_URL_CHARS = 2000


def url_words(url: str) -> list[str]:
    """The parts of path and parameters, each once: `/geoserver/ows?service=WMS` has geoserver, ows and service=wms.

    A parameter with a plain value is one word (section 3.1.3 searches for request=getcapabilities); of others the
    words of their values count.
    """
    try:
        parts = urlsplit(url[:_MAX_URL_CHARS])
    except ValueError:
        return []
    found = text_words(unquote_plus(parts.path))
    for pair in unquote_plus(parts.query).lower().split("&"):
        if _PLAIN.fullmatch(pair):
            found.append(pair)
        else:
            found += text_words(pair.partition("=")[2])
    return list(dict.fromkeys(found))[:MAX_WORDS]


def text_words(text: str) -> list[str]:
    """The words of a text, each once, without stop words, short words and plain numbers."""
    stop = _stop_words()
    found = dict.fromkeys(tokenize(text[: 40 * MAX_WORDS]))
    return [word for word in found if _is_of_use(word) and word not in stop][:MAX_WORDS]


def _is_of_use(word: str) -> bool:
    least = _MIN_CHARS if word.isascii() else 2  # two signs of Chinese are a word
    return least <= len(word) <= _MAX_CHARS and not (
        word.isdecimal() and len(word) != len("4326")
    )


@cache
def _stop_words() -> frozenset[str]:
    return frozenset().union(*(language.stop for language in languages().values()))
