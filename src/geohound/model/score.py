"""How good a service is, from 0 to 100: computed from its checks, with all weights in one place.

score = 100 · correct · (0.45 · availability + 0.27 · speed + 0.18 · stability + 0.1 · description), and at most what its
last answer allows. Other catalogues score nothing but how well a service describes itself; here that is one part. The
score of the FGDC Service Status Checker has the other ingredients; its function was never published.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from .availability import of_spans, spans
from .failure import FailureReason
from .health import Check, CheckResult, HealthState, median, states
from .service import RefusalReason, Service

WEIGHTS: Final = {
    "availability": 0.45,
    "speed": 0.27,
    "stability": 0.18,
    "description": 0.1,
}
FORMULA: Final = (
    f"100 × correct × ({' + '.join(f'{w:g} × {name}' for name, w in WEIGHTS.items())})"
)
CONFIRMED_CHECKS: Final = 5  # conclusive ones; with fewer the score is provisional
COUNTED_CHECKS: Final = 100  # the latest ones
TIMEOUT_S: Final = 30.0  # at this response time speed is 0
FAST_SHARE: Final = 0.2  # up to this share of the kind's limit, speed is 1
NO_CAP: Final = 100.0
CAPS: Final[dict[str, float]] = {  # by the reason of the last check that says something
    RefusalReason.EXCEPTION_REPORT: 25.0,
    RefusalReason.HTML_PAGE: 25.0,
    RefusalReason.OTHER_KIND: 25.0,
    RefusalReason.MALFORMED: 25.0,
    RefusalReason.NO_CONTENT: 25.0,
    RefusalReason.BLANK_IMAGE: 50.0,
    RefusalReason.BROKEN_LAYERS: 25.0,
    RefusalReason.SOME_LAYERS: 75.0,
    FailureReason.TLS_EXPIRED: 75.0,
    FailureReason.TLS_NAME: 75.0,
    FailureReason.TLS_CHAIN: 75.0,
    FailureReason.TLS_LEGACY: 75.0,
}
DEAD_CAP: Final = 0.0
BANDS: Final = ((25.0, "very bad"), (50.0, "bad"), (75.0, "good"), (100.0, "excellent"))


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """What a score is made of: shares from 0 to 1, and the most that it may be."""

    correct: float  # of the answers
    availability: float  # lower end of the Wilson interval
    speed: float
    stability: float
    cap: float
    description: float | None = None  # None: not looked at, and the others count for it


@dataclass(frozen=True, slots=True)
class Score:
    value: float
    parts: ScoreParts
    provisional: bool

    @property
    def band(self) -> str:
        """The four classes that catalogues of the FGDC's results show."""
        return next(name for most, name in BANDS if self.value <= most)


def score(
    checks: Sequence[Check], limit_s: float, description: float | None = None
) -> Score | None:
    """The score by these checks, oldest first; None where none of them says whether the service works.

    `limit_s` is the response time that its kind allows.
    """
    checks = checks[-COUNTED_CHECKS:]
    outcomes = [bool(check.ok) for check in checks if check.ok is not None]
    if not outcomes:
        return None
    times_s = [check.elapsed_s for check in checks if check.ok]
    lowest, _ = of_spans(spans(checks)).interval or (0.0, 1.0)
    parts = ScoreParts(
        correct=_correct(checks),
        availability=lowest,
        speed=speed(median(times_s), limit_s) if times_s else 0.0,
        stability=stability(outcomes),
        cap=_cap(checks),
        description=description,
    )
    known = {name: getattr(parts, name) for name in WEIGHTS}
    counted = {name: share for name, share in known.items() if share is not None}
    weights = sum(WEIGHTS[name] for name in counted)
    weighted = sum(WEIGHTS[name] * share for name, share in counted.items()) / weights
    value = min(100.0 * parts.correct * weighted, parts.cap)
    return Score(value, parts, provisional=len(outcomes) < CONFIRMED_CHECKS)


def described(service: Service) -> float:
    """How much of what catalogues ask for a service says of itself: each is one sixth."""
    access, provider = service.access, service.provider
    said = (
        service.title,
        service.abstract,
        service.keywords,
        provider.name or provider.contact or provider.email,
        access.licence or access.licence_text or access.constraints or access.fees,
        service.extent,
    )
    return sum(bool(each) for each in said) / len(said)


def speed(time_s: float, limit_s: float) -> float:
    """1 up to a fifth of the limit, 0 from the time-out on, and in between linear in the logarithm of the time."""
    fast_s = FAST_SHARE * limit_s
    if time_s <= fast_s:
        return 1.0
    return max(0.0, math.log(TIMEOUT_S / time_s) / math.log(TIMEOUT_S / fast_s))


def stability(outcomes: Sequence[bool]) -> float:
    """The share of checks that ended as the one before."""
    pairs = list(pairwise(outcomes))
    return sum(one == other for one, other in pairs) / len(pairs) if pairs else 1.0


def _correct(checks: Sequence[Check]) -> float:
    """The share of right answers among all answers: silence is a matter of availability."""
    answered = [
        check
        for check in checks
        if check.ok or (check.ok is False and _is_answer(check))
    ]
    return (
        sum(bool(check.ok) for check in answered) / len(answered) if answered else 0.0
    )


def _is_answer(check: Check) -> bool:
    word = check.word
    return (
        word in {*RefusalReason} - {RefusalReason.UNREACHABLE}
        or word == FailureReason.HTTP_ERROR
    )


def _cap(checks: Sequence[Check]) -> float:
    if list(states(checks))[-1] is HealthState.DEAD:
        return DEAD_CAP
    last = next(
        (
            check
            for check in reversed(checks)
            if check.result is not CheckResult.UNCLEAR
        ),
        checks[-1],
    )
    return CAPS.get(last.word, NO_CAP)
