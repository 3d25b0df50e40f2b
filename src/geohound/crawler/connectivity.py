"""Is it the hosts that fail, or our own way to the network?"""

from __future__ import annotations

from geohound import urls
from geohound.model.visit import Candidate
from geohound.model.work.job import Report

MANY_HOSTS = 8  # that fail in a row without one answer between them
MAX_DEAD = 100_000
MAX_WITNESSES = 8


def is_answer(report: Report) -> bool:
    """Has somebody at the other end of the network said something, be it to turn us away?"""
    return (
        report.failure is None
        or bool(report.status)
        or report.failure.reason.means.is_answer
    )


class ConnectivityMonitor:
    """Failures that a lost network would cause too, held back until somebody knows."""

    def __init__(self, witness: str = "") -> None:
        self._witnesses: dict[
            str, None
        ] = {}  # origins that have answered, the latest last
        self._held: list[
            tuple[float, Candidate, Report]
        ] = []  # with the time when it failed
        self._dead: set[str] = set()  # hosts that failed while others answered
        self.has_heard = False  # has anybody answered at all, be it to turn us away?
        if witness:
            self._hear(witness)

    @property
    def witness(self) -> str:
        """An origin that has answered before; empty if none has."""
        return next(reversed(self._witnesses), "")

    def ask_another(self) -> None:
        """This witness is silent: the next to be asked is another."""
        if not self._witnesses:
            return
        *others, silent = self._witnesses
        self._witnesses = dict.fromkeys([silent, *others])

    def arises(self, candidate: Candidate, report: Report, now: float = 0.0) -> bool:
        """True if this report is held back."""
        host = urls.host(candidate.url)
        if report.is_copy:
            return False
        if report.failure is None:
            self._hear(candidate.url)
            self._dead.discard(host)
            return False
        self.has_heard = self.has_heard or is_answer(report)
        if not report.failure.reason.means.is_outage or host in self._dead:
            return False
        if self.has_heard and not self._witnesses:
            return False
        self._held.append((now, candidate, report))
        return True

    def _hear(self, url: str) -> None:
        origin = "/".join(url.split("/", 3)[:3])
        is_file = origin.startswith("file:")  # it answers without any network
        if is_file or origin == self.witness:
            return
        self._witnesses.pop(origin, None)
        self._witnesses[origin] = None
        if len(self._witnesses) > MAX_WITNESSES:
            del self._witnesses[next(iter(self._witnesses))]

    @property
    def is_grave(self) -> bool:
        return len(self._held) >= MANY_HOSTS and len(self._hosts()) >= MANY_HOSTS

    def _hosts(self) -> set[str]:
        return {urls.host(candidate.url) for _, candidate, _ in self._held}

    def settle(self, since: float) -> list[tuple[Candidate, Report]]:
        """A host has answered what it was asked after `since`: take out what failed before, by its own fault or not.

        Whose host fails once more has failed by itself. An answer may come late: what was asked for before a failure
        says nothing of the network at the time of the failure.
        """
        found = [
            (candidate, report) for at, candidate, report in self._held if at <= since
        ]
        self._held = [held for held in self._held if held[0] > since]
        if len(self._dead) > MAX_DEAD:
            self._dead.clear()
        self._dead.update(urls.host(candidate.url) for candidate, _ in found)
        return found

    def give_up(self) -> list[tuple[Candidate, Report]]:
        """The network is lost: take out all that was held; who failed of late may have failed for that."""
        self._dead.clear()
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
