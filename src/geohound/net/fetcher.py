"""One polite, guarded request: redirects followed step by step, every trouble turned into a Failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import pycurl

from geohound.contracts import Clock, Follows
from geohound.model.failure import FailureReason
from geohound.model.secrets import Secrets
from geohound.model.visit import Failure, RequestRecord, Response, Validators, Visit
from geohound.politeness import Politeness, TaskPoliteness, Turns, VisitFacts
from geohound.politeness.hosts import UNKNOWN
from geohound.urls import canonical

from .address_guard import Guard, Target, parse_target
from .client_policy import ClientPolicy
from .clock import SystemClock
from .connect_to import Route, route_for
from .headers import one_line
from .http_client import HttpClient
from .keyed_semaphore import KeyedSemaphore
from .limits import Limits
from .metrics import Metrics
from .robots import Robots
from .tls import STRICT, KnownFaults
from .transfer import FetchState

__all__ = ["ClientPolicy", "CurlFetcher"]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # gzip, zstd
_MAX_ATTEMPTS = 7  # on one request: for a coding, two faults of TLS, and addresses that turn out to be busy
_NOTICEABLE_S = 0.005
_LATER_S = 60.0  # when memory may be had again


class CurlFetcher:
    """The Fetcher of the house. Make one per event loop, from inside it, and close it."""

    def __init__(
        self,
        policy: ClientPolicy,
        guard: Guard,
        limits: Limits,
        clock: Clock | None = None,
        on_request: Callable[[RequestRecord], None] | None = None,
        turns: Turns | None = None,
    ) -> None:
        """Without `turns` of others, this fetcher is alone in keeping to the pauses."""
        self.guard = guard
        self.limits = limits
        self.policy = policy
        self.metrics = Metrics()
        self._clock = clock or SystemClock()
        self.robots = Robots(self._fetch_robots, self._clock, policy.user_agent)
        self._turns = (
            turns
            or TaskPoliteness(
                Politeness(self._clock), policy.politeness, self._clock
            ).turns()
        )
        self._slots = KeyedSemaphore(1)
        self._faults = KnownFaults(self._clock)
        self._client = HttpClient(
            self.guard, self.limits, policy, self._clock, self._turns
        )
        self._client.metrics = self.metrics
        self.budget = self._client.budget
        self._client.on_request = on_request
        self._door = lru_cache(maxsize=16384)(self._find_door)

    async def fetch(  # noqa: PLR0913
        self,
        url: str,
        *,
        accept: str = "*/*",
        max_bytes: int | None = None,
        follows: Follows | None = None,
        known: Validators | None = None,
        secrets: Secrets | None = None,
        span: tuple[int, int] | None = None,
    ) -> Visit:
        """Ask for a URL, within the limits, the guard and robots.txt; see the contract `Fetcher`."""
        room = self.limits.max_bytes if max_bytes is None else max_bytes
        fetch = FetchState(
            url, one_line(accept), room, self.policy.obey_robots, follows, known
        )
        fetch.account = self.budget.current()
        fetch.secrets = secrets
        fetch.span = span
        visit = await self._follow(fetch)
        self.metrics.record(visit)
        return visit

    async def fetch_start(
        self, url: str, size: int, follows: Follows | None = None
    ) -> Visit:
        """The headers and the first bytes of a file, packed as they come.

        A server that knows no ranges sends the whole of it: then the connection is closed after these bytes.
        """
        fetch = FetchState(
            url, "*/*", size, self.policy.obey_robots, follows, span=(0, size)
        )
        fetch.account = self.budget.current()
        visit = await self._follow(fetch)
        self.metrics.record(visit)
        return visit

    async def close(self) -> None:
        """End what is under way and close all connections; a closed fetcher stays closed."""
        self._client.close()

    async def _fetch_robots(
        self, url: str, max_bytes: int, known: Validators | None
    ) -> Visit:
        fetch = FetchState(
            url, "text/plain, */*;q=0.5", max_bytes, obey_robots=False, known=known
        )
        visit = await self._follow(fetch)
        self.metrics.record(visit)
        return visit

    async def _follow(self, fetch: FetchState) -> Visit:
        """Ask, and go where redirects lead; each step is checked as if it were the first."""
        target = parse_target(fetch.url)
        while True:
            if isinstance(target, str):
                return self._failure(fetch, FailureReason.BAD_URL, target)
            route, objection = self._door(target.hostname, target.port)
            if objection:
                return self._failure(fetch, FailureReason.FORBIDDEN_NET, objection)
            if fetch.obey_robots and not self.robots.permits(target):
                trouble = await self.robots.objection(target)
                if trouble is not None:
                    return replace(
                        trouble,
                        url=fetch.url,
                        at=self._clock.now(),
                        elapsed_s=fetch.spent_s,
                    )
            visit = await self._ask(fetch, target, route)
            if isinstance(visit, Failure) or visit.status not in _REDIRECTS:
                return visit
            location = visit.headers.get("location", "")
            if not location:
                return visit
            left, target = target, parse_target(location, base=target.url)
            if isinstance(target, str):
                continue
            if fetch.follows is not None and not fetch.follows(left.url, target.url):
                return _leading_away(visit, target)
            fetch.chain += (left.url,)
            if target.url in fetch.chain:
                return self._failure(fetch, FailureReason.REDIRECT_LOOP, target.url)
            if len(fetch.chain) > self.limits.redirects:
                return self._failure(fetch, FailureReason.TOO_MANY_REDIRECTS, left.url)

    def _find_door(self, hostname: str, port: int) -> tuple[Route | None, str | None]:
        """Where a host is really reached, or why it must not be; the names of operators' routes are theirs."""
        route = route_for(hostname, self.policy.routes)
        return route, None if route else self.guard.objection_to_host(hostname, port)

    async def _ask(
        self, fetch: FetchState, target: Target, route: Route | None
    ) -> Visit:
        """One request, when it is the host's turn: pages, robots.txt and redirects all wait for it."""
        host = target.host
        if fetch.account is not None and not await self.budget.turn(fetch.account):
            return self._too_early(fetch, "too much is held of other answers", _LATER_S)
        if not self._slots.take(host):
            await self._slots.acquire(host)
        try:
            delay_s = self.robots.origin_delay_s(target.origin)
            began_at = self._clock.monotonic()
            wait_s = await self._turns.turn(host, delay_s, self.policy.patience_s)
            self._count_wait(began_at)
            if wait_s:
                return self._too_early(fetch, "the host asked for a pause", wait_s)
            seen: VisitFacts | None = UNKNOWN
            try:
                visit = await self._request(fetch, target, route)
                is_sent = isinstance(visit, Response) or visit.reason.means.is_attempt
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

    def _too_early(self, fetch: FetchState, detail: str, wait_s: float) -> Failure:
        return replace(
            self._failure(fetch, FailureReason.RATE_LIMITED, detail),
            retry_after_s=wait_s,
        )

    async def _request(
        self, fetch: FetchState, target: Target, route: Route | None
    ) -> Visit:
        """Ask, and ask again: plain, where the coding is unknown; blindly, where TLS forbids and we may; elsewhere."""
        fetch.route, fetch.decode = route, fetch.span is None
        fetch.tls = (
            STRICT if self.policy.verify_tls else self._faults.leniency(target.origin)
        )
        for _ in range(_MAX_ATTEMPTS):
            code, visit = await self._client.perform(fetch, target)
            if code == 0 or isinstance(visit, Response):
                break
            if code == pycurl.E_BAD_CONTENT_ENCODING and fetch.decode:
                fetch.decode = False
            elif (
                not visit.reason.means.is_attempt
            ):  # the host is at an address that has to be waited for
                wait_s = await self._move(target.host, fetch.crowded)
                if wait_s:
                    return self._too_early(fetch, visit.detail, wait_s)
            else:
                leniency = (
                    None
                    if self.policy.verify_tls
                    else fetch.tls.overlooking(visit.reason)
                )
                if leniency is None:
                    break
                self._faults.remember(target.origin, leniency)
                fetch.tls = leniency
        is_page = fetch.span is None
        if (
            is_page
            and not fetch.decode
            and isinstance(visit, Response)
            and visit.body.startswith(_PACKED)
        ):
            return self._failure(fetch, FailureReason.BAD_ANSWER, "packed, and broken")
        return visit

    async def _move(self, host: str, address: str) -> float:
        began_at = self._clock.monotonic()
        wait_s = await self._turns.move(host, address, self.policy.patience_s)
        self._count_wait(began_at)
        return wait_s

    def _failure(
        self, fetch: FetchState, reason: FailureReason, detail: str
    ) -> Failure:
        return Failure(
            fetch.url, reason, detail[:500], self._clock.now(), fetch.spent_s
        )


def _leading_away(visit: Response, target: Target) -> Response:
    """A redirect that is not followed, with its destination as the frontier would have it."""
    destination = canonical(target.url) or target.url
    return replace(visit, headers={**visit.headers, "location": destination})
