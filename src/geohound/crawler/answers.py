"""What an answer means for the crawl: is it worth more requests, worth mining, or to be asked again later?"""

from __future__ import annotations

from geohound.document import Document
from geohound.model.service import RefusalReason, Verdict
from geohound.model.visit import AS_IF_CUT_OFF, Failure, FailureReason, Response, Visit
from geohound.politeness import asked_pause_s

PASSING = frozenset(
    {
        FailureReason.DNS_TIMEOUT,
        FailureReason.UNREACHABLE,
        FailureReason.RESET,
        FailureReason.CONNECT_TIMEOUT,
        FailureReason.FIRST_BYTE_TIMEOUT,
        FailureReason.STALLED,
        FailureReason.TOTAL_TIMEOUT,
        FailureReason.RATE_LIMITED,
        FailureReason.UNAVAILABLE,
    }
)
BUSY = {429: FailureReason.RATE_LIMITED, 503: FailureReason.UNAVAILABLE}
_WALLS = {
    RefusalReason.LOGIN_WALL: FailureReason.LOGIN_WALL,
    RefusalReason.BOT_WALL: FailureReason.BOT_WALL,
}


def objection_to(refusal: RefusalReason | None, document: Document) -> FailureReason | None:
    """Why this answer is not even worth mining."""
    if refusal in _WALLS:
        return _WALLS[refusal]
    return FailureReason.HTTP_ERROR if document.response.status >= 400 else None


def may_be_no_wall(objection: FailureReason, status: int) -> bool:
    """An application may show a log-in beside its map, and be served with the script of a bot wall that let us pass."""
    return objection in _WALLS.values() and status < 400


def deserves_more(verdict: Verdict) -> bool:
    """Some OWS lives here and complains about the question, or a service tells the rest in further documents."""
    if verdict.refusal:
        return verdict.refusal.reason is RefusalReason.EXCEPTION_REPORT
    return any(service.companions for service in verdict.services)


def broken_off(last: Visit | None) -> Failure | None:
    """Why questions to a service ended before it had told what it is, where it may tell another time."""
    if isinstance(last, Response):
        return busy(last) if last.status in BUSY else None
    return last if last is not None and last.reason in PASSING | AS_IF_CUT_OFF else None


def busy(answer: Response) -> Failure:
    """A 429 or 503 as the passing failure it is."""
    reason, detail = BUSY[answer.status], f"HTTP {answer.status}"
    return Failure(answer.url, reason, detail, answer.at, answer.elapsed_s, asked_pause_s(answer))
