"""What docs/provenance.md says of each requirement is true: its state, its modules, its tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
# requirements of each publication
COUNTS = {"LI": 16, "OSS": 22, "WBC": 14, "PH": 18, "LC": 16}
AUTHORS = {
    "LI": "Li, Yang",
    "OSS": "Sidsten",
    "WBC": "Alqaraleh",
    "PH": "PolarHub|Li, Wang",
    "LC": "Hou, Chen",
}
PLACE = r"\b(?:[Ss]ection|[Tt]able|[Ff]igure|[Ff]ig\.|[Aa]lgorithm|[Ee]quation|[Aa]ppendix)s?\s+[\dA-Z]"


class Row(NamedTuple):
    id: str
    state: str
    modules: str
    tests: str


def rows() -> list[Row]:
    text = (ROOT / "docs" / "provenance.md").read_text("utf-8")
    found = re.findall(
        r"^\| ([A-Z]+-\d+) \| (.+?) \| (.+?) \| (.+?) \|", text, re.MULTILINE
    )
    return [Row(*cells) for cells in found]


def test_every_requirement_has_its_row_and_its_state() -> None:
    wanted = [
        f"{system}-{n}" for system, count in COUNTS.items() for n in range(1, count + 1)
    ]
    assert [row.id for row in rows()] == wanted
    assert {row.state for row in rows()} <= {"works", "in part", "missing"}


def test_what_is_built_names_modules_and_tests_that_exist() -> None:
    wrong = [
        problem
        for row in rows()
        if row.state != "missing"
        for problem in _missing_in(row)
    ]
    assert not wrong, "\n".join(wrong)


def test_what_works_names_a_test_that_quotes_its_publication() -> None:
    """By author or requirement, and with the section, table or figure; see `_quotes`."""
    wrong = [
        row.id
        for row in rows()
        if row.state == "works" and not any(_quotes(row, *t) for t in _proofs(row))
    ]
    assert not wrong, f"no test quotes the publication: {wrong}"


def test_a_quotation_is_in_the_words_of_the_test_that_is_named() -> None:
    """Neither that of another test in the same file counts, nor one without a place, nor a comment."""
    module = '''"""Crawls (Li, Yang & Yang 2010)."""
def test_one(): """Section 4.1: pages are kept."""
def test_two(): """Pages are kept."""  # Li, Yang & Yang 2010, section 4.1
'''
    row = Row("LI-6", "works", "", "")
    assert _is_quoted(row, _words(module, "test_one"))
    assert not _is_quoted(row, _words(module, "test_two"))
    assert _is_quoted(row, _words(module, ""))
    assert not _is_quoted(Row("LC-6", "works", "", ""), _words(module, "test_one"))


def _missing_in(row: Row) -> Iterator[str]:
    for path in re.findall(r"`([^`]+)`", row.modules):
        if not (ROOT / "src" / "geohound" / path).exists():
            yield f"{row.id}: {path}"
    named = list(_named(row))
    if not named:
        yield f"{row.id} names no test"
    for path, function in named:
        file = ROOT / "tests" / path
        if not file.exists():
            yield f"{row.id}: tests/{path}"
        elif function and f"def {function}(" not in file.read_text("utf-8"):
            yield f"{row.id}: {function}"


def _named(row: Row) -> Iterator[tuple[str, str]]:
    """File and function of each test of a row; the function is empty where the whole file is meant."""
    yield from re.findall(r"`([^`:]+)(?:::(\w+))?`", row.tests)


def _proofs(row: Row) -> list[tuple[str, str]]:
    """The single tests that a row names: what stands elsewhere in their files is about something else."""
    return [test for test in _named(row) if test[1]]


def _quotes(row: Row, path: str, function: str) -> bool:
    return _is_quoted(row, _words((ROOT / "tests" / path).read_text("utf-8"), function))


def _words(source: str, function: str) -> list[str]:
    """What may hold the quotation: the words of the function with the title of its module, or all words of a module."""
    tree = ast.parse(source)
    title = ast.get_docstring(tree) or ""
    tests = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    said = [
        ast.get_docstring(test) or "" for test in tests if function in ("", test.name)
    ]
    if function:
        return [f"{title}\n{words}" for words in said if re.search(PLACE, words)]
    return [title, *(f"{title}\n{words}" for words in said if re.search(PLACE, words))]


def _is_quoted(row: Row, said: list[str]) -> bool:
    named = re.compile(rf"{AUTHORS[row.id.partition('-')[0]]}|\b{row.id}\b")
    return any(named.search(words) and re.search(PLACE, words) for words in said)
