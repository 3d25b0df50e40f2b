"""Learns during the crawl which links pay: the order of Geohound itself."""

from __future__ import annotations

import zlib
from collections import OrderedDict, deque
from dataclasses import dataclass, field

from geohound.model.visit import Candidate, Link, Outcome, Page, Via

from ._features import anchor_features, host_features, page_features, split, url_features, way_features
from ._hosts import Hosts, HostTuning
from ._model import Model
from ._plain import Plain, address
from ._prior import PRIOR

MAX_NOTES = 100_000
MAX_KEPT = 50_000
MAX_CLUE = 200
MAX_CLIMB = 10
MAX_STATE = 64 << 20


@dataclass(frozen=True, slots=True)
class Tuning:
    """What experiments turn; nobody else needs to."""

    rate: float = 0.3
    caution: float = 4.0
    success: float = 4.0  # weight of a page that paid against one that did not
    again: float = 0.3  # of that, for each further service of the same page
    credit: float = 0.5  # of that, for the page above, and again for the one above it
    generations: int = 2
    patience: int = 8  # visits that go by before a page counts as one that did not pay: tests take a while
    hosts: HostTuning | None = field(default_factory=HostTuning)
    door: float = 3.0  # for the page elsewhere that led to a host, when the host pays for the first time
    prior: bool = True
    without: frozenset[str] = frozenset()  # features that are left out


@dataclass(slots=True)
class Note:
    """What is remembered of a page: how it was reached, what it says, what it brought."""

    slots: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()  # what its links have in common
    entry: tuple[int, ...] = ()  # the same for links to other hosts
    parent: str = ""
    paid: int = 0
    below: int = 0


