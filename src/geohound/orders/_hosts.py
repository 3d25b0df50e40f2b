"""What a host has brought and what may be hoped of one never visited: the bandit over hosts."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from dataclasses import dataclass

from ._model import Model

MAX_HOSTS = 200_000
MAX_STORED = 20_000
# What leads to a host, before anything is known of it.
PRIOR = {
    "bias": -2.5,
    "hostname:S1": 1.0, "hostname:S2": 1.2, "hostname:P1": 1.2, "hostname:P2": 1.4, "hostname:T1": 0.6,
    "hostname:T2": 0.8,
    "anchor:S1": 1.0, "anchor:S2": 1.2, "anchor:S3": 1.2, "anchor:P1": 0.8, "anchor:P2": 1.0, "anchor:T1": 0.4,
    "anchor:T2": 0.5, "title:S1": 0.8, "title:S2": 0.8, "title:P1": 0.5, "title:P2": 0.5, "title:T1": 0.3,
    "title:T2": 0.3,
    "text:T0": -0.6, "text:S1": 0.3, "text:S2": 0.4, "text:S3": 0.4, "text:P1": 0.2, "text:P2": 0.3, "text:P3": 0.4,
    "text:T3": 0.2, "text:T4": 0.3, "from=paying": 0.5,
}  # fmt: skip
_NONE, _MEAN = (), -PRIOR["bias"]


@dataclass(slots=True)
class Record:
    """A host so far: visits, pages that paid (old ones fade), and the most hopeful link that led to it."""

    visits: int = 0
    paid: float = 0.0
    entry: tuple[int, ...] = _NONE
    hope: float = -math.inf
    judged: bool = False


@dataclass(frozen=True, slots=True)
class HostTuning:
    strength: float = 0.3  # of the prior, in pages that paid
    power: float = 1.0  # of a host's rate against the global one
    fade: float = 0.98  # of what paid, at each visit of the host
    novelty: float = 2.0  # for a host never visited
    hope_power: float = 1.0
    rate: float = 0.02  # at which hopes are learned: hosts are few, and each is one example
    verdict_after: int = 6  # visits without success that speak against what led there


class Hosts:
    """Rates of hosts under a prior that is itself learned: from links that led to hosts which paid or did not."""

    def __init__(self, tuning: HostTuning) -> None:
        self._t = tuning
        self.model = Model(PRIOR, tuning.rate, 1.0)
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._visits = 0.0
        self._paid = 0.0

    def record(self, host: str) -> Record:
        record = self._records.get(host)
        if record is None:
            record = self._records[host] = Record()
            if len(self._records) > MAX_HOSTS:
                self._records.popitem(last=False)
        return record

    def has_paid(self, host: str) -> bool:
        record = self._records.get(host)
        return record is not None and record.paid > 0.01

    def is_unknown(self, host: str) -> bool:
        """Was it never visited?"""
        record = self._records.get(host)
        return record is None or not record.visits

    def led_to(self, host: str, entry: tuple[int, ...]) -> None:
        """A link from elsewhere leads to a host never visited: keep it if none was more hopeful."""
        record = self.record(host)
        hope = self.model.value(entry)
        if hope > record.hope:
            record.hope, record.entry = hope, entry

    def bonus(self, host: str) -> float:
        """Log of the host's rate over the global one."""
        t, base = self._t, self.base
        record = self._records.get(host)
        if record is None:
            return t.novelty
        hope = 1.0
        if record.entry:
            hope = math.exp(t.hope_power * max(-3.0, min(4.0, self.model.value(record.entry) + _MEAN)))
        rate = (record.paid + t.strength) / (record.visits + t.strength / (hope * base))
        return t.power * math.log(rate / base) + (0.0 if record.visits else t.novelty)

    @property
    def base(self) -> float:
        """How many pages pay of late."""
        return (self._paid + 1.0) / (self._visits + 100.0)

    def visited(self, host: str) -> None:
        record = self.record(host)
        record.visits += 1
        record.paid *= self._t.fade
        self._visits = self._visits * 0.999 + 1.0
        self._paid *= 0.999
        if record.visits == self._t.verdict_after and not record.judged and record.entry:
            record.judged = True
            self.model.learn(record.entry, self.model.value(record.entry), 0.0, 1.0)

    def paid(self, host: str) -> bool:
        """A page of this host showed a service; True if none had before."""
        record = self.record(host)
        is_first = record.paid == 0.0
        if record.entry and is_first:
            record.judged = True
            self.model.learn(record.entry, self.model.value(record.entry), 1.0, 3.0)
        record.paid += 1.0
        self._paid += 1.0
        return is_first

    def state(self) -> bytes:
        """The model, the rates, and the hosts visited last."""
        seen = [(h, r.visits, round(r.paid, 3)) for h, r in self._records.items() if r.visits][-MAX_STORED:]
        return self.model.state() + json.dumps([self._visits, self._paid, seen]).encode()

    def restore(self, state: bytes) -> None:
        end = self.model.restore(state)
        try:
            visits, paid, seen = json.loads(state[end:])
            records = {str(h): Record(int(v), float(p), judged=True) for h, v, p in seen}
            self._visits, self._paid = float(visits), float(paid)
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError("this learned order is damaged") from error
        self._records.update(records)
