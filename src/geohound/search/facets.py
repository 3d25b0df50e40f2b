"""Facets: their values for each service, filters and counts; and the quality and duplicate key of a service."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geohound import urls
from geohound.model.search.query import FACETS, Query
from geohound.model.service import Service
from geohound.text import language_code, tokenize

from .in_memory_index import FACET_BITS, STATES, FacetValues, Snapshot
from .segments import MAX_SPANS
from .weights import QUALITY

_MAX_VALUES = 300
_MAX_CHARS = 200
_CRS = re.compile(
    r"(EPSG|CRS|OGC|ESRI|IGNF|AUTO2?)[:/]++(?:[\d.]++[:/]++)?(\w+)$", re.IGNORECASE
)
_YEAR = re.compile(r"(?<!\d)(1[6-9]\d\d|20\d\d)(?!\d)")
_NO_SPAN = (0, -1)
_MANY_NAMES = 5
_MANY_BOXES = 100
_QUALITY_BANDS = ("0-24", "25-49", "50-74", "75-100")

Span = tuple[int, int]  # years, first and last


def facets_of(
    service: Service,
    language: str,
    topics: Sequence[tuple[str, str]],
    quality: int,
    years: Sequence[Span],
) -> list[tuple[str, str]]:
    """Distinct pairs of facet and value; without the state, which changes."""
    crs = _distinct(service.crs, (layer.crs for layer in service.layers))
    formats = _distinct(service.formats, (layer.formats for layer in service.layers))
    values: dict[str, Iterable[str]] = {
        "kind": [service.kind],
        "topic": [topic for topic, _ in topics],
        "class": [class_ for _, class_ in topics if class_],
        "country": [country_of(service)],
        "provider": [" ".join(service.provider.name.split())],
        "language": [language_code(service.language) or language],
        "crs": map(_crs, crs),
        "format": map(_format, formats),
        "licence": [service.access.licence],
        "quality": [quality_band(quality)],
        "https": ["yes" if service.endpoint.startswith("https:") else "no"],
        "cors": [service.cors],
        "decade": _decades(years),
    }
    pairs = []
    for name, given in values.items():
        written = dict.fromkeys(
            _writable(value)[:_MAX_CHARS] for value in given if value
        )
        pairs += [(name, value) for value in written]
    return pairs


def _decades(years: Sequence[Span]) -> list[str]:
    found = []
    for first, last in years:
        found += [f"{year}s" for year in range(first // 10 * 10, last + 1, 10)]
    return found


def country_of(service: Service) -> str:
    """Of the host: by its address, else by the top-level domain, which is a guess."""
    known = service.location.country if service.location else ""
    return known or urls.country(service.endpoint)


def _writable(text: str) -> str:
    """Without lone surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def quality_band(quality: int) -> str:
    return _QUALITY_BANDS[min(quality // 25, 3)]


def years_of(service: Service) -> list[Span]:
    """The spans of years that its layers declare; adjacent ones merged, in order."""
    texts = {text[:5000]: None for layer in service.layers for text in layer.times[:50]}
    spans = sorted({span for text in texts for span in _spans_in(text)})
    merged: list[Span] = []
    for first, last in spans:
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def limit_spans(spans: Sequence[Span]) -> list[Span]:
    """As many spans as a record has: the closest are merged, and unused ones are empty."""
    merged = list(spans)
    while len(merged) > MAX_SPANS:
        at = min(range(len(merged) - 1), key=lambda n: merged[n + 1][0] - merged[n][1])
        merged[at : at + 2] = [(merged[at][0], merged[at + 1][1])]
    return merged + [_NO_SPAN] * (MAX_SPANS - len(merged))


@lru_cache(maxsize=1_000)
def _spans_in(text: str) -> list[Span]:
    """Instants, and periods such as 1990-01-01/2018-12-31/P1Y."""
    found = []
    for part in text.split(","):
        first, slash, rest = part.partition("/")
        years = [
            int(year) for year in _YEAR.findall(f"{first}/{rest.partition('/')[0]}")
        ]
        found += (
            [(min(years), max(years))]
            if slash and years
            else [(year, year) for year in years]
        )
    return found


def quality_of(service: Service) -> int:
    """0 to 100: how well a service describes itself."""
    layers = service.layers
    described = sum(bool(layer.title and layer.title != layer.name) for layer in layers)
    has_box = bool(service.extent and service.extent.box) or any(
        la.extent and la.extent.box for la in layers
    )
    has = {
        "title": bool(service.title),
        "abstract": len(service.abstract) >= 30,
        "keywords": bool(service.keywords),
        "provider": bool(service.provider.name),
        "contact": bool(service.provider.email or service.provider.contact),
        "licence": bool(service.access.licence or service.access.constraints),
        "box": has_box,
        "layers": bool(layers),
        "https": service.endpoint.startswith("https:"),
        "sound": not service.repairs,
    }
    points = sum(QUALITY[name] for name, is_present in has.items() if is_present)
    return points + (
        QUALITY["layer titles"] * described // len(layers) if layers else 0
    )


def duplicate_key(num: int, service: Service) -> int:
    """Equal for near-duplicates: services with the same content and extent on any host; 64 bits.

    Many services are called "Web Map Service" and have a layer "roads": without a distinguishing feature a service
    has no duplicates.
    """
    names = sorted(
        {
            " ".join(tokenize(layer.name.rpartition(":")[2] or layer.title))
            for layer in service.layers
        }
    )
    distinguishing = _distinguishing(service, names)
    if not distinguishing:
        text = f"#{num}"
    else:
        title = " ".join(tokenize(service.title))
        text = "\n".join(
            (service.kind, title, *names, _extent_key(service), *distinguishing)
        )
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big"
    )


def _distinguishing(service: Service, names: Sequence[str]) -> list[str]:
    """The provider; where none is declared, the texts, or nothing more where the layers are too many for chance."""
    if not names:
        return []
    if service.provider.name.strip():
        return ["by", " ".join(tokenize(service.provider.name))]
    words = [
        " ".join(tokenize(text))
        for text in (service.abstract, *(layer.title for layer in service.layers))
    ]
    own_words = sorted(set(words) - set(names) - {""})
    return ["in", *own_words] if own_words or len(names) >= _MANY_NAMES else []


def _extent_key(service: Service) -> str:
    """The boxes, rounded to a tenth of a degree, because copies often recompute them."""
    extents = (
        (service.extent,)
        if service.extent
        else (layer.extent for layer in service.layers[:_MANY_BOXES])
    )
    boxes = [extent.box.as_tuple() for extent in extents if extent and extent.box]
    return " ".join(sorted({",".join(f"{edge:.1f}" for edge in box) for box in boxes}))


def _distinct(
    service_values: Iterable[str], layer_values: Iterable[tuple[str, ...]]
) -> list[str]:
    found = dict.fromkeys(service_values)
    for values in {id(each): each for each in layer_values}.values():
        if len(found) >= _MAX_VALUES:
            break
        found |= dict.fromkeys(values)
    return list(found)[:_MAX_VALUES]


@lru_cache(maxsize=10_000)
def _crs(name: str) -> str:
    match = _CRS.search(name.strip())
    return f"{match[1].upper()}:{match[2].upper()}" if match else name.strip()


@lru_cache(maxsize=1_000)
def _format(name: str) -> str:
    return name.partition(";")[0].strip().lower()


Slots = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
_FACET_MASK = (1 << FACET_BITS) - 1


class FacetColumn(NamedTuple):
    """The values of one facet, and the owner of each, as an index among the services that match."""

    values: npt.NDArray[Any]
    owners: npt.NDArray[Any]


def facet_columns(
    snapshot: Snapshot, slots: Slots, names: Iterable[str]
) -> dict[str, FacetColumn]:
    """The values of some facets for these services; without the state."""
    wanted = [name for name in names if name in FACETS and name != "state"]
    if not wanted:
        return {}
    values, owners = _column_of(snapshot, slots)
    facets = values & np.uint32(_FACET_MASK)
    columns = {}
    for name in wanted:
        indices = np.flatnonzero(facets == FACETS.index(name))
        columns[name] = FacetColumn(values[indices], owners[indices])
    return columns


def apply_filters(
    snapshot: Snapshot, slots: Slots, query: Query, columns: Mapping[str, FacetColumn]
) -> dict[str, Mask]:
    """Per filter: which of these services pass it."""
    masks: dict[str, Mask] = {}
    for name, wanted in query.filters().items():
        if name == "state":
            codes = [STATES.index(value) for value in wanted if value in STATES]
            masks[name] = np.isin(snapshot.state[slots], codes)
        elif name in FACETS:
            values, owners = columns[name]
            masks[name] = np.zeros(len(slots), np.bool_)
            masks[name][owners[np.isin(values, snapshot.values.find(name, wanted))]] = (
                True
            )
    if query.years is not None:
        spans = snapshot.records["years"][slots]
        first, last = spans[..., 0], spans[..., 1]
        covers = (first <= query.years[1]) & (last >= query.years[0]) & (first > 0)
        masks["years"] = np.logical_or.reduce(covers, axis=1)
    return masks


def count_column(
    snapshot: Snapshot,
    column: FacetColumn,
    indices: npt.NDArray[np.int64],
    size: int,
    limit: int,
) -> dict[str, int]:
    """How many of the services at these indices, out of `size`, have each of the most frequent values of one facet."""
    chosen = np.zeros(size, np.bool_)
    chosen[indices] = True
    counts = np.bincount(column.values[chosen[column.owners]])
    return _top(snapshot.values, counts, np.flatnonzero(counts), limit)


def mask_except(masks: Mapping[str, Mask], name: str, size: int) -> Mask:
    """Which services pass all filters except this one?"""
    kept = np.ones(size, np.bool_)
    for other, mask in masks.items():
        if other != name:
            kept &= mask
    return kept


def _column_of(
    snapshot: Snapshot, slots: Slots
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The facet values of these services, and the owner of each, as an index among them."""
    starts = snapshot.facet_start[slots]
    counts = snapshot.facet_start[slots + 1] - snapshot.facet_start[slots]
    total = int(counts.sum())
    if total == snapshot.facet_start[-1]:
        return snapshot.facets[:total], np.repeat(np.arange(len(slots)), counts)
    indices = np.repeat(
        starts - np.concatenate(([0], np.cumsum(counts)[:-1])), counts
    ) + np.arange(total)
    return snapshot.facets[indices], np.repeat(np.arange(len(slots)), counts)


def count_facets(
    snapshot: Snapshot, slots: Slots, limit: int, names: tuple[str, ...] = FACETS
) -> dict[str, dict[str, int]]:
    """How many of these services have each value, most frequent first, at most `limit` values of a facet."""
    counts_by_facet: dict[str, dict[str, int]] = {}
    if "state" in names:
        states = np.bincount(snapshot.state[slots], minlength=len(STATES))
        counts_by_facet["state"] = _sorted(
            {STATES[code]: int(n) for code, n in enumerate(states) if n}
        )
    if not len(slots) or names == ("state",):
        return counts_by_facet
    counts = np.bincount(_values_of(snapshot, slots))
    present = np.flatnonzero(counts)
    facets = present & _FACET_MASK
    for number, name in enumerate(FACETS):
        facet_values = present[facets == number]
        if name in names and len(facet_values):
            counts_by_facet[name] = _top(snapshot.values, counts, facet_values, limit)
    return counts_by_facet


def _values_of(snapshot: Snapshot, slots: Slots) -> npt.NDArray[Any]:
    """The facet values of these services, one after the other."""
    starts, ends = snapshot.facet_start[slots], snapshot.facet_start[slots + 1]
    chosen_values = int((ends - starts).sum())
    all_values = int(snapshot.facet_start[-1])
    values: npt.NDArray[Any] = snapshot.facets[:all_values]
    if chosen_values == all_values:
        return values
    # then a pass over all costs less than random access
    if chosen_values * 4 > all_values:
        is_chosen = np.zeros(len(snapshot.records), np.bool_)
        is_chosen[slots] = True
        return values[np.repeat(is_chosen, np.diff(snapshot.facet_start))]
    return _column_of(snapshot, slots)[0]


def _top(
    values: FacetValues, counts: npt.NDArray[Any], ids: npt.NDArray[Any], limit: int
) -> dict[str, int]:
    top = ids[np.argsort(-counts[ids], kind="stable")[:limit]].tolist()
    return _sorted(
        {
            value: int(counts[id_])
            for value, id_ in zip(values.names(top), top, strict=True)
        }
    )


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
