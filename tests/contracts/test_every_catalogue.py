"""What every catalogue must do, whatever database is behind it: recorded once, and all changes given in order."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from geohound.model.bbox import BBox
from geohound.model.catalogue import Filter, Observation, Recorded
from geohound.model.health import Check, State, assess
from geohound.model.service import Extent, Layer, Remembered, Service, Sighting
from geohound.model.visit import Validators, Via
from geohound.net.clock import SystemClock
from geohound.stores.memory.catalogue import MemoryCatalogue
from geohound.stores.sqlite import open_store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SERVICE = Service(
    "wms", "http://maps.example.org/wms", "1.3.0", ("1.3.0",), "Soils of Fiji",
    layers=(Layer("soil", "Soil types", extent=Extent(BBox(176, -21, -178, -12))), Layer("reef", "Reefs")),
    fingerprint="f",
)  # fmt: skip


def sighting(service, on="http://page.example.org/", at=NOON, task=0):
    return Sighting(service.id, service.endpoint, on, Via.LINK, "a link", at, task)


def met(service, **more):
    return Observation(service, sighting(service, **more))


def record(catalogue, *observed):
    async def write():
        return list(await catalogue.record(observed))

    return asyncio.run(write())


@pytest.fixture(params=["memory", "sqlite"])
def catalogue(request, tmp_path):
    if request.param == "memory":
        yield MemoryCatalogue()
        return
    store = open_store(tmp_path / "c.db", SystemClock())
    yield store.catalogue
    store.close()


def test_services_sightings_and_checks_are_kept(catalogue):
    assert record(catalogue, met(SERVICE), met(SERVICE)) == [Recorded(SERVICE.id, True), Recorded(SERVICE.id, False)]
    record(catalogue, Check(SERVICE.id, NOON, True, elapsed_s=0.2))
    assert catalogue.get(SERVICE.id) == SERVICE
    assert catalogue.get("unknown") is None
    assert catalogue.at("http://maps.example.org/wms?request=GetCapabilities") == [SERVICE]
    assert catalogue.sightings(SERVICE.id) == [sighting(SERVICE)]
    assert assess(catalogue.checks(SERVICE.id)).state is State.ALIVE
    assert catalogue.checks(SERVICE.id, since=NOON + timedelta(seconds=1)) == []
    assert catalogue.count() == (1, 2)


def test_a_look_at_what_is_not_there_is_not_kept(catalogue):
    assert record(catalogue, Check("nothing", NOON, True)) == [Recorded("", False)]
    assert catalogue.changes(0, 10).changes == ()


def test_the_same_content_elsewhere_is_an_address_of_the_same_service_until_it_differs(catalogue):
    mirror = replace(SERVICE, endpoint="http://mirror.example.net/ows")
    assert record(catalogue, met(SERVICE), met(mirror))[1] == Recorded(SERVICE.id, False)
    assert catalogue.get(mirror.id) == replace(SERVICE, doors=(mirror.endpoint,))
    other = replace(mirror, title="Other", layers=(Layer("other"),), fingerprint="g")
    assert record(catalogue, met(other, on="http://later.example.org/")) == [Recorded(mirror.id, True)]
    assert catalogue.get(SERVICE.id) == SERVICE
    assert [s.url for s in catalogue.sightings(mirror.id)] == [mirror.endpoint] * 2


def test_entries_have_health_and_topics_and_can_be_chosen(catalogue):
    wfs = Service("wfs", "http://wfs.example.org/")
    topics = (("land_cover", "forest"), ("water", ""))
    record(catalogue, Observation(SERVICE, sighting(SERVICE, task=7), Check(SERVICE.id, NOON, True), topics), met(wfs))
    first, second = catalogue.entries()
    assert (first.service, first.health.state, first.topics) == (SERVICE, State.ALIVE, topics)
    assert (second.service, second.health.state, second.topics) == (wfs, State.UNKNOWN, ())
    assert (first.first_seen, first.last_seen) == (NOON, NOON)
    for which in (Filter(kinds=("wms",)), Filter(states=(State.ALIVE,)), Filter(task=7)):
        assert [entry.service for entry in catalogue.entries(which)] == [SERVICE], which
    assert list(catalogue.entries(Filter(("wfs",), (State.ALIVE,)))) == []


def test_excerpts_hold_the_layers_asked_for_in_that_order(catalogue):
    record(catalogue, met(SERVICE))
    (change,) = catalogue.changes(0, 10).changes
    soil, reef = SERVICE.layers
    found = catalogue.excerpts({change.number: [1, 0, 9], 99: [0]})
    assert found == {change.number: replace(SERVICE, layers=(reef, soil))}
    assert catalogue.excerpts({change.number: []})[change.number].layers == ()


def test_what_a_request_proved_is_remembered_with_its_validators(catalogue):
    now, asked, tag = datetime.now(UTC), "http://maps.example.org/wms?x=1", Validators('"1"', "")
    record(
        catalogue, Observation(SERVICE, sighting(SERVICE), Check(SERVICE.id, now, True, asked=asked, validators=tag))
    )
    assert catalogue.known_at(asked).proved == {asked: Remembered(tag, (SERVICE,))}
    assert catalogue.known_at(SERVICE.endpoint).proved == {asked: Remembered(tag, (SERVICE,))}
    record(catalogue, Observation(SERVICE, sighting(SERVICE), Check(SERVICE.id, now, True, asked=asked)))
    assert not catalogue.known_at(asked).proved


def test_of_a_service_the_last_change_of_its_document_and_of_its_state_are_given(catalogue):
    record(catalogue, met(SERVICE), met(Service("wfs", "http://wfs.example.org/")))
    record(catalogue, met(replace(SERVICE, title="Soils"), at=NOON + timedelta(hours=1)))
    record(catalogue, Check(SERVICE.id, NOON, True))
    record(catalogue, Check(SERVICE.id, NOON, True))
    told = [(c.number, c.service.title if c.service else None, c.state) for c in catalogue.changes(0, 10).changes]
    assert told == [(2, "", State.UNKNOWN), (1, "Soils", State.ALIVE), (1, None, State.ALIVE)]


def test_what_cannot_be_recorded_takes_nothing_else_with_it_and_leaves_nothing(catalogue):
    broken = Observation(SERVICE, None)
    with pytest.raises(AttributeError):
        record(catalogue, met(Service("wfs", "http://wfs.example.org/")), broken)
    assert catalogue.count() == (0, 0)
    assert catalogue.changes(0, 10).latest == 0


HOSTS = st.integers(0, 3)
OBSERVED = st.builds(
    lambda host, way, title, version, page: (
        Service(
            "wms", f"http{way}://h{host}.example.org/ows", f"1.{version}", (f"1.{version}",), f"Title {title}",
            layers=(Layer(f"l{title}"),) if title else (), fingerprint=f"f{title}",
        ),
        page,
    ),
    HOSTS, st.sampled_from(["", "s"]), st.integers(0, 3), st.integers(0, 2), st.integers(0, 2),
)  # fmt: skip
LOOKS = st.tuples(st.integers(0, 20), st.sampled_from([True, False, None]))


class CatalogueLaws(RuleBasedStateMachine):
    """Every catalogue keeps the same of the same observations, and a follower learns all of it, however it reads."""

    def __init__(self):
        super().__init__()
        self.closing = ExitStack()
        self.followed = [{}, {}]
        self.since = [0, 0]
        self.minutes = 0

    @initialize()
    def open(self):
        folder = self.closing.enter_context(tempfile.TemporaryDirectory())
        store = open_store(Path(folder) / "c.db", SystemClock())
        store.database._writer.execute("PRAGMA synchronous = OFF")  # nothing is killed here
        self.closing.callback(store.close)
        self.catalogues = [MemoryCatalogue(), store.catalogue]

    @rule(observed=st.lists(OBSERVED, min_size=1, max_size=3), look=LOOKS, alone=st.booleans())
    def record(self, observed, look, alone):
        self.minutes += 1
        at = NOON + timedelta(minutes=self.minutes)
        batch = [
            Observation(
                service, sighting(service, f"http://p{page}.example.org/", at, page),
                None if alone else Check(service.id, at, look[1], asked=service.endpoint),
                topics=((service.title, ""),),
            )
            for service, page in observed
        ]  # fmt: skip
        if alone:
            batch.append(Check(observed[0][0].id, at - timedelta(minutes=look[0]), look[1]))
        before = [catalogue.count().services for catalogue in self.catalogues]
        told = [record(catalogue, *batch) for catalogue in self.catalogues]
        assert told[0] == told[1]
        for catalogue, count, recorded in zip(self.catalogues, before, told, strict=True):
            # A service may part from addresses elsewhere, which then are one of their own.
            assert catalogue.count().services >= count + sum(each.is_new for each in recorded)
            for each in recorded:
                assert catalogue.get(each.service_id).id == each.service_id

    @rule(which=st.integers(0, 1), limit=st.integers(0, 4))
    def follow(self, which, limit):
        found = self.catalogues[which].changes(self.since[which], limit)
        revisions = [change.revision for change in found.changes]
        assert revisions == sorted(set(revisions))
        assert all(revision > self.since[which] for revision in revisions)
        assert found.upto == max([self.since[which], *revisions]) <= found.latest
        assert bool(found.changes) or not limit or found.latest == self.since[which]
        for change in found.changes:
            known = self.followed[which].get(change.number, (None, None, None, None))
            said = (change.service, change.topics) if change.service else known[:2]
            self.followed[which][change.number] = (*said, change.state, change.popularity)
        self.since[which] = found.upto

    @invariant()
    def a_follower_that_has_read_all_knows_all(self):
        for which, catalogue in enumerate(getattr(self, "catalogues", ())):
            if catalogue.changes(self.since[which], 0).latest == self.since[which]:
                known = [self.followed[which][number] for number in sorted(self.followed[which])]
                entries = list(catalogue.entries())
                # An address that is added changes nothing that a follower must learn.
                assert [(replace(s, doors=()), t, state) for s, t, state, _ in known] == [
                    (replace(e.service, doors=()), e.topics, e.health.state) for e in entries
                ]
                assert [popularity for *_, popularity in known] == [
                    len(catalogue.sightings(e.service.id)) for e in entries
                ]

    def teardown(self):
        if hasattr(self, "catalogues"):
            one, other = [self.all_of(catalogue) for catalogue in self.catalogues]
            assert one == other
        self.closing.close()

    def all_of(self, catalogue):
        entries = list(catalogue.entries())
        changes = catalogue.changes(0, 10_000)
        return (
            entries, catalogue.count(), changes,
            [(catalogue.sightings(e.service.id), catalogue.checks(e.service.id)) for e in entries],
            [catalogue.at(e.service.endpoint) for e in entries],
        )  # fmt: skip


CatalogueLaws.TestCase.settings = settings(
    max_examples=30, stateful_step_count=10, deadline=None, suppress_health_check=list(HealthCheck)
)
TestCatalogueLaws = CatalogueLaws.TestCase
