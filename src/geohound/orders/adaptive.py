"""Learns during the crawl which links pay: the order of Geohound itself."""

from __future__ import annotations

import math
import zlib
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from geohound.model.visit import Candidate, Link, Outcome, Page, Via

from ._features import (
    anchor_features,
    cut,
    folder_features,
    host_features,
    page_features,
    page_name_features,
    sections,
    split,
    way_features,
)
from ._groups import Groups, GroupTuning
from ._hosts import Hosts, HostTuning
from ._model import Model
from ._plain import Plain, address
from ._prior import PRIOR

MAX_NOTES = 100_000
MAX_KEPT = 50_000
MAX_CLUE = 200
MAX_CLIMB = 10
MAX_DEPTH = 8
MAX_STATE = 64 << 20
Own = tuple[tuple[int, ...], tuple[str, ...], str]  # features of a link itself, its groups, its host


@dataclass(frozen=True, slots=True)
class Tuning:
    """What experiments turn; nobody else needs to."""

    rate: float = 0.3
    caution: float = 4.0
    trust: float = 30.0  # the same for what the prior knows: it moves more slowly
    success: float = 4.0  # weight of a page that paid against one that did not
    again: float = 0.3  # of that, for each further service of the same page
    credit: float = 0.5  # of that, for the page above, and again for the one above it
    generations: int = 2
    patience: int = 8  # visits that go by before a page counts as one that did not pay: tests take a while
    hosts: HostTuning | None = field(default_factory=HostTuning)
    groups: GroupTuning | None = field(default_factory=GroupTuning)
    door: float = 3.0  # for the page elsewhere that led to a host, when the host pays for the first time
    prior: bool = True
    without: frozenset[str] = frozenset()  # features that are left out


@dataclass(slots=True)
class Note:
    """What is remembered of a page: how it was reached, what it says, what it brought."""

    slots: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()
    shared: tuple[int, ...] = ()  # what its links have in common
    parent: str = ""
    paid: int = 0
    below: int = 0


