"""A service whose description is spread over several documents is put together from all of them."""

from __future__ import annotations

from geohound.model.service import Layer, Service
from geohound.model.service_merge import companions, join

ROOT = "http://api.town.test/ogc"
LANDING = Service(
    "ogcapi-features",
    ROOT,
    title="Town",
    companions=("c1", "c2"),
    provisional=True,
    fingerprint="a",
)
CONFORMANCE = Service(
    "ogcapi-tiles", ROOT, version="1.0", companions=("c2",), fingerprint="b"
)
COLLECTIONS = Service("ogcapi-tiles", ROOT, layers=(Layer("lakes"),), fingerprint="c")


def test_a_guess_gives_way_and_its_title_stays_with_the_address() -> None:
    (service,) = join([LANDING], [CONFORMANCE, COLLECTIONS])
    assert (service.kind, service.title, service.version) == (
        "ogcapi-tiles",
        "Town",
        "1.0",
    )
    assert [layer.name for layer in service.layers] == ["lakes"]
    assert not service.provisional
    assert service.companions == ()


def test_a_guess_stands_where_nobody_says_otherwise() -> None:
    (service,) = join([LANDING], [])
    assert (service.kind, service.provisional) == ("ogcapi-features", True)


def test_the_order_of_the_documents_does_not_change_the_fingerprint() -> None:
    one = {s.kind: s.fingerprint for s in join([CONFORMANCE], [COLLECTIONS])}
    other = {s.kind: s.fingerprint for s in join([COLLECTIONS], [CONFORMANCE])}
    assert one == other


def test_services_elsewhere_are_not_joined() -> None:
    stranger = Service("ogcapi-tiles", "http://other.test/", title="Other")
    assert [(s.endpoint, s.title) for s in join([CONFORMANCE], [stranger])] == [
        (ROOT, "")
    ]


def test_companions_are_named_once() -> None:
    assert companions([LANDING, CONFORMANCE]) == ("c1", "c2")
