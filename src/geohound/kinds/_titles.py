"""Titles that say something: what programs put in by themselves is used only where there is nothing better."""

from __future__ import annotations

_GENERIC = frozenset(
    [
        "", "data frame", "default", "layer", "layers", "map", "maps", "mapserver", "new map", "no title", "none",
        "root", "root folder", "root layer", "root_folder",
        "service", "test", "title", "unknown", "unnamed", "untitled", "untitled map", "untitled.mxd",
        "wcs", "wfs", "wms", "wmts",
    ]
)  # fmt: skip


def is_generic(title: str) -> bool:
    """True for names such as Map, Layers and Untitled, which come with the program."""
    return title.strip().lower() in _GENERIC


def choose(own: str, *others: str) -> str:
    """The first title that says something; else its own, or what there is where it has none."""
    meaningful = next((title for title in (own, *others) if not is_generic(title)), "")
    return meaningful or own or next(filter(None, others), "")
