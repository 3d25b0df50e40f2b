"""One polite, guarded request: redirects followed step by step, every trouble turned into a Failure."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pycurl

from geohound.model.contracts import Clock
from geohound.model.url import canonical, site
from geohound.model.visit import Failure, FailureReason, Response, Validators, Visit

from .clock import SystemClock
from .curl_loop import CurlLoop
from .guard import Guard, Target, parse_target
from .headers import final_lines, has_end, one_line, read_headers
from .limits import Limits
from .metrics import Metrics
from .pace import Pace, PaceRules
from .robots import Robots
from .routes import Route, route_for
from .slots import Slots
from .tls import STRICT, KnownFaults
from .transfer import Ask, Transfer
from .trouble import explain

USER_AGENT = "Geohound/0.1 (+https://geohound.example/about-the-crawler)"
NO_PAUSES = PaceRules(min_delay_s=0.0, elapsed_factor=0.0, max_crawl_delay_s=0.0, max_retry_after_s=0.0)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_IDLE_HANDLES = 256
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # gzip, zstd


@dataclass(frozen=True, slots=True)
class Manners:
    """Who we are and how we behave."""

    user_agent: str = USER_AGENT
    obey_robots: bool = True
    verify_tls: bool = True  # refuse what is broken; else read it, and say in the Response what was wrong
    ca_file: str = ""  # instead of the machine's own list of authorities
    connections_per_host: int = 1
    routes: tuple[Route, ...] = field(default=())
    pace: PaceRules = NO_PAUSES
    patience_s: float = 60.0  # a host that is due later than this is not waited for: come back then


@dataclass(slots=True)
class _Errand:
    """One fetch under way, over all its redirects."""

    url: str
    accept: str
    max_bytes: int
    obey_robots: bool
    leave_site: bool = True
    known: Validators | None = None
    spent_s: float = 0.0  # on the wire; waiting in line and for robots.txt is not the server's doing
    chain: list[str] = field(default_factory=list)


class CurlFetcher:
    """The Fetcher of the house. Make one per event loop, from inside it, and close it."""

    def __init__(
        self,
        guard: Guard | None = None,
        limits: Limits | None = None,
        manners: Manners | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.guard = guard or Guard()
        self.limits = limits or Limits()
        self.manners = manners or Manners()
        self.metrics = Metrics()
        self._clock = clock or SystemClock()
        self.robots = Robots(self._fetch_robots, self._clock, self.manners.user_agent)
        self._faults = KnownFaults(self._clock)
        self._curls: CurlLoop | None = None
        self._idle: list[Transfer] = []
        self.pace = Pace(self._clock, self.manners.pace)
        self._slots = Slots(self.manners.connections_per_host)
        self._closed = False

    async def fetch(
        self,
        url: str,
        *,
        accept: str = "*/*",
        max_bytes: int | None = None,
        leave_site: bool = True,
        known: Validators | None = None,
    ) -> Visit:
        """Ask for a URL, within the limits, the guard and robots.txt; see the contract `Fetcher`."""
        room = self.limits.max_bytes if max_bytes is None else max_bytes
        errand = _Errand(url, one_line(accept), room, self.manners.obey_robots, leave_site, known)
        return await self._run(errand)

    async def close(self) -> None:
        """End what is under way and close all connections; a closed fetcher stays closed."""
        self._closed = True
        if self._curls is not None:
            self._curls.close()
            self._curls = None
        while self._idle:
            self._idle.pop().close()

    async def _fetch_robots(self, url: str, max_bytes: int) -> Visit:
        return await self._run(_Errand(url, "text/plain, */*;q=0.5", max_bytes, obey_robots=False))

    async def _run(self, errand: _Errand) -> Visit:
        visit = await self._follow(errand)
        self.metrics.record(visit)
        return visit

    async def _follow(self, errand: _Errand) -> Visit:
        """Ask, and go where redirects lead; each step is checked as if it were the first."""
        target = parse_target(errand.url)
        while True:
            trouble = await self._objection(errand, target)
            if trouble is not None:
                return trouble
            assert isinstance(target, Target)  # noqa: S101 - _objection has refused anything else
            visit = await self._ask(errand, target)
            if not isinstance(visit, Response) or visit.status not in _REDIRECTS:
                return visit
            location = visit.headers.get("location", "")
            if not location:
                return visit
            left = target
            target = parse_target(location, base=left.url)
            if not errand.leave_site and isinstance(target, Target) and site(target.url) != site(left.url):
                return _leading_away(visit, target)
            errand.chain.append(left.url)
            if isinstance(target, Target) and target.url in errand.chain:
                return self._failure(errand, FailureReason.REDIRECT_LOOP, target.url)
            if len(errand.chain) > self.limits.redirects:
                return self._failure(errand, FailureReason.TOO_MANY_REDIRECTS, errand.chain[-1])

    async def _objection(self, errand: _Errand, target: Target | str) -> Failure | None:
        """Why this step must not be taken."""
        if isinstance(target, str):
            return self._failure(errand, FailureReason.BAD_URL, target)
        route = route_for(target.hostname, self.manners.routes)
        objection = None if route else self.guard.objection_to_target(target)
        if objection:
            return self._failure(errand, FailureReason.FORBIDDEN_NET, objection)
        trouble = await self.robots.objection(target) if errand.obey_robots else None
        if trouble is not None:
            return replace(trouble, url=errand.url, at=self._clock.now(), elapsed_s=errand.spent_s)
        return None

    async def _ask(self, errand: _Errand, target: Target) -> Visit:
        """One request, when it is the host's turn."""
        route = route_for(target.hostname, self.manners.routes)
        tls = STRICT if self.manners.verify_tls else self._faults.leniency(target.origin)
        known = errand.known if not errand.chain else None  # they belong to the address asked for, not to others
        ask = Ask(target.url, errand.accept, errand.max_bytes, route, True, tls, known)
        await self._slots.acquire(target.host)
        try:
            trouble = await self._await_turn(errand, target)
            if trouble is not None:
                return trouble
            visit = await self._insist(errand, target, ask)
            self.pace.record(target.host, visit, self.robots.delay_s(target.url))
        finally:
            self._slots.release(target.host)
        return visit

    async def _insist(self, errand: _Errand, target: Target, ask: Ask) -> Visit:
        """Ask; ask again, plain, what came in a coding nobody knows, and blindly what TLS forbids, if we may."""
        while True:
            code, visit = await self._perform(errand, target, ask)
            if code == 0 or isinstance(visit, Response):
                break
            if code == pycurl.E_BAD_CONTENT_ENCODING and ask.decode:
                ask = ask._replace(decode=False)
                continue
            leniency = None if self.manners.verify_tls else ask.tls.overlooking(visit.reason)
            if leniency is None:
                break
            self._faults.remember(target.origin, leniency)
            ask = ask._replace(tls=leniency)
        if not ask.decode and isinstance(visit, Response) and visit.body.startswith(_PACKED):
            return self._failure(errand, FailureReason.BAD_ANSWER, "packed, and broken")
        return replace(visit, tls_fault=ask.tls.fault) if ask.tls.fault and isinstance(visit, Response) else visit

    async def _await_turn(self, errand: _Errand, target: Target) -> Failure | None:
        """Wait until the host is due, if that is soon; every request waits: pages, robots.txt, redirects."""
        wait_s = self.pace.wait_s(target.host, self.robots.delay_s(target.url))
        if wait_s > self.manners.patience_s:
            failure = self._failure(errand, FailureReason.RATE_LIMITED, "the host asked for a pause")
            return replace(failure, retry_after_s=wait_s)
        if wait_s > 0:
            await self._clock.sleep(wait_s)
        return None

    async def _perform(self, errand: _Errand, target: Target, ask: Ask) -> tuple[int, Visit]:
        if self._closed:
            return 0, self._failure(errand, FailureReason.UNAVAILABLE, "the fetcher was closed")
        loop = asyncio.get_running_loop()
        if self._curls is None:
            self._curls = CurlLoop(_sweep_s(self.limits))
        transfer = self._idle.pop() if self._idle else self._new_transfer()
        try:
            began_at = loop.time()
            transfer.begin(ask, began_at, began_at + self.limits.total_s - errand.spent_s)
            self.metrics.requests += 1
            code, message = await self._curls.perform(transfer)
            errand.spent_s += loop.time() - began_at
            return code, self._judge(errand, target, transfer, (code, message))
        except (pycurl.error, UnicodeError) as error:
            return 0, self._failure(errand, FailureReason.BAD_URL, str(error))
        finally:
            self._put_back(transfer)

    def _judge(self, errand: _Errand, target: Target, transfer: Transfer, ending: tuple[int, str]) -> Visit:
        """What a finished transfer amounts to."""
        code, message = ending
        curl = transfer.curl
        self.metrics.wire_bytes += int(curl.getinfo(pycurl.SIZE_DOWNLOAD_T)) + int(curl.getinfo(pycurl.HEADER_SIZE))
        self.metrics.connections += int(curl.getinfo(pycurl.NUM_CONNECTS))
        if code and transfer.stop is not None:
            return self._failure(errand, transfer.stop.reason, transfer.stop.detail)
        if code == pycurl.E_COULDNT_CONNECT and transfer.refused:
            return self._failure(errand, FailureReason.FORBIDDEN_NET, transfer.refused)
        if code and not transfer.truncated:
            return self._failure(errand, *explain(code, message, int(curl.getinfo(pycurl.OS_ERRNO))))
        status = int(curl.getinfo(pycurl.RESPONSE_CODE))
        # libcurl is content with a connection that ends in the middle of the headers.
        if status < 200 or not (transfer.in_body or has_end(transfer.header_lines)):
            return self._failure(errand, FailureReason.RESET, "lost in the headers")
        stop = None if transfer.in_body else transfer.objection_to_headers()
        if stop is not None:
            return self._failure(errand, stop.reason, stop.detail)
        headers = read_headers(final_lines(transfer.header_lines))
        return Response(
            url=errand.url,
            final_url=target.url,
            status=status,
            headers=headers,
            body=transfer.take(),
            at=self._clock.now(),
            elapsed_s=errand.spent_s,
            truncated=transfer.truncated,
            chain=tuple(errand.chain),
            address=curl.getinfo(pycurl.PRIMARY_IP) or "",
        )

    def _failure(self, errand: _Errand, reason: FailureReason, detail: str) -> Failure:
        return Failure(errand.url, reason, detail[:500], self._clock.now(), errand.spent_s)

    def _new_transfer(self) -> Transfer:
        transfer = Transfer(self.guard, self.limits)
        transfer.configure(self.manners.user_agent, self.manners.ca_file)
        return transfer

    def _put_back(self, transfer: Transfer) -> None:
        """Connections live in the multi, not in the handle: any handle may go on with any of them."""
        if len(self._idle) < _IDLE_HANDLES and not self._closed:
            self._idle.append(transfer)
        else:
            transfer.close()


def _leading_away(visit: Response, target: Target) -> Response:
    """A redirect that is not followed, with its destination as the frontier would have it."""
    destination = canonical(target.url) or target.url
    return replace(visit, headers={**visit.headers, "location": destination})


def _sweep_s(limits: Limits) -> float:
    return min(0.25, min(limits.first_byte_s, limits.stall_s, limits.total_s) / 4)
