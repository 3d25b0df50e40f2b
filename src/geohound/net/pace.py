"""When a host may be asked again: a pause after every visit, longer if it is slow, busy or asks for it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from geohound.contracts import Clock
from geohound.model.visit import Failure, FailureReason, Response, Visit

_BUSY_STATUSES = frozenset({429, 503})
# The host itself seems to be in trouble; other failures (TLS, bad URL, robots …) say nothing about its load.
_STRAINED = frozenset(
    {
        FailureReason.RESET, FailureReason.CONNECT_TIMEOUT, FailureReason.FIRST_BYTE_TIMEOUT,
        FailureReason.STALLED, FailureReason.TOTAL_TIMEOUT, FailureReason.RATE_LIMITED,
        FailureReason.UNAVAILABLE,
    }
)  # fmt: skip
_MAX_HOSTS = 200_000


@dataclass(frozen=True, slots=True)
class PaceRules:
    """How long the pauses are; all of them between the end of one visit and the start of the next."""

    min_delay_s: float = 1.0
    max_delay_s: float = 30.0  # of the adaptive part; what a site asks for may be more
    elapsed_factor: float = 5.0  # a host that answers slowly is asked less often
    max_crawl_delay_s: float = 300.0
    busy_s: float = 60.0  # after 429 or 503 without Retry-After, doubled each time in a row
    max_retry_after_s: float = 24 * 3600.0
    address_share: float = 0.25  # of these pauses, for all hosts of one address together


class HostPace(NamedTuple):
    """What is known of one host: when it may be asked next, and how often in a row it was in trouble."""

    next_at: float = 0.0
    troubles: int = 0
    ended_at: float = -math.inf  # of the last visit


_NEW = HostPace()


def retry_after_s(value: str, now: datetime) -> float | None:
    """Seconds named by a Retry-After header, which holds a number or a date; None if it holds neither."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:10])
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, IndexError, OverflowError):
        return None
    date = date.replace(tzinfo=UTC) if date.tzinfo is None else date
    return max(0.0, (date - now).total_seconds())


def pause_s(visit: Visit, troubles: int, crawl_delay_s: float | None, rules: PaceRules) -> float:
    """How long to leave the host alone after this visit."""
    usual = max(rules.min_delay_s, min(rules.elapsed_factor * visit.elapsed_s, rules.max_delay_s))
    if crawl_delay_s:
        usual = max(usual, min(crawl_delay_s, rules.max_crawl_delay_s))
    if troubles == 0:
        return usual
    asked = _asked_s(visit)
    if asked is None:
        asked = rules.busy_s * math.ldexp(1.0, min(troubles - 1, 10))
    return max(usual, min(asked, rules.max_retry_after_s))


def _asked_s(visit: Visit) -> float | None:
    if isinstance(visit, Failure):
        return visit.retry_after_s
    return retry_after_s(visit.headers.get("retry-after", ""), visit.at)


def is_in_trouble(visit: Visit) -> bool:
    """Does this visit say that the host had better be left alone for a while?"""
    return visit.status in _BUSY_STATUSES if isinstance(visit, Response) else visit.reason in _STRAINED


class Pace:
    """When each host is due; whoever leases hosts asks and tells it. An address may be a key of its own."""

    def __init__(self, clock: Clock, rules: PaceRules | None = None) -> None:
        self._clock = clock
        self._rules = rules or PaceRules()
        self._hosts: dict[str, HostPace] = {}

    def next_at(self, host: str) -> float:
        """The clock's monotonic second from which the host may be asked; 0 if it never was."""
        return self._hosts.get(host, _NEW).next_at

    def wait_s(self, host: str, crawl_delay_s: float | None = None) -> float:
        """Seconds until the host is due; a delay that was learned only after the last visit counts from its end."""
        known = self._hosts.get(host)
        if known is None:
            return 0.0
        due_at = known.next_at
        if crawl_delay_s:
            due_at = max(due_at, known.ended_at + min(crawl_delay_s, self._rules.max_crawl_delay_s))
        return max(0.0, due_at - self._clock.monotonic())

    def record(self, host: str, visit: Visit, crawl_delay_s: float | None = None) -> float:
        """A visit to the host is over: when the next may begin."""
        known = self._hosts.get(host)
        if known is None:
            known = _NEW
            if len(self._hosts) >= _MAX_HOSTS:
                self._forget(self._clock.monotonic())
        troubles = known.troubles + 1 if is_in_trouble(visit) else 0
        now = self._clock.monotonic()
        due = now + pause_s(visit, troubles, crawl_delay_s, self._rules)
        due = max(due, known.next_at)  # two visits may have been under way at once: the longer pause counts
        self._hosts[host] = HostPace(due, troubles, now)
        return due

    def _forget(self, now: float) -> None:
        """Hosts that are due and well need no memory; if all are waiting, the ones due soonest go."""
        keep = {host: pace for host, pace in self._hosts.items() if pace.next_at > now or pace.troubles}
        if len(keep) >= _MAX_HOSTS:
            latest = sorted(keep.items(), key=lambda item: item[1].next_at)[_MAX_HOSTS // 10 :]
            keep = dict(latest)
        self._hosts = keep
