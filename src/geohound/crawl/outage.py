"""Is it the hosts that fail, or our own way to the network?"""

from __future__ import annotations

from geohound.model import url as urls
from geohound.model.visit import Candidate, FailureReason

from .report import Report

MANY_HOSTS = 8  # that fail in a row without one answer between them
MAX_DEAD = 100_000
_AS_IF_CUT_OFF = frozenset(
    {
        FailureReason.DNS, FailureReason.DNS_TIMEOUT, FailureReason.REFUSED, FailureReason.UNREACHABLE,
        FailureReason.CONNECT_TIMEOUT,
    }
)  # fmt: skip


class Doubt:
    """Failures that a lost network would cause too, held back until somebody knows."""

    def __init__(self, witness: str = "") -> None:
        self.witness = witness  # an address that has answered before
        self._held: list[tuple[Candidate, Report]] = []
        self._hosts: set[str] = set()
        self._dead: set[str] = set()  # hosts that failed while others answered

    def arises(self, candidate: Candidate, report: Report) -> bool:
        """True if this report is held back; an answer of any host ends all doubt about the others."""
        if report.failure is None:
            self.witness = candidate.url.partition("#")[0]
            return False
        if report.failure.reason not in _AS_IF_CUT_OFF or not self.witness or urls.host(candidate.url) in self._dead:
            return False
        self._held.append((candidate, report))
        self._hosts.add(urls.host(candidate.url))
        return True

    @property
    def is_grave(self) -> bool:
        return len(self._hosts) >= MANY_HOSTS

    def suspect(self) -> None:
        """Others answer: whose host fails once more has failed by itself."""
        if len(self._dead) > MAX_DEAD:
            self._dead.clear()
        self._dead |= self._hosts

    def forgive(self) -> None:
        """The network is lost: who failed of late may have failed for that."""
        self._dead.clear()

    def release(self) -> list[tuple[Candidate, Report]]:
        """Take out what was held."""
        held, self._held = self._held, []
        self._hosts.clear()
        return held

    def __bool__(self) -> bool:
        return bool(self._held)
