"""Services die between two crawls, each in its own way; the catalogue says so, and calls none dead too soon."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from geohound import app, crawl
from geohound.model.health import HealthState
from geohound.model.search.query import Query
from geohound.settings import Settings
from geohound.views.known import HealthRecord, health_record
from geoweb import World, running
from geoweb.placing import Fate
from geoweb.trouble import NO_TROUBLE

DYING = replace(NO_TROUBLE, dying_service=0.6)
KINDS = ("wms", "wfs", "wcs", "wmts", "arcgis-mapserver", "ogcapi-features")
WORLDS = [World(15, 16, 32, DYING, KINDS, age) for age in (0, 1)]
REASONS = {
    Fate.GONE: "not found: HTTP 404",
    Fate.BROKEN: "server error: HTTP 500",
    Fate.EXCEPTION: "exception report: Internal error: the data store cannot be reached.",
    Fate.LOGIN: "log-in wall: a page that asks for a password",
    Fate.BOT_WALL: "bot wall: ",
    Fate.REPLACED: "HTML page: ",
    Fate.SILENT: "no first byte in time",
    Fate.RATE_LIMITED: "rate limited: HTTP 429",
}


async def crawl_world(path: Path, world: World) -> None:
    async with running(world) as (_, port):
        options = {
            "catalogue": str(path), "connect_to": (f"*.test=127.0.0.1:{port}",), "allow_nets": ("127.0.0.0/8",),
            "host_delay_s": 0.0, "address_share": 0.0, "requests_per_address": 64, "retries": 0, "processes": 1,
            "busy_delay_s": 0.1, "first_byte_timeout_s": 2.0, "retry_after_s": 0.1, "max_retry_after_s": 1.0,
        }  # fmt: skip
        await asyncio.to_thread(lambda: crawl(*world.seeds, **options))


def healths(path: Path) -> Mapping[str, HealthRecord]:
    """The health of each service, by its endpoint."""
    with app.open_catalogue(Settings(catalogue=str(path))) as opened:
        now = datetime.now(UTC)
        return {
            entry.service.endpoint: health_record(
                opened.catalogue.checks(entry.service.id), now
            )
            for entry in opened.catalogue.entries()
        }


def found(path: Path, state: HealthState) -> set[str]:
    with app.open_catalogue(Settings(catalogue=str(path))) as opened:
        return {
            hit.service.endpoint
            for hit in opened.index.search(Query(states=(state,), limit=1000)).hits
        }


@pytest.mark.slow
def test_each_death_is_seen_and_named_and_only_what_is_gone_three_times_is_dead(
    tmp_path: Path,
) -> None:
    path = tmp_path / "c.db"
    young, old = WORLDS
    fates = {p.spec.endpoint: p.fate for p in old.services if p.fate is not Fate.ALIVE}
    asyncio.run(crawl_world(path, young))
    first = healths(path)
    assert {record.state for record in first.values()} == {HealthState.ALIVE}
    assert all(record.score and record.provisional for record in first.values())
    known = {endpoint: fate for endpoint, fate in fates.items() if endpoint in first}
    assert set(known.values()) == set(REASONS), (
        "each way to die happens to a service that was found"
    )

    asyncio.run(crawl_world(path, old))
    second = healths(path)
    for endpoint, fate in known.items():
        assert second[endpoint].state is HealthState.UNSURE, (
            endpoint,
            fate,
            second[endpoint],
        )
        assert (second[endpoint].reason or "").startswith(REASONS[fate]), (
            endpoint,
            fate,
            second[endpoint].reason,
        )
    assert found(path, HealthState.UNSURE) >= set(known)
    assert all(
        second[endpoint].state is HealthState.ALIVE
        for endpoint in set(second) - set(fates)
    )

    for _ in range(2):
        asyncio.run(crawl_world(path, old))
    last = healths(path)
    dead = {
        endpoint
        for endpoint, record in last.items()
        if record.state is HealthState.DEAD
    }
    assert (
        dead
        == {endpoint for endpoint, fate in known.items() if fate is Fate.GONE}
        == found(path, HealthState.DEAD)
    )
    assert all(last[endpoint].score == 0.0 for endpoint in dead)

    asyncio.run(crawl_world(path, young))
    assert {record.state for record in healths(path).values()} == {HealthState.ALIVE}, (
        "a good check makes alive"
    )
