"""What people type, as a query that the text index cannot choke on."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from .codec import clean

MAX_CHARS = 1000
MAX_TERMS = 32
# Scripts written without spaces (Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean with its endings): each
# character is a word of its own, and what stands together is asked for as a phrase.
_UNSPACED = re.compile(
    "([\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff])"
)
_TERM = re.compile(r'(-?)"([^"]*)"?(\*?)|(-?)([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase, as typed and as the index asks for it."""

    text: str
    is_prefix: bool = False

    @property
    def quoted(self) -> str:
        return f'"{spaced(self.text)}"' + ("*" if self.is_prefix else "")


@dataclass(frozen=True, slots=True)
class Terms:
    wanted: tuple[Term, ...] = ()
    unwanted: tuple[Term, ...] = ()

    def expression(self, operator: str) -> str:
        """The wanted terms joined by AND or OR, without the unwanted ones; empty where nothing is wanted."""
        wanted = f" {operator} ".join(term.quoted for term in self.wanted)
        return f"({wanted}) NOT ({self.unwanted_expression})" if wanted and self.unwanted else wanted

    @property
    def unwanted_expression(self) -> str:
        return " OR ".join(term.quoted for term in self.unwanted)


def parse_terms(text: str) -> Terms:
    """Words, "phrases", beginnings* and -unwanted words; any text at all is a query."""
    wanted: list[Term] = []
    unwanted: list[Term] = []
    for match in _TERM.finditer(clean(text[:MAX_CHARS])):
        phrase_minus, phrase, phrase_star, minus, word = match.groups()
        is_prefix = bool(phrase_star) or (word or "").endswith("*")
        term = Term((phrase if word is None else word.rstrip("*")).strip(), is_prefix)
        if _has_word(term.text):
            (unwanted if phrase_minus or minus else wanted).append(term)
        if len(wanted) + len(unwanted) == MAX_TERMS:
            break
    return Terms(tuple(wanted), tuple(unwanted))


def spaced(text: str) -> str:
    """The text with spaces around the characters of scripts that have none."""
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)


def folded(text: str) -> str:
    """Lower case without accents, as the index compares."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in parts if not unicodedata.combining(c))


def _has_word(text: str) -> bool:
    return any(c.isalnum() for c in text)
