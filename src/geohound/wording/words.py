"""Text to words: folded, split where names stand together, scripts without spaces in pairs of characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_LONGEST = "{1,40}"  # what is longer is no word; it comes in pieces
# Scripts written without spaces, or with endings glued on (Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean).
UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{UNSPACED}]{_LONGEST}|[^\W_{UNSPACED}]{_LONGEST}")
_PLAIN_WORD = re.compile(f"[a-z0-9]{_LONGEST}")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_MARKS = re.compile("[\u0300-\u036f]")
_LETTERS = {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
_ODD_LETTER = re.compile(f"[{''.join(_LETTERS)}]")
_SHORT_CHARS = 200


def fold(text: str) -> str:
    """Lower case without accents, as words are compared."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text.casefold())
    text = _ODD_LETTER.sub(lambda found: _LETTERS[found[0]], _MARKS.sub("", text))
    return unicodedata.normalize("NFC", text)


def split(text: str) -> list[str]:
    """The words of a text in their order; what has no spaces comes as one run."""
    return list(_split_short(text)) if len(text) < _SHORT_CHARS else _split(text)


@lru_cache(maxsize=10_000)  # titles and names are asked for several times while a service is written
def _split_short(text: str) -> tuple[str, ...]:
    return tuple(_split(text))


def _split(text: str) -> list[str]:
    text = fold(text)
    return (_PLAIN_WORD if text.isascii() else _WORD).findall(text)


def split_name(name: str) -> list[str]:
    """The words of a technical name: whole, and its parts where they stand together like LandCover2010."""
    parted = split(_CAMEL.sub(" ", name))
    whole = split(name)
    return parted if parted == whole else [*whole, *(word for word in parted if word not in whole)]


def is_unspaced(word: str) -> bool:
    return not word.isascii() and _UNSPACED_RUN.fullmatch(word) is not None


def pairs(run: str) -> list[str]:
    """A run without spaces as overlapping pairs of characters; a single one stays alone."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def pieces(words: Iterable[str]) -> list[str]:
    """Words as an index holds them: runs also as pairs and single characters."""
    made: list[str] = []
    for word in words:
        if word.isascii() or not is_unspaced(word):
            made.append(word)
        else:
            made += pairs(word)
            if len(word) > 1:
                made += word
    return made
