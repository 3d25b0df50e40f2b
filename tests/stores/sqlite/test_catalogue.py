"""The catalogue in SQLite: what is the same service, what is kept of it, and that nothing gets lost."""

from __future__ import annotations

import gc
import math
import sqlite3
import threading
import tracemalloc
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

import pytest
from fuzzing import fuzzed
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from geohound.model.bbox import BBox
from geohound.model.catalogue import Filter, Observation, Recorded
from geohound.model.health import Check, HealthState, assess
from geohound.model.location import HostLocation
from geohound.model.service import (
    Access,
    BoxFault,
    Extent,
    Layer,
    Operation,
    Provider,
    Service,
    Sighting,
    service_id,
    version_order,
)
from geohound.model.visit import Via
from geohound.stores.sql.services import codec
from geohound.stores.sql.services.writing import record

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LAYERS = (Layer("roads", "Roads"), Layer("rivers", "Rivers"))
WMS = Service(
    "wms",
    "http://maps.example.org/wms",
    "1.1.1",
    ("1.1.1",),
    "Maps",
    layers=LAYERS,
    fingerprint="f1",
)
OTHER = replace(WMS, title="Other", layers=(Layer("other"),), fingerprint="f9")
FULL = Service(
    kind="wms",
    endpoint="https://example.org/ows?map=a",
    version="1.3.0",
    versions=("1.1.1", "1.3.0"),
    title="Título",
    abstract="about",
    keywords=("a", "b"),
    provider=Provider("Office", "Ann", "ann@example.org", "https://example.org"),
    access=Access("none", "none", "CC0-1.0", "free"),
    extent=Extent(BBox(170, -10, -170, 10), (170.0, -10.0, 190.0, 10.0), "EPSG:9", (BoxFault.ANTIMERIDIAN,)),
    layers=(
        Layer(
            "a", "A", "abstract", ("k",), Extent(None, (1.0,), faults=(BoxFault.PROJECTED,)), ("EPSG:3857",),
            ("image/png",), ("default",), ("2020/2026/P1Y",), (1000.0, None), True, "group", ("http://x/",),
        ),
        Layer("b"),
    ),
    operations=(Operation("GetMap", "http://x/get", "http://x/post", ("image/png",)),),
    formats=("image/png",),
    crs=("EPSG:4326",),
    language="pt",
    software="MapServer 8",
    online_resource="http://other.example.org/",
    links=("http://y/",),
    repairs=("XML errors skipped",),
    layers_truncated=True,
    fingerprint="abc",
    location=HostLocation("BR", -8.05, -34.9, "a database"),
)  # fmt: skip

# Whatever else a service may say.
SAMPLES = {tuple: ("x",), str: "x", bool: True}
FULL = replace(
    FULL,
    **{
        f.name: SAMPLES[type(f.default)]
        for f in fields(Service)
        if not getattr(FULL, f.name) and f.name != "aliases"
    },
)


def sighting(service, on="http://page.example.org/", at=NOON, via=Via.LINK):
    return Sighting(service.id, service.endpoint, on, via, "a link", at, 3, 2)


def put(store, service, **more):
    return store.catalogue.record_now(
        [Observation(service, sighting(service, **more))]
    )[0].is_new


def seen(store, service_id):
    (entry,) = [
        entry for entry in store.catalogue.entries() if entry.service.id == service_id
    ]
    return entry.first_seen, entry.last_seen


def test_a_service_comes_back_as_it_was_put(store):
    assert put(store, FULL)
    assert store.catalogue.get(FULL.id) == FULL
    assert store.catalogue.count() == (1, 2)
    assert [entry.service for entry in store.catalogue.entries()] == [FULL]


def test_an_unknown_service_is_none_and_has_no_health(store):
    assert store.catalogue.get("nothing") is None
    assert assess(store.catalogue.checks("nothing")).state is HealthState.UNKNOWN
    store.catalogue.record_now([Check("nothing", NOON, True)])
    assert store.catalogue.checks("nothing") == []


