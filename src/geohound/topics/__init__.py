"""What a service is about: one data file per topic, and the words of all of them looked for at once."""

from __future__ import annotations

from functools import cache

from geohound.model.service import Service

from ._matching import Classifier
from .files import TOPICS

__all__ = ["TOPICS", "Classifier", "classify"]


@cache
def _own() -> Classifier:
    return Classifier(TOPICS)


def classify(service: Service) -> list[tuple[str, str]]:
    """The topics and classes that a service's own words name, by Geohound's own topics."""
    return _own().classify(service)
