"""Which entries match a query, and their scores: clauses first, then the box; layers inherit from their service."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.model.bbox import BBox, Relation
from geohound.model.search.query import Query

from . import weights
from .boxes import match_relation, overlap_ratios, relation_mask
from .in_memory_index import Snapshot
from .postings import NONE, PostingList, Postings, intersection, union
from .query_parser import Alternative, Clause
from .segments import LANGUAGES

_SHORT_CHARS = 4


class Matches(NamedTuple):
    """Entries that match, in order, with their scores and the overlap ratios with the query's box."""

    entries: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float32]
    ratios: npt.NDArray[np.float32] | None
    # per slot: the service itself matches, hence all its layers
    all_layers: npt.NDArray[np.bool_] | None


class _Scratch(threading.local):
    """Arrays with a number per entry, reused by the searches of a thread; who uses them resets them to zeros."""

    def __init__(self) -> None:
        self.scores = np.zeros(0, np.float32)
        self.clause_bits = np.zeros(0, np.uint32)

    def arrays(
        self, size: int
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
        if len(self.scores) < size:
            self.scores = np.zeros(size + size // 4, np.float32)
            self.clause_bits = np.zeros(size + size // 4, np.uint32)
        return self.scores[:size], self.clause_bits[:size]


_scratch = _Scratch()


ClauseMatches = Sequence[tuple[Clause, PostingList]]


def match_clauses(
    snapshot: Snapshot, postings: Postings, clauses: Sequence[Clause]
) -> ClauseMatches:
    return [(clause, match_clause(snapshot, postings, clause)) for clause in clauses]


def match_words(
    snapshot: Snapshot, clause_matches: ClauseMatches, *, any_clause: bool = False
) -> Matches:
    """Entries that match all required clauses, by themselves or with their service; with `any_clause`, any of them."""
    size = len(snapshot.slot_of)
    idf = [
        math.log(1 + size / (len(found.entries) + 0.5)) for _, found in clause_matches
    ]
    clause_weights = [
        clause.weight * rarity
        for (clause, _), rarity in zip(clause_matches, idf, strict=True)
    ]
    required = [
        w
        for (clause, _), w in zip(clause_matches, clause_weights, strict=True)
        if clause.is_required
    ]
    total = max(sum(required), 1e-9)
    if not any_clause:
        clause_matches = _prune(snapshot, clause_matches)
    scores, clause_bits = _scratch.arrays(size)
    if len(clause_matches) == 1:
        return _match_single(snapshot, clause_matches[0][1], scores)
    try:
        for number, ((clause, found), weight) in enumerate(
            zip(clause_matches, clause_weights, strict=True)
        ):
            scores[found.entries] += found.impacts * np.float32(weight / total)
            if clause.is_required:
                clause_bits[found.entries] |= np.uint32(1 << number)
        return _combine(snapshot, clause_matches, (scores, clause_bits), any_clause)
    finally:
        for _, found in clause_matches:
            scores[found.entries] = 0
            clause_bits[found.entries] = 0


def _match_single(
    snapshot: Snapshot, found: PostingList, scores: npt.NDArray[np.float32]
) -> Matches:
    """The same for one clause, with less work."""
    entries, impacts = found
    if not snapshot.live.all():
        kept = snapshot.live[snapshot.slot_of[entries]]
        entries, impacts = entries[kept], impacts[kept]
    scores[entries] = impacts
    service = snapshot.service_of[entries]
    is_service = service == entries
    result = impacts + np.where(
        is_service, np.float32(0), np.float32(weights.SERVICE_SHARE) * scores[service]
    )
    scores[entries] = 0
    all_layers = np.zeros(len(snapshot.records), np.bool_)
    all_layers[snapshot.slot_of[entries[is_service]]] = True
    return Matches(entries, result, None, all_layers)


def _prune(snapshot: Snapshot, clause_matches: ClauseMatches) -> ClauseMatches:
    """Keep the postings of services that match every required clause in some entry; the rarest clause first."""

    def required_then_rare(at: int) -> tuple[bool, int]:
        clause, found = clause_matches[at]
        return not clause.is_required, len(found.entries)

    order = sorted(range(len(clause_matches)), key=required_then_rare)
    pruned = list(clause_matches)
    in_services: npt.NDArray[np.bool_] | None = None
    for at in order:
        clause, found = clause_matches[at]
        if in_services is not None and len(found.entries):
            kept = in_services[snapshot.slot_of[found.entries]]
            found = PostingList(found.entries[kept], found.impacts[kept])
        if (
            clause.is_required
            and sum(clause.is_required for clause, _ in clause_matches) > 1
        ):
            in_services = np.zeros(len(snapshot.records), np.bool_)
            in_services[snapshot.slot_of[found.entries]] = True
        pruned[at] = (clause, found)
    return pruned


def _combine(
    snapshot: Snapshot,
    clause_matches: ClauseMatches,
    arrays: tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]],
    any_clause: bool,
) -> Matches:
    scores, clause_bits = arrays
    required = {
        number: found.entries
        for number, (clause, found) in enumerate(clause_matches)
        if clause.is_required
    }
    all_bits = np.uint32(sum(1 << number for number in required))
    entries = _any_of(list(required.values()), clause_bits)
    service = snapshot.service_of[entries]
    combined = clause_bits[entries] | clause_bits[service]
    if len(required) > 1 and not any_clause:
        kept = combined == all_bits
        entries, service, combined = entries[kept], service[kept], combined[kept]
    slots = snapshot.slot_of[entries]
    if not snapshot.live.all():
        kept = snapshot.live[slots]
        entries = entries[kept]
        service = service[kept]
        combined = combined[kept]
        slots = slots[kept]
    is_service = service == entries
    result = scores[entries] + np.where(
        is_service, np.float32(0), np.float32(weights.SERVICE_SHARE) * scores[service]
    )
    if any_clause:
        result *= np.bitwise_count(combined).astype(np.float32) / np.float32(
            max(len(required), 1)
        )
    all_layers = np.zeros(len(snapshot.records), np.bool_)
    all_layers[slots[is_service & (clause_bits[entries] == all_bits)]] = True
    return Matches(entries, result, None, all_layers)


def _any_of(
    required: list[npt.NDArray[np.int64]], clause_bits: npt.NDArray[np.uint32]
) -> npt.NDArray[np.int64]:
    """Entries of any of these lists, in order."""
    if len(required) == 1:
        return required[0]
    if sum(map(len, required)) * 6 > len(clause_bits):
        return np.flatnonzero(clause_bits)
    entries = np.sort(np.concatenate(required))
    is_new = np.ones(len(entries), np.bool_)
    np.not_equal(entries[1:], entries[:-1], out=is_new[1:])
    return entries[is_new]


def match_clause(snapshot: Snapshot, postings: Postings, clause: Clause) -> PostingList:
    """The entries that match one clause, each with the impact of its best alternative."""
    found: list[PostingList] = []
    for alternative in clause.alternatives:
        if len(alternative.term_groups) == 1 and not clause.prefix:
            found += _match_word(snapshot, postings, alternative)
            continue
        groups = [postings.any_of(group) for group in alternative.term_groups]
        if clause.prefix:
            groups.append(postings.with_prefix(clause.prefix))
        if all(len(group.entries) for group in groups):
            found.append(
                _weigh(snapshot, alternative, intersection(groups), is_word=True)
            )
    return union([f for f in found if len(f.entries)], len(snapshot.slot_of))


def _match_word(
    snapshot: Snapshot, postings: Postings, alternative: Alternative
) -> list[PostingList]:
    """The entries of each term of an alternative that is one word: the word itself, its stem."""
    terms = [(term, postings.find(term)) for term in alternative.term_groups[0]]
    return [
        _weigh(snapshot, alternative, found, is_word=term in alternative.words)
        for term, found in terms
        if len(found.entries)
    ]


def _weigh(
    snapshot: Snapshot, alternative: Alternative, found: PostingList, *, is_word: bool
) -> PostingList:
    impacts = found.impacts * np.float32(alternative.weight)
    if not alternative.language or not len(found.entries):
        return PostingList(found.entries, impacts)
    in_language = snapshot.language_of[found.entries] == LANGUAGES.index(
        alternative.language
    )
    first = alternative.words[0] if len(alternative.words) == 1 else ""
    is_short = first.isalpha() and len(first) <= _SHORT_CHARS
    # Mer is a sea in one language and more in another; the stem of Swedish rivers is that of English floods.
    if is_short or not is_word:
        return PostingList(found.entries[in_language], impacts[in_language])
    elsewhere = impacts * np.float32(weights.TRANSLATION_ELSEWHERE)
    return PostingList(found.entries, np.where(in_language, impacts, elsewhere))


def exclude(
    snapshot: Snapshot, postings: Postings, matches: Matches, excluded: Sequence[Clause]
) -> Matches:
    """Leave out services whose own entry matches an excluded clause, and layers that match one."""
    if not excluded or not len(matches.entries):
        return matches
    matched = [match_clause(snapshot, postings, clause) for clause in excluded]
    excluded_postings = union(
        [each for each in matched if len(each.entries)], len(snapshot.slot_of)
    )
    is_excluded = np.zeros(len(snapshot.slot_of), np.bool_)
    is_excluded[excluded_postings.entries] = True
    services = is_excluded[snapshot.first[:-1]]
    kept = ~is_excluded[matches.entries] & ~services[snapshot.slot_of[matches.entries]]
    ratios = matches.ratios[kept] if matches.ratios is not None else None
    remaining = Matches(
        matches.entries[kept], matches.scores[kept], ratios, matches.all_layers
    )
    if remaining.all_layers is None:
        return remaining
    return _without_excluded_layers(
        snapshot, remaining, remaining.all_layers & ~services, excluded_postings
    )


def _without_excluded_layers(
    snapshot: Snapshot,
    remaining: Matches,
    all_layers: npt.NDArray[np.bool_],
    excluded: PostingList,
) -> Matches:
    """Of services that match with all layers, but some of them excluded, list the other layers one by one."""
    in_part = np.zeros(len(all_layers), np.bool_)
    in_part[snapshot.slot_of[excluded.entries]] = True
    in_part &= all_layers
    layers = entries_of(snapshot, np.flatnonzero(in_part))
    layers = layers[
        ~np.isin(layers, excluded.entries) & (snapshot.service_of[layers] != layers)
    ]
    inherited = _service_scores(snapshot, remaining)[
        snapshot.slot_of[layers]
    ] * np.float32(weights.SERVICE_ONLY_SHARE)
    both = _union(
        snapshot,
        PostingList(remaining.entries, remaining.scores),
        PostingList(layers, inherited),
    )
    return Matches(*both, None, all_layers & ~in_part)


def _union(snapshot: Snapshot, one: PostingList, other: PostingList) -> PostingList:
    return union(
        [each for each in (one, other) if len(each.entries)], len(snapshot.slot_of)
    )


def match_all(
    snapshot: Snapshot, which: npt.NDArray[np.bool_], *, with_layers: bool
) -> Matches:
    """All of these services, alone or with every layer."""
    entries = (
        entries_of(snapshot, np.flatnonzero(which))
        if with_layers
        else snapshot.first[:-1][which]
    )
    return Matches(entries, np.ones(len(entries), np.float32), None, None)


def match_box(snapshot: Snapshot, relation: Relation, query_box: BBox) -> Matches:
    """Entries whose box matches, also of services that are not live; the score is the overlap ratio."""
    slots = np.flatnonzero(
        relation_mask(snapshot.envelopes, Relation.OVERLAPS, query_box) & snapshot.live
    )
    # most services are elsewhere with all layers
    if len(slots) * 8 < len(snapshot.live):
        entries = entries_of(snapshot, slots)
        indices, ratios = match_relation(
            snapshot.boxes[:, entries], relation, query_box
        )
        return Matches(entries[indices], ratios, ratios, None)
    entries, ratios = match_relation(snapshot.boxes, relation, query_box)
    return Matches(entries, ratios, ratios, None)


def filter_by_box(snapshot: Snapshot, query: Query, matches: Matches) -> Matches:
    """Of what the words match, the entries whose box matches; the words of a service count for all its layers."""
    if query.bbox is None or not len(matches.entries):
        return matches
    slots = (
        np.flatnonzero(matches.all_layers)
        if matches.all_layers is not None
        else np.zeros(0, np.int64)
    )
    layers = int((snapshot.first[slots + 1] - snapshot.first[slots]).sum())
    if (len(matches.entries) + layers) * 4 > len(snapshot.slot_of):
        mask = relation_mask(snapshot.boxes, query.relation, query.bbox)
        kept = mask[matches.entries]
        further = np.flatnonzero(mask)
        further = (
            further[matches.all_layers[snapshot.slot_of[further]]]
            if matches.all_layers is not None
            else further[:0]
        )
    else:
        kept = relation_mask(
            snapshot.boxes[:, matches.entries], query.relation, query.bbox
        )
        further = entries_of(snapshot, slots)
        further = further[
            relation_mask(snapshot.boxes[:, further], query.relation, query.bbox)
        ]
    inherited = _service_scores(snapshot, matches)[
        snapshot.slot_of[further]
    ] * np.float32(weights.SERVICE_ONLY_SHARE)
    own = PostingList(matches.entries[kept], matches.scores[kept])
    found = _union(snapshot, own, PostingList(further, inherited))
    ratios = overlap_ratios(snapshot.boxes[:, found.entries], query.bbox)
    fit = np.float32(weights.BOX_FLOOR) + np.float32(1 - weights.BOX_FLOOR) * np.sqrt(
        ratios
    )
    return Matches(found.entries, found.impacts * fit, ratios, matches.all_layers)


def _service_scores(snapshot: Snapshot, matches: Matches) -> npt.NDArray[np.float32]:
    """Per slot: the score of the service's own entry."""
    service_scores = np.zeros(len(snapshot.records), np.float32)
    is_service = snapshot.service_of[matches.entries] == matches.entries
    service_scores[snapshot.slot_of[matches.entries[is_service]]] = matches.scores[
        is_service
    ]
    return service_scores


def entries_of(
    snapshot: Snapshot, slots: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """All entries of these services, in order."""
    first = snapshot.first[slots]
    sizes = snapshot.first[slots + 1] - snapshot.first[slots]
    if not len(slots):
        return NONE.entries
    starts = np.repeat(first - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes)
    return starts + np.arange(int(sizes.sum()))
