"""Is it the hosts that fail, or our own way to the network?"""

from __future__ import annotations

from geohound import urls
from geohound.model.crawl.job import Report
from geohound.model.visit import Candidate

MANY_HOSTS = 8  # that fail in a row without one answer between them
MAX_AT_FAULT = 100_000
MAX_REFERENCES = 8


def is_answer(report: Report) -> bool:
    """Has somebody at the other end of the network said something, be it to turn us away?"""
    return (
        report.failure is None
        or bool(report.status)
        or report.failure.reason.means.is_answer
    )


class ConnectivityMonitor:
    """Failures that a lost network would cause too, held back until somebody knows."""

    def __init__(self, reference: str = "") -> None:
        # origins that have answered, the latest last
        self._references: dict[str, None] = {}
        # with the time when each failed
        self._held: list[tuple[float, Candidate, Report]] = []
        # hosts whose failures the network does not explain
        self._at_fault: set[str] = set()
        # has anybody answered at all, be it to turn us away?
        self.has_any_answer = False
        if reference:
            self._hear(reference)

    @property
    def reference(self) -> str:
        """An origin that has answered before; empty if none has."""
        return next(reversed(self._references), "")

    def ask_another(self) -> None:
        """This reference is silent: ask another one next."""
        if not self._references:
            return
        *others, silent = self._references
        self._references = dict.fromkeys([silent, *others])

    def hold_back(self, candidate: Candidate, report: Report, now: float = 0.0) -> bool:
        """Hold the report back if a lost network could explain its failure; True if it is held."""
        host = urls.host(candidate.url)
        if report.is_copy:
            return False
        if report.failure is None:
            self._hear(candidate.url)
            self._at_fault.discard(host)
            return False
        self.has_any_answer = self.has_any_answer or is_answer(report)
        if not report.failure.reason.means.is_outage or host in self._at_fault:
            return False
        if self.has_any_answer and not self._references:
            return False  # somebody answers, but no origin to test the network with
        self._held.append((now, candidate, report))
        return True

    def _hear(self, url: str) -> None:
        origin = "/".join(url.split("/", 3)[:3])
        is_file = origin.startswith("file:")  # it answers without any network
        if is_file or origin == self.reference:
            return
        self._references.pop(origin, None)
        self._references[origin] = None
        if len(self._references) > MAX_REFERENCES:
            del self._references[next(iter(self._references))]

    @property
    def suspects_lost_network(self) -> bool:
        """So many hosts have failed that the network itself is in doubt."""
        return len(self._held) >= MANY_HOSTS and len(self._hosts()) >= MANY_HOSTS

    def _hosts(self) -> set[str]:
        return {urls.host(candidate.url) for _, candidate, _ in self._held}

    def release(self, since: float) -> list[tuple[Candidate, Report]]:
        """A request that was sent after `since` has been answered: return the failures up to then, to be tried again.

        A host that fails once more is itself at fault. An answer to an earlier request may come late, and says nothing
        of the network at the time of the failure.
        """
        found = [
            (candidate, report) for at, candidate, report in self._held if at <= since
        ]
        self._held = [held for held in self._held if held[0] > since]
        if len(self._at_fault) > MAX_AT_FAULT:
            self._at_fault.clear()
        self._at_fault.update(urls.host(candidate.url) for candidate, _ in found)
        return found

    def give_up(self) -> list[tuple[Candidate, Report]]:
        """The network is lost: take out all that was held; who failed of late may have failed for that."""
        self._at_fault.clear()
        held, self._held = self._held, []
        return [(candidate, report) for _, candidate, report in held]

    def reasons(self) -> str:
        """Why those failed that are held back."""
        return ", ".join(
            sorted(
                {
                    str(report.failure.reason)
                    for _, _, report in self._held
                    if report.failure
                }
            )
        )

    def __bool__(self) -> bool:
        return bool(self._held)
