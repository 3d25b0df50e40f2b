"""Names that are defined twice, and ids of service kinds that are spelled outside their home."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .files import python_files

DATA = (".toml", ".json", ".sql", ".html", ".txt")


def public_classes(folder: Path) -> dict[str, Any]:
    """Classes at the top of a module whose name begins with no underscore."""
    homes: dict[str, list[str]] = defaultdict(list)
    for file in python_files(folder):
        for node in ast.parse(file.read_bytes()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(_module(file, folder))
    doubled = {
        name: modules for name, modules in sorted(homes.items()) if len(modules) > 1
    }
    return {"names": len(homes), "defined_twice": len(doubled), "doubled": doubled}


def kind_ids(folder: Path) -> dict[str, Any]:
    """Where the id of a kind stands as a string, outside `kinds/`."""
    ids = _ids(folder.parent)
    files = Counter[str]()
    for file in sorted(folder.rglob("*")):
        if file.is_relative_to(folder / "kinds") or "static" in file.parts:
            continue
        found = sum(text in ids for text in _strings(file))
        if found:
            files[str(file.relative_to(folder))] = found
    return {
        "kinds": len(ids),
        "spelled": files.total(),
        "files": len(files),
        "where": dict(files.most_common()),
    }


def _ids(source: Path) -> set[str]:
    listed = "import json; from geohound.plugins import discover; print(json.dumps(list(discover('kinds'))))"
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(source)!r}); {listed}",
    ]
    return set(
        json.loads(
            subprocess.run(command, capture_output=True, check=True, text=True).stdout
        )
    )


def _strings(file: Path) -> Iterator[str]:
    """String constants of Python, documentation left out; of data files whatever stands in quotes, and TOML's keys."""
    if file.suffix == ".py":
        tree = ast.parse(file.read_bytes())
        yield from (
            n.value
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        )
    elif file.suffix in DATA:
        text = file.read_text("utf-8")
        yield from re.findall(r"""["']([\w-]+)["']""", text)
        if file.suffix == ".toml":
            yield from re.findall(r"^\[*([\w-]+)(?:\]| *=)", text, re.MULTILINE)


def _module(file: Path, folder: Path) -> str:
    parts = (folder.name, *file.relative_to(folder).with_suffix("").parts)
    return ".".join(part for part in parts if part != "__init__")
