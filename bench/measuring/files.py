"""Which files are the code of a package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def python_files(folder: Path) -> Iterator[Path]:
    """Those in packages; a folder without `__init__.py` holds templates or data."""
    if (folder / "__init__.py").exists():
        yield from sorted(folder.glob("*.py"))
        for below in sorted(path for path in folder.iterdir() if path.is_dir()):
            yield from python_files(below)
