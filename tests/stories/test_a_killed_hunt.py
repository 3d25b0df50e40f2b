"""A hunt that is killed again and again: nobody is asked twice for a page."""

from __future__ import annotations

import json
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from geoweb_rig import Hound, ended, kill_group
from search_server import Said, provider

QUICK = {"host_delay_s": 0, "address_share": 0, "slow_host_factor": 0, "processes": 1}
KILLS = 20
QUERIES = 90
WORDS = (
    "hunt",
    "wms",
    "--topic",
    "land_cover",
    "--steps",
    "search",
    "--max-queries",
    str(QUERIES),
)


class Engine:
    """A search engine that has a hunt killed while it answers, or so many seconds after it has answered."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answered: set[str] = set()
        self.kill_after_s: float | None = None  # None: nobody is killed
        self.deadly = 0  # the request, counted from here, at which the hunt is killed
        self.process = None
        self._lock = threading.Lock()

    def arm(self, process, kill: int) -> None:
        """At the first, second or third request of this run, at another moment each time."""
        with self._lock:
            self.process = process
            self.deadly = len(self.asked) + 1 + kill % 3
            self.kill_after_s = (kill % 7) * 0.006

    def __call__(self, target: str) -> Said:
        if not target.startswith("/search"):
            return Said(
                b"<html><title>Land cover maps</title></html>", 200, "text/html"
            )
        with self._lock:
            self.asked.append(target)
            is_deadly = len(self.asked) == self.deadly
        if is_deadly and not self.kill_after_s:
            self._kill()
        elif is_deadly:
            threading.Timer(self.kill_after_s or 0, self._kill).start()
        self.answered.add(target)
        place = f"{len(self.asked)}.test"
        return Said(json.dumps({"results": [{"url": f"http://{place}/"}]}).encode())

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            kill_group(self.process)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_hunt_that_is_killed_twenty_times_asks_for_no_page_twice(
    tmp_path: Path,
) -> None:
    engine = Engine()
    with provider(engine) as (origin, _):
        hound = Hound(tmp_path / "c.db", urlsplit(origin).port, QUICK)
        for kill in range(KILLS):
            words = ("resume",) if kill else (*WORDS, "--searcher", f"searxng={origin}")
            with ended(hound.start(*words)) as process:
                engine.arm(process, kill)
                assert process.wait(60) == -9, f"killed, the {kill}th time"
        engine.deadly = 0
        with ended(hound.start("resume")) as process:
            assert process.wait(120) == 0, hound.complaints.read_text("utf-8")
    twice = [target for target, times in Counter(engine.asked).items() if times > 1]
    assert twice == []
    summary = hound.summary()
    assert summary["finished"]
    assert len(engine.asked) <= QUERIES, "also what was killed counts"
    assert summary["sources"][0]["requests"] >= len(engine.asked)
    assert hound.integrity() == "ok"
