"""The paths that services are found at: real servers' habits with a name of their own in each."""

from __future__ import annotations

_WORDS = (
    "rivers", "roads", "landuse", "parcels", "soil", "forest", "relief", "climate", "coast", "planning",
    "nature",
    "water", "geology", "traffic", "urban", "hazards",
)  # fmt: skip
_FOLDERS = ("Public", "Environment", "Basemaps", "OpenData", "Planning")


def fill(template: str, seed: int) -> str:
    """The template with the names that belong to a seed; the seed's number keeps them apart."""
    name = f"{_WORDS[seed % len(_WORDS)]}{seed}"
    return template.format(
        name=name, Name=name.capitalize(), folder=_FOLDERS[seed % len(_FOLDERS)]
    )
