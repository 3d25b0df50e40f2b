"""Topics of services: one data file per topic, and a classifier that finds the words of all of them."""

from __future__ import annotations

from functools import cache

from geohound.model.service import Service

from ._classifier import Classifier
from ._contains import ContainsClassifier
from .files import TOPICS

__all__ = ["CLASSIFIERS", "TOPICS", "Classifier", "ContainsClassifier", "classify"]

CLASSIFIERS: dict[str, type[Classifier | ContainsClassifier]] = {
    "words": Classifier,
    "contains": ContainsClassifier,
}


@cache
def _own() -> Classifier:
    return Classifier(TOPICS)


def classify(service: Service) -> list[tuple[str, str]]:
    """The topics and classes of a service, by Geohound's built-in topics."""
    return _own().classify(service)