def test_a_second_reading_refreshes_and_keeps_the_first_date(store):
    assert put(store, WMS)
    changed = replace(WMS, title="New maps", layers=(Layer("rails"),), fingerprint="f2")
    assert not put(store, changed, at=NOON + timedelta(days=1))
    assert store.catalogue.get(WMS.id) == changed
    assert seen(store, WMS.id) == (NOON, NOON + timedelta(days=1))
    assert store.catalogue.count() == (1, 1)


def test_a_lower_version_adds_its_number_but_not_its_document(store):
    put(store, replace(WMS, version="1.3.0", versions=("1.3.0",), title="High"))
    put(store, replace(WMS, version="1.1.1", versions=("1.1.1",), title="Low"))
    kept = store.catalogue.get(WMS.id)
    assert (kept.title, kept.version, kept.versions) == (
        "High",
        "1.3.0",
        ("1.1.1", "1.3.0"),
    )


def test_a_higher_version_replaces_the_document(store):
    put(store, replace(WMS, version="1.9", versions=("1.9",)))
    put(store, replace(WMS, version="1.10", versions=("1.10",), title="High"))
    kept = store.catalogue.get(WMS.id)
    assert (kept.title, kept.versions) == ("High", ("1.9", "1.10"))


def test_the_topics_of_a_service_are_those_of_the_document_that_is_kept(store):
    high = replace(WMS, version="1.3.0", versions=("1.3.0",), title="High")
    low = replace(
        WMS, version="1.1.1", versions=("1.1.1",), title="Low", fingerprint="f3"
    )
    water, roads = (("water", ""),), (("roads", "main"),)
    store.catalogue.record_now([Observation(high, sighting(high), topics=water)])
    store.catalogue.record_now([Observation(low, sighting(low), topics=roads)])
    assert [entry.topics for entry in store.catalogue.entries()] == [water]
    store.catalogue.record_now(
        [Observation(replace(high, title="Higher"), sighting(high), topics=roads)]
    )
    assert [entry.topics for entry in store.catalogue.entries()] == [roads]


def test_what_is_recorded_says_where_it_is_kept_and_whether_it_is_new(store):
    mirror = replace(WMS, endpoint="http://mirror.example.net/ows")
    told = store.catalogue.record_now(
        [
            Observation(WMS, sighting(WMS)),
            Observation(mirror, sighting(mirror)),
            Check(mirror.id, NOON, True),
        ]
    )
    assert told == [
        Recorded(WMS.id, True),
        Recorded(WMS.id, False),
        Recorded(WMS.id, False),
    ]
    assert store.catalogue.record_now([Check("nothing", NOON, True)]) == [
        Recorded("", False)
    ]


def test_versions_are_compared_as_numbers():
    assert version_order("1.10.0") > version_order("1.9")
    assert version_order("") < version_order("0.1")
    assert version_order("9" * 5000) > version_order("1.0.0")


@pytest.mark.parametrize(
    "address",
    [
        "http://www.maps.example.org/wms",
        "https://maps.example.org/wms",
        "http://mirror.example.net/geo/ows",
    ],
)
def test_the_same_document_at_another_address_is_a_door_of_the_same_service(
    store, address
):
    put(store, WMS)
    other = replace(WMS, endpoint=address)
    assert not put(store, other, on="http://elsewhere.example.org/")
    kept = store.catalogue.get(WMS.id)
    assert (kept.endpoint, kept.aliases) == (WMS.endpoint, (address,))
    assert store.catalogue.get(other.id) == kept
    assert [s.service_id for s in store.catalogue.sightings(other.id)] == [
        WMS.id,
        WMS.id,
    ]
    assert store.catalogue.count() == (1, 2)
    assert store.catalogue.at(address) == [kept]


def test_the_same_title_and_layers_on_www_is_a_door_also_with_another_fingerprint(
    store,
):
    put(store, WMS)
    assert not put(
        store,
        replace(WMS, endpoint="https://www.maps.example.org/wms", fingerprint="f2"),
    )


