"""What a request proved the last time, and when that may be relied on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.service import CachedProof, Layer, Service, Sighting
from geohound.model.visit import Validators, Via
from geohound.stores.sql.services import proofs

NOW = datetime.now(UTC)
URL = "http://maps.test/ows?REQUEST=GetCapabilities&SERVICE=WMS"
WMS = Service(
    "wms",
    "http://maps.test/ows",
    "1.3.0",
    title="Maps",
    layers=(Layer("roads"),),
    fingerprint="f",
)
TAG = Validators('"1"', "")


def keep(store, service=WMS, validators=TAG, at=NOW, url=URL):
    sighting = Sighting(service.id, url, "http://a.test/", Via.LINK, "", at)
    catalogue = store.catalogue
    check = Check(service.id, at, True, asked=url, validators=validators)
    catalogue.record_now([Observation(service, sighting, check)])
    return catalogue


def remembered(catalogue, url):
    return catalogue.known_at(url).proved.get(url)


def test_what_a_request_proved_is_recalled_with_its_validators(store):
    told = remembered(keep(store), URL)
    assert told == CachedProof(TAG, (replace(WMS, aliases=()),))
    assert remembered(store.catalogue, URL + "&VERSION=1.1.1") is None


def test_one_answer_may_prove_several(store):
    keep(store)
    other = Service("wcs", "http://maps.test/ows", "2.0.1", title="Coverages")
    told = remembered(keep(store, other), URL)
    assert told is not None
    assert {service.kind for service in told.services} == {"wms", "wcs"}
    keep(store, other, Validators('"2"', ""))
    assert remembered(store.catalogue, URL) is None, (
        "they no longer came with one answer"
    )


def test_an_answer_without_validators_ends_it(store):
    keep(store)
    assert remembered(keep(store, validators=None), URL) is None


def test_it_is_read_in_full_now_and_then(store):
    keep(store, at=NOW - timedelta(days=29))
    assert remembered(keep(store, at=NOW - timedelta(days=5)), URL) is not None
    told = store.catalogue._database.read().execute("SELECT at FROM proof").fetchone()
    assert told[0] == (NOW - timedelta(days=29)).timestamp(), (
        "a 304, or the same tag, does not make it younger"
    )


def test_after_a_month_nothing_is_relied_on_until_it_was_read_again(store):
    keep(store, at=NOW - timedelta(days=31))
    assert remembered(store.catalogue, URL) is None
    assert remembered(keep(store), URL) is not None


def test_what_another_geohound_read_is_read_anew(store, monkeypatch):
    keep(store)
    monkeypatch.setattr(proofs, "__version__", "99.0")
    assert remembered(store.catalogue, URL) is None


def test_a_lower_version_of_the_document_is_no_proof_of_the_higher(store):
    keep(store)
    low = URL + "&VERSION=1.1.1"
    keep(
        store,
        replace(WMS, version="1.1.1", fingerprint="g"),
        Validators('"low"', ""),
        url=low,
    )
    assert remembered(store.catalogue, low) is None
    assert remembered(store.catalogue, URL) is not None


def test_a_mirror_does_not_speak_for_its_original(store):
    keep(store)
    mirror = "http://mirror.test/ows?SERVICE=WMS"
    keep(store, replace(WMS, endpoint="http://mirror.test/ows"), url=mirror)
    assert store.catalogue.get(WMS.id).aliases == ("http://mirror.test/ows",)
    assert remembered(store.catalogue, mirror) is None


def test_an_answer_of_which_only_a_part_is_kept_stands_for_none_of_it(store):
    other = Service("wcs", "http://maps.test/ows", "2.0.1", title="Coverages")
    keep(store)
    keep(store, other)
    assert remembered(keep(store, other, validators=None), URL) is None


def test_what_is_known_at_an_address_are_all_requests_that_proved_a_service_there(
    store,
):
    keep(store)
    known = store.catalogue.known_at("http://maps.test/ows")
    assert known.proved == {URL: CachedProof(TAG, (replace(WMS, aliases=()),))}
    assert known.endpoints == {"http://maps.test/ows"}
    nothing = store.catalogue.known_at("http://maps.test/other")
    assert not nothing.proved
    assert not nothing.endpoints