class Adaptive(Plain):
    id = "adaptive"
    title = "Adaptive: learns which links pay"

    def __init__(self, tuning: Tuning | None = None) -> None:
        self._t = tuning or Tuning()
        self._model = Model(PRIOR if self._t.prior else {"bias": PRIOR["bias"]}, self._t.rate, self._t.caution)
        self._hosts = Hosts(self._t.hosts or HostTuning())
        self._notes: OrderedDict[str, Note] = OrderedDict()
        self._kept: dict[str, tuple[int, ...]] = {}
        self._pending: deque[Note] = deque()

    def fresh(self) -> Adaptive:
        return Adaptive(self._t)

    def seed(self, url: str, position: int) -> float:
        """Somebody chose it: before all that the crawl finds by itself."""
        self._hosts.record(split(url)[0])
        return 10.0 - min(position, 10_000) / 1000

    def score(self, link: Link, page: Page) -> float:
        note = self._note_of(page)
        url, clue = address(link, page), (link.text or link.context)[:MAX_CLUE]
        host, above = split(url)[0], split(page.url)[0]
        if host != above:
            self._hosts.led_to(host, self._entry(host, clue, above, note))
        return self._model.value(self._slots(url, clue, page.depth + 1, page.url))

    def rescore(self, candidate: Candidate) -> float:
        if candidate.via is Via.SEED:
            return candidate.score
        return self._model.value(self._slots(candidate.url, candidate.clue, candidate.depth, candidate.found_on))

    def host_bonus(self, host: str) -> float:
        return self._hosts.bonus(host) if self._t.hosts else 0.0

    def learn(self, outcome: Outcome) -> None:
        candidate = outcome.candidate
        if candidate.probe:
            if outcome.new_services:
                self._pay(candidate.found_on, outcome.new_services)
            return
        url = candidate.url
        note = self._notes.get(url) or self._remember(url)
        note.parent = candidate.found_on
        if candidate.via is not Via.SEED:
            note.slots = self._slots(url, candidate.clue, candidate.depth, candidate.found_on)
        self._hosts.visited(split(url)[0])
        self._pending.append(note)
        if outcome.new_services:
            self._pay(url, outcome.new_services)
        if len(self._pending) > self._t.patience:
            self._judge(self._pending.popleft())

    def _judge(self, note: Note) -> None:
        if not note.paid and note.slots:
            self._model.learn(note.slots, self._model.value(note.slots), 0.0, 1.0)

    def _pay(self, url: str, count: int) -> None:
        """A page showed new services: it and the pages on the way to it were worth the visit."""
        note = self._notes.get(url)
        if note is None:
            return
        weight = self._t.success * (self._t.again if note.paid else 1.0)
        if not note.paid and self._hosts.paid(split(url)[0]):
            self._thank_the_door(note, split(url)[0])
        note.paid += count
        for _ in range(self._t.generations + 1):
            if note.slots:
                self._model.learn(note.slots, self._model.value(note.slots), 1.0, weight)
            weight *= self._t.credit
            above = self._notes.get(note.parent)
            if above is None:
                break
            above.below += 1
            note = above

    def _thank_the_door(self, note: Note, host: str) -> None:
        """The first service of a host: the page elsewhere that led to the host deserves some of it."""
        if not self._t.door:
            return
        for _ in range(MAX_CLIMB):
            above = self._notes.get(note.parent)
            if above is None:
                return
            if split(note.parent)[0] != host:
                for slots in (note.slots, above.slots):
                    if slots:
                        self._model.learn(slots, self._model.value(slots), 1.0, self._t.door)
                return
            note = above

    def _slots(self, url: str, clue: str, depth: int, found_on: str) -> tuple[int, ...]:
        note = self._notes.get(found_on)
        own = self._kept.get(url)
        slots = self._model.slots
        if own is None:
            own = tuple([slots[n] for n in self._names(url, clue, depth, found_on)])
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            self._kept[url] = own
        if note is None:
            return own
        return (*own, *[slots[n] for n in self._standing(note)], *note.shared)

    def _names(self, url: str, clue: str, depth: int, found_on: str) -> list[str]:
        host, target = split(url)
        same = split(found_on)[0] == host
        return self._wanted(
            [
                "bias",
                *anchor_features(clue),
                *host_features(host),
                *url_features(host, target),
                *way_features(Via.LINK, depth, same),
                f"on={found_on}",
            ]
        )

    def _standing(self, note: Note) -> list[str]:
        """What became of the page above since."""
        names = [f"parent={min(note.paid, 3)}", f"below={min(note.below, 3)}"]
        return self._wanted(names)

    def _wanted(self, names: list[str]) -> list[str]:
        without = self._t.without
        return [n for n in names if n.partition(":")[0].partition("=")[0] not in without] if without else names

    def _entry(self, host: str, clue: str, above: str, note: Note) -> tuple[int, ...]:
        paying = "from=paying" if self._hosts.has_paid(above) else "from=other"
        slots = self._hosts.model.slots
        return (*[slots[n] for n in ("bias", *anchor_features(clue), *host_features(host), paying)], *note.entry)

    def _note_of(self, page: Page) -> Note:
        note = self._notes.get(page.url) or self._remember(page.url)
        if not note.shared:
            names = self._wanted(page_features(page.title, page.text, page.language))
            note.shared = tuple([self._model.slots[n] for n in names])
            note.entry = tuple([self._hosts.model.slots[n] for n in names])
        return note

    def _remember(self, url: str) -> Note:
        note = self._notes[url] = Note()
        if len(self._notes) > MAX_NOTES:
            self._notes.popitem(last=False)
        return note

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        names = self._names(candidate.url, candidate.clue, candidate.depth, candidate.found_on)
        note = self._notes.get(candidate.found_on)
        if note is not None:
            names += self._standing(note)
        model = self._model
        parts = [(n, model.weights[model.slots[n]]) for n in names]
        if note is not None:
            parts.append(("the page it stands on", model.value(note.shared)))
        parts.append(("its host", self.host_bonus(split(candidate.url)[0])))
        return sorted(((n, w) for n, w in parts if w), key=lambda part: -abs(part[1]))

    def state(self) -> bytes:
        model = self._model.state()
        return zlib.compress(len(model).to_bytes(4, "little") + model + self._hosts.state(), 6)

    def restore(self, state: bytes) -> None:
        if not state:
            return
        unpacking = zlib.decompressobj()
        try:
            plain = unpacking.decompress(state, MAX_STATE)
        except zlib.error as error:
            raise ValueError("this is no learned order") from error
        size = int.from_bytes(plain[:4], "little")
        self._model.restore(plain[4 : 4 + size])
        self._hosts.restore(plain[4 + size :])


ORDERS = (Adaptive(),)
