"""What is believed before a crawl has learned: weights of features, as log-odds, from `prior.toml`."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

_FILE = resources.files("geohound.orders").joinpath("prior.toml")
_READ = tomllib.loads(_FILE.read_text("utf-8"))


def _weights(read: dict[str, Any]) -> dict[str, float]:
    """By the name of the feature: a word group of a field and how often it occurs there, or what it is."""
    counted = {
        f"{field}:{group}{count}": weight
        for field, groups in read["words"].items()
        for group, weights in groups.items()
        for count, weight in enumerate(weights, 1)
    }
    return {**read["features"], **counted}


MAP_SOFTWARE = frozenset(_READ["map_software"])
LINKS, HOSTS = _weights(_READ["links"]), _weights(_READ["hosts"])
