"""What can be seen of a link before it is followed, as features; all of it cheap, none of it fetched."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar
from urllib.parse import unquote

from ._prior import SOFTWARE
from ._words import lexicon, tokens

MAX_ANCHOR, MAX_URL, MAX_TITLE, MAX_TEXT = 12, 8, 10, 600
MAX_PART = 24  # characters of a token that count
MAX_KNOWN = 100_000  # words whose feature is kept, per place
MAX_DEPTH = 8
MAX_HOPS = 4
_WORD = re.compile(r"[^\W\d_]+")
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTER = ("S", "P", "T", "N")
KeyT = TypeVar("KeyT")


class Words(dict[str, KeyT]):
    """The feature of each word in one place: made once, since the same words come again and again."""

    def __init__(self, place: str, make: Callable[[str], KeyT]) -> None:
        super().__init__()
        self._place, self._make = place, make

    def __missing__(self, word: str) -> KeyT:
        if len(self) >= MAX_KNOWN:
            self.clear()
        made = self[word] = self._make(self._place + word)
        return made


class Features(Generic[KeyT]):
    """Reads features off a link and its page; `make` turns their names into what is wanted of them.

    Features whose name begins with a place in `without` are left out.
    """

    def __init__(self, make: Callable[[str], KeyT], without: frozenset[str] = frozenset()) -> None:
        self._make, self._without = make, without
        self._words = {place: Words(f"{place}:", make) for place in "ahtu" if place not in without}
        self._told: dict[tuple[str, tuple[int, ...]], tuple[KeyT, ...]] = {}
        self._outcomes = [
            [[self._named(f"parent={p}", f"below={b}", f"kin={min(b, 2)} of {t}") for t in range(5)] for b in range(4)]
            for p in range(4)
        ]
        self._hops = [self._named(f"hops={hops}") for hops in range(MAX_HOPS + 1)]
        self._trails: dict[tuple[str, str], tuple[KeyT, ...]] = {}
        self._ways = [
            [self._named("bias", f"way={way}", f"depth={depth}") for depth in range(MAX_DEPTH + 1)]
            for way in ("out", "in")
        ]

    def anchor(self, clue: str) -> tuple[KeyT, ...]:
        """The words of the link itself, or around it."""
        words = tokens(clue)[: 2 * MAX_ANCHOR]
        found = (*self._tell("anchor", lexicon().groups(words)), *self._each("a", bits(words)[:MAX_ANCHOR]))
        if len(words) > 4:
            return found
        return found + self._named(f"a={' '.join(['#' if w.isdigit() else w for w in words])[:60]}")

    def host(self, host: str) -> tuple[KeyT, ...]:
        """The words of a host's name, and its ending."""
        words = tokens(host.partition(":")[0])
        return (
            *self._named(f"tld={words[-1] if words else ''}"),
            *self._each("h", [w[:MAX_PART] for w in words[:-1][:5]]),
            *self._tell("hostname", lexicon().groups(words[:-1])),
        )

    def folder(self, folder: str) -> tuple[KeyT, ...]:
        """The words of a path but for its last part, and their number."""
        folder = (unquote(folder) if "%" in folder else folder)[:200].lower()
        words = list(dict.fromkeys(_WORD.findall(folder)))[:MAX_URL]
        kinds = "/".join(["#" if part.isdigit() else "w" for part in folder.split("/")[1:-1][:6]])
        return (
            *self._each("u", [w[:MAX_PART] for w in words]),
            *self._tell("url", lexicon().groups(words)),
            *self._named(f"folder={kinds}"),
        )

    def name(self, name: str) -> tuple[KeyT, ...]:
        """The words of the last part of a path and of its query, and the shape of both."""
        name = (unquote(name) if "%" in name else name)[:200].lower()
        words = _WORD.findall(name)[:MAX_URL]
        file, _, query = name.partition("?")
        return (
            *self._each("u", [w[:MAX_PART] for w in words]),
            *self._tell("file", lexicon().groups(words)),
            *self._named(f"shape={shape_of(file, query)}"),
        )

    def page(self, title: str, text: str, language: str, software: str) -> tuple[KeyT, ...]:
        """What the page on which links stand is about."""
        words = tokens(title)[: 2 * MAX_TITLE]
        inside = lexicon().spread(tokens(text[:MAX_TEXT]))
        counts = [f"text:{letter}{inside.count(g).bit_length()}" for g, letter in enumerate(_LETTER)]
        return (
            *self._tell("title", lexicon().groups(words)),
            *self._each("t", bits(words)[:MAX_TITLE]),
            *self._named(*counts, f"lang={language}", *([f"software={software}"] if software in SOFTWARE else [])),
        )

    def way(self, depth: int, is_same_host: bool) -> tuple[KeyT, ...]:
        """How one gets there."""
        return self._ways[is_same_host][min(MAX_DEPTH, depth)]

    def outcome(self, paid: int, below: int, tried: int, hops: int) -> tuple[KeyT, ...]:
        """What became of the page on which links stand, of those below it, and how far up the last is that paid."""
        return self._outcomes[min(3, paid)][min(3, below)][min(4, tried.bit_length())] + self._hops[hops]

    def trail(self, above: str, here: str) -> tuple[KeyT, ...]:
        """The part that a link plays in its page, after the part of the link that led to the page."""
        known = self._trails.get((above, here))
        if known is None:
            known = self._trails[above, here] = self._named(f"trail={above}>{here}")
        return known

    def _each(self, place: str, words: Sequence[str]) -> Sequence[KeyT]:
        known = self._words.get(place)
        return () if known is None else [known[word] for word in words]

    def _tell(self, place: str, groups: Sequence[int]) -> tuple[KeyT, ...]:
        """Which groups of words occur in a place, and how often, up to three times."""
        key = place, tuple(groups)
        found = self._told.get(key)
        if found is None:
            if len(self._told) >= MAX_KNOWN:
                self._told.clear()
            names = [f"{place}:{_LETTER[g]}{min(groups.count(g), 3)}" for g in sorted(set(groups))]
            found = self._told[key] = self._named(*(names or [f"{place}:0"]))
        return found

    def _named(self, *names: str) -> tuple[KeyT, ...]:
        without = self._without
        return tuple([self._make(n) for n in names if n.partition(":")[0].partition("=")[0] not in without])


