"""`geohound mine` as a user and a script meet it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import command_line
import pytest
from loopback import serving

PAGE = """<html><head><script src="OpenLayers.js"></script><script src="js/map.js"></script></head><body><script>
var source = new ol.source.TileWMS({url: BASE + "/roads/wms", params: {LAYERS: "roads"}});
new ol.Map({target: "m", layers: [new ol.layer.Tile({source: source})]});
</script></body></html>"""
SCRIPT = """var BASE = "https://gis.test";
map.addLayer(new OpenLayers.Layer.WMS("Soil", "https://soil.test/wms", {layers: "s"}));"""


def geohound(*words: str) -> subprocess.CompletedProcess[str]:
    return command_line.geohound(*words, COLUMNS="200", TERM="dumb")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("app")
    (folder / "js").mkdir()
    (folder / "index.html").write_text(PAGE)
    (folder / "js" / "map.js").write_text(SCRIPT)
    return folder


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(app: Path) -> Iterator[str]:
    with serving(partial(_Quiet, directory=str(app))) as origin:
        yield f"{origin}/index.html"


FIELDS = {"page", "endpoint", "url", "kind", "how", "source", "line", "confidence"}


@pytest.mark.parametrize("place", ["file", "site"])
def test_endpoints_are_told_a_line_each_and_then_the_summary(
    place: str, app: Path, site: str
) -> None:
    source = str(app / "index.html") if place == "file" else site
    done = geohound("mine", source, "--json", "--allow-net", "127.0.0.0/8")
    assert done.returncode == 0, done.stderr
    *lines, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(set(line) >= FIELDS for line in lines)
    assert {(line["endpoint"], line["kind"]) for line in lines} == {
        ("https://gis.test/roads/wms", "wms"),
        ("https://soil.test/wms", "wms"),
    }
    by_endpoint = {line["endpoint"]: line for line in lines}
    assert by_endpoint["https://soil.test/wms"]["source"].endswith("/js/map.js")
    assert by_endpoint["https://soil.test/wms"]["line"] == 2
    assert by_endpoint["https://gis.test/roads/wms"]["line"] == 2
    summary = last["summary"]
    assert summary["endpoints"] == 2
    assert summary["scripts_read"] == 2
    assert summary["scripts_skipped"] == 1
    assert summary["elapsed_ms"] > 0


def test_the_summary_says_on_which_pages_addresses_were_lost_and_how_many(
    tmp_path: Path,
) -> None:
    lost = "L.tileLayer.wms(window.chosen.host + '/wms', {layers: 'a'}).addTo(map);"
    unread = '<script src="js/layers-of-the-map.js"></script>'
    pages = {
        "sure.html": "L.tileLayer.wms('https://soil.test/wms', {layers: 's'}).addTo(map);",
        "lost.html": lost,
        "unread.html": lost,
    }
    for name, code in pages.items():
        head = unread if name == "unread.html" else ""
        (tmp_path / name).write_text(
            f"<html><head>{head}</head><body><script>{code}</script></body></html>"
        )
    done = geohound("mine", *(str(tmp_path / name) for name in pages), "--json")
    told = json.loads(done.stdout.splitlines()[-1])["summary"]["unsure"]
    assert [(Path(row["input"]).name, row["missing"]) for row in told] == [
        ("lost.html", 1),
        ("unread.html", None),
    ]
    assert all(row["reason"] and row["lost"] for row in told)
    assert "L.tileLayer.wms" in told[0]["lost"][0]


def test_a_saved_page_is_told_by_its_file_and_read_where_it_stood(
    tmp_path: Path,
) -> None:
    page = tmp_path / "a.html"
    page.write_text(
        '<html><script>L.tileLayer.wms("../gs/wms", {layers: "x"}).addTo(map);</script></html>'
    )
    done = geohound(
        "mine", str(page), "--json", "--base", "https://h.test/maps/view/a.html"
    )
    found, _ = [json.loads(line) for line in done.stdout.splitlines()]
    assert (found["page"], found["source"]) == (str(page), str(page))
    assert found["endpoint"] == "https://h.test/maps/gs/wms"


def test_the_published_rules_alone_find_less(app: Path) -> None:
    done = geohound("mine", str(app / "index.html"), "--json", "--rules", "hou2016")
    found = [json.loads(line) for line in done.stdout.splitlines()][:-1]
    assert [(line["endpoint"], line["how"]) for line in found] == [
        ("https://soil.test/wms", "rule 1")
    ]


def test_people_get_a_table(app: Path) -> None:
    done = geohound("mine", str(app / "index.html"))
    assert done.returncode == 0
    assert "2 endpoints" in done.stdout
    row = next(line for line in done.stdout.splitlines() if "soil.test" in line)
    assert row.split()[:2] == ["wms", "https://soil.test/wms"]
    assert row.endswith("map.js:2")


@pytest.mark.parametrize(
    ("net", "requests"), [(("--allow-net", "127.0.0.0/8"), 1), ((), 0)]
)
def test_the_request_for_a_page_that_cannot_be_had_is_counted(
    net: tuple[str, ...], requests: int, site: str
) -> None:
    done = geohound("mine", site.replace("index", "nothing"), "--json", *net)
    summary = json.loads(done.stdout.splitlines()[-1])["summary"]
    assert (summary["failed"], summary["requests"]) == (1, requests)


@pytest.mark.parametrize(
    ("words", "told", "code"),
    [
        (("missing.html",), "file not found: missing.html", 2),
        (("ftp://h.test/",), "valid URL", 2),
        (("http://127.0.0.1:9/",), "--allow-net", 1),
        (("a.test", "--rules", "best"), "hou2016", 2),
        (("a.html", "--base", "nowhere"), "is not a valid URL", 2),
    ],
)
def test_what_cannot_be_mined_is_told_in_a_sentence(
    words: tuple[str, ...], told: str, code: int
) -> None:
    done = geohound("mine", *words)
    assert done.returncode == code
    assert told in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
