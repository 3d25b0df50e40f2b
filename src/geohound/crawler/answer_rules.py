"""What an answer means for the crawl: is it worth more requests, worth mining, or to be asked again later?"""

from __future__ import annotations

from geohound.document import Document
from geohound.document.refusals import WALLS
from geohound.model.failure import BUSY_STATUSES, FailureReason
from geohound.model.service import RefusalReason, Verdict
from geohound.model.visit import Failure, Response, Visit
from geohound.politeness import asked_pause_s


def objection_to(
    refusal: RefusalReason | None, document: Document
) -> FailureReason | None:
    """Why this answer is not even worth mining."""
    if refusal in WALLS:
        return WALLS[refusal]
    return FailureReason.HTTP_ERROR if document.response.status >= 400 else None


def failed_test(refusal: RefusalReason | None) -> FailureReason:
    """Why a test was in vain."""
    return (
        _FAILED_TESTS.get(refusal, FailureReason.INCONCLUSIVE)
        if refusal
        else FailureReason.INCONCLUSIVE
    )


_FAILED_TESTS = {
    RefusalReason.EXCEPTION_REPORT: FailureReason.EXCEPTION_REPORT,
    RefusalReason.LOGIN_WALL: FailureReason.LOGIN_WALL,
    RefusalReason.BOT_WALL: FailureReason.BOT_WALL,
    RefusalReason.HTML_PAGE: FailureReason.HTML_PAGE,
    RefusalReason.OTHER_KIND: FailureReason.OTHER_DOCUMENT,
    RefusalReason.NOT_FOUND: FailureReason.HTTP_ERROR,
    RefusalReason.SERVER_ERROR: FailureReason.HTTP_ERROR,
    RefusalReason.NO_CONTENT: FailureReason.EMPTY_ANSWER,
    RefusalReason.MALFORMED: FailureReason.MALFORMED,
    RefusalReason.TOO_LARGE: FailureReason.TOO_LARGE,
    RefusalReason.BLANK_IMAGE: FailureReason.BLANK_IMAGE,
}


def may_be_no_wall(objection: FailureReason, status: int) -> bool:
    """An application may show a log-in beside its map, and be served with the script of a bot wall that let us pass."""
    return objection.means.is_wall and status < 400


def deserves_more(verdict: Verdict) -> bool:
    """Some OWS lives here and complains about the question, or a service describes the rest in further documents."""
    if verdict.refusal:
        return verdict.refusal.reason is RefusalReason.EXCEPTION_REPORT
    return any(service.companions for service in verdict.services)


def broken_off(last: Visit | None) -> Failure | None:
    """Why questions to a service ended before it had said what it is, where it may say so another time."""
    if last is None:
        return None
    if isinstance(last, Response):
        return busy(last) if last.status in BUSY_STATUSES else None
    means = last.reason.means
    return last if means.is_passing or means.is_outage else None


def busy(answer: Response) -> Failure:
    """A 429 or 503 as the passing failure it is."""
    reason, detail = BUSY_STATUSES[answer.status], f"HTTP {answer.status}"
    return Failure(
        answer.url, reason, detail, answer.at, answer.elapsed_s, asked_pause_s(answer)
    )
