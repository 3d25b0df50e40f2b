"""The same page gives the same result, however slow the machine is: work is counted, not timed."""

from __future__ import annotations

import asyncio
import itertools
import time

import pytest
import webapps
from books import BOOK, analyse

from geohound.jsflow import AnalysisBudget, Findings, Script
from geohound.mining import application

PAGE = "https://p.test/"
HONEST = 'L.tileLayer.wms("https://h.test/wms").addTo(m);\n'
NAMES = "".join(f"var nm{i}=nm{i + 1}+'x';" for i in range(3_000))
COSTLY = NAMES + "".join(f"WMSLayer(nm{i}+'/wms');" for i in range(300))
APPS = webapps.load()[::4]


def _analysed(text: str, **budget: int) -> Findings:
    return analyse(
        PAGE, [Script("https://p.test/a.js", text)], AnalysisBudget(**budget)
    )


def _mined(app: webapps.App) -> application.Mined:
    async def fetch(url: str) -> application.Fetched | None:
        text = app.get(url)
        return (
            application.Fetched(url, text, webapps.content_type(url))
            if text is not None
            else None
        )

    return asyncio.run(application.mine(app.page, fetch, BOOK))


def _slow_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks of a machine that is busy with other things: ten times the processor time, and hours between two looks."""
    own = time.thread_time
    monkeypatch.setattr(time, "thread_time", lambda: 10 * own())
    for name in ("monotonic", "perf_counter", "process_time", "time"):
        monkeypatch.setattr(time, name, itertools.count(1_000_000, 3_600).__next__)


@pytest.mark.slow
def test_a_slow_machine_finds_the_same_in_every_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = [_mined(app) for app in APPS]
    _slow_down(monkeypatch)
    assert [_mined(app) for app in APPS] == before


def test_a_slow_machine_leaves_a_costly_script_at_the_same_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = _analysed(HONEST + COSTLY, steps=20_000)
    _slow_down(monkeypatch)
    assert _analysed(HONEST + COSTLY, steps=20_000) == before
    assert not before.is_complete


def test_an_analysis_ends_when_its_steps_are_spent() -> None:
    whole, part = _analysed(COSTLY), _analysed(COSTLY, steps=20_000)
    assert whole.steps > 40_000
    assert whole.is_complete
    assert 20_000 <= part.steps < 25_000
    assert "the budget for this page is spent" in part.unknown


def test_what_one_expression_costs_the_others_do_not_pay() -> None:
    trap = "function f(){" + "a(1);" * 20_000 + "return 'wms/'+b}WMSLayer(f());"
    found = _analysed(trap + HONEST, steps_per_sink=1_000)
    assert "an expression that is too costly to work out" in found.unknown
    assert {e.endpoint for e in found.endpoints} == {"https://h.test/wms"}


def test_a_configuration_is_read_as_far_as_the_steps_reach() -> None:
    rows = "".join(
        f'<l url="https://h{i}.test/wms?service=WMS"/>' for i in range(2_000)
    )
    found = _analysed(f"<a>{rows}</a>", steps=4_000)
    assert 100 < len(found.endpoints) < 1_000
    assert not found.is_complete


def test_no_further_files_are_asked_for_when_the_steps_of_a_page_are_spent() -> None:
    page = application.Fetched(
        PAGE, '<html><script src="a.js"></script></html>', "text/html"
    )
    asked: list[str] = []

    async def fetch(url: str) -> application.Fetched:
        asked.append(url)
        return application.Fetched(
            url, f"{HONEST} fetch('layers.json');", "text/javascript"
        )

    asyncio.run(application.read(page, fetch, BOOK, application.MiningLimits(steps=1)))
    assert asked == ["https://p.test/a.js"]
    asyncio.run(application.read(page, fetch, BOOK))
    assert "https://p.test/layers.json" in asked
