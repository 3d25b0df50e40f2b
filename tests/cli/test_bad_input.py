"""Every option of every command is given what it cannot take: it says so in plain words, and does not succeed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command_line import geohound
from typer.main import get_command

from geohound import app
from geohound.cli import program
from geohound.settings import Settings
from geohound.views.parsing import ParameterError, check_choice

# Words of the program's own workings, which people who know QGIS and not Python cannot act on.
INNER_WORDS = re.compile(
    r"\[Errno|Traceback|Input should be|<bool>|<str>|<int|<float|int range|float range|valid (int|float|boolean)\b"
    r"|\bx>=|<=x|\bNone\b|Error:|Exception|object at 0x"
)
# What a value of each kind, as the help calls it, cannot be.
BAD: dict[str, tuple[str, ...]] = {
    "N": ("x", "-1", "1.5", "99999999999999999999999", ""),
    "S": ("x", "-1", "nan", "inf", ""),
    "FILE": ("{folder}", "/dev/null/none"),
    "PATH_OR_URL": (
        "{folder}",
        "/dev/null/none",
        "{text}",
        "postgresql://127.0.0.1:1/none",
        "postgresql://[bad",
    ),
    "W,S,E,N": ("a,b,c,d", "1,2", "0,-91,0,91"),
    "ID": ("nonsense", "\N{COLLISION SYMBOL}"),
    "ID,…": ("nonsense", "wms,nonsense"),
    "STATE,…": ("nonsense",),
    "CODE,…": (),  # any word: of a country without services there are none
    "FACET=VALUE": ("nonsense", "nonsense=1"),
    "YEAR[-YEAR]": ("last", "20101"),
    "DATE": ("yesterday", "2026-13-01"),
    "PATTERN=HOST:PORT": ("nonsense", "a=b:x"),
    "CIDR": ("nonsense", "10.0.0.0/99"),
    "URL": ("http://[bad", "nonsense"),
    "PROGRAM": ("nonsense",),
    "NAME": ("nonsense",),
    "ADDRESS": ("not an address",),
    "ID[=URL]": ("nonsense", "searxng", "searxng=nonsense"),
    "FILE|URL|catalogue": ("nonsense", "http://[bad"),
    "FILE|URL|HOST": ("/dev/null/none", "http://[bad"),
    "search,crawl": ("nonsense", "search,nonsense", ""),
    "ID|FILE.toml": ("nonsense", "/dev/null/none.toml"),
    "0..1|auto": ("x", "2", "-1", "nan"),
    "WORD": (),  # any word, any pattern
    "PATTERN": (),
    "FROM-TO": ("morning", "25:00-26:00"),
    "PERCENT": ("x", "0", "101"),
    "FOLDER": ("/dev/null/none",),
    "MILES": ("x", "-1", "nan", "0"),
    "IP": ("nonsense", "999.1.1.1"),
    "PORT": ("x", "-1", "99999"),
}
# What a command needs beside the bad option, so that this alone is wrong.
NEEDED = {
    "crawl": ["http://127.0.0.1:1/"],
    "hunt": ["rivers", "--searcher", "searxng=http://127.0.0.1:1"],
    "harvest": ["http://127.0.0.1:1/"],
    "export": ["csv"],
    "check": ["http://127.0.0.1:1/wms"],
    "monitor": ["--once"],
    "cluster": ["status"],
    "identify": ["{text}"],
    "mine": ["{text}"],
    "show": ["http://a.test/wms"],
    "requests": ["a.test"],
    "search": ["rivers"],
    "report": ["failures"],
    "watcher": ["{folder}", "--site", "http://a.test/", "--once"],
}
NEEDED_BY = {
    ("show", "--layer"): ["--open", "qgis"],
    ("show", "--bbox"): ["--open", "qgis"],
}
# Commands that take these without reading them.
UNREAD = {
    *(
        (command, "PATH_OR_URL")
        for command in (
            "kinds",
            "orders",
            "geoweb",
            "identify",
            "mine",
            "watcher",
            "store",
        )
    ),
    *((command, "FILE") for command in ("kinds", "orders", "geoweb", "store")),
}


def every_command() -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in get_command(program()).commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        yield from (
            (((name, word), each) for word, each in inner.items())
            if inner
            else [((name,), command)]
        )


def bad_calls() -> Iterator[tuple[str, ...]]:
    """Each bad value of each option."""
    for words, command in every_command():
        for option in command.params:
            flag = option.opts[0]
            if flag == "--help" or not flag.startswith("--"):
                continue
            if getattr(option, "is_flag", False):
                yield (*words, f"{flag}=5")
                continue
            needed = [*NEEDED.get(words[0], []), *NEEDED_BY.get((words[0], flag), [])]
            if flag == "--class":  # any word: each topic has its own
                continue
            values = (
                ("nonsense",)
                if hasattr(option.type, "choices")
                else BAD[option.metavar]
            )
            for value in values if (words[0], option.metavar) not in UNREAD else ():
                yield (*words, *needed, f"{flag}={value}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bad")
    made.joinpath("text.xml").write_text("<nothing/>")
    with closing(app.open_store(Settings(catalogue=str(made / "c.db")))):
        return made


@pytest.mark.slow
@pytest.mark.parametrize("words", list(bad_calls()), ids=" ".join)
def test_a_bad_value_is_refused_in_plain_words(
    words: tuple[str, ...], folder: Path
) -> None:
    called = [word.format(folder=folder, text=folder / "text.xml") for word in words]
    ended = geohound(*called, GEOHOUND_CATALOGUE=str(folder / "c.db"), COLUMNS="300")
    assert ended.returncode in (1, 2), ended.stdout + ended.stderr
    printed = ended.stderr or ended.stdout  # `doctor` reports what it finds
    assert printed.strip()
    assert not INNER_WORDS.search(printed), printed


@pytest.mark.parametrize("words", [words for words, _ in every_command()], ids=" ".join)
def test_the_help_has_no_words_of_a_programming_language(
    words: tuple[str, ...],
) -> None:
    shown = geohound(*words, "--help", COLUMNS="200")
    assert shown.returncode == 0
    assert not INNER_WORDS.search(shown.stdout), shown.stdout
    assert "Example: geohound" in shown.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["visits", "x"],
        ["report", "failures", "0"],
        ["tasks", "pause", "x"],
        ["resume", "1.5"],
    ],
)
def test_a_bad_task_number_is_refused_in_plain_words(words: list[str]) -> None:
    ended = geohound(*words)
    assert ended.returncode == 2
    assert "must be a whole number, 1 or more, not" in ended.stderr


@pytest.mark.parametrize("word", ["x", "yes"])
def test_a_word_after_browser_that_is_no_address_is_taken_for_a_wrong_value(
    word: str,
) -> None:
    for command in ("crawl", "mine"):
        ended = geohound(command, "--browser", word, COLUMNS="200")
        assert ended.returncode == 2
        assert f"'{word}' is not one of 'never', 'auto', 'always'" in ended.stderr


def test_an_address_after_browser_is_an_address(folder: Path) -> None:
    ended = geohound("mine", "--browser", str(folder / "none.html"))
    assert "file not found" in ended.stdout + ended.stderr


@pytest.mark.parametrize("name", ["e" * 3000, "~nobody-of-that-name/x"], ids=len)
@pytest.mark.parametrize(
    "words",
    [
        ["identify"],
        ["mine"],
        ["harvest"],
        ["hunt", "water", "--source"],
        ["hunt", "water", "--exclude"],
        ["search", "water", "--catalogue"],
        ["check", "https://127.0.0.1:1/", "--catalogue"],
        ["tasks", "--catalogue"],
        ["store", "copy", "{folder}/c.db"],
        ["store", "copy"],
    ],
    ids=" ".join,
)
def test_a_name_that_no_file_can_have_is_refused_in_plain_words(
    words: list[str], name: str, folder: Path
) -> None:
    called = [word.format(folder=folder) for word in words]
    last = [str(folder / "c.db")] if called == ["store", "copy"] else []
    ended = geohound(*called, name, *last, GEOHOUND_CATALOGUE=str(folder / "c.db"))
    assert ended.returncode in (1, 2), ended.stdout + ended.stderr
    printed = ended.stderr or ended.stdout  # `identify` says it beside the input
    assert printed.strip()
    assert not INNER_WORDS.search(printed), printed


@pytest.mark.parametrize("command", ["identify", "mine"])
def test_an_empty_input_is_called_empty(command: str) -> None:
    ended = geohound(command, "")
    assert ended.returncode == 2
    assert "the input is empty" in ended.stdout


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        (b"connect_to = [1]", "--connect-to needs PATTERN=HOST:PORT"),
        (b"connect_to = [[1]]", "The setting connect_to must be a list"),
        (b"allow_nets = [true]", "The setting allow_nets must be a list"),
        (b"web_host = '\xff'", "it is no UTF-8 text"),
    ],
)
def test_a_bad_settings_file_is_refused_in_plain_words(
    toml: bytes, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(toml)
    ended = geohound("identify", "https://127.0.0.1:1/", "--config", str(file))
    assert ended.returncode == 2
    assert sentence in ended.stderr
    assert not INNER_WORDS.search(ended.stderr), ended.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["serve", "--host", ""], "needs an address to listen on"),
        (["search", "--catalogue", ""], "name of the catalogue is empty"),
    ],
)
def test_an_empty_name_is_refused(
    words: list[str], sentence: str, folder: Path
) -> None:
    ended = geohound(*words, GEOHOUND_CATALOGUE=str(folder / "c.db"))
    assert ended.returncode == 2
    assert sentence in ended.stderr


def test_allowed_values_are_listed_once() -> None:
    with pytest.raises(ParameterError, match=r"use one of csv, json\.$"):
        check_choice("f", "nope", ["json", "csv", "json"])
