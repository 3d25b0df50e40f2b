"""A site and its watcher for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from watched import WatchedSite, watched_site


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[WatchedSite]:
    with watched_site(tmp_path) as site:
        yield site