def test_the_address_that_the_document_gives_leads_home_where_the_fingerprint_is_the_same(
    store,
):
    put(store, WMS)
    named = replace(
        WMS,
        endpoint="http://proxy.example.net/wms",
        title="Seen through a proxy",
        online_resource="http://maps.example.org/wms?SERVICE=WMS&",
    )
    assert not put(store, named)


@pytest.mark.parametrize(
    "other",
    [
        replace(WMS, endpoint="http://other.example.org/wms", fingerprint="f2"),
        replace(WMS, endpoint="http://other.example.org/wms", title="Other maps"),
        replace(WMS, endpoint="http://other.example.org/wms", layers=(Layer("roads"),)),
        replace(WMS, endpoint="http://other.example.org/wms", fingerprint=""),
        replace(
            WMS,
            endpoint="http://www.maps.example.org/wms",
            fingerprint="f2",
            title="Other maps",
        ),
        replace(
            OTHER, endpoint="http://other.example.org/wms", online_resource=WMS.endpoint
        ),
        replace(WMS, kind="wfs"),
    ],
)
def test_what_differs_in_content_or_kind_is_another_service(store, other):
    assert put(store, WMS)
    assert put(store, other)
    assert store.catalogue.count()[0] == 2


EVIL = Service(
    "wms", "http://evil.example.net/x", "1.1.1", ("1.1.1",), "Evil", layers=(Layer("evil"),), fingerprint="e1",
    online_resource=WMS.endpoint, aliases=(WMS.endpoint,),
)  # fmt: skip
MIRROR = replace(WMS, endpoint="http://mirror.example.net/ows")


@pytest.mark.parametrize("version", ["1.1.1", "9.9.9"])
@pytest.mark.parametrize("evil_first", [True, False])
def test_who_declares_the_address_of_another_gets_neither_its_content_nor_its_place(
    store, version, evil_first
):
    evil = replace(EVIL, version=version, versions=(version,))
    assert all(
        put(store, each) for each in ((evil, WMS) if evil_first else (WMS, evil))
    )
    assert store.catalogue.get(WMS.id) == WMS
    assert store.catalogue.get(evil.id) == replace(evil, aliases=())
    assert store.catalogue.at(WMS.endpoint) == [WMS]


def test_an_address_that_is_only_declared_is_no_door(store):
    put(store, EVIL)
    assert store.catalogue.at(WMS.endpoint) == []
    assert store.catalogue.get(WMS.id) is None


def test_a_mirror_that_later_shows_something_else_becomes_a_service_of_its_own(store):
    put(store, WMS)
    put(store, replace(WMS, endpoint=EVIL.endpoint))
    turned = replace(EVIL, version="9.9.9", versions=("9.9.9",), aliases=())
    assert put(store, turned, on="http://later.example.org/")
    assert store.catalogue.get(WMS.id) == WMS
    assert store.catalogue.get(EVIL.id) == turned
    assert [s.found_on for s in store.catalogue.sightings(WMS.id)] == [
        "http://page.example.org/"
    ]
    assert [s.found_on for s in store.catalogue.sightings(EVIL.id)] == [
        "http://page.example.org/", "http://later.example.org/",
    ]  # fmt: skip
    assert not put(store, turned)
    assert store.catalogue.count() == (2, 3)


def test_a_copy_that_was_read_first_does_not_speak_for_the_original_when_it_changes(
    store,
):
    copy = replace(WMS, endpoint=EVIL.endpoint)
    put(store, copy)
    assert not put(store, WMS)
    put(store, EVIL)
    assert store.catalogue.get(WMS.id) == WMS
    assert store.catalogue.get(EVIL.id) == replace(EVIL, aliases=())
    assert [s.url for s in store.catalogue.sightings(WMS.id)] == [WMS.endpoint]
    assert seen(store, WMS.id) == (NOON, NOON)


