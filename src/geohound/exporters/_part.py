"""An export format made of a function."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass

from geohound.model.export import ExportedService, LeftOut

Written = Generator[bytes, None, LeftOut]  # ends with what the file lacks
Write = Callable[[Iterable[ExportedService]], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One export format."""

    id: str
    title: str
    media_type: str
    extension: str
    write: Write
    needs_layers: bool = False
