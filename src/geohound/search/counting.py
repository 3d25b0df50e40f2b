"""Filters and facet counts over the services that match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.model.query import FACETS, Query

from .facets import FIELD_BITS, FacetValues
from .mirror import STATES, View

Slots = npt.NDArray[np.int64]
Truth = npt.NDArray[np.bool_]
_FIELD = (1 << FIELD_BITS) - 1


class Owned(NamedTuple):
    """The values of one facet, and whose each is, as a place among the services that match."""

    values: npt.NDArray[Any]
    owners: npt.NDArray[Any]


def owned_by(view: View, slots: Slots, names: Iterable[str]) -> dict[str, Owned]:
    """The values that these services have of some facets; the state is not among them."""
    wanted = [name for name in names if name in FACETS and name != "state"]
    if not wanted:
        return {}
    values, owners = _facets_of(view, slots)
    fields = values & np.uint32(_FIELD)
    told = {}
    for name in wanted:
        own = np.flatnonzero(fields == FACETS.index(name))
        told[name] = Owned(values[own], owners[own])
    return told


def passing(view: View, slots: Slots, query: Query, owned: Mapping[str, Owned]) -> dict[str, Truth]:
    """Per filter: which of these services pass it."""
    passed: dict[str, Truth] = {}
    for name, wanted in query.filters().items():
        if name == "state":
            codes = [STATES.index(value) for value in wanted if value in STATES]
            passed[name] = np.isin(view.state[slots], codes)
        elif name in FACETS:
            values, owners = owned[name]
            passed[name] = np.zeros(len(slots), np.bool_)
            passed[name][owners[np.isin(values, view.values.find(name, wanted))]] = True
    if query.years is not None:
        spans = view.records["years"][slots]
        first, last = spans[..., 0], spans[..., 1]
        covers = (first <= query.years[1]) & (last >= query.years[0]) & (first > 0)
        passed["years"] = np.logical_or.reduce(covers, axis=1)
    return passed


def count_owned(view: View, owned: Owned, places: npt.NDArray[np.int64], size: int, most: int) -> dict[str, int]:
    """How many of the services at these places, out of so many, have each of the most frequent values of one facet."""
    chosen = np.zeros(size, np.bool_)
    chosen[places] = True
    counts = np.bincount(owned.values[chosen[owned.owners]])
    return _top(view.values, counts, np.flatnonzero(counts), most)


def all_but(passed: Mapping[str, Truth], name: str, size: int) -> Truth:
    """Which pass all filters but this one?"""
    kept = np.ones(size, np.bool_)
    for other, truth in passed.items():
        if other != name:
            kept &= truth
    return kept


def _facets_of(view: View, slots: Slots) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The facet values of these services, and whose each is, as a place among them."""
    starts, counts = view.facet_start[slots], view.facet_start[slots + 1] - view.facet_start[slots]
    total = int(counts.sum())
    if total == view.facet_start[-1]:
        return view.facets[:total], np.repeat(np.arange(len(slots)), counts)
    places = np.repeat(starts - np.concatenate(([0], np.cumsum(counts)[:-1])), counts) + np.arange(total)
    return view.facets[places], np.repeat(np.arange(len(slots)), counts)


def count_facets(view: View, slots: Slots, most: int, names: tuple[str, ...] = FACETS) -> dict[str, dict[str, int]]:
    """How many of these services have each value, most frequent first, at most so many of a facet."""
    told: dict[str, dict[str, int]] = {}
    if "state" in names:
        states = np.bincount(view.state[slots], minlength=len(STATES))
        told["state"] = _sorted({STATES[code]: int(n) for code, n in enumerate(states) if n})
    if not len(slots) or names == ("state",):
        return told
    starts, ends = view.facet_start[slots], view.facet_start[slots + 1]
    total = int((ends - starts).sum())
    everything = int(view.facet_start[-1])
    if total == everything:
        values: npt.NDArray[Any] = view.facets[:everything]
    elif total * 4 > everything:  # then a look at each costs less than going to the places
        chosen = np.zeros(len(view.records), np.bool_)
        chosen[slots] = True
        values = view.facets[:everything][np.repeat(chosen, np.diff(view.facet_start))]
    else:
        values = _facets_of(view, slots)[0]
    counts = np.bincount(values)
    present = np.flatnonzero(counts)
    fields = present & _FIELD
    for field, name in enumerate(FACETS):
        own = present[fields == field]
        if name in names and len(own):
            told[name] = _top(view.values, counts, own, most)
    return told


def _top(values: FacetValues, counts: npt.NDArray[Any], ids: npt.NDArray[Any], most: int) -> dict[str, int]:
    top = ids[np.argsort(-counts[ids], kind="stable")[:most]].tolist()
    return _sorted({value: int(counts[id_]) for value, id_ in zip(values.names(top), top, strict=True)})


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
