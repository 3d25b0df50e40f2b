"""The command line as a user and a script meet it."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from command_line import geohound
from typer.main import get_command

from geohound.cli import COMMANDS, program
from geohound.cli.demo import geoweb_running
from geohound.locations.locator import read_own_list
from geoweb import Request, ServiceSpec, World, services

pytestmark = pytest.mark.slow  # they crawl
QUICK = {"GEOHOUND_HOST_DELAY_S": "0.01", "GEOHOUND_SLOW_HOST_FACTOR": "0"}
SPEC = ServiceSpec("wms", "1.3.0", 5, "http://gis.test/ows", topic="rivers")


@pytest.fixture(scope="module")
def capabilities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reply = services.answer(
        SPEC, Request("GET", "gis.test", "/ows", "service=WMS&request=GetCapabilities")
    )
    assert reply is not None
    path = tmp_path_factory.mktemp("saved") / "capabilities.xml"
    path.write_bytes(reply.body)
    return path


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[World, list[str]]]:
    world = World(3, 12, 150, trouble=False)
    with geoweb_running(world) as port:
        yield (
            world,
            ["--connect-to", f"*.test=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8"],
        )


@pytest.fixture(scope="module")
def crawled(web, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict]]:
    """A crawled catalogue, and what the crawl printed: its services and the summary."""
    world, network = web
    path = tmp_path_factory.mktemp("crawl") / "c.db"
    done = geohound(
        "crawl", *world.seeds, "--json", "--catalogue", str(path), *network, **QUICK
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return path, [line for line in lines if line.get("event") != "progress"]


def test_identify_tells_what_a_saved_answer_is(capabilities: Path) -> None:
    done = geohound("identify", str(capabilities), "--json")
    told = json.loads(done.stdout)
    facts = services.facts(SPEC)
    assert done.returncode == 0
    assert (told["kind"], told["version"], told["title"]) == (
        "wms",
        "1.3.0",
        facts.title,
    )
    assert [layer["name"] for layer in told["layers"]] == list(facts.layers)
    assert told["refusal"] is None
    fields = "input kind version versions endpoint title abstract keywords layers bbox software provider access elapsed_ms"
    assert set(fields.split()) <= set(told)


def test_identify_says_why_something_is_no_service(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html><title>Welcome</title></html>")
    done = geohound("identify", str(page), "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert told["kind"] is None
    assert told["refusal"] == {"reason": "HTML page", "detail": "Welcome"}


@pytest.mark.parametrize(
    ("words", "told", "code"),
    [
        (("identify", "no-such-file.xml"), "file not found: no-such-file.xml", 2),
        (("identify", "./nothing"), "file not found: ./nothing", 2),
        (("identify", "."), "is a folder", 2),
        (("identify", "ftp://a.test/"), "valid URL", 2),
        (("identify", "http://127.0.0.1:1/"), "--allow-net", 1),
    ],
)
def test_inputs_that_cannot_be_asked_are_told(
    words: tuple[str, ...], told: str, code: int
) -> None:
    done = geohound(*words)
    assert done.returncode == code
    assert told in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("crawl",), "at least one seed URL"),
        (("crawl", "mailto:me"), "valid URL"),
        (
            ("crawl", "a.test", "--kinds", "wsm"),
            "--kinds “wsm” is not known; use one of",
        ),
        (
            ("crawl", "a.test", "--order", "best"),
            "--order “best” is not known; use one of",
        ),
        (("crawl", "a.test", "--allow-net", "here"), "needs a network such as"),
        (
            ("crawl", "a.test", "--order", "fifo", "--learned", "x.bin"),
            "learns nothing",
        ),
        (("crawl", "a.test", "--learned", "/no/such/folder/x"), "cannot be written"),
        (("visits", "--catalogue", "missing.db"), "No catalogue"),
        (("crawl", "a.test", "--connect-to", "x"), "needs PATTERN=HOST:PORT"),
        (("crawl", "--seeds", "missing.txt"), "cannot be read"),
        (
            ("search", "x", "--bbox", "1,2,3"),
            "--bbox “1,2,3” cannot be used: a box is four numbers",
        ),
        (
            ("search", "x", "--limit", "0"),
            "--limit must be a whole number from 1 to 1,000",
        ),
        (("search", "x", "--where", "kind=wsm"), "--kind “wsm” is not known"),
        (("search", "x", "--state", "well"), "--state “well” is not known"),
        (("search", "x", "--where", "colour=red"), "--where must be FACET=VALUE"),
        (("search", "x", "--years", "soon"), "--years must be a year"),
        (("search", "x", "--config", "missing.toml"), "cannot be read"),
        (("geoweb", "truth", "--kinds", "nothing"), "no such kind"),
        (("fly",), "No such command"),
    ],
)
def test_a_wrong_call_is_told_in_a_sentence_and_ends_with_2(
    words: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    done = geohound(
        *words, GEOHOUND_CATALOGUE=str(tmp_path / "c.db"), COLUMNS="200", TERM="dumb"
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_no_catalogue_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("these are my notes, not a database" * 100)
    done = geohound("search", "x", "--catalogue", str(path))
    assert done.returncode == 2
    assert str(path) in done.stderr.replace("\n", "")
    assert "Traceback" not in done.stderr
    assert path.read_text().startswith("these are my notes")


def test_a_catalogue_that_is_not_there_is_not_made_by_looking(tmp_path: Path) -> None:
    path = tmp_path / "typo.db"
    done = geohound("search", "x", "--catalogue", str(path))
    assert done.returncode == 2
    assert "No catalogue at" in done.stderr
    assert not path.exists()


def test_a_crawl_that_could_read_nothing_has_failed(tmp_path: Path) -> None:
    done = geohound(
        "crawl", "http://127.0.0.1:1/", "--catalogue", str(tmp_path / "c.db")
    )
    assert done.returncode == 1
    assert (
        "No page could be fetched: forbidden net. Allow such addresses with --allow-net, ports with"
        in done.stderr
    )


def test_whoever_identifies_an_address_that_fails_is_told_what_happened_and_what_to_do() -> (
    None
):
    with socket.create_server(("127.0.0.1", 0)) as server:
        unused = server.getsockname()[1]
    reach = (
        "--connect-to",
        f"maps.test=127.0.0.1:{unused}",
        "--allow-net",
        "127.0.0.0/8",
    )
    done = geohound("identify", "http://maps.test/wms", *reach)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == (
        "  Nothing listens at that address and port. Check the address and its port, and whether the server runs."
    )


def wait_for_a_visit(path: str) -> None:
    """Until the crawl of this catalogue has settled its first page."""
    for _ in range(300):
        time.sleep(0.1)
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection,
        ):
            if connection.execute(
                "SELECT count(*) FROM url WHERE at IS NOT NULL"
            ).fetchone()[0]:
                return
    pytest.fail("the crawl did not begin")


def test_a_task_that_is_being_crawled_is_not_crawled_twice(web, tmp_path: Path) -> None:
    world, network = web
    path = str(tmp_path / "c.db")
    words = [
        sys.executable,
        "-m",
        "geohound",
        "crawl",
        *world.seeds,
        "--catalogue",
        path,
        *network,
        "--quiet",
    ]
    environ = {**os.environ, "GEOHOUND_HOST_DELAY_S": "0.5"}
    first = subprocess.Popen(words, env=environ, stdout=subprocess.DEVNULL)
    try:
        wait_for_a_visit(path)
        second = geohound("resume", "1", "--catalogue", path, *network)
        assert second.returncode == 2
        assert (
            f"Task 1 is running already. Another process ({first.pid})" in second.stderr
        )
        assert "Traceback" not in second.stderr
    finally:
        first.kill()
        first.wait()
    again = geohound(
        "resume", "1", "--catalogue", path, *network, "--json", "--max-pages", "1"
    )
    assert again.returncode == 0, (
        again.stderr
    )  # a process that was killed holds nothing


@pytest.mark.parametrize(
    ("signum", "exit_code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)]
)
def test_a_crawl_that_is_told_to_end_says_how_it_goes_on_and_its_budget_counts_over_its_runs(
    web, tmp_path: Path, signum: signal.Signals, exit_code: int
) -> None:
    world, network = web
    path = str(tmp_path / "c.db")
    words = [
        sys.executable,
        "-m",
        "geohound",
        "crawl",
        *world.seeds,
        "--catalogue",
        path,
        *network,
    ]
    quiet = {"GEOHOUND_WATCHERS": "never"}  # the first visit is to be that of a page
    environ = {**os.environ, "GEOHOUND_HOST_DELAY_S": "0.5", **quiet}
    with subprocess.Popen(
        words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as first:
        wait_for_a_visit(path)
        first.send_signal(signum)
        told, complaints = first.communicate(timeout=60)
    assert first.returncode == exit_code
    again = shlex.join(["geohound", "resume", "1", "--catalogue", path, *network])
    assert f"`{again}` continues the task" in complaints
    assert f"To continue: {again}\n" in told
    spent = geohound(*shlex.split(again)[1:], "--max-pages", "1", "--json", **quiet)
    summary = json.loads(spent.stdout.splitlines()[-1])["summary"]
    assert (summary["ended"], summary["run"]["requests"]) == ("page budget", 0)
    assert summary["pages"] >= 1, "those of the first run"


def test_a_resume_may_give_the_budget_that_is_the_default(web, tmp_path: Path) -> None:
    world, network = web
    path = str(tmp_path / "c.db")
    geohound(
        "crawl",
        *world.seeds,
        "--catalogue",
        path,
        *network,
        "--max-pages",
        "1",
        "--quiet",
        **QUICK,
    )
    done = geohound(
        "resume",
        "--catalogue",
        path,
        *network,
        "--max-pages",
        "100000",
        "--json",
        **QUICK,
    )
    summary = json.loads(done.stdout.splitlines()[-1])["summary"]
    assert (summary["ended"], summary["run"]["pages"] > 1) == ("finished", True)


def test_a_search_for_an_address_finds_its_service(crawled) -> None:
    path = str(crawled[0])
    address = json.loads(
        geohound(
            "search", "--json", "--limit", "1", "--catalogue", path
        ).stdout.splitlines()[0]
    )
    found = geohound(
        "search", address["endpoint"], "--json", "--catalogue", path
    ).stdout.splitlines()
    assert address["id"] in {json.loads(line)["id"] for line in found[:-1]}
    assert json.loads(found[0])["why"] == "this is the address you asked for"


def test_a_reader_that_goes_away_ends_the_crawl_quietly(web, tmp_path: Path) -> None:
    world, network = web
    seeds = " ".join(f"'{seed}'" for seed in world.seeds)
    reach = f"--connect-to '{network[1]}' --allow-net {network[3]} --catalogue {tmp_path / 'c.db'}"
    words = f"{sys.executable} -m geohound crawl {seeds} --json {reach} | head -1"
    environ = {**os.environ, **QUICK}
    done = subprocess.run(
        words,
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environ,
    )
    assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["event"] in ("service", "progress")


def test_crawl_tells_each_service_and_a_summary(crawled) -> None:
    _, lines = crawled
    *events, last = lines
    fields = {"event", "endpoint", "kind", "title", "pages", "requests", "elapsed_s"}
    assert events
    assert all(fields <= set(event) for event in events)
    summary = last["summary"]
    assert summary["services"] == len(events)
    wanted = "pages requests bytes services layers hosts elapsed_s pages_per_s drops"
    assert set(wanted.split()) <= set(summary)


def test_what_was_crawled_can_be_searched_and_shown(crawled) -> None:
    path, (first, *_) = crawled
    title = first["title"]
    found = [
        json.loads(x)
        for x in geohound(
            "search", title, "--json", "--catalogue", str(path)
        ).stdout.splitlines()
    ]
    *hits, last = found
    assert first["endpoint"] in [hit["endpoint"] for hit in hits]
    assert {
        "id",
        "kind",
        "endpoint",
        "title",
        "score",
        "bbox",
        "layers",
        "state",
        "why",
    } <= set(hits[0])
    assert {"total", "elapsed_ms", "facets"} <= set(last["summary"])
    for name in (first["id"], first["endpoint"]):
        shown = json.loads(
            geohound(
                "show", name, "--json", "--catalogue", str(path)
            ).stdout.splitlines()[0]
        )
        assert shown["health"]["state"] == "alive"
        assert shown["sightings"]


def test_what_was_crawled_is_opened_by_code_alone(crawled) -> None:
    path, (first, *_) = crawled
    where = ("--catalogue", str(path))
    code = geohound("show", first["id"], "--open", "curl", *where)
    assert code.returncode == 0
    assert code.stdout.startswith("curl -fsS ")
    record = json.loads(
        geohound("show", first["id"], "--open", "CURL", "--json", *where).stdout
    )
    assert [snippet["code"] for snippet in record["snippets"]] == [code.stdout]
    assert {link["rel"] for link in record["links"]} >= {"capabilities"}
    for wrong, said in (
        (("--open", "word"), "qgis"),
        (("--open", "qgis", "--layer", "none"), "no layer"),
    ):
        done = geohound("show", first["id"], *wrong, *where)
        assert done.returncode == 2
        assert said in done.stderr
        assert done.stdout == ""


def test_a_reader_that_goes_away_ends_a_search_quietly(crawled) -> None:
    command = [
        sys.executable,
        "-m",
        "geohound",
        "search",
        "--limit",
        "1000",
        "--catalogue",
        str(crawled[0]),
    ]
    for more in ([], ["--json"]):
        with subprocess.Popen(
            [*command, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as searching:
            assert searching.stdout
            assert searching.stderr
            searching.stdout.close()
            told = searching.stderr.read()
            assert (searching.wait(), told) == (0, b"")


def test_a_search_is_narrowed_by_facets(crawled) -> None:
    path = str(crawled[0])

    def ask(*words: str) -> dict:
        return json.loads(
            geohound(
                "search", *words, "--json", "--catalogue", path
            ).stdout.splitlines()[-1]
        )["summary"]

    everything = ask()
    kind, count = next(iter(everything["facets"]["kind"].items()))
    assert (
        ask("--where", f"kind={kind}")["total"]
        == ask("--kind", kind)["total"]
        == count
        < everything["total"]
    )
    assert ask("--where", "https=no")["total"] == everything["facets"]["https"]["no"]
    assert ask("--country", "xx")["total"] == 0


def test_a_word_with_a_minus_is_left_out_and_is_no_option(crawled) -> None:
    path, (first, *_) = crawled
    title = first["title"]
    unwanted = next(word for word in re.findall(r"[^\W\d_]{3,}", title))
    done = geohound("search", title, f"-{unwanted}", "--json", "--catalogue", str(path))
    assert done.returncode == 0, done.stderr
    assert first["endpoint"] not in [
        json.loads(line).get("endpoint") for line in done.stdout.splitlines()
    ]
    assert (
        geohound("search", "rivers", "--lmit", "3", "--catalogue", str(path)).returncode
        == 2
    )


def test_a_topic_that_nobody_knows_is_answered_with_those_that_are_known(
    crawled,
) -> None:
    done = geohound("search", "--topic", "landcover", "--catalogue", str(crawled[0]))
    assert done.returncode == 2
    assert "land_cover" in done.stderr


def test_show_tells_what_to_do_with_an_unknown_name(crawled) -> None:
    done = geohound("show", "nothing", "--catalogue", str(crawled[0]))
    assert done.returncode == 1
    assert "geohound identify" in done.stderr


def test_a_finished_crawl_is_not_resumed(crawled) -> None:
    done = geohound("resume", "--catalogue", str(crawled[0]))
    assert done.returncode == 1
    assert "geohound crawl" in done.stderr


def test_a_killed_crawl_goes_on_and_finds_what_an_undisturbed_one_finds(
    web, crawled, tmp_path: Path
) -> None:
    world, network = web
    path = tmp_path / "c.db"
    environ = {
        **os.environ,
        "GEOHOUND_HOST_DELAY_S": "0.05",
        "GEOHOUND_SLOW_HOST_FACTOR": "0",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "geohound", "crawl", *world.seeds, "--catalogue", str(path), *network, "--json"],
        env=environ, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    with process.stdout as told:
        next(line for line in told if json.loads(line)["event"] == "service")
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = geohound("resume", "--json", "--catalogue", str(path), *network, **QUICK)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["summary"]["finished"]
    expected = {(e["kind"], e["endpoint"]) for e in crawled[1][:-1]}
    shown = geohound(
        "search",
        "--json",
        "--limit",
        "1000",
        "--bbox",
        "-180,-90,180,90",
        "--catalogue",
        str(path),
    )
    found = {
        (h["kind"], h["endpoint"])
        for h in map(json.loads, shown.stdout.splitlines())
        if "kind" in h
    }
    undisturbed = geohound(
        "search",
        "--json",
        "--limit",
        "1000",
        "--bbox",
        "-180,-90,180,90",
        "--catalogue",
        str(crawled[0]),
    )
    same = {
        (h["kind"], h["endpoint"])
        for h in map(json.loads, undisturbed.stdout.splitlines())
        if "kind" in h
    }
    assert found == same
    assert same <= expected


def test_the_places_of_the_simulated_hosts_are_a_list_that_the_settings_name(
    tmp_path: Path,
) -> None:
    done = geohound("geoweb", "places", "--seed", "3", "--hosts", "12")
    file = tmp_path / "places.csv"
    file.write_text(done.stdout, "utf-8")
    found = read_own_list(file)
    world = World(3, 12, 150)
    assert {world.host(index).name for index in range(12)} <= set(found)
    assert all(place.country for place in found.values())
    told = geohound("doctor", GEOHOUND_HOST_PLACES=str(file)).stdout
    assert f"{len(found)} hosts of" in " ".join(told.split())


def test_truth_is_told_as_the_contract_says() -> None:
    done = geohound(
        "geoweb", "truth", "--seed", "3", "--hosts", "12", "--pages", "150", "--json"
    )
    told = json.loads(done.stdout)
    assert {"seeds", "pages", "services"} <= set(told)
    fields = {
        "endpoint",
        "kind",
        "version",
        "title",
        "layers",
        "bbox",
        "depth",
        "how",
        "alive",
    }
    assert all(fields <= set(service) for service in told["services"])


def test_doctor_tells_what_is_there(tmp_path: Path) -> None:
    done = geohound("doctor", "--json", "--catalogue", str(tmp_path / "c.db"))
    names = [json.loads(line).get("name") for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert {"Python", "SQLite", "libcurl", "Chromium", "catalogue"} <= set(names)


def test_hostile_titles_cannot_drive_the_terminal(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<html><title>\x1b]0;owned\x07\x1b[31mred[bold]x[/bold]</title></html>"
    )
    done = geohound("identify", str(page))
    assert "\x1b" not in done.stdout
    assert "[bold]x[/bold]" in done.stdout


def test_a_command_does_not_wait_for_parts_of_another() -> None:
    code = (
        "import sys; from geohound.cli import program; program('search'); "
        "print(*{'geohound.mining', 'geohound.crawler.engine', 'geoweb', 'numpy'}.intersection(sys.modules))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert told.stdout.split() == []


def test_all_commands_are_known_by_the_name_they_are_registered_under() -> None:
    group = get_command(program())
    assert list(group.commands) == list(COMMANDS)  # type: ignore[attr-defined]


def test_a_port_that_is_not_one_of_the_webs_is_refused_with_the_setting_that_opens_it() -> (
    None
):
    told = geohound("identify", "http://maps.example.org:8899/wms")
    assert "port 8899" in told.stdout
    assert "allow_ports" in told.stdout
    assert "--allow-net" not in told.stdout
    wrong = geohound(
        "identify", "http://maps.example.org:8899/wms", GEOHOUND_ALLOW_PORTS="web"
    )
    assert wrong.returncode == 2
    assert "allow_ports must be a list of numbers" in wrong.stderr
