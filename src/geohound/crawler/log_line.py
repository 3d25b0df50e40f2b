"""A line that a person can read for every visit."""

from __future__ import annotations

from geohound.model.crawl.data_file import FileHead
from geohound.model.crawl.harvest import HarvestPage
from geohound.model.crawl.job import PageRead, Redirected, Report
from geohound.model.crawl.watched import WatcherReport
from geohound.model.visit import Candidate, Failure


class LogLine:
    """A visit as a line of the log, put into words only if somebody reads it."""

    __slots__ = ("candidate", "report")

    def __init__(self, candidate: Candidate, report: Report) -> None:
        self.candidate = candidate
        self.report = report

    def __str__(self) -> str:
        report = self.report
        visit = f"{self.candidate.purpose} {report.status or '---'} {report.elapsed_s:6.2f} s"
        return f"{visit}  {self.candidate.url}  {_ending(report)}"


def _ending(report: Report) -> str:
    match report.result:
        case Failure() as failure:
            return f"{failure.reason} ({failure.detail})"
        case Redirected(url):
            return f"leads to {url}"
        case HarvestPage() as page:
            more = "" if page.next else ", the last page"
            return f"{page.records} records, {len(page.listed)} addresses{more}"
        case FileHead() as head:
            return (
                f"data file: {head.format} by its {head.evidence}"
                if head.format
                else "no data file"
            )
        case WatcherReport() as seen:
            return f"watcher: {len(seen.pages)} pages, {'taken' if seen.is_taken else 'free'}"
        case PageRead(services=services) if services:
            return "service: " + ", ".join(
                f"{s.kind} {s.title!r}" for s in services[:3]
            )
        case PageRead() as read:
            return str(read.objection or f"{len(read.links)} new links")
