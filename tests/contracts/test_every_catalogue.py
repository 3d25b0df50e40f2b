"""What every catalogue must do, whatever database is behind it: recorded once, and all changes given in order."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from fuzzing import fuzzed
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sql_stores import STORES, open_sql

from geohound.model.bbox import BBox
from geohound.model.catalogue import Filter, Observation, Recorded, ServiceSummary
from geohound.model.health import Check, HealthState, assess
from geohound.model.location import HostLocation
from geohound.model.service import (
    CachedProof,
    Extent,
    Layer,
    Operation,
    Provider,
    Service,
    Sighting,
)
from geohound.model.visit import Validators, Via
from geohound.net.clock import SystemClock
from geohound.stores.memory.catalogue import MemoryCatalogue

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


@pytest.fixture(params=STORES)
def catalogue(request, tmp_path):
    if request.param == "memory":
        yield MemoryCatalogue()
        return
    store = open_sql(request.param, tmp_path, SystemClock())
    yield store.catalogue
    store.close()


def test_services_that_were_looked_at_are_counted_once_each(catalogue):
    other = replace(
        SERVICE, endpoint="http://other.example.org/wms", fingerprint="g", title="Roads"
    )
    record(catalogue, met(SERVICE), met(other))
    record(
        catalogue,
        Check(SERVICE.id, NOON, True),
        Check(SERVICE.id, NOON + timedelta(hours=1), False),
    )
    record(catalogue, Check(other.id, NOON - timedelta(days=1), True))
    assert catalogue.count_checked(NOON) == 1
    assert catalogue.count_checked(NOON - timedelta(days=1)) == 2
    assert catalogue.count_checked(NOON + timedelta(days=1)) == 0


def test_checks_are_counted_by_day_and_result(catalogue):
    """From noon to noon: what is before the first day or after the last one does not count."""
    record(catalogue, met(SERVICE))
    begin = NOON + timedelta(days=10)
    looks = [
        (-1, True),
        (0, True),
        (1, False),
        (23.99, None),
        (24, False),
        (71.99, True),
        (72, True),
    ]
    record(
        catalogue,
        *[Check(SERVICE.id, begin + timedelta(hours=hours), ok) for hours, ok in looks],
    )
    assert list(catalogue.count_checks(begin, 3)) == [(1, 1, 1), (0, 1, 0), (1, 0, 0)]
    assert list(catalogue.count_checks(begin, 0)) == []


def test_services_sightings_and_checks_are_kept(catalogue):
    assert record(catalogue, met(SERVICE), met(SERVICE)) == [
        Recorded(SERVICE.id, True),
        Recorded(SERVICE.id, False),
    ]
    record(catalogue, Check(SERVICE.id, NOON, True, elapsed_s=0.2))
    assert catalogue.get(SERVICE.id) == SERVICE
    assert catalogue.get("unknown") is None
    assert catalogue.at("http://maps.example.org/wms?request=GetCapabilities") == [
        SERVICE
    ]
    bare = catalogue.at(SERVICE.endpoint, with_layers=False)
    assert bare == [replace(SERVICE, layers=())]
    assert catalogue.sightings(SERVICE.id) == [sighting(SERVICE)]
    assert assess(catalogue.checks(SERVICE.id)).state is HealthState.ALIVE
    assert catalogue.checks(SERVICE.id, since=NOON + timedelta(seconds=1)) == []
    assert catalogue.count() == (1, 2)


def test_a_reading_without_a_title_leaves_the_one_that_is_known(catalogue):
    """A data set of OPeNDAP has its title in another document, which may not answer the second time."""
    ozone = Service("opendap", "http://a.example/ozone", title="Ozone")
    record(catalogue, met(ozone), met(replace(ozone, title="")))
    assert catalogue.get(ozone.id).title == "Ozone"
    record(catalogue, met(replace(ozone, title="Ozone of 2026")))
    assert catalogue.get(ozone.id).title == "Ozone of 2026"


def test_all_endpoints_are_listed_with_their_kinds(catalogue):
    other = Service("wfs", "http://maps.example.org/wfs", title="Roads")
    record(catalogue, met(SERVICE), met(other), met(SERVICE))
    assert list(catalogue.endpoints()) == [
        ("wms", SERVICE.endpoint),
        ("wfs", other.endpoint),
    ]


def test_summaries_have_what_statistics_need_and_the_place_of_the_host_stays(catalogue):
    lima = HostLocation("PE", -12.05, -77.04, "a database")
    placed = replace(SERVICE, software="GeoServer", location=lima)
    other = Service("wfs", "http://maps.example.org/wfs", title="Roads")
    seen = sighting(placed, task=7)
    record(
        catalogue, Observation(placed, seen, topics=(("water", "river"),)), met(other)
    )
    record(catalogue, Check(placed.id, NOON, True))
    # read again where nobody knew the place
    record(catalogue, met(replace(placed, location=None)))
    first, second = catalogue.summaries()
    assert first == ServiceSummary(
        placed.id, "wms", placed.endpoint, placed.title, "GeoServer", HealthState.ALIVE, lima, (("water", "river"),),
        NOON, NOON, 2,
    )  # fmt: skip
    assert second.layers == 0
    assert (second.id, second.location, second.topics, second.state) == (
        other.id,
        None,
        (),
        HealthState.UNKNOWN,
    )
    assert [each.id for each in catalogue.summaries(Filter(kinds=("wfs",)))] == [
        other.id
    ]
    assert [each.id for each in catalogue.summaries(Filter(task=7))] == [placed.id]
    assert catalogue.get(placed.id).location == lima


def test_a_look_at_what_is_not_there_is_not_kept(catalogue):
    assert record(catalogue, Check("nothing", NOON, True)) == [Recorded("", False)]
    assert catalogue.changes(0, 10).changes == ()


def test_the_same_content_elsewhere_is_an_address_of_the_same_service_until_it_differs(
    catalogue,
):
    mirror = replace(SERVICE, endpoint="http://mirror.example.net/ows")
    assert record(catalogue, met(SERVICE), met(mirror))[1] == Recorded(
        SERVICE.id, False
    )
    assert catalogue.get(mirror.id) == replace(SERVICE, aliases=(mirror.endpoint,))
    other = replace(mirror, title="Other", layers=(Layer("other"),), fingerprint="g")
    assert record(catalogue, met(other, on="http://later.example.org/")) == [
        Recorded(mirror.id, True)
    ]
    assert catalogue.get(SERVICE.id) == SERVICE
    assert [s.url for s in catalogue.sightings(mirror.id)] == [mirror.endpoint] * 2


def test_entries_have_health_and_topics_and_can_be_chosen(catalogue):
    wfs = Service("wfs", "http://wfs.example.org/")
    topics = (("land_cover", "forest"), ("water", ""))
    record(
        catalogue,
        Observation(
            SERVICE, sighting(SERVICE, task=7), Check(SERVICE.id, NOON, True), topics
        ),
        met(wfs),
    )
    first, second = catalogue.entries()
    assert (first.service, first.health.state, first.topics) == (
        SERVICE,
        HealthState.ALIVE,
        topics,
    )
    assert (second.service, second.health.state, second.topics) == (
        wfs,
        HealthState.UNKNOWN,
        (),
    )
    assert (first.first_seen, first.last_seen) == (NOON, NOON)
    for which in (
        Filter(kinds=("wms",)),
        Filter(states=(HealthState.ALIVE,)),
        Filter(task=7),
    ):
        assert [entry.service for entry in catalogue.entries(which)] == [SERVICE], which
    assert list(catalogue.entries(Filter(("wfs",), (HealthState.ALIVE,)))) == []


MANY = tuple(f"EPSG:{code}" for code in range(2000, 7000))


def test_each_layer_keeps_its_own_reference_systems_however_many_it_shares(catalogue):
    """A server that names 5,000 systems for all its layers; one has one more, others have their own."""
    lists = (MANY, MANY, (*MANY, "EPSG:404000"), MANY[::-1], MANY[::-1], MANY[:2], ())
    layers = tuple(Layer(f"l{n}", crs=crs) for n, crs in enumerate(lists))
    service = replace(SERVICE, layers=layers, crs=(*MANY, "EPSG:404000"))
    record(catalogue, met(service))
    (change,) = catalogue.changes(0, 10).changes
    assert catalogue.get(service.id).layers == layers
    assert catalogue.excerpts({change.number: [3, 0]})[change.number].layers == (
        layers[3],
        layers[0],
    )
    # Read again with other lists, and without long ones.
    turned = replace(service, layers=layers[::-1], crs=MANY)
    record(catalogue, met(turned, at=NOON + timedelta(days=1)))
    assert catalogue.get(service.id).layers == layers[::-1]
    short = replace(service, layers=(Layer("l0", crs=MANY[:3]),), crs=MANY[:3])
    record(catalogue, met(short, at=NOON + timedelta(days=2)))
    assert catalogue.get(service.id).layers == short.layers


def test_excerpts_hold_the_layers_asked_for_in_that_order(catalogue):
    record(catalogue, met(SERVICE))
    (change,) = catalogue.changes(0, 10).changes
    soil, reef = SERVICE.layers
    found = catalogue.excerpts({change.number: [1, 0, 9], 99: [0]})
    assert found == {change.number: replace(SERVICE, layers=(reef, soil))}
    assert catalogue.excerpts({change.number: []})[change.number].layers == ()


def test_what_a_request_proved_is_remembered_with_its_validators(catalogue):
    now = datetime.now(UTC)
    asked = "http://maps.example.org/wms?x=1"
    tag = Validators('"1"', "")
    record(
        catalogue,
        Observation(
            SERVICE,
            sighting(SERVICE),
            Check(SERVICE.id, now, True, asked=asked, validators=tag),
        ),
    )
    assert catalogue.known_at(asked).proved == {asked: CachedProof(tag, (SERVICE,))}
    assert catalogue.known_at(SERVICE.endpoint).proved == {
        asked: CachedProof(tag, (SERVICE,))
    }
    record(
        catalogue,
        Observation(
            SERVICE, sighting(SERVICE), Check(SERVICE.id, now, True, asked=asked)
        ),
    )
    assert not catalogue.known_at(asked).proved


def test_of_a_service_the_last_change_of_its_document_and_of_its_state_are_given(
    catalogue,
):
    record(catalogue, met(SERVICE), met(Service("wfs", "http://wfs.example.org/")))
    record(
        catalogue, met(replace(SERVICE, title="Soils"), at=NOON + timedelta(hours=1))
    )
    record(catalogue, Check(SERVICE.id, NOON, True))
    record(catalogue, Check(SERVICE.id, NOON, True))
    told = [
        (c.number, c.service.title if c.service else None, c.state)
        for c in catalogue.changes(0, 10).changes
    ]
    assert told == [
        (2, "", HealthState.UNKNOWN),
        (1, "Soils", HealthState.ALIVE),
        (1, None, HealthState.ALIVE),
    ]


def test_what_cannot_be_recorded_takes_nothing_else_with_it_and_leaves_nothing(
    catalogue,
):
    broken = Observation(SERVICE, None)
    with pytest.raises(AttributeError):
        record(catalogue, met(Service("wfs", "http://wfs.example.org/")), broken)
    assert catalogue.count() == (0, 0)
    assert catalogue.changes(0, 10).latest == 0


def at(host, version="1.3.0", **more):
    """The WMS as another host shows it: each version of a document has a fingerprint of its own."""
    address = f"http://{host}/ows"
    return replace(
        SERVICE,
        endpoint=address,
        version=version,
        versions=(version,),
        fingerprint=version,
        **more,
    )


HOME = "http://maps.example.org/wms?SERVICE=WMS&"
FALSE_ADDRESSES = [
    "http://localhost:8080/geoserver/wms", "http://127.0.0.1/cgi-bin/mapserv", "http://10.1.2.3/wms",
    "http://gisserver/wms", "http://gis.intranet.local/wms", "http://geoserver.org", "http://www.agency.example.org/",
    "http://www.agency.example.org/index.html", "",
]  # fmt: skip


@pytest.mark.parametrize("is_home_read", [True, False])
def test_one_online_resource_on_four_hosts_is_one_service(catalogue, is_home_read):
    """OSS-9, R2 (Sidsten 2012, section 4.3.3): the documents differ by version or some other minor thing, and the
    xlink:href of OnlineResource identifies the service."""
    more_layers = (*SERVICE.layers, Layer("wells", "Wells"))
    hosts = [
        at("a.example.org", "1.3.0", online_resource=HOME),
        at("b.example.net", "1.1.1", online_resource=HOME),
        at("c.example.com", "1.1.0", online_resource=HOME, title="Soils"),
        at("d.example.edu", "1.0.0", online_resource=HOME, layers=more_layers),
    ]
    seen = [SERVICE, *hosts] if is_home_read else hosts
    told = record(catalogue, *map(met, seen))
    assert [each.is_new for each in told] == [True] + [False] * (len(seen) - 1)
    assert catalogue.get(hosts[3].id).aliases == tuple(
        sorted(service.endpoint for service in seen[1:])
    )
    again = record(catalogue, *map(met, hosts))
    assert not any(each.is_new for each in again), "nor when each is read once more"
    assert catalogue.count().services == 1


@pytest.mark.parametrize("false", FALSE_ADDRESSES)
def test_services_behind_one_false_online_resource_stay_apart(catalogue, false):
    """Of equal layers too: nothing but an address that many give by mistake says that they are one."""
    record(catalogue, met(at("a.example.org", "1.3.0", online_resource=false)))
    assert record(catalogue, met(at("b.example.net", "1.1.1", online_resource=false)))[
        0
    ].is_new
    assert record(
        catalogue,
        met(at("c.example.com", "1.0.0", online_resource=false, title="Roads")),
    )[0].is_new


def test_services_that_offer_something_else_are_apart_whatever_address_they_give(
    catalogue,
):
    numbered = {
        name: (Layer("0", f"{name} 0"), Layer("1", f"{name} 1"))
        for name in ("Soil", "Sea", "Air")
    }
    seen = [
        replace(SERVICE, title="Soil", layers=numbered["Soil"], online_resource=HOME),
        at("b.example.net", title="Sea", layers=numbered["Sea"], online_resource=HOME),
        at("c.example.com", title="Air", layers=numbered["Air"], online_resource=HOME),
    ]
    assert [each.is_new for each in record(catalogue, *map(met, seen))] == [
        True,
        True,
        True,
    ]


def test_maps_of_one_server_are_apart_though_all_give_the_address_of_the_server(
    catalogue,
):
    """The parameter map= was forgotten in the address; the files were copied, so layers and titles are the same."""
    server = "http://maps.example.org/cgi-bin/mapserv"
    years = [
        replace(SERVICE, endpoint=f"{server}?map=y{year}.map", abstract=f"{year}", fingerprint=f"{year}",
                online_resource=server + "?")
        for year in (2019, 2020, 2021)
    ]  # fmt: skip
    assert [each.is_new for each in record(catalogue, *map(met, years))] == [
        True,
        True,
        True,
    ]


def test_two_paths_of_one_server_are_one_service_where_the_document_names_one_of_them(
    catalogue,
):
    wms = replace(SERVICE, online_resource="http://maps.example.org/ows?")
    ows = at(
        "maps.example.org", "1.1.1", online_resource="http://maps.example.org/ows?"
    )
    assert [each.is_new for each in record(catalogue, met(wms), met(ows))] == [
        True,
        False,
    ]


def test_true_mirrors_that_give_their_own_addresses_are_one(catalogue):
    mirrors = [
        replace(
            SERVICE,
            endpoint=f"http://m{n}.example.org/wms",
            online_resource=f"http://m{n}.example.org/wms?",
        )
        for n in range(3)
    ]
    assert [each.is_new for each in record(catalogue, *map(met, mirrors))] == [
        True,
        False,
        False,
    ]


STOCK_HOSTS = [
    "geo.agency.example.org",
    "gis.city.example.net",
    "maps.firm.example.com",
]


def stock(host, **more):
    """A server program as it comes out of its box, with the same demo layers and its own address."""
    address = f"http://{host}/geoserver/wms"
    return replace(
        SERVICE, endpoint=address, **({"online_resource": address + "?"} | more)
    )


def in_operations(host):
    """GeoServer gives its makers' home page until somebody sets another; its operations have its own address."""
    operations = (
        Operation("GetCapabilities", get=f"http://{host}/geoserver/ows?SERVICE=WMS&"),
    )
    return stock(host, online_resource="http://geoserver.org", operations=operations)


