"""What the search keeps of a service: an entry for itself and one for each layer, the words of each with their worth.

The worth of a word in an entry is worked out here, once: BM25F with a word counted once per field, so that saying
it twenty times gains nothing, and fields weighed by their length against a usual length, so that it does not hang
on the rest of the catalogue. A search only adds up.
"""

from __future__ import annotations

import base64
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.model.bbox import BBox
from geohound.model.service import Extent, Layer, Service
from geohound.wording import guess, is_unspaced, pieces, split, split_name, stem, stop_words

from .boxes import NOWHERE, as_ranges

STEM = "~"
PAIR = "\x7f"
_SATURATION = 5.0
_MAX_KEYWORDS = 200
_SHORT_CHARS, _LONG_CHARS = 500, 4000
_MAX_WORDS = 400
_SAMPLE_WORDS = 200


class Field(NamedTuple):
    """Weight of a field, its usual length in words, and how much of its weight the length decides."""

    weight: float
    usual: float
    length_part: float


TITLE, NAME, KEYWORDS = Field(10, 5, 0.6), Field(6, 4, 0.4), Field(5, 8, 0.7)
ABSTRACT, PROVIDER, ADDRESS, KIND = Field(2.5, 30, 0.5), Field(3, 4, 0.3), Field(1.2, 8, 0.2), Field(2, 1, 0)


@dataclass(frozen=True, slots=True)
class Document:
    """The entries of one service, ready to be written: words, and for each in turn its postings."""

    language: str
    size: int
    terms: list[str]
    counts: npt.NDArray[np.uint32]  # per term: how many entries hold it
    offsets: npt.NDArray[np.integer]  # of those entries: which
    worths: npt.NDArray[np.uint8]  # and what the word is worth there, in 255ths
    boxes: npt.NDArray[np.int32]  # per entry


def document(service: Service) -> Document:
    """Entry 0 is the service, the others are its layers in order."""
    language = guess(_sample(service), service.language)
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    terms: list[int] = []
    worths: list[float] = []
    held: list[int] = []
    for fields in (_service_fields(service), *map(_layer_fields, service.layers)):
        own = _worths(fields, language)
        terms.extend(map(numbers.__getitem__, own))
        worths.extend(own.values())
        held.append(len(own))
    owners = np.array(terms, dtype=np.int32)
    order = np.argsort(owners, kind="stable")
    weights = np.array(worths)[order]
    return Document(
        language=language,
        size=len(held),
        terms=list(numbers),
        counts=np.bincount(owners, minlength=len(numbers)).astype("<u4"),
        offsets=np.repeat(np.arange(len(held)), held)[order].astype(offset_type(len(held))),
        worths=np.maximum(1, 255 * weights / (weights + _SATURATION)).astype(np.uint8),
        boxes=_boxes(service),
    )


def _sample(service: Service) -> list[str]:
    words = [*split(service.title[:_SHORT_CHARS]), *split(service.abstract[:_SHORT_CHARS])]
    for layer in service.layers:
        if len(words) > _SAMPLE_WORDS:
            break
        words += split(layer.title[:_SHORT_CHARS])
    return words


Said = tuple[tuple[Field, Sequence[str]], ...]  # fields and the texts in them


def _service_fields(service: Service) -> Said:
    provider = service.provider
    return (
        (TITLE, (service.title,)),
        (KIND, (service.kind,)),
        (KEYWORDS, service.keywords[:_MAX_KEYWORDS]),
        (ABSTRACT, (service.abstract,)),
        (PROVIDER, (provider.name, provider.contact, provider.site)),
        (ADDRESS, (service.endpoint.partition("://")[2],)),
    )


def _layer_fields(layer: Layer) -> Said:
    return (
        (TITLE, (layer.title,)),
        (NAME, (layer.name,)),
        (KEYWORDS, layer.keywords[:_MAX_KEYWORDS]),
        (ABSTRACT, (layer.abstract,)),
    )


def _worths(fields: Said, language: str) -> dict[str, float]:
    worths: dict[str, float] = {}
    for field, texts in fields:
        limit = _LONG_CHARS if field is ABSTRACT else _SHORT_CHARS
        said = [_keys(text[:limit], language, field is ABSTRACT, field is NAME) for text in texts if text]
        length = sum(count for _, count in said)
        if not length:
            continue
        worth = field.weight / (1 - field.length_part + field.length_part * length / field.usual)
        keys: Iterable[str] = said[0][0] if len(said) == 1 else frozenset().union(*(keys for keys, _ in said))
        for key in keys:
            if key in worths:
                worths[key] += worth
            else:
                worths[key] = worth
    return worths


@lru_cache(maxsize=20_000)  # keywords, organisations, names of series: much is said again and again
def _keys(text: str, language: str, is_long: bool, is_name: bool) -> tuple[frozenset[str], int]:
    """Words, stems where they differ, and pairs of neighbours; and how many words there are."""
    words = split_name(text) if is_name else split(text)
    keys: set[str] = set()
    ignored = stop_words()
    before = ""
    for word in words[:_MAX_WORDS]:
        if word in ignored:
            if not is_long:
                keys.add(word)
        elif word.isascii() or not is_unspaced(word):
            keys.add(word)
            root = stem(word, language)
            if root != word:
                keys.add(STEM + root)
            if before:
                keys.add(pair(before, root))
            before = root
        else:
            keys.update(pieces((word,)))
            before = ""
    return frozenset(keys), len(words)


@lru_cache(maxsize=100_000)
def pair(one: str, other: str) -> str:
    """The key of two stems that follow each other; short, for there are many."""
    return PAIR + base64.b85encode(zlib.crc32(f"{one} {other}".encode("utf-8", "replace")).to_bytes(4, "big")).decode()


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
