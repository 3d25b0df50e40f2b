"""From services to a piece of the index: words weighed, boxes, facets, and the facts that break ties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from geohound.model.catalogue import Change
from geohound.model.query import FACETS
from geohound.model.service import Service

from .entries import document
from .facets import facets_of, few_spans, quality_of, twin_key, years_of
from .lexicon import Lexicon
from .segments import LANGUAGES, RECORD, Piece

MOST_ENTRIES = 4_096  # weighed at once; a service is never parted
_FIELDS = {name: number for number, name in enumerate(FACETS)}


def analyse(changes: Sequence[Change], lexicon: Lexicon) -> Iterator[Piece]:
    """The services that were added or changed, in order, some thousand entries to a piece."""
    due: list[tuple[Change, Service]] = []
    entries = 0
    for change in changes:
        if change.service is not None:
            due.append((change, change.service))
            entries += 1 + len(change.service.layers)
            if entries >= MOST_ENTRIES:
                yield _piece(due, lexicon)
                due, entries = [], 0
    if due:
        yield _piece(due, lexicon)


def _piece(due: Sequence[tuple[Change, Service]], lexicon: Lexicon) -> Piece:
    made = document([service for _, service in due], lexicon)
    places: dict[tuple[int, str], int] = {}
    facets: list[int] = []
    records = []
    for (change, service), size, language in zip(due, made.sizes, made.languages, strict=True):
        quality, years = quality_of(service), years_of(service)
        values = facets_of(service, language, change.topics, quality, years)
        facets += [places.setdefault((_FIELDS[name], value), len(places)) for name, value in values]
        records.append(
            (
                change.number, size, int(service.id, 16), change.revision, twin_key(change.number, service),
                len(values), quality, LANGUAGES.index(language), few_spans(years),
            )
        )  # fmt: skip
    # Words of hostile documents may hold lone surrogates, which cannot be written.
    terms = "\n".join(made.terms).encode("utf-8", "replace").decode().split("\n") if made.terms else []
    return Piece(
        np.array(records, RECORD), list(places), np.array(facets, "<u4"), made.boxes, terms,
        made.counts.astype(np.int64), made.offsets, made.worths,
    )  # fmt: skip
