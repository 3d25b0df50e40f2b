"""The stories use the observed geoweb of the benchmarks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests begin first: whoever is done earlier has short ones left to do."""
    items.sort(key=lambda item: "/stories/" not in item.path.as_posix())
