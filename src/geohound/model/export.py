"""What an exporter is given of each service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .layer_request import LayerRequest
from .service import Layer, Service


@dataclass(frozen=True, slots=True)
class ExportedService:
    """A service, its record as lists of the API have it, and what can be asked of each of its layers.

    The service has its layers only where the exporter needs them.
    """

    service: Service
    record: Mapping[str, Any]
    requests: Callable[[Layer], Sequence[LayerRequest]]


class LeftOut(NamedTuple):
    """The services that a file lacks."""

    services: int = 0
    note: str = ""  # why, in a sentence