@pytest.mark.parametrize("install", [stock, in_operations])
def test_stock_installations_that_give_their_own_addresses_are_apart(
    catalogue, install
):
    """R2 of the thesis (section 4.3.3) takes documents for one service where they give one address: these do not."""
    first = record(catalogue, *(met(install(host)) for host in STOCK_HOSTS))
    assert [each.is_new for each in first] == [True, True, True]
    again = record(catalogue, *(met(install(host)) for host in STOCK_HOSTS))
    assert [each.is_new for each in again] == [False, False, False]
    assert catalogue.count().services == 3


def test_stock_installations_of_other_providers_are_apart(catalogue):
    def wps(host, name):
        return stock(
            host, kind="wps", online_resource=f"http://{host}/", provider=Provider(name)
        )

    seen = [wps("a.example.org", "Agency"), wps("b.example.net", "City"), wps("c.example.com", " the  CITY "),
            wps("d.example.edu", "")]  # fmt: skip
    assert [each.is_new for each in record(catalogue, *map(met, seen))] == [
        True,
        True,
        True,
        False,
    ]


def test_a_mirror_of_one_of_many_stock_installations_is_an_address_of_that_one(
    catalogue,
):
    others = [stock(f"geo.s{n}.example") for n in range(20)]
    home, mirror = stock("geo.agency.example.org"), stock("mirror.agency.example.org")
    assert all(each.is_new for each in record(catalogue, *map(met, [*others, home])))
    assert record(catalogue, met(mirror)) == [Recorded(home.id, False)]


