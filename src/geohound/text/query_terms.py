"""The query syntax: words, "phrases", prefixes* and -excluded words; any text is a valid query."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .tokenizer import tokenize

MAX_CHARS = 1000
MAX_TERMS = 24
_TERM = re.compile(r'(-?)"([^"]*)"?(\*?)|(-?)([^\s"]+)')


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
