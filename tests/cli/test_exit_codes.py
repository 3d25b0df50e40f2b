"""Every command is asked for something that does not exist, and says so by its exit code and in a sentence.

1: the call is right, but what it names is not in the catalogue. 2: the call itself is wrong, whatever the catalogue
holds: an option, a file, the id of a plug-in, or a catalogue that is not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from command_line import geohound

from geohound import app
from geohound.cli import COMMANDS
from geohound.settings import Settings

MISSING = [
    ("show nope", 1, "not in the catalogue"),
    ("show http://nobody.test/wms", 1, "not in the catalogue"),
    ("check nope", 1, "not in the catalogue"),
    ("tasks watch 99", 1, "no task 99"),
    ("tasks start 99", 1, "no task 99"),
    ("tasks pause 99", 1, "no task 99"),
    ("tasks resume 99", 1, "no task 99"),
    ("tasks stop 99", 1, "no task 99"),
    ("tasks delete 99", 1, "no task 99"),
    ("tasks watch", 1, "No tasks"),
    ("resume", 1, "no unfinished crawl"),
    ("resume 99", 1, "unknown or already finished"),
    ("visits", 1, "no crawl"),
    ("visits 99", 1, "no task 99"),
    ("report hosts", 1, "no crawl"),
    ("report hosts 99", 1, "no task 99"),
    ("requests nobody.test", 1, "No requests"),
    ("pages", 1, "No pages"),
    ("users remove nobody", 1, "no account 'nobody'"),
    ("users role nobody user", 1, "no account 'nobody'"),
    ("users password nobody", 1, "no account 'nobody'"),
    ("report nope", 2, "nope"),
    ("search roads --kind nope", 2, "nope"),
    ("search roads --topic nope", 2, "nope"),
    ("search roads --state nope", 2, "nope"),
    ("export nope", 2, "nope"),
    ("export csv --kind nope", 2, "nope"),
    ("files --format nope", 2, "nope"),
    ("identify nofile.xml", 2, "not found"),
    ("mine nofile.html", 2, "not found"),
    ("crawl --seeds nofile.txt", 2, "nofile.txt"),
    ("hunt --source nofile.csv", 2, "There is no such file: nofile.csv"),
    ("harvest ./nofile", 2, "There is no such file: ./nofile"),
    ("crawl http://a.test/ --order nope", 2, "nope"),
    ("crawl http://a.test/ --kinds nope", 2, "nope"),
    ("crawl http://a.test/ --topic nope", 2, "nope"),
    ("hunt maps --searcher nope", 2, "nope"),
    ("harvest http://a.test/ --as nope", 2, "nope"),
    ("watcher nofolder --site http://a.test/", 2, "no folder"),
    ("cluster join", 2, "Name the head"),
    ("cluster stop 10.0.0.1:6379", 2, "needs no address"),
    ("geoweb truth --kinds nope", 2, "nope"),
    ("store copy nofile.db other.db", 2, "No catalogue"),
    ("sources --catalogue nowhere/c.db --config nofile.toml", 2, "nofile.toml"),
    ("orders --config nofile.toml", 2, "nofile.toml"),
    ("kinds nope", 2, "nope"),
    ("doctor --config nofile.toml", 2, "nofile.toml"),
    ("demo --config nofile.toml", 2, "nofile.toml"),
    ("monitor --config nofile.toml", 2, "nofile.toml"),
    ("serve --config nofile.toml", 2, "nofile.toml"),
]
NEEDS_A_CATALOGUE = [
    "export csv", "files", "monitor --once", "pages", "report kinds", "requests a.test", "resume",
    "search roads", "serve --port 0", "show nope", "tasks", "users", "visits",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with chdir(tmp_path):
        yield tmp_path


@pytest.fixture
def catalogue(folder: Path) -> str:
    path = str(folder / "c.db")
    app.open_store(Settings(catalogue=path)).close()
    return path


@pytest.mark.parametrize(("call", "code", "sentence"), MISSING)
def test_what_does_not_exist_is_named_in_a_sentence(
    catalogue: str, call: str, code: int, sentence: str
) -> None:
    more = () if call.startswith("store") else ("--catalogue", catalogue)
    ended = geohound(*call.split(), *more)
    assert ended.returncode == code, ended.stderr
    assert sentence in " ".join((ended.stdout + ended.stderr).replace("│", " ").split())


@pytest.mark.parametrize("call", NEEDS_A_CATALOGUE)
def test_a_catalogue_that_does_not_exist_is_a_wrong_call(
    folder: Path, call: str
) -> None:
    ended = geohound(*call.split(), "--catalogue", str(folder / "none.db"))
    assert ended.returncode == 2, ended.stderr
    assert not (folder / "none.db").exists()


def test_every_command_is_called() -> None:
    assert {call.split()[0] for call, *_ in MISSING} == set(COMMANDS)
