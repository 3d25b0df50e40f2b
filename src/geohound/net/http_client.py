"""One request on the wire: a transfer begun, awaited and judged; what it was is recorded, whatever came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pycurl

from geohound.contracts import Clock
from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, RequestRecord, Response, Visit
from geohound.politeness import Turns

from .address_guard import Guard, Target
from .byte_budget import ByteBudget
from .client_policy import ClientPolicy
from .curl_errors import explain
from .curl_loop import CurlLoop
from .headers import final_lines, has_end, read_headers
from .limits import Limits
from .metrics import Metrics
from .stall_check import Stop
from .transfer import FetchState, Transfer

_IDLE_HANDLES = 256


class HttpClient:
    """Owns libcurl's handles and connections; knows limits and guard, but no policy."""

    def __init__(
        self,
        guard: Guard,
        limits: Limits,
        policy: ClientPolicy,
        clock: Clock,
        turns: Turns,
    ) -> None:
        self._guard = guard
        self._limits = limits
        self._policy = policy
        self._clock = clock
        self._turns = turns
        self._curls: CurlLoop | None = None
        self._idle: list[Transfer] = []
        self._closed = False
        self.budget = ByteBudget(limits.max_bytes_in_flight)
        self.metrics = Metrics()
        self.on_request: Callable[[RequestRecord], None] | None = None

    def close(self) -> None:
        self._closed = True
        if self._curls is not None:
            self._curls.close()
            self._curls = None
        while self._idle:
            self._idle.pop().close()

    async def perform(self, fetch: FetchState, target: Target) -> tuple[int, Visit]:
        """libcurl's code and what came of it."""
        if self._closed:
            return 0, self._failure(
                fetch, FailureReason.UNAVAILABLE, "the fetcher was closed"
            )
        curls = self._curls
        if curls is None:
            curls = self._curls = CurlLoop(self.budget, _sweep_s(self._limits))
        transfer = self._idle.pop() if self._idle else self._new_transfer()
        self.metrics.in_flight += 1
        try:
            began_at = time.monotonic()
            deadline = began_at + self._limits.total_s - fetch.spent_s
            transfer.begin(
                fetch,
                target.url,
                began_at,
                deadline,
                partial(self._turns.claim, target.host),
            )
            code, message = await curls.start(transfer)
            elapsed_s = time.monotonic() - began_at - transfer.paused_s
            fetch.spent_s += elapsed_s
            visit = self._judge(fetch, target, transfer, (code, message))
            if isinstance(visit, Failure) and not transfer.kept_back:
                visit = replace(
                    visit, address=transfer.curl.getinfo(pycurl.PRIMARY_IP) or ""
                )
            self._record(target, transfer, visit, elapsed_s)
            return code, visit
        except (pycurl.error, UnicodeError) as error:
            return 0, self._failure(fetch, FailureReason.BAD_URL, str(error))
        finally:
            self.metrics.in_flight -= 1
            # a cancelled fetch: libcurl drops its half-read connection
            curls.give_up(transfer)
            transfer.end(time.monotonic())
            self._put_back(transfer)

    def _judge(
        self,
        fetch: FetchState,
        target: Target,
        transfer: Transfer,
        ending: tuple[int, str],
    ) -> Visit:
        """What a finished transfer amounts to."""
        code, _ = ending
        curl = transfer.curl
        if code and not (transfer.truncated and transfer.stop is None):
            return self._trouble(fetch, transfer, ending)
        status = int(curl.getinfo(pycurl.RESPONSE_CODE))
        if not transfer.in_body:
            stop = _objection_to_end(transfer, status)
            if stop is not None:
                return self._failure(fetch, stop.reason, stop.detail)
        address = curl.getinfo(pycurl.PRIMARY_IP) or ""
        return Response(
            fetch.url,
            target.url,
            status,
            read_headers(final_lines(transfer.header_lines)),
            transfer.take(),
            self._clock.now(),
            fetch.spent_s,
            transfer.truncated,
            fetch.chain,
            address,
            fetch.tls.fault,
            transfer.weight,
        )

    def _trouble(
        self, fetch: FetchState, transfer: Transfer, ending: tuple[int, str]
    ) -> Failure:
        code, message = ending
        if transfer.stop is not None:
            return self._failure(fetch, transfer.stop.reason, transfer.stop.detail)
        if code == pycurl.E_COULDNT_CONNECT and transfer.crowded:
            fetch.crowded = transfer.crowded
            return self._failure(
                fetch,
                FailureReason.RATE_LIMITED,
                f"{transfer.crowded} is asked by many",
            )
        if code == pycurl.E_COULDNT_CONNECT and transfer.refused:
            return self._failure(fetch, FailureReason.FORBIDDEN_NET, transfer.refused)
        return self._failure(
            fetch, *explain(code, message, int(transfer.curl.getinfo(pycurl.OS_ERRNO)))
        )

    def _record(
        self, target: Target, transfer: Transfer, visit: Visit, elapsed_s: float
    ) -> None:
        """Whatever left this machine counts; what the guard or a busy address kept back did not."""
        self.metrics.connections += transfer.sockets
        if transfer.kept_back:
            return
        wire_bytes = (
            int(transfer.curl.getinfo(pycurl.SIZE_DOWNLOAD_T)) + transfer.header_bytes
        )
        self.metrics.record_request(wire_bytes)
        if self.on_request is None:
            return
        status, reason = (
            (visit.status, None) if isinstance(visit, Response) else (0, visit.reason)
        )
        self.on_request(
            RequestRecord(
                visit.at,
                target.host,
                target.url,
                status,
                reason,
                wire_bytes,
                elapsed_s,
                visit.address,
            )
        )

    def _failure(
        self, fetch: FetchState, reason: FailureReason, detail: str
    ) -> Failure:
        return Failure(
            fetch.url, reason, detail[:500], self._clock.now(), fetch.spent_s
        )

    def _new_transfer(self) -> Transfer:
        transfer = Transfer(self._guard, self._limits, self.budget)
        transfer.configure(self._policy.user_agent, self._policy.ca_file)
        return transfer

    def _put_back(self, transfer: Transfer) -> None:
        """Connections live in the multi, not in the handle: any handle may go on with any of them."""
        transfer.clear()
        if len(self._idle) < _IDLE_HANDLES and not self._closed:
            self._idle.append(transfer)
        else:
            transfer.close()


def _objection_to_end(transfer: Transfer, status: int) -> Stop | None:
    """libcurl is content with a connection that ends in the middle of the headers; we are not."""
    if status < 200 or not has_end(transfer.header_lines):
        return Stop(FailureReason.RESET, "lost in the headers")
    return transfer.objection_to_headers()


def _sweep_s(limits: Limits) -> float:
    return min(
        0.25,
        min(limits.first_byte_s, limits.stall_s, limits.drip_s, limits.total_s) / 4,
    )
