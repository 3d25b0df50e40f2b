"""What is shown while a crawl runs (Li, Yang & Yang 2010, figure 8)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from geohound.cli import live_display
from geohound.cli.live_display import LiveDisplay, _left
from geohound.model.crawl.event import Progressed

NOW = Progressed(
    pages=30, visits=31, requests=40, bytes=1000, services=3, layers=9, hosts=4, tested=5, queue=7, in_flight=2,
    fetchers=6, testers=8, elapsed_s=15.0, pages_per_s=2.0, run_s=15.0, run_pages_per_s=2.0, cpu_s=3.0, memory_mb=99.0,
    waiting="", started_at="2026-01-01T12:00:00+00:00", seconds_per_page=0.5, machine_load=1.5, asleep=("testers",),
)  # fmt: skip


def test_programs_hear_of_progress_while_it_happens(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figure 8: start time and duration, threads of both groups, pages and services, speed, hardware usage."""
    monkeypatch.setattr(live_display, "_JSON_S", 0.0)
    with LiveDisplay(json=True, quiet=False, verbose=False) as display:
        display.on_event(NOW)
    said = json.loads(capsys.readouterr().out)
    assert said["event"] == "progress"
    named = (
        "started_at",
        "elapsed_s",
        "fetchers",
        "testers",
        "pages",
        "services",
        "pages_per_s",
        "machine_load",
    )
    assert [said[name] for name in named] == [
        "2026-01-01T12:00:00+00:00",
        15.0,
        6,
        8,
        30,
        3,
        2.0,
        1.5,
    ]
    assert said["asleep"] == ["testers"]


def test_quiet_programs_hear_only_of_services(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_display, "_JSON_S", 0.0)
    with LiveDisplay(json=True, quiet=True, verbose=False) as display:
        display.on_event(NOW)
    assert capsys.readouterr().out == ""


def test_people_read_the_load_of_the_machine_in_the_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_display, "_PIPE_S", 0.0)
    with LiveDisplay(json=False, quiet=False, verbose=False) as display:
        display.on_event(NOW)
    assert "load 1.5" in capsys.readouterr().out


def test_one_more_reason_is_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_display, "_PIPE_S", 0.0)
    drops = {"trap": 4, "robots": 3, "depth": 2, "width": 1}
    with LiveDisplay(json=False, quiet=False, verbose=False) as display:
        display.on_event(replace(NOW, drops=drops))
    assert "depth 2 and 1 more reason" in capsys.readouterr().out.replace("\n", " ")
    with LiveDisplay(json=False, quiet=False, verbose=False) as display:
        display.on_event(replace(NOW, drops={**drops, "type": 1}))
    assert "and 2 more reasons" in capsys.readouterr().out.replace("\n", " ")


def test_people_read_for_which_hosts_a_crawl_waits_and_why(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_display, "_PIPE_S", 0.0)
    with LiveDisplay(json=False, quiet=False, verbose=False) as display:
        display.on_event(replace(NOW, waiting="answers", waiting_hosts=("slow.test",)))
    assert "waiting for slow responses: slow.test" in " ".join(
        capsys.readouterr().out.split()
    )


@pytest.mark.parametrize(
    ("held", "also"), [(0, ""), (1, "; 1 host in use by another process")]
)
def test_a_time_limit_that_passed_with_waiting_says_for_whom(
    held: int, also: str
) -> None:
    said = _left({"task": 7, "ended": "time", "queue": 4, "hosts_elsewhere": held})
    assert said.startswith(f"Time limit reached, 4 URLs left{also}. To continue: ")
