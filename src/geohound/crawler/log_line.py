"""A line that a person can read for every visit."""

from __future__ import annotations

from geohound.model.visit import Candidate

from .report import Report


class LogLine:
    """A visit as a line of the log, put into words only if somebody reads it."""

    __slots__ = ("candidate", "report")

    def __init__(self, candidate: Candidate, report: Report) -> None:
        self.candidate = candidate
        self.report = report

    def __str__(self) -> str:
        report = self.report
        if report.failure is not None:
            ending = f"{report.failure.reason} ({report.failure.detail})"
        elif report.services:
            ending = "service: " + ", ".join(f"{s.kind} {s.title!r}" for s in report.services[:3])
        else:
            ending = str(report.objection or f"{len(report.found)} new links")
        work = "test" if self.candidate.probe else "page"
        return f"{work} {report.status or '---'} {report.elapsed_s:6.2f} s  {self.candidate.url}  {ending}"
