"""Splits texts into folded tokens; technical names also at camel case, scripts without spaces into bigrams."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_REPEAT = "{1,40}"  # longer runs are split
# Scripts without spaces between words, and agglutinating ones (Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean).
UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{UNSPACED}]{_REPEAT}|[^\W_{UNSPACED}]{_REPEAT}")
_PLAIN_WORD = re.compile(f"[a-z0-9]{_REPEAT}")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_CAMEL = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])"
)
_DIACRITICS = re.compile("[\u0300-\u036f]")
_BASE_LETTERS = {
    "ł": "l",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "æ": "ae",
    "œ": "oe",
    "ı": "i",
}
_SPECIAL_LETTER = re.compile(f"[{''.join(_BASE_LETTERS)}]")
_SHORT_CHARS = 200


MAX_CHARS = 1000
MAX_TERMS = 24
_TERM = re.compile(r'(-?)"([^"]*)"?(\*?)|(-?)([^\s"]+)')


def fold(text: str) -> str:
    """Lower case without diacritics."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text.casefold())
    text = _SPECIAL_LETTER.sub(
        lambda found: _BASE_LETTERS[found[0]], _DIACRITICS.sub("", text)
    )
    return unicodedata.normalize("NFC", text)


def tokenize(text: str) -> list[str]:
    """The tokens of a text in order; a run of a script without spaces is one token."""
    return list(_tokenize_short(text)) if len(text) < _SHORT_CHARS else _tokenize(text)


@lru_cache(
    maxsize=10_000
)  # titles and names are tokenized several times while a service is indexed
def _tokenize_short(text: str) -> tuple[str, ...]:
    return tuple(_tokenize(text))


def _tokenize(text: str) -> list[str]:
    text = fold(text)
    return (_PLAIN_WORD if text.isascii() else _WORD).findall(text)


def tokenize_name(name: str) -> list[str]:
    """The tokens of a technical name: whole, and the parts of names such as LandCover2010."""
    parts = tokenize(_CAMEL.sub(" ", name))
    whole = tokenize(name)
    return (
        parts
        if parts == whole
        else [*whole, *(word for word in parts if word not in whole)]
    )


def is_unspaced(word: str) -> bool:
    return not word.isascii() and _UNSPACED_RUN.fullmatch(word) is not None


def bigrams(run: str) -> list[str]:
    """The overlapping pairs of characters of an unspaced run; a single character stays alone."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def index_tokens(words: Iterable[str]) -> list[str]:
    """Tokens as the index stores them: unspaced runs as bigrams and single characters."""
    tokens: list[str] = []
    for word in words:
        if word.isascii() or not is_unspaced(word):
            tokens.append(word)
        else:
            tokens += bigrams(word)
            if len(word) > 1:
                tokens += word
    return tokens


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word or phrase: as typed, and its folded words."""

    text: str
    words: tuple[str, ...]
    is_prefix: bool = False
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class QueryTerms:
    included: tuple[QueryTerm, ...] = ()
    excluded: tuple[QueryTerm, ...] = ()


def parse_query_terms(text: str) -> QueryTerms:
    included: list[QueryTerm] = []
    excluded: list[QueryTerm] = []
    for match in _TERM.finditer(text[:MAX_CHARS]):
        phrase_minus, phrase, phrase_star, minus, word = match.groups()
        is_prefix = bool(phrase_star) or (word or "").endswith("*")
        typed = (phrase if word is None else word.rstrip("*")).strip()
        words = tuple(tokenize(typed)[:MAX_TERMS])
        if words:
            term = QueryTerm(typed, words, is_prefix, is_quoted=word is None)
            (excluded if phrase_minus or minus else included).append(term)
        if len(included) + len(excluded) == MAX_TERMS:
            break
    return QueryTerms(tuple(included), tuple(excluded))
