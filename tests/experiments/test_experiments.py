"""The reruns of published experiments: what is committed is whole, and their walks tell the truth."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from geoweb import Depths, World
from geoweb.services import LISTS

ROOT = Path(__file__).parents[2]
NAMES = sorted(
    p.stem for p in (ROOT / "experiments").glob("*.py") if not p.stem.startswith("_")
)
RESULTS = ROOT / "experiments" / "results"
sys.path.insert(0, str(ROOT / "experiments"))

from _graph import search, walk  # noqa: E402

WORLD = World(3, hosts=40, pages=1200, trouble=False)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ending", ["json", "md", "png", "svg"])
def test_every_experiment_has_its_table_and_figure_and_none_is_large(
    name: str, ending: str
) -> None:
    assert 200 < (RESULTS / f"{name}.{ending}").stat().st_size < 300_000


@pytest.mark.parametrize("name", NAMES)
def test_published_values_are_given_with_their_source_and_how_to_run_it_again(
    name: str,
) -> None:
    told = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    assert told["command"].startswith(f"python experiments/{name}.py")
    assert any(
        year in told["published"]["source"] for year in ("2010", "2012", "2015", "2016")
    )
    assert told["measured"]


KINDS = r"\b([Rr]eal|[Ss]imulated)\b"
WEBS = r"[Mm]ade-up|geoweb|[Ss]imulated"
RUNS = r"\b(runs?|rounds?|each round|one (each|of each)|one for each group)\b"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("said", [KINDS, WEBS, RUNS], ids=["what", "web", "runs"])
def test_every_caption_says_what_was_run_on_which_web_and_how_often(
    name: str, said: str
) -> None:
    """Simulated or real; the Web itself is nowhere to be had."""
    caption = (RESULTS / f"{name}.md").read_text("utf-8").partition("\n| ")[0]
    assert re.search(said, caption), caption


def test_the_figure_of_the_case_study_says_what_was_run_where_and_how_often() -> None:
    figure = (RESULTS / "case_study.svg").read_text("utf-8")
    found = json.loads((RESULTS / "case_study.json").read_text("utf-8"))["measured"]
    assert (
        f"real searches in one made-up catalogue ({found['services']:,} services"
        in figure
    )
    assert "9 runs each, the quickest counts" in figure


def test_a_walk_reaches_each_depth_as_the_truth_has_it() -> None:
    depths = Depths(WORLD)
    levels = walk(WORLD, WORLD.seed_pages, 4, set())
    for number, level in enumerate(levels):
        assert level.pages == depths.discovery_rates(WORLD)[number][0]


def test_a_walk_reads_no_page_twice() -> None:
    seen: set[tuple[int, int]] = set()
    first = walk(WORLD, WORLD.seed_pages, 2, seen)
    assert sum(level.pages for level in first) == len(seen)
    assert walk(WORLD, WORLD.seed_pages, 2, seen)[0].pages == 0


def test_a_walk_to_the_end_finds_every_living_service_that_a_link_leads_to() -> None:
    services = set().union(
        *(level.services for level in walk(WORLD, WORLD.seed_pages, 30, set()))
    )
    living = [p for p in WORLD.services if p.alive and p.spec.kind not in LISTS]
    assert {
        p.number for p in living if any(m.page < _total(m.host) for m in p.mentions)
    } <= services
    assert all(WORLD.services[number].alive for number in services)


def _total(host: int) -> int:
    return WORLD.host(host).layout.total


def test_a_search_brings_pages_about_the_topic_best_first_and_few_of_one_host() -> None:
    found = search(WORLD, "rivers", 10, per_host=2)
    assert found
    assert found[:3] == search(WORLD, "rivers", 3, per_host=2)
    assert all(sum(host == other for other, _ in found) <= 2 for host, _ in found)
    topics = {
        WORLD.host(host).section_topics[WORLD.host(host).layout.spot(page).section]
        for host, page in found
    }
    assert len(topics) == 1


def test_a_table_has_a_line_for_every_row() -> None:
    from _frame import markdown  # with matplotlib, which takes half a second to load

    assert markdown(["a", "b"], [[1, 2], [3, 4]]).splitlines() == [
        "| a | b |",
        "| --- | ---: |",
        "| 1 | 2 |",
        "| 3 | 4 |",
    ]
