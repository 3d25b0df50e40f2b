"""Learns during the crawl which links pay: the order of Geohound itself."""

from __future__ import annotations

import math
import zlib
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

from geohound.model.compact import Recent
from geohound.model.visit import Candidate, Link, Outcome, Page, Via

from ._features import MAX_HOPS, Features, KeyT, cut, split
from ._hosts import Hosts, HostTuning
from ._model import MAX_STEP, Model
from ._places import Places
from ._plain import Plain, address
from ._prior import PRIOR
from ._role import role

MAX_NOTES = 100_000
MAX_KEPT = 50_000
MAX_OWN = 60_000
MAX_CLUE = 200
_REVIEW_EVERY = 200  # visits, or more where much waits: looking at all that waits must stay cheap
_REVIEW_SHARE = 25
_NOTICEABLE = 0.5  # by which a score must have grown
MAX_CLIMB = 10
MAX_STATE = 64 << 20
_SAME_DIGITS = str.maketrans("123456789", "000000000")
_VERSION = b"GHO3"  # of the learned state
Slots = tuple[int, ...]
ReadT = TypeVar("ReadT")


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
    door: float = 3.0  # for the page elsewhere that led to a host, when the host pays for the first time
    places: bool = True  # what each place in the pages of a host has brought
    first: bool = True  # what a host says on its first page
    longest: float = MAX_STEP
    prior: bool = True
    without: frozenset[str] = frozenset()  # features that are left out


class Seen(NamedTuple):
    """What is kept of a link until it is followed: its features, its part in the page, its place in the host."""

    slots: Slots
    role: str = ""
    place: str = ""
    above: str = ""  # the page it stands on
    told: float = math.inf  # the score it was given


@dataclass(slots=True)
class Note:
    """What is remembered of a page: how it was reached, what it says, what it brought."""

    slots: Slots = ()
    shared: Slots = ()  # what its links have in common
    parent: str = ""
    role: str = ""  # of the link that led to it
    place: str = ""
    hops: int = MAX_HOPS  # to the last page above that paid
    paid: int = 0
    below: int = 0
    tried: int = 0  # pages below it that were visited


