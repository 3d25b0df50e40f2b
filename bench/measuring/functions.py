"""How large and how branched functions are, and how dense lines are."""

from __future__ import annotations

import ast
import json
import re
import statistics
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from radon.visitors import ComplexityVisitor

from .files import python_files

COMPLEX = 10  # McCabe's own bound
_LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
}  # fmt: skip
_COMPLEXITY = re.compile(r"\((\d+) > 0\)")


def describe(folder: Path) -> dict[str, Any]:
    """The figures of all Python files below a folder."""
    files = list(python_files(folder))
    nodes = [count for file in files for count in _nodes_per_function(file)]
    branches = _complexities(folder)
    tokens = [count for file in files for count in _tokens_per_line(file)]
    return {
        "functions": len(nodes),
        "ast_nodes": _spread(nodes),
        "complexity": {
            **_spread(branches),
            f"over {COMPLEX}": sum(c > COMPLEX for c in branches),
        },
        "radon": _by_radon(folder, files),
        "tokens_per_line": {
            "mean": round(statistics.fmean(tokens), 2),
            **_spread(tokens),
        },
        "lines_of_code": len(tokens),
    }


def _nodes_per_function(file: Path) -> Iterator[int]:
    tree = ast.parse(file.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # the statement and its string
            yield _nodes(node) - 2 * (ast.get_docstring(node) is not None)


def _nodes(tree: ast.AST) -> int:
    return sum(not isinstance(node, ast.expr_context) for node in ast.walk(tree))


def _complexities(folder: Path) -> list[int]:
    """McCabe's number of every function, as rule C901 of ruff counts it."""
    found = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--ignore-noqa", "--no-cache", "--exit-zero",
         "--no-respect-gitignore", "--select", "C901", "--config", "lint.mccabe.max-complexity = 0",
         "--output-format", "json", str(folder)],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    matches = (
        _COMPLEXITY.search(message["message"]) for message in json.loads(found.stdout)
    )
    return [int(match[1]) for match in matches if match]


def _by_radon(folder: Path, files: list[Path]) -> dict[str, Any]:
    """Functions over the bound as radon counts them, and their share in each package directly below the folder."""
    counts: dict[str, list[int]] = {}
    for file in files:
        package = file.relative_to(folder).parts[0].removesuffix(".py")
        counts.setdefault(package, []).extend(_radon_counts(file))
    every = [count for counted in counts.values() for count in counted]
    shares = {
        package: _percent_over(counted)
        for package, counted in sorted(counts.items())
        if counted
    }
    return {
        f"over {COMPLEX}": sum(count > COMPLEX for count in every),
        "percent": _percent_over(every),
        "percent_by_package": shares,
    }


def _radon_counts(file: Path) -> Iterator[int]:
    """Of every function and method; what stands inside a function counts in it and for itself."""
    visited = ComplexityVisitor.from_code(file.read_text("utf-8"))
    waiting = [
        *visited.functions,
        *(method for cls in visited.classes for method in cls.methods),
    ]
    while waiting:
        function = waiting.pop()
        waiting += function.closures
        yield function.complexity


def _percent_over(counts: list[int]) -> float:
    return round(
        100 * sum(count > COMPLEX for count in counts) / max(1, len(counts)), 1
    )


def _tokens_per_line(file: Path) -> Iterable[int]:
    """Of each line on which a token begins, how many do; comments and layout are none."""
    lines: dict[int, int] = {}
    for token in tokenize.tokenize(BytesIO(file.read_bytes()).readline):
        if token.type not in _LAYOUT:
            lines[token.start[0]] = lines.get(token.start[0], 0) + 1
    return lines.values()


def _spread(values: Sequence[int]) -> dict[str, int]:
    ordered = sorted(values)

    def share(part: float) -> int:
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))]

    return (
        {"median": share(0.5), "p90": share(0.9), "max": ordered[-1]} if ordered else {}
    )
