"""What can be seen of a link before it is followed, as names of features; all of it cheap, none of it fetched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from ._words import lexicon, tokens

MAX_ANCHOR, MAX_URL, MAX_TITLE, MAX_TEXT = 12, 8, 10, 600
MAX_PART = 24  # characters of a token that count
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+")
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTER = ("S", "P", "T", "N")


def told(where: str, groups: Sequence[int]) -> list[str]:
    """Which groups of words occur in a place, and how often, up to three times."""
    if not groups:
        return [f"{where}:0"]
    return [f"{where}:{_LETTER[g]}{min(groups.count(g), 3)}" for g in set(groups)]


def bits(words: Sequence[str]) -> list[str]:
    """Tokens as they are, each once; runs without spaces as pairs of letters."""
    found: dict[str, None] = {}
    for word in words:
        if word.isascii() or not _SPACELESS.search(word):
            found["#" if word.isdigit() else word[:MAX_PART]] = None
        else:
            found.update(dict.fromkeys(word[i : i + 2] for i in range(max(1, min(len(word), MAX_ANCHOR) - 1))))
    return list(found)


def anchor_features(clue: str) -> tuple[str, ...]:
    """The words of the link itself, or around it."""
    words = tokens(clue)[: 2 * MAX_ANCHOR]
    found = told("anchor", lexicon().groups(words))
    found += [f"a:{w}" for w in bits(words)[:MAX_ANCHOR]]
    if len(words) <= 4:
        found.append(f"a={' '.join('#' if w.isdigit() else w for w in words)[:60]}")
    return tuple(found)


def host_features(host: str) -> tuple[str, ...]:
    """The words of a host's name, and its ending."""
    words = tokens(host.partition(":")[0])
    return (
        f"tld={words[-1] if words else ''}",
        *(f"h:{w[:MAX_PART]}" for w in words[:-1][:5]),
        *told("hostname", lexicon().groups(words[:-1])),
    )


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


def folder_features(folder: str) -> list[str]:
    """The words of a path but for its last part, and their number."""
    folder = (unquote(folder) if "%" in folder else folder)[:200].lower()
    words = list(dict.fromkeys(_WORD.findall(folder)))[:MAX_URL]
    kinds = "/".join(["#" if part.isdigit() else "w" for part in folder.split("/")[1:-1][:6]])
    return [*[f"u:{w[:MAX_PART]}" for w in words], *told("url", lexicon().groups(words)), f"folder={kinds}"]


def page_name_features(name: str) -> list[str]:
    """The words of the last part of a path and of its query, and the shape of both."""
    name = (unquote(name) if "%" in name else name)[:200].lower()
    words = _WORD.findall(name)[:MAX_URL]
    file, _, query = name.partition("?")
    return [
        *[f"u:{w[:MAX_PART]}" for w in words],
        *told("file", lexicon().groups(words)),
        f"shape={shape_of(file, query)}",
    ]


def sections(host: str, target: str) -> tuple[str, str]:
    """The parts of a host that a page belongs to by its address: a wide one, and a narrow one inside it."""
    path, _, query = target.partition("?")
    parts = path.split("/", 4)
    wide = f"{host}/{parts[1]}"
    first, more, _ = query.partition("&")
    if more:
        wide = f"{wide}?{first}"
    return wide, f"{wide}/{parts[2]}" if len(parts) > 3 else ""


def shape_of(file: str, query: str) -> str:
    """The name of a page without what tells one from the next: numbers and words gone, form kept."""
    stem, dot, ending = file.rpartition(".")
    if not dot or len(ending) > 5:
        stem, ending = file, ""
    kind = "#" if stem.isdigit() else ("w" if stem.isalpha() else ("" if not stem else "x"))
    keys = ",".join(sorted([p.partition("=")[0][:12] for p in query.split("&")[:6]])) if query else ""
    return f"{kind}.{ending}?{keys}"


def page_features(title: str, text: str, language: str) -> list[str]:
    """What the page on which links stand is about."""
    words = tokens(title)[: 2 * MAX_TITLE]
    found = told("title", lexicon().groups(words))
    found += [f"t:{w}" for w in bits(words)[:MAX_TITLE]]
    inside = lexicon().spread(tokens(text[:MAX_TEXT]))
    found += [f"text:{letter}{inside.count(g).bit_length()}" for g, letter in enumerate(_LETTER)]
    found.append(f"lang={language}")
    return found


def way_features(depth: int, is_same_host: bool) -> tuple[str, str]:
    """How one gets there."""
    return (f"way={'in' if is_same_host else 'out'}", f"depth={depth}")
