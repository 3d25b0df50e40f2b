"""What people type: words, "phrases", beginnings* and -unwanted words; any text at all is a query."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .words import split

MAX_CHARS = 1000
MAX_TERMS = 24
_TERM = re.compile(r'(-?)"([^"]*)"?(\*?)|(-?)([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase: as typed, and its folded words."""

    text: str
    words: tuple[str, ...]
    is_prefix: bool = False
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    wanted: tuple[Term, ...] = ()
    unwanted: tuple[Term, ...] = ()


def parse_terms(text: str) -> Terms:
    wanted: list[Term] = []
    unwanted: list[Term] = []
    for match in _TERM.finditer(text[:MAX_CHARS]):
        phrase_minus, phrase, phrase_star, minus, word = match.groups()
        is_prefix = bool(phrase_star) or (word or "").endswith("*")
        typed = (phrase if word is None else word.rstrip("*")).strip()
        words = tuple(split(typed)[:MAX_TERMS])
        if words:
            term = Term(typed, words, is_prefix, is_quoted=word is None)
            (unwanted if phrase_minus or minus else wanted).append(term)
        if len(wanted) + len(unwanted) == MAX_TERMS:
            break
    return Terms(tuple(wanted), tuple(unwanted))