def bits(words: Sequence[str]) -> list[str]:
    """Tokens as they are, each once; runs without spaces as pairs of letters."""
    found: dict[str, None] = {}
    for word in words:
        if word.isascii() or not _SPACELESS.search(word):
            found["#" if word.isdigit() else word[:MAX_PART]] = None
        else:
            found.update(dict.fromkeys(word[i : i + 2] for i in range(max(1, min(len(word), MAX_ANCHOR) - 1))))
    return list(found)


def split(url: str) -> tuple[str, str]:
    """Host, and path with query."""
    start = url.find("://") + 3
    slash = url.find("/", start)
    return (url[start:], "/") if slash < 0 else (url[start:slash], url[slash:])


def cut(target: str) -> tuple[str, str]:
    """The folder of a path, with its slash, and the rest with the query."""
    query = target.find("?")
    end = target.rfind("/", 0, query if query >= 0 else len(target)) + 1
    return target[:end], target[end:]


def shape_of(file: str, query: str) -> str:
    """The name of a page without what tells one from the next: numbers and words gone, form kept."""
    stem, dot, ending = file.rpartition(".")
    if not dot or len(ending) > 5:
        stem, ending = file, ""
    kind = "#" if stem.isdigit() else ("w" if stem.isalpha() else ("" if not stem else "x"))
    keys = ",".join(sorted([p.partition("=")[0][:12] for p in query.split("&")[:6]])) if query else ""
    return f"{kind}.{ending}?{keys}"