class Adaptive(Plain):
    id = "adaptive"
    title = "Adaptive: learns which links pay"

    def __init__(self, tuning: Tuning | None = None) -> None:
        self._t = tuning or Tuning()
        self._places = Places()
        self._notes: OrderedDict[str, Note] = OrderedDict()
        self._own: Recent[str, Seen] = Recent(MAX_OWN)  # links met last
        self._anchors: dict[str, Slots] = {}
        self._names: dict[str, Slots] = {}  # of hosts
        self._folders: dict[str, Slots] = {}
        self._files: dict[str, Slots] = {}
        self._roles: dict[str, str] = {}  # by way
        self._page: Page | None = None  # whose links are being scored, its note and host
        self._note, self._above, self._page_value = Note(), "", 0.0
        self._pending: deque[Note] = deque()
        self._since_review = 0

    def fresh(self) -> Adaptive:
        return Adaptive(self._t)

    @cached_property
    def _model(self) -> Model:
        """Built when it is first asked: the order in the drawer never is."""
        prior = PRIOR if self._t.prior else {"bias": PRIOR["bias"]}
        return Model(prior, self._t.rate, self._t.caution, self._t.trust, self._t.longest)

    @cached_property
    def _features(self) -> Features[int]:
        return Features(self._model.slots.__getitem__, self._t.without)

    @cached_property
    def _hosts(self) -> Hosts:
        return Hosts(self._t.hosts or HostTuning(), self._model.slots.__getitem__)

    def seed(self, url: str, position: int) -> float:
        """Somebody chose it: before all that the crawl finds by itself."""
        self._hosts.record(split(url)[0])
        return 10.0 - min(position, 10_000) / 1000

    def score(self, link: Link, page: Page) -> float:
        if page is not self._page:
            self._turn_to(page)
        url, clue = address(link, page), (link.text or link.context)[:MAX_CLUE]
        host, target = split(url)
        is_same = host == self._above
        way = link.way
        part = self._roles.get(way)
        if part is None:
            part = self._read(self._roles, way, role)
        place = f"{host}|{way}" if is_same and way else ""
        slots = self._slots(host, target, clue, page.depth + 1, is_same) + self._features.trail(self._note.role, part)
        value = self._model.value(slots) + self._page_value
        if is_same:
            value += self._places.bonus(place) if self._t.places else 0.0
        elif self._hosts.is_unknown(host):
            self._hosts.led_to(host, self._above, (*self._anchors[clue], *self._names[host], *self._note.shared))
            value += self._novelty
        self._own.put(url, Seen(slots, part, place, page.url, value))
        return value

    def revised(self) -> Iterable[tuple[str, float]]:
        """What was scored before the model knew better would wait for ever: now and then all that waits is reviewed."""
        if self._since_review < max(_REVIEW_EVERY, len(self._own) // _REVIEW_SHARE):
            return ()
        self._since_review = 0
        raised: list[tuple[str, float]] = []
        pages: dict[str, float] = {}
        for url, seen in self._own.items():
            if seen.above not in pages:
                note = self._notes.get(seen.above)
                pages[seen.above] = self._model.value(self._inherited(note)) if note is not None else 0.0
            today = self._today(url, seen) + pages[seen.above]
            if today > seen.told + _NOTICEABLE:
                self._own.replace(url, seen._replace(told=today))
                raised.append((url, today))
        return raised

    def _today(self, url: str, seen: Seen) -> float:
        """What a link is worth by itself."""
        value = self._model.value(seen.slots)
        if seen.place:
            return value + self._places.bonus(seen.place) if self._t.places else value
        return value + self._novelty if self._hosts.is_unknown(split(url)[0]) else value

    @property
    def _novelty(self) -> float:
        return self._hosts.novelty if self._t.hosts else 0.0

    def _turn_to(self, page: Page) -> None:
        """What all links of a page share is worked out once."""
        self._page, self._note, self._above = page, self._note_of(page), split(page.url)[0]
        self._page_value = self._model.value(self._inherited(self._note))

    def rescore(self, candidate: Candidate) -> float:
        if candidate.via is Via.SEED:
            return candidate.score
        note = self._notes.get(candidate.found_on)
        value = self._today(candidate.url, self._own.get(candidate.url) or self._seen(candidate))
        return value if note is None else value + self._model.value(self._inherited(note))

    def host_bonus(self, host: str) -> float:
        return self._hosts.bonus(host) if self._t.hosts else 0.0

    def learn(self, outcome: Outcome) -> None:
        candidate = outcome.candidate
        if not candidate.is_page:
            if outcome.new_services:
                self._pay(candidate.found_on, outcome.new_services)
            return
        self._since_review += 1
        url = candidate.url
        host = split(url)[0]
        note = self._notes.get(url) or self._remember(url)
        note.parent = candidate.found_on
        if candidate.via is not Via.SEED:
            self._follow(note, self._own.get(url) or self._seen(candidate))
            self._own.discard(url)
        chance = self._model.chance(note.slots) if note.slots else 0.0
        if note.place:
            self._places.visited(note.place, chance, math.exp(self._hosts.bonus(host)))
        if self._t.first:
            self._hosts.says(host, note.shared)
        self._hosts.visited(host, chance)
        self._pending.append(note)
        if outcome.new_services:
            self._pay(url, outcome.new_services)
        if len(self._pending) > self._t.patience:
            self._judge(self._pending.popleft())

    def _follow(self, note: Note, seen: Seen) -> None:
        """Write down how a page was reached."""
        note.slots, note.role, note.place = seen[:3]
        above = self._notes.get(note.parent)
        if above is not None:
            above.tried += 1
            note.hops = min(MAX_HOPS, 1 + (0 if above.paid else above.hops))
            note.slots += self._inherited(above)

    def _judge(self, note: Note) -> None:
        if not note.paid and note.slots:
            self._model.learn(note.slots, 0.0, 1.0)

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
                self._model.learn(note.slots, 1.0, weight)
            if note.place:
                self._places.paid(note.place, weight / self._t.success)
            weight *= self._t.credit
            above = self._notes.get(note.parent)
            if above is None:
                break
            above.below += 1
            note = above

    def _thank_the_door(self, note: Note, host: str) -> None:
        """The first service of a host: the page elsewhere that led to the host deserves some of it."""
        for _ in range(MAX_CLIMB if self._t.door else 0):
            above = self._notes.get(note.parent)
            if above is None:
                return
            if split(note.parent)[0] != host:
                for slots in (note.slots, above.slots):
                    if slots:
                        self._model.learn(slots, 1.0, self._t.door)
                return
            note = above

    def _inherited(self, note: Note) -> Slots:
        """Features that links have from the page above: what became of it since, and what it says."""
        return self._outcome(self._features, note) + note.shared

    def _outcome(self, features: Features[KeyT], note: Note) -> tuple[KeyT, ...]:
        return features.outcome(note.paid, note.below, note.tried, 0 if note.paid else note.hops)

    def _seen(self, candidate: Candidate) -> Seen:
        """A link met so long ago that it was forgotten: where it stood is lost, its words are not."""
        host, target = split(candidate.url)
        is_same = split(candidate.found_on)[0] == host
        seen = Seen(self._slots(host, target, candidate.clue, candidate.depth, is_same))
        self._own.put(candidate.url, seen)
        return seen

    def _slots(self, host: str, target: str, clue: str, depth: int, is_same: bool) -> Slots:
        """Features of the link itself; words of anchors, folders and names come again and again."""
        folder, name = cut(target)
        name = name.translate(_SAME_DIGITS)
        features = self._features
        return (
            (self._anchors.get(clue) or self._read(self._anchors, clue, features.anchor))
            + (self._names.get(host) or self._read(self._names, host, features.host))
            + (self._folders.get(folder) or self._read(self._folders, folder, features.folder))
            + (self._files.get(name) or self._read(self._files, name, features.name))
            + features.way(depth, is_same)
        )

    def _read(self, known: dict[str, ReadT], text: str, features: Callable[[str], ReadT]) -> ReadT:
        if len(known) >= MAX_KEPT:
            known.clear()
        found = known[text] = features(text)
        return found

    def _note_of(self, page: Page) -> Note:
        note = self._notes.get(page.url) or self._remember(page.url)
        if not note.shared:
            note.shared = self._features.page(page.title, page.text, page.language, page.software)
        return note

    def _remember(self, url: str) -> Note:
        note = self._notes[url] = Note()
        if len(self._notes) > MAX_NOTES:
            self._notes.popitem(last=False)
        return note

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        host, target = split(candidate.url)
        folder, name = cut(target)
        read = Features(str, self._t.without)
        names = [*read.anchor(candidate.clue), *read.host(host), *read.folder(folder), *read.name(name)]
        names += read.way(candidate.depth, split(candidate.found_on)[0] == host)
        model, note = self._model, self._notes.get(candidate.found_on)
        seen = self._own.get(candidate.url) or Seen(())
        if note is not None:
            names += self._outcome(read, note)
            names += read.trail(note.role, seen.role) if seen.slots else ()
        parts = [(n, model.weights[model.slots[n]]) for n in names]
        if note is not None:
            parts.append(("the page it stands on", model.value(note.shared)))
        if seen.place and self._t.places:
            parts.append(("its place in the pages of its host", self._places.bonus(seen.place)))
        if self._hosts.is_unknown(host):
            parts.append(("a host never visited", self._novelty))
        parts.append(("its host", self.host_bonus(host)))
        return sorted(((n, w) for n, w in parts if w), key=lambda part: -abs(part[1]))

    def state(self) -> bytes:
        parts = self._model.state(), self._hosts.state(), self._places.state()
        return _VERSION + zlib.compress(b"".join(len(part).to_bytes(4, "little") + part for part in parts), 6)

    def restore(self, state: bytes) -> None:
        if not state:
            return
        if not state.startswith(_VERSION):
            raise ValueError("this is no learned order, or one of another version of Geohound")
        unpacking = zlib.decompressobj()
        try:
            plain = unpacking.decompress(state[len(_VERSION) :], MAX_STATE)
        except zlib.error as error:
            raise ValueError("this is no learned order") from error
        for learner in (self._model, self._hosts, self._places):
            end = 4 + int.from_bytes(plain[:4], "little")
            learner.restore(plain[4:end])
            plain = plain[end:]


ORDERS = (Adaptive(),)
