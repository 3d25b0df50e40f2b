"""`geohound users`: accounts from the command line, with passwords from standard input alone."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from command_line import geohound


@pytest.fixture
def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def call(*words: str, typed: str = ""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        return geohound("users", *words, "--catalogue", str(tmp_path / "c.db"))

    return call


def test_the_first_account_is_administrator(users) -> None:
    added = users("add", "Ada", typed="correct horse battery\n")
    assert (added.returncode, added.stdout) == (0, "Added ada as administrator.\n")
    assert (
        users("add", "bob", typed="correct horse battery\n").stdout
        == "Added bob as user.\n"
    )
    listed = [json.loads(line) for line in users("list", "--json").stdout.splitlines()]
    assert [(each["name"], each["role"]) for each in listed] == [
        ("ada", "administrator"),
        ("bob", "user"),
    ]


@pytest.mark.slow
def test_role_password_and_removal(users) -> None:
    users("add", "ada", typed="correct horse battery\n")
    users("add", "bob", typed="correct horse battery\n")
    assert users("role", "bob", "administrator").returncode == 0
    assert users("password", "bob", typed="another good password\n").returncode == 0
    assert users("remove", "ada").returncode == 0
    assert users("list").stdout.split()[:2] == ["bob", "administrator"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "typed", "said"),
    [
        (("add", "ada"), "", "at least 10 characters"),
        (("add", "a b"), "correct horse battery\n", "cannot be a name"),
        (("add",), "", "Name the account"),
        (("role", "root"), "", "Name the role"),
        (("role", "root", "user"), "", "only administrator"),
        (("remove", "root"), "", "only administrator"),
        (("fire", "ada"), "", "fire"),
    ],
)
def test_a_wrong_call_gets_a_sentence_and_2(users, words, typed, said) -> None:
    users("add", "root", typed="correct horse battery\n")
    called = users(*words, typed=typed)
    assert called.returncode == 2
    assert said in " ".join(called.stderr.replace("│", " ").split())
    assert "Traceback" not in called.stderr


def test_listing_the_accounts_of_no_catalogue_makes_none(users, tmp_path: Path) -> None:
    assert users("list").returncode == 2
    assert not (tmp_path / "c.db").exists()
