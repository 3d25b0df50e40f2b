"""What it takes to read this code, in figures with written definitions, beside import-linter, Scrapy and crawlee.

Per function (methods and nested functions too; a nested one also counts in the one around it):
- *AST nodes*: every node that `ast.walk` gives, decorators and annotations included, but for expression contexts
  (Load, Store, Del), which are marks and no code, and for the docstring.
- *complexity*: McCabe's number, as rule C901 of ruff counts it (`# noqa` does not hide a function); *by radon*, where
  `and`, `or`, comprehensions and conditional expressions are branches too.
Per line: *tokens* of the `tokenize` module that begin on it, without comments, line ends and indentation; lines on
which none begins (blank, comment, the inside of a docstring) do not count.

Imports (grimp, the graph of import-linter): imports at the top, inside functions and for type checkers all count
alike; that a module loads the packages around it does not. *In cycles* are the modules of strongly connected components
of two or more. *Modules per package* are the Python files directly in its folder, `__init__.py` counted.

Names: *public classes* stand at the top of a module without a leading underscore; *twice* are names that more than one
module defines. *Kind ids* are strings outside `kinds/` (string constants in Python; in data files what stands in
quotes, and TOML keys) that equal the id of a service kind; the geoweb, which plays the servers, is another package.

The walk: `geohound crawl` of a geoweb with five pages, then one search for a service found there, in the portal. A
profile function (`sys.setprofile`) runs in every process and thread that these start. Followed are the address of the
seed, the endpoint of the service and its title.
- *modules*: those of Geohound of which a function ran, but for what runs while modules are imported.
- *types*: classes of Geohound, no enumerations nor exceptions, of which some function made, took or returned an object
  that held one of the three strings, in a field, in a collection in a field, or up to three objects deep.
- *types shared*: classes that functions of more than one package made, took or returned, whatever they held.
These three may differ by one or two from run to run, as the tasks of a crawl meet in another order.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from bench.crawl_peers.contenders import peers_python  # noqa: E402
from bench.crawl_peers.docs_site import DEFAULT_CACHE  # noqa: E402
from bench.measuring import functions, imports, names, walk  # noqa: E402

PEERS = ("importlinter", "scrapy", "crawlee")
Figures = dict[str, Any]


def main() -> None:
    options = _options()
    source = options.repository / "src"
    ours = {
        **_static("geohound", source),
        "kind_ids": names.kind_ids(source / "geohound"),
    }
    if options.walk:
        ours["walk"] = walk.describe(source)
    measured = {"geohound": ours, **_peers(options.install_peers)}
    result = {
        "command": "make measure",
        "commit": _commit(options.repository),
        **measured,
    }
    options.output.write_text(
        json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )
    print(_table(measured))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Measure the code; the definitions stand in this file."
    )
    parser.add_argument(
        "--repository", type=Path, default=ROOT, help="measure this clone instead"
    )
    parser.add_argument(
        "--output", type=Path, default=ROOT / "bench" / "results" / "measure.json"
    )
    parser.add_argument(
        "--no-walk",
        dest="walk",
        action="store_false",
        help="only what can be read off the files",
    )
    parser.add_argument(
        "--install-peers",
        action="store_true",
        help="install Scrapy and crawlee to compare with",
    )
    return parser.parse_args()


def _static(package: str, source: Path) -> Figures:
    folder = source / package
    return {
        **functions.describe(folder),
        **imports.describe(package, source),
        "public_classes": names.public_classes(folder),
    }


def _peers(install: bool) -> Figures:
    """Those that are here; what is missing is said."""
    if install:
        peers_python(DEFAULT_CACHE)
    places = [*(DEFAULT_CACHE / "peers").glob("lib/python*/site-packages")]
    linter = find_spec("importlinter")
    if linter and linter.origin:
        places.append(Path(linter.origin).parent.parent)
    found = {
        name: place for name in PEERS for place in places if (place / name).is_dir()
    }
    for name in PEERS:
        if name not in found:
            print(
                f"{name} is not here; `python bench/measure.py --install-peers` gets it",
                file=sys.stderr,
            )
    return {name: _static(name, place) for name, place in found.items()}


def _commit(repository: Path) -> str:
    told = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=repository,
        capture_output=True,
        check=True,
    )
    return told.stdout.decode().strip()


def _table(measured: Figures) -> str:
    rows = [
        ("modules", lambda f: f["modules"]),
        ("lines of code", lambda f: f["lines_of_code"]),
        ("functions", lambda f: f["functions"]),
        (
            "AST nodes of a function: median, p90, max",
            lambda f: _spread(f["ast_nodes"]),
        ),
        (
            "complexity of a function: median, p90, max",
            lambda f: _spread(f["complexity"]),
        ),
        ("functions over complexity 10", lambda f: f["complexity"]["over 10"]),
        (
            "functions over complexity 10 by radon, %",
            lambda f: f"{f['radon']['over 10']}, {f['radon']['percent']} %",
        ),
        (
            "tokens a line: mean, p90",
            lambda f: f"{f['tokens_per_line']['mean']}, {f['tokens_per_line']['p90']}",
        ),
        ("modules in import cycles", lambda f: f["modules_in_cycles"]),
        ("public class names, defined twice", lambda f: _classes(f["public_classes"])),
        ("most modules in one package", lambda f: _largest(f["largest_packages"])),
        (
            "packages over 25 modules, without registries",
            lambda f: len(f["packages_over_25"]),
        ),
    ]
    lines = [("", *measured)]
    lines += [
        (label, *(str(read(figures)) for figures in measured.values()))
        for label, read in rows
    ]
    widths = [
        max(len(line[column]) for line in lines) for column in range(len(lines[0]))
    ]
    table = [
        "  ".join(
            cell.ljust(width) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]
    return "\n".join([*table, "", *_ours(measured["geohound"])])


def _spread(figures: Figures) -> str:
    return f"{figures['median']}, {figures['p90']}, {figures['max']}"


def _classes(figures: Figures) -> str:
    return f"{figures['names']}, {figures['defined_twice']}"


def _largest(sizes: dict[str, int]) -> str:
    name, size = next(iter(sizes.items()))
    return f"{size} ({name.partition('.')[2] or name})"


def _ours(figures: Figures) -> list[str]:
    ids = figures["kind_ids"]
    lines = [
        f"ids of {ids['kinds']} kinds outside kinds/: {ids['spelled']} in {ids['files']} files"
    ]
    if "walk" in figures:
        passed = figures["walk"]
        lines.append(
            f"one URL from crawl to hit: {passed['modules']} modules, {passed['types']} types hold it,"
            f" {passed['types_shared']} types are shared by packages; {passed['processes']} processes"
        )
    return lines


if __name__ == "__main__":
    main()
