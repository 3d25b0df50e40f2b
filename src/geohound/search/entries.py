"""What the search keeps of a service: an entry for itself and one for each layer, the words of each with their worth.

The worth of a word in an entry is worked out here, once: BM25F with a word counted once per field, so that saying
it twenty times gains nothing, and fields weighed by their length against a usual length, so that it does not hang
on the rest of the catalogue. A search only adds up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from geohound.model.bbox import BBox
from geohound.model.service import Layer, Service
from geohound.wording import guess, split

from .boxes import many_as_ranges
from .lexicon import Lexicon, Said, Texts
from .weights import ABSTRACT, ADDRESS, FIELDS, KEYWORDS, KIND, NAME, PROVIDER, SATURATION, TITLE

_MAX_KEYWORDS = 200
_SHORT_CHARS, _LONG_CHARS = 500, 4000
_SAMPLE_WORDS = 100


_WEIGHTS, _USUAL, _LENGTH_PARTS = (np.array([field[n] for field in FIELDS]) for n in range(3))


@dataclass(frozen=True, slots=True)
class Document:
    """The entries of some services, ready to be written: words, and for each in turn its postings."""

    languages: list[str]  # per service
    sizes: list[int]
    terms: list[str]
    counts: npt.NDArray[np.uint32]  # per term: how many entries hold it
    offsets: npt.NDArray[np.integer]  # of those entries: which
    worths: npt.NDArray[np.uint8]  # and what the word is worth there, in 255ths
    boxes: npt.NDArray[np.int32]  # per entry


def document(services: Sequence[Service], lexicon: Lexicon) -> Document:
    """Of each service an entry for itself, then its layers in order."""
    lexicon.begin()
    languages = [guess(_sample(service), service.language) for service in services]
    heard: list[_Heard] = []
    first = 0
    for service, language in zip(services, languages, strict=True):
        _hear(heard, service, first, lexicon, language)
        first += 1 + len(service.layers)
    terms, counts, entries, worths = _sum_up(heard)
    return Document(
        languages=languages,
        sizes=[1 + len(service.layers) for service in services],
        terms=[lexicon.keys[number] for number in terms.tolist()],
        counts=counts.astype("<u4"),
        offsets=entries.astype(offset_type(first)),
        worths=np.maximum(1, 255 * worths / (worths + SATURATION)).astype(np.uint8),
        boxes=_boxes(services),
    )


_Heard = tuple[int, int, Said]  # what is said in which field of which entry


def _hear(heard: list[_Heard], service: Service, first: int, lexicon: Lexicon, language: str) -> None:
    known = [lexicon.known(language, field.manner) for field in FIELDS]
    entry = first
    for fields in (_service_fields(service), *map(_layer_fields, service.layers)):
        for field, texts in fields:
            if texts:
                said = known[field].get(texts) or lexicon.read(texts, language, FIELDS[field].manner)
                if said[1]:
                    heard.append((field, entry, said))
        entry += 1


def _sum_up(heard: list[_Heard]) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Terms, and how many entries each has; those entries, and what the term is worth in each."""
    fields = np.array([field for field, _, _ in heard], np.int64)
    lengths = np.array([said[1] for _, _, said in heard], np.int64)
    counts = np.array([len(said[0]) for _, _, said in heard], np.int64) // 4
    worths = _WEIGHTS[fields] / (1 - _LENGTH_PARTS[fields] + _LENGTH_PARTS[fields] * lengths / _USUAL[fields])
    # Sorted by key, then by field, which is by entry: one number for both sorts faster than two.
    packed = np.frombuffer(b"".join([said[0] for _, _, said in heard]), np.int32).astype(np.int64) << 32
    packed |= np.repeat(np.arange(len(counts)), counts)
    packed.sort()
    keys, places = packed >> 32, packed & 0xFFFFFFFF
    entries = np.array([entry for _, entry, _ in heard], np.int32)[places]
    is_new_key = np.ones(len(keys), np.bool_)
    is_new_key[1:] = keys[1:] != keys[:-1]
    is_new = is_new_key.copy()
    is_new[1:] |= entries[1:] != entries[:-1]
    starts = np.flatnonzero(is_new)
    summed = np.add.reduceat(worths[places], starts) if len(starts) else np.zeros(0)
    key_starts = np.flatnonzero(is_new_key[starts])
    return keys[starts[key_starts]], np.diff(key_starts, append=len(starts)), entries[starts], summed


def _sample(service: Service) -> list[str]:
    words = [*split(service.title[:_SHORT_CHARS]), *split(service.abstract[:_SHORT_CHARS])]
    for layer in service.layers:
        if len(words) > _SAMPLE_WORDS:
            break
        words += split(layer.title[:_SHORT_CHARS])
    return words


Fields = tuple[tuple[int, Texts], ...]  # and the texts in them


def _service_fields(service: Service) -> Fields:
    provider = service.provider
    return (
        (TITLE, service.title[:_SHORT_CHARS]),
        (KIND, service.kind),
        (KEYWORDS, _short(service.keywords)),
        (ABSTRACT, service.abstract[:_LONG_CHARS]),
        (PROVIDER, _short((provider.name, provider.contact, provider.site))),
        (ADDRESS, service.endpoint.partition("://")[2][:_SHORT_CHARS]),
    )


def _layer_fields(layer: Layer) -> Fields:
    return (
        (TITLE, layer.title[:_SHORT_CHARS]),
        (NAME, layer.name[:_SHORT_CHARS]),
        (KEYWORDS, _short(layer.keywords) if layer.keywords else ()),
        (ABSTRACT, layer.abstract[:_LONG_CHARS]),
    )


def _short(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([text[:_SHORT_CHARS] for text in texts[:_MAX_KEYWORDS]])


def _boxes(services: Sequence[Service]) -> npt.NDArray[np.int32]:
    """A layer without a box of its own has that of its service."""
    boxes: list[BBox | None] = []
    for service in services:
        own = service.extent.box if service.extent else None
        boxes.append(own)
        boxes += [(layer.extent.box if layer.extent else None) or own for layer in service.layers]
    return many_as_ranges(boxes)


def offset_type(size: int) -> Any:
    """How an entry's number within so many is written."""
    return np.dtype("<u2") if size <= 1 << 16 else np.dtype("<u4")
