"""Catalogues that may only be read, are damaged or missing, and folders that cannot be made: a sentence each."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from command_line import geohound
from starlette.testclient import TestClient

from geohound import app
from geohound.contracts import StoreError
from geohound.model.catalogue import Observation
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.portal.app import create_app
from geohound.settings import Settings
from geohound.stores.sqlite.database import SqliteDatabase


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "geoweb.db"
    with closing(app.open_store(Settings(catalogue=str(path)))) as store:
        rivers = Service(endpoint="http://a.test/wms", kind="wms", title="Rivers")
        seen = Sighting(rivers.id, rivers.endpoint, "", Via.LINK, "", store.clock.now())
        store.catalogue.record_now([Observation(rivers, seen)])
    return path


@pytest.fixture
def read_only(catalogue: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As on a read-only file system; the right to write is what root has anyway, so it is denied here."""
    may = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: mode != os.W_OK and may(path, mode)
    )
    return catalogue


def damage(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'service'"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def test_a_catalogue_that_may_only_be_read_is_searched(read_only: Path) -> None:
    before = read_only.read_bytes()
    found = geohound("search", "rivers", "--catalogue", str(read_only))
    assert found.returncode == 0
    assert "Rivers" in found.stdout
    assert read_only.read_bytes() == before


def test_a_catalogue_that_may_only_be_read_is_served_without_tasks(
    read_only: Path,
) -> None:
    with app.open_catalogue(Settings(catalogue=str(read_only))) as opened:
        assert opened.is_read_only
        with TestClient(
            create_app(opened.catalogue, opened.index, app.kinds()), "http://127.0.0.1"
        ) as client:
            assert "Rivers" in client.get("/?q=rivers").text


def test_writing_where_one_may_only_read_says_so(read_only: Path) -> None:
    database = SqliteDatabase(read_only)
    with (
        pytest.raises(StoreError, match="may only be read"),
        database.write() as connection,
    ):
        connection.execute("DELETE FROM service")
    database.close()


@pytest.mark.parametrize("command", ["search", "show"])
def test_a_damaged_page_is_told_in_a_sentence(catalogue: Path, command: str) -> None:
    damage(catalogue)
    told = geohound(command, "http://a.test/wms", "--catalogue", str(catalogue))
    assert told.returncode == 2
    assert f"{catalogue} is damaged" in told.stderr.replace("\n", "")
    assert "Traceback" not in told.stderr


def test_the_portal_over_a_damaged_catalogue_says_so(catalogue: Path) -> None:
    with app.open_catalogue(Settings(catalogue=str(catalogue))) as opened:
        damage(catalogue)
        with TestClient(
            create_app(opened.catalogue, opened.index, app.kinds()), "http://127.0.0.1"
        ) as client:
            answer = client.get("/?q=rivers")
    assert answer.status_code == 503
    assert "The catalogue cannot be read" in answer.text


def test_a_search_without_a_catalogue_says_how_to_get_one_and_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    told = geohound("search", "rivers")
    assert told.returncode == 2
    assert "geohound crawl URL" in told.stderr
    assert not (tmp_path / "data").exists()


def test_a_data_folder_that_cannot_be_made_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    told = geohound("crawl", "http://a.test/")
    assert told.returncode == 2
    assert "cannot be made" in told.stderr
    assert "Errno" not in told.stderr


@pytest.mark.parametrize("word", ["notaurl", "http//a.test", "maps"])
def test_a_seed_that_is_no_address_is_refused_at_once(
    word: str, tmp_path: Path
) -> None:
    told = geohound("crawl", word, "--catalogue", str(tmp_path / "x.db"))
    assert told.returncode == 2
    assert "is not a valid URL" in told.stderr.replace("\n", "")
    assert not (tmp_path / "x.db").exists()


def test_a_file_of_seeds_that_is_not_there_is_named_without_numbers_of_errors(
    tmp_path: Path,
) -> None:
    told = geohound("crawl", "--seeds", str(tmp_path / "none.txt"))
    assert told.returncode == 2
    assert "cannot be read" in told.stderr
    assert "Errno" not in told.stderr
