"""Which entries match what is asked for, and how well: words, then the box; layers with what their service says."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.model.bbox import BBox, Relation
from geohound.model.query import Query

from . import weights
from .asked import Way, Wish
from .boxes import overlap_ratios, stand, stand_and_fit
from .mirror import View
from .postings import NONE, Found, Postings, intersection, union
from .segments import LANGUAGES

_SHORT_CHARS = 4


class Matches(NamedTuple):
    """Entries that match, in order, with their scores, and how the box of each fits the one asked for."""

    entries: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float32]
    ratios: npt.NDArray[np.float32] | None
    whole: npt.NDArray[np.bool_] | None  # per slot: the service itself says all, hence all its layers match


class _Scratch(threading.local):
    """Room for a number per entry, kept from search to search; whoever uses it leaves it empty."""

    def __init__(self) -> None:
        self.scores = np.zeros(0, np.float32)
        self.held = np.zeros(0, np.uint32)

    def room(self, size: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
        if len(self.scores) < size:
            self.scores, self.held = np.zeros(size + size // 4, np.float32), np.zeros(size + size // 4, np.uint32)
        return self.scores[:size], self.held[:size]


_scratch = _Scratch()


Granted = Sequence[tuple[Wish, Found]]


def grant_all(view: View, postings: Postings, wishes: Sequence[Wish]) -> Granted:
    return [(wish, grant(view, postings, wish)) for wish in wishes]


def match_words(view: View, granted: Granted, *, some: bool = False) -> Matches:
    """Entries that hold all required words, each itself or through its service; or, with `some`, any of them."""
    weights = [wish.weight * math.log(1 + len(view.slot_of) / (len(found.entries) + 0.5)) for wish, found in granted]
    total = max(sum(weight for (wish, _), weight in zip(granted, weights, strict=True) if wish.is_required), 1e-9)
    if not some:
        granted = _prune(view, granted)
    scores, held = _scratch.room(len(view.slot_of))
    if len(granted) == 1:
        return _alone(view, granted[0][1], scores)
    try:
        for number, ((wish, found), weight) in enumerate(zip(granted, weights, strict=True)):
            scores[found.entries] += found.worths * np.float32(weight / total)
            if wish.is_required:
                held[found.entries] |= np.uint32(1 << number)
        return _add_up(view, granted, (scores, held), some)
    finally:
        for _, found in granted:
            scores[found.entries] = 0
            held[found.entries] = 0


def _alone(view: View, found: Found, scores: npt.NDArray[np.float32]) -> Matches:
    """The same where one thing is asked for, with less to remember."""
    entries, worths = found
    if not view.alive.all():
        kept = view.alive[view.slot_of[entries]]
        entries, worths = entries[kept], worths[kept]
    scores[entries] = worths
    service = view.service_of[entries]
    is_service = service == entries
    result = worths + np.where(is_service, np.float32(0), np.float32(weights.OF_SERVICE) * scores[service])
    scores[entries] = 0
    whole = np.zeros(len(view.records), np.bool_)
    whole[view.slot_of[entries[is_service]]] = True
    return Matches(entries, result, None, whole)


def _prune(view: View, granted: Granted) -> Granted:
    """Only what stands in a service that grants every required wish somewhere; the rarest word first."""
    order = sorted(range(len(granted)), key=lambda at: (not granted[at][0].is_required, len(granted[at][1].entries)))
    pruned = list(granted)
    here: npt.NDArray[np.bool_] | None = None
    for at in order:
        wish, found = granted[at]
        if here is not None and len(found.entries):
            kept = here[view.slot_of[found.entries]]
            found = Found(found.entries[kept], found.worths[kept])
        if wish.is_required and sum(wish.is_required for wish, _ in granted) > 1:
            here = np.zeros(len(view.records), np.bool_)
            here[view.slot_of[found.entries]] = True
        pruned[at] = (wish, found)
    return pruned


def _add_up(
    view: View,
    granted: Granted,
    room: tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]],
    some: bool,
) -> Matches:
    scores, held = room
    needed = {number: found.entries for number, (wish, found) in enumerate(granted) if wish.is_required}
    everything = np.uint32(sum(1 << number for number in needed))
    entries = _any_of(list(needed.values()), held)
    service = view.service_of[entries]
    combined = held[entries] | held[service]
    if len(needed) > 1 and not some:
        kept = combined == everything
        entries, service, combined = entries[kept], service[kept], combined[kept]
    slots = view.slot_of[entries]
    if not view.alive.all():
        kept = view.alive[slots]
        entries, service, combined, slots = entries[kept], service[kept], combined[kept], slots[kept]
    is_service = service == entries
    result = scores[entries] + np.where(is_service, np.float32(0), np.float32(weights.OF_SERVICE) * scores[service])
    if some:
        result *= np.bitwise_count(combined).astype(np.float32) / np.float32(max(len(needed), 1))
    whole = np.zeros(len(view.records), np.bool_)
    whole[slots[is_service & (held[entries] == everything)]] = True
    return Matches(entries, result, None, whole)


def _any_of(needed: list[npt.NDArray[np.int64]], held: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """Entries that hold any of the words, in order."""
    if len(needed) == 1:
        return needed[0]
    if sum(map(len, needed)) * 6 > len(held):
        return np.flatnonzero(held)
    entries = np.sort(np.concatenate(needed))
    is_new = np.ones(len(entries), np.bool_)
    np.not_equal(entries[1:], entries[:-1], out=is_new[1:])
    return entries[is_new]


def grant(view: View, postings: Postings, wish: Wish) -> Found:
    """The entries that grant one wish, each with the best way in which it does."""
    found: list[Found] = []
    for way in wish.ways:
        if len(way.factors) == 1 and not wish.beginning:
            found += [
                _weighed(view, way, one, is_word=key in way.words)
                for key in way.factors[0]
                if len((one := postings.find(key)).entries)
            ]
            continue
        factors = [postings.any_of(factor) for factor in way.factors]
        if wish.beginning:
            factors.append(postings.starting(wish.beginning))
        if all(len(factor.entries) for factor in factors):
            found.append(_weighed(view, way, intersection(factors), is_word=True))
    return union([f for f in found if len(f.entries)], len(view.slot_of))


def _weighed(view: View, way: Way, found: Found, *, is_word: bool) -> Found:
    worths = found.worths * np.float32(way.weight)
    if not way.language or not len(found.entries):
        return Found(found.entries, worths)
    spoken = view.language_of[found.entries] == LANGUAGES.index(way.language)
    is_short = len(way.words) == 1 and len(way.words[0]) <= _SHORT_CHARS and way.words[0].isalpha()
    # Mer is a sea in one language and more in another; the stem of Swedish rivers is that of English floods.
    if is_short or not is_word:
        return Found(found.entries[spoken], worths[spoken])
    return Found(found.entries, np.where(spoken, worths, worths * np.float32(weights.TRANSLATION_ELSEWHERE)))


def without(view: View, postings: Postings, matches: Matches, unwanted: Sequence[Wish]) -> Matches:
    """Leave out services that say an unwanted word of themselves, and layers that say it."""
    if not unwanted or not len(matches.entries):
        return matches
    said = union([f for f in (grant(view, postings, wish) for wish in unwanted) if len(f.entries)], len(view.slot_of))
    spoiled = np.zeros(len(view.slot_of), np.bool_)
    spoiled[said.entries] = True
    services = spoiled[view.first[:-1]]
    kept = ~spoiled[matches.entries] & ~services[view.slot_of[matches.entries]]
    ratios = matches.ratios[kept] if matches.ratios is not None else None
    left = Matches(matches.entries[kept], matches.scores[kept], ratios, matches.whole)
    return left if left.whole is None else _in_part(view, left, left.whole & ~services, said)


def _in_part(view: View, left: Matches, whole: npt.NDArray[np.bool_], said: Found) -> Matches:
    """Services of which all layers would match but for some that say an unwanted word: the others are named."""
    part = np.zeros(len(whole), np.bool_)
    part[view.slot_of[said.entries]] = True
    part &= whole
    layers = entries_of(view, np.flatnonzero(part))
    layers = layers[~np.isin(layers, said.entries) & (view.service_of[layers] != layers)]
    own = _own_scores(view, left)[view.slot_of[layers]] * np.float32(weights.OF_SERVICE_ALONE)
    both = [f for f in (Found(left.entries, left.scores), Found(layers, own)) if len(f.entries)]
    return Matches(*union(both, len(view.slot_of)), None, whole & ~part)


def match_all(view: View, which: npt.NDArray[np.bool_], *, with_layers: bool) -> Matches:
    """All of these services, alone or with every layer."""
    entries = entries_of(view, np.flatnonzero(which)) if with_layers else view.first[:-1][which]
    return Matches(entries, np.ones(len(entries), np.float32), None, None)


def match_box(view: View, relation: Relation, asked: BBox) -> Matches:
    """Entries whose box stands as asked for, also of services that are overwritten; the score is the overlap ratio."""
    slots = np.flatnonzero(stand(view.hulls, Relation.OVERLAPS, asked) & view.alive)
    if len(slots) * 8 < len(view.alive):  # most services are elsewhere with all their layers
        entries = entries_of(view, slots)
        places, ratios = stand_and_fit(view.boxes[:, entries], relation, asked)
        return Matches(entries[places], ratios, ratios, None)
    entries, ratios = stand_and_fit(view.boxes, relation, asked)
    return Matches(entries, ratios, ratios, None)


def place(view: View, query: Query, matches: Matches) -> Matches:
    """Of what the words match, what stands as asked for; a service's own words count for all its layers."""
    if query.bbox is None or not len(matches.entries):
        return matches
    slots = np.flatnonzero(matches.whole) if matches.whole is not None else np.zeros(0, np.int64)
    layers = int((view.first[slots + 1] - view.first[slots]).sum())
    if (len(matches.entries) + layers) * 4 > len(view.slot_of):
        stands_so = stand(view.boxes, query.relation, query.bbox)
        kept = stands_so[matches.entries]
        more = np.flatnonzero(stands_so)
        more = more[matches.whole[view.slot_of[more]]] if matches.whole is not None else more[:0]
    else:
        kept = stand(view.boxes[:, matches.entries], query.relation, query.bbox)
        more = entries_of(view, slots)
        more = more[stand(view.boxes[:, more], query.relation, query.bbox)]
    own = _own_scores(view, matches)[view.slot_of[more]] * np.float32(weights.OF_SERVICE_ALONE)
    found = union(
        [f for f in (Found(matches.entries[kept], matches.scores[kept]), Found(more, own)) if len(f.entries)],
        len(view.slot_of),
    )
    ratios = overlap_ratios(view.boxes[:, found.entries], query.bbox)
    fit = np.float32(weights.BOX_FLOOR) + np.float32(1 - weights.BOX_FLOOR) * np.sqrt(ratios)
    return Matches(found.entries, found.worths * fit, ratios, matches.whole)


def _own_scores(view: View, matches: Matches) -> npt.NDArray[np.float32]:
    """Per slot: what the service itself scores."""
    own = np.zeros(len(view.records), np.float32)
    is_service = view.service_of[matches.entries] == matches.entries
    own[view.slot_of[matches.entries[is_service]]] = matches.scores[is_service]
    return own


def entries_of(view: View, slots: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """All entries of these services, in order."""
    first, sizes = view.first[slots], view.first[slots + 1] - view.first[slots]
    if not len(slots):
        return NONE.entries
    starts = np.repeat(first - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes)
    return starts + np.arange(int(sizes.sum()))
