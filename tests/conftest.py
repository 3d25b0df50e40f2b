"""What holds for every test: how hard the fuzzing tests try, and which tests run a database server."""

from __future__ import annotations

import pytest
from fuzzing import register_profiles

register_profiles()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A real server is slow, and `make check` does not install one."""
    for item in items:
        if _is_over_postgres(item):
            item.add_marker(pytest.mark.slow)


def _is_over_postgres(item: pytest.Item) -> bool:
    """Is it a test of PostgreSQL itself, or of a contract over it?"""
    case = getattr(item, "callspec", None)
    is_its_turn = case is not None and "postgres" in case.params.values()
    is_its_class = "InPostgres::" in item.nodeid
    return is_its_turn or is_its_class or "stores/postgres" in item.path.as_posix()
