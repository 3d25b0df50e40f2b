"""The habits of the house, held by tests."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

import grimp
import pytest
from typer.main import get_command

from geohound import plugins
from geohound.cli import program
from geohound.settings import ENV_PREFIX, Settings

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
LONGEST_FUNCTION = 72
LONGEST_FILE = 550
# Site owners upload the watcher alone, so it cannot be divided; the settings are one table.
LONGER_FILES = {"src/geohound/watcher.py": 1400, "src/geohound/settings.py": 650}


def _said(problems: Iterable[str]) -> str:
    """Every offender, so that one run tells them all."""
    return "\n".join(problems)


def test_every_setting_is_documented_with_its_default() -> None:
    table = (ROOT / "docs" / "operating.md").read_text("utf-8")
    rows = {
        line.split("`")[1]: line
        for line in table.splitlines()
        if line.startswith("| `")
    }
    wrong = []
    for setting in (field.name for field in fields(Settings)):
        default = getattr(Settings(), setting)
        shown = ", ".join(default) if isinstance(default, tuple) else str(default)
        row = rows.get(setting, "")
        has_default = (
            setting == "catalogue"
            or f"| {shown} |" in row.replace("_", "")
            or f"| {shown} |" in row
        )
        if not row or not has_default:
            wrong.append(
                f"docs/operating.md has no row for {setting} with its default {shown!r}: {row}"
            )
    assert not wrong, _said(wrong)


def test_the_documentation_lists_no_setting_that_does_not_exist() -> None:
    table = (ROOT / "docs" / "operating.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert listed == {f.name for f in fields(Settings)}
    assert ENV_PREFIX in table


def test_files_and_functions_keep_their_size_and_say_what_they_are_for() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {problem}"
        for path in SOURCES
        for problem in _faults_of(path)
    ]
    assert SOURCES
    assert not wrong, _said(wrong)


def _faults_of(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    lines = len(text.splitlines())
    if not ast.get_docstring(tree):
        yield "each module opens with one sentence"
    if lines > LONGER_FILES.get(path.relative_to(ROOT).as_posix(), LONGEST_FILE):
        yield f"{lines} lines"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # A command's signature is its list of options; only its body counts.
            first = node.body[0].lineno if path.parent.name == "cli" else node.lineno
            assert node.end_lineno is not None
            if node.end_lineno - first >= LONGEST_FUNCTION:
                yield f"{node.name} has {node.end_lineno - first + 1} lines"


def test_the_architecture_names_every_part() -> None:
    tree = (
        (ROOT / "docs" / "architecture.md")
        .read_text("utf-8")
        .partition("src/geohound/\n")[2]
        .partition("```")[0]
    )
    named = {
        line.split()[0].rstrip("/")
        for line in tree.splitlines()
        if line.startswith("  ") and line[2] != " "
    }
    there = (
        path
        for path in (ROOT / "src" / "geohound").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    )
    assert named == {path.name for path in there} - {"__init__.py"}


def test_the_files_of_the_table_of_changes_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text.partition("| change | files |")[2].partition("\n\n")[0]
    paths = [
        path
        for path in re.findall(r"`([\w/.*]+)`", table)
        if "/" in path or path.endswith(".py")
    ]
    named = [path for path in paths if "your" not in path]  # what is to be added
    assert len(named) > 20
    roots = (ROOT, ROOT / "src" / "geohound")
    missing = [p for p in named if not any(any(r.glob(p)) for r in roots)]
    assert not missing


@pytest.mark.parametrize("room", ["model", "contracts"])
def test_the_model_and_the_contracts_need_only_the_standard_library(room: str) -> None:
    """What every layer speaks of stays free of every library, so that none of them is a decision for all layers."""
    graph = grimp.build_graph("geohound", include_external_packages=True)
    modules = {f"geohound.{room}", *graph.find_descendants(f"geohound.{room}")}
    imported = {
        name
        for module in modules
        for name in graph.find_modules_directly_imported_by(module)
    }
    allowed = {"geohound", *sys.stdlib_module_names}
    assert not {name for name in imported if name.split(".")[0] not in allowed}


@pytest.mark.parametrize("registry", ["kinds", "orders", "harvesters"])
def test_every_part_has_an_id_and_a_title(registry: str) -> None:
    parts = plugins.discover(registry)
    assert parts
    for part_id, part in parts.items():
        assert part.id == part_id == part_id.lower()
        assert part.title


def test_every_command_has_an_example_in_its_help() -> None:
    group = get_command(program())
    commands = dict(group.commands)  # type: ignore[attr-defined]
    commands |= {f"geoweb {n}": c for n, c in commands.pop("geoweb").commands.items()}
    assert len(commands) >= 9
    for name, command in commands.items():
        assert command.help, name
        assert "geohound" in (command.epilog or ""), f"{name} has no example"
        options = {o for p in command.params for o in p.opts}
        assert {
            "--catalogue",
            "--config",
            "--json",
            "--quiet",
            "--verbose",
        } <= options, name


def test_the_commands_that_the_readme_tells_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"`?make ([a-z-]+)", readme))
    assert {"demo", "test"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    group = get_command(program())
    for name in set(re.findall(r"^(?:\$ )?geohound ([a-z]+)", readme, re.MULTILINE)):
        assert name in group.commands, name  # type: ignore[attr-defined]


def test_decision_records_are_short_and_numbered() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [int(record.name[:4]) for record in records]
    assert len(numbers) == len(set(numbers))
    for number, record in zip(numbers, records, strict=True):
        assert record.read_text("utf-8").startswith(f"# {number}. "), record.name
        assert len(record.read_text("utf-8").splitlines()) <= 40, record.name


def test_the_repository_names_no_package_registry_and_no_place_of_its_making() -> None:
    registries = r"(?:pypi|pythonhosted|npmjs|deb\.debian)\.(?:org|com)"
    # Only paths long enough to be nobody else's: a clone may stand in /src or /tmp.
    places = "|".join(
        re.escape(f"{place}/")
        for place in (ROOT, Path.home())
        if len(place.parts) > 2 or place.name == "root"
    )
    forbidden = re.compile(
        f"{registries}|(?<![\\w.])(?:{places})" if places else registries
    )
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    for path in [ROOT / name for name in names.split("\0") if name]:
        if path.is_file() and path.suffix != ".png" and path != Path(__file__):
            match = forbidden.search(path.read_text("utf-8", "replace"))
            assert not match, f"{path.relative_to(ROOT)}: {match and match[0]}"


MEASURING = sorted(
    [*(ROOT / "bench").rglob("*.py"), *(ROOT / "experiments").rglob("*.py")]
)


def test_what_a_benchmark_imports_of_the_program_is_there() -> None:
    """They run for minutes and so are seldom run: a name that has moved must not be found out then."""
    wrong = [
        f"{script.relative_to(ROOT)}: {name} is gone"
        for script in MEASURING
        for name in _gone_from(script)
    ]
    assert MEASURING
    assert not wrong, _said(wrong)


def _gone_from(script: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if (
            not isinstance(node, ast.ImportFrom)
            or not node.module
            or node.module.split(".")[0] != "geohound"
        ):
            continue
        try:
            module = importlib.import_module(node.module)
        except ModuleNotFoundError:
            yield node.module
            continue
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            is_submodule = (
                hasattr(module, "__path__")
                and importlib.util.find_spec(name) is not None
            )
            if not hasattr(module, alias.name) and not is_submodule:
                yield name
