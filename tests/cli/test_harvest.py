"""`geohound harvest` against a CSW on loopback."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from command_line import geohound
from csw_server import Catalogue, running_catalogue
from harvest_examples import parquet_bytes, plain, warc_record, wms

CSW = "http://cat.test/csw"


def harvest(
    server: Catalogue, folder: Path, *words: str, command: str = "harvest"
) -> subprocess.CompletedProcess[str]:
    (folder / "g.toml").write_text(
        "host_delay_s = 0.01\nslow_host_factor = 0\nretries = 0\n", "utf-8"
    )
    return geohound(
        command, *words, "--json", "--catalogue", str(folder / "c.db"), "--config", str(folder / "g.toml"),
        "--connect-to", f"*.test=127.0.0.1:{server.server_port}", "--allow-net", "127.0.0.0/8",
    )  # fmt: skip


def lines(done: subprocess.CompletedProcess[str]) -> list[dict]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_a_catalogue_is_read_whole_and_what_answers_is_catalogued(
    tmp_path: Path,
) -> None:
    with running_catalogue(total=60, alive=3) as server:
        done = harvest(server, tmp_path, CSW, "--as", "csw")
    assert done.returncode == 0, done.stderr
    *events, last = lines(done)
    found = {event["endpoint"] for event in events if event["event"] == "service"}
    assert found == {f"http://h{n}.test/wms" for n in (1, 2, 3)}
    assert server.positions == [1, 51]
    assert (last["summary"]["records"], last["summary"]["tested"]) == (60, 60)
    listed = geohound("tasks", "--json", "--catalogue", str(tmp_path / "c.db"))
    assert json.loads(listed.stdout)["kind"] == "harvest"


LOGIN = b'<html><title>Log in</title><form method="post" action="/login"><input type="password" name="p"></form></html>'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("breakage", "reason"),
    [((500, b"dead"), "unavailable"), ((200, LOGIN), "log-in wall")],
    ids=["500", "log-in"],
)
def test_a_harvest_that_breaks_off_fails_and_goes_on_at_its_cursor(
    tmp_path: Path, breakage, reason: str
) -> None:
    with running_catalogue(total=200) as server:
        server.last_position, server.breakage = 100, breakage
        done = harvest(server, tmp_path, CSW, "--as", "csw")
        assert done.returncode == 1, done.stderr
        said = " ".join(done.stderr.split())
        assert f"100 records read; not read to the end: {CSW} ({reason})" in said
        summary = lines(done)[-1]["summary"]
        assert (summary["ended"], summary["finished"], summary["records"]) == (
            "source failed",
            False,
            100,
        )
        assert summary["unread"] == [{"url": CSW, "reason": reason}]
        server.last_position = 0
        server.positions.clear()
        again = harvest(server, tmp_path, command="resume")
    assert again.returncode == 0, again.stderr
    assert server.positions == [101, 151], "from where it broke off"
    summary = lines(again)[-1]["summary"]
    assert (summary["ended"], summary["records"], summary["tested"]) == (
        "finished",
        200,
        200,
    )
    assert summary["unread"] == []


@pytest.mark.slow
def test_what_the_catalogue_is_is_found_out(tmp_path: Path) -> None:
    with running_catalogue(total=5, alive=5) as server:
        done = harvest(server, tmp_path, f"{CSW}?service=CSW&request=GetCapabilities")
    kinds = lines(done)[-1]["summary"]["kinds"]
    assert (done.returncode, kinds) == (0, {"wms": 5, "csw": 1})


@pytest.mark.slow
def test_only_what_has_changed_is_asked_for(tmp_path: Path) -> None:
    with running_catalogue(total=5) as server:
        done = harvest(server, tmp_path, CSW, "--as", "csw", "--since", "2026-01-31")
    assert done.returncode == 0
    assert server.asked
    assert all("2026-01-31" in path for path in server.asked if "GetRecords" in path)


@pytest.mark.slow
def test_what_is_no_catalogue_is_told_with_the_reason(tmp_path: Path) -> None:
    with running_catalogue(total=5) as server:
        done = harvest(server, tmp_path, "http://cat.test/nothing", "--as", "ckan")
        assert (
            done.returncode,
            "HTTP error" in done.stderr,
            "--as" in done.stderr,
        ) == (1, True, True)


@pytest.mark.slow
def test_a_catalogue_that_is_another_is_said_to_be_so_in_one_sentence(
    tmp_path: Path,
) -> None:
    with running_catalogue(total=5, alive=1) as server:
        done = harvest(server, tmp_path, CSW, "--as", "ckan")
    assert done.returncode == 1
    (warning,) = [line for line in lines(done) if line.get("event") == "warning"]
    assert warning["message"].startswith(f"{CSW} cannot be read as ckan: ")


def test_a_wrong_protocol_or_date_is_a_wrong_call(tmp_path: Path) -> None:
    with running_catalogue(total=5) as server:
        unknown = harvest(server, tmp_path, CSW, "--as", "gopher")
        undated = harvest(server, tmp_path, CSW, "--since", "yesterday")
        nothing = harvest(server, tmp_path)
    assert [done.returncode for done in (unknown, undated, nothing)] == [2, 2, 2]
    assert "csw" in unknown.stderr
    assert "2026-01-31" in undated.stderr


@pytest.mark.parametrize(
    "name", ["/nonexistent.csv", "nonexistent.csv", "lists/nonexistent.txt", "./seeds"]
)
def test_a_file_that_is_not_there_is_a_wrong_call(tmp_path: Path, name: str) -> None:
    with running_catalogue(total=0) as server:
        done = harvest(server, tmp_path, name)
    assert done.returncode == 2
    assert "There is no such file" in done.stderr
    assert not (tmp_path / "c.db").exists(), "no task was made"


@pytest.mark.slow
def test_the_pages_of_a_sitemap_are_read(tmp_path: Path) -> None:
    page = '<html><title>Maps</title><body><a href="{}">WMS</a></body></html>'
    with running_catalogue(total=0, alive=2) as server:
        places = "".join(
            f"<url><loc>http://cat.test/maps/{n}</loc></url>" for n in (1, 2)
        )
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
        server.files = {
            "/sitemap.xml": ("application/xml", sitemap.encode()),
            "/maps/1": ("text/html", page.format(wms(1)).encode()),
            "/maps/2": ("text/html", page.format(wms(2)).encode()),
        }
        done = harvest(server, tmp_path, "http://cat.test/sitemap.xml")
    assert done.returncode == 0, done.stderr
    *events, last = lines(done)
    found = {event["endpoint"] for event in events if event["event"] == "service"}
    assert found == {"http://h1.test/wms", "http://h2.test/wms"}
    assert last["summary"]["records"] == 2


RECIPE = """
id = "centre"
url = "http://cat.test/list?page={page}"
records = "sets"
address = "map"
"""


@pytest.mark.slow
def test_a_data_centre_is_harvested_by_its_recipe(tmp_path: Path) -> None:
    (tmp_path / "centre.toml").write_text(RECIPE, "utf-8")
    with running_catalogue(total=0, alive=3) as server:
        sets = [{"map": f"http://h{n}.test/wms"} for n in (1, 2, 3)]
        server.files = {
            "/list?page=1": (
                "application/json",
                json.dumps({"sets": sets[:2]}).encode(),
            ),
            "/list?page=2": (
                "application/json",
                json.dumps({"sets": sets[2:]}).encode(),
            ),
            "/list?page=3": ("application/json", b'{"sets": []}'),
        }
        done = harvest(server, tmp_path, "--as", str(tmp_path / "centre.toml"))
    assert done.returncode == 0, done.stderr
    *events, last = lines(done)
    found = {event["endpoint"] for event in events if event["event"] == "service"}
    assert found == {f"http://h{n}.test/wms" for n in (1, 2, 3)}
    assert last["summary"]["records"] == 3


def test_recipes_of_the_settings_are_listed_with_the_sources(tmp_path: Path) -> None:
    (tmp_path / "centre.toml").write_text(RECIPE, "utf-8")
    (tmp_path / "g.toml").write_text(
        f'harvester_files = ["{tmp_path / "centre.toml"}"]\n', "utf-8"
    )
    listed = geohound("sources", "--json", "--config", str(tmp_path / "g.toml"))
    rows = [json.loads(line) for line in listed.stdout.splitlines()]
    assert [row["type"] for row in rows if row["id"] == "centre"] == ["harvester"]


def test_a_recipe_that_is_not_there_is_a_wrong_call(tmp_path: Path) -> None:
    with running_catalogue(total=0) as server:
        done = harvest(server, tmp_path, "--as", "nowhere.toml")
    assert done.returncode == 2
    assert "nowhere.toml cannot be read" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.warc.gz", "x.parquet", "list.csv"])
def test_a_file_of_this_machine_is_read_by_what_it_is(
    tmp_path: Path, name: str
) -> None:
    page = '<html><a href="{}">Map</a></html>'
    files = {
        "x.warc.gz": b"".join(
            warc_record(f"http://a.test/{n}", page.format(wms(n))) for n in (1, 2, 3)
        ),
        "x.parquet": parquet_bytes(
            [plain(1), plain(2), plain(3), "http://a.test/about"]
        ),
        "list.csv": "".join(f"Map {n};{plain(n)}\n" for n in (1, 2, 3)).encode(),
    }
    (tmp_path / name).write_bytes(files[name])
    with running_catalogue(total=0, alive=2) as server:
        done = harvest(server, tmp_path, str(tmp_path / name))
    assert done.returncode == 0, done.stderr
    *events, last = lines(done)
    found = {event["endpoint"] for event in events if event["event"] == "service"}
    assert found == {"http://h1.test/wms", "http://h2.test/wms"}
    assert last["summary"]["tested"] == 3


@pytest.mark.slow
def test_what_a_harvest_brought_is_shown_among_the_sources(tmp_path: Path) -> None:
    with running_catalogue(total=5, alive=2) as server:
        assert harvest(server, tmp_path, CSW, "--as", "csw").returncode == 0
    here = ("--catalogue", str(tmp_path / "c.db"))
    rows = lines(geohound("sources", "--json", *here))
    (row,) = [row for row in rows if row["id"] == CSW]
    assert (row["type"], row["seeds"], row["services"]) == ("catalogue", 5, 2)
    assert row["requests"] > 5
    assert row["services_per_1000_requests"] == round(2000 / row["requests"], 1)
    methods = geohound(
        "report", "methods", "--format", "csv", *here
    ).stdout.splitlines()
    assert methods == ["method,services,live,live_share", "harvest,2,2,1.0"]


@pytest.mark.slow
def test_a_registry_is_crawled_best_expected_yield_first(tmp_path: Path) -> None:
    endpoints = [
        {"type": "sitemap", "url": "http://h1.test/sitemap.xml"},
        {"type": "wms130", "url": plain(1)},
    ]
    portals = [
        {"name": "A", "status": "active", "endpoints": endpoints},
        {"link": "http://h2.test/wms", "name": "B"},
    ]
    (tmp_path / "registry.jsonl").write_text(
        "\n".join(map(json.dumps, portals)), "utf-8"
    )
    with running_catalogue(total=0, alive=2) as server:
        done = geohound(
            "crawl", "--seeds", str(tmp_path / "registry.jsonl"), "--depth", "0", "--json",
            "--catalogue", str(tmp_path / "c.db"), "--connect-to", f"*.test=127.0.0.1:{server.server_port}",
            "--allow-net", "127.0.0.0/8",
        )  # fmt: skip
    *events, _ = lines(done)
    assert {event["endpoint"] for event in events if event["event"] == "service"} == {
        "http://h1.test/wms",
        "http://h2.test/wms",
    }
    visits = lines(geohound("visits", "--json", "--catalogue", str(tmp_path / "c.db")))
    seeds = [visit["url"] for visit in visits if visit.get("via") == "seed"]
    assert seeds == [plain(1), "http://h2.test/wms", "http://h1.test/sitemap.xml"]