class Adaptive(Plain):
    id = "adaptive"
    title = "Adaptive: learns which links pay"

    def __init__(self, tuning: Tuning | None = None) -> None:
        self._t = tuning or Tuning()
        self._model = Model(
            PRIOR if self._t.prior else {"bias": PRIOR["bias"]}, self._t.rate, self._t.caution, self._t.trust
        )
        self._hosts = Hosts(self._t.hosts or HostTuning())
        self._notes: OrderedDict[str, Note] = OrderedDict()
        self._groups = Groups(self._t.groups or GroupTuning())
        self._own: dict[str, Own] = {}  # features and groups of links met last
        self._anchors: dict[str, tuple[int, ...]] = {}
        self._names: dict[str, tuple[int, ...]] = {}  # of hosts
        self._folders: dict[str, tuple[int, ...]] = {}
        self._page: Page | None = None  # whose links are being scored, its note and host
        self._note, self._above, self._page_value = Note(), "", 0.0
        self._name_the_rest()
        self._pending: deque[Note] = deque()

    def _name_the_rest(self) -> None:
        """Slots of the features that have few values."""
        slots = self._model.slots
        self._bias = slots["bias"]
        self._from = (slots["from=other"], slots["from=paying"])
        self._paid_slots = [tuple(slots[n] for n in self._wanted([f"parent={i}"])) for i in range(4)]
        self._below_slots = [tuple(slots[n] for n in self._wanted([f"below={i}"])) for i in range(4)]
        self._ways = [
            [tuple(slots[n] for n in ("bias", *self._wanted(way_features(d, same)))) for d in range(MAX_DEPTH + 1)]
            for same in (False, True)
        ]

    def fresh(self) -> Adaptive:
        return Adaptive(self._t)

    def seed(self, url: str, position: int) -> float:
        """Somebody chose it: before all that the crawl finds by itself."""
        self._hosts.record(split(url)[0])
        return 10.0 - min(position, 10_000) / 1000

    def score(self, link: Link, page: Page) -> float:
        if page is not self._page:
            self._turn_to(page)
        url, clue = address(link, page), (link.text or link.context)[:MAX_CLUE]
        own, keys, host = self._keep(url, clue, page.depth + 1, page.url)
        if host != self._above and self._hosts.is_unknown(host):
            self._hosts.led_to(host, self._entry(host, clue, self._above, self._note))
        return self._model.value(own) + self._page_value + self._groups_value(keys)

    def _turn_to(self, page: Page) -> None:
        """What all links of a page share is worked out once."""
        self._page, self._note, self._above = page, self._note_of(page), split(page.url)[0]
        self._page_value = self._model.value(self._inherited(self._note))

    def rescore(self, candidate: Candidate) -> float:
        if candidate.via is Via.SEED:
            return candidate.score
        return self._value(candidate.url, candidate.clue, candidate.depth, candidate.found_on)

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
            own, note.keys, _ = self._own.get(url) or self._keep(
                url, candidate.clue, candidate.depth, candidate.found_on
            )
            above = self._notes.get(candidate.found_on)
            note.slots = own if above is None else (*own, *self._inherited(above))
            self._groups.visited(note.keys, self._hosts.rate_if_any(split(url)[0]))
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
        if not note.paid:
            self._groups.paid(note.keys)
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

    def _inherited(self, note: Note) -> tuple[int, ...]:
        """Features that links have from the page above: what became of it since, and what it says."""
        return (*self._paid_slots[min(note.paid, 3)], *self._below_slots[min(note.below, 3)], *note.shared)

    def _value(self, url: str, clue: str, depth: int, found_on: str) -> float:
        """The log-odds of a link: the weights of all its features, and how its groups did."""
        own, keys, _ = self._own.get(url) or self._keep(url, clue, depth, found_on)
        total = self._model.value(own) + self._groups_value(keys)
        note = self._notes.get(found_on)
        return total if note is None else total + self._model.value(self._inherited(note))

    def _groups_value(self, keys: tuple[str, ...]) -> float:
        return math.log(self._groups.factor(keys)) if self._t.groups else 0.0

    def _keep(self, url: str, clue: str, depth: int, found_on: str) -> Own:
        """What is known of the link itself; words of anchors, folders and names of hosts come again and again."""
        host, target = split(url)
        if len(self._own) >= MAX_KEPT:
            self._own.clear()
        folder, page = cut(target)
        own = (
            *(self._anchors.get(clue) or self._read(self._anchors, clue, anchor_features)),
            *(self._names.get(host) or self._read(self._names, host, host_features)),
            *(self._folders.get(folder) or self._read(self._folders, folder, folder_features)),
            *[self._model.slots[n] for n in self._wanted(page_name_features(page))],
            *self._ways[found_on.startswith(f"{host}/", found_on.find("://") + 3)][min(depth, MAX_DEPTH)],
        )
        above = self._notes.get(found_on)
        keys = (*sections(host, target), found_on, above.parent if above else "")
        kept = self._own[url] = own, keys, host
        return kept

    def _read(
        self, known: dict[str, tuple[int, ...]], text: str, features: Callable[[str], Sequence[str]]
    ) -> tuple[int, ...]:
        if len(known) >= MAX_KEPT:
            known.clear()
        found = known[text] = tuple([self._model.slots[n] for n in self._wanted(features(text))])
        return found

    def _wanted(self, names: Sequence[str]) -> Sequence[str]:
        without = self._t.without
        return [n for n in names if n.partition(":")[0].partition("=")[0] not in without] if without else names

    def _entry(self, host: str, clue: str, above: str, note: Note) -> tuple[int, ...]:
        """What speaks for a host never visited: the same names, with weights of their own."""
        paying = self._from[self._hosts.has_paid(above)]
        anchor = self._anchors.get(clue) or self._read(self._anchors, clue, anchor_features)
        name = self._names.get(host) or self._read(self._names, host, host_features)
        return (self._bias, paying, *anchor, *name, *note.shared)

    def _note_of(self, page: Page) -> Note:
        note = self._notes.get(page.url) or self._remember(page.url)
        if not note.shared:
            names = page_features(page.title, page.text, page.language)
            note.shared = tuple([self._model.slots[n] for n in self._wanted(names)])
        return note

    def _remember(self, url: str) -> Note:
        note = self._notes[url] = Note()
        if len(self._notes) > MAX_NOTES:
            self._notes.popitem(last=False)
        return note

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        host, target = split(candidate.url)
        same = split(candidate.found_on)[0] == host
        folder, page = cut(target)
        names = ["bias", *anchor_features(candidate.clue), *host_features(host), *folder_features(folder)]
        names += [*page_name_features(page), *way_features(min(candidate.depth, MAX_DEPTH), same)]
        model, note = self._model, self._notes.get(candidate.found_on)
        if note is not None:
            names += [f"parent={min(note.paid, 3)}", f"below={min(note.below, 3)}"]
        parts = [(n, model.weights[model.slots[n]]) for n in self._wanted(names)]
        if note is not None:
            parts.append(("the page it stands on", model.value(note.shared)))
        _, keys, _ = self._keep(candidate.url, candidate.clue, candidate.depth, candidate.found_on)
        parts.append(("its neighbours", self._groups_value(keys)))
        parts.append(("its host", self.host_bonus(host)))
        return sorted(((n, w) for n, w in parts if w), key=lambda part: -abs(part[1]))

    def state(self) -> bytes:
        parts = self._model.state(), self._hosts.state(), self._groups.state()
        return zlib.compress(b"".join(len(part).to_bytes(4, "little") + part for part in parts), 6)

    def restore(self, state: bytes) -> None:
        if not state:
            return
        unpacking = zlib.decompressobj()
        try:
            plain = unpacking.decompress(state, MAX_STATE)
        except zlib.error as error:
            raise ValueError("this is no learned order") from error
        for learner in (self._model, self._hosts, self._groups):
            end = 4 + int.from_bytes(plain[:4], "little")
            learner.restore(plain[4:end])
            plain = plain[end:]


ORDERS = (Adaptive(),)
