"""The search index on disk: segments that never change, and a manifest that says which of them count."""

from __future__ import annotations

from dataclasses import dataclass

from geohound.model.catalogue import Revision


@dataclass(frozen=True, slots=True)
class Segment:
    """Some services, ready to be searched; its parts are kept under its id."""

    id: str
    entries: int  # services and layers
    services: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The segments that make up the index, in order, and up to which revision of the catalogue they go."""

    # grows by one with each manifest that is published; 0: none was yet
    version: int = 0
    format: int = 0  # how segments are written: those of another format cannot be read
    upto: Revision = 0
    segments: tuple[Segment, ...] = ()
