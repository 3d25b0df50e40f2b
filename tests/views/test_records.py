"""Records: the fields that programs rely on, and what checks and sightings add up to."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from geohound.model.addresses import VIEW_LIMIT_S
from geohound.model.bbox import BBox
from geohound.model.biography import CheckTotals, LifeChange, LifeEvent
from geohound.model.health import Check, HealthState
from geohound.model.search.query import Hit
from geohound.model.service import (
    Extent,
    Layer,
    Operation,
    Refusal,
    RefusalReason,
    Service,
    Sighting,
    Verdict,
)
from geohound.model.visit import Via
from geohound.views.encoding import encode, plain
from geohound.views.known import health_record, history
from geohound.views.records import hit_record, identified, service_record

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
BOX = Extent(BBox(5.123456789, 47.0, 15.0, 55.0))
ROADS = Service(
    "wms",
    "https://roads.example/wms",
    version="1.3.0",
    title="Roads",
    extent=BOX,
    layers=(Layer("a", "A", extent=BOX),),
)
SAID = (  # of a service, by every command
    "kind", "version", "versions", "endpoint", "title", "abstract", "keywords", "layers", "bbox", "software",
    "provider", "access",
)  # fmt: skip


def test_identify_has_the_fields_that_programs_rely_on() -> None:
    record = identified("roads.xml", Verdict((ROADS,)), 12.345)
    assert {*SAID, "input", "refusal", "elapsed_ms", "kinds"} <= set(record)
    assert (record["kind"], record["kinds"], record["refusal"]) == (
        "wms",
        ["wms"],
        None,
    )
    assert {"name", "title", "bbox"} <= set(record["layers"][0])
    assert record["bbox"] == record["layers"][0]["bbox"] == [5.123457, 47.0, 15.0, 55.0]
    assert record["elapsed_ms"] == 12.3


def test_of_many_reference_systems_a_layer_says_the_first_and_how_many() -> None:
    many = tuple(f"EPSG:{code}" for code in range(2000, 9000))
    layers = tuple(Layer(f"l{n}", crs=many) for n in range(300))
    record = identified("a", Verdict((replace(ROADS, layers=layers, crs=many),)), 1.0)
    assert record["crs"] == list(many)
    for layer in record["layers"]:
        assert layer["crs"] == list(many[:100])
        assert layer["crs_count"] == 7000


def test_what_is_no_service_has_the_same_fields_with_nothing_in_them() -> None:
    record = identified(
        "page.html", Verdict(refusal=Refusal(RefusalReason.HTML_PAGE, "Welcome")), 1.0
    )
    assert set(record) == set(identified("roads.xml", Verdict((ROADS,)), 12.345))
    nothing = ("kind", "id", "state", "endpoint", "version", "bbox", "software")
    assert {name: record[name] for name in nothing} == dict.fromkeys(nothing)
    assert (record["kinds"], record["layers"]) == ([], [])
    assert record["refusal"] == {"reason": "HTML page", "detail": "Welcome"}


def test_a_template_is_no_endpoint_of_a_saved_answer() -> None:
    """A saved OpenSearch description gives patterns of searches; where it was it may say by a link to itself."""
    search = Operation(
        "search", get="http://g.example/s?q={searchTerms}&bbox={geo:box}"
    )
    saved = Service("opensearch", "file:///tmp/os.xml", operations=(search,))
    assert identified("os.xml", Verdict((saved,)), 1.0)["endpoint"] is None
    saved = replace(saved, online_resource="http://g.example/os.xml")
    assert (
        identified("os.xml", Verdict((saved,)), 1.0)["endpoint"]
        == "http://g.example/os.xml"
    )


def test_a_saved_answer_has_the_endpoint_that_it_names_itself() -> None:
    saved = Service(
        "wms",
        "file:///tmp/roads.xml",
        online_resource="https://roads.example/wms?service=WMS",
    )
    assert (
        identified("roads.xml", Verdict((saved,)), 1.0)["endpoint"]
        == "https://roads.example/wms"
    )
    assert (
        identified(
            "roads.xml", Verdict((Service("wms", "file:///tmp/roads.xml"),)), 1.0
        )["endpoint"]
        is None
    )


def test_a_hit_has_the_fields_that_programs_rely_on() -> None:
    record = plain(
        hit_record(
            Hit(
                ROADS,
                ROADS.layers,
                0.12345678,
                "words",
                HealthState.ALIVE,
                9,
                1,
                ("0" * 16,),
            )
        )
    )
    assert {
        "id",
        "kind",
        "endpoint",
        "title",
        "score",
        "bbox",
        "layers",
        "state",
        "why",
    } <= set(record)
    assert record["layers"] == [
        {"name": "a", "title": "A", "bbox": [5.123457, 47.0, 15.0, 55.0]}
    ]
    assert (record["score"], record["layer_count"], record["match_count"]) == (
        0.123457,
        9,
        1,
    )


def test_a_record_can_be_written_whatever_a_service_declares() -> None:
    hostile = Extent(None, (float("nan"), float("-inf"), 1.0, 2.0))
    record = service_record(
        Service("wms", "https://a.example/", title="lone \ud800", extent=hostile),
        HealthState.UNKNOWN,
    )
    written = json.loads(encode(record))
    assert written["title"] == "lone ?"
    assert written["extent"]["declared"] == [None, None, 1.0, 2.0]


def checks(*looks: tuple[int, bool | None, float], reason: str = "") -> list[Check]:
    """Looks so many days before noon."""
    return [
        Check("s", NOON - timedelta(days=days), ok, "" if ok else reason, elapsed_s)
        for days, ok, elapsed_s in looks
    ]


def test_health_has_the_fields_that_programs_rely_on() -> None:
    record = plain(health_record((), NOON))
    assert record == {
        "state": "unknown", "reason": None, "since": None, "availability": {"7d": None, "30d": None, "365d": None},
        "latency_ms": {"p50": None, "p95": None}, "checks": 0, "next_check": None, "score": None, "score_band": None,
        "score_parts": None, "provisional": None, "layers_checked": 0, "layers_failing": [],
        "availability_interval": {"7d": None, "30d": None, "365d": None},
        "inspire": {
            "availability": None, "availability_met": None, "response_s": None, "limit_s": 10.0, "response_met": None,
        },
    }  # fmt: skip


def test_availability_is_the_share_of_so_many_days_by_clear_looks() -> None:
    """Each stands for the time since the one before, and for none before these days."""
    looks = checks(
        (400, False, 1.0),
        (100, False, 1.0),
        (20, False, 1.0),
        (10, True, 1.0),
        (3, None, 1.0),
        (1, True, 1.0),
    )
    availability = plain(health_record(looks, NOON).availability)
    assert availability == {
        "7d": 1.0,
        "30d": pytest.approx(19 / 29),
        "365d": pytest.approx(19 / 364),
    }


def test_latency_is_that_of_the_good_answers() -> None:
    looks = checks(*[(30 - n, True, n / 10) for n in range(1, 21)], (2, False, 99.0))
    latency = health_record(looks, NOON).latency_ms
    assert (latency.p50, latency.p95) == (1000.0, 1900.0), "the 10th and the 19th of 20"


@pytest.mark.parametrize(
    ("looks", "state", "reason"),
    [
        (((2, False, 1.0), (1, True, 1.0)), HealthState.ALIVE, None),
        (((2, True, 1.0), (1, False, 1.0)), HealthState.UNSURE, "timeout"),
        (((2, False, 1.0), (1, None, 1.0)), HealthState.UNSURE, "timeout"),
        (
            tuple((days, False, 1.0) for days in (5, 4, 3, 2, 1)),
            HealthState.DEAD,
            "timeout",
        ),
        (((1, None, 1.0),), HealthState.UNSURE, "timeout"),
    ],
)
def test_the_reason_is_that_of_the_look_which_decides_the_state(
    looks, state: HealthState, reason: str | None
) -> None:
    record = health_record(checks(*looks, reason="timeout"), NOON)
    assert (record.state, record.reason) == (state, reason)


def test_history_tells_what_has_changed_and_nothing_else() -> None:
    seen = [
        Sighting(
            "s", "https://a.example/wms", "https://a.example/", Via.LINK, "", NOON
        ),
        Sighting(
            "s",
            "https://a.example/wms",
            "https://b.example/",
            Via.LINK,
            "",
            NOON + timedelta(hours=1),
        ),
    ]
    events = [
        LifeEvent(
            "s",
            NOON + timedelta(days=2),
            LifeChange.STATE,
            "alive to unsure: log-in wall",
        )
    ]
    assert [
        ((entry.at - NOON).days, entry.change, entry.detail)
        for entry in history(events, seen)
    ] == [
        (0, "found", "link on https://a.example/"),
        (2, "state", "alive to unsure: log-in wall"),
    ]
    assert list(history((), ())) == []


def test_what_is_of_several_kinds_is_identified_with_the_layers_of_all_each_once() -> (
    None
):
    features = Service(
        "ogcapi-features", "https://a.test/", layers=(Layer("lakes"), Layer("both"))
    )
    coverages = Service(
        "ogcapi-coverages", "https://a.test/", layers=(Layer("both"), Layer("height"))
    )
    record = identified("https://a.test/", Verdict((features, coverages)), 1.0)
    assert record["kinds"] == ["ogcapi-features", "ogcapi-coverages"]
    assert [layer["name"] for layer in record["layers"]] == ["lakes", "both", "height"]
    assert record["layer_count"] == 3


def test_availability_has_an_interval_and_counts_weeks_that_are_summed_up() -> None:
    """Wilson, 95 %: of 3 good ones of 4 between 0.3006 and 0.9544 (worked out by the formula of Wilson 1927)."""
    week = int((NOON - timedelta(days=100)).timestamp() // 604800)
    looks = checks((4, True, 0.1), (3, True, 0.1), (2, True, 0.1), (1, False, 0.0))
    record = health_record(
        looks, NOON, VIEW_LIMIT_S, [CheckTotals(week, 90, 6, 3, 45.0)]
    )
    shown = plain(record)
    assert shown["availability"]["365d"] == pytest.approx((7 * 90 / 96 + 3) / 11)
    assert shown["availability"]["30d"] == pytest.approx(3 / 4)
    assert shown["availability_interval"]["30d"] == pytest.approx(
        [0.3006, 0.9544], abs=0.0001
    )
    assert shown["checks"] == 4 + 99
    assert shown["inspire"]["availability_met"] is False
    assert shown["inspire"]["limit_s"] == 5.0, (
        "view services: 5 s (regulation 976/2009, annex I)"
    )


def test_whether_99_percent_are_met_is_not_said_of_few_checks() -> None:
    def met(good: int, failed: int) -> bool | None:
        checks = [
            Check("s", NOON - timedelta(hours=hour), hour >= failed)
            for hour in range(good + failed)
        ]
        return health_record(checks[::-1], NOON, VIEW_LIMIT_S).inspire.availability_met

    assert met(10, 0) is None
    assert met(5, 5) is False, "half of ten is not 99 %, whatever comes"
    assert met(199, 1) is True
    assert met(190, 10) is False
