"""One polite, guarded request: redirects followed step by step, every trouble turned into a Failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import pycurl

from geohound.contracts import Clock, Follows
from geohound.model.visit import Failure, FailureReason, RequestRecord, Response, Validators, Visit
from geohound.politeness import Politeness, TaskPoliteness, Turns, VisitFacts
from geohound.politeness.hosts import UNKNOWN
from geohound.urls import canonical

from .clock import SystemClock
from .guard import Guard, Target, parse_target
from .headers import one_line
from .limits import Limits
from .manners import Manners
from .metrics import Metrics
from .robots import Robots
from .routes import Route, route_for
from .slots import Slots
from .tls import STRICT, KnownFaults
from .transfer import Ask
from .wire import Errand, Wire

__all__ = ["CurlFetcher", "Manners"]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # gzip, zstd
_MAX_ATTEMPTS = 7  # on one request: for a coding, two faults of TLS, and addresses that turn out to be busy
_NOTICEABLE_S = 0.005
_LATER_S = 60.0  # when memory may be had again


class CurlFetcher:
    """The Fetcher of the house. Make one per event loop, from inside it, and close it."""

    def __init__(
        self,
        manners: Manners,
        guard: Guard | None = None,
        limits: Limits | None = None,
        clock: Clock | None = None,
        on_request: Callable[[RequestRecord], None] | None = None,
        turns: Turns | None = None,
    ) -> None:
        """Without `turns` of others, this fetcher is alone in keeping to the pauses."""
        self.guard = guard or Guard()
        self.limits = limits or Limits()
        self.manners = manners
        self.metrics = Metrics()
        self._clock = clock or SystemClock()
        self.robots = Robots(self._fetch_robots, self._clock, manners.user_agent)
        self._turns = turns or TaskPoliteness(Politeness(self._clock), manners.politeness, self._clock).turns()
        self._slots = Slots(1)
        self._faults = KnownFaults(self._clock)
        self._wire = Wire(self.guard, self.limits, manners, self._clock, self._turns)
        self._wire.metrics = self.metrics
        self.budget = self._wire.budget
        self._wire.on_request = on_request
        self._door = lru_cache(maxsize=16384)(self._find_door)

    async def fetch(
        self,
        url: str,
        *,
        accept: str = "*/*",
        max_bytes: int | None = None,
        follows: Follows | None = None,
        known: Validators | None = None,
    ) -> Visit:
        """Ask for a URL, within the limits, the guard and robots.txt; see the contract `Fetcher`."""
        room = self.limits.max_bytes if max_bytes is None else max_bytes
        errand = Errand(url, one_line(accept), room, self.manners.obey_robots, follows, known)
        errand.account = self.budget.current()
        visit = await self._follow(errand)
        self.metrics.record(visit)
        return visit

    async def close(self) -> None:
        """End what is under way and close all connections; a closed fetcher stays closed."""
        self._wire.close()

    async def _fetch_robots(self, url: str, max_bytes: int, known: Validators | None) -> Visit:
        errand = Errand(url, "text/plain, */*;q=0.5", max_bytes, obey_robots=False, known=known)
        visit = await self._follow(errand)
        self.metrics.record(visit)
        return visit

    async def _follow(self, errand: Errand) -> Visit:
        """Ask, and go where redirects lead; each step is checked as if it were the first."""
        target = parse_target(errand.url)
        while True:
            if isinstance(target, str):
                return self._failure(errand, FailureReason.BAD_URL, target)
            route, objection = self._door(target.hostname, target.port)
            if objection:
                return self._failure(errand, FailureReason.FORBIDDEN_NET, objection)
            if errand.obey_robots and not self.robots.permits(target):
                trouble = await self.robots.objection(target)
                if trouble is not None:
                    return replace(trouble, url=errand.url, at=self._clock.now(), elapsed_s=errand.spent_s)
            visit = await self._ask(errand, target, route)
            if isinstance(visit, Failure) or visit.status not in _REDIRECTS:
                return visit
            location = visit.headers.get("location", "")
            if not location:
                return visit
            left, target = target, parse_target(location, base=target.url)
            if isinstance(target, str):
                continue
            if errand.follows is not None and not errand.follows(left.url, target.url):
                return _leading_away(visit, target)
            errand.chain += (left.url,)
            if target.url in errand.chain:
                return self._failure(errand, FailureReason.REDIRECT_LOOP, target.url)
            if len(errand.chain) > self.limits.redirects:
                return self._failure(errand, FailureReason.TOO_MANY_REDIRECTS, left.url)

    def _find_door(self, hostname: str, port: int) -> tuple[Route | None, str | None]:
        """Where a host is really reached, or why it must not be; the names of operators' routes are theirs."""
        route = route_for(hostname, self.manners.routes)
        return route, None if route else self.guard.objection_to_host(hostname, port)

    async def _ask(self, errand: Errand, target: Target, route: Route | None) -> Visit:
        """One request, when it is the host's turn: pages, robots.txt and redirects all wait for it."""
        host = target.host
        if errand.account is not None and not await self.budget.turn(errand.account):
            return self._too_early(errand, "too much is held of other answers", _LATER_S)
        if not self._slots.take(host):
            await self._slots.acquire(host)
        try:
            delay_s = self.robots.origin_delay_s(target.origin)
            began_at = self._clock.monotonic()
            wait_s = await self._turns.turn(host, delay_s, self.manners.patience_s)
            self._count_wait(began_at)
            if wait_s:
                return self._too_early(errand, "the host asked for a pause", wait_s)
            seen: VisitFacts | None = UNKNOWN
            try:
                visit = await self._request(errand, target, route)
                is_sent = isinstance(visit, Response) or visit.reason is not FailureReason.RATE_LIMITED
                seen = VisitFacts.of(visit, delay_s) if is_sent else None
            finally:
                self._turns.done(host, seen)
        finally:
            self._slots.release(host)
        return visit

    def _count_wait(self, began_at: float) -> None:
        waited_s = self._clock.monotonic() - began_at
        if waited_s >= _NOTICEABLE_S:
            self.metrics.waits += 1
            self.metrics.waited_s += waited_s

    def _too_early(self, errand: Errand, detail: str, wait_s: float) -> Failure:
        return replace(self._failure(errand, FailureReason.RATE_LIMITED, detail), retry_after_s=wait_s)

    async def _request(self, errand: Errand, target: Target, route: Route | None) -> Visit:
        """Ask, and ask again: plain, where the coding is unknown; blindly, where TLS forbids and we may; elsewhere."""
        tls = STRICT if self.manners.verify_tls else self._faults.leniency(target.origin)
        known = errand.known if not errand.chain else None  # they belong to the address asked for, not to others
        ask = Ask(target.url, errand.max_bytes, errand.accept, route, True, tls, known)
        for _ in range(_MAX_ATTEMPTS):
            code, visit = await self._wire.perform(errand, target, ask)
            if code == 0 or isinstance(visit, Response):
                break
            if code == pycurl.E_BAD_CONTENT_ENCODING and ask.decode:
                ask = ask._replace(decode=False)
            elif visit.reason is FailureReason.RATE_LIMITED:  # the host is at an address that has to be waited for
                wait_s = await self._move(target.host, errand.crowded)
                if wait_s:
                    return self._too_early(errand, visit.detail, wait_s)
            else:
                leniency = None if self.manners.verify_tls else ask.tls.overlooking(visit.reason)
                if leniency is None:
                    break
                self._faults.remember(target.origin, leniency)
                ask = ask._replace(tls=leniency)
        if not ask.decode and isinstance(visit, Response) and visit.body.startswith(_PACKED):
            return self._failure(errand, FailureReason.BAD_ANSWER, "packed, and broken")
        return visit

    async def _move(self, host: str, address: str) -> float:
        began_at = self._clock.monotonic()
        wait_s = await self._turns.move(host, address, self.manners.patience_s)
        self._count_wait(began_at)
        return wait_s

    def _failure(self, errand: Errand, reason: FailureReason, detail: str) -> Failure:
        return Failure(errand.url, reason, detail[:500], self._clock.now(), errand.spent_s)


def _leading_away(visit: Response, target: Target) -> Response:
    """A redirect that is not followed, with its destination as the frontier would have it."""
    destination = canonical(target.url) or target.url
    return replace(visit, headers={**visit.headers, "location": destination})
