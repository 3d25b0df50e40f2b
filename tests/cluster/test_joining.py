"""What cannot become a node of a cluster is refused before anything is started, in a sentence that says what to do."""

from __future__ import annotations

import socket

import pytest
from command_line import geohound
from postgres_server import free_port, shared_server

from geohound import app
from geohound.settings import Settings

GIVEN = "a-token-of-the-cluster"


@pytest.fixture
def call(tmp_path):
    """A command of a user who has started no node yet."""

    def called(*words: str, **environ: str):
        return geohound("cluster", *words, XDG_STATE_HOME=str(tmp_path), **environ)

    return called


def sentence(ended) -> str:
    assert ended.returncode == 2
    return " ".join(ended.stderr.replace("│", " ").split())


def test_a_machine_that_joins_works_for_the_catalogue_of_the_head(call) -> None:
    said = sentence(call("join", "127.0.0.2:6379", "--catalogue", "postgresql:///mine"))
    assert "works for the catalogue of the head; leave --catalogue out" in said


def test_nobody_joins_where_no_head_is(call, tmp_path) -> None:
    head = f"127.0.0.2:{free_port()}"
    said = sentence(call("join", head, GEOHOUND_CLUSTER_TOKEN=GIVEN))
    assert f"Nobody answers at {head} (Connection refused)" in said
    assert not list(tmp_path.rglob("*.json"))
    assert "No node that you started runs on this machine." in call("stop").stdout


def test_an_address_of_another_machine_is_refused(call) -> None:
    words = ("join", "127.0.0.2:6379", "--address", "203.0.113.7")
    said = sentence(call(*words, GEOHOUND_CLUSTER_TOKEN=GIVEN))
    assert "203.0.113.7 is no address of this machine" in said


def test_whoever_joins_needs_the_token_of_the_cluster(call) -> None:
    with socket.create_server(("127.0.0.2", 0)) as head:
        said = sentence(call("join", f"127.0.0.2:{head.getsockname()[1]}"))
    assert "Set GEOHOUND_CLUSTER_TOKEN" in said


@pytest.mark.slow
def test_a_head_that_may_only_read_is_refused(call, monkeypatch) -> None:
    address = shared_server().new_schema()
    with app.open_catalogue(Settings(catalogue=address), make=True) as opened:
        kind = type(opened)
    monkeypatch.setattr(kind, "is_read_only", property(lambda _: True))
    assert "may only read" in sentence(call("start", "--catalogue", address))


@pytest.mark.parametrize("written", ["", "{", '{"pid": "x"}', "[]", '{"pid": 1}'])
def test_a_note_that_was_cut_short_or_is_of_another_process_is_removed(
    call, tmp_path, written
) -> None:
    folder = tmp_path / "geohound" / "cluster"
    folder.mkdir(parents=True)
    (folder / "127.0.0.2-6379.json").write_text(written)
    ended = call("stop")
    assert ended.returncode == 0
    assert "No node that you started" in ended.stdout
    assert not list(folder.iterdir())


def test_where_nothing_can_be_noted_the_folder_is_named(call) -> None:
    ended = geohound("cluster", "stop", XDG_STATE_HOME="/proc")
    assert "name another folder with XDG_STATE_HOME" in sentence(ended)
