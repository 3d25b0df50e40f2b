"""Analyses services for the index: an entry for each service and each layer, with terms, boxes and facets.

The impact of a term in an entry is computed here, once: BM25F with a term counted once per field, so that repeating a
word gains nothing, and with field lengths compared to a usual length, so that it does not depend on the rest of the
catalogue. A search only sums impacts.
"""

from __future__ import annotations

import string
import zlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from geohound.model.bbox import BBox
from geohound.model.catalogue import Change
from geohound.model.search.query import FACETS
from geohound.model.service import Layer, Service
from geohound.text import (
    guess_language,
    index_tokens,
    is_unspaced,
    stem,
    stop_words,
    tokenize,
    tokenize_name,
)

from .boxes import boxes_to_integers
from .facets import duplicate_key, facets_of, limit_spans, quality_of, years_of
from .segments import LANGUAGES, RECORD, SegmentData, offset_type
from .weights import (
    ABSTRACT,
    ADDRESS,
    FIELDS,
    KEYWORDS,
    KIND,
    NAME,
    PROVIDER,
    SATURATION,
    TITLE,
)

STEM_MARK = "~"
PAIR_MARK = "\x7f"
_MAX_WORDS = 400
_MAX_TERMS = 400_000
_MAX_TEXT_CHARS = 8_000_000
_LONG_TEXT_CHARS = 2_000  # longer texts seldom repeat and are not cached

# A word: the numbers of its terms; its stem, empty for words that form no pair; by the next stem, the pair's number.
_Word = tuple[tuple[int, ...], str, dict[str, int]]
# The texts of one field: distinct term numbers of four bytes each, and the number of words. Bytes in a plain tuple,
# because the garbage collector does not track these, and very many are cached.
FieldTerms = tuple[bytes, int]
FieldText = str | tuple[str, ...]


