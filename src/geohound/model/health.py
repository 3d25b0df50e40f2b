"""How a service has behaved: computed from checks, never written by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from .failure import FailureReason
from .service import Refusal, RefusalReason
from .visit import Validators

GONE_CHECKS: Final = 3  # "not found" so many times in a row is death
FAILED_CHECKS: Final = 5  # and so are so many failures of any kind in a row,
# if they span this time: a weekend's maintenance is no death
FAILED_TIME: Final = timedelta(days=3)


class HealthState(StrEnum):
    ALIVE = "alive"
    DEAD = "dead"
    UNSURE = "unsure"
    UNKNOWN = "unknown"


class CheckResult(StrEnum):
    """What one check found; the classes of failure differ in what they say about the service."""

    GOOD = "good"
    GONE = "gone"  # the server says that there is nothing at the address
    FAILED = "failed"  # no answer, or one that is not the service's
    HINDERED = "hindered"  # somebody is there and does not let us in: never death
    BROKEN = "broken"  # it describes itself, and does not do what it says: never death either
    UNCLEAR = "unclear"  # nothing was asked, or nothing can be concluded


HINDRANCES: Final[frozenset[str]] = frozenset(
    {
        RefusalReason.REDIRECTED,
        *(reason for reason in FailureReason if reason.means.is_hindrance),
    }
)
_UNCLEAR: Final[frozenset[str]] = frozenset(
    {
        RefusalReason.INCONCLUSIVE,
        RefusalReason.TOO_LARGE,
        FailureReason.BUG,
        *(reason for reason in FailureReason if not reason.means.is_asked),
    }
)


@dataclass(frozen=True, slots=True)
class Check:
    """One look at a service; `ok` is None where it was inconclusive, `reason` begins with a word of ours."""

    service_id: str
    at: datetime
    ok: bool | None
    reason: str = ""
    elapsed_s: float = 0.0
    fingerprint: str = ""
    asked: str = ""  # the address whose answer proved it, where one answer did
    # with which that address is asked the next time
    validators: Validators | None = None

    @property
    def word(self) -> str:
        """The reason without its details."""
        return _word(self.reason)

    @property
    def result(self) -> CheckResult:
        if self.ok:
            return CheckResult.GOOD
        if self.ok is None:
            return (
                CheckResult.HINDERED if self.word in HINDRANCES else CheckResult.UNCLEAR
            )
        if self.word == RefusalReason.BROKEN_LAYERS:
            return CheckResult.BROKEN
        return (
            CheckResult.GONE
            if self.word == RefusalReason.NOT_FOUND
            else CheckResult.FAILED
        )


@dataclass(frozen=True, slots=True)
class Health:
    state: HealthState
    median_elapsed_s: float | None
    since: datetime | None
    checks: int
    reason: str = ""  # why it is not alive


def reason_of(refusal: Refusal) -> str:
    """The reason of a failed check: its first words say what kind of failure it is."""
    detail = refusal.detail
    if refusal.reason is RefusalReason.UNREACHABLE and detail:
        return detail  # begins with the reason of the failure
    if refusal.reason is RefusalReason.INCONCLUSIVE and detail.startswith("HTTP "):
        word = (
            FailureReason.RATE_LIMITED
            if detail == "HTTP 429"
            else FailureReason.HTTP_ERROR
        )
        return f"{word}: {detail}"
    if refusal.reason is RefusalReason.INCONCLUSIVE and is_unclear(detail):
        return detail
    return f"{refusal.reason}: {detail}" if detail else str(refusal.reason)


def outcome_of(reason: str) -> bool | None:
    """Did a check that ended for this reason fail, or was it inconclusive?"""
    return None if _word(reason) in HINDRANCES or is_unclear(reason) else False


def is_unclear(reason: str) -> bool:
    """Does this reason say nothing about the service: was it not asked at all, or our own fault?"""
    return _word(reason) in _UNCLEAR


def _word(reason: str) -> str:
    """The reason without its details."""
    return reason.partition(":")[0]


def states(checks: Sequence[Check]) -> Iterator[HealthState]:
    """The state after each of these checks, oldest first. A dead service stays dead until somebody answers."""
    state, gone, failed = HealthState.UNKNOWN, 0, 0  # in a row
    failing_since = None
    for check in checks:
        found = check.result
        if found is CheckResult.UNCLEAR:
            state = HealthState.UNSURE if state is HealthState.UNKNOWN else state
            yield state
            continue
        is_failure = found in (CheckResult.GONE, CheckResult.FAILED)
        failing_since = (failing_since or check.at) if is_failure else None
        failed = failed + 1 if is_failure else 0
        gone = gone + 1 if found is CheckResult.GONE else 0
        is_long = (
            failing_since is not None
            and check.at - failing_since >= FAILED_TIME
            and failed >= FAILED_CHECKS
        )
        if found is CheckResult.GOOD:
            state = HealthState.ALIVE
        else:
            stays_dead = state is HealthState.DEAD and is_failure
            state = (
                HealthState.DEAD
                if stays_dead or gone >= GONE_CHECKS or is_long
                else HealthState.UNSURE
            )
        yield state


def assess(checks: Sequence[Check]) -> Health:
    """The health that these checks, oldest first, add up to."""
    state = HealthState.UNKNOWN
    for state in states(checks):  # noqa: B007 - the last one is meant
        pass
    meaningful = [
        check for check in checks if check.result is not CheckResult.UNCLEAR
    ] or list(checks)
    good = [check.elapsed_s for check in checks if check.ok]
    return Health(
        state=state,
        median_elapsed_s=median(good) if good else None,
        since=_since(meaningful),
        checks=len(checks),
        reason=meaningful[-1].reason
        if meaningful and state is not HealthState.ALIVE
        else "",
    )


def _since(meaningful: Sequence[Check]) -> datetime | None:
    """When it was first found as it is now: in order, or not."""
    since = None
    for check in reversed(meaningful):
        if (check.result is CheckResult.GOOD) != (
            meaningful[-1].result is CheckResult.GOOD
        ):
            break
        since = check.at
    return since


def median(values: Sequence[float]) -> float:
    """The middle one; `statistics` loads half a dozen modules for it."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return (
        ordered[middle]
        if len(ordered) % 2
        else (ordered[middle - 1] + ordered[middle]) / 2
    )
