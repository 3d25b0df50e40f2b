"""The features of a link, from its text, its URL and its page; cheap, and without a request."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Generic, TypeVar
from urllib.parse import unquote

from ._prior import MAP_SOFTWARE
from ._vocabulary import tokens, topic_vocabulary

MAX_ANCHOR, MAX_URL, MAX_TITLE, MAX_TEXT = 12, 8, 10, 600
MAX_PART = 24  # characters of a token that count
MAX_CACHED = 50_000  # texts of each field
_WORD = re.compile(r"[^\W\d_]+")
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_GROUP_LETTERS = ("S", "P", "T", "N")
KeyT = TypeVar("KeyT")


class LinkFeatures(Generic[KeyT]):
    """Extracts the features of a link and its page; `make` maps their names to keys."""

    def __init__(self, make: Callable[[str], KeyT]) -> None:
        self._make = make
        self.anchor = lru_cache(MAX_CACHED)(self._anchor)
        self.host = lru_cache(MAX_CACHED)(self._host)
        self.folder = lru_cache(MAX_CACHED)(self._folder)
        self.name = lru_cache(MAX_CACHED)(self._name)

    def _anchor(self, clue: str) -> tuple[KeyT, ...]:
        """The words of the link itself, or around it."""
        words = tokens(clue)[: 2 * MAX_ANCHOR]
        names = [
            *_groups("anchor", words),
            *(f"a:{word}" for word in feature_words(words)[:MAX_ANCHOR]),
        ]
        whole = (
            [f"a={' '.join(['#' if w.isdigit() else w for w in words])[:60]}"]
            if len(words) <= 4
            else []
        )
        return self._named(*names, *whole)

    def _host(self, host: str) -> tuple[KeyT, ...]:
        """The words of a host's name, and its ending."""
        *words, ending = tokens(host.partition(":")[0]) or [""]
        return self._named(
            f"tld={ending}", *_words("h", words[:5]), *_groups("hostname", words)
        )

    def _folder(self, folder: str) -> tuple[KeyT, ...]:
        """The words of a path but for its last part, and their number."""
        folder = (unquote(folder) if "%" in folder else folder)[:200].lower()
        words = list(dict.fromkeys(_WORD.findall(folder)))[:MAX_URL]
        kinds = "/".join(
            ["#" if part.isdigit() else "w" for part in folder.split("/")[1:-1][:6]]
        )
        return self._named(
            "bias", *_words("u", words), *_groups("url", words), f"folder={kinds}"
        )

    def _name(self, name: str) -> tuple[KeyT, ...]:
        """The words of the last part of a path and of its query, and the shape of both."""
        name = (unquote(name) if "%" in name else name)[:200].lower()
        words = _WORD.findall(name)[:MAX_URL]
        file, _, query = name.partition("?")
        return self._named(
            *_words("u", words),
            *_groups("file", words),
            f"shape={form_of(file, query)}",
        )

    def page(
        self, title: str, text: str, language: str, software: str
    ) -> tuple[KeyT, ...]:
        """Title, text, language and software of the page with the links."""
        words = tokens(title)[: 2 * MAX_TITLE]
        inside = topic_vocabulary().distinct_groups(tokens(text[:MAX_TEXT]))
        counts = [
            f"text:{letter}{inside.count(g).bit_length()}"
            for g, letter in enumerate(_GROUP_LETTERS)
        ]
        titles = [
            *_groups("title", words),
            *(f"t:{word}" for word in feature_words(words)[:MAX_TITLE]),
        ]
        made_with = ["software=maps"] if software in MAP_SOFTWARE else []
        return self._named(*titles, *counts, f"lang={language}", *made_with)

    def _named(self, *names: str) -> tuple[KeyT, ...]:
        return tuple(map(self._make, names))


def _words(place: str, words: Sequence[str]) -> list[str]:
    return [f"{place}:{word[:MAX_PART]}" for word in words]


def _groups(place: str, words: Sequence[str]) -> list[str]:
    """Which groups of the vocabulary occur in a field, and how often, up to three times."""
    groups = topic_vocabulary().groups(words)
    return [
        f"{place}:{_GROUP_LETTERS[g]}{min(groups.count(g), 3)}"
        for g in sorted(set(groups))
    ] or [f"{place}:0"]


def feature_words(words: Sequence[str]) -> list[str]:
    """Distinct tokens; runs without spaces as bigrams."""
    found: dict[str, None] = {}
    for word in words:
        if word.isascii() or not _SPACELESS.search(word):
            found["#" if word.isdigit() else word[:MAX_PART]] = None
        else:
            found.update(
                dict.fromkeys(
                    word[i : i + 2]
                    for i in range(max(1, min(len(word), MAX_ANCHOR) - 1))
                )
            )
    return list(found)


def split_url(url: str) -> tuple[str, str, str]:
    """Host, folder with its slashes, and the rest with the query."""
    start = url.find("://") + 3
    slash = url.find("/", start)
    if slash < 0:
        return url[start:], "/", ""
    query = url.find("?", slash)
    end = url.rfind("/", slash, query if query >= 0 else len(url)) + 1
    return url[start:slash], url[slash:end], url[end:]


def host_of(url: str) -> str:
    return split_url(url)[0]


def form_of(file: str, query: str) -> str:
    """The shape of a file name and query: numbers and words replaced by placeholders."""
    stem, dot, ending = file.rpartition(".")
    if not dot or len(ending) > 5:
        stem, ending = file, ""
    kind = (
        "#"
        if stem.isdigit()
        else ("w" if stem.isalpha() else ("" if not stem else "x"))
    )
    keys = (
        ",".join(sorted([p.partition("=")[0][:12] for p in query.split("&")[:6]]))
        if query
        else ""
    )
    return f"{kind}.{ending}?{keys}"


_FIELDS = {
    "a": "link text",
    "anchor": "link text",
    "h": "host name",
    "hostname": "host name",
    "u": "address",
    "url": "path",
    "file": "file name",
}
_GROUP_NAMES = {
    "S": "services",
    "P": "data portals",
    "T": "geographic topics",
    "N": "other matters",
}
_FORMS = {
    "a": "link text is",
    "tld": "host name ends with",
    "folder": "path has the form",
    "shape": "file has the form",
}


_NOTHING = {
    "a=": "link has no text",
    "folder=": "page at the root of its site",
    "shape=.?": "address of a folder",
}


def in_words(name: str) -> str:
    """A feature as people read it."""
    place, colon, word = name.partition(":")
    if name == "bias":
        return "any link"
    if not colon:
        if name in _NOTHING:
            return _NOTHING[name]
        place, _, value = name.partition("=")
        return f"{_FORMS.get(place, place)} “{value}”"
    field = _FIELDS.get(place, place)
    if word == "0":
        return f"{field} has no word of the vocabulary"
    if (
        place in ("anchor", "hostname", "url", "file")
        and word[:1] in _GROUP_NAMES
        and word[1:].isdigit()
    ):
        return f"{field} has words of {_GROUP_NAMES[word[0]]}"
    return f"{field} has a number" if word == "#" else f"{field} has “{word}”"
