"""What every store of the lives of services must do, whatever database is behind it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sql_stores import STORES, open_sql

from geohound.model.biography import CheckTotals, LifeChange
from geohound.model.catalogue import Observation
from geohound.model.crawl.task import TaskSpec
from geohound.model.health import Check, HealthState, assess
from geohound.model.monitoring.layer_check import LayerCheck
from geohound.model.monitoring.revisit import EndedLook
from geohound.model.service import Layer, Provider, Service, Sighting
from geohound.model.visit import Purpose, Via
from geohound.stores.memory.catalogue import MemoryCatalogue
from geohound.stores.memory.check_queue import MemoryCheckQueue
from geohound.stores.memory.history import MemoryHistory
from geohound.stores.memory.tasks import MemoryTasks

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
A = Service(
    "wms",
    "http://a.test/wms",
    "1.3.0",
    title="A",
    layers=(Layer("roads", "Roads"),),
    fingerprint="a",
)


class NoonClock:
    def now(self):
        return NOON

    def monotonic(self):
        return 0.0


class Rig:
    def __init__(self, catalogue, queue, history, tasks):
        self.catalogue, self.queue, self.history = catalogue, queue, history
        self.claim = tasks.claim(tasks.create(TaskSpec()).id, "me", 60.0)

    def put(self, service, at=NOON):
        met = Sighting(
            service.id, service.endpoint, "http://page.test/", Via.LINK, "", at
        )
        run(
            self.catalogue.record,
            [Observation(service, met, Check(service.id, at, True, elapsed_s=0.5))],
        )

    def check(self, *ended, start=NOON, step=DAY, reason="timeout"):
        looks = [
            Check(A.id, start + place * step, ok, "" if ok else reason, 0.5)
            for place, ok in enumerate(ended, 1)
        ]
        run(self.catalogue.record, looks)

    def said(self):
        return [(event.change, event.detail) for event in self.history.events(A.id)]


def run(call, *arguments):
    async def story():
        return await call(*arguments)

    return asyncio.run(story())


@pytest.fixture(params=STORES)
def rig(request, tmp_path):
    clock = NoonClock()
    if request.param == "memory":
        catalogue, tasks = MemoryCatalogue(), MemoryTasks(clock)
        queue = MemoryCheckQueue(catalogue, tasks)
        yield Rig(catalogue, queue, MemoryHistory(catalogue, queue.layer_looks), tasks)
        return
    store = open_sql(request.param, tmp_path, clock)
    yield Rig(store.catalogue, store.check_queue, store.history, store.tasks)
    store.close()


def test_a_life_begins_when_a_service_is_found(rig):
    rig.put(A)
    assert rig.said() == [
        (LifeChange.FOUND, "link on http://page.test/"),
        (LifeChange.STATE, "unknown to alive"),
    ]
    assert rig.history.events("0" * 16) == []


def test_being_found_comes_first_though_the_check_was_a_moment_earlier(rig):
    met = Sighting(A.id, A.endpoint, "", Via.SEED, "", NOON)
    run(
        rig.catalogue.record,
        [Observation(A, met, Check(A.id, NOON - timedelta(seconds=1), True))],
    )
    assert [change for change, _ in rig.said()] == [LifeChange.FOUND, LifeChange.STATE]


def test_every_change_of_state_is_an_event_and_nothing_else(rig):
    rig.put(A)
    rig.check(True, False, False, True, reason="server error: HTTP 500")
    assert rig.said()[2:] == [
        (LifeChange.STATE, "alive to unsure: server error: HTTP 500"),
        (LifeChange.STATE, "unsure to alive"),
    ]


def test_another_description_is_an_event_that_says_what_differs(rig):
    rig.put(A)
    rig.put(
        replace(A, layers=(*A.layers, Layer("rivers", "Rivers")), fingerprint="b"),
        NOON + DAY,
    )
    rig.put(
        replace(A, layers=(*A.layers, Layer("rivers", "Rivers")), fingerprint="b"),
        NOON + 2 * DAY,
    )
    assert rig.said()[2:] == [(LifeChange.LAYERS_ADDED, "1: rivers")]
    assert rig.history.events(A.id)[-1].at == NOON + DAY


def test_another_document_of_the_same_service_is_kept_and_is_no_event(rig):
    rig.put(A)
    other = replace(A, title="A by its JSON", fingerprint="b")
    met = Sighting(A.id, A.endpoint, "http://page.test/", Via.LINK, "", NOON + DAY)
    run(
        rig.catalogue.record,
        [Observation(other, met, Check(A.id, NOON + DAY, True), is_news=False)],
    )
    assert rig.catalogue.get(A.id).title == "A by its JSON"
    assert [change for change, _ in rig.said()] == [LifeChange.FOUND, LifeChange.STATE]


def test_a_service_that_moved_says_so_once(rig):
    rig.put(A)
    moved = [
        Check(A.id, NOON + n * DAY, True, "moved: to http://b.test/wms") for n in (1, 2)
    ]
    run(rig.catalogue.record, moved)
    assert rig.said()[2:] == [(LifeChange.MOVED, "to http://b.test/wms")]


def at_host(host):
    """A, at a host whose address it declares, as all installations do that were told where they are."""
    endpoint = f"http://{host}/wms"
    return replace(A, endpoint=endpoint, online_resource=endpoint)


def test_whoever_says_the_same_after_a_death_is_the_successor(rig):
    rig.put(at_host("a.test"))
    rig.check(False, False, False, reason="not found: HTTP 404")
    rig.put(at_host("new.test"), NOON + 9 * DAY)
    assert rig.said()[-1] == (LifeChange.SUCCESSOR, "http://new.test/wms")


def test_an_installation_of_the_same_stock_demo_is_no_successor(rig):
    rig.put(at_host("a.test"))
    rig.put(at_host("b.test"))
    rig.check(False, False, False, reason="not found: HTTP 404")
    rig.put(at_host("new.test"), NOON + 9 * DAY)
    assert LifeChange.SUCCESSOR not in [change for change, _ in rig.said()]


def test_who_names_another_provider_or_no_layer_is_no_successor(rig):
    rig.put(replace(at_host("a.test"), provider=Provider("Land survey")))
    rig.check(False, False, False, reason="not found: HTTP 404")
    other = replace(at_host("new.test"), provider=Provider("Water board"))
    rig.put(other, NOON + 9 * DAY)
    assert LifeChange.SUCCESSOR not in [change for change, _ in rig.said()]


def test_events_of_all_services_since_a_time_are_in_order(rig):
    rig.put(A)
    rig.put(replace(A, kind="wfs", endpoint="http://a.test/wfs"), NOON + DAY)
    rig.check(True, False, True)
    found = list(rig.history.since(NOON + DAY))
    assert [event.at for event in found] == sorted(event.at for event in found)
    assert {event.change for event in found} == {LifeChange.FOUND, LifeChange.STATE}
    assert min(event.at for event in found) == NOON + DAY


def test_events_are_numbered_as_they_were_written_and_read_on_from_a_number(rig):
    assert rig.history.newest() == 0
    rig.put(A)
    rig.put(
        replace(A, endpoint="http://b.test/wms", title="B", fingerprint="b"), NOON - DAY
    )
    first = rig.history.after(0, 2)
    rest = rig.history.after(first[-1][0], 100)
    assert len(first) == 2
    assert [event.at for _, event in (*first, *rest)] == [
        NOON,
        NOON,
        NOON - DAY,
        NOON - DAY,
    ], "not in order of time"
    assert rig.history.newest() == rest[-1][0]
    assert rig.history.after(rig.history.newest(), 100) == []


def test_old_checks_are_summed_up_by_week_and_the_state_stays(rig):
    rig.put(A)
    rig.check(True, True, False, True, None, True)
    assert run(rig.history.thin, NOON + 5 * DAY) == 5
    left = rig.catalogue.checks(A.id)
    assert [check.at for check in left] == [NOON + 5 * DAY, NOON + 6 * DAY]
    totals = rig.history.totals(A.id)
    assert sum(each.good for each in totals) == 4
    assert sum(each.failed for each in totals) == 1
    assert sum(each.elapsed_s for each in totals) == pytest.approx(2.0)
    weeks = [int((NOON + n * DAY).timestamp() // 604800) for n in range(5)]
    assert [each.week for each in totals] == sorted(set(weeks))
    assert run(rig.history.thin, NOON + 5 * DAY) == 0
    assert run(rig.history.thin, NOON + 7 * DAY) == 1, "all but the last good one"
    assert (
        sum(each.good + each.failed + each.unclear for each in rig.history.totals(A.id))
        == 6
    )


def test_what_keeps_a_dead_service_dead_is_not_thinned(rig):
    rig.put(A)
    rig.check(False, False, False, reason="not found: HTTP 404")
    run(rig.history.thin, NOON + 900 * DAY)
    assert assess(rig.catalogue.checks(A.id)).state is HealthState.DEAD
    rig.check(False, start=NOON + 900 * DAY, reason="not found: HTTP 404")
    assert assess(rig.catalogue.checks(A.id)).state is HealthState.DEAD


def test_the_last_look_at_each_layer_is_kept(rig):
    rig.put(A)
    rig.queue.enrol({Purpose.CHECK: 0.0})
    bad = LayerCheck(
        "roads",
        NOON + DAY,
        False,
        "blank image: all of it is transparent",
        0.25,
        "GetMap",
    )
    good = LayerCheck("roads", NOON + 2 * DAY, True, "", 0.5, "GetMap")
    for check in (bad, good):
        run(
            rig.queue.settle,
            rig.claim,
            [EndedLook(Purpose.CHECK, A.id, NOON, check.at, layers=(check,))],
        )
    assert list(rig.history.layers(A.id)) == [good]
    assert rig.history.totals(A.id) in ([], ())


def test_no_totals_without_old_checks(rig):
    assert list(rig.history.totals(A.id)) == []
    assert CheckTotals(0, 0, 0, 0, 0.0).week == 0
