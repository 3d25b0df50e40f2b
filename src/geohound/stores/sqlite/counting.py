"""Filters and facet counts over the services that match."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from geohound.model.query import FACETS, Query

from .facets import FIELD_BITS, find_ids
from .mirror import STATES, View

MAX_VALUES = 20  # of one facet that are told
Slots = npt.NDArray[np.int64]
Truth = npt.NDArray[np.bool_]
_FIELD = (1 << FIELD_BITS) - 1


def passing(connection: sqlite3.Connection, view: View, slots: Slots, query: Query) -> dict[str, Truth]:
    """Per filter: which of these services pass it."""
    passed: dict[str, Truth] = {}
    filters = query.filters()
    if any(name != "state" for name in filters):
        values, owners = _facets_of(view, slots)
    for name, wanted in filters.items():
        if name == "state":
            codes = [STATES.index(value) for value in wanted if value in STATES]
            passed[name] = np.isin(view.state[slots], codes)
        elif name in FACETS:
            passed[name] = np.zeros(len(slots), np.bool_)
            passed[name][owners[np.isin(values, find_ids(connection, name, wanted))]] = True
    if query.years is not None:
        first, last = view.records["first_year"][slots], view.records["last_year"][slots]
        passed["years"] = (first <= query.years[1]) & (last >= query.years[0]) & (first > 0)
    return passed


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


def count_facets(
    connection: sqlite3.Connection, view: View, slots: Slots, names: tuple[str, ...] = FACETS
) -> dict[str, dict[str, int]]:
    """How many of these services have each value, most frequent first, at most MAX_VALUES of a facet."""
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
            top = own[np.argsort(-counts[own], kind="stable")[:MAX_VALUES]].tolist()
            told[name] = _sorted(
                {value: int(counts[id_]) for value, id_ in zip(_names(connection, top), top, strict=True)}
            )
    return told


def _names(connection: sqlite3.Connection, ids: list[int]) -> list[str]:
    rows = dict(connection.execute(f"SELECT id, value FROM facet WHERE id IN ({','.join(map(str, ids))})").fetchall())  # noqa: S608 - numbers
    return [rows[id_] for id_ in ids]


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
