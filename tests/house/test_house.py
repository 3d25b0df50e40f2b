"""The habits of the house, held by tests."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import grimp
import pytest
from typer.main import get_command

from geohound import plugins
from geohound.cli import program
from geohound.settings import ENV_PREFIX, Settings

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "geohound").rglob("*.py"))
LONGEST_FUNCTION = 50
LONGEST_FILE = 400


@pytest.mark.parametrize("setting", [f.name for f in fields(Settings)])
def test_every_setting_is_documented_with_its_default(setting: str) -> None:
    table = (ROOT / "docs" / "operating.md").read_text("utf-8")
    row = next((line for line in table.splitlines() if line.startswith(f"| `{setting}` |")), None)
    assert row, f"docs/operating.md has no row for {setting}"
    if setting != "catalogue":
        default = getattr(Settings(), setting)
        shown = ", ".join(default) if isinstance(default, tuple) else str(default)
        assert f"| {shown} |" in row.replace("_", "") or f"| {shown} |" in row


def test_the_documentation_lists_no_setting_that_does_not_exist() -> None:
    table = (ROOT / "docs" / "operating.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert listed == {f.name for f in fields(Settings)}
    assert ENV_PREFIX in table


def _provenance_rows() -> list[tuple[str, str, str]]:
    text = (ROOT / "docs" / "provenance.md").read_text("utf-8")
    return re.findall(r"^\| ([A-Z]+-\d+) \| (.+?) \| (.+?) \|", text, re.MULTILINE)


def test_provenance_names_requirements() -> None:
    assert len(_provenance_rows()) >= 15


@pytest.mark.parametrize(("requirement", "modules", "tests"), _provenance_rows())
def test_what_provenance_names_exists(requirement: str, modules: str, tests: str) -> None:
    for path in re.findall(r"`([^`]+)`", modules):
        assert (ROOT / "src" / "geohound" / path).exists(), f"{requirement}: {path}"
    named = re.findall(r"`([^`:]+)(?:::(\w+))?`", tests)
    assert named, f"{requirement} names no test"
    for path, function in named:
        file = ROOT / "tests" / path
        assert file.exists(), f"{requirement}: tests/{path}"
        assert not function or f"def {function}(" in file.read_text("utf-8"), f"{requirement}: {function}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_and_functions_keep_their_size_and_say_what_they_are_for(path: Path) -> None:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "each module opens with one sentence"
    assert len(text.splitlines()) <= LONGEST_FILE
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # A command's signature is its list of options; only its body counts.
            first = node.body[0].lineno if path.parent.name == "cli" else node.lineno
            assert node.end_lineno is not None
            assert node.end_lineno - first < LONGEST_FUNCTION, node.name


def test_the_architecture_names_every_part() -> None:
    tree = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("src/geohound/\n")[2].partition("```")[0]
    named = {line.split()[0].rstrip("/") for line in tree.splitlines() if line.startswith("  ") and line[2] != " "}
    there = (
        path
        for path in (ROOT / "src" / "geohound").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    )
    assert named == {path.name for path in there} - {"__init__.py"}


@pytest.mark.parametrize("room", ["model", "contracts"])
def test_the_model_and_the_contracts_need_only_the_standard_library(room: str) -> None:
    """What every layer speaks of stays free of every library, so that none of them is a decision for all layers."""
    graph = grimp.build_graph("geohound", include_external_packages=True)
    modules = {f"geohound.{room}", *graph.find_descendants(f"geohound.{room}")}
    imported = {name for module in modules for name in graph.find_modules_directly_imported_by(module)}
    allowed = {"geohound", *sys.stdlib_module_names}
    assert not {name for name in imported if name.split(".")[0] not in allowed}


@pytest.mark.parametrize("drawer", ["kinds", "orders", "harvesters"])
def test_every_part_has_an_id_and_a_title(drawer: str) -> None:
    parts = plugins.discover(drawer)
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
        assert {"--catalogue", "--config", "--json", "--quiet", "--verbose"} <= options, name


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
    assert [int(p.name[:4]) for p in records] == list(range(1, len(records) + 1))
    for record in records:
        assert len(record.read_text("utf-8").splitlines()) <= 40, record.name


def test_the_repository_names_no_package_registry_and_no_place_of_its_making() -> None:
    registries = r"(?:pypi|pythonhosted|npmjs|deb\.debian)\.(?:org|com)"
    # Only paths long enough to be nobody else's: a clone may stand in /src or /tmp.
    places = "|".join(
        re.escape(f"{place}/") for place in (ROOT, Path.home()) if len(place.parts) > 2 or place.name == "root"
    )
    forbidden = re.compile(f"{registries}|(?<![\\w.])(?:{places})" if places else registries)
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for path in [ROOT / name for name in names.split("\0") if name]:
        if path.is_file() and path.suffix != ".png" and path != Path(__file__):
            match = forbidden.search(path.read_text("utf-8", "replace"))
            assert not match, f"{path.relative_to(ROOT)}: {match and match[0]}"


MEASURING = sorted([*(ROOT / "bench").rglob("*.py"), *(ROOT / "experiments").rglob("*.py")])


@pytest.mark.parametrize("script", MEASURING, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_benchmark_imports_of_the_program_is_there(script: Path) -> None:
    """They run for minutes and so are seldom run: a name that has moved must not be found out then."""
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "geohound":
            module = importlib.import_module(node.module)
            for name in (alias.name for alias in node.names):
                assert hasattr(module, name) or importlib.util.find_spec(f"{node.module}.{name}"), f"{name} is gone"
