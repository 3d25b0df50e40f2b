"""`make measure` and `make graph`: the figures follow their written definitions, and the picture shows the code."""

from __future__ import annotations

import importlib
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from geohound.document import Document
from geohound.model.visit import Response

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def _bench(name: str) -> ModuleType:
    return importlib.import_module(f"bench.{name}")


@pytest.fixture
def package(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A package called `shop`, of the files that the test gives."""
    for name, text in request.param.items():
        file = tmp_path / "shop" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "shop"


CYCLE = {
    "__init__.py": "",
    "till.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from shop.goods import Item\n",
    "goods.py": "class Item: ...\ndef sell() -> None:\n    from shop import till\n",
    "door.py": "from shop import goods\n",
}


@pytest.mark.parametrize("package", [CYCLE], indirect=True)
def test_a_cycle_of_type_checking_and_function_level_imports_is_a_cycle(
    package: Path,
) -> None:
    figures = _bench("measuring.imports").describe("shop", package.parent)
    assert figures["cycle_members"] == [["shop.goods", "shop.till"]]
    assert figures["modules_in_cycles"] == 2
    assert figures["modules"] == 4


def test_no_module_stands_in_an_import_cycle() -> None:
    """import-linter compares siblings; here a module that imports its own package's `__init__` is seen as well."""
    assert (
        _bench("measuring.imports").describe("geohound", ROOT / "src")["cycle_members"]
        == []
    )


BRANCHES = '''"""A shop."""
def price(item):
    """What it costs."""
    if item:
        return 1
    return 2
'''


@pytest.mark.parametrize("package", [{"__init__.py": BRANCHES}], indirect=True)
def test_functions_are_counted_without_their_documentation(package: Path) -> None:
    figures = _bench("measuring.functions").describe(package)
    # FunctionDef, arguments, arg; If, Name; Return, Constant; Return, Constant
    assert figures["ast_nodes"]["max"] == 9
    assert figures["complexity"] == {"median": 2, "p90": 2, "max": 2, "over 10": 0}
    # Documentation is one token on the line where it begins.
    assert figures["lines_of_code"] == 6
    assert figures["tokens_per_line"]["max"] == 6


TWICE = {
    "__init__.py": "class Item: ...\n",
    "goods.py": "class Item: ...\nclass _Own: ...\nclass Shelf:\n    class Inner: ...\n",
    "templates/goods.py": "class Item: ...\n",  # in no package: not code of this one
    "_own.py": "class _Own: ...\n",
}


@pytest.mark.parametrize("package", [TWICE], indirect=True)
def test_public_classes_with_one_name_in_two_modules_are_told(package: Path) -> None:
    found = _bench("measuring.names").public_classes(package)
    assert found == {
        "names": 2,
        "defined_twice": 1,
        "doubled": {"Item": ["shop", "shop.goods"]},
    }


def test_an_arrow_that_others_imply_is_not_drawn() -> None:
    graph = _bench("import_graph")
    direct = {"top": {"middle", "bottom"}, "middle": {"bottom"}, "bottom": set[str]()}
    assert {part: graph._needed(part, direct) for part in direct} == {
        "top": {"middle"},
        "middle": {"bottom"},
        "bottom": set(),
    }


def test_the_import_graph_can_be_drawn(tmp_path: Path) -> None:
    graph = _bench("import_graph")
    drawn = graph.arrows()
    assert {part for row in graph.layers() for part in row} == set(drawn)
    graph.draw(graph.layers(), drawn, tmp_path / "imports.svg")
    picture = (tmp_path / "imports.svg").read_text("utf-8")
    for part in drawn:
        assert re.search(rf">{part}<", picture), part
    assert graph.as_text(drawn).replace(">", "&gt;") in picture


def test_the_walk_follows_values_that_hold_the_url(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench" / "measuring" / "tracer"))
    monkeypatch.delitem(sys.modules, "sitecustomize", raising=False)
    tracing = importlib.import_module("sitecustomize")
    tracer = tracing.Tracer(f"{ROOT / 'src' / 'geohound'}/", ["http://maps.test/wms"])
    followed = Response(
        "http://maps.test/wms",
        "http://maps.test/wms",
        200,
        {},
        b"<a/>",
        datetime.now(UTC),
    )
    sys.setprofile(tracer)
    try:
        Document(followed)
    finally:
        sys.setprofile(None)
    assert "geohound.document" in tracer.modules
    assert "geohound.model.visit.Response" in tracer.carriers
    assert tracer.packages["geohound.model.visit.Response"] == {"document"}
