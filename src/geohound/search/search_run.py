"""Runs a search by words, a box, or both: services ranked, filtered and paged, or all layers that match."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.contracts import CatalogueStore
from geohound.model.health import HealthState
from geohound.model.search.query import (
    FACETS,
    Hit,
    LayerHit,
    LayerResults,
    Query,
    Results,
    Sort,
)
from geohound.model.service import Service
from geohound.text import QueryTerms, parse_query_terms

from . import weights
from .facets import (
    FacetColumn,
    Mask,
    apply_filters,
    count_column,
    count_facets,
    facet_columns,
    mask_except,
)
from .hits import ChosenHit, MatchingLayers, build_hits, layers_per_hit
from .in_memory_index import STATES, Snapshot
from .matching import (
    Matches,
    exclude,
    filter_by_box,
    match_all,
    match_box,
    match_clauses,
    match_words,
)
from .paging import Cursor, as_it_was, is_after, read_cursor, write_cursor
from .postings import Postings, PostingsCache
from .query_parser import Clause, excluded_clauses, parse_clauses, suggest_spelling
from .related import related_words

_MANY_SERVICES = 20_000


class ServiceMatches(NamedTuple):
    """Services that match, in the order of their slots: score, overlap ratio, and the range of their entries."""

    slots: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float32]
    ratios: npt.NDArray[np.float32] | None
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


class SearchRun(NamedTuple):
    """The query and the parts that one search works with."""

    catalogue: CatalogueStore
    snapshot: Snapshot
    postings: Postings
    query: Query  # without its text, where that is the address of a service
    terms: QueryTerms
    clauses: list[Clause]
    address: list[int]  # ids of the services whose address is the query
    cursor: Cursor | None


class RankedServices(NamedTuple):
    """The services that match, their ranks, and the filters that each passes."""

    matches: Matches
    partial: bool
    services: ServiceMatches
    ranks: npt.NDArray[np.float32]
    columns: dict[str, FacetColumn]
    masks: dict[str, Mask]
    passes_all: Mask  # all filters


def start_run(
    catalogue: CatalogueStore, query: Query, snapshot: Snapshot, cache: PostingsCache
) -> SearchRun:
    cursor = read_cursor(query.after)
    if cursor is not None:
        snapshot = as_it_was(snapshot, cursor)
    # The query may be an endpoint: then exactly that service is the result.
    address = [int(service.id, 16) for service in _services_at(catalogue, query.text)]
    if address:
        query = replace(query, text="")
    terms = parse_query_terms(query.text)
    clauses = parse_clauses(terms, expand=query.expand)
    return SearchRun(
        catalogue,
        snapshot,
        Postings(snapshot, cache),
        query,
        terms,
        clauses,
        address,
        cursor,
    )


def _services_at(catalogue: CatalogueStore, text: str) -> Sequence[Service]:
    """The services at an address, with the other of http and https where there is none."""
    scheme, colon, rest = text.partition("://")
    other = {"http": "https", "https": "http"}.get(scheme.lower(), "")
    if not (colon and other):
        return ()
    return catalogue.at(text, with_layers=False) or catalogue.at(
        f"{other}{colon}{rest}", with_layers=False
    )


def rank(run: SearchRun, *, with_layers: bool = False) -> RankedServices:
    snapshot, query = run.snapshot, run.query
    matches, partial = _match(run, with_layers=with_layers)
    services = _group_by_service(snapshot, matches)
    columns = facet_columns(snapshot, services.slots, query.filters())
    masks = apply_filters(snapshot, services.slots, query, columns)
    passes_all = mask_except(masks, "", len(services.slots))
    return RankedServices(
        matches,
        partial,
        services,
        _ranks(snapshot, services, query.sort),
        columns,
        masks,
        passes_all,
    )


def search(run: SearchRun, started: float) -> Results:
    """One page of the services that match, their total, and their facet counts."""
    query, ranked = run.query, rank(run)
    snapshot, services = run.snapshot, ranked.services
    kept = without_duplicates(run, ranked, ranked.passes_all)
    facets = count_facets(snapshot, services.slots[kept], query.facet_values)
    for name in ranked.masks.keys() - {"years"}:
        others = without_duplicates(
            run, ranked, mask_except(ranked.masks, name, len(services.slots))
        )
        if name in ranked.columns:
            facets[name] = count_column(
                snapshot,
                ranked.columns[name],
                others,
                len(services.slots),
                query.facet_values,
            )
        else:
            facets |= count_facets(
                snapshot, services.slots[others], query.facet_values, (name,)
            )
    page, is_last = _page(run, ranked, kept)
    hits = _service_hits(run, ranked, page)
    suggestion = (
        suggest_spelling(run.postings, run.terms)
        if ranked.partial or not len(kept)
        else ""
    )
    is_related = query.related and not ranked.partial
    slots = services.slots[kept]
    related = (
        related_words(snapshot, run.postings, run.terms, slots, hits)
        if is_related
        else ()
    )
    return Results(
        hits=tuple(hits),
        total=len(kept),
        elapsed_ms=(time.perf_counter() - started) * 1000,
        facets={name: facets.get(name, {}) for name in FACETS},
        suggestion=suggestion,
        partial=ranked.partial,
        next="" if is_last else _cursor(run, ranked, page[-1]),
        related=related,
    )


def _match(run: SearchRun, *, with_layers: bool) -> tuple[Matches, bool]:
    """The entries that match words and box; and whether these are partial matches, of some of the words."""
    snapshot, postings, query, terms, clauses = run[1:6]
    if run.address:
        at = snapshot.live & np.isin(
            snapshot.records["id"], np.array(run.address, np.uint64)
        )
        return filter_by_box(
            snapshot, query, match_all(snapshot, at, with_layers=with_layers)
        ), False
    if query.text.strip() and not terms.included and not terms.excluded:
        return Matches(
            np.zeros(0, np.int64), np.zeros(0, np.float32), None, None
        ), False
    excluded = excluded_clauses(terms)
    if not terms.included:
        box = query.bbox
        if box is None:
            matches = match_all(snapshot, snapshot.live, with_layers=with_layers)
        else:
            matches = match_box(snapshot, query.relation, box)
        return exclude(snapshot, postings, matches, excluded), False
    clause_matches = match_clauses(snapshot, postings, clauses)
    matches = exclude(
        snapshot, postings, match_words(snapshot, clause_matches), excluded
    )
    matches = filter_by_box(snapshot, query, matches)
    if len(matches.entries) or sum(clause.is_required for clause in clauses) < 2:
        return matches, False
    partial = match_words(snapshot, clause_matches, any_clause=True)._replace(
        all_layers=None
    )
    return filter_by_box(
        snapshot, query, exclude(snapshot, postings, partial, excluded)
    ), True


def _group_by_service(snapshot: Snapshot, matches: Matches) -> ServiceMatches:
    """Group entries by service, which has the score of its best entry; services that are not live are left out."""
    entries = matches.entries
    if not len(entries):
        nothing = np.zeros(0, np.int64)
        return ServiceMatches(nothing, matches.scores, None, nothing, nothing)
    slots = snapshot.slot_of[entries]
    starts = np.flatnonzero(np.concatenate(([True], slots[1:] != slots[:-1])))
    scores = np.maximum.reduceat(matches.scores, starts)
    ratios = scores if matches.ratios is matches.scores else None
    if ratios is None and matches.ratios is not None:
        ratios = np.maximum.reduceat(matches.ratios, starts)
    ends = np.concatenate((starts[1:], [len(entries)]))
    services = ServiceMatches(
        slots[starts].astype(np.int64), scores, ratios, starts, ends
    )
    is_live = snapshot.live[services.slots]
    if is_live.all():
        return services
    live = (each[is_live] if each is not None else None for each in services)
    return ServiceMatches(*live)  # type: ignore[arg-type]


def _ranks(
    snapshot: Snapshot, services: ServiceMatches, sort: Sort
) -> npt.NDArray[np.float32]:
    """Scores, boosted by health, quality and popularity; or what else is to come first."""
    slots = services.slots
    if sort is Sort.NEWEST:
        return snapshot.records["num"][slots].astype(np.float32)
    if sort is Sort.QUALITY:
        return snapshot.records["quality"][slots].astype(np.float32)
    if sort is Sort.SEEN:
        return snapshot.popularity[slots].astype(np.float32)
    bonus = np.array(
        [weights.STATE[HealthState(state)] for state in STATES], np.float32
    )[snapshot.state[slots]]
    bonus += snapshot.records["quality"][slots] * np.float32(
        weights.QUALITY_BONUS / 100
    )
    seen = np.minimum(
        1,
        np.log1p(snapshot.popularity[slots]) / np.log1p(weights.POPULARITY_SATURATION),
    )
    factor = (
        np.float32(1)
        + bonus
        + np.float32(weights.POPULARITY_BONUS) * seen.astype(np.float32)
    )
    return np.asarray(services.scores * factor, dtype=np.float32)


def without_duplicates(
    run: SearchRun, ranked: RankedServices, kept: Mask
) -> npt.NDArray[np.int64]:
    """Indices of the services that pass, of near-duplicates only the best; of very many, only the best are compared."""
    indices = np.flatnonzero(kept)
    if not run.query.fold:
        return indices
    query, cursor, ranks = run.query, run.cursor, ranked.ranks
    keys, slots = run.snapshot.records["duplicate_key"], ranked.services.slots
    candidates = np.arange(len(indices))
    if len(indices) > _MANY_SERVICES:
        before = (
            max(query.offset, 0)
            if cursor is None
            else int(np.count_nonzero(ranks >= np.float32(cursor.rank)))
        )
        window = 2 * (before + max(query.limit, 0))
        candidates = np.argpartition(-ranks[indices], min(window, len(indices) - 1))[
            :window
        ]
    candidate_keys = keys[slots[indices[candidates]]]
    order = np.argsort(candidate_keys, kind="stable")
    equal = np.flatnonzero(candidate_keys[order][1:] == candidate_keys[order][:-1])
    if not len(equal):
        return indices
    duplicated = candidates[np.unique(np.concatenate((order[equal], order[equal + 1])))]
    best: dict[int, int] = {}
    for at in duplicated[
        np.argsort(-ranks[indices[duplicated]], kind="stable")
    ].tolist():
        best.setdefault(int(keys[slots[indices[at]]]), at)
    return np.delete(indices, np.setdiff1d(duplicated, list(best.values())))


def _page(
    run: SearchRun, ranked: RankedServices, kept: npt.NDArray[np.int64]
) -> tuple[list[int], bool]:
    """Indices of the hits to show, best first, ties in the order of discovery; and whether this is the last page."""
    query, cursor, ranks = run.query, run.cursor, ranked.ranks
    numbers, slots = run.snapshot.records["num"], ranked.services.slots
    offset, limit = max(query.offset, 0), max(query.limit, 0)
    if cursor is not None:
        offset = 0
        kept = kept[is_after(cursor, ranks[kept], numbers[slots[kept]])]
    wanted, count = offset + limit, len(kept)
    kept_ranks = ranks[kept]
    if wanted * 4 < count:
        lowest = -np.partition(-kept_ranks, wanted)[wanted]
        kept, kept_ranks = kept[kept_ranks >= lowest], kept_ranks[kept_ranks >= lowest]
    order = np.lexsort((numbers[slots[kept]], -kept_ranks))[offset:wanted]
    return [int(at) for at in kept[order]], not limit or wanted >= count


def _service_hits(run: SearchRun, ranked: RankedServices, page: list[int]) -> list[Hit]:
    snapshot, services = run.snapshot, ranked.services
    passing_slots = services.slots[ranked.passes_all]
    duplicate_keys = snapshot.records["duplicate_key"][passing_slots]
    page_hits = []
    for at in page:
        slot = int(services.slots[at])
        page_hits.append(
            ChosenHit(
                num=int(snapshot.records["num"][slot]),
                state=HealthState(STATES[snapshot.state[slot]]),
                rank=float(ranked.ranks[at]),
                ratio=float(services.ratios[at])
                if services.ratios is not None
                else None,
                layers=layers_of(run, ranked, at),
                size=int(snapshot.first[slot + 1] - snapshot.first[slot]) - 1,
                shown=layers_per_hit(len(page)),
                duplicates=_duplicates(snapshot, passing_slots, duplicate_keys, slot)
                if run.query.fold
                else (),
                is_address=bool(run.address),
            )
        )
    return build_hits(run.catalogue, run.query, run.clauses, page_hits)


def layers_of(run: SearchRun, ranked: RankedServices, at: int) -> MatchingLayers:
    """The matching layers of the service at an index."""
    snapshot, services, matches = run.snapshot, ranked.services, ranked.matches
    slot = int(services.slots[at])
    span = slice(int(services.starts[at]), int(services.ends[at]))
    # -1 for the service itself
    ordinals = matches.entries[span] - int(snapshot.first[slot]) - 1
    best = ordinals[np.argsort(-matches.scores[span], kind="stable")]
    has_all_layers = (
        run.query.bbox is None
        and matches.all_layers is not None
        and bool(matches.all_layers[slot])
    )
    return MatchingLayers(best[best >= 0], has_all_layers)


def _duplicates(
    snapshot: Snapshot,
    slots: npt.NDArray[np.int64],
    keys: npt.NDArray[np.uint64],
    slot: int,
) -> list[str]:
    """Ids of the near-duplicates of a service among those that match and pass the filters."""
    same = slots[np.flatnonzero(keys == snapshot.records["duplicate_key"][slot])]
    others = np.sort(snapshot.records[["num", "id"]][same[same != slot]][:20])
    return [f"{int(id_):016x}" for _, id_ in others]


def search_layers(run: SearchRun, started: float) -> LayerResults:
    """One page of the layers that match, and their total."""
    query, ranked = run.query, rank(run, with_layers=True)
    indices, counts = _layer_order(run, ranked)
    ends = np.cumsum(counts)
    total = int(counts.sum())
    start = _layers_before(run, ranked, indices, counts)
    end = min(start + max(query.limit, 0), total)
    shown: dict[int, list[int]] = {}  # by slot, the indices of its layers
    next_cursor = ""
    for number in range(int(np.searchsorted(ends, start, side="right")), len(indices)):
        before = int(ends[number] - counts[number])
        if before >= end:
            break
        last = min(end, int(ends[number])) - before
        at = int(indices[number])
        shown[int(ranked.services.slots[at])] = _layer_indices(
            run, ranked, at, (max(start - before, 0), last)
        )
        next_cursor = _cursor(run, ranked, int(indices[number]), last)
    hits = tuple(_layer_hits(run, shown))
    elapsed_ms = (time.perf_counter() - started) * 1000
    return LayerResults(hits, total, elapsed_ms, next_cursor if end < total else "")


def _layer_order(
    run: SearchRun, ranked: RankedServices
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The indices of the services, best first, and how many layers of each match."""
    snapshot, services, matches = run.snapshot, ranked.services, ranked.matches
    indices = without_duplicates(run, ranked, ranked.passes_all)
    slots = services.slots[indices]
    indices = indices[
        np.lexsort((snapshot.records["num"][slots], -ranked.ranks[indices]))
    ]
    slots, starts = services.slots[indices], services.starts[indices]
    counts = (
        services.ends[indices]
        - starts
        - (matches.entries[starts] == snapshot.first[slots])
    )
    if run.query.bbox is None and matches.all_layers is not None:
        counts = np.where(
            matches.all_layers[slots],
            snapshot.first[slots + 1] - snapshot.first[slots] - 1,
            counts,
        )
    return indices, counts.astype(np.int64)


