"""What docs/provenance.md says of each requirement is true: its state, its modules, its tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
COUNTS = {"LI": 16, "OSS": 22, "WBC": 14, "PH": 18, "LC": 16}  # requirements of each publication
AUTHORS = {"LI": "Li, Yang", "OSS": "Sidsten", "WBC": "Alqaraleh", "PH": "PolarHub|Li, Wang", "LC": "Hou, Chen"}
PLACE = r"\b(?:[Ss]ection|[Tt]able|[Ff]igure|[Ff]ig\.|[Aa]lgorithm|[Ee]quation|[Aa]ppendix)s?\s+[\dA-Z]"


class Row(NamedTuple):
    id: str
    state: str
    modules: str
    tests: str


def rows() -> list[Row]:
    text = (ROOT / "docs" / "provenance.md").read_text("utf-8")
    found = re.findall(r"^\| ([A-Z]+-\d+) \| (.+?) \| (.+?) \| (.+?) \|", text, re.MULTILINE)
    return [Row(*cells) for cells in found]


def test_every_requirement_has_its_row_and_its_state() -> None:
    wanted = [f"{system}-{n}" for system, count in COUNTS.items() for n in range(1, count + 1)]
    assert [row.id for row in rows()] == wanted
    assert {row.state for row in rows()} <= {"works", "in part", "missing"}


def test_what_is_built_names_modules_and_tests_that_exist() -> None:
    wrong = [problem for row in rows() if row.state != "missing" for problem in _missing_in(row)]
    assert not wrong, "\n".join(wrong)


def test_what_works_names_a_test_that_quotes_its_publication() -> None:
    """By author or requirement, and with the section, table or figure."""
    wrong = [row.id for row in rows() if row.state == "works" and not any(_quotes(row, t) for t in _files(row))]
    assert not wrong, f"no test quotes the publication: {wrong}"


def _missing_in(row: Row) -> Iterator[str]:
    for path in re.findall(r"`([^`]+)`", row.modules):
        if not (ROOT / "src" / "geohound" / path).exists():
            yield f"{row.id}: {path}"
    named = re.findall(r"`([^`:]+)(?:::(\w+))?`", row.tests)
    if not named:
        yield f"{row.id} names no test"
    for path, function in named:
        file = ROOT / "tests" / path
        if not file.exists():
            yield f"{row.id}: tests/{path}"
        elif function and f"def {function}(" not in file.read_text("utf-8"):
            yield f"{row.id}: {function}"


def _files(row: Row) -> Iterator[str]:
    for path in re.findall(r"`([^`:]+)(?:::\w+)?`", row.tests):
        yield (ROOT / "tests" / path).read_text("utf-8")


def _quotes(row: Row, test: str) -> bool:
    named = rf"(?:{AUTHORS[row.id.partition('-')[0]]}|\b{row.id}\b)"
    near = r".{0,200}?"
    return re.search(rf"{named}{near}{PLACE}|{PLACE}{near}{named}", test, re.DOTALL) is not None
