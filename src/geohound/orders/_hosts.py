"""Services still hidden at a host: estimated from the links that lead there, its first page and what visits brought."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from ._model import LogisticModel
from ._prior import HOSTS

MAX_HOSTS = 200_000
MAX_STORED = 20_000
SHAPE = 0.7  # of the gamma distribution that rates of hosts with services follow, with a mean of 1
FLOOR = 0.02  # expected successes of any page
# visits without success, after which what led to a host is a negative example
VERDICT_AFTER = 6


@dataclass(slots=True)
class HostStats:
    """A host: its pages, how many were expected to succeed and did, and the most promising that is known of it."""

    visits: int = 0
    expected: float = 0.0
    paid: int = 0
    entry: tuple[int, ...] = ()
    entry_value: float = -math.inf
    is_judged: bool = False
    odds: float = 0.0  # that it has services, by its entry, cached for `model_updates`
    model_updates: int = -1


class HostEstimates:
    """Most hosts have no services: the rate of each is the mean of a mixture, none or some (a gamma distribution)."""

    def __init__(self, slot: Callable[[str], int]) -> None:
        # hosts are few, and each is one example
        self.model = LogisticModel(HOSTS, 0.02, 1.0, sparse=True)
        self._model_updates = 0
        self._origins = (
            (slot("bias"), slot("from=other")),
            (slot("bias"), slot("from=paying")),
        )
        self._records: OrderedDict[str, HostStats] = OrderedDict()
        self._unknown = HostStats()

    def record(self, host: str) -> HostStats:
        record = self._records.get(host)
        if record is None:
            record = self._records[host] = HostStats()
            if len(self._records) > MAX_HOSTS:
                self._records.popitem(last=False)
        return record

    def is_unknown(self, host: str) -> bool:
        """Was it never visited?"""
        record = self._records.get(host)
        return record is None or not record.visits

    def add_link(self, host: str, above: str, words: tuple[int, ...]) -> None:
        """A link from another host leads to a host never visited: keep it if none was more promising."""
        record, origin = self.record(host), self._records.get(above)
        entry = self._origins[origin is not None and origin.paid > 0] + words
        entry_value = self.model.value(entry)
        if entry_value > record.entry_value:
            record.entry_value = entry_value
            record.entry = entry
            record.model_updates = -1

    def bonus(self, host: str) -> float:
        """Log of the host's rate relative to hosts with services."""
        return math.log(self._rate(self._records.get(host) or self._unknown))

    def _rate(self, record: HostStats) -> float:
        """Each visit without success lowers the odds, the more the more was expected; the first success settles it."""
        if record.paid:
            return (SHAPE + record.paid) / (SHAPE + record.expected)
        left = SHAPE / (SHAPE + record.expected)
        if record.model_updates != self._model_updates:
            value = self.model.value(record.entry) if record.entry else HOSTS["bias"]
            record.odds = math.exp(max(-5.0, min(3.0, value)))
            record.model_updates = self._model_updates
        odds = record.odds * math.pow(left, SHAPE)
        return odds / (1.0 + odds) * left

    def visited(self, host: str, chance: float, page: tuple[int, ...]) -> None:
        """A page was visited that has this chance of success, given that its host has services."""
        record = self.record(host)
        if page and not record.visits:
            record.entry = (record.entry or self._origins[0]) + page
            record.model_updates = -1
        record.visits += 1
        record.expected += FLOOR + chance
        if record.visits == VERDICT_AFTER and not record.is_judged:
            self._learn(record, 0.0, 1.0)

    def paid(self, host: str) -> None:
        """A page of this host showed a service."""
        record = self.record(host)
        record.paid += 1
        if record.paid == 1:
            self._learn(record, 1.0, 3.0)

    def _learn(self, record: HostStats, target: float, weight: float) -> None:
        record.is_judged = True
        if record.entry:
            self.model.learn(record.entry, target, weight)
            self._model_updates += 1

    def explain(self, host: str) -> str:
        """What is known of a host, in plain words."""
        record = self._records.get(host)
        if record is None or not record.visits:
            return "judged by the links to it"
        if not record.paid:
            return f"no service on {_pages(record.visits)} so far"
        return f"services on {record.paid} of {_pages(record.visits)}"

    def state(self) -> bytes:
        """The model, and the hosts visited last."""
        seen = [
            (h, r.visits, round(r.expected, 3), r.paid)
            for h, r in self._records.items()
            if r.visits
        ]
        return self.model.state() + json.dumps(seen[-MAX_STORED:]).encode()

    def restore(self, state: bytes) -> None:
        end = self.model.restore(state)
        self._model_updates += 1
        try:
            for host, visits, expected, paid in json.loads(state[end:]):
                numbers = (
                    max(0, int(visits)),
                    min(1e6, max(0.0, float(expected))),
                    max(0, int(paid)),
                )
                self._records[str(host)] = HostStats(*numbers, is_judged=True)
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError("this learned order is damaged") from error


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count:,} pages"
