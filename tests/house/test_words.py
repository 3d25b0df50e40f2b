"""Code, help and documents speak the field's words, and a public name means one thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "geohound").rglob("*.py"))
TEXTS = [
    *SOURCES,
    *sorted((ROOT / "src" / "geohound" / "portal" / "templates").rglob("*.html")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
# Words that only this program used for things that have a name, and the name.
DIALECT = {
    "crew": "autoscaled pool",
    "curb": "truncate",
    "curbed": "truncated",
    "doors": "aliases",
    "drawer": "registry",
    "drawers": "registries",
    "errand": "request",
    "keeper": "catalogue writer",
    "manners": "client policy, politeness",
    "shelf": "response cache",
    "spared": "skipped",
    "tell": "say, report, list",
    "telling": "specific, meaningful",
    "tells": "says, reports, lists",
    "told": "reported, listed, known",
    "wishes": "clauses",
}
# A column of an older catalogue, and a method that files of Python have.
ALLOWED = {("tasks/progress.py", "spared"), ("exporters/geoparquet.py", "tell")}


def test_no_word_of_the_dialect_is_left() -> None:
    pattern = re.compile(rf"\b({'|'.join(DIALECT)})\b", re.IGNORECASE)
    found = []
    for path in TEXTS:
        short = path.relative_to(ROOT).as_posix().removeprefix("src/geohound/")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            words = {word.lower() for word in pattern.findall(line)}
            found += [
                f"{short}:{number}: {w} ({DIALECT[w]})"
                for w in words
                if (short, w) not in ALLOWED
            ]
    assert not found, "\n".join(found)


def test_a_public_class_name_means_one_thing() -> None:
    homes = defaultdict(list)
    for path in SOURCES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path.relative_to(ROOT).as_posix())
    doubled = {name: files for name, files in homes.items() if len(files) > 1}
    assert not doubled


def test_the_glossary_is_in_order_and_says_each_term_once() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    terms = re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.MULTILINE)
    assert len(terms) > 40
    assert terms == sorted(set(terms), key=str.lower)


def test_files_that_the_glossary_names_exist() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    named = re.findall(r"`([\w/]+(?:\.py|/))`", text)
    assert named
    assert [
        name for name in named if not (ROOT / "src" / "geohound" / name).exists()
    ] == []