def test_all_doors_elsewhere_stay_together_when_the_first_address_changes(store):
    put(store, WMS)
    second = replace(WMS, endpoint="http://second.example.net/ows")
    own = replace(WMS, endpoint="https://www.maps.example.org/wms")
    for alias in (MIRROR, second, own):
        put(store, alias)
    put(store, OTHER)
    assert store.catalogue.get(own.id) == replace(OTHER, aliases=(own.endpoint,))
    assert store.catalogue.get(second.id) == replace(MIRROR, aliases=(second.endpoint,))
    assert store.catalogue.count() == (2, 3)


def test_a_mirror_adds_neither_its_version_nor_its_words(store):
    put(store, WMS)
    put(store, MIRROR)
    for version in ("1.0.0", "9.9.9"):
        boast = replace(
            MIRROR,
            version=version,
            versions=(version,),
            abstract="Buy here",
            fingerprint=version,
        )
        assert not put(store, boast)
    assert store.catalogue.get(WMS.id) == replace(WMS, aliases=(MIRROR.endpoint,))


def test_a_door_that_comes_to_show_a_third_service_becomes_a_door_of_that(store):
    third = replace(OTHER, endpoint="http://third.example.org/wms")
    for service in (WMS, third, MIRROR):
        put(store, service)
    assert not put(store, replace(OTHER, endpoint=MIRROR.endpoint))
    assert store.catalogue.get(WMS.id) == WMS
    assert store.catalogue.get(MIRROR.id) == replace(third, aliases=(MIRROR.endpoint,))


@pytest.mark.parametrize(
    "address", ["http://www.maps.example.org/wms", "https://maps.example.org/wms"]
)
def test_the_same_host_with_www_or_https_may_refresh_and_raise_the_version(
    store, address
):
    put(store, WMS)
    put(store, replace(WMS, endpoint=address))
    newer = replace(OTHER, endpoint=address, version="1.3.0", versions=("1.3.0",))
    assert not put(store, newer)
    kept = store.catalogue.get(WMS.id)
    assert (kept.endpoint, kept.title, kept.versions) == (
        WMS.endpoint,
        "Other",
        ("1.1.1", "1.3.0"),
    )


def test_www_leads_to_its_own_host_also_where_a_copy_was_met_before(store):
    put(store, replace(WMS, endpoint="http://copy.example.net/wms", fingerprint="f2"))
    put(store, WMS)
    put(
        store,
        replace(WMS, endpoint="http://www.maps.example.org/wms", fingerprint="f2"),
    )
    assert store.catalogue.get(WMS.id).aliases == ("http://www.maps.example.org/wms",)


def test_a_service_that_moved_by_redirect_is_found_at_both_addresses(store):
    put(store, WMS)
    moved = replace(
        WMS, endpoint="https://geo.example.net/wms", online_resource=WMS.endpoint
    )
    redirected = Sighting(
        moved.id, WMS.endpoint, "http://page.example.org/", Via.REDIRECT, "", NOON
    )
    assert not store.catalogue.record_now([Observation(moved, redirected)])[0].is_new
    for address in (WMS.endpoint, moved.endpoint):
        assert [s.id for s in store.catalogue.at(address)] == [WMS.id]


def test_two_empty_services_with_the_same_document_are_not_taken_for_one(store):
    empty = replace(WMS, layers=())
    assert put(store, empty)
    assert put(store, replace(empty, endpoint="http://maps.example.org/other/wms"))


def test_sightings_are_kept_once_each_and_in_order(store):
    put(store, WMS)
    put(store, WMS, at=NOON + timedelta(hours=1))
    put(store, WMS, on="http://b.example.org/", via=Via.SCRIPT)
    seen = store.catalogue.sightings(WMS.id)
    assert [(s.found_on, s.via) for s in seen] == [
        ("http://page.example.org/", Via.LINK), ("http://b.example.org/", Via.SCRIPT),
    ]  # fmt: skip
    assert seen[0] == sighting(WMS)


