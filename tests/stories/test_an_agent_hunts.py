"""A hunt as its user knows it: killed and resumed, step by step, from the catalogue, and with keys that nobody sees."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from command_line import geohound
from geoweb_rig import Hound, Observed, calm, ended, kill_group
from search_server import Said, provider

from geohound import urls
from geoweb import World

SEARCHER = "searxng=http://search.test"
QUICK = {"host_delay_s": 0, "address_share": 0, "slow_host_factor": 0, "processes": 1}
ENV = {f"GEOHOUND_{name.upper()}": str(value) for name, value in QUICK.items()}


@pytest.fixture(scope="module")
def web():
    with Observed(World(seed=12, hosts=30, pages=600, trouble=calm())) as observed:
        yield observed


def searches(web) -> list[str]:
    return [
        request.address
        for request in web.asked
        if request.host == "search.test" and "q=" in request.address
    ]


def call(web, catalogue: Path, *words: str) -> dict:
    network = (
        "--connect-to",
        f"*.test=127.0.0.1:{web.port}",
        "--allow-net",
        "127.0.0.0/8",
    )
    done = geohound(*words, "--catalogue", str(catalogue), "--json", *network, **ENV)
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    return {"events": said[:-1], **said[-1]["summary"]}


def wait_for(hound: Hound, event: str, count: int) -> None:
    until = time.monotonic() + 60
    while sum(said.get("event") == event for said in hound.events()) < count:
        assert time.monotonic() < until, "the hunt has not come so far in a minute"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_hunt_that_is_killed_asks_nothing_twice_and_loses_nothing(
    web, tmp_path: Path
) -> None:
    before = len(searches(web))
    hound = Hound(tmp_path / "killed.db", web.port, QUICK)
    with ended(
        hound.start(
            "hunt", "wms", "--searcher", SEARCHER, "--max-queries", "15", "--depth", "0"
        )
    ) as process:
        wait_for(hound, "query", 7)
        kill_group(process)
    resumed = call(web, hound.catalogue, "resume")
    asked = Counter(searches(web)[before:])
    assert [address for address, times in asked.items() if times > 1] == []
    assert len(asked) <= 15, "the request that was under way counts"
    assert resumed["finished"]
    assert resumed["services"] > 0
    visits = geohound(
        "visits", "--catalogue", str(hound.catalogue), "--json"
    ).stdout.splitlines()
    taken_in = {json.loads(line)["url"] for line in visits}
    assert _results(hound.catalogue) <= taken_in, (
        "whatever an answer named was visited, or dropped with a reason"
    )
    assert hound.integrity() == "ok"


def _results(catalogue: Path) -> set[str]:
    """The addresses of all pages of results that are kept.

    A page without a body was on its way when the hunt was killed: it counts as asked, and nobody has it.
    """
    connection = sqlite3.connect(catalogue)
    bodies = [
        json.loads(body)
        for (body,) in connection.execute(
            "SELECT body FROM search_page WHERE body <> ''"
        )
    ]
    connection.close()
    return {
        urls.canonical(url)
        for body in bodies
        for url, *_ in body["results"]
        if not urls.looks_like_media(url)
    }


@pytest.mark.slow
def test_each_step_of_a_hunt_runs_alone(web, tmp_path: Path) -> None:
    """OSS-15 (Sidsten 2012, appendix A.2): agent only, crawl only, full run; the agent's results are used again."""
    catalogue = tmp_path / "c.db"
    words = ("--searcher", SEARCHER, "--max-queries", "8")
    first = call(web, catalogue, "hunt", "wms", *words, "--steps", "search")
    assert first["finished"]
    assert first["services"] > 0
    visits = geohound(
        "visits", "--catalogue", str(catalogue), "--json"
    ).stdout.splitlines()
    read = [json.loads(line) for line in visits]
    pages = [
        visit for visit in read if visit.get("purpose") == "page" and visit["was_asked"]
    ]
    assert {
        visit["depth"] for visit in pages if visit["via"] in ("search", "link")
    } == {0}
    asked = len(searches(web))
    second = call(
        web,
        catalogue,
        "hunt",
        "--searcher",
        SEARCHER,
        "--steps",
        "crawl",
        "--max-pages",
        "150",
    )
    assert len(searches(web)) == asked, "nobody was asked again"
    assert not [event for event in second["events"] if event["event"] == "query"]
    assert second["pages"] > first["pages"]
    assert second["services"] > 0, "links lead to services that no result named"


