"""Who imports whom: cycles, modules per package, and the graph of packages."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grimp

from .files import python_files

MAX_MODULES = 25
# Packages in which one file per part is the point, so that their number says nothing.
REGISTRIES = (
    "kinds",
    "orders",
    "harvesters",
    "searchers",
    "exporters",
    "topics",
    "snippets",
    "recipes",
    "services",
    "cli",
    "reports",
)


def describe(package: str, source: Path) -> dict[str, Any]:
    """The figures of one package that lies in the folder `source`."""
    graph = graph_of(package, source)
    cycles = strong_components(imports_of(graph))
    sizes = modules_per_package(source / package)
    return {
        "modules": len(graph.modules),
        "imports": graph.count_imports(),
        "cycles": len(cycles),
        "modules_in_cycles": sum(map(len, cycles)),
        "largest_packages": dict(sizes.most_common(8)),
        "packages_over_25": {
            name: size
            for name, size in sizes.items()
            if size > MAX_MODULES and not _is_registry(name)
        },
        "cycle_members": cycles,
    }


def graph_of(package: str, source: Path) -> grimp.ImportGraph:
    with _importable(source):
        return grimp.build_graph(
            package, exclude_type_checking_imports=False, cache_dir=None
        )


@contextmanager
def _importable(source: Path) -> Any:
    """grimp looks a package up as an import would; it is found, not run."""
    sys.path.insert(0, str(source))
    try:
        yield
    finally:
        sys.path.remove(str(source))


def imports_of(graph: grimp.ImportGraph) -> dict[str, set[str]]:
    return {
        module: set(graph.find_modules_directly_imported_by(module))
        for module in sorted(graph.modules)
    }


def modules_per_package(folder: Path) -> Counter[str]:
    """Python files that lie directly in each package, its `__init__` counted."""
    root = folder.parent
    return Counter(
        str(file.parent.relative_to(root)).replace("/", ".")
        for file in python_files(folder)
    )


def _is_registry(package: str) -> bool:
    return package.rpartition(".")[2] in REGISTRIES


def strong_components(edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups of modules that all reach each other by imports: the strongly connected components (Kosaraju)."""
    backwards: dict[str, list[str]] = {node: [] for node in edges}
    for node, targets in edges.items():
        for target in targets:
            backwards[target].append(node)
    finished: list[str] = []
    _visit(edges, edges, finished, set())
    groups, seen = [], set[str]()
    for node in reversed(finished):
        group: list[str] = []
        _visit([node], backwards, group, seen)
        groups.append(sorted(group))
    return sorted(group for group in groups if len(group) > 1)


def _visit(
    starts: Iterable[str],
    edges: Mapping[str, Iterable[str]],
    finished: list[str],
    seen: set[str],
) -> None:
    """Depth first from each start not yet seen; nodes are added to `finished` after all that they lead to."""
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(edges[start]))]
        while stack:
            node, targets = stack[-1]
            target = next((t for t in targets if t not in seen), None)
            if target is None:
                finished.append(node)
                stack.pop()
            else:
                seen.add(target)
                stack.append((target, iter(edges[target])))
