"""The longest tests begin first: whoever is done earlier has short ones left to do."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: "/stories/" not in item.path.as_posix())
