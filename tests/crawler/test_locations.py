"""A service that a crawl proves is kept with the place of the host that answered, and announced (PH-5, PH-6, PH-8).

"As a new service is identified, a balloon will be popped up in the map component (box 2) to display the host location
for this service. … Each service will be assigned a quality score, ranging from 0 (low quality) to 100 (high quality)"
(Li, Wang & Bhatia 2016, section 5)
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from geohound import app
from geohound.cli.demo import for_geoweb, geoweb_running
from geohound.event_loop import run_async
from geohound.model.crawl.event import ServiceFound
from geohound.model.search.query import Query
from geohound.settings import Settings
from geohound.tasks.spec import crawl_spec
from geohound.views.known import location_record
from geoweb import World
from geoweb.host_places import HostPlace, host_places

pytestmark = pytest.mark.slow


def test_services_are_kept_announced_and_searched_at_the_place_of_their_host(
    tmp_path: Path,
) -> None:
    world = World(3, 8, 80, trouble=False)
    places = {place.host: place for place in host_places(world)}
    file = tmp_path / "places.csv"
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows([HostPlace._fields, *places.values()])
    with geoweb_running(world) as port:
        settings = for_geoweb(
            Settings(catalogue=str(tmp_path / "c.db"), processes=1), port
        )
        settings = replace(settings, host_places=str(file), max_pages=60)
        found: list[ServiceFound] = []
        task = app.new_task(settings, crawl_spec(settings, tuple(world.seeds)))
        with app.task_runner(
            settings, lambda e: found.append(e) if isinstance(e, ServiceFound) else None
        ) as (
            runner,
            _,
        ):
            run_async(runner.run(task))
    assert found
    for event in found:
        place = places[event.endpoint.partition("://")[2].partition("/")[0]]
        assert (event.lat, event.lon, event.country) == (
            place.lat,
            place.lon,
            place.country,
        )
        assert event.score is not None
        assert 0 <= event.score <= 100
    with app.open_catalogue(settings) as opened:
        service = opened.catalogue.get(found[0].id)
        assert service is not None
        record = location_record(service)
        assert record is not None
        assert (record.lat, record.lon, record.source) == (
            found[0].lat,
            found[0].lon,
            "own list",
        )
        hits = opened.index.search(
            Query(countries=(found[0].country,), limit=100, fold=False)
        ).hits
        assert {hit.service.id for hit in hits} >= {
            e.id for e in found if e.country == found[0].country
        }
