"""How a look may end: carried out, or put off."""

from __future__ import annotations

from dataclasses import dataclass

from geohound.model.failure import FailureReason, reason_in
from geohound.model.health import Check, CheckResult
from geohound.model.monitoring.revisit import EndedLook


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A look that is over and is to be written."""

    ended: EndedLook
    check: Check | None = None  # of a service
    endpoint: str = ""
    changed: bool = False  # it describes itself otherwise than before
    requests: int = 0

    @property
    def is_no_network(self) -> bool:
        """Did it fail as everybody does without a network? Who refuses a connection is there."""
        check = self.check
        reason = (
            reason_in(check.reason)
            if check is not None and check.result is CheckResult.FAILED
            else None
        )
        return (
            reason is not None
            and reason.means.is_outage
            and reason is not FailureReason.REFUSED
        )


@dataclass(frozen=True, slots=True)
class PutOff:
    """The host is to be left alone for so long."""

    wait_s: float