@pytest.mark.slow
def test_the_steps_of_a_run_are_a_table_for_spreadsheets(web, tmp_path: Path) -> None:
    """OSS-19 (Sidsten 2012, section 6.1): services per step and the discovery velocity V_d = S_L / t."""
    catalogue = tmp_path / "c.db"
    run = call(
        web,
        catalogue,
        "hunt",
        "wms",
        "--searcher",
        SEARCHER,
        "--max-queries",
        "8",
        "--steps",
        "search",
    )
    assert run["velocity"] == pytest.approx(
        run["services"] / run["elapsed_s"], rel=0.01
    )
    said = geohound(
        "report", "steps", "--format", "csv", "--catalogue", str(catalogue)
    ).stdout.splitlines()
    assert said[0].startswith(
        "task,step,round,phase,query,explores,requests,results,seeds,services,services_so_far"
    )
    rows = list(csv.DictReader(said))
    queries = [row for row in rows if row["query"] != "the crawl"]
    assert len(queries) == len(run["steps"])
    assert rows[-1]["services_so_far"] == str(run["services"]), "as the summary says"
    assert sum(int(row["services"]) for row in rows) == run["services"]
    assert (
        sum(step["requests"] for step in run["steps"]) == run["sources"][0]["requests"]
    )


@pytest.mark.slow
def test_a_second_hunt_begins_with_hosts_that_had_services_and_with_what_was_learned(
    web, tmp_path: Path
) -> None:
    """LI-13 (Li, Yang & Yang 2010, section 6.3: servers that host a WMS or have done) and OSS-22 (knowledge base by id)."""
    catalogue = tmp_path / "c.db"
    call(
        web,
        catalogue,
        "hunt",
        "wms",
        "--searcher",
        SEARCHER,
        "--max-queries",
        "8",
        "--steps",
        "search",
    )
    asked = len(searches(web))
    again = call(web, catalogue, "hunt", "--source", "catalogue", "--max-pages", "60")
    assert len(searches(web)) == asked
    row = next(each for each in again["sources"] if each["source"] == "catalogue")
    assert row["seeds"] > 0
    assert again["pages"] > 0
    learned = call(
        web,
        catalogue,
        "hunt",
        "maps",
        "--searcher",
        SEARCHER,
        "--max-queries",
        "12",
        "--steps",
        "search",
    )
    texts = [event["text"] for event in learned["events"] if event["event"] == "query"]
    other = call(
        web, catalogue, "hunt", "maps", "--searcher", SEARCHER, "--max-queries", "12", "--steps", "search",
        "--knowledge", "other",
    )  # fmt: skip
    fresh = [event["text"] for event in other["events"] if event["event"] == "query"]
    assert texts != fresh, "another knowledge base knows nothing yet"


@pytest.mark.slow
def test_what_the_user_excludes_is_not_visited(web, tmp_path: Path) -> None:
    """OSS-18 (Sidsten 2012, appendix A.4.1, excludeUrls.txt)."""
    words = (
        "hunt",
        "wms",
        "--searcher",
        SEARCHER,
        "--max-queries",
        "4",
        "--max-pages",
        "40",
    )
    call(web, tmp_path / "a.db", *words)
    hosts = Counter(
        request.host for request in web.asked if request.host != "search.test"
    )
    host = hosts.most_common(1)[0][0]
    left_out = tmp_path / "exclude.txt"
    left_out.write_text(f"# not these\n{host}\n", "utf-8")
    before = len(web.asked)
    call(web, tmp_path / "b.db", *words, "--exclude", str(left_out))
    assert host not in {request.host for request in web.asked[before:]}


def test_a_dry_run_shows_every_default_of_the_agent(web, tmp_path: Path) -> None:
    """OSS-18 (Sidsten 2012, appendix A.2): a configuration test starts nothing and writes the defaults."""
    done = geohound(
        "hunt", "rivers", "--searcher", SEARCHER, "--dry-run", "--json", "--seed-mask", "5", "--exclude", "a.test",
        "--catalogue", str(tmp_path / "c.db"),
    )  # fmt: skip
    plan = json.loads(done.stdout)["plan"]
    assert plan["queries"] == ["rivers", "rivers getcapabilities"], (
        "bits 1 and 3 of the mask"
    )
    assert (plan["steps"], plan["knowledge"], plan["excluded"]) == (
        ["search", "crawl"],
        "main",
        ["a.test"],
    )
    agent = plan["agent"]
    assert (
        agent["agent_half_life_h"],
        agent["agent_too_many"],
        agent["agent_refresh_counts_h"],
    ) == (1200, 400_000, 90)
    assert (agent["agent_refresh_pages_h"], agent["agent_min_correlation"], agent["agent_max_results"]) == (
        150, 0.01, 2000,
    )  # fmt: skip
    assert not (tmp_path / "c.db").exists()
    spoken = geohound("hunt", "rivers", "--searcher", SEARCHER, "--dry-run").stdout
    assert "half_life_h 1200" in spoken
    assert "Nobody was asked." in spoken


