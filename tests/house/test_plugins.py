"""A registry finds its parts by looking into its folder, and refuses malformed ones."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from geohound import plugins


@pytest.fixture
def extra_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts one more file into the registry of kinds, as a contributor would."""
    import geohound.kinds

    def put(source: str) -> None:
        (tmp_path / "zz_extra.py").write_text(source)

    monkeypatch.setattr(
        geohound.kinds, "__path__", [*geohound.kinds.__path__, str(tmp_path)]
    )
    plugins.discover.cache_clear()
    yield put
    plugins.discover.cache_clear()
    sys.modules.pop("geohound.kinds.zz_extra", None)


def test_a_new_file_in_a_registry_is_found(extra_kind) -> None:
    extra_kind(
        "class Extra:\n    id = 'extra'\n    title = 'Extra'\n    protocol = 'X'\n    addresses = None\n"
        "    def suspects(self, url): return False\n    def probe_urls(self, url): return ()\n"
        "    def read(self, document): return None\n"
        "    def requests(self, service, layer, box): return ()\nKINDS = (Extra(),)\n"
    )
    assert "extra" in plugins.discover("kinds")


def test_a_file_that_exports_nothing_fails_loudly(extra_kind) -> None:
    extra_kind("x = 1\n")
    with pytest.raises(plugins.MalformedPartError, match="must export KINDS"):
        plugins.discover("kinds")


def test_a_part_that_lacks_a_method_fails_loudly(extra_kind) -> None:
    extra_kind(
        "class Extra:\n    id = 'extra'\n    title = 'Extra'\nKINDS = (Extra(),)\n"
    )
    with pytest.raises(plugins.MalformedPartError, match=r"lacks .*read"):
        plugins.discover("kinds")


def test_two_parts_of_one_name_fail_loudly(extra_kind) -> None:
    extra_kind(
        "class Extra:\n    id = 'wms'\n    title = 'Extra'\n    protocol = 'X'\n    addresses = None\n"
        "    def suspects(self, url): return False\n    def probe_urls(self, url): return ()\n"
        "    def read(self, document): return None\n"
        "    def requests(self, service, layer, box): return ()\nKINDS = (Extra(),)\n"
    )
    with pytest.raises(plugins.MalformedPartError, match="already a part called 'wms'"):
        plugins.discover("kinds")
