"""Search over the catalogue: words, a box, or both; layers folded under their service; each hit says why."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.contracts import Catalogue
from geohound.model.health import State
from geohound.model.query import FACETS, Hit, Query, Results
from geohound.model.service import Service
from geohound.wording import Terms, parse_terms

from . import weights
from .asked import Wish, unwanted_of, wishes_of
from .counting import Owned, Truth, all_but, count_facets, count_owned, owned_by, passing
from .hits import Chosen, Matching, build_hits, layers_shown
from .matching import Matches, grant_all, match_all, match_box, match_words, place, without
from .mirror import STATES, View
from .paging import Cursor, as_it_was, is_after, read_cursor, write_cursor
from .postings import Memory, Postings
from .suggesting import suggest

_MANY = 20_000


class Folded(NamedTuple):
    """Services that match, in the order of their slots: score, fit of the box, and where their entries stand."""

    slots: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float32]
    ratios: npt.NDArray[np.float32] | None
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


class Asking(NamedTuple):
    """One search on its way."""

    catalogue: Catalogue
    view: View
    postings: Postings
    query: Query  # without its text, where that is a known address
    terms: Terms
    wishes: list[Wish]
    address: list[int]  # ids of the services at the address that was asked for
    cursor: Cursor | None


class Ranked(NamedTuple):
    """The services that match, what each is worth, and which filter each passes."""

    matches: Matches
    partial: bool
    folded: Folded
    ranks: npt.NDArray[np.float32]
    owned: dict[str, Owned]
    passed: dict[str, Truth]
    passes: Truth  # all of them


def ask(catalogue: Catalogue, query: Query, view: View, memory: Memory) -> Asking:
    cursor = read_cursor(query.after)
    if cursor is not None:
        view = as_it_was(view, cursor)
    # Who pastes an endpoint wants to know whether that service is known, not what resembles its letters.
    address = [int(service.id, 16) for service in _at_either(catalogue, query.text)]
    if address:
        query = replace(query, text="")
    terms = parse_terms(query.text)
    wishes = wishes_of(terms, expand=query.expand)
    return Asking(catalogue, view, Postings(view, memory), query, terms, wishes, address, cursor)


def _at_either(catalogue: Catalogue, text: str) -> Sequence[Service]:
    """The services at an address; where there is none, those at the same one with or without encryption."""
    scheme, colon, rest = text.partition("://")
    other = {"http": "https", "https": "http"}.get(scheme.lower(), "")
    return (catalogue.at(text) or catalogue.at(f"{other}{colon}{rest}")) if colon and other else ()


def rank(asking: Asking, *, with_layers: bool = False) -> Ranked:
    view, query = asking.view, asking.query
    matches, partial = _match(asking, with_layers=with_layers)
    folded = _fold(view, matches)
    owned = owned_by(view, folded.slots, query.filters())
    passed = passing(view, folded.slots, query, owned)
    passes = all_but(passed, "", len(folded.slots))
    return Ranked(matches, partial, folded, _ranks(view, folded), owned, passed, passes)


def search(asking: Asking, started: float) -> Results:
    """One page of the services that match, how many there are in all, and what they are."""
    query, ranked = asking.query, rank(asking)
    view, folded, ranks = asking.view, ranked.folded, ranked.ranks
    kept = unfolded(asking, ranked, ranked.passes)
    facets = count_facets(view, folded.slots[kept], query.facet_values)
    for name in ranked.passed.keys() - {"years"}:
        others = unfolded(asking, ranked, all_but(ranked.passed, name, len(folded.slots)))
        if name in ranked.owned:
            facets[name] = count_owned(view, ranked.owned[name], others, len(folded.slots), query.facet_values)
        else:
            facets |= count_facets(view, folded.slots[others], query.facet_values, (name,))
    page, is_last = _page(asking, ranked, kept)
    hits = _hits(asking, ranked, page)
    suggestion = suggest(asking.postings, asking.terms) if ranked.partial or not len(kept) else ""
    return Results(
        hits=tuple(hits),
        total=len(kept),
        elapsed_ms=(time.perf_counter() - started) * 1000,
        facets={name: facets.get(name, {}) for name in FACETS},
        suggestion=suggestion,
        partial=ranked.partial,
        next="" if is_last else write_cursor(view, ranks[page[-1]], int(view.records["num"][folded.slots[page[-1]]])),
    )


def _match(asking: Asking, *, with_layers: bool) -> tuple[Matches, bool]:
    """The entries that match words and box; whether only some of the words could be had."""
    view, postings, query, terms, wishes = asking[1:6]
    if asking.address:
        at = view.alive & np.isin(view.records["id"], np.array(asking.address, np.uint64))
        return place(view, query, match_all(view, at, with_layers=with_layers)), False
    if query.text.strip() and not terms.wanted and not terms.unwanted:
        return Matches(np.zeros(0, np.int64), np.zeros(0, np.float32), None, None), False
    unwanted = unwanted_of(terms)
    if not terms.wanted:
        box = query.bbox
        if box is None:
            matches = match_all(view, view.alive, with_layers=with_layers)
        else:
            matches = match_box(view, query.relation, box)
        return without(view, postings, matches, unwanted), False
    granted = grant_all(view, postings, wishes)
    matches = place(view, query, without(view, postings, match_words(view, granted), unwanted))
    if len(matches.entries) or sum(wish.is_required for wish in wishes) < 2:
        return matches, False
    some = match_words(view, granted, some=True)._replace(whole=None)
    return place(view, query, without(view, postings, some, unwanted)), True


def _fold(view: View, matches: Matches) -> Folded:
    """The best of its entries stands for a service, if it lives; entries of a service stand together."""
    entries = matches.entries
    if not len(entries):
        nothing = np.zeros(0, np.int64)
        return Folded(nothing, matches.scores, None, nothing, nothing)
    slots = view.slot_of[entries]
    starts = np.flatnonzero(np.concatenate(([True], slots[1:] != slots[:-1])))
    scores = np.maximum.reduceat(matches.scores, starts)
    ratios = scores if matches.ratios is matches.scores else None
    if ratios is None and matches.ratios is not None:
        ratios = np.maximum.reduceat(matches.ratios, starts)
    ends = np.concatenate((starts[1:], [len(entries)]))
    folded = Folded(slots[starts].astype(np.int64), scores, ratios, starts, ends)
    lives = view.alive[folded.slots]
    return folded if lives.all() else Folded(*(each[lives] if each is not None else None for each in folded))  # type: ignore[arg-type]


def _ranks(view: View, folded: Folded) -> npt.NDArray[np.float32]:
    """Scores, nudged by health, quality and popularity."""
    slots = folded.slots
    bonus = np.array([weights.STATE[State(state)] for state in STATES], np.float32)[view.state[slots]]
    bonus += view.records["quality"][slots] * np.float32(weights.QUALITY_BONUS / 100)
    seen = np.minimum(1, np.log1p(view.popularity[slots]) / np.log1p(weights.MUCH_SEEN))
    factor = np.float32(1) + bonus + np.float32(weights.POPULARITY_BONUS) * seen.astype(np.float32)
    return np.asarray(folded.scores * factor, dtype=np.float32)


def unfolded(asking: Asking, ranked: Ranked, kept: Truth) -> npt.NDArray[np.int64]:
    """Places of those that pass, the best of near-duplicates only; of very many, only the best are looked at."""
    places = np.flatnonzero(kept)
    if not asking.query.fold:
        return places
    query, cursor, ranks = asking.query, asking.cursor, ranked.ranks
    keys, slots = asking.view.records["twin"], ranked.folded.slots
    among = np.arange(len(places))
    if len(places) > _MANY:
        before = max(query.offset, 0) if cursor is None else int(np.count_nonzero(ranks >= np.float32(cursor.rank)))
        window = 2 * (before + max(query.limit, 0))
        among = np.argpartition(-ranks[places], min(window, len(places) - 1))[:window]
    twins = keys[slots[places[among]]]
    order = np.argsort(twins, kind="stable")
    same = np.flatnonzero(twins[order][1:] == twins[order][:-1])
    if not len(same):
        return places
    involved = among[np.unique(np.concatenate((order[same], order[same + 1])))]
    best: dict[int, int] = {}
    for at in involved[np.argsort(-ranks[places[involved]], kind="stable")].tolist():
        best.setdefault(int(keys[slots[places[at]]]), at)
    return np.delete(places, np.setdiff1d(involved, list(best.values())))


def _page(asking: Asking, ranked: Ranked, kept: npt.NDArray[np.int64]) -> tuple[list[int], bool]:
    """Places of the hits to show, best first, equal ones in the order in which they were found; and is it the end?"""
    query, cursor, ranks = asking.query, asking.cursor, ranked.ranks
    nums, slots = asking.view.records["num"], ranked.folded.slots
    offset, limit = max(query.offset, 0), max(query.limit, 0)
    if cursor is not None:
        offset = 0
        kept = kept[is_after(cursor, ranks[kept], nums[slots[kept]])]
    wanted, count = offset + limit, len(kept)
    worths = ranks[kept]
    if wanted * 4 < count:
        least = -np.partition(-worths, wanted)[wanted]
        kept, worths = kept[worths >= least], worths[worths >= least]
    order = np.lexsort((nums[slots[kept]], -worths))[offset:wanted]
    return [int(place) for place in kept[order]], not limit or wanted >= count


def _hits(asking: Asking, ranked: Ranked, page: list[int]) -> list[Hit]:
    view, folded = asking.view, ranked.folded
    passing_slots = folded.slots[ranked.passes]
    twins = view.records["twin"][passing_slots]
    chosen = []
    for at in page:
        slot = int(folded.slots[at])
        chosen.append(
            Chosen(
                num=int(view.records["num"][slot]),
                state=State(STATES[view.state[slot]]),
                rank=float(ranked.ranks[at]),
                ratio=float(folded.ratios[at]) if folded.ratios is not None else None,
                layers=layers_of(asking, ranked, at),
                size=int(view.first[slot + 1] - view.first[slot]) - 1,
                shown=layers_shown(len(page)),
                twins=_twins(view, passing_slots, twins, slot) if asking.query.fold else (),
                is_address=bool(asking.address),
            )
        )
    return build_hits(asking.catalogue, asking.query, asking.wishes, chosen)


def layers_of(asking: Asking, ranked: Ranked, at: int) -> Matching:
    """The layers of a service that match, the service being at this place among those that do."""
    view, folded, matches = asking.view, ranked.folded, ranked.matches
    slot, span = int(folded.slots[at]), slice(int(folded.starts[at]), int(folded.ends[at]))
    ordinals = matches.entries[span] - int(view.first[slot]) - 1  # -1 for the service itself
    best = ordinals[np.argsort(-matches.scores[span], kind="stable")]
    is_whole = asking.query.bbox is None and matches.whole is not None and bool(matches.whole[slot])
    return Matching(best[best >= 0], is_whole)


def _twins(view: View, slots: npt.NDArray[np.int64], twins: npt.NDArray[np.uint64], slot: int) -> list[str]:
    """Ids of the near-duplicates of a service among those that match and pass the filters."""
    same = slots[np.flatnonzero(twins == view.records["twin"][slot])]
    others = np.sort(view.records[["num", "id"]][same[same != slot]][:20])
    return [f"{int(id_):016x}" for _, id_ in others]
