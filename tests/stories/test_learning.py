"""What the adaptive order learns goes on through a resumed crawl and into the next one, and can be asked about."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import command_line
import pytest

from geohound.cli.demo import geoweb_running
from geohound.net.clock import SystemClock
from geohound.orders.adaptive import Adaptive
from geohound.stores.sqlite import open_store
from geoweb import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
QUICK = {"GEOHOUND_HOST_DELAY_S": "0.01", "GEOHOUND_SLOW_HOST_FACTOR": "0"}


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[list[str], list[str]]]:
    world = World(3, 12, 150, trouble=False)
    with geoweb_running(world) as port:
        yield (
            list(world.seeds),
            ["--connect-to", f"*.test=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8"],
        )


def geohound(*words: str) -> list[dict]:
    done = command_line.geohound(*words, "--json", **QUICK)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def visits_in(state: bytes) -> int:
    """How many visits a stored order remembers."""
    order = Adaptive()
    order.restore(state)
    return sum(record.visits for record in order._hosts._records.values())


def stored(catalogue: Path) -> bytes:
    store = open_store(catalogue, SystemClock())
    try:
        return store.tasks.checkpoint(1).order_state
    finally:
        store.close()


def test_learning_goes_on_in_a_resumed_crawl_and_in_the_next_one(
    web, tmp_path: Path
) -> None:
    seeds, network = web
    catalogue, learned = tmp_path / "c.db", tmp_path / "learned"
    geohound(
        "crawl", *seeds, *network, "--catalogue", str(catalogue), "--max-pages", "60", "--learned", str(learned)
    )  # fmt: skip
    first = visits_in(stored(catalogue))
    assert first >= 50
    assert visits_in(learned.read_bytes()) == first

    told = geohound("visits", "--why", "--catalogue", str(catalogue))
    followed = [
        visit
        for visit in told
        if visit["parent"] and visit["was_asked"] and not visit["probe"]
    ]
    assert followed
    assert all(
        visit["why"] and {"what", "weight"} <= set(visit["why"][0])
        for visit in followed
    )
    reasons = {
        part["what"].partition(":")[0] for visit in followed for part in visit["why"]
    }
    assert {"any link", "its host"} <= reasons
    sizes = [abs(part["weight"]) for part in followed[0]["why"]]
    assert sizes == sorted(sizes, reverse=True), "weightiest first"

    geohound("resume", *network, "--catalogue", str(catalogue), "--max-pages", "120")
    resumed = visits_in(stored(catalogue))
    assert resumed > first, "a resumed crawl adds to what was learned"

    geohound(
        "crawl", *seeds, *network, "--catalogue", str(tmp_path / "d.db"), "--max-pages", "30",
        "--learned", str(learned),
    )  # fmt: skip
    assert visits_in(learned.read_bytes()) >= resumed + 20, (
        "the next crawl starts from what the last one left"
    )
