"""The pause after a request, for a host, an IP address and a URL; also how Retry-After is read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from geohound.model.failure import BUSY_STATUSES
from geohound.model.visit import Failure, Response, Visit

_MAX_DOUBLINGS = 10
_MAX_DIGITS = 9  # thirty years: more is nonsense


@dataclass(frozen=True, slots=True)
class PolitenessPolicy:
    """How long the pauses are, from the end of one request to the start of the next; the settings have the defaults."""

    host_delay_s: float
    slow_host_factor: float  # a host that answers slowly is asked less often
    # limit of the delay due to slow responses; a site may ask for more
    max_slow_delay_s: float
    max_crawl_delay_s: float
    # after 429 or 503 without Retry-After, doubled each time in a row
    busy_delay_s: float
    retry_after_s: float  # before a URL that failed is asked for again
    max_retry_after_s: float
    address_share: float  # share of these pauses that is kept between two requests to one IP address
    requests_per_address: int  # at once


class VisitFacts(NamedTuple):
    """What a response says about the load of its host."""

    elapsed_s: float = 0.0
    is_overloaded: bool = False
    retry_after_s: float | None = None  # as the host asked for
    crawl_delay_s: float | None = None  # as robots.txt asks for

    @classmethod
    def of(cls, visit: Visit, crawl_delay_s: float | None = None) -> VisitFacts:
        if isinstance(visit, Failure):
            return cls(
                visit.elapsed_s,
                visit.reason.means.is_strain,
                visit.retry_after_s,
                crawl_delay_s,
            )
        is_busy = visit.status in BUSY_STATUSES
        return cls(
            visit.elapsed_s,
            is_busy,
            asked_pause_s(visit) if is_busy else None,
            crawl_delay_s,
        )


def asked_pause_s(answer: Response) -> float | None:
    """Seconds named by the Retry-After of an answer; None if it names none."""
    return retry_after_s(answer.headers.get("retry-after", ""), answer.at)


def retry_after_s(value: str, now: datetime) -> float | None:
    """Seconds named by a Retry-After header, which holds a number or a date; None if it holds neither."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value) if len(value) <= _MAX_DIGITS else None
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, IndexError, OverflowError):
        return None
    date = date.replace(tzinfo=UTC) if date.tzinfo is None else date
    return max(0.0, (date - now).total_seconds())


def pause_s(seen: VisitFacts, troubles: int, policy: PolitenessPolicy) -> float:
    """The pause of a host after this request; `troubles` counts failures in a row, this one included."""
    usual = _usual_s(seen, policy)
    if seen.crawl_delay_s:
        usual = max(usual, min(seen.crawl_delay_s, policy.max_crawl_delay_s))
    if troubles == 0:
        return usual
    asked = seen.retry_after_s
    if asked is None:
        asked = policy.busy_delay_s * math.ldexp(1.0, min(troubles - 1, _MAX_DOUBLINGS))
    return max(usual, min(asked, policy.max_retry_after_s))


def address_pause_s(seen: VisitFacts, troubles: int, policy: PolitenessPolicy) -> float:
    """The time between the starts of two requests to one IP address, whichever hosts they are for.

    A 429 slows down other sites at the same IP address less than the site itself: there may be thousands of them.
    """
    usual = _usual_s(seen, policy) * policy.address_share
    doubled = math.ldexp(usual, min(troubles, _MAX_DOUBLINGS))
    return min(doubled, max(policy.max_slow_delay_s, usual))


def retry_in_s(failure: Failure, policy: PolitenessPolicy) -> float:
    """After how many seconds to retry a URL that failed for a temporary reason."""
    return min(
        max(failure.retry_after_s or 0.0, policy.retry_after_s),
        policy.max_retry_after_s,
    )


def _usual_s(seen: VisitFacts, policy: PolitenessPolicy) -> float:
    for_slowness = min(
        policy.slow_host_factor * seen.elapsed_s, policy.max_slow_delay_s
    )
    return max(policy.host_delay_s, for_slowness)
