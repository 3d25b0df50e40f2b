"""What the search keeps of a service: an entry for itself and one for each layer, the words of each with their worth.

The worth of a word in an entry is worked out here, once: BM25F with a word counted once per field, so that saying
it twenty times gains nothing, and fields weighed by their length against a usual length, so that it does not hang
on the rest of the catalogue. A search only adds up.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.model.bbox import BBox
from geohound.model.service import Extent, Layer, Service
from geohound.wording import guess, is_unspaced, pieces, split, split_name, stem, stop_words

from .boxes import NOWHERE, as_ranges
from .codec import clean

STEM = "~"
PAIR = "\x7f"
_SATURATION = 5.0
_MAX_KEYWORDS = 200
_SHORT_CHARS, _LONG_CHARS = 500, 4000
_MAX_WORDS = 400


class Field(NamedTuple):
    """Weight of a field, its usual length in words, and how much of its weight the length decides."""

    weight: float
    usual: float
    length_part: float


TITLE, NAME, KEYWORDS = Field(10, 5, 0.6), Field(6, 4, 0.4), Field(5, 8, 0.7)
ABSTRACT, PROVIDER, ADDRESS, KIND = Field(2.5, 30, 0.5), Field(3, 4, 0.3), Field(1.2, 8, 0.2), Field(2, 1, 0)
Said = tuple[Field, Sequence[list[str]]]  # a field and its words, phrase by phrase


@dataclass(frozen=True, slots=True)
class Document:
    """The entries of one service, ready to be written: postings by word, a box for each entry."""

    language: str
    size: int
    postings: dict[str, tuple[list[int], list[int]]]  # word: entries, worth in 255ths
    boxes: npt.NDArray[np.int32]


def document(service: Service) -> Document:
    """Entry 0 is the service, the others are its layers in order."""
    titles = [split(layer.title[:_SHORT_CHARS]) for layer in service.layers]
    own = [split(service.title[:_SHORT_CHARS]), split(service.abstract[:_LONG_CHARS])]
    language = guess(_sample(own, titles), service.language)
    postings: dict[str, tuple[list[int], list[int]]] = {}
    _post(postings, 0, _worths(_service_fields(service, own), language))
    for number, (layer, title) in enumerate(zip(service.layers, titles, strict=True), 1):
        _post(postings, number, _worths(_layer_fields(layer, title), language))
    return Document(language, len(service.layers) + 1, postings, _boxes(service))


def _sample(own: Iterable[list[str]], titles: Iterable[list[str]]) -> list[str]:
    words = [word for part in own for word in part[:100]]
    for title in titles:
        if len(words) > 300:
            break
        words += title
    return words


def _service_fields(service: Service, own: list[list[str]]) -> list[Said]:
    provider = service.provider
    return [
        (TITLE, [own[0]]),
        (KIND, [[service.kind, *split(service.kind)]]),
        (KEYWORDS, _keywords(service.keywords)),
        (ABSTRACT, [own[1]]),
        (PROVIDER, [split(text[:_SHORT_CHARS]) for text in (provider.name, provider.contact, provider.site)]),
        (ADDRESS, [split(service.endpoint.partition("://")[2][:_SHORT_CHARS])]),
    ]


def _layer_fields(layer: Layer, title: list[str]) -> list[Said]:
    return [
        (TITLE, [title]),
        (NAME, [split_name(layer.name[:_SHORT_CHARS])]),
        (KEYWORDS, _keywords(layer.keywords)),
        (ABSTRACT, [split(layer.abstract[:_LONG_CHARS])]),
    ]


def _keywords(keywords: Sequence[str]) -> list[list[str]]:
    return [split(word[:_SHORT_CHARS]) for word in keywords[:_MAX_KEYWORDS]]


def _worths(fields: Iterable[Said], language: str) -> dict[str, float]:
    worths: dict[str, float] = {}
    for field, phrases in fields:
        length = sum(map(len, phrases))
        if length:
            worth = field.weight / (1 - field.length_part + field.length_part * length / field.usual)
            for key in _keys(phrases, language, keep_stop_words=field is not ABSTRACT):
                worths[key] = worths.get(key, 0.0) + worth
    return worths


def _keys(phrases: Iterable[list[str]], language: str, *, keep_stop_words: bool) -> set[str]:
    """Words, stems where they differ, and pairs of neighbours."""
    keys: set[str] = set()
    ignored = stop_words()
    for phrase in phrases:
        before = ""
        for word in phrase[:_MAX_WORDS]:
            if word in ignored:
                if keep_stop_words:
                    keys.add(word)
                continue
            if not word.isascii() and is_unspaced(word):
                keys.update(pieces([word]))
                before = ""
                continue
            keys.add(word)
            root = stem(word, language)
            if root != word:
                keys.add(STEM + root)
            if before:
                keys.add(pair(before, root))
            before = root
    return keys


@lru_cache(maxsize=100_000)
def pair(one: str, other: str) -> str:
    """The key of two stems that follow each other; short, for there are many."""
    return PAIR + base64.b85encode(zlib.crc32(f"{one} {other}".encode("utf-8", "replace")).to_bytes(4, "big")).decode()


def _post(postings: dict[str, tuple[list[int], list[int]]], number: int, worths: dict[str, float]) -> None:
    for word, worth in worths.items():
        scaled = int(255 * worth / (worth + _SATURATION)) or 1
        known = postings.get(word)
        if known is None:
            postings[word] = ([number], [scaled])
        else:
            known[0].append(number)
            known[1].append(scaled)


def _boxes(service: Service) -> npt.NDArray[np.int32]:
    own = _ranges(service.extent) or NOWHERE
    rows = [own, *((_ranges(layer.extent) or own) for layer in service.layers)]
    return np.array(rows, dtype=np.int32)


def _ranges(extent: Extent | None) -> tuple[int, int, int, int] | None:
    box: BBox | None = extent.box if extent else None
    return as_ranges(box) if box else None


def offset_type(size: int) -> Any:
    """How an entry's number within so many is written."""
    return np.dtype("<u2") if size <= 1 << 16 else np.dtype("<u4")


def printable_terms(postings: dict[str, tuple[list[int], list[int]]]) -> str:
    return clean("\n".join(postings))