def _layers_before(
    run: SearchRun,
    ranked: RankedServices,
    indices: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
) -> int:
    """How many layers come before this page."""
    cursor = run.cursor
    if cursor is None:
        return max(run.query.offset, 0)
    numbers = run.snapshot.records["num"][ranked.services.slots[indices]]
    is_before = ~is_after(cursor, ranked.ranks[indices], numbers)
    here = numbers == cursor.num
    return int(counts[is_before & ~here].sum()) + (
        min(cursor.layers, int(counts[here].sum())) if here.any() else 0
    )


def _layer_indices(
    run: SearchRun, ranked: RankedServices, at: int, part: tuple[int, int]
) -> list[int]:
    """The indices of the layers that match, from the first to before the last of `part`."""
    slot = int(ranked.services.slots[at])
    size = int(run.snapshot.first[slot + 1] - run.snapshot.first[slot]) - 1
    return layers_of(run, ranked, at).indices(size, *part)


def _layer_hits(run: SearchRun, shown: Mapping[int, list[int]]) -> Iterator[LayerHit]:
    snapshot = run.snapshot
    numbers = {int(snapshot.records["num"][slot]): slot for slot in shown}
    found = run.catalogue.excerpts({num: shown[slot] for num, slot in numbers.items()})
    for num, service in found.items():
        state = HealthState(STATES[snapshot.state[numbers[num]]])
        yield from (
            LayerHit(layer, replace(service, layers=()), state)
            for layer in service.layers
        )


def _cursor(
    run: SearchRun, ranked: RankedServices, at: int, shown_layers: int = 0
) -> str:
    num = int(run.snapshot.records["num"][ranked.services.slots[at]])
    return write_cursor(run.snapshot, ranked.ranks[at], num, shown_layers)
