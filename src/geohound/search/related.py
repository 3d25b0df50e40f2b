"""Related words: what occurs in the services that match more often than in the whole catalogue (LI-14).

The catalogue is the knowledge base: titles, keywords and layers of its services. A word counts by its part in the
divergence between the services that match and all services, p · ln(p / b), where p and b are the shares of those and
of all services that hold it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from geohound.model.search.query import Hit
from geohound.text import QueryTerms, stems, stop_words, tokenize, weak_words

from .in_memory_index import Snapshot
from .postings import Postings

MAX_RELATED = 6
MAX_CANDIDATES = 30  # words that are looked up
MIN_SERVICES = 2  # that match and hold the word
_MIN_CHARS = 3
_WORD = re.compile(r"\w+")


def related_words(
    snapshot: Snapshot,
    postings: Postings,
    terms: QueryTerms,
    slots: npt.NDArray[np.int64],
    hits: Sequence[Hit],
) -> tuple[str, ...]:
    """The words that go with those asked for, the best first; `slots` are the services that match."""
    asked = {
        stem
        for term in terms.included
        for word in tokenize(term.text)
        for stem in stems(word)
    }
    total = int(np.count_nonzero(snapshot.live))
    if not asked or len(slots) < MIN_SERVICES or len(slots) >= total:
        return ()
    scores: dict[str, float] = {}
    for word in _candidates(hits, asked):
        holds = np.zeros(len(snapshot.live), np.bool_)
        holds[snapshot.slot_of[postings.find(word).entries]] = True
        matching = int(holds[slots].sum())
        everywhere = int((holds & snapshot.live).sum())
        share, usual = matching / len(slots), everywhere / total
        if matching >= MIN_SERVICES and share > usual:
            scores[word] = share * math.log(share / usual)
    best = sorted(scores, key=lambda word: (-scores[word], word))[:MAX_RELATED]
    written = _written(hits)
    return tuple(written.get(word, word) for word in best)


def _candidates(hits: Sequence[Hit], asked: set[str]) -> list[str]:
    """The most frequent words of the hits, but for those asked for in whatever form."""
    counts: Counter[str] = Counter()
    for hit in hits:
        counts.update(
            {
                word
                for text in _texts(hit)
                for word in tokenize(text)
                if _is_telling(word)
            }
        )
    frequent = (word for word, count in counts.most_common() if count >= MIN_SERVICES)
    return [word for word in frequent if asked.isdisjoint(stems(word))][:MAX_CANDIDATES]


def _written(hits: Sequence[Hit]) -> dict[str, str]:
    """Words as they are written most often, by their tokens, which have no diacritics."""
    counts: Counter[tuple[str, str]] = Counter()
    for hit in hits:
        for text in _texts(hit):
            counts.update(
                (tokens[0], word.lower())
                for word in _WORD.findall(text)
                if len(tokens := tokenize(word)) == 1
            )
    rarest_first = sorted(counts, key=lambda pair: (counts[pair], pair))
    return dict(rarest_first)


def _texts(hit: Hit) -> Iterable[str]:
    yield hit.service.title
    yield from hit.service.keywords[:50]
    for layer in hit.layers:
        yield layer.title
        yield from layer.keywords[:20]


def _is_telling(word: str) -> bool:
    if len(word) < _MIN_CHARS or word.isdigit():
        return False
    return word not in stop_words() and word not in weak_words()
