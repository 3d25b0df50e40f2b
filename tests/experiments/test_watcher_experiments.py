"""The experiments of Alqaraleh, Ramadan & Salamah 2015: small runs of them, and what the kept results say."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "experiments" / "results"
sys.path.insert(0, str(ROOT / "experiments"))

import overlap  # noqa: E402
import revisit_policies  # noqa: E402
from _changing_site import interval  # noqa: E402


def kept(name: str) -> dict[str, Any]:
    return dict(json.loads((RESULTS / f"{name}.json").read_text("utf-8"))["measured"])


def test_the_interval_is_that_of_student() -> None:
    """Worked out by hand: 2, 4, 6 have mean 4 and deviation 2; t is 4.30, so half the width is 4.30 * 2 / sqrt(3)."""
    assert interval([2.0, 4.0, 6.0]) == (4.0, pytest.approx(4.965, abs=0.001))


def test_with_a_watcher_every_update_is_seen_with_at_most_12_percent_of_the_requests() -> (
    None
):
    """WBC-11, figures 7 and 8: the uniform policy takes about ten times as long, and both see all updates."""
    found = kept("revisit_policies")
    assert set(found["watcher"]["updates seen, %"]) == {100.0}
    assert found["watcher"]["share of the uniform policy's requests, %"] <= 12
    assert max(found["by rank"]["updates seen, %"]) < 82
    assert max(found["top N levels"]["updates seen, %"]) < 82


def test_the_policies_are_what_they_are_called() -> None:
    uniform = revisit_policies.run(revisit_policies.uniform, 60, 1, days=2)
    watched = revisit_policies.run(revisit_policies.by_watcher, 60, 1, days=2)
    levels = revisit_policies.run(revisit_policies.top_levels(1), 60, 1, days=2)
    assert uniform["shares"] == watched["shares"] == [100.0, 100.0]
    assert watched["requests"] == [7, 7]  # 9 % of 60 pages, and two for the report
    assert min(uniform["requests"]) >= 60
    assert max(levels["requests"]) < min(uniform["requests"])


def test_fifty_crawlers_overlap_as_their_scenario_has_it() -> None:
    """WBC-11, table II: independent crawlers read the same pages, with the flag of the watcher one crawler does."""
    found = kept("overlap")
    simulated = {
        name: one["crawlers on a page"] for name, one in found["simulated"].items()
    }
    assert min(simulated["independent"]) > 40
    assert 1 < max(simulated["dependent"]) < 7
    assert set(simulated["watcher"]) == {1.0}
    assert (
        found["real"]["independent"]["most"] == found["real"]["independent"]["crawls"]
    )
    assert found["real"]["watcher"]["most"] == 1
    assert (
        found["real"]["watcher"]["distinct pages"]
        == found["real"]["independent"]["distinct pages"]
    )


def test_the_simulator_counts_each_download() -> None:
    web = overlap.Web([2, 3], own=1)
    costs = overlap.Costs(day=4)
    import random

    days = overlap.independent(web, costs, random.Random(1))
    assert [sum(read.values()) for read in days] == [
        overlap.CRAWLERS * 4
    ] * overlap.DAYS
    assert days[0][0, 0] == overlap.CRAWLERS
    assert max(overlap.watcher(web, costs, random.Random(1))[0].values()) == 1


def test_less_than_12_percent_of_the_pages_change_in_a_day_and_the_watcher_reports_all_of_them() -> (
    None
):
    """WBC-11, table I."""
    for name, site in kept("updated_pages").items():
        assert site["reported"] == site["changed"], name
        assert site["average %"] < 12


def test_the_comments_behind_ajax_events_are_downloaded() -> None:
    """WBC-12, table VI: more than 98 percent of the reported AJAX comment pages were downloaded."""
    for video, found in kept("dynamic_pages")["comments"].items():
        assert found["downloaded"] >= 0.98 * found["comments"], video


def test_a_watcher_of_a_million_files_stays_under_64_megabytes_and_3_percent_of_a_core() -> (
    None
):
    """WBC-10, Alqaraleh et al. 2015, table III: 3.45 percent of CPU at 1,000,000 pages."""
    million = kept("watcher_cost")["1000000"]["inotify"]
    assert million["MB"] < 64
    assert million["% of a core"] < 3
