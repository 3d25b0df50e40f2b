"""What every segment store must do: of those who publish at once one wins, and readers see whole manifests."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from fuzzing import fuzzed
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sql_stores import STORES, open_sql

from geohound.contracts import SegmentGoneError
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.search.query import Query
from geohound.model.search.segment import Manifest, Segment
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.search.index import CatalogueIndex
from geohound.stores.memory.catalogue import MemoryCatalogue
from geohound.stores.memory.segments import MemorySegments

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def opened(kind: str, closing: ExitStack):
    """A catalogue, and as many segment stores over the same segments as there may be processes."""
    if kind == "memory":
        segments = MemorySegments()
        return MemoryCatalogue(), [segments, segments]
    folder = closing.enter_context(tempfile.TemporaryDirectory())
    stores = [open_sql(kind, folder, SystemClock()) for _ in range(2)]
    for store in stores:
        if kind == "sqlite":
            # nothing is killed here
            store.database._writer.execute("PRAGMA synchronous = OFF")
        closing.callback(store.close)
    return stores[0].catalogue, [store.segments for store in stores]


@pytest.fixture(params=STORES)
def both(request):
    with ExitStack() as closing:
        yield opened(request.param, closing)[1]


def following(manifest: Manifest, *segments: Segment) -> Manifest:
    return replace(manifest, version=manifest.version + 1, segments=segments)


ONE, TWO = Segment("1", 3, 1), Segment("2", 5, 2)


def test_a_new_store_has_an_empty_manifest(both):
    assert both[0].manifest() == Manifest()
    with pytest.raises(SegmentGoneError):
        both[0].read("1", "records")


def test_what_is_published_is_read_by_others(both):
    writer, reader = both
    manifest = Manifest(1, 4, 17, (ONE,))
    assert writer.publish(manifest, {"1": {"records": b"abc", "terms": b""}})
    assert reader.manifest() == manifest
    assert bytes(reader.read("1", "records")) == b"abc"
    assert bytes(reader.read("1", "terms")) == b""
    with pytest.raises(SegmentGoneError):
        reader.read("1", "boxes")


def test_segments_that_a_manifest_leaves_out_are_gone(both):
    writer, reader = both
    assert writer.publish(Manifest(1, segments=(ONE,)), {"1": {"p": b"1"}})
    assert writer.publish(Manifest(2, segments=(ONE, TWO)), {"2": {"p": b"2"}})
    assert bytes(reader.read("1", "p")) == b"1"
    assert writer.publish(Manifest(3, segments=(TWO,)), {})
    assert bytes(reader.read("2", "p")) == b"2"
    with pytest.raises(SegmentGoneError):
        reader.read("1", "p")


def test_of_many_who_publish_at_once_exactly_one_does(both):
    told: list[bool] = []
    start = threading.Barrier(6)

    def publish(number: int) -> None:
        start.wait()
        segment = Segment(f"1-{number}", 1, 1)
        told.append(
            both[number % 2].publish(
                Manifest(1, segments=(segment,)), {segment.id: {"p": b"x"}}
            )
        )

    threads = [threading.Thread(target=publish, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == [False] * 5 + [True]
    (segment,) = both[0].manifest().segments
    assert bytes(both[1].read(segment.id, "p")) == b"x"


class SegmentLaws(RuleBasedStateMachine):
    """Several processes publish, each from the manifest that it saw last."""

    kind = ""

    def __init__(self):
        super().__init__()
        self.closing = ExitStack()
        self.counter = 0
        self.published = [Manifest()]

    @initialize()
    def open(self):
        self.stores = opened(self.kind, self.closing)[1]
        self.seen = [Manifest(), Manifest()]

    @rule(who=st.integers(0, 1))
    def look(self, who):
        self.seen[who] = self.stores[who].manifest()

    @rule(who=st.integers(0, 1), dropped=st.integers(0, 3), added=st.integers(0, 2))
    def publish(self, who, dropped, added):
        base = self.seen[who]
        self.counter += 1
        new = [Segment(f"{self.counter}.{n}", n + 1, 1) for n in range(added)]
        manifest = replace(
            following(base, *base.segments[dropped:], *new), upto=self.counter
        )
        won = self.stores[who].publish(
            manifest, {segment.id: {"p": segment.id.encode()} for segment in new}
        )
        assert won == (base == self.published[-1]), (
            "only who saw the last manifest may follow it"
        )
        if won:
            self.published.append(manifest)

    @rule(who=st.integers(0, 1))
    def read_all_that_was_seen(self, who):
        """Segments are as they were when they were published, or gone because a later manifest left them out."""
        last = {segment.id for segment in self.published[-1].segments}
        for segment in self.seen[who].segments:
            if segment.id in last:
                assert (
                    bytes(self.stores[who].read(segment.id, "p")) == segment.id.encode()
                )
            else:
                with pytest.raises(SegmentGoneError):
                    self.stores[who].read(segment.id, "p")

    @invariant()
    def all_see_the_manifest_that_was_published_last(self):
        for store in getattr(self, "stores", ()):
            assert store.manifest() == self.published[-1]

    def teardown(self):
        self.closing.close()


WORDS = ("glacier", "river", "forest")


class IndexLaws(RuleBasedStateMachine):
    """However two indexes read, publish and overtake each other, both find what the catalogue holds."""

    kind = ""

    def __init__(self):
        super().__init__()
        self.closing = ExitStack()
        self.said = {}
        self.alive = {}

    @initialize()
    def open(self):
        self.catalogue, stores = opened(self.kind, self.closing)
        self.indexes = [CatalogueIndex(self.catalogue, store) for store in stores]

    def record(self, observed):
        async def write():
            await self.catalogue.record([observed])

        asyncio.run(write())

    @rule(
        number=st.integers(0, 5),
        word=st.sampled_from(WORDS),
        layers=st.lists(st.sampled_from(WORDS), max_size=2),
    )
    def write(self, number, word, layers):
        service = Service(
            "wms", f"http://s{number}.test/", title=f"{word} {number}",
            layers=tuple(Layer(f"l{n}x{number}", each) for n, each in enumerate(layers)),
        )  # fmt: skip
        self.record(
            Observation(
                service, Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
            )
        )
        self.said[service.id] = {word, *layers}
        self.alive.setdefault(service.id, "unknown")

    @rule(number=st.integers(0, 5), ok=st.booleans())
    def look(self, number, ok):
        id_ = Service("wms", f"http://s{number}.test/").id
        self.record(Check(id_, NOON, ok))
        if id_ in self.said:
            # one silence is no death (docs/operating.md)
            self.alive[id_] = "alive" if ok else "unsure"

    @rule(who=st.integers(0, 1), least=st.sampled_from([1, 4, 10_000]))
    def refresh(self, who, least):
        assert self.indexes[who].refresh(least) == self.catalogue.changes(0, 0).latest

    @rule(who=st.integers(0, 1), word=st.sampled_from(WORDS))
    def search(self, who, word):
        found = self.indexes[who].search(
            Query(word, expand=False, fold=False, limit=100)
        )
        states = {hit.service.id: str(hit.state) for hit in found.hits}
        assert states == {
            id_: self.alive[id_] for id_, said in self.said.items() if word in said
        }
        assert found.total == len(states)

    def teardown(self):
        for who in range(2) if self.said else ():
            for word in WORDS:
                self.search(who, word)
        self.closing.close()


HURRIED = {"suppress_health_check": list(HealthCheck)}


def laws(machine, kind, steps):
    case = type(
        f"{machine.__name__}In{kind.title()}", (machine,), {"kind": kind}
    ).TestCase
    case.settings = fuzzed(25, stateful_step_count=steps, **HURRIED)
    return case


TestSegmentLawsInMemory, TestSegmentLawsInSqlite, TestSegmentLawsInPostgres = (
    laws(SegmentLaws, kind, 15) for kind in STORES
)
TestIndexLawsInMemory, TestIndexLawsInSqlite, TestIndexLawsInPostgres = (
    laws(IndexLaws, kind, 20) for kind in STORES
)
