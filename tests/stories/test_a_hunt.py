"""A hunt by words over the geoweb: its search engine names the seeds, and nobody had to know one."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from command_line import geohound
from geoweb_rig import Observed, calm
from search_server import Said, provider

from geoweb import World, truth

SEARCHER = "searxng=http://search.test"
QUICK = {"GEOHOUND_HOST_DELAY_S": "0", "GEOHOUND_ADDRESS_SHARE": "0", "GEOHOUND_SLOW_HOST_FACTOR": "0",
         "GEOHOUND_PROCESSES": "1"}  # fmt: skip


@pytest.fixture(scope="module")
def web():
    world = World(seed=11, hosts=30, pages=600, trouble=calm())
    with Observed(world) as observed:
        yield observed


def lines(said: str) -> list[dict]:
    return [json.loads(line) for line in said.splitlines()]


def call(web, catalogue: Path, *words: str):
    network = (
        "--connect-to",
        f"*.test=127.0.0.1:{web.port}",
        "--allow-net",
        "127.0.0.0/8",
    )
    return geohound(*words, "--catalogue", str(catalogue), "--json", *network, **QUICK)


@pytest.mark.slow
def test_a_hunt_finds_services_from_words_alone(web, tmp_path: Path) -> None:
    catalogue = tmp_path / "c.db"
    done = call(
        web,
        catalogue,
        "hunt",
        "wms",
        "--searcher",
        SEARCHER,
        "--max-queries",
        "6",
        "--max-pages",
        "150",
    )
    assert done.returncode == 0, done.stderr
    said = lines(done.stdout)
    queries = [line for line in said if line.get("event") == "query"]
    assert 0 < len(queries) <= 6
    assert queries[0]["searcher"] == SEARCHER
    assert queries[0]["text"] == "wms"
    assert queries[0]["results"] > 0
    summary = said[-1]["summary"]
    row = summary["sources"][0]
    assert row["source"] == SEARCHER
    assert row["requests"] == len(queries)
    assert row["seeds"] > 0
    alive = {
        service["endpoint"]
        for service in truth.ground_truth(web.world)["services"]
        if service["alive"]
    }
    assert summary["services"] >= 5
    assert row["services"] == summary["services"]
    found = {line["endpoint"] for line in said if line.get("event") == "service"}
    assert (
        len(
            {url.partition("?")[0] for url in alive}
            & {url.partition("?")[0] for url in found}
        )
        >= 4
    )

    again = lines(geohound("sources", "--catalogue", str(catalogue), "--json").stdout)
    listed = next(row for row in again if row["id"] == "searxng")
    assert (listed["requests"], listed["services"]) == (
        len(queries),
        summary["services"],
    )

    asked = sum(request.host == "search.test" for request in web.asked)
    second = lines(
        call(
            web, catalogue, "hunt", "wms", "--searcher", SEARCHER, "--max-pages", "1"
        ).stdout
    )
    kept = [line for line in second if line.get("event") == "query" and line["cached"]]
    assert {line["text"] for line in kept} >= {line["text"] for line in queries[:5]}, (
        "the first round was paid for"
    )
    newly = [
        line for line in second if line.get("event") == "query" and not line["cached"]
    ]
    assert sum(request.host == "search.test" for request in web.asked) == asked + len(
        newly
    )


@pytest.mark.slow
def test_a_hunt_goes_on_without_asking_the_provider_again(web, tmp_path: Path) -> None:
    catalogue = tmp_path / "c.db"
    first = call(
        web,
        catalogue,
        "hunt",
        "wms",
        "--searcher",
        SEARCHER,
        "--max-queries",
        "3",
        "--max-pages",
        "2",
    )
    before = lines(first.stdout)[-1]["summary"]
    assert (before["ended"], before["sources"][0]["requests"]) == ("page budget", 3)
    asked = sum(request.host == "search.test" for request in web.asked)
    resumed = call(web, catalogue, "resume", "--max-pages", "60")
    assert resumed.returncode == 0, resumed.stderr
    after = lines(resumed.stdout)[-1]["summary"]
    assert sum(request.host == "search.test" for request in web.asked) == asked
    row = after["sources"][0]
    assert (row["requests"], row["seeds"]) == (3, before["sources"][0]["seeds"])
    assert row["services"] == after["services"] > before["services"]


def test_a_dry_run_asks_nobody_and_makes_no_catalogue(web, tmp_path: Path) -> None:
    catalogue, before = tmp_path / "c.db", len(web.asked)
    done = call(
        web,
        catalogue,
        "hunt",
        "rivers",
        "--searcher",
        SEARCHER,
        "--searcher",
        "brave",
        "--dry-run",
    )
    plan = lines(done.stdout)[0]["plan"]
    assert plan["queries"][:3] == ["rivers", "rivers WMS", "rivers getcapabilities"]
    assert (plan["max_queries"], plan["max_cost_usd"]) == (50, 0.0), (
        "of Brave no more than what is free is asked for"
    )
    assert [row["missing_keys"] for row in plan["searchers"]] == [
        [],
        ["GEOHOUND_BRAVE_KEY"],
    ]
    assert (plan["depth"], plan["width"]) == (2, 8)
    assert len(web.asked) == before
    assert not catalogue.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("hunt", "rivers"), "No search provider is set up"),
        (("hunt",), "Give words to look for"),
        (("hunt", "rivers", "--searcher", "searxng"), "searxng needs an address"),
        (("hunt", "rivers", "--searcher", "altavista"), "altavista"),
        (
            ("hunt", "rivers", "--searcher", "searxng=notaurl"),
            "'notaurl' is no address of a search provider",
        ),
        (
            ("hunt", "rivers", "--searcher", "bing=http://s.test/?subscription-key=k"),
            "holds a password or a key",
        ),
    ],
)
def test_a_hunt_that_cannot_begin_says_what_is_missing(
    web, tmp_path: Path, words, sentence: str
) -> None:
    done = call(web, tmp_path / "c.db", *words)
    assert done.returncode == 2
    assert not (tmp_path / "c.db").exists()
    assert sentence in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.slow
def test_a_provider_that_refuses_leaves_a_sentence_and_exit_1(
    web, tmp_path: Path
) -> None:
    key = "s3cr3t-0f-g30h0und"
    catalogue = tmp_path / "c.db"
    network = (
        "--connect-to",
        f"*.test=127.0.0.1:{web.port}",
        "--allow-net",
        "127.0.0.0/8",
    )
    words = (
        "hunt",
        "rivers",
        "--searcher",
        "mojeek=http://nowhere.test/search",
        "--catalogue",
        str(catalogue),
    )
    done = geohound(*words, "--verbose", *network, **QUICK, GEOHOUND_MOJEEK_KEY=key)
    assert done.returncode == 1
    assert "Mojeek has no search at this address (HTTP 404)" in " ".join(
        done.stderr.split()
    )
    assert key not in done.stdout + done.stderr
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert key.encode() not in held, "nothing of the key is in the catalogue"


@pytest.mark.slow
def test_a_hunt_whose_only_provider_fails_names_it_and_goes_on_later(
    web, tmp_path: Path
) -> None:
    is_up = False
    empty = b'{"query": "x", "number_of_results": 0, "results": []}'

    with provider(lambda _: Said(empty) if is_up else Said(b"", 500)) as (
        origin,
        asked,
    ):
        port = (
            "--connect-to",
            f"one.test={origin.partition('://')[2]}",
            "--allow-net",
            "127.0.0.0/8",
        )
        words = ("--catalogue", str(tmp_path / "c.db"), "--json", *port)
        first = geohound(
            "hunt", "rivers", "--searcher", "searxng=http://one.test", *words, **QUICK
        )
        assert first.returncode == 1
        assert (
            "No search provider answers. searxng=http://one.test: SearXNG is unavailable (HTTP 500)."
            in first.stderr
        )
        summary = lines(first.stdout)[-1]["summary"]
        assert (summary["ended"], summary["finished"]) == ("source failed", False)
        assert len([each for each in asked if "q=" in each.target]) == 2, (
            "once more after a pause"
        )
        is_up = True
        asked.clear()
        second = geohound("resume", *words, **QUICK)
    texts = [each.target for each in asked if "q=rivers" in each.target]
    assert "q=rivers&" in texts[0], "the query that failed, and those after it"
    assert len(texts) >= 5
    assert lines(second.stdout)[-1]["summary"]["finished"]


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_demo_hunts_by_words_before_it_crawls(tmp_path: Path) -> None:
    catalogue = ("--catalogue", str(tmp_path / "c.db"))
    done = geohound("demo", "--once", "--json", *catalogue)
    assert done.returncode == 0, done.stderr
    said = lines(done.stdout)
    (hunted,) = [line["hunt"] for line in said if "hunt" in line]
    asked = [line for line in said if line.get("event") == "query"]
    assert asked[0]["text"] == hunted["words"]
    assert hunted["sources"][0]["requests"] == len(asked)
    assert hunted["sources"][0]["seeds"] > 0
    assert hunted["ended"] == "finished", "however busy the machine is"
    assert hunted["services"] > 0
    tasks = lines(geohound("tasks", "--json", *catalogue).stdout)
    assert [task["kind"] for task in tasks] == ["crawl", "hunt"], (
        "the portal shows both"
    )
    with closing(sqlite3.connect(tmp_path / "c.db")) as kept:
        addresses = {*kept.execute("SELECT address FROM request")}
    assert addresses == {("127.0.0.1",)}, "its pages name real hosts; nobody asks them"


@pytest.mark.slow
def test_a_hunt_for_words_that_nobody_writes_says_what_to_do(
    web, tmp_path: Path
) -> None:
    done = call(
        web,
        tmp_path / "c.db",
        "hunt",
        "xyzzyplugh",
        "--searcher",
        SEARCHER,
        "--max-queries",
        "3",
    )
    assert done.returncode == 1
    assert "found no page for these words; try fewer or other words" in done.stderr
