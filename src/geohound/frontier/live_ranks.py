"""Keeps the ranks of waiting URLs true while an order learns: URLs with a term that has risen are queued anew.

What has fallen is found out when it is about to be leased. What has risen must be looked for, since until then it would
wait behind others: waiting URLs are found by the terms of their addresses, at four bytes a term, and a bounded number
of them is looked at before each lease.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Iterable, Sequence

from geohound.contracts import Order
from geohound.model.visit import UNRANKED, Candidate

from .packed_heap import pack

MAX_TERMS = 16  # of one address
MAX_LOOKED_AT = 500  # URLs before one lease
# several terms share one: a URL that is looked at in vain costs little
_BUCKETS = 1 << 16


class WaitingTerms:
    """The numbers of waiting URLs by the terms of their addresses, and the terms that are still to be looked up."""

    def __init__(self) -> None:
        self._buckets: dict[int, array[int]] = {}
        self._gone = bytearray()  # by number: no longer waiting
        self._risen: dict[int, None] = {}  # buckets, in the order in which they rose
        self._found: list[int] = []

    def note(self, number: int, terms: Sequence[str]) -> None:
        for bucket in {_bucket(term) for term in terms[:MAX_TERMS]}:
            self._buckets.setdefault(bucket, array("I")).append(number)

    def leave(self, number: int) -> None:
        """It does not wait any longer."""
        if number >= len(self._gone):
            self._gone.extend(bytes(number - len(self._gone) + 4096))
        self._gone[number] = 1

    def rise(self, terms: Iterable[str]) -> None:
        self._risen.update(dict.fromkeys(map(_bucket, terms)))

    def take(self, limit: int, written: int) -> list[int]:
        """Some of the waiting URLs with a term that has risen; those that are not yet written wait for their turn."""
        while self._risen and len(self._found) < limit:
            bucket = next(iter(self._risen))
            del self._risen[bucket]
            self._found += self._waiting(bucket)
        some, self._found = self._found[:limit], self._found[limit:]
        self._found += [number for number in some if number > written]
        return list(dict.fromkeys(number for number in some if number <= written))

    def _waiting(self, bucket: int) -> array[int]:
        known, gone = self._buckets.get(bucket, array("I")), self._gone
        waiting = array(
            "I", [number for number in known if number >= len(gone) or not gone[number]]
        )
        self._buckets[bucket] = waiting
        return waiting


class LiveRanks:
    """What waiting URLs are worth today; queues those anew whose terms have risen, where the order knows terms."""

    def __init__(
        self,
        order: Order | None,
        load: Callable[[Sequence[int]], Sequence[Candidate]],
        push: Callable[[Candidate, int], None],
    ) -> None:
        self._order = order
        self._has_terms = order is not None and order.has_terms
        self._load = load
        self._push = push
        self._terms = WaitingTerms()
        self._written = 0  # the greatest number on disk
        # the key under which a URL is queued, where it is not its first one
        self._standing: dict[int, int] = {}

    def worth_today(self, candidate: Candidate) -> float:
        """What the order thinks by now of a URL whose score it gave; of tests, only where it decides on them."""
        is_ranked = candidate.is_page or (
            self._order is not None and self._order.decides_tests
        )
        if self._order is None or not is_ranked or candidate.purpose in UNRANKED:
            return candidate.score
        return self._order.rescore(candidate)

    def note(self, number: int, url: str) -> None:
        """A URL waits from now on."""
        if self._order is not None and self._has_terms:
            self._terms.note(number, self._order.terms(url))

    def written(self, number: int) -> None:
        """All up to this number can be loaded."""
        self._written = max(self._written, number)

    def fell(self, number: int, key: int) -> None:
        """It was put back under another key."""
        if self._has_terms:
            self._standing[number] = key

    def leave(self, number: int) -> None:
        """It does not wait any longer."""
        if self._has_terms:
            self._terms.leave(number)
            self._standing.pop(number, None)

    def refresh(self) -> None:
        """Queue some of the URLs anew that are worth more by now."""
        if self._order is None or not self._has_terms:
            return
        self._terms.rise(self._order.risen())
        numbers = self._terms.take(MAX_LOOKED_AT, self._written)
        found = self._load(numbers) if numbers else ()
        for number, candidate in zip(numbers, found, strict=True):
            if candidate.purpose in UNRANKED:
                continue
            key = pack(self._order.rescore(candidate), number)
            first = pack(candidate.score, number)
            if not candidate.attempts and key > self._standing.get(number, first):
                self._standing[number] = key
                self._push(candidate, key)


def _bucket(term: str) -> int:
    return zlib.crc32(term.encode("utf-8", "replace")) % _BUCKETS
