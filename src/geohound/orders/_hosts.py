"""What a host has brought and what may be hoped of one never visited: the bandit over hosts."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from ._model import Model
from ._prior import MAP_SOFTWARE

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
    **{f"software={name}": 1.5 for name in MAP_SOFTWARE},
}  # fmt: skip
_NONE, _MEAN = (), -PRIOR["bias"]


@dataclass(slots=True)
class Record:
    """A host so far: pages that paid and those expected to (both fade), and the most hopeful link that led to it."""

    visits: int = 0
    expected: float = 0.0
    paid: float = 0.0
    vain: float = 0.0  # all that was ever expected; counts as long as nothing paid
    is_proven: bool = False
    entry: tuple[int, ...] = _NONE
    hope: float = -math.inf
    judged: bool = False
    odds: float = 0.0  # that it has services, by what led there, as reckoned after so many lessons
    lessons: int = -1


@dataclass(frozen=True, slots=True)
class HostTuning:
    shape: float = 0.7  # of the gamma distribution that rates of hosts with services follow, with a mean of 1
    floor: float = 0.02  # what is expected of any page, in pages that pay
    scale: float = 1.0  # and of what the model of links promises
    belief: float = 3.0  # pages after which the promises of the model of links are weighed by how they were kept
    fade: float = 0.98  # of what paid, at each visit of the host
    forget: float = 0.99  # of what was expected
    novelty: float = 2.0  # for a host never visited, at first
    explore: float = 0.3  # share of the visits that go to hosts never visited
    turn: float = 0.05  # by which novelty rises and falls, so that the share is kept
    rate: float = 0.02  # at which hopes are learned: hosts are few, and each is one example
    verdict_after: int = 6  # visits without success that speak against what led there


class Hosts:
    """Rates of hosts under a prior that is itself learned: from links that led to hosts which paid or did not."""

    def __init__(self, tuning: HostTuning, slot: Callable[[str], int]) -> None:
        self._t = tuning
        self.model = Model(PRIOR, tuning.rate, 1.0, sparse=True)
        self.novelty = tuning.novelty
        self._promised = self._kept = 0.0  # pages that were to pay by the model of links, and those that did
        self._lessons = 0  # learned from hosts
        self._always = slot("bias"), slot("from=other")
        self._from_payer = slot("bias"), slot("from=paying")
        self._records: OrderedDict[str, Record] = OrderedDict()

    def record(self, host: str) -> Record:
        record = self._records.get(host)
        if record is None:
            record = self._records[host] = Record()
            if len(self._records) > MAX_HOSTS:
                self._records.popitem(last=False)
        return record

    def is_unknown(self, host: str) -> bool:
        """Was it never visited?"""
        record = self._records.get(host)
        return record is None or not record.visits

    def led_to(self, host: str, above: str, words: tuple[int, ...]) -> None:
        """A link from elsewhere leads to a host never visited: keep it if none was more hopeful."""
        record, origin = self.record(host), self._records.get(above)
        entry = (self._from_payer if origin is not None and origin.is_proven else self._always) + words
        hope = self.model.value(entry)
        if hope > record.hope:
            record.hope, record.entry, record.lessons = hope, entry, -1

    def says(self, host: str, words: tuple[int, ...]) -> None:
        """What a host says itself, on the first page of it that was read, tells as much as what led there."""
        record = self.record(host)
        if not record.visits and words:
            record.entry, record.lessons = (record.entry or self._always) + words, -1

    def bonus(self, host: str) -> float:
        """Log of how the host pays against hosts with services."""
        record = self._records.get(host)
        return 0.0 if record is None else math.log(self._rate(record))

    def _rate(self, record: Record) -> float:
        """Most hosts have no services at all, and each visit in vain tells so, the more the more was hoped of it."""
        shape = self._t.shape
        if record.is_proven:
            return (shape + record.paid) / (shape + record.expected)
        left = shape / (shape + record.vain)
        if record.lessons != self._lessons:
            value = self.model.value(record.entry) if record.entry else -_MEAN
            record.odds, record.lessons = math.exp(max(-5.0, min(3.0, value))), self._lessons
        odds = record.odds * math.pow(left, shape)
        return odds / (1.0 + odds) * left

    def visited(self, host: str, chance: float) -> None:
        """A page was visited that would pay with this chance, were its host one that pays."""
        record, t = self.record(host), self._t
        self.novelty = min(6.0, max(-3.0, self.novelty + t.turn * (t.explore - (not record.visits))))
        self._promised += chance
        kept = min(1.0, (t.belief + self._kept) / (t.belief + self._promised))
        hoped = t.floor + t.scale * chance * kept
        record.visits += 1
        record.vain += hoped
        record.paid *= t.fade
        record.expected = record.expected * t.forget + hoped
        if record.visits == t.verdict_after and not record.judged and record.entry:
            self._learn(record, 0.0, 1.0)

    def paid(self, host: str) -> bool:
        """A page of this host showed a service; True if none had before."""
        record = self.record(host)
        self._kept += 1.0
        is_first = not record.is_proven
        record.is_proven = True
        record.paid += 1.0
        if is_first and record.entry:
            self._learn(record, 1.0, 3.0)
        return is_first

    def _learn(self, record: Record, target: float, weight: float) -> None:
        record.judged = True
        self.model.learn(record.entry, target, weight)
        self._lessons += 1

    def state(self) -> bytes:
        """The model, and the hosts visited last."""
        seen = [
            (h, r.visits, round(r.expected, 3), round(r.paid, 3), round(r.vain, 3), r.is_proven)
            for h, r in self._records.items()
            if r.visits
        ]
        return self.model.state() + json.dumps([self.novelty, self._promised, self._kept, seen[-MAX_STORED:]]).encode()

    def restore(self, state: bytes) -> None:
        end = self.model.restore(state)
        self._lessons += 1
        try:
            novelty, promised, kept, hosts = json.loads(state[end:])
            self.novelty = min(6.0, max(-3.0, float(novelty)))
            self._promised, self._kept = _amount(promised), _amount(kept)
            records = {
                str(h): Record(
                    max(0, int(v)), _amount(expected), _amount(paid), _amount(vain), bool(proven), judged=True
                )
                for h, v, expected, paid, vain, proven in hosts
            }
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError("this learned order is damaged") from error
        self._records.update(records)


def _amount(value: object) -> float:
    """A number from a file: none below zero, none beyond all reason."""
    return min(1e6, max(0.0, float(str(value))))
