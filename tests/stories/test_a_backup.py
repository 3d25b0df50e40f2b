"""A catalogue in PostgreSQL is backed up while it is crawled into, as the guide says, and the crawl goes on in the copy."""

from __future__ import annotations

import asyncio
import re
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from geoweb_rig import Observed, calm
from postgres_server import Server, programs

from geohound import app
from geohound.model.catalogue import Filter
from geohound.model.search.query import Query
from geohound.settings import Settings
from geohound.tasks.spec import crawl_spec
from geoweb import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

WORLD = World(seed=3, hosts=24, pages=300, trouble=calm())
GUIDE = Path(__file__).parents[2] / "docs" / "cluster.md"


@pytest.fixture
def server():
    started = Server()
    started.start()
    yield started
    started.close()


def database(server: Server, name: str) -> str:
    with psycopg.connect(server.address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.address.replace("/postgres", f"/{name}")


def run_guide(number: int, **names: str) -> None:
    """The command of the guide for a backup (0), or to restore it (1)."""
    (line,) = re.findall(r"- \*\*Backup\*\*: .*", GUIDE.read_text("utf-8"))
    words = re.findall(r"`(pg_\w+ [^`]+)`", line)[number].split()
    command = [names.get(word, word) for word in words]
    into = command[command.index(">") + 1] if ">" in command else ""
    command = command[: command.index(">")] if into else command
    done = subprocess.run(
        [str(programs() / command[0]), *command[1:]],
        check=True,
        stdout=subprocess.PIPE,
    )
    if into:
        Path(into).write_bytes(done.stdout)


def services(settings: Settings) -> set[str]:
    with app.open_catalogue(settings) as opened:
        return {
            entry.service.endpoint for entry in opened.catalogue.entries(Filter(task=1))
        }


def settled(settings: Settings) -> int:
    """How many URLs are done with."""
    with psycopg.connect(settings.catalogue) as connection:
        sql = "SELECT count(*) FROM url WHERE state IN (1, 2)"
        return int(connection.execute(sql).fetchone()[0])


async def crawl(settings: Settings) -> None:
    with app.task_runner(settings) as (runner, _):
        await runner.run(1)


def test_a_crawl_goes_on_in_the_copy_that_was_made_while_it_ran(
    server: Server, tmp_path: Path
) -> None:
    first, empty = database(server, "geoweb"), database(server, "empty")
    dump = str(tmp_path / "geoweb.dump")
    with Observed(WORLD) as web:
        values = {
            "host_delay_s": 0.05, "slow_host_factor": 0.0, "processes": 1,
            "connect_to": (f"*.test=127.0.0.1:{web.port}",), "allow_nets": ("127.0.0.0/8",),
            # What is likely follows from the catalogue as a run finds it: a second run begins with more.
            "likely_addresses": False,
        }  # fmt: skip
        settings = Settings(catalogue=first, **values)
        copied = replace(settings, catalogue=empty)
        app.new_task(settings, crawl_spec(settings, tuple(WORLD.seeds)))

        async def story() -> None:
            crawling = asyncio.create_task(crawl(settings))
            async with asyncio.timeout(60):
                while len(web.asked) < 60:
                    await asyncio.sleep(0.02)
            await asyncio.to_thread(
                run_guide, 0, **{"geoweb": first, "geoweb.dump": dump}
            )
            assert not crawling.done()
            await crawling

        asyncio.run(story())
        asked = len(web.asked)
        run_guide(1, **{"empty": empty, "geoweb.dump": dump})
        before = settled(copied)
        with closing(app.open_store(copied)) as store:
            # The process that crawled is that of this test, and has not ended.
            store.tasks.expire(store.tasks.get(1).claim)
        asyncio.run(crawl(copied))
        again = len(web.asked) - asked
    with app.open_catalogue(copied) as opened:
        found = opened.index.search(Query("")).total
    assert 0 < before < settled(copied) == settled(settings)
    assert again < asked  # what the copy knew was not asked again
    assert services(copied) == services(settings)
    assert len(services(settings)) >= 5
    assert found >= len(services(settings))
