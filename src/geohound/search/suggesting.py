"""Did you mean …? Words that nothing holds, replaced by near ones that something does."""

from __future__ import annotations

from geohound.wording import Term, Terms, closest, is_unspaced, stems, stop_words
from geohound.wording.spelling import distance

from .lexicon import STEM
from .postings import Postings

_LEAST_CHARS = 4
_MOST_SEGMENTS = 6
_MOST_COMPARED = 10


def suggest(postings: Postings, terms: Terms) -> str:
    """The text with misspelt words mended; empty where there is nothing to mend."""
    mended: list[str] = []
    changed = False
    for term in terms.wanted:
        better = _mend(postings, term)
        changed = changed or bool(better)
        mended.append(better or _typed(term))
    return " ".join([*mended, *(f"-{_typed(term)}" for term in terms.unwanted)]) if changed else ""


def _typed(term: Term) -> str:
    text = f'"{term.text}"' if term.is_quoted else term.text
    return f"{text}*" if term.is_prefix else text


def _mend(postings: Postings, term: Term) -> str:
    word = term.words[0]
    if len(term.words) > 1 or term.is_prefix or len(word) < _LEAST_CHARS or is_unspaced(word) or not word.isalpha():
        return ""
    if word in stop_words() or any(
        len(postings.find(key).entries) for root in stems(word) for key in (word, root, STEM + root)
    ):
        return ""
    # Few slips are in the first letters; where they are, the two are in the wrong order or one is missing.
    near: dict[str, None] = {}
    for beginning in dict.fromkeys((word[:3], word[:2], word[1] + word[0], word[0], word[1:3])):
        near |= dict.fromkeys(
            other
            for other in postings.words_like(beginning, _MOST_SEGMENTS)
            if abs(len(other) - len(word)) <= 2 and other.isalpha()
        )
    first = closest(word, [(other, 0) for other in near])
    if not first:
        return ""
    most = distance(word, first, _LEAST_CHARS)
    equals = [other for other in near if distance(word, other, most) == most]
    return max(equals[:_MOST_COMPARED], key=lambda other: len(postings.find(other).entries))
