"""Whoever is told what a crawl does: it counts, and passes on what others want to know."""

from __future__ import annotations

from typing import Protocol

from geohound.model.job import Report
from geohound.model.service import Service
from geohound.model.visit import Candidate


class Observer(Protocol):
    def on_report(self, candidate: Candidate, report: Report) -> None:
        """A visit or a test is over."""

    def on_service(self, service: Service, candidate: Candidate) -> None:
        """A service was confirmed that the catalogue did not have."""

    def on_spared(self, candidate: Candidate) -> None:
        """A candidate needed no test, since its service was known."""