def test_an_endpoint_is_found_by_any_request_to_it(store):
    put(store, FULL)
    put(store, WMS)
    for url in (
        "https://example.org/ows?map=a",
        "HTTPS://Example.org:443/ows?REQUEST=GetCapabilities&map=a&service=WMS#x",
    ):
        assert [s.id for s in store.catalogue.at(url)] == [FULL.id]
    assert store.catalogue.at("https://example.org/ows") == []
    assert store.catalogue.at("no address \ud800") == []


def test_health_is_assessed_from_the_checks_in_order_of_time(store):
    put(store, WMS)
    for hours, ok in [(3, False), (1, True), (2, True), (4, None)]:
        store.catalogue.record_now(
            [Check(WMS.id, NOON + timedelta(hours=hours), ok, "r", 0.5, "f")]
        )
    health = assess(store.catalogue.checks(WMS.id))
    assert (health.state, health.checks, health.since) == (
        HealthState.UNSURE,
        4,
        NOON + timedelta(hours=3),
    )
    assert [c.ok for c in store.catalogue.checks(WMS.id)] == [True, True, False, None]


def test_services_are_listed_by_kind_and_state_over_many_pages(store):
    for number in range(330):
        put(
            store,
            Service("wms" if number % 3 else "wfs", f"http://h{number}.example.org/"),
        )
    dead = service_id("wfs", "http://h3.example.org/")
    looks = [
        Check(dead, NOON + timedelta(hours=n), False, "not found: HTTP 404")
        for n in range(3)
    ]
    store.catalogue.record_now(looks)
    assert len(list(store.catalogue.entries())) == 330
    assert len(list(store.catalogue.entries(Filter(kinds=("wms",))))) == 220
    assert [
        e.service.id
        for e in store.catalogue.entries(Filter(("wfs",), (HealthState.DEAD,)))
    ] == [dead]
    assert list(store.catalogue.entries(Filter(("wms",), (HealthState.DEAD,)))) == []


ANY_TEXT = st.text(st.characters(), max_size=20)
ANY_LAYERS = st.builds(
    Layer,
    ANY_TEXT,
    title=ANY_TEXT,
    keywords=st.lists(ANY_TEXT, max_size=2).map(tuple),
    extent=st.none()
    | st.builds(
        Extent, st.none(), st.lists(st.floats(), max_size=4).map(tuple), ANY_TEXT
    ),
)


@fuzzed(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_TEXT, ANY_TEXT, st.lists(ANY_LAYERS, max_size=3), st.integers(0, 10**9))
def test_whatever_a_document_says_can_be_kept(store, title, abstract, layers, number):
    service = Service(
        "wms", f"http://h{number}.example.org/", title=title, abstract=abstract, layers=tuple(layers),
        provider=Provider(title), operations=(Operation(title),), keywords=(abstract,),
    )  # fmt: skip
    put(store, service)
    kept = store.catalogue.get(service.id)
    assert (
        codec.clean(kept.title) == codec.clean(kept.provider.name) == codec.clean(title)
    )
    assert len(kept.layers) == len(layers)
    for is_, was in zip(kept.layers, layers, strict=True):
        assert is_.name == codec.clean(was.name)
        declared = [
            v for e in (was.extent,) if e for v in e.declared if math.isfinite(v)
        ]
        assert [
            v for e in (is_.extent,) if e for v in e.declared if math.isfinite(v)
        ] == declared


def test_what_another_version_wrote_can_be_read(store):
    body = codec.orjson.dumps(
        {
            "kind": "wms",
            "endpoint": "http://a/",
            "a_field_of_tomorrow": [1],
            "title": "t",
        }
    )
    service, _ = codec.load_service(body, ())
    assert service == Service("wms", "http://a/", title="t")