class TermCache:
    """Terms of texts (words, stems where they differ, pairs of adjacent stems), numbered and cached.

    Texts repeat a lot, most of all in the layers of one service. All is dropped together when it grows too large.
    Not safe for threads.
    """

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.terms: list[str] = []
        self._numbers: dict[str, int] = {}
        self._words: dict[str, dict[str, _Word]] = {}
        self._pairs_after: dict[str, dict[str, int]] = {}
        self._texts: dict[tuple[str, str], dict[FieldText, FieldTerms]] = {}
        self._chars = 0

    def begin(self) -> None:
        """Term numbers stay valid until the next call."""
        if len(self.terms) > _MAX_TERMS:
            self._reset()

    def analyse_text(
        self, texts: FieldText, language: str, analyzer: str
    ) -> FieldTerms:
        """The terms of a field; analyzers are `plain`, `name` (LandCover2010 also in parts), `long` (no stop words)."""
        field_terms = self.cached(language, analyzer).get(texts)
        return (
            self._analyse(texts, language, analyzer)
            if field_terms is None
            else field_terms
        )

    def cached(self, language: str, analyzer: str) -> dict[FieldText, FieldTerms]:
        """The texts that need no analysis."""
        return self._texts.setdefault((language, analyzer), {})

    def _analyse(self, texts: FieldText, language: str, analyzer: str) -> FieldTerms:
        field_terms = self._analyse_texts(
            (texts,) if isinstance(texts, str) else texts, language, analyzer
        )
        chars = len(texts) if isinstance(texts, str) else sum(map(len, texts))
        if chars < _LONG_TEXT_CHARS:
            if self._chars > _MAX_TEXT_CHARS:
                for cached in self._texts.values():
                    cached.clear()
                self._chars = 0
            self._texts[language, analyzer][texts] = field_terms
            self._chars += chars + 100
        return field_terms

    def _analyse_texts(
        self, texts: tuple[str, ...], language: str, analyzer: str
    ) -> FieldTerms:
        cached = self._words.setdefault(language, {})
        skipped = stop_words() if analyzer == "long" else frozenset()
        terms: set[int] = set()
        length = 0
        for text in texts:
            words = tokenize_name(text) if analyzer == "name" else tokenize(text)
            length += len(words)
            next_pairs: dict[str, int] = {}
            previous = ""
            for word in words[:_MAX_WORDS]:
                numbers, stemmed, word_pairs = cached.get(word) or self._analyse_word(
                    word, language
                )
                if stemmed:
                    terms.update(numbers)
                    if previous:
                        pair_number = next_pairs.get(stemmed)
                        if pair_number is None:
                            pair_number = next_pairs[stemmed] = self._term_number(
                                word_pair(previous, stemmed)
                            )
                        terms.add(pair_number)
                    previous, next_pairs = stemmed, word_pairs
                elif word not in skipped:
                    terms.update(numbers)
                    if word_pairs is _PAIR_BREAK:
                        previous = ""
        return array("i", terms).tobytes(), length

    def _analyse_word(self, word: str, language: str) -> _Word:
        if word in stop_words():
            analysed_word: _Word = ((self._term_number(word),), "", _NO_PAIR)
        elif not word.isascii() and is_unspaced(word):
            analysed_word = (
                tuple(map(self._term_number, dict.fromkeys(index_tokens((word,))))),
                "",
                _PAIR_BREAK,
            )
        else:
            stemmed = stem(word, language)
            terms = (word,) if stemmed == word else (word, STEM_MARK + stemmed)
            analysed_word = (
                tuple(map(self._term_number, terms)),
                stemmed,
                self._pairs_after.setdefault(stemmed, {}),
            )
        self._words[language][word] = analysed_word
        return analysed_word

    def _term_number(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
        return number


_NO_PAIR: dict[str, int] = {}  # of words that form no pair
_PAIR_BREAK: dict[str, int] = {}  # of words that separate the pairs before and after


# As base64.b85encode writes four bytes, ten times faster.
_DIGITS = (
    string.digits
    + string.ascii_uppercase
    + string.ascii_lowercase
    + "!#$%&()*+-;<=>?@^_`{|}~"
)
_TWO_DIGITS = [one + other for one in _DIGITS for other in _DIGITS]


def word_pair(one: str, other: str) -> str:
    """The term of two adjacent stems; short, because there are many."""
    value = zlib.crc32(f"{one} {other}".encode("utf-8", "replace"))
    high, low = divmod(value, 85**3)
    return f"{PAIR_MARK}{_TWO_DIGITS[high]}{_TWO_DIGITS[low // 85]}{_DIGITS[low % 85]}"


BATCH_ENTRIES = 4_096  # analysed at once; a service is never split
_FIELDS = {name: number for number, name in enumerate(FACETS)}


def analyse(changes: Sequence[Change], term_cache: TermCache) -> Iterator[SegmentData]:
    """The services that were added or changed, in order, some thousand entries at a time."""
    batch: list[tuple[Change, Service]] = []
    entries = 0
    for change in changes:
        if change.service is not None:
            batch.append((change, change.service))
            entries += 1 + len(change.service.layers)
            if entries >= BATCH_ENTRIES:
                yield _segment_data(batch, term_cache)
                batch, entries = [], 0
    if batch:
        yield _segment_data(batch, term_cache)


def _segment_data(
    batch: Sequence[tuple[Change, Service]], term_cache: TermCache
) -> SegmentData:
    analysed = analyse_batch([service for _, service in batch], term_cache)
    value_numbers: dict[tuple[int, str], int] = {}
    facets: list[int] = []
    records = []
    for (change, service), size, language in zip(
        batch, analysed.sizes, analysed.languages, strict=True
    ):
        quality, years = quality_of(service), years_of(service)
        values = facets_of(service, language, change.topics, quality, years)
        facets += [
            value_numbers.setdefault((_FIELDS[name], value), len(value_numbers))
            for name, value in values
        ]
        records.append(
            (
                change.number, size, int(service.id, 16), change.revision, duplicate_key(change.number, service),
                len(values), quality, LANGUAGES.index(language), limit_spans(years),
            )
        )  # fmt: skip
    # Words of hostile documents may contain lone surrogates, which cannot be encoded.
    terms = (
        "\n".join(analysed.terms).encode("utf-8", "replace").decode().split("\n")
        if analysed.terms
        else []
    )
    return SegmentData(
        np.array(records, RECORD), list(value_numbers), np.array(facets, "<u4"), analysed.boxes, terms,
        analysed.counts.astype(np.int64), analysed.offsets, analysed.impacts,
    )  # fmt: skip


_MAX_KEYWORDS = 200
_SHORT_CHARS, _LONG_CHARS = 500, 4000
_SAMPLE_WORDS = 100


_WEIGHTS, _USUAL_LENGTHS, _LENGTH_NORMS = (
    np.array([field[n] for field in FIELDS]) for n in range(3)
)


@dataclass(frozen=True, slots=True)
class AnalysedBatch:
    """The entries of some services: terms, and the postings of each in turn."""

    languages: list[str]  # per service
    sizes: list[int]
    terms: list[str]
    counts: npt.NDArray[np.uint32]  # per term: the number of its postings
    offsets: npt.NDArray[np.integer]  # per posting: the entry
    impacts: npt.NDArray[np.uint8]  # per posting: the impact, in 255ths
    boxes: npt.NDArray[np.int32]  # per entry


def analyse_batch(services: Sequence[Service], term_cache: TermCache) -> AnalysedBatch:
    """For each service its own entry, then those of its layers in order."""
    term_cache.begin()
    languages = [
        guess_language(_sample(service), service.language) for service in services
    ]
    field_terms: list[_FieldOccurrence] = []
    first = 0
    for service, language in zip(services, languages, strict=True):
        _collect_fields(field_terms, service, first, term_cache, language)
        first += 1 + len(service.layers)
    terms, counts, entries, impacts = _sum_impacts(field_terms)
    return AnalysedBatch(
        languages=languages,
        sizes=[1 + len(service.layers) for service in services],
        terms=[term_cache.terms[number] for number in terms.tolist()],
        counts=counts.astype("<u4"),
        offsets=entries.astype(offset_type(first)),
        impacts=np.maximum(1, 255 * impacts / (impacts + SATURATION)).astype(np.uint8),
        boxes=_boxes(services),
    )


_FieldOccurrence = tuple[int, int, FieldTerms]  # field, entry, and the terms in it


def _collect_fields(
    field_terms: list[_FieldOccurrence],
    service: Service,
    first: int,
    term_cache: TermCache,
    language: str,
) -> None:
    cached = [term_cache.cached(language, field.analyzer) for field in FIELDS]
    entry = first
    for fields in (_service_fields(service), *map(_layer_fields, service.layers)):
        for field, texts in fields:
            if texts:
                found = cached[field].get(texts) or term_cache.analyse_text(
                    texts, language, FIELDS[field].analyzer
                )
                if found[1]:
                    field_terms.append((field, entry, found))
        entry += 1


def _sum_impacts(
    field_terms: list[_FieldOccurrence],
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Term numbers, the count of postings of each, and for each posting the entry and the impact."""
    fields = np.array([field for field, _, _ in field_terms], np.int64)
    lengths = np.array([length for _, _, (_, length) in field_terms], np.int64)
    counts = (
        np.array([len(numbers) for _, _, (numbers, _) in field_terms], np.int64) // 4
    )
    impacts = _WEIGHTS[fields] / (
        1
        - _LENGTH_NORMS[fields]
        + _LENGTH_NORMS[fields] * lengths / _USUAL_LENGTHS[fields]
    )
    # Sorted by term, then by field, which is by entry: one packed number sorts faster than two.
    all_numbers = b"".join([numbers for _, _, (numbers, _) in field_terms])
    packed = np.frombuffer(all_numbers, np.int32).astype(np.int64) << 32
    packed |= np.repeat(np.arange(len(counts)), counts)
    packed.sort()
    terms, occurrences = packed >> 32, packed & 0xFFFFFFFF
    entries = np.array([entry for _, entry, _ in field_terms], np.int32)[occurrences]
    is_new_term = np.ones(len(terms), np.bool_)
    is_new_term[1:] = terms[1:] != terms[:-1]
    is_new = is_new_term.copy()
    is_new[1:] |= entries[1:] != entries[:-1]
    starts = np.flatnonzero(is_new)
    summed = (
        np.add.reduceat(impacts[occurrences], starts) if len(starts) else np.zeros(0)
    )
    term_starts = np.flatnonzero(is_new_term[starts])
    return (
        terms[starts[term_starts]],
        np.diff(term_starts, append=len(starts)),
        entries[starts],
        summed,
    )


def _sample(service: Service) -> list[str]:
    words = [
        *tokenize(service.title[:_SHORT_CHARS]),
        *tokenize(service.abstract[:_SHORT_CHARS]),
    ]
    for layer in service.layers:
        if len(words) > _SAMPLE_WORDS:
            break
        words += tokenize(layer.title[:_SHORT_CHARS])
    return words


# by number of the field in weights.FIELDS
FieldTexts = tuple[tuple[int, FieldText], ...]


def _service_fields(service: Service) -> FieldTexts:
    provider = service.provider
    return (
        (TITLE, service.title[:_SHORT_CHARS]),
        (NAME, service.name[:_SHORT_CHARS]),
        (KIND, service.kind),
        (KEYWORDS, _short(service.keywords)),
        (ABSTRACT, service.abstract[:_LONG_CHARS]),
        (PROVIDER, _short((provider.name, provider.contact, provider.site))),
        (ADDRESS, service.endpoint.partition("://")[2][:_SHORT_CHARS]),
    )


def _layer_fields(layer: Layer) -> FieldTexts:
    """A workspace that a name begins with, as in rivers:lakes, says where the layer is, not what it shows."""
    name = layer.name[:_SHORT_CHARS]
    before, _, after = name.partition(":")
    is_qualified = bool(before and after) and ":" not in after
    workspace, own_name = (before, after) if is_qualified else ("", name)
    return (
        (TITLE, layer.title[:_SHORT_CHARS]),
        (NAME, own_name),
        (KEYWORDS, _short(layer.keywords) if layer.keywords else ()),
        (ABSTRACT, layer.abstract[:_LONG_CHARS]),
        (ADDRESS, workspace),
    )


def _short(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([text[:_SHORT_CHARS] for text in texts[:_MAX_KEYWORDS]])


def _boxes(services: Sequence[Service]) -> npt.NDArray[np.int32]:
    """A layer without a box has the box of its service."""
    boxes: list[BBox | None] = []
    for service in services:
        own = service.extent.box if service.extent else None
        boxes.append(own)
        boxes += [
            (layer.extent.box if layer.extent else None) or own
            for layer in service.layers
        ]
    return boxes_to_integers(boxes)
