"""`geohound export`: files of a search, and one sentence where something is wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import geohound
from export_examples import FIJI, RIVERS, SERVICES

from geohound.model.catalogue import Observation
from geohound.model.service import Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory) -> str:
    file = tmp_path_factory.mktemp("export") / "c.db"
    store = open_store(file, SystemClock())
    for service in SERVICES:
        sighting = Sighting(
            service.id, service.endpoint, "", Via.SEED, "", SystemClock().now()
        )
        store.catalogue.record_now([Observation(service, sighting)])
    store.close()
    return str(file)


def test_the_whole_catalogue_goes_to_a_file(catalogue, tmp_path):
    file = tmp_path / "all.csv"
    ended = geohound("export", "csv", "-o", str(file), "--catalogue", catalogue)
    assert ended.returncode == 0, ended.stderr
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
    assert {row["endpoint"] for row in rows} == {
        service.endpoint for service in SERVICES
    }
    assert [each.name for each in tmp_path.iterdir()] == ["all.csv"]


def test_what_a_file_of_connections_leaves_out_is_said(catalogue, tmp_path):
    file = tmp_path / "qgis.xml"
    ended = geohound("export", "qgis-wms", "-o", str(file), "--catalogue", catalogue)
    assert ended.returncode == 0
    assert "2 services are not in the file" in ended.stderr
    assert f": {len(SERVICES) - 2} service" in ended.stdout
    assert "qgis-wfs" in ended.stderr
    assert "2 services are not in the file" in file.read_text("utf-8")
    command = ("export", "qgis-wms", "-o", str(file), "--json")
    ended = geohound(*command, "--catalogue", catalogue)
    summary = json.loads(ended.stdout)["summary"]
    assert "not in the file" in summary["note"]
    assert summary["services"] == len(SERVICES) - 2


def test_filters_are_those_of_search(catalogue, tmp_path):
    file = tmp_path / "some.json"
    ended = geohound(
        "export",
        "jsonl",
        "reefs",
        "--kind",
        "wfs",
        "-o",
        str(file),
        "--catalogue",
        catalogue,
        "--json",
    )
    assert ended.returncode == 0, ended.stderr
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()] == [
        FIJI.id
    ]
    summary = json.loads(ended.stdout)["summary"]
    assert (summary["services"], summary["bytes"]) == (1, file.stat().st_size)


def test_it_says_how_many_services_are_in_the_file(catalogue, tmp_path):
    file = tmp_path / "none.geojson"
    where = ("-o", str(file), "--catalogue", catalogue)
    ended = geohound("export", "geojson", "xyzzy", *where)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split(": ")[1].startswith("0 services, ")


def test_without_a_file_it_goes_to_standard_output(catalogue):
    ended = geohound(
        "export",
        "geojson",
        "--bbox",
        "18,58,33,72",
        "--limit",
        "1",
        "--catalogue",
        catalogue,
    )
    assert [f["id"] for f in json.loads(ended.stdout)["features"]] == [RIVERS.id]


def test_without_a_format_the_formats_are_listed(catalogue):
    ended = geohound("export", "--catalogue", catalogue)
    assert ended.returncode == 0
    assert {"csv", "geojson", "json", "jsonl", "qgis", "geoparquet"} <= {
        line.split()[0] for line in ended.stdout.splitlines()
    }


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("export", "shapefile"), "choose from"),
        (("export", "csv", "--bbox", "1,2,3"), "--bbox"),
        (("export", "csv", "-o", "/nowhere/at/all.csv"), "cannot be written"),
    ],
)
def test_a_wrong_call_is_answered_in_a_sentence(catalogue, arguments, sentence):
    ended = geohound(*arguments, "--catalogue", catalogue)
    assert ended.returncode == 2
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_pipe_stays_a_pipe(catalogue, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    ended = geohound("export", "csv", "-o", str(pipe), "--catalogue", catalogue)
    assert ended.returncode == 0, ended.stderr
    assert pipe.is_fifo()
    assert os.read(reader, 1 << 16).startswith(b"id,")
    os.close(reader)


def test_what_a_link_leads_to_is_written_and_the_link_stays(catalogue, tmp_path):
    file, link = tmp_path / "all.csv", tmp_path / "link.csv"
    file.write_text("old")
    link.symlink_to(file)
    ended = geohound("export", "csv", "-o", str(link), "--catalogue", catalogue)
    assert ended.returncode == 0, ended.stderr
    assert link.is_symlink()
    assert file.read_text("utf-8").startswith("id,")
    assert sorted(tmp_path.iterdir()) == [file, link]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["search", "rivers"], ["search", "--json"], ["export", "csv"], ["kinds"]]
)
def test_output_that_cannot_be_written_is_said(catalogue, words):
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "geohound", *words, "--catalogue", catalogue],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr == "The output cannot be written: No space left on device.\n"


@pytest.mark.slow
def test_a_closed_standard_output_is_no_trouble(catalogue):
    script = 'exec "$0" -m geohound search rivers --catalogue "$1" >&-'
    ended = subprocess.run(
        ["sh", "-c", script, sys.executable, catalogue],
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
