"""Reports on what the monitor saw: changes between two dates, half-life, availability by site."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import geohound

from geohound.model.availability import Span, of_spans
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.inspire import is_available
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.reports import CATALOGUE_REPORTS, CatalogueFacts
from geohound.reports.halflife import Life, half_life
from geohound.stores.sqlite import open_store

DECEMBER = datetime(2008, 12, 15, tzinfo=UTC)
JUNE = datetime(2009, 6, 15, tzinfo=UTC)


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    """Ten services of December; by June four of them have died and three others have come."""
    path = tmp_path_factory.mktemp("reports") / "c.db"
    store = open_store(path, SystemClock())
    met = []
    for number in range(13):
        at = DECEMBER if number < 10 else JUNE - timedelta(days=7)
        service = Service(
            "wms",
            f"http://h{number}.site{number % 2}.test/wms",
            fingerprint=str(number),
        )
        seen = Sighting(
            service.id,
            service.endpoint,
            "http://p.test/",
            Via.LINK,
            "",
            at,
            depth=number % 3,
        )
        met.append(
            Observation(service, seen, Check(service.id, at, True, elapsed_s=0.1))
        )
        if number < 4:
            died = JUNE - timedelta(days=30)
            met += [
                Check(
                    service.id, died + timedelta(hours=n), False, "not found: HTTP 404"
                )
                for n in range(3)
            ]
    store.catalogue.record_now(met)
    store.close()
    return path


def facts(path: Path, **more) -> CatalogueFacts:
    store = open_store(path, SystemClock())
    return CatalogueFacts(store.catalogue, history=store.history, now=JUNE, **more)


def test_between_two_dates_services_are_new_and_gone(path: Path) -> None:
    """Li, Yang & Yang 2010, section 6.3: 228 more live WMSs by June 2009, 168 of December 2008 dead by June 2009."""
    table = CATALOGUE_REPORTS["changes"].table(
        facts(path, since=datetime(2009, 1, 1, tzinfo=UTC))
    )
    words = [row[0] for row in table.rows]
    assert words == ["new"] * 3 + ["gone"] * 4
    assert all(
        "not found: HTTP 404" in str(row[5]) for row in table.rows if row[0] == "gone"
    )


def test_half_life_counts_the_days_that_services_were_watched() -> None:
    """Ten services that live on for 100 days and five that died after 50: 5 deaths in 1,250 days, ln 2 · 250 days."""
    lives = [Life(100.0, died=False)] * 10 + [Life(50.0, died=True)] * 5
    found = half_life(lives)
    assert found is not None
    assert found[0] == pytest.approx(math.log(2) * 250)
    assert found[1] < found[0] < found[2]
    assert half_life([Life(100.0, died=False)]) is None


def test_one_death_is_no_half_life(path: Path) -> None:
    """One service that died after half a day would be 0.4 days."""
    assert half_life([Life(0.5, died=True)] * 2) is None
    rows = CATALOGUE_REPORTS["halflife"].table(facts(path)).rows
    assert [row[5:] for row in rows if row[:2] == ("depth", "1")] == [
        ("too few deaths", "", "")
    ]


def test_the_half_life_is_reported_for_all_by_depth_and_by_kind(path: Path) -> None:
    """Sidsten 2012, section 4.1.3: half-times between 94 and 146 days; the most stable services at depth 2."""
    rows = CATALOGUE_REPORTS["halflife"].table(facts(path)).rows
    assert [row[:4] for row in rows] == [
        ("all", "", 13, 4), ("depth", "0", 5, 2), ("depth", "1", 4, 1), ("depth", "2", 4, 1), ("kind", "wms", 13, 4),
    ]  # fmt: skip
    alive_days = 6 * (JUNE - DECEMBER).days + 3 * 7
    dead_days = 4 * ((JUNE - DECEMBER).days - 30)
    assert rows[0][5] == pytest.approx(
        math.log(2) * (alive_days + dead_days) / 4, abs=0.2
    )


def test_availability_and_response_times_stand_by_site(path: Path) -> None:
    """Sidsten 2012, section 3.5.3: which sites have the highest availability and the best connection."""
    rows = CATALOGUE_REPORTS["availability"].table(facts(path)).rows
    assert [row[:4] for row in rows] == [
        ("site0.test", 7, 5, 13),
        ("site1.test", 6, 4, 12),
    ]
    assert rows[0][4:] == ("50.0 %", 100.0, 100.0)


def test_what_inspire_asks_for_is_told_of_each_service(path: Path) -> None:
    """Regulation 976/2009: 99 % available, answers in time; few checks say nothing of 99 %.

    Of the dead, one check was good, and one failed five months later, and then two within two hours.
    """
    rows = CATALOGUE_REPORTS["inspire"].table(facts(path)).rows
    of_dead, of_living = rows[:4], rows[4:]
    assert {row[2:] for row in of_dead} == {
        (4, "49.99 %", "no", 0.1, 10.0, "yes"),
    }
    assert {row[2:] for row in of_living} == {
        (1, "100.00 %", "not known yet", 0.1, 10.0, "yes"),
    }
    slow = facts(path, limit_s=lambda kind: 0.05 if kind == "wms" else 10.0)
    assert {row[7] for row in CATALOGUE_REPORTS["inspire"].table(slow).rows} == {"no"}


@pytest.mark.parametrize(
    ("good", "failed", "met"),
    [(99, 1, True), (95, 5, False), (1, 3, False), (99, 0, None), (0, 0, None)],
)
def test_availability_is_met_missed_or_not_known_yet(
    good: int, failed: int, met: bool | None
) -> None:
    looks = [Span(3600.0, n < good) for n in range(good + failed)]
    assert is_available(of_spans(looks)) is met


def test_the_command_takes_a_date(path: Path) -> None:
    done = geohound(
        "report", "changes", "--since", "2009-06-01", "--catalogue", str(path), "--json"
    )
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["change"] for record in records[:-1]] == ["new"] * 3
    assert (
        geohound(
            "report", "changes", "--since", "soon", "--catalogue", str(path)
        ).returncode
        == 2
    )
    assert (
        geohound(
            "report", "hosts", "--since", "2009-06-01", "--catalogue", str(path)
        ).returncode
        == 2
    )


def test_the_report_without_a_monitor_is_empty(tmp_path: Path) -> None:
    store = open_store(tmp_path / "c.db", SystemClock())
    empty = CatalogueFacts(store.catalogue, now=JUNE)
    assert [
        CATALOGUE_REPORTS[name].table(empty).rows
        for name in ("changes", "halflife", "availability")
    ] == [[]] * 3
    store.close()
