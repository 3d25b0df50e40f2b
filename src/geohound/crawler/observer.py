"""The observer of a crawl: it counts, and passes on what others want to know."""

from __future__ import annotations

from typing import Protocol

from geohound.model.crawl.job import Report
from geohound.model.service import Service
from geohound.model.visit import Candidate


class CrawlObserver(Protocol):
    def on_report(self, candidate: Candidate, report: Report) -> None:
        """A visit or a test is over."""

    def on_service(
        self, service: Service, candidate: Candidate, score: float | None
    ) -> None:
        """A service was confirmed that the catalogue did not have."""

    def on_known(self, service: Service, score: float | None) -> None:
        """A service was confirmed that the catalogue had before this task; each once."""

    def on_files(self, count: int) -> None:
        """So many data files were listed; or taken off the list, where the number is negative."""

    def on_skipped(self, candidate: Candidate) -> None:
        """A candidate needed no test, since its service was known."""