def test_an_address_that_shows_its_own_document_now_is_an_alias_no_longer(catalogue):
    unset = [
        stock(host, online_resource="http://localhost:8080/geoserver/wms")
        for host in STOCK_HOSTS[:2]
    ]
    assert [each.is_new for each in record(catalogue, *map(met, unset))] == [
        True,
        False,
    ]
    record(catalogue, met(stock(STOCK_HOSTS[0])))
    own = stock(STOCK_HOSTS[1])
    assert record(catalogue, met(own, on="http://later.example.org/")) == [
        Recorded(own.id, True)
    ]
    assert catalogue.count().services == 2


HOSTS = st.sampled_from(
    ["h0.example.org", "h1.example.org", "h2.example.net", "h3.example.com"]
)
OWN = "its own address"
GIVEN = st.sampled_from(
    [
        "",
        OWN,
        "http://localhost/ows",
        "http://h0.example.org/ows?",
        "http://proxy.example.org/ows?",
    ]
)
PROVIDERS = st.sampled_from(["", "", "Agency", "City"])
OBSERVED = st.builds(
    lambda host, way, title, version, page, given, provider: (
        Service(
            "wms", f"http{way}://{host}/ows", f"1.{version}", (f"1.{version}",), f"Title {title}",
            layers=(Layer(f"l{title}"),) if title else (), fingerprint=f"f{title} {version}",
            online_resource=f"http://{host}/ows?" if given == OWN else given, provider=Provider(provider),
        ),
        page,
    ),
    HOSTS, st.sampled_from(["", "s"]), st.integers(0, 3), st.integers(0, 2), st.integers(0, 2), GIVEN, PROVIDERS,
)  # fmt: skip
LOOKS = st.tuples(st.integers(0, 20), st.sampled_from([True, False, None]))