def test_a_dry_run_says_what_would_be_done_then_its_cost_then_the_settings() -> None:
    """At most a screen: of many queries the first."""
    done = geohound(
        "hunt", "land", "cover", "--searcher", SEARCHER, "--searcher", "brave",
        "--max-queries", "7", "--dry-run", GEOHOUND_BRAVE_KEY="",
    )  # fmt: skip
    said = done.stdout.splitlines()
    begins = ("Plan: ", "Cost: ", "Settings ", "Nobody was asked.")
    places = [
        next(at for at, line in enumerate(said) if line.startswith(words))
        for words in begins
    ]
    assert places == sorted(places)
    assert said[1].split() == ["1.", "land", "cover"]
    assert said[places[1]] == "Cost: at most 7 requests to search providers, 0 USD."
    assert "not set: GEOHOUND_BRAVE_KEY" in done.stdout
    assert len(said) <= 40
    assert max(map(len, said)) <= 130


@pytest.mark.parametrize(
    ("steps", "sentence"), [("poll", "poll"), ("search,", "search")]
)
def test_an_unknown_step_is_refused(tmp_path: Path, steps: str, sentence: str) -> None:
    done = geohound(
        "hunt", "rivers", "--searcher", SEARCHER, "--steps", steps, "--dry-run"
    )
    assert (done.returncode == 2) == (steps == "poll")
    assert sentence in " ".join((done.stderr + done.stdout).replace("│", " ").split())


KEY = "s3cr3t-0f-g30h0und"


@pytest.mark.slow
def test_a_key_is_in_no_process_list_log_event_error_or_catalogue(
    web, tmp_path: Path
) -> None:
    """The provider repeats the key in its answers, as some do: even that leaves no trace."""
    results = [
        {"url": f"http://{name}/", "title": KEY, "desc": KEY}
        for name in ("a.test", "b.test")
    ]
    body = {
        "response": {
            "status": "OK",
            "head": {"results": 2},
            "results": results,
            "key": KEY,
        }
    }
    answers = [
        Said(json.dumps(body).encode()),
        Said(b'{"error": "' + KEY.encode() + b'"}', 403),
    ]
    with provider(lambda _target: answers[0] if len(asked) == 1 else answers[1]) as (
        origin,
        asked,
    ):
        command = [
            sys.executable, "-m", "geohound", "hunt", "rivers", "--searcher", f"mojeek={origin}/search", "--verbose",
            "--connect-to", f"*.test=127.0.0.1:{web.port}", "--allow-net", "127.0.0.0/8",
            "--catalogue", str(tmp_path / "c.db"), "--max-queries", "5",
        ]  # fmt: skip
        env = {
            **os.environ,
            **ENV,
            "GEOHOUND_PROCESSES": "2",
            "GEOHOUND_MOJEEK_KEY": KEY,
        }
        process = subprocess.Popen(
            command,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        seen: set[bytes] = set()
        while process.poll() is None:
            seen |= _command_lines()
            time.sleep(0.02)
        out, err = process.communicate(timeout=60)
    assert asked
    assert any(
        KEY in request.target or KEY in request.headers.values() for request in asked
    ), "it was sent"
    assert any(b"mojeek=" in line for line in seen), "the process of the hunt was seen"
    for said in (out, err, *seen, *(path.read_bytes() for path in tmp_path.iterdir())):
        assert KEY.encode() not in said


def _command_lines() -> set[bytes]:
    """Of all processes of this machine."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found.add((folder / "cmdline").read_bytes())
    return found


@pytest.mark.slow
def test_a_hunt_that_is_asked_to_stop_keeps_what_it_learned(
    web, tmp_path: Path
) -> None:
    hound = Hound(tmp_path / "c.db", web.port, QUICK | {"host_delay_s": 0.2})
    with ended(
        hound.start(
            "hunt", "wms", "--searcher", SEARCHER, "--max-queries", "20", "--depth", "0"
        )
    ) as process:
        wait_for(hound, "query", 4)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (0, 130)
    stopped = hound.summary()
    assert stopped["ended"] == "stopped"
    assert not stopped["finished"]
    before = len(searches(web))
    resumed = call(web, hound.catalogue, "resume")
    assert resumed["agent"]["rounds"] >= stopped["agent"]["rounds"]
    assert resumed["sources"][0]["requests"] <= 20
    assert (
        len(searches(web)) - before
        == resumed["sources"][0]["requests"] - stopped["sources"][0]["requests"]
    )
