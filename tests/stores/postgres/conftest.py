"""A catalogue of its own in the PostgreSQL server of the tests."""

from __future__ import annotations

import pytest
from postgres_server import shared_server


@pytest.fixture
def address():
    server = shared_server()
    address = server.new_schema()
    yield address
    server.drop_schema(address)
