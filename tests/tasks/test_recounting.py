"""The numbers of a task as its durable records have them."""

from __future__ import annotations

from pathlib import Path

from geohound.model.catalogue import Discovered, Observation
from geohound.model.crawl.task import TaskSpec
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store
from geohound.tasks.recounting import recount


def met(service: Service, task: int, via: Via, on: str = "") -> Observation:
    return Observation(
        service,
        Sighting(service.id, service.endpoint, on, via, "", SystemClock().now(), task),
    )


def test_a_task_has_found_what_it_was_the_first_to_see(tmp_path: Path) -> None:
    store = open_store(tmp_path / "c.db", SystemClock())
    first, second = (store.tasks.create(TaskSpec()).id for _ in range(2))
    known = Service("wms", "http://a.test/wms", layers=(Layer("a"), Layer("b")))
    new = Service("wfs", "http://b.test/wfs", layers=(Layer("c"),))
    store.catalogue.record_now([met(known, first, Via.LINK)])
    store.catalogue.record_now(
        [met(known, second, Via.SCRIPT, "http://c.test/"), met(new, second, Via.SCRIPT)]
    )
    assert store.catalogue.discovered(first) == [Discovered("wms", "link", 1, 2)]
    assert store.catalogue.discovered(second) == [Discovered("wfs", "script", 1, 1)]
    told = recount(store, second, {"pages": 5, "services": 0, "elapsed_s": 2.5})
    assert (told["pages"], told["services"], told["layers"], told["elapsed_s"]) == (
        5,
        1,
        1,
        2.5,
    )
    assert (told["kinds"], told["via"]) == ({"wfs": 1}, {"script": 1})
    store.close()