def test_what_a_thousand_layers_share_is_kept_and_read_once(store):
    """As GeoServer does: 7,000 reference systems at the top, which all layers inherit; 12 bytes each."""
    many = tuple(f"EPSG:{code}" for code in range(2000, 9000))
    layers = tuple(Layer(f"l{n}", crs=many) for n in range(1000))
    service = Service("wms", "http://a/", layers=layers, crs=many)
    written = sum(
        map(len, map(codec.dump_layer, layers, [codec.CrsLists(service)] * 1000))
    )
    assert written < 100_000
    put(store, service)
    tracemalloc.start()
    kept = store.catalogue.get(service.id)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert kept.layers == layers
    assert len({id(layer.crs) for layer in kept.layers}) == 1


def test_the_connection_of_a_thread_ends_with_it(store):
    for _ in range(5):
        thread = threading.Thread(target=store.catalogue.count)
        thread.start()
        thread.join()
    gc.collect()
    assert len(store.database._readers) == 0


def test_readers_in_other_threads_see_whole_services_while_a_writer_writes(
    store, reopen
):
    writer, stop, faults = reopen().catalogue, threading.Event(), []

    def read():
        while not stop.is_set():
            found = [entry.service for entry in store.catalogue.entries()]
            faults.extend(
                s for s in found if [la.title for la in s.layers] != [s.title] * 20
            )

    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in readers:
        thread.start()
    for turn in range(40):
        title = f"turn {turn}"
        layers = tuple(Layer(f"l{i}", title) for i in range(20))
        service = Service(
            "wms", f"http://h{turn % 7}.example.org/", title=title, layers=layers
        )
        writer.record_now([Observation(service, sighting(service))])
    stop.set()
    for thread in readers:
        thread.join()
    assert faults == []
    assert store.catalogue.count() == (7, 140)


def test_the_layers_of_a_service_are_not_in_memory_twice_while_they_are_written(store):
    """Their rows took 4 kB each: 400 MB for the hundred thousand of one hostile answer."""
    layers = tuple(Layer(f"l{n}", "Roads") for n in range(20_000))
    sighting = Sighting(WMS.id, "http://a/", "", Via.LINK, "", NOON, 1, 0)
    tracemalloc.start()
    try:
        store.catalogue.record_now([Observation(replace(WMS, layers=layers), sighting)])
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


class Explained:
    """A connection that notes which statements read a table from end to end."""

    def __init__(self, connection) -> None:
        self._connection = connection
        self.whole: list[str] = []

    def execute(self, sql, values=()):
        if not sql.startswith(("SAVEPOINT", "RELEASE")):
            for *_, step in self._connection.execute(
                f"EXPLAIN QUERY PLAN {sql}", values
            ):
                self.whole += [sql] if step.startswith("SCAN") else []
        return self._connection.execute(sql, values)

    def executemany(self, sql, rows):
        return self._connection.executemany(sql, rows)


def test_recording_a_service_never_reads_the_whole_catalogue(store):
    """Each new service once looked at all others: ten times slower at four thousand."""
    declared = replace(FULL, online_resource="https://example.org/elsewhere?")
    same = replace(WMS, endpoint="http://mirror.example.org/wms")
    with store.catalogue._database.write() as connection:
        explained = Explained(connection)
        for service in (WMS, OTHER, FULL, declared, same, WMS):
            record(
                explained,
                [
                    Observation(
                        service,
                        sighting(service),
                        Check(service.id, NOON, True, "", 0.1),
                    )
                ],
            )
    assert explained.whole == []


def test_a_page_of_results_reads_its_layers_and_not_those_of_the_whole_catalogue(
    store,
):
    """A catalogue may have a million layers, and every page of results shows some."""
    put(store, WMS)
    connection: sqlite3.Connection = store.catalogue._database.read()
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    store.catalogue.excerpts({1: [0, 1]})
    connection.set_trace_callback(None)
    (statement,) = (sql for sql in asked if "FROM wanted" in sql)
    plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
    steps = [step for *_, step in plan]
    assert any(step.startswith("SEARCH layer USING INDEX") for step in steps), steps
