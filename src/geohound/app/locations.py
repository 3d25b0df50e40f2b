"""Wiring of locations: the databases and the list that the settings name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from geohound.settings import Settings, default_catalogue

if TYPE_CHECKING:
    from geohound.locations import Locator


def locator(settings: Settings) -> Locator:
    """Where hosts stand; without any file, nowhere."""
    return _locator(settings.location_files, settings.host_places, locations_folder())


def locations_folder() -> Path:
    """Where `make locations` puts a database."""
    return Path(default_catalogue()).parent / "locations"


@cache
def _locator(files: tuple[str, ...], own_list: str, folder: Path) -> Locator:
    from geohound.locations import open_locator

    return open_locator(files, own_list, folder)
