"""Seeds that never answered: a crawl that could not begin where it was told to has not done what was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from geohound.contracts import FrontierLog
from geohound.model.frontier import FrontierBatch, UrlEnd, UrlState, VisitRecord
from geohound.model.task import Claim, TaskId
from geohound.model.visit import FailureReason, Settlement, Via

# Nobody has answered, or only to say that it cannot now.
_NO_ANSWER = frozenset(
    {
        FailureReason.DNS, FailureReason.DNS_TIMEOUT, FailureReason.REFUSED, FailureReason.UNREACHABLE,
        FailureReason.RESET, FailureReason.TLS, FailureReason.TLS_EXPIRED, FailureReason.TLS_NAME,
        FailureReason.TLS_CHAIN, FailureReason.TLS_LEGACY, FailureReason.CONNECT_TIMEOUT,
        FailureReason.FIRST_BYTE_TIMEOUT, FailureReason.STALLED, FailureReason.TOTAL_TIMEOUT,
        FailureReason.FORBIDDEN_NET, FailureReason.RATE_LIMITED, FailureReason.UNAVAILABLE,
    }
)  # fmt: skip


def unreached(log: FrontierLog, task: TaskId, seeds: int) -> list[VisitRecord]:
    """The seeds that were given up without an answer; seeds are the first that a task admits."""
    return [
        visit
        for visit in log.visits(task, 0, seeds)
        if visit.via is Via.SEED and visit.settlement is Settlement.DROPPED and visit.reason in _NO_ANSWER
    ]


async def try_again(log: FrontierLog, claim: Claim, visits: Sequence[VisitRecord]) -> None:
    """Let these wait as if they had never been asked for; call it before the frontier is opened."""
    if not visits:
        return
    dropped = Counter(log.state(claim.task).drops)
    dropped.subtract(visit.reason for visit in visits if visit.reason is not None)
    ends = [UrlEnd(visit.number, UrlState.PENDING, 0, None, 0, 0, "", None, visit.at.timestamp()) for visit in visits]
    await log.append(claim, FrontierBatch(ends=ends, drops=dict(dropped)))