class CatalogueLaws(RuleBasedStateMachine):
    """Every catalogue keeps the same of the same observations, and a follower learns all of it, however it reads."""

    store_name = "sqlite"

    def __init__(self):
        super().__init__()
        self.closing = ExitStack()
        self.followed = [{}, {}]
        self.since = [0, 0]
        self.minutes = 0

    @initialize()
    def open(self):
        folder = self.closing.enter_context(tempfile.TemporaryDirectory())
        store = open_sql(self.store_name, folder, SystemClock())
        if self.store_name == "sqlite":
            # nothing is killed here
            store.database._writer.execute("PRAGMA synchronous = OFF")
        self.closing.callback(store.close)
        self.catalogues = [MemoryCatalogue(), store.catalogue]

    @rule(
        observed=st.lists(OBSERVED, min_size=1, max_size=3),
        look=LOOKS,
        alone=st.booleans(),
    )
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
            batch.append(
                Check(observed[0][0].id, at - timedelta(minutes=look[0]), look[1])
            )
        before = [catalogue.count().services for catalogue in self.catalogues]
        told = [record(catalogue, *batch) for catalogue in self.catalogues]
        assert told[0] == told[1]
        for catalogue, count, recorded in zip(
            self.catalogues, before, told, strict=True
        ):
            # A service may part from addresses elsewhere, which then are one of their own.
            assert catalogue.count().services >= count + sum(
                each.is_new for each in recorded
            )
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
            self.followed[which][change.number] = (
                *said,
                change.state,
                change.popularity,
            )
        self.since[which] = found.upto

    @invariant()
    def a_follower_that_has_read_all_knows_all(self):
        for which, catalogue in enumerate(getattr(self, "catalogues", ())):
            if catalogue.changes(self.since[which], 0).latest == self.since[which]:
                known = [
                    self.followed[which][number]
                    for number in sorted(self.followed[which])
                ]
                entries = list(catalogue.entries())
                # An address that is added changes nothing that a follower must learn.
                assert [
                    (replace(s, aliases=()), t, state) for s, t, state, _ in known
                ] == [
                    (replace(e.service, aliases=()), e.topics, e.health.state)
                    for e in entries
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


CatalogueLaws.TestCase.settings = fuzzed(
    30, stateful_step_count=10, suppress_health_check=list(HealthCheck)
)
TestCatalogueLaws = CatalogueLaws.TestCase


class CatalogueLawsInPostgres(CatalogueLaws):
    store_name = "postgres"


CatalogueLawsInPostgres.TestCase.settings = CatalogueLaws.TestCase.settings
TestCatalogueLawsInPostgres = CatalogueLawsInPostgres.TestCase


def test_the_addresses_at_which_services_were_met_are_kept_as_they_were_found(
    catalogue,
):
    """Of a request that was added to an address, the address; the latest, oldest first."""
    found = replace(
        sighting(SERVICE), url="http://maps.example.org/wms?request=GetCapabilities"
    )
    guessed = replace(
        sighting(SERVICE, on="http://maps.example.org/bare"),
        url="http://maps.example.org/bare?x=1",
    )
    guessed = replace(guessed, via=Via.GUESS)
    record(
        catalogue,
        Observation(SERVICE, sighting(SERVICE)),
        Observation(SERVICE, found),
        Observation(SERVICE, guessed),
    )
    assert list(catalogue.met_at(2)) == [found.url, "http://maps.example.org/bare"]
