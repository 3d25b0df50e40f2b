"""A list page of 2,000 services on one server, mirrors of one service, false OnlineResources, and equal demos."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from geohound import app, crawl
from geohound.settings import Settings
from geoweb import World, running
from geoweb.lists import COUNT, SEED, listed_truth

MIRRORED = frozenset(f"http://m{number}.mirrors.test/ows" for number in (1, 2, 3, 4))


@pytest.mark.slow
def test_all_listed_services_are_tested_mirrors_are_one_and_false_ones_apart(
    tmp_path: Path,
) -> None:
    """All OGC links of a list are taken in one step (section 3.1 of the thesis), and duplicates by R2 (4.3.3)."""
    path = tmp_path / "c.db"

    async def crawl_list() -> None:
        async with running(World(1, 1, 2)) as (_, port):
            options = {
                "catalogue": str(path), "connect_to": (f"*.test=127.0.0.1:{port}",), "allow_nets": ("127.0.0.0/8",),
                "host_delay_s": 0.0, "address_share": 0.0, "requests_per_address": 64, "processes": 1,
            }  # fmt: skip
            await asyncio.to_thread(lambda: crawl(SEED, **options))

    asyncio.run(crawl_list())
    with app.open_catalogue(Settings(catalogue=str(path))) as opened:
        services = [entry.service for entry in opened.catalogue.entries()]
    found = {frozenset((service.endpoint, *service.aliases)) for service in services}
    true = {
        frozenset((entry["endpoint"], *entry["aliases"])) for entry in listed_truth()
    }
    assert len(services) == len(true) == COUNT + 7
    assert MIRRORED in true
    assert found == true
