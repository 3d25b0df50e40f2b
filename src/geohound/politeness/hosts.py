"""Turns at hosts and IP addresses: one request at a time to a host, then a pause; turns go in order of arrival.

One for a process, whoever asks in it: a host's rate does not grow with the number of those who ask. Threads may share
it. Delays come out of it, never instants.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Hashable

from geohound.contracts import Clock

from .formula import PolitenessPolicy, VisitFacts, address_pause_s, pause_s

UNKNOWN = VisitFacts()  # for a request whose end is not known
_MAX_HOSTS = 200_000
_MAX_ADDRESSES = 100_000
_LEAST_RETRY_S = 0.05
_MOST_RETRY_S = 1.0
_MOST_BOOKED = 16
_ABSENT_S = 1.0  # a caller that comes back so much too late loses its place


class _Host:
    """When a host may be asked next, who asks it now, and who is next in line, each with when it loses its place."""

    __slots__ = (
        "address",
        "asked_at",
        "ended_at",
        "held_by",
        "line",
        "next_at",
        "troubles",
    )

    def __init__(self) -> None:
        self.next_at = -math.inf
        self.ended_at = -math.inf
        self.troubles = 0
        self.held_by: Hashable | None = None
        self.asked_at = ""  # the IP address that the present request counts for
        self.address = ""  # where it was found last
        self.line: dict[Hashable, float] | None = None


class _Address:
    """When an address may be asked next, how many ask it now, and up to when others have been asked to come."""

    __slots__ = (
        "booked_to",
        "in_flight",
        "next_at",
        "pause_s",
        "processes",
        "troubles",
    )

    def __init__(self, pause_s: float) -> None:
        self.next_at = -math.inf
        self.in_flight = 0
        self.troubles = 0
        self.booked_to = -math.inf
        self.pause_s = pause_s
        self.processes = 1  # processes that request it, including this one

    @property
    def shared_pause_s(self) -> float:
        """Between two requests of this process, so that all of them together keep the pause."""
        return self.pause_s * self.processes


class Politeness:
    """When each host and address is due, and who has it now."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._hosts: dict[str, _Host] = {}
        self._addresses: dict[str, _Address] = {}

    def take(
        self,
        host: str,
        who: Hashable,
        policy: PolitenessPolicy,
        crawl_delay_s: float | None = None,
    ) -> float:
        """Take the turn for one request: 0 if it is granted, else after how many seconds to call again.

        Callers who come back in time keep their place in line.
        """
        with self._lock:
            now = self._clock.monotonic()
            known = self._host(host, now)
            wait_s = self._wait_s(known, who, policy, crawl_delay_s, now)
            if wait_s > 0:
                known.line = known.line or {}
                known.line[who] = now + wait_s + _ABSENT_S
                return wait_s
            if known.line:
                known.line.pop(who, None)
            known.held_by = who
            self._enter(known, known.address, policy, now)
            return 0.0

    def hand_over(self, host: str, who: Hashable, to: Hashable) -> bool:
        """Pass an unused turn from one caller to another; False if there is none."""
        with self._lock:
            known = self._hosts.get(host)
            if known is None or known.held_by != who:
                return False
            known.held_by = to
            return True

    def claim(self, host: str, address: str, policy: PolitenessPolicy) -> bool:
        """The host was resolved to this IP address: may it be requested there now?"""
        with self._lock:
            now = self._clock.monotonic()
            known = self._host(host, now)
            if known.asked_at == address:
                return True
            known.address = address
            asked = self._addresses.get(address)
            if asked is not None and not _is_free(asked, policy, now):
                return False
            self._exit(known)
            self._enter(known, address, policy, now)
            return True

    def address_wait_s(self, address: str, policy: PolitenessPolicy) -> float:
        """After how many seconds to come again to an address that was not free."""
        with self._lock:
            return self._address_wait_s(address, policy, self._clock.monotonic())

    def record(self, host: str, seen: VisitFacts, policy: PolitenessPolicy) -> float:
        """A request has ended: returns the seconds until the host is due again."""
        with self._lock:
            now = self._clock.monotonic()
            known = self._host(host, now)
            known.troubles = known.troubles + 1 if seen.is_overloaded else 0
            pause = pause_s(seen, known.troubles, policy)
            known.next_at = max(known.next_at, now + pause)
            known.ended_at = now
            known.held_by = None
            asked = self._addresses.get(known.asked_at)
            if asked is not None:
                asked.troubles = asked.troubles + 1 if seen.is_overloaded else 0
                asked.pause_s = address_pause_s(seen, asked.troubles, policy)
            self._exit(known)
            return known.next_at - now

    def leave(self, host: str, who: Hashable) -> None:
        """Give back a turn that was not used, or the place in line."""
        with self._lock:
            known = self._hosts.get(host)
            if known is None:
                return
            if known.line:
                known.line.pop(who, None)
            if known.held_by == who:
                known.held_by = None
                self._exit(known)

    def leave_all(self, who: Hashable) -> None:
        with self._lock:
            left = [
                name
                for name, known in self._hosts.items()
                if known.held_by == who or who in (known.line or ())
            ]
        for host in left:
            self.leave(host, who)

    def holder(self, host: str) -> Hashable | None:
        known = self._hosts.get(host)
        return known.held_by if known is not None else None

    def address_of(self, host: str) -> str:
        """The address for which the request under way counts; empty if it is not known."""
        known = self._hosts.get(host)
        return known.asked_at if known is not None else ""

    def addresses_since(self, seconds: float) -> list[str]:
        """Those that were asked within so many seconds."""
        with self._lock:
            since = self._clock.monotonic() - seconds
            return [
                address
                for address, known in self._addresses.items()
                if known.in_flight or known.next_at > since
            ]

    def share_address(self, address: str, processes: int) -> None:
        """Note how many processes request this IP address, including this one."""
        with self._lock:
            known = self._addresses.get(address)
            if known is not None:
                known.processes = max(1, processes)

    def due_in(self, host: str, policy: PolitenessPolicy) -> float:
        """Seconds until the pause of the host is over, whoever has it."""
        with self._lock:
            known = self._hosts.get(host)
            return (
                self._pause_left_s(known, policy, None, self._clock.monotonic())
                if known is not None
                else 0.0
            )

    def pause_left_s(self, host: str) -> float:
        """Seconds for which nobody may request the host."""
        known = self._hosts.get(host)
        return (
            max(0.0, known.next_at - self._clock.monotonic())
            if known is not None
            else 0.0
        )

    def postpone(self, host: str, seconds: float) -> None:
        """Make no request to the host for at least so long."""
        with self._lock:
            now = self._clock.monotonic()
            known = self._host(host, now)
            known.next_at = max(known.next_at, now + seconds)

    def _wait_s(
        self,
        known: _Host,
        who: Hashable,
        policy: PolitenessPolicy,
        crawl_delay_s: float | None,
        now: float,
    ) -> float:
        again_s = min(max(policy.host_delay_s / 2, _LEAST_RETRY_S), _MOST_RETRY_S)
        if known.held_by is not None:
            return again_s
        left_s = self._pause_left_s(known, policy, crawl_delay_s, now)
        ahead = _ahead(known, who, now)
        if left_s > 0 or ahead:
            return left_s + ahead * max(policy.host_delay_s, again_s)
        return self._address_wait_s(known.address, policy, now)

    def _pause_left_s(
        self,
        known: _Host,
        policy: PolitenessPolicy,
        crawl_delay_s: float | None,
        now: float,
    ) -> float:
        """A delay that was learned only after the last request counts from its end."""
        asked_s = min(crawl_delay_s or 0.0, policy.max_crawl_delay_s)
        due_at = max(known.next_at, known.ended_at + max(policy.host_delay_s, asked_s))
        return max(0.0, due_at - now)

    def _address_wait_s(
        self, address: str, policy: PolitenessPolicy, now: float
    ) -> float:
        known = self._addresses.get(address)
        if known is None or _is_free(known, policy, now):
            return 0.0
        if known.next_at <= now:
            return _LEAST_RETRY_S
        # Callers that have to wait are given different times, so that they do not all come back at once.
        furthest = now + _MOST_BOOKED * known.shared_pause_s
        come_at = max(known.next_at, min(known.booked_to, furthest))
        known.booked_to = come_at + known.shared_pause_s
        return come_at - now

    def _enter(
        self, known: _Host, address: str, policy: PolitenessPolicy, now: float
    ) -> None:
        known.asked_at = address
        if not address:
            return
        asked = self._addresses.get(address)
        if asked is None:
            if len(self._addresses) >= _MAX_ADDRESSES:
                self._forget_addresses()
            asked = self._addresses[address] = _Address(
                policy.host_delay_s * policy.address_share
            )
        asked.in_flight += 1
        asked.next_at = now + asked.shared_pause_s

    def _exit(self, known: _Host) -> None:
        asked = self._addresses.get(known.asked_at)
        if asked is not None:
            asked.in_flight -= 1
        known.asked_at = ""

    def _host(self, name: str, now: float) -> _Host:
        known = self._hosts.get(name)
        if known is None:
            if len(self._hosts) >= _MAX_HOSTS:
                self._forget_hosts(now)
            known = self._hosts[name] = _Host()
        return known

    def _forget_hosts(self, now: float) -> None:
        """Hosts that are free, due and well need no memory; if all are waiting, the ones due soonest go."""
        in_use = {
            name: host for name, host in self._hosts.items() if host.held_by is not None
        }
        waiting = [item for item in self._hosts.items() if item[0] not in in_use]
        waiting = [
            (name, host)
            for name, host in waiting
            if host.next_at > now or host.troubles or host.line
        ]
        if len(waiting) + len(in_use) >= _MAX_HOSTS:
            waiting = sorted(waiting, key=lambda item: item[1].next_at)[
                _MAX_HOSTS // 10 :
            ]
        self._hosts = in_use | dict(waiting)

    def _forget_addresses(self) -> None:
        """A tenth, the longest known first; what is in use stays."""
        for address in list(self._addresses)[: _MAX_ADDRESSES // 10]:
            if not self._addresses[address].in_flight:
                del self._addresses[address]


def _is_free(address: _Address, policy: PolitenessPolicy, now: float) -> bool:
    return address.next_at <= now and address.in_flight < policy.requests_per_address


def _ahead(known: _Host, who: Hashable, now: float) -> int:
    """How many stand in line before this one; those who did not come in time do not count."""
    line = known.line
    if not line:
        return 0
    for other in [other for other, lapses_at in line.items() if lapses_at < now]:
        del line[other]
    return next((place for place, other in enumerate(line) if other == who), len(line))
